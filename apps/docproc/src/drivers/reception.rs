//! *Recepción* (§3.1): a form with files becomes a request, or a clear refusal and nothing.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use axum::{
    extract::{Multipart, multipart::Field},
    http::StatusCode,
};
use jiff::Timestamp;
use paper::{Broken, Kind, Limits};
use serde_json::{Map, Value as Json};
use web::{Lang, Problem};

use crate::{
    drivers::reading::kind_word,
    drivers::runtime::Runtime,
    drivers::storage::{Fault, Storage, Stored},
    model::{Progress, Status},
    rules::{route, sla, workflow::Workflow},
    store::{
        policy::Policy,
        requests::{FileRow, RequestRow},
    },
};

/// Files of one request; a thousand pages do not need more.
const MOST_FILES: usize = 200;
const LONGEST_TEXT: usize = 64 * 1024;
const LONGEST_NAME: usize = 255;
/// Files up to this size are opened before they are accepted.
const OPENED_AT_ONCE: u64 = 32 << 20;
/// Working time for opening one of them: whoever sent it waits.
const OPENED_WITHIN: Duration = Duration::from_secs(3);
/// When others are being opened for longer than this, a file is accepted as it is: whoever splits
/// it opens it anyway, and will say what is wrong.
const WAITS: Duration = Duration::from_secs(2);
/// Enough to tell what a file is.
const HEAD: usize = 4096;

/// What was sent in a form.
#[derive(Debug)]
pub struct Form {
    pub files: Vec<FileRow>,
    pub metadata: Map<String, Json>,
    pub channel: String,
    pub workflow: Option<String>,
    pub external_id: Option<String>,
    pub priority: i64,
    /// Who wants to be told of answers.
    pub callback_url: Option<String>,
    /// All other fields of the form.
    pub others: BTreeMap<String, String>,
}

/// Why a form was not taken: a problem to show, or a storage that failed.
pub enum Refused {
    Problem(Box<Problem>),
    Storage(Fault),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Storage(fault)
    }
}

/// Reads a form, files straight into storage. What it stored stays there on refusal; the caller
/// removes it.
pub async fn read(
    runtime: &Runtime,
    request: &str,
    mut form: Multipart,
    limit: u64,
    lang: Lang,
) -> Result<Form, Refused> {
    let mut files = Vec::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut left = limit;
    loop {
        let field = form.next_field().await.map_err(|error| unreadable(&error, lang))?;
        let Some(field) = field else { break };
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            if files.len() == MOST_FILES {
                return Err(too_many(lang).into());
            }
            let file = take_file(runtime, request, files.len() as u32, field, left, lang).await?;
            left = left.saturating_sub(file.bytes);
            files.push(file);
        } else {
            texts.insert(name, take_text(field, lang).await?);
        }
    }
    if files.is_empty() {
        return Err(Problem::unprocessable("FALTA_FICHERO")
            .lang(lang)
            .detail(lang.t("Falta el campo «file».", "The field “file” is missing."))
            .hint("curl -F file=@documento.pdf …/process")
            .into());
    }
    let password = texts.remove("password").filter(|text| !text.is_empty());
    for file in &mut files {
        file.password.clone_from(&password);
    }
    let optional = |text: Option<String>| text.filter(|text| !text.is_empty());
    let external_id = optional(texts.remove("external_id"));
    let channel = optional(texts.remove("channel")).unwrap_or_else(|| "api".to_owned());
    bounded("external_id", external_id.as_deref(), 255, lang)?;
    bounded("channel", Some(&channel), 100, lang)?;
    Ok(Form {
        files,
        metadata: metadata(texts.remove("metadata").as_deref(), lang)?,
        channel,
        workflow: optional(texts.remove("workflow")),
        external_id,
        callback_url: optional(texts.remove("callback_url")),
        priority: priority(texts.remove("priority").as_deref(), lang)?,
        others: texts,
    })
}

/// Opens what was sent: a file that cannot be read is refused now, not found out later. One that can
/// knows how many pages it has.
pub async fn open(
    runtime: Arc<Runtime>,
    files: &mut Vec<FileRow>,
    lang: Lang,
) -> Result<(), Problem> {
    let Some(place) = runtime.foreground.place(WAITS).await else { return Ok(()) };
    let mut opening = files.clone();
    let opened = tokio::task::spawn_blocking(move || {
        let _place = place;
        let limits = Limits { open: OPENED_WITHIN, ..runtime.limits() };
        let mut pages = 0;
        for file in &mut opening {
            let refused = |broken| Err((file.name.clone(), broken));
            // Archives are unpacked by whoever splits them; their tables are looked at here.
            if is_archive(file) {
                match inspect(&runtime, file, &limits) {
                    Ok(()) => continue,
                    Err(broken) => return refused(broken),
                }
            }
            if file.bytes > limits.file_bytes {
                let (found, limit) = (file.bytes, limits.file_bytes);
                return refused(Broken::TooLarge { what: "file", found, limit });
            }
            if file.bytes > OPENED_AT_ONCE {
                continue;
            }
            let own = match runtime.document(file, &limits) {
                Ok(document) => document.page_count(),
                Err(broken) => return refused(broken),
            };
            pages += own;
            if pages > limits.pages {
                return refused(Broken::TooManyPages { found: pages, limit: limits.pages });
            }
            file.pages = u32::try_from(own).ok();
        }
        Ok(opening)
    });
    match opened.await {
        Ok(Ok(opened)) => {
            *files = opened;
            Ok(())
        }
        Ok(Err((name, broken))) => Err(broken_file(&name, &broken, lang)),
        Err(_) => Err(broken_file("", &Broken::Panicked { what: "the form" }, lang)),
    }
}

/// Whether other files are in it.
pub fn is_archive(file: &FileRow) -> bool {
    [Kind::Zip, Kind::Mail].into_iter().any(|kind| file.kind == kind_word(kind))
}

fn inspect(runtime: &Runtime, file: &FileRow, limits: &Limits) -> Result<(), Broken> {
    if file.kind != kind_word(Kind::Zip) {
        return Ok(());
    }
    match paper::inspect(runtime.storage.reader(file)?, limits) {
        Err(broken @ (Broken::Office | Broken::Overlapping)) => Err(broken),
        // What else is wrong with it is told when it is unpacked.
        _ => Ok(()),
    }
}

fn broken_file(name: &str, broken: &Broken, lang: Lang) -> Problem {
    let (status, sentence) = (status_of(broken), broken.sentence(lang == Lang::Es));
    Problem::new(status, broken.code()).lang(lang).detail(format!("{name}: {sentence}"))
}

fn status_of(broken: &Broken) -> StatusCode {
    match broken {
        Broken::Io(_) => StatusCode::SERVICE_UNAVAILABLE,
        Broken::TooLarge { .. } | Broken::TooManyPages { .. } | Broken::Bomb { .. } => {
            StatusCode::PAYLOAD_TOO_LARGE
        }
        Broken::Office | Broken::UnknownKind { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

async fn take_file(
    runtime: &Runtime,
    request: &str,
    n: u32,
    mut field: Field<'_>,
    left: u64,
    lang: Lang,
) -> Result<FileRow, Refused> {
    let name = shown_name(field.file_name().unwrap_or_default());
    let place = Storage::place(request, n);
    let mut writer = runtime.storage.writer(&place);
    let mut head = Vec::with_capacity(HEAD);
    let taken = loop {
        match field.chunk().await {
            Ok(Some(chunk)) => {
                head.extend(chunk.iter().take(HEAD.saturating_sub(head.len())));
                if writer.bytes() + chunk.len() as u64 > left {
                    break Err(too_large(lang));
                }
                if head.len() == HEAD && paper::recognise(&name, &head).is_none() {
                    break Err(unknown_kind(&name, lang));
                }
                writer.write(&chunk).await?;
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(unreadable(&error, lang)),
        }
    };
    if let Err(problem) = taken {
        writer.give_up().await;
        return Err(problem.into());
    }
    if writer.bytes() == 0 {
        writer.give_up().await;
        let detail = match lang {
            Lang::Es => format!("«{name}» está vacío."),
            Lang::En => format!("“{name}” is empty."),
        };
        return Err(Problem::unprocessable("FICHERO_VACIO").lang(lang).detail(detail).into());
    }
    let Some(kind) = paper::recognise(&name, &head) else {
        writer.give_up().await;
        return Err(unknown_kind(&name, lang).into());
    };
    let stored = writer.finish().await?;
    Ok(file(n, name, kind, place, stored))
}

async fn take_text(mut field: Field<'_>, lang: Lang) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|error| unreadable(&error, lang))? {
        if bytes.len() + chunk.len() > LONGEST_TEXT {
            return Err(too_large(lang));
        }
        bytes.extend_from_slice(&chunk);
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        let detail = lang.t("Un campo de texto no es UTF-8.", "A text field is not UTF-8.");
        Problem::bad_request("TEXTO_INVALIDO").lang(lang).detail(detail)
    })?;
    if text.contains('\0') || web::names_nul(text.as_bytes()) {
        return Err(Problem::nul(lang));
    }
    Ok(text)
}

fn metadata(text: Option<&str>, lang: Lang) -> Result<Map<String, Json>, Problem> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(Map::new()) };
    match serde_json::from_str(text) {
        Ok(Json::Object(map)) => Ok(map),
        _ => {
            Err(Problem::bad_request("METADATA_INVALIDA").lang(lang).detail(lang.t(
                "«metadata» tiene que ser un objeto JSON.",
                "“metadata” has to be a JSON object.",
            )))
        }
    }
}

fn priority(text: Option<&str>, lang: Lang) -> Result<i64, Problem> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(5) };
    text.parse().ok().filter(|n| (1..=9).contains(n)).ok_or_else(|| {
        Problem::bad_request("PRIORIDAD_INVALIDA").lang(lang).detail(
            lang.t("«priority» va de 1 (urgente) a 9.", "“priority” goes from 1 (urgent) to 9."),
        )
    })
}

fn bounded(key: &str, text: Option<&str>, most: usize, lang: Lang) -> Result<(), Problem> {
    if text.is_none_or(|text| text.chars().count() <= most) {
        return Ok(());
    }
    Err(Problem::bad_request("DEMASIADO_LARGO").lang(lang).detail(match lang {
        Lang::Es => format!("«{key}» admite hasta {most} caracteres."),
        Lang::En => format!("“{key}” takes up to {most} characters."),
    }))
}

/// The last part of a client's name, to be shown and never to be opened.
fn shown_name(raw: &str) -> String {
    let last = raw.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String =
        last.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect::<String>();
    let clean = clean.trim().trim_matches('.').to_owned();
    if clean.is_empty() { "documento".to_owned() } else { clean }
}

fn unreadable(error: &axum::extract::multipart::MultipartError, lang: Lang) -> Problem {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return too_large(lang);
    }
    not_a_form(lang)
}

/// What came is no form, or not the whole of one.
pub fn not_a_form(lang: Lang) -> Problem {
    Problem::bad_request("FORMULARIO_INCOMPLETO").lang(lang).detail(lang.t(
        "El formulario no llegó entero o no es multipart/form-data.",
        "The form did not arrive whole, or is not multipart/form-data.",
    ))
}

fn too_large(lang: Lang) -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "DEMASIADO_GRANDE")
        .lang(lang)
        .detail(lang.t(
            "La solicitud supera el tamaño permitido.",
            "The request exceeds the permitted size.",
        ))
        .hint("DOCPROC_MAX_UPLOAD_MB")
}

fn too_many(lang: Lang) -> Problem {
    Problem::unprocessable("DEMASIADOS_FICHEROS").lang(lang).detail(match lang {
        Lang::Es => format!("Hasta {MOST_FILES} archivos por solicitud; conviene un ZIP."),
        Lang::En => format!("Up to {MOST_FILES} files per request; use a ZIP."),
    })
}

fn unknown_kind(name: &str, lang: Lang) -> Problem {
    let broken = Broken::UnknownKind { name: name.to_owned() };
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "FORMATO_NO_ADMITIDO")
        .lang(lang)
        .detail(broken.sentence(lang == Lang::Es))
}

/// A request that came now, for whoever sent it to say the rest of.
pub fn received(
    id: &str,
    workflow: &Workflow,
    version: i64,
    policy: &Policy,
    now: Timestamp,
) -> RequestRow {
    // A request's creation time is its own; both databases keep microseconds.
    let created = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
    let (sla, deadline) = route::deadline(workflow, created, policy.default_sla);
    RequestRow {
        id: id.to_owned(),
        trace_id: uuid::Uuid::now_v7().to_string(),
        external_id: None,
        channel: String::new(),
        workflow_id: version,
        workflow_name: workflow.name.clone(),
        status: Status::Received,
        priority: 5,
        sla_seconds: sla.as_secs_f64(),
        deadline,
        page_count: None,
        document_count: None,
        stage_at: -1,
        progress: Progress::Sent,
        run: 1,
        metadata: Json::Null,
        result: None,
        error: None,
        error_code: None,
        duplicate_of: None,
        created_by: String::new(),
        created_at: created,
        updated_at: created,
        completed_at: None,
        breached_at: None,
        next_check: Some(sla::first(created, deadline, workflow.sla)),
        partial_at: None,
        callback_url: None,
        cleared_at: None,
    }
}

/// A file that was stored and belongs to no archive.
pub(super) fn file(n: u32, name: String, kind: Kind, place: String, stored: Stored) -> FileRow {
    FileRow {
        n,
        name,
        kind: kind_word(kind).to_owned(),
        bytes: stored.bytes,
        sha256: stored.sha256,
        place,
        content: stored.content,
        packed_in: None,
        password: None,
        pages: None,
        set_aside: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::shown_name;

    #[test]
    fn names_are_shown_without_their_paths() {
        for (raw, shown) in [
            ("../../a", "a"),
            ("/etc/a", "a"),
            ("sub/a.pdf", "a.pdf"),
            ("C:\\docs\\b.pdf", "b.pdf"),
            ("", "documento"),
            ("..", "documento"),
        ] {
            assert_eq!(shown_name(raw), shown, "{raw:?}");
        }
        assert_eq!(shown_name(&"x".repeat(300)).len(), 255);
    }
}
