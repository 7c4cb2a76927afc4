//! What people answer (§3.5, §3.8): checked, recorded, and the pipeline goes on, in one
//! commit.

use db::{
    Decision, Error,
    audit::Entry,
    idempotency::{self, Seen},
};
use engine::Sentence;
use host::By;
use serde_json::{Map, Value as Json, json};

use super::{
    Key, Refusal, course, memory,
    memory::Lesson,
    people::{self, Took},
    queue,
};
use crate::{
    Context,
    model::Item,
    rules::{
        correct::{self, Corrected, Submitted},
        regroup::{self as rule, Bound, Wanted},
        workflow::Workflow,
    },
    store::{
        Sight,
        corrections::{self, NewCorrection},
        documents::{self, DocumentRow},
        layouts::Shelf,
        operators, pages, people_scope, regroup, requests,
        reviews::{self, TaskRow},
        scope,
    },
};

/// An answer with all that belongs to it.
#[derive(Clone, Debug)]
pub struct Submission {
    pub by: By,
    pub answer: Answer,
    /// Whether the case shall be one to be judged by.
    pub golden: bool,
    pub key: Option<Key>,
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// The type of a page.
    Type(String),
    /// The fields of a document.
    Fields(Submitted),
    /// Which pages are one document.
    Groups(Vec<Wanted>),
}

/// *Enviar*: an answer by the one who has the task, once.
pub async fn submit(context: &Context, id: &str, submission: &Submission) -> Took {
    let known = reviews::find(&mut context.store.read().await?, id).await?;
    let Some(known) = known else { return Ok(Err(Refusal::NoTask)) };
    let request = known.request_id;
    let mut decision = context.store.decide(&scope(&request), context.clock.now()).await?;
    decision.hold(&people_scope()).await?;
    let owner = format!("{}/task/{id}/{}", crate::NAME, submission.by.name);
    if let Some(key) = &submission.key {
        match idempotency::recall(&mut decision, &owner, &key.key, &key.fingerprint).await? {
            Seen::New => {}
            Seen::Same(_) => {
                let task = reviews::find(&mut decision.tx, id).await?;
                return Ok(task.ok_or(Refusal::NoTask));
            }
            Seen::Other => return Ok(Err(key_reused())),
        }
    }
    people::take_back_lapsed(context, &mut decision).await?;
    let task = match people::held(&mut decision, &submission.by.name, id).await? {
        Ok(task) => task,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let done = record(context, &mut decision, &task, submission).await?;
    if let Err(refusal) = done {
        return Ok(Err(refusal));
    }
    if let Some(key) = &submission.key {
        let answer = json!({ "id": id });
        idempotency::remember(&mut decision, &owner, &key.key, &key.fingerprint, &answer).await?;
    }
    operators::heard(&mut decision, &submission.by.name).await?;
    course::settle(context, &mut decision, &[request]).await?;
    people::assign(context, &mut decision).await?;
    let task = reviews::find(&mut decision.tx, id).await?;
    queue::wake(context, &mut decision);
    if submission.golden {
        decision.wake(super::golden::TICK);
    }
    decision.commit().await?;
    Ok(task.ok_or(Refusal::NoTask))
}

fn key_reused() -> Refusal {
    Refusal::Invalid {
        code: "CLAVE_REUTILIZADA",
        sentence: Sentence::new(
            "La Idempotency-Key se usó con otra respuesta.",
            "The Idempotency-Key was used with another answer.",
        ),
    }
}

async fn record(
    context: &Context,
    decision: &mut Decision,
    task: &TaskRow,
    submission: &Submission,
) -> Result<Result<(), Refusal>, Error> {
    let Some(row) = requests::find(&mut decision.tx, Sight::All, &task.request_id).await? else {
        return Ok(Err(Refusal::NoTask));
    };
    let workflow = context.runtime.workflows.version(&mut decision.tx, row.workflow_id).await?;
    match (&task.item, &submission.answer) {
        (Item::Page(n), Answer::Type(doc_type)) => {
            sort_page(decision, task, submission, &workflow, *n, doc_type).await
        }
        (Item::Document(id), Answer::Fields(submitted)) => {
            let today = decision.now.to_zoned(context.zone.clone()).date();
            let documents = documents::all(&mut decision.tx, &task.request_id).await?;
            let Some(document) = documents.iter().find(|one| one.id == *id) else {
                return Ok(Err(Refusal::NoTask));
            };
            let empty = Map::new();
            let data = document.extracted_data.as_ref().and_then(Json::as_object);
            let corrected = correct::correct(
                &document.fields,
                data.unwrap_or(&empty),
                workflow.schemas.get(&document.doc_type),
                submitted,
                &submission.by.name,
                today,
            );
            match corrected {
                Ok(corrected) => {
                    if let Some(schema) = workflow.schemas.get(&document.doc_type) {
                        let shelf = Shelf {
                            owner: row.created_by.clone(),
                            workflow: row.workflow_name.clone(),
                            doc_type: document.doc_type.clone(),
                        };
                        let (request, by) = (&task.request_id, &submission.by.name);
                        let corrected = &corrected;
                        let lesson =
                            Lesson { request, shelf, schema, document, corrected, by, today };
                        memory::learn(decision, &lesson).await?;
                    }
                    fill_document(decision, task, submission, document, &corrected).await
                }
                Err(wrong) => Ok(Err(refused(wrong))),
            }
        }
        (Item::Document(id), Answer::Groups(wanted)) => {
            group_anew(decision, task, submission, &workflow, id, wanted).await
        }
        (Item::Page(_) | Item::Request, _) => Ok(Err(Refusal::Invalid {
            code: "FALTA_TIPO",
            sentence: Sentence::new(
                "Una tarea de clasificación se responde con doc_type.",
                "A classification task is answered with doc_type.",
            ),
        })),
        (Item::Document(_), Answer::Type(_)) => Ok(Err(Refusal::Invalid {
            code: "FALTAN_DATOS",
            sentence: Sentence::new(
                "Una tarea de extracción se responde con extracted_data.",
                "An extraction task is answered with extracted_data.",
            ),
        })),
    }
}

fn refused(wrong: Vec<correct::Wrong>) -> Refusal {
    let errors = wrong.into_iter().map(|one| (one.field, one.sentence)).collect();
    Refusal::Wrong {
        sentence: Sentence::new(
            "Hay valores que el flujo no admite; no se cambió nada.",
            "Some values are not allowed by the workflow; nothing was changed.",
        ),
        errors,
    }
}

/// A page gets its type and stands behind the stage that asked.
async fn sort_page(
    decision: &mut Decision,
    task: &TaskRow,
    submission: &Submission,
    workflow: &Workflow,
    n: u32,
    doc_type: &str,
) -> Result<Result<(), Refusal>, Error> {
    let types = workflow.types();
    if !types.contains(&doc_type) {
        let known = types.join(", ");
        return Ok(Err(Refusal::Invalid {
            code: "TIPO_DESCONOCIDO",
            sentence: Sentence::new(
                format!("El flujo no tiene el tipo «{doc_type}»; tiene {known}."),
                format!("The workflow has no type “{doc_type}”; it has {known}."),
            ),
        }));
    }
    pages::decided(decision, &task.request_id, n, task.stage_at, doc_type).await?;
    let suggested = &task.input_data["suggested_type"];
    let machine = json!({ "doc_type": suggested, "confidence": task.input_data["confidence"] });
    let person = json!({ "doc_type": doc_type });
    let changed = suggested.as_str() != Some(doc_type);
    let correction = NewCorrection {
        task,
        kind: "classification",
        operator: &submission.by.name,
        doc_type,
        machine,
        person: person.clone(),
        changed,
        golden: submission.golden,
        page: Some(n),
    };
    corrections::keep(decision, &correction).await?;
    end(decision, task, submission, &person, "submitted").await?;
    Ok(Ok(()))
}

/// A document gets its fields and stands behind the stage that asked.
async fn fill_document(
    decision: &mut Decision,
    task: &TaskRow,
    submission: &Submission,
    document: &DocumentRow,
    corrected: &Corrected,
) -> Result<Result<(), Refusal>, Error> {
    documents::corrected(decision, &document.id, task.stage_at, corrected).await?;
    let lessons = &corrected.lessons;
    let machine: Map<String, Json> = lessons
        .iter()
        .map(|one| {
            (one.field.clone(), json!({ "value": one.machine, "confidence": one.confidence }))
        })
        .collect();
    let person: Map<String, Json> =
        lessons.iter().map(|one| (one.field.clone(), json!(one.person))).collect();
    let correction = NewCorrection {
        task,
        kind: "extraction",
        operator: &submission.by.name,
        doc_type: &document.doc_type,
        machine: machine.into(),
        person: person.into(),
        changed: lessons.iter().any(correct::Lesson::changed),
        golden: submission.golden,
        page: None,
    };
    corrections::keep(decision, &correction).await?;
    let output = json!({ "extracted_data": corrected.data });
    end(decision, task, submission, &output, "submitted").await?;
    Ok(Ok(()))
}

/// *Reagrupar*: pages go back to the grouping, with a person's word on where documents begin.
async fn group_anew(
    decision: &mut Decision,
    task: &TaskRow,
    submission: &Submission,
    workflow: &Workflow,
    own: &str,
    wanted: &[Wanted],
) -> Result<Result<(), Refusal>, Error> {
    let documents = documents::all(&mut decision.tx, &task.request_id).await?;
    let all = pages::all(&mut decision.tx, &task.request_id).await?;
    let bounds: Vec<Bound> = documents
        .iter()
        .map(|one| Bound { id: one.id.clone(), first: one.first_page, last: one.last_page })
        .collect();
    let files: Vec<u32> = all.iter().map(|page| page.file).collect();
    let done = match rule::regroup(&bounds, &files, &workflow.types(), own, wanted) {
        Ok(done) => done,
        Err(sentence) => return Ok(Err(Refusal::Invalid { code: "GRUPOS_INVALIDOS", sentence })),
    };
    let Some(at) = workflow.grouping() else {
        return Ok(Err(Refusal::Invalid {
            code: "SIN_AGRUPACION",
            sentence: Sentence::new(
                "Este flujo no agrupa páginas.",
                "This workflow does not group pages.",
            ),
        }));
    };
    let groups: Vec<Json> = wanted
        .iter()
        .map(|group| json!({ "doc_type": group.doc_type, "page_indices": group.pages }))
        .collect();
    let machine: Vec<Json> = documents
        .iter()
        .filter(|one| done.undone.contains(&one.id))
        .map(|one| json!({ "doc_type": one.doc_type, "page_indices": one.page_indices() }))
        .collect();
    let correction = NewCorrection {
        task,
        kind: "grouping",
        operator: &submission.by.name,
        doc_type: wanted.first().map_or("", |group| group.doc_type.as_str()),
        machine: machine.into(),
        person: groups.clone().into(),
        changed: true,
        golden: submission.golden,
        page: None,
    };
    corrections::keep(decision, &correction).await?;
    end(decision, task, submission, &json!({ "groups": groups }), "regrouped").await?;
    regroup::undo(decision, &task.request_id, at, &done).await?;
    Ok(Ok(()))
}

async fn end(
    decision: &mut Decision,
    task: &TaskRow,
    submission: &Submission,
    output: &Json,
    ending: &'static str,
) -> Result<(), Error> {
    reviews::complete(decision, task, &submission.by.name, output, ending).await?;
    metrics::counter!("docproc_answers_total", "task_type" => task.task_type.clone()).increment(1);
    // What documents say stays out of the audit.
    let after = json!({ "request_id": task.request_id, "task_type": task.task_type });
    let entry = submission.by.did(format!("task.{ending}"), format!("task/{}", task.id));
    decision.audit(Entry { after: Some(after), ..entry });
    Ok(())
}

/// Marks a correction as a case to be judged by, or no longer. `None`: there is none.
pub async fn mark(
    context: &Context,
    by: &By,
    id: &str,
    golden: bool,
) -> Result<Option<corrections::CorrectionRow>, Error> {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    if !corrections::mark(&mut decision, id, golden).await? {
        return Ok(None);
    }
    let row = corrections::find(&mut decision.tx, id).await?;
    let entry = by.did("correction.golden", format!("correction/{id}"));
    decision.audit(Entry { after: Some(json!({ "golden": golden })), ..entry });
    decision.wake(super::golden::TICK);
    decision.commit().await?;
    Ok(row)
}
