//! The list of requests and what narrows it.

use askama::Template;
use jiff::Timestamp;
use web::{Lang, Page, Tone};

use super::words::{self, Countdown};
use crate::{model::Status, store::requests::RequestRow};

/// `/docproc/solicitudes`: requests, newest first, narrowed by what the address says.
#[derive(Template)]
#[template(path = "requests.html")]
pub struct RequestsPage {
    pub page: Page,
    pub wanted: Narrowed,
    pub workflows: Vec<String>,
    pub lines: Vec<Line>,
    /// The address of the next, older page.
    pub next: Option<String>,
    /// Older pages do not change: only the newest one is live.
    pub newest: bool,
    /// Whether there is any request at all.
    pub ever: bool,
    pub may: May,
}

/// What whoever looks may do with requests.
#[derive(Clone, Copy, Debug)]
pub struct May {
    pub steer: bool,
    pub review: bool,
}

/// The filter as the address has it; empty means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowed {
    pub status: String,
    pub workflow: String,
    pub text: String,
    /// First and last day, `2026-11-16`.
    pub from: String,
    pub to: String,
}

/// A request in the list.
pub struct Line {
    id: String,
    name: String,
    external_id: String,
    status: Status,
    breached: bool,
    error: String,
    workflow: String,
    pages: Option<u32>,
    documents: Option<u32>,
    created_at: Timestamp,
    deadline: Timestamp,
    countdown: Countdown,
    /// Whether a person is asked about it.
    waits: bool,
}

impl Line {
    pub fn new(page: &Page, row: &RequestRow, file: Option<String>) -> Self {
        let ended = row.completed_at.unwrap_or(row.updated_at);
        let times = (row.created_at, row.deadline);
        Self {
            id: row.id.clone(),
            name: file.unwrap_or_else(|| words::short(&row.id).to_owned()),
            external_id: row.external_id.clone().unwrap_or_default(),
            status: row.status,
            breached: row.breached_at.is_some(),
            error: row.error.as_deref().map(|one| page.lang.told(one)).unwrap_or_default(),
            workflow: row.workflow_name.clone(),
            pages: row.page_count,
            documents: row.document_count,
            created_at: row.created_at,
            deadline: row.deadline,
            countdown: Countdown::new(page, row.status, times, ended),
            waits: false,
        }
    }

    #[must_use]
    pub fn waiting(self, waits: bool) -> Self {
        Self { waits, ..self }
    }
}

impl Line {
    /// What can be done with it beside the others: `retry`, `cancel`.
    fn can(&self) -> &'static str {
        match self.status {
            Status::Failed => "retry",
            Status::Completed | Status::Cancelled => "",
            _ => "cancel",
        }
    }
}

impl Narrowed {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same filter, further on.
    pub fn address(&self, cursor: &str) -> String {
        let parts = [
            ("status", &self.status),
            ("workflow", &self.workflow),
            ("q", &self.text),
            ("desde", &self.from),
            ("hasta", &self.to),
        ];
        let mut address = "/docproc/solicitudes?".to_owned();
        for (name, value) in parts {
            if let (false, Ok(value)) = (value.is_empty(), askama::filters::urlencode_strict(value))
            {
                address.extend([name, "=", &value.to_string(), "&"]);
            }
        }
        address + "cursor=" + cursor
    }
}

impl RequestsPage {
    /// Every choice of the status filter.
    fn statuses(&self) -> Vec<(&'static str, &'static str)> {
        use engine::Word as _;
        let page = &self.page;
        let mut all = vec![
            ("open", page.t("Abiertas", "Open")),
            ("review", page.t("Esperan a una persona", "Waiting for a person")),
            ("sla_breached", page.t("Fuera de plazo", "Deadline missed")),
        ];
        let each = Status::ALL.iter().map(|one| (one.word(), words::status(page, *one)));
        all.extend(each);
        all
    }

    fn count(&self, count: Option<&u32>) -> String {
        count.map_or_else(|| "–".to_owned(), |n| self.page.number(i64::from(*n)))
    }

    fn nothing(&self) -> &'static str {
        match self.page.lang {
            Lang::Es => "Ninguna solicitud coincide con el filtro.",
            Lang::En => "No request matches the filter.",
        }
    }
}
