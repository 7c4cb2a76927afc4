//! The words of the contract as people read them, and their colours.

use engine::Word as _;
use jiff::{SignedDuration, Timestamp};
use web::{Lang, Page, Tone};

use crate::{
    model::{Component, Status},
    rules::{shift::Day, sla::Checkpoint},
};

/// *Estado de la solicitud*.
pub fn status(page: &Page, status: Status) -> &'static str {
    match status {
        Status::Received => page.t("Recibida", "Received"),
        Status::Routing => page.t("Eligiendo flujo", "Routing"),
        Status::Splitting => page.t("Separando páginas", "Splitting"),
        Status::Processing => page.t("Leyendo", "Reading"),
        Status::Extracting => page.t("Extrayendo", "Extracting"),
        Status::Consolidating => page.t("Consolidando", "Consolidating"),
        Status::Completed => page.t("Completada", "Completed"),
        Status::Failed => page.t("Fallida", "Failed"),
        Status::Cancelled => page.t("Cancelada", "Cancelled"),
    }
}

pub const fn status_tone(status: Status) -> Tone {
    match status {
        Status::Received
        | Status::Routing
        | Status::Splitting
        | Status::Processing
        | Status::Extracting
        | Status::Consolidating => Tone::Info,
        Status::Completed => Tone::Good,
        Status::Failed => Tone::Bad,
        Status::Cancelled => Tone::Plain,
    }
}

/// *Estado de la página*; a word from elsewhere stays as it is.
pub fn page_status<'a>(page: &Page, word: &'a str) -> &'a str {
    match word {
        "PENDIENTE_OCR" => page.t("por leer", "to be read"),
        "ocr_complete" => page.t("leída", "read"),
        "classification_review" => page.t("espera a una persona", "waits for a person"),
        "classified" => page.t("clasificada", "classified"),
        "grouped" => page.t("en su documento", "in its document"),
        other => other,
    }
}

pub fn page_tone(word: &str) -> Tone {
    match word {
        "classification_review" => Tone::Warn,
        _ => Tone::Plain,
    }
}

/// *Estado del documento*.
pub fn document_status<'a>(page: &Page, word: &'a str) -> &'a str {
    match word {
        "created" => page.t("por extraer", "to be extracted"),
        "extracted" => page.t("extraído", "extracted"),
        "extraction_review" => page.t("espera a una persona", "waits for a person"),
        "completed" => page.t("listo", "done"),
        other => other,
    }
}

pub fn document_tone(word: &str) -> Tone {
    match word {
        "completed" => Tone::Good,
        "extraction_review" => Tone::Warn,
        _ => Tone::Info,
    }
}

/// The types that ship; a workflow's own types are shown as it writes them.
pub fn doc_type(page: &Page, word: &str) -> String {
    match word {
        "invoice" => page.t("Factura", "Invoice").to_owned(),
        "receipt" => page.t("Recibo", "Receipt").to_owned(),
        "id_card" => page.t("Documento de identidad", "Identity card").to_owned(),
        "payslip" => page.t("Nómina", "Payslip").to_owned(),
        "contract" => page.t("Contrato", "Contract").to_owned(),
        "other" => page.t("Otro", "Other").to_owned(),
        "blank" => page.t("Página en blanco", "Blank page").to_owned(),
        own => spaced(own),
    }
}

/// Fields of the shipped workflows; the others as the workflow writes them.
pub fn field(page: &Page, word: &str) -> String {
    let known = match word {
        "invoice_number" => ("Número de factura", "Invoice number"),
        "total_amount" | "total" => ("Total", "Total"),
        "net_amount" => ("Neto", "Net"),
        "gross_amount" => ("Bruto", "Gross"),
        "tax_amount" => ("Impuestos", "Tax"),
        "vendor_name" => ("Proveedor", "Vendor"),
        "date" => ("Fecha", "Date"),
        "tax_id" => ("Identificación fiscal", "Tax id"),
        "iban" => ("IBAN", "IBAN"),
        "merchant" => ("Comercio", "Merchant"),
        "full_name" => ("Nombre y apellidos", "Full name"),
        "id_number" => ("Número de documento", "Id number"),
        "date_of_birth" => ("Fecha de nacimiento", "Date of birth"),
        "company_name" | "company" => ("Empresa", "Company"),
        "employee_name" | "employee" => ("Trabajador", "Employee"),
        "period" => ("Período", "Period"),
        "start_date" => ("Fecha de inicio", "Start date"),
        "type" => ("Tipo", "Type"),
        "lines" => ("Líneas", "Lines"),
        "description" => ("Descripción", "Description"),
        "quantity" => ("Cantidad", "Quantity"),
        "unit_price" => ("Precio", "Unit price"),
        "tax" => ("Impuesto", "Tax"),
        "amount" => ("Importe", "Amount"),
        own => return spaced(own),
    };
    page.t(known.0, known.1).to_owned()
}

/// *Día*, short.
pub fn day(page: &Page, day: Day) -> &'static str {
    match day {
        Day::Mon => page.t("lu", "Mon"),
        Day::Tue => page.t("ma", "Tue"),
        Day::Wed => page.t("mi", "Wed"),
        Day::Thu => page.t("ju", "Thu"),
        Day::Fri => page.t("vi", "Fri"),
        Day::Sat => page.t("sá", "Sat"),
        Day::Sun => page.t("do", "Sun"),
    }
}

pub(super) fn spaced(word: &str) -> String {
    let text = word.replace('_', " ");
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

pub fn component(page: &Page, word: &str) -> String {
    if let Some((es, en)) = Component::named(word).and_then(Component::title) {
        return page.t(es, en).to_owned();
    }
    match word {
        crate::drivers::runtime::ROUTER => page.t("Enrutado", "Routing").to_owned(),
        "api_gateway" => page.t("Puerta de entrada", "Gateway").to_owned(),
        "backoffice" => page.t("Revisión humana", "Back office").to_owned(),
        "sla_monitor" => page.t("Vigilancia de plazos", "Deadline watch").to_owned(),
        own => spaced(own),
    }
}

/// The flow that takes what no other does; the others by the names they were given.
pub fn workflow<'a>(page: &Page, name: &'a str) -> &'a str {
    match name {
        crate::rules::route::DEFAULT => page.t("general", "general"),
        own => own,
    }
}

/// How documents came.
pub fn channel(page: &Page, word: &str) -> String {
    match word {
        "api" => page.t("por la API", "through the API").to_owned(),
        "web" => page.t("por la página", "through the page").to_owned(),
        "folder" => page.t("por carpeta", "from a folder").to_owned(),
        "email" | "correo" => page.t("por correo", "by e-mail").to_owned(),
        own => own.to_owned(),
    }
}

/// What was checked of a value; a rule from elsewhere is shown as it is written there.
pub fn rule(page: &Page, word: &str) -> String {
    match word {
        "person" => page.t("lo dijo una persona", "said by a person").to_owned(),
        "not_on_paper" => page.t("no está en el documento", "not on the document").to_owned(),
        "second_reader" => page.t("segundo lector", "second reader").to_owned(),
        "regex" => page.t("forma", "form").to_owned(),
        "dni" => page.t("letra del DNI", "DNI letter").to_owned(),
        "nie" => page.t("letra del NIE", "NIE letter").to_owned(),
        "cif" => page.t("control del CIF", "CIF check").to_owned(),
        "nif" => page.t("control del NIF", "NIF check").to_owned(),
        "vat" => page.t("número de IVA", "VAT number").to_owned(),
        "iban" => page.t("control del IBAN", "IBAN check").to_owned(),
        "positive" => page.t("positivo", "positive").to_owned(),
        "not_negative" => page.t("no negativo", "not negative").to_owned(),
        "not_future" => page.t("no es futura", "not in the future").to_owned(),
        "mrz" => page.t("zona de lectura mecánica", "machine-readable zone").to_owned(),
        "lines" => page.t("cantidad × precio = importe", "quantity × price = amount").to_owned(),
        "lines_sum" => page.t("las líneas suman", "the lines add up").to_owned(),
        "net_plus_tax" => page.t("neto más impuestos", "net plus tax").to_owned(),
        own => spaced(own).to_lowercase(),
    }
}

/// *Estado del mensaje*.
pub fn message_state<'a>(page: &Page, word: &'a str) -> &'a str {
    match word {
        "READY" => page.t("en cola", "queued"),
        "CLAIMED" => page.t("en curso", "in hand"),
        "DONE" => page.t("hecho", "done"),
        "DEAD" => page.t("abandonado", "given up"),
        "PARKED" => page.t("apartado", "parked"),
        other => other,
    }
}

pub fn message_tone(word: &str) -> Tone {
    match word {
        "DONE" => Tone::Good,
        "CLAIMED" => Tone::Info,
        "DEAD" => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// `43 s`, `2 min 05 s`, `3 h 20 min`, `4 días`: two units at most.
pub fn lapse(lang: Lang, seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}\u{a0}s"),
        60..3_600 => format!("{}\u{a0}min {:02}\u{a0}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}\u{a0}h {:02}\u{a0}min", seconds / 3_600, seconds % 3_600 / 60),
        86_400..172_800 => lang.t("1\u{a0}día", "1\u{a0}day").to_owned(),
        _ => format!("{}\u{a0}{}", seconds / 86_400, lang.t("días", "days")),
    }
}

/// How an open request stands with its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Haste {
    Calm,
    /// Less than three tenths of its time are left (§7.2).
    AtRisk,
    Late,
}

impl Haste {
    pub fn of(created: Timestamp, deadline: Timestamp, at: Timestamp) -> Self {
        let left = deadline.duration_since(at);
        if left.is_negative() {
            Self::Late
        } else if left.as_secs_f64() < deadline.duration_since(created).as_secs_f64() * 0.3 {
            Self::AtRisk
        } else {
            Self::Calm
        }
    }

    pub const fn tone(self) -> Tone {
        match self {
            Self::Calm => Tone::Plain,
            Self::AtRisk => Tone::Warn,
            Self::Late => Tone::Bad,
        }
    }
}

/// What the deadline means for a person: time left, time late, or how it ended.
#[derive(Clone, Debug)]
pub struct Countdown {
    pub text: String,
    pub tone: Tone,
    /// Whether the page should count on.
    pub running: bool,
}

impl Countdown {
    /// `ended` is when a request that is over ended.
    pub fn new(
        page: &Page,
        status: Status,
        (created, deadline): (Timestamp, Timestamp),
        ended: Timestamp,
    ) -> Self {
        match status {
            // Without an answer there is nothing that came in time.
            Status::Failed | Status::Cancelled => {
                Self { text: "–".to_owned(), tone: Tone::Plain, running: false }
            }
            Status::Completed => Self::told(page, created, deadline, Some(ended)),
            Status::Received
            | Status::Routing
            | Status::Splitting
            | Status::Processing
            | Status::Extracting
            | Status::Consolidating => Self::told(page, created, deadline, None),
        }
    }

    fn told(
        page: &Page,
        created: Timestamp,
        deadline: Timestamp,
        ended: Option<Timestamp>,
    ) -> Self {
        let at = ended.unwrap_or(page.now);
        let haste = Haste::of(created, deadline, at);
        let span = |from: Timestamp, to: Timestamp| {
            let seconds = to.duration_since(from).max(SignedDuration::ZERO).as_secs();
            lapse(page.lang, seconds.unsigned_abs())
        };
        let text = match (ended, haste) {
            (Some(_), Haste::Late) => {
                let late = span(deadline, at);
                match page.lang {
                    Lang::Es => format!("{late} tarde"),
                    Lang::En => format!("{late} late"),
                }
            }
            (Some(_), Haste::Calm | Haste::AtRisk) => page.t("en plazo", "in time").to_owned(),
            (None, Haste::Late) => {
                let late = span(deadline, at);
                match page.lang {
                    Lang::Es => format!("vencida hace {late}"),
                    Lang::En => format!("{late} overdue"),
                }
            }
            (None, Haste::Calm | Haste::AtRisk) => {
                let left = span(at, deadline);
                match page.lang {
                    Lang::Es => format!("quedan {left}"),
                    Lang::En => format!("{left} left"),
                }
            }
        };
        let tone = match (ended, haste) {
            (Some(_), Haste::Calm | Haste::AtRisk) => Tone::Good,
            (_, haste) => haste.tone(),
        };
        Self { text, tone, running: ended.is_none() }
    }
}

/// `208 kB`, `1.9 MB`.
pub fn bytes(page: &Page, bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes}\u{a0}B"),
        1_000..1_000_000 => format!("{}\u{a0}kB", page.number((bytes / 1_000) as i64)),
        _ => format!("{}\u{a0}MB", page.decimal(bytes as f64 / 1_000_000.0, 1)),
    }
}

/// `8 ms`, `1.4 s`.
pub fn millis(page: &Page, ms: f64) -> String {
    if ms > 0.0 && ms < 0.5 {
        "<1\u{a0}ms".to_owned()
    } else if ms < 1_000.0 {
        format!("{}\u{a0}ms", page.number(ms.round() as i64))
    } else {
        format!("{}\u{a0}s", page.decimal(ms / 1_000.0, 1))
    }
}

/// The end of an id: enough for a person to tell two apart; ids of one hour begin alike.
pub fn short(id: &str) -> &str {
    id.len().checked_sub(8).and_then(|at| id.get(at..)).unwrap_or(id)
}

/// What a deadline brought about, for people.
pub fn checkpoint(page: &Page, word: &str) -> &'static str {
    match Checkpoint::from_word(word) {
        Some(Checkpoint::Warn) => page.t("Aviso: se agota el plazo", "Warning: time runs out"),
        Some(Checkpoint::Alert) => {
            page.t("Alerta: queda el 20 % del plazo", "Alert: 20% of the time is left")
        }
        Some(Checkpoint::Escalate) => {
            page.t("Escalada: primera en todas las colas", "Escalated: first in every queue")
        }
        Some(Checkpoint::Breach) => page.t("Plazo incumplido", "Deadline missed"),
        None => "",
    }
}

pub fn answer_kind(page: &Page, word: &str) -> &'static str {
    match word {
        "early" => page.t("Respuesta temprana", "Early answer"),
        "partial" => page.t("Respuesta parcial", "Partial answer"),
        _ => page.t("Respuesta final", "Final answer"),
    }
}

pub fn delivery(page: &Page, word: &str) -> &'static str {
    match word {
        "DONE" => page.t("entregada", "delivered"),
        "PENDING" => page.t("se está entregando", "on its way"),
        "FAILED" => page.t("no se pudo entregar", "could not be delivered"),
        _ => page.t("guardada; nadie pidió aviso", "kept; nobody asked to be told"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use web::Theme;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_deadline_is_calm_then_at_risk_then_late() {
        let (created, deadline) = (at("2026-03-02T10:00:00Z"), at("2026-03-02T10:01:40Z"));
        let seen = |now: &str| Haste::of(created, deadline, at(now));
        assert_eq!(seen("2026-03-02T10:01:10Z"), Haste::Calm);
        assert_eq!(seen("2026-03-02T10:01:11Z"), Haste::AtRisk);
        assert_eq!(seen("2026-03-02T10:01:40Z"), Haste::AtRisk);
        assert_eq!(seen("2026-03-02T10:01:41Z"), Haste::Late);
    }

    #[test]
    fn what_ended_in_time_stays_in_time() {
        let now = at("2026-03-02T12:00:00Z");
        let page = Page::new(Lang::Es, Theme::Light, now, TimeZone::UTC);
        let (created, deadline) = (at("2026-03-02T10:00:00Z"), at("2026-03-02T10:01:00Z"));
        let seen =
            |status, ended: &str| Countdown::new(&page, status, (created, deadline), at(ended));
        let ended = |text: &str| seen(Status::Completed, text).text;
        assert_eq!(ended("2026-03-02T10:00:30Z"), "en plazo");
        assert_eq!(ended("2026-03-02T10:03:05Z"), "2\u{a0}min 05\u{a0}s tarde");
        assert_eq!(seen(Status::Failed, "2026-03-02T10:00:30Z").text, "–");
        let open = seen(Status::Processing, "2026-03-02T10:00:30Z");
        assert_eq!(open.text, "vencida hace 1\u{a0}h 59\u{a0}min");
        assert!(open.running && open.tone == Tone::Bad);
    }

    #[test]
    fn own_words_become_readable() {
        let page = Page::new(Lang::En, Theme::Light, Timestamp::UNIX_EPOCH, TimeZone::UTC);
        assert_eq!(field(&page, "delivery_note"), "Delivery note");
        assert_eq!(doc_type(&page, "albarán"), "Albarán");
        assert_eq!(short("01a1e1f7-78ac-7555-b036-78910a23803b"), "0a23803b");
        assert_eq!(short("ñ"), "ñ");
        assert_eq!(bytes(&page, 1_926_766), "1.9\u{a0}MB");
    }
}
