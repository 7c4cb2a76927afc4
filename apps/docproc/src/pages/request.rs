//! One request: its stages, pages, documents and why it waits.

use std::{borrow::Borrow, sync::Arc};

use askama::Template;
use jiff::Timestamp;
use web::{Lang, Page, Tone};

use super::{
    flow::{Flow, Step},
    sheet::{Paper, Sheet},
    words::{self, Countdown},
};
use crate::{
    model::{Component, Status, Unit},
    rules::{
        why::Reason,
        workflow::{Stage, Workflow},
    },
    store::answers::Logged,
    wire::{PageView, RequestDetail, TimelineView},
};

/// `/docproc/solicitudes/{id}`: everything about one request, with the evidence beside it.
#[derive(Template)]
#[template(path = "request.html")]
pub struct RequestPage {
    pub page: Page,
    pub detail: RequestDetail,
    pub status: Status,
    pub workflow: Arc<Workflow>,
    /// Fields below it are doubtful.
    pub threshold: f64,
    pub reasons: Vec<Reason>,
    /// The page in the viewer.
    pub selected: u32,
    pub may_steer: bool,
    pub may_review: bool,
    /// Whether a person is asked about it.
    pub waits: bool,
    /// What the deadline brought about: which, when it was due, when it was seen.
    pub checkpoints: Vec<(String, Timestamp, Timestamp)>,
    pub answers: Vec<Logged>,
}

/// There is no such request.
#[derive(Template)]
#[template(path = "no_request.html")]
pub struct NoRequestPage {
    pub page: Page,
    pub id: String,
}

/// Rows of the timeline shown; the API has all.
const MOMENTS: usize = 400;
/// Documents shown; the API has all.
const PAPERS: usize = 200;

/// A message on the timeline.
struct Moment {
    stage: String,
    item: String,
    state: String,
    attempt: i64,
    worker: String,
    error: String,
    waited: String,
    took: String,
    /// Of a hundred: where waiting began, where work began, where it ended.
    bar: [f64; 3],
}

/// What is done of a stage.
struct Reached {
    passed: usize,
    total: Option<usize>,
    people: usize,
}

impl RequestPage {
    fn open(&self) -> bool {
        !self.status.is_final()
    }

    fn failed(&self) -> bool {
        self.status == Status::Failed
    }

    fn status_text(&self) -> &'static str {
        words::status(&self.page, self.status)
    }

    fn status_tone(&self) -> Tone {
        words::status_tone(self.status)
    }

    fn end(&self) -> Timestamp {
        self.detail.request.completed_at.filter(|_| !self.open()).unwrap_or(self.page.now)
    }

    fn countdown(&self) -> Countdown {
        let request = &self.detail.request;
        let times = (request.created_at, request.deadline_utc);
        Countdown::new(&self.page, self.status, times, self.end())
    }

    fn took(&self) -> String {
        let request = &self.detail.request;
        let took = self.end().duration_since(request.created_at);
        if took.as_secs() < 60 {
            return words::millis(&self.page, took.as_millis_f64());
        }
        words::lapse(self.page.lang, took.as_secs().unsigned_abs())
    }

    fn name(&self) -> &str {
        self.detail.files.first().map_or(self.detail.request.id.as_str(), |file| &file.name)
    }

    fn metadata(&self) -> Vec<(String, String)> {
        let written = |value: &serde_json::Value| {
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        };
        let pairs = self.detail.metadata.as_object();
        pairs
            .map(|map| map.iter().map(|(key, value)| (key.clone(), written(value))).collect())
            .unwrap_or_default()
    }

    fn flow(&self) -> Flow {
        let page = &self.page;
        let steps = self.workflow.stages.iter().enumerate();
        let steps = steps.map(|(at, stage)| self.step(at, stage)).collect();
        let label = page.t("Etapas de esta solicitud", "Stages of this request");
        Flow::new(label, page.t("Personas", "People"), steps)
    }

    fn step(&self, at: usize, stage: &Stage) -> Step {
        let page = &self.page;
        let reached = self.reached(at, stage);
        let count_of = |state: &str| {
            let here = |one: &&TimelineView| one.stage == stage.name && one.state == state;
            self.detail.timeline.iter().filter(here).count()
        };
        let (dead, in_hand, ready) = (count_of("DEAD"), count_of("CLAIMED"), count_of("READY"));
        let all = reached.total.is_some_and(|total| total > 0 && reached.passed >= total);
        let counted = |n: usize, es, en| format!("{n} {}", page.t(es, en));
        let failed = dead > 0 && self.failed();
        Step {
            title: words::component(page, stage.component_name()),
            count: match (stage.unit, reached.total) {
                (Unit::Request, _) => if all { "✓" } else { "–" }.to_owned(),
                (_, None) => "–".to_owned(),
                (_, Some(total)) => format!("{}/{total}", reached.passed),
            },
            note: if failed {
                counted(dead, if dead == 1 { "abandonado" } else { "abandonados" }, "given up")
            } else if in_hand > 0 {
                counted(in_hand, "en curso", "in hand")
            } else if ready > 0 {
                counted(ready, "en cola", "queued")
            } else {
                unit(page, stage.unit).to_owned()
            },
            name: words::component(page, stage.component_name()),
            tone: if failed {
                Tone::Bad
            } else if all {
                Tone::Good
            } else if in_hand + ready > 0 || reached.passed > 0 {
                Tone::Info
            } else {
                Tone::Plain
            },
            join: stage.component.is_join(),
            people: stage.backoffice_queue.as_ref().map(|_| reached.people as i64),
        }
    }

    fn reached(&self, at: usize, stage: &Stage) -> Reached {
        let detail = &self.detail;
        let finished = |one: &&TimelineView| one.stage == stage.name && one.state == "DONE";
        match stage.unit {
            Unit::Request => {
                let done = match stage.component {
                    Component::Splitter => detail.request.page_count.is_some(),
                    Component::Consolidator => self.status == Status::Completed,
                    Component::Http
                    | Component::Outside
                    | Component::Ocr
                    | Component::Classifier
                    | Component::ClassificationAggregator
                    | Component::Extractor
                    | Component::ExtractionAggregator => {
                        self.status == Status::Completed
                            || detail.timeline.iter().any(|one| finished(&one))
                    }
                };
                Reached { passed: usize::from(done), total: Some(1), people: 0 }
            }
            Unit::Page => {
                let least = if stage.component.is_join() { at } else { at + 1 };
                let place = |name: &Option<String>| {
                    name.as_deref().and_then(|name| self.workflow.position(name))
                };
                let there = |stage: &Option<String>| place(stage).is_some_and(|at| at >= least);
                let asks = |status: &str| status == "classification_review";
                Reached {
                    passed: detail.pages.iter().filter(|page| there(&page.stage)).count(),
                    total: detail.request.page_count.map(|count| count as usize),
                    people: detail
                        .pages
                        .iter()
                        .filter(|page| place(&page.stage) == Some(at) && asks(page.status))
                        .count(),
                }
            }
            Unit::Document => {
                let past = |status: &str| match status {
                    "completed" => true,
                    "extracted" => !stage.component.is_join(),
                    _ => false,
                };
                let count = |fits: &dyn Fn(&str) -> bool| {
                    detail.documents.iter().filter(|one| fits(one.status)).count()
                };
                Reached {
                    passed: count(&past),
                    total: (!detail.documents.is_empty()).then_some(detail.documents.len()),
                    people: count(&|status| status == "extraction_review"),
                }
            }
        }
    }

    fn papers(&self) -> Vec<Paper> {
        let documents = self.detail.documents.iter().take(PAPERS).enumerate();
        documents
            .map(|(n, one)| {
                let schema = self.workflow.schemas.get(&one.doc_type);
                Paper::new(&self.page, n, one, self.threshold, self.selected, schema)
            })
            .collect()
    }

    fn sheet(&self) -> Option<Sheet> {
        let view = self.detail.pages.iter().find(|view| view.page_index == self.selected)?;
        Some(Sheet::new(&self.page, view, &self.detail.documents, self.threshold))
    }

    fn page_address(&self, n: impl Borrow<u32>) -> String {
        format!("/docproc/solicitudes/{}?pagina={}", self.detail.request.id, n.borrow() + 1)
    }

    fn is_selected(&self, n: impl Borrow<u32>) -> bool {
        *n.borrow() == self.selected
    }

    fn before(&self) -> Option<u32> {
        self.selected.checked_sub(1)
    }

    fn after(&self) -> Option<u32> {
        let next = self.selected + 1;
        ((next as usize) < self.detail.pages.len()).then_some(next)
    }

    /// Stages a person may begin again with: joins follow from what comes to them.
    fn restarts(&self) -> Vec<(String, String)> {
        self.workflow
            .stages
            .iter()
            .filter(|stage| !stage.component.is_join())
            .map(|stage| (stage.name.clone(), words::component(&self.page, stage.component_name())))
            .collect()
    }

    fn result(&self) -> Option<String> {
        self.detail.result.as_ref().and_then(|result| serde_json::to_string_pretty(result).ok())
    }

    fn moments(&self) -> Vec<Moment> {
        let request = &self.detail.request;
        let begin = request.created_at;
        let timeline = &self.detail.timeline;
        let last = timeline.iter().filter_map(|one| one.finished_at).max();
        let end = if self.open() { self.page.now } else { last.unwrap_or(self.page.now) };
        let whole = end.duration_since(begin).as_secs_f64().max(0.001);
        // What took no time at the very end is still seen.
        let place = |at: Timestamp| {
            (at.duration_since(begin).as_secs_f64() / whole * 99.0).clamp(0.0, 99.0)
        };
        let between = |from: Timestamp, to: Option<Timestamp>| {
            to.map_or_else(String::new, |to| {
                words::millis(&self.page, to.duration_since(from).as_millis_f64().max(0.0))
            })
        };
        timeline
            .iter()
            .take(MOMENTS)
            .map(|one| {
                let started = one.started_at.unwrap_or(end);
                Moment {
                    stage: words::component(&self.page, &one.component),
                    item: self.item(one),
                    state: one.state.clone(),
                    attempt: one.attempt,
                    worker: one.worker.clone().unwrap_or_default(),
                    error: one
                        .error
                        .as_deref()
                        .map(|one| self.page.lang.told(one))
                        .unwrap_or_default(),
                    waited: between(one.queued_at, one.started_at),
                    took: between(started, one.finished_at),
                    bar: [
                        place(one.queued_at),
                        place(started),
                        place(one.finished_at.unwrap_or(end)),
                    ],
                }
            })
            .collect()
    }

    fn item(&self, one: &TimelineView) -> String {
        let page = &self.page;
        if let Some(n) = one.page_index {
            return format!("{} {}", page.t("página", "page"), n + 1);
        }
        let Some(id) = &one.document_id else {
            return page.t("solicitud", "request").to_owned();
        };
        let found = self.detail.documents.iter().position(|document| document.document_id == *id);
        match found {
            Some(n) => format!("{} {}", page.t("documento", "document"), n + 1),
            None => page.t("documento anterior", "earlier document").to_owned(),
        }
    }

    /// What a page is: by itself, or because its document is.
    fn kind_of(&self, view: &PageView) -> Option<String> {
        let document = self
            .detail
            .documents
            .iter()
            .find(|document| document.page_indices.contains(&view.page_index))
            .map(|document| document.doc_type.as_str());
        let word = document.or(view.doc_type.as_deref())?;
        Some(words::doc_type(&self.page, word))
    }

    fn rows(&self, count: usize) -> String {
        match (self.page.lang, count) {
            (Lang::Es, 1) => "1 fila".to_owned(),
            (Lang::En, 1) => "1 row".to_owned(),
            (Lang::Es, _) => format!("{count} filas"),
            (Lang::En, _) => format!("{count} rows"),
        }
    }

    fn others(&self, count: usize) -> String {
        match (self.page.lang, count) {
            (Lang::Es, 1) => "1 alternativa".to_owned(),
            (Lang::En, 1) => "1 alternative".to_owned(),
            (Lang::Es, _) => format!("{count} alternativas"),
            (Lang::En, _) => format!("{count} alternatives"),
        }
    }

    fn to_check(&self, fields: usize) -> String {
        match self.page.lang {
            Lang::Es => format!("{fields} por revisar"),
            Lang::En => format!("{fields} to check"),
        }
    }

    fn more_moments(&self) -> usize {
        self.detail.timeline.len().saturating_sub(MOMENTS)
    }
}

fn unit(page: &Page, unit: Unit) -> &'static str {
    match unit {
        Unit::Request => "",
        Unit::Page => page.t("páginas", "pages"),
        Unit::Document => page.t("documentos", "documents"),
    }
}
