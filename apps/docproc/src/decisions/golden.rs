//! *Juegos de pruebas* (§11.5): how cases come, go, and are run.

use std::{sync::Arc, time::Duration};

use db::{Error, audit::Entry};
use engine::Sentence;
use engine::Word as _;
use host::{By, Next};
use jiff::Timestamp;
use serde_json::json;

use super::Refusal;
use crate::{
    Context,
    drivers::runtime::Runtime,
    drivers::storage::Storage,
    golden::{self, Verdict},
    model::Status,
    rules::{
        golden::{Answer, read, strangers},
        workflow::Workflow,
    },
    store::{
        Visibility,
        golden::{self as cases, CaseRow, Retired},
        requests::{self, FileRow, RequestRow},
    },
};

/// The tick that turns marked corrections into cases.
pub const TICK: &str = "docproc.golden";
/// Requests that become cases in one tick.
const AT_ONCE: i64 = 20;
const LONGEST_NAME: usize = 200;

type Added = Result<Result<CaseRow, Refusal>, Error>;

/// A request that ended becomes a case: what people confirmed is what is expected.
pub async fn add_request(context: &Context, by: &By, id: &str, name: Option<&str>) -> Added {
    let mut tx = context.store.read().await?;
    let Some(row) = requests::find(&mut tx, Visibility::All, id).await? else {
        return Ok(Err(Refusal::NotFound));
    };
    let files = requests::files(&mut tx, id).await?;
    drop(tx);
    let files: Vec<FileRow> = files.into_iter().filter(|one| one.packed_in.is_none()).collect();
    let expected = match expected_of(&row) {
        Ok(expected) => expected,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let named = name.map_or_else(|| usual_name(&row, &files), str::to_owned);
    add(context, by, &row.workflow_name, &named, Some(id), &expected, &files).await
}

fn expected_of(row: &RequestRow) -> Result<Answer, Refusal> {
    if row.status != Status::Completed || row.cleared_at.is_some() {
        let status = row.status.word();
        return Err(conflict(
            "NO_COMPLETADA",
            format!("La solicitud está {status} o su contenido ya no está; no sirve de caso."),
            format!("The request is {status} or its contents are gone; it cannot be a case."),
        ));
    }
    read(row.result.as_ref().unwrap_or_default())
        .map_err(|sentence| Refusal::Conflict { code: "SIN_DOCUMENTOS", sentence })
}

/// A name that no other request has.
fn usual_name(row: &RequestRow, files: &[FileRow]) -> String {
    let first = row.external_id.as_deref().or(files.first().map(|file| file.name.as_str()));
    let first: String = first.unwrap_or_default().chars().take(LONGEST_NAME - 10).collect();
    let tail = row.id.get(row.id.len().saturating_sub(8)..).unwrap_or_default();
    format!("{first} {tail}").trim().to_owned()
}

/// Files that were sent for it become a case.
pub async fn add_files(
    context: &Context,
    by: &By,
    workflow: &str,
    name: &str,
    expected: &Answer,
    files: &[FileRow],
) -> Added {
    let active = context.runtime.workflows.active();
    let Some(flow) = active.get(workflow) else {
        return Ok(Err(invalid(
            "FLUJO_DESCONOCIDO",
            format!("No hay un flujo «{workflow}» en vigor."),
            format!("There is no workflow “{workflow}” in force."),
        )));
    };
    let strange = strangers(expected, flow);
    if let Some(stranger) = strange.first() {
        return Ok(Err(invalid(
            "TIPO_DESCONOCIDO",
            format!("El flujo no tiene el tipo «{stranger}»; tiene {}.", flow.types().join(", ")),
            format!("The workflow has no type “{stranger}”; it has {}.", flow.types().join(", ")),
        )));
    }
    add(context, by, workflow, name, None, expected, files).await
}

async fn add(
    context: &Context,
    by: &By,
    workflow: &str,
    name: &str,
    request: Option<&str>,
    expected: &Answer,
    files: &[FileRow],
) -> Added {
    let name = name.trim();
    let fits = (1..=LONGEST_NAME).contains(&name.chars().count());
    if !fits || name.chars().any(char::is_control) {
        return Ok(Err(invalid(
            "NOMBRE_INVALIDO",
            format!("El nombre de un caso tiene de 1 a {LONGEST_NAME} caracteres."),
            format!("The name of a case has 1 to {LONGEST_NAME} characters."),
        )));
    }
    let runtime = context.runtime.clone();
    if let Err(why) = golden::playable(&runtime, files).await {
        return Ok(Err(conflict(
            "NO_SE_ABRE",
            format!("No se puede abrir sin más: {why}. Con contraseña no sirve de caso."),
            format!("It cannot be opened as it is: {why}. With a password it cannot be a case."),
        )));
    }
    let case = CaseRow {
        id: uuid::Uuid::now_v7().to_string(),
        workflow: workflow.to_owned(),
        name: name.to_owned(),
        request_id: request.map(str::to_owned),
        expected: serde_json::to_value(expected)
            .map_err(|error| Error::corrupt(error.to_string()))?,
        added_by: by.name.clone(),
        added_at: context.clock.now(),
        retired: None,
        last: None,
    };
    let copies = match copied(&runtime, &case.id, files).await {
        Ok(copies) => copies,
        Err(error) => {
            tracing::error!(%error, case = case.id, "the files of a case could not be copied");
            let _ = runtime.storage.remove_case(&case.id).await;
            return Ok(Err(conflict(
                "ALMACEN_NO_DISPONIBLE",
                "No se pudieron copiar los archivos; no se añadió nada.".to_owned(),
                "The files could not be copied; nothing was added.".to_owned(),
            )));
        }
    };
    let kept = keep(context, by, &case, &copies).await;
    if !matches!(kept, Ok(Ok(()))) {
        let _ = runtime.storage.remove_case(&case.id).await;
    }
    Ok(kept?.map(|()| case))
}

/// The case's own copies: it outlives the request it came from.
async fn copied(
    runtime: &Arc<Runtime>,
    case: &str,
    files: &[FileRow],
) -> Result<Vec<FileRow>, std::io::Error> {
    let (runtime, case, files) = (runtime.clone(), case.to_owned(), files.to_vec());
    let copying = tokio::task::spawn_blocking(move || {
        let copy = |file: FileRow| {
            let place = Storage::case_place(&case, file.n);
            runtime.storage.copy(&file, &place)?;
            Ok(FileRow { place, password: None, pages: None, ..file })
        };
        files.into_iter().map(copy).collect()
    });
    copying.await.unwrap_or_else(|_| Err(std::io::Error::other("copying panicked")))
}

async fn keep(
    context: &Context,
    by: &By,
    case: &CaseRow,
    files: &[FileRow],
) -> Result<Result<(), Refusal>, Error> {
    let mut decision = context.store.decide(&cases::scope(), context.clock.now()).await?;
    let request = case.request_id.as_deref();
    let twin = cases::twin(&mut decision.tx, &case.workflow, &case.name, request).await?;
    if let Some(twin) = twin {
        return Ok(Err(conflict(
            ALREADY,
            format!("Ya hay un caso así: «{}» ({}). Se quedó como estaba.", twin.name, twin.id),
            format!("There is such a case: “{}” ({}). It stayed as it was.", twin.name, twin.id),
        )));
    }
    cases::insert(&mut decision, case, files).await?;
    let after = json!({ "workflow": case.workflow, "name": case.name, "request_id": request,
                        "files": files.len() });
    decision.audit(Entry { after: Some(after), ..by.did("golden.add", subject(&case.id)) });
    decision.commit().await?;
    Ok(Ok(()))
}

const ALREADY: &str = "CASO_EXISTENTE";

/// Takes a case out of the set, with a reason. It stays listed.
pub async fn retire(context: &Context, by: &By, id: &str, reason: &str) -> Added {
    let mut decision = context.store.decide(&cases::scope(), context.clock.now()).await?;
    let retired = cases::retire(&mut decision, id, &by.name, reason).await?;
    let Some(case) = cases::find(&mut decision.tx, id).await? else {
        return Ok(Err(Refusal::NotFound));
    };
    if !retired {
        return Ok(Err(conflict(
            "YA_RETIRADO",
            "El caso ya estaba retirado.".to_owned(),
            "The case had been retired already.".to_owned(),
        )));
    }
    let after = json!({ "workflow": case.workflow, "name": case.name });
    let reason = Some(reason.to_owned());
    decision.audit(Entry { after: Some(after), reason, ..by.did("golden.retire", subject(id)) });
    decision.commit().await?;
    Ok(Ok(case))
}

/// Makes cases of requests whose corrections were marked golden, once they have completed. One
/// that cannot be a case is listed as retired, with the reason, and not looked at again.
pub async fn tick(context: Context, _: Timestamp) -> Next {
    let marked = cases::marked(&mut context.store.read().await?, AT_ONCE).await?;
    for (request, operator) in marked {
        let by = By { app: crate::NAME, name: operator, role: String::new() };
        let Err(refusal) = add_request(&context, &by, &request, None).await? else { continue };
        // That is nobody's fault, and over some day.
        if context.runtime.storage.away().is_some() {
            break;
        }
        let sentence = match refusal {
            Refusal::Conflict { code, sentence } if code != ALREADY => sentence.es,
            Refusal::Invalid { sentence, .. } => sentence.es,
            // Another process was quicker, or the request is gone.
            Refusal::Conflict { .. }
            | Refusal::NotFound
            | Refusal::NoTask
            | Refusal::Forbidden { .. }
            | Refusal::Wrong { .. } => continue,
        };
        tracing::warn!(request_id = request, sentence, "a marked request cannot be a golden case");
        refuse(&context, &by, &request, &sentence).await?;
    }
    Ok(None)
}

async fn refuse(context: &Context, by: &By, request: &str, reason: &str) -> Result<(), Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&cases::scope(), now).await?;
    let Some(row) = requests::find(&mut decision.tx, Visibility::All, request).await? else {
        return Ok(());
    };
    let case = CaseRow {
        id: uuid::Uuid::now_v7().to_string(),
        name: usual_name(&row, &[]),
        workflow: row.workflow_name,
        request_id: Some(request.to_owned()),
        expected: json!({ "documents": [] }),
        added_by: by.name.clone(),
        added_at: now,
        retired: Some(Retired { at: now, by: crate::NAME.to_owned(), reason: reason.to_owned() }),
        last: None,
    };
    cases::insert(&mut decision, &case, &[]).await?;
    let reason = Some(reason.to_owned());
    decision.audit(Entry { after: None, reason, ..by.did("golden.refuse", subject(&case.id)) });
    decision.commit().await.map(drop)
}

/// Runs cases through a version, one after another. With the version in force, what came of each
/// is kept with it.
pub async fn run(
    context: &Context,
    workflow: &Arc<Workflow>,
    version: Option<i64>,
    set: &[CaseRow],
) -> Result<Vec<Verdict>, Error> {
    let mut verdicts = Vec::with_capacity(set.len());
    for case in set {
        verdicts.push(golden::run(context, workflow, case).await?);
    }
    let in_force = context.runtime.workflows.id_of(&workflow.name);
    if let Some(version) = version.filter(|version| in_force == Some(*version)) {
        let mut decision = context.store.decide(&cases::scope(), context.clock.now()).await?;
        for one in &verdicts {
            cases::record(&mut decision, &one.case, version, one.word(), &one.observed).await?;
        }
        decision.commit().await?;
    }
    Ok(verdicts)
}

/// Removes files that no case owns: a process that ended between copying and committing.
pub async fn sweep(context: &Context, age: Duration) -> Result<(), Error> {
    let runtime = context.runtime.clone();
    let old = runtime.storage.cases_older_than(age).await;
    let mut tx = context.store.read().await?;
    for ids in old.chunks(500) {
        for orphan in cases::unknown(&mut tx, ids).await? {
            if let Err(error) = runtime.storage.remove_case(&orphan).await {
                tracing::warn!(%error, case = orphan, "files without a case stay");
            }
        }
    }
    Ok(())
}

fn subject(case: &str) -> String {
    format!("golden/{case}")
}

pub(super) fn conflict(code: &'static str, es: String, en: String) -> Refusal {
    Refusal::Conflict { code, sentence: Sentence::new(es, en) }
}

fn invalid(code: &'static str, es: String, en: String) -> Refusal {
    Refusal::Invalid { code, sentence: Sentence::new(es, en) }
}
