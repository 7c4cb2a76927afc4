//! The published settings and what they decide.

use std::time::Duration;

use db::{
    Error, Tx,
    settings::{Kind, Setting, Settings},
};

use host::Section;
use jiff::SignedDuration;

use serde_json::Value as Json;

use crate::rules::{advance::Thresholds, assign::House, callback};

pub const SLA: &str = "DOCPROC_DEFAULT_SLA_SECONDS";
pub const CLASSIFICATION: &str = "DOCPROC_CLASSIFICATION_CONFIDENCE_THRESHOLD";
pub const EXTRACTION: &str = "DOCPROC_EXTRACTION_CONFIDENCE_THRESHOLD";
pub const UPLOAD: &str = "DOCPROC_MAX_UPLOAD_MB";
pub const PAGES: &str = "DOCPROC_MAX_PAGES";
pub const MESSAGE_TTL: &str = "DOCPROC_MESSAGE_TTL_MS";
pub const CALLBACK_PRIVATE: &str = "DOCPROC_CALLBACK_PRIVATE";
pub const HTTP_PRIVATE: &str = "DOCPROC_HTTP_PRIVATE";
pub const TASK_TIMEOUT: &str = "DOCPROC_BACKOFFICE_TASK_TIMEOUT_SECONDS";
pub const UNDO: &str = "DOCPROC_BACKOFFICE_UNDO_SECONDS";
pub const PUBLIC_URL: &str = "DOCPROC_PUBLIC_URL";
pub const HTTP_AUTHORIZATION: &str = "DOCPROC_HTTP_AUTHORIZATION";
pub const HTTP_AUTHORIZATION_FOR: &str = "DOCPROC_HTTP_AUTHORIZATION_FOR";
pub const TASKS_EACH: &str = "DOCPROC_BACKOFFICE_TASKS_PER_OPERATOR";

const fn setting(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    es: &'static str,
    en: &'static str,
) -> Setting {
    Setting::new(crate::NAME, key, kind, default, (es, en))
}

/// What people call the words of the two settings about addresses inside.
const PRIVATE: &[(&str, &str)] =
    &[("según el acceso", "as access is"), ("siempre", "always"), ("nunca", "never")];

pub const SETTINGS: &[Setting] = &[
    setting(
        SLA,
        Kind::Int { min: 1, max: 31_536_000 },
        "60",
        "Plazo en segundos de los flujos que no declaran el suyo.",
        "Deadline in seconds for workflows that declare none.",
    )
    .called("Plazo de una solicitud", "Deadline of a request")
    .counted_in(db::settings::Unit::Seconds),
    setting(
        CLASSIFICATION,
        Kind::Share,
        "0.80",
        "Confianza mínima para aceptar el tipo de una página sin una persona, si el flujo no la fija.",
        "Least confidence to accept a page's type without a person, unless the workflow sets it.",
    )
    .called("Confianza para aceptar un tipo", "Confidence to accept a type"),
    setting(
        EXTRACTION,
        Kind::Share,
        "0.75",
        "Confianza mínima para aceptar un campo extraído sin una persona, si el flujo no la fija.",
        "Least confidence to accept an extracted field without a person, unless the workflow sets it.",
    )
    .called("Confianza para aceptar un campo", "Confidence to accept a field"),
    setting(
        UPLOAD,
        Kind::Int { min: 1, max: 100_000 },
        "1024",
        "Tamaño máximo de una solicitud, en MB, sumados sus archivos.",
        "Largest request, in MB, all its files together.",
    )
    .called("Tamaño máximo de una solicitud", "Largest request")
    .counted_in(db::settings::Unit::Megabytes),
    setting(
        PAGES,
        Kind::Int { min: 1, max: 5000 },
        "1000",
        "Páginas que puede tener una solicitud.",
        "Pages that one request may have.",
    )
    .called("Páginas por solicitud", "Pages per request"),
    setting(
        MESSAGE_TTL,
        Kind::Int { min: 0, max: 31_536_000_000 },
        "0",
        "Milisegundos que un mensaje puede esperar antes de abandonarse; 0: espera su turno siempre.",
        "Milliseconds a message may wait before it is given up; 0: it waits its turn for ever.",
    )
    .called("Espera máxima de un mensaje", "Longest wait of a message")
    .counted_in(db::settings::Unit::Milliseconds),
    setting(
        CALLBACK_PRIVATE,
        Kind::Choice(&["auto", "always", "never"]),
        "\"auto\"",
        "Si las respuestas pueden enviarse a direcciones internas; auto: solo sin contraseñas, en esta máquina.",
        "Whether answers may be sent to addresses inside; auto: only on an open server, on this machine.",
    )
    .called("Respuestas a direcciones internas", "Answers to addresses inside")
    .titled(PRIVATE),
    setting(
        HTTP_PRIVATE,
        Kind::Choice(&["auto", "always", "never"]),
        "\"auto\"",
        "Si las etapas http pueden llamar a direcciones internas; auto: solo sin contraseñas, en esta máquina.",
        "Whether http stages may call addresses inside; auto: only on an open server, on this machine.",
    )
    .called("Etapas http a direcciones internas", "http stages to addresses inside")
    .titled(PRIVATE),
    setting(
        TASK_TIMEOUT,
        Kind::Int { min: 5, max: 86_400 },
        "120",
        "Segundos sin señales de un operador tras los que su tarea se ofrece a otro.",
        "Seconds without a sign of an operator after which the task is offered to somebody else.",
    )
    .called("Tarea sin señales: pasa a otra persona después de", "Task without a sign: offered to others after")
    .counted_in(db::settings::Unit::Seconds),
    setting(
        TASKS_EACH,
        Kind::Int { min: 1, max: 100 },
        "3",
        "Tareas que un operador tiene como mucho por asignación automática.",
        "Tasks an operator has at most by automatic assignment.",
    )
    .called("Tareas por persona", "Tasks per person"),
    setting(
        UNDO,
        Kind::Int { min: 0, max: 60 },
        "6",
        "Segundos en los que una respuesta enviada se puede deshacer; 0: cuenta enseguida.",
        "Seconds in which an answer that was sent can be taken back; 0: it counts at once.",
    )
    .called("Una respuesta enviada se puede deshacer durante", "An answer that was sent can be taken back for")
    .counted_in(db::settings::Unit::Seconds),
    setting(
        PUBLIC_URL,
        Kind::Text { max: 500 },
        "\"\"",
        "Dirección con la que servicios y componentes externos llegan aquí; vacía: la de este proceso.",
        "Address by which outside services and components reach this house; empty: that of the process.",
    )
    .called("Dirección pública", "Public address"),
    setting(
        HTTP_AUTHORIZATION_FOR,
        Kind::Text { max: 500 },
        "\"\"",
        "El servicio que recibe la credencial, por ejemplo https://ocr.example:8443; ningún otro la recibe.",
        "The service that is sent the credential, such as https://ocr.example:8443; no other is.",
    )
    .called("Servicio de la credencial", "Service of the credential"),
    setting(
        HTTP_AUTHORIZATION,
        Kind::Secret { max: 2000 },
        "\"\"",
        "Cabecera Authorization de las etapas http de ese servicio, por ejemplo «Bearer …»; vacía: ninguna.",
        "Authorization header of http stages at that service, such as “Bearer …”; empty: none.",
    )
    .called("Credencial de las etapas http", "Credential of http stages"),
];

/// The page of settings, by subject.
pub const SECTIONS: &[Section] = &[
    Section::new(
        ("Plazos y confianza", "Deadlines and confidence"),
        &[SLA, CLASSIFICATION, EXTRACTION],
    ),
    Section::new(("Personas", "People"), &["DOCPROC_BACKOFFICE_"]),
    Section::new(("Límites", "Limits"), &["DOCPROC_MAX_", MESSAGE_TTL]),
    Section::new(
        ("Direcciones y credenciales", "Addresses and credentials"),
        &[PUBLIC_URL, CALLBACK_PRIVATE, "DOCPROC_HTTP_"],
    ),
];

/// Text of the right length that still says nothing.
pub fn senseless(_: &host::Options, key: &str, value: &Json) -> Option<(String, String)> {
    let text = value.as_str()?.trim();
    let wrong =
        key == HTTP_AUTHORIZATION_FOR && !text.is_empty() && callback::check(text, true).is_err();
    wrong.then(|| {
        let (es, en) = (
            "tiene que ser una dirección http:// o https://",
            "has to be an http:// or https:// address",
        );
        (es.to_owned(), en.to_owned())
    })
}

/// What the settings say now.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub default_sla: Duration,
    pub thresholds: Thresholds,
    pub upload_bytes: u64,
    pub pages: usize,
    pub desk: House,
    /// How long an answer may be taken back.
    pub undo: SignedDuration,
    pub callbacks: Private,
    /// How long a message may wait; absent: for ever.
    pub message_ttl: Option<Duration>,
}

/// Whether what is sent may go to addresses inside the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Private {
    /// Where everybody who reaches the server is on the same machine.
    Auto,
    Always,
    Never,
}

pub fn private(word: &str) -> Private {
    match word {
        "always" => Private::Always,
        "never" => Private::Never,
        _ => Private::Auto,
    }
}

pub async fn load(settings: &Settings, tx: &mut Tx) -> Result<Policy, Error> {
    let values = settings.load(tx, crate::NAME).await?;
    let whole = |key| values.int(key).map(|n| u64::try_from(n).unwrap_or(0));
    Ok(Policy {
        default_sla: Duration::from_secs(whole(SLA)?),
        thresholds: Thresholds {
            classification: values.share(CLASSIFICATION)?,
            extraction: values.share(EXTRACTION)?,
        },
        upload_bytes: whole(UPLOAD)? * 1024 * 1024,
        pages: whole(PAGES)? as usize,
        message_ttl: Some(whole(MESSAGE_TTL)?).filter(|ms| *ms > 0).map(Duration::from_millis),
        callbacks: private(values.text(CALLBACK_PRIVATE)?),
        desk: House {
            task_timeout: SignedDuration::from_secs(values.int(TASK_TIMEOUT)?),
            each: whole(TASKS_EACH)? as usize,
            offering: true,
        },
        undo: SignedDuration::from_secs(values.int(UNDO)?),
    })
}
