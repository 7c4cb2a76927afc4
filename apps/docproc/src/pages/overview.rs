//! The first page: what is open, where it waits, who works on it.

use std::{borrow::Borrow, collections::BTreeMap};

use askama::Template;
use engine::Word as _;
use host::Resources;
use jiff::Timestamp;
use web::svg::{Bar, Bars, Line as Sparkline, Unit};
use web::{Lang, Page, Tone};

use super::{
    flow::{Flow, Step},
    troubles, words,
};
use crate::{
    drivers::runtime::ROUTER,
    model::Component,
    store::catalogue::Refused,
    store::outbox::Foreign,
    store::workers::WorkerProcess,
    store::{
        figures::{Counts, Course, Waiting},
        measures::{Manual, Pace, Through},
        queue::StageLoad,
    },
};

/// `/docproc`: how document processing is doing, now.
#[derive(Template)]
#[template(path = "overview.html")]
pub struct OverviewPage {
    pub page: Page,
    pub counts: Counts,
    pub waiting: Waiting,
    /// Pages per minute, oldest first.
    pub read: Vec<i64>,
    /// By component, over the same minutes.
    pub courses: BTreeMap<String, Course>,
    pub load: Vec<StageLoad>,
    pub paces: Vec<Pace>,
    pub manual: Vec<Manual>,
    pub through: Through,
    pub used: Resources,
    pub dead: Vec<Dead>,
    /// Letters of others, the latest first.
    pub foreign: Vec<Foreign>,
    pub workers: Vec<WorkerProcess>,
    /// Real time: processes live in it whatever the business clock says.
    pub real_now: Timestamp,
    pub refused: Vec<Refused>,
    /// Whether some workflow calls a service outside.
    pub calls: bool,
    pub may_steer: bool,
    /// How the server is reached from outside, for the example.
    pub address: String,
}

/// Dead letters of one kind.
#[derive(Clone, Debug)]
pub struct Dead {
    pub code: String,
    pub stage: String,
    pub count: i64,
    pub latest: Timestamp,
}

/// What people were asked of the documents of one type: their type, and their fields.
struct Asked {
    title: String,
    stages: [Share; 2],
}

#[derive(Clone, Copy, Default)]
struct Share {
    all: i64,
    by_people: i64,
}

/// A row of the table of stages.
struct Line {
    title: String,
    ready: i64,
    in_hand: i64,
    done: i64,
    /// How many waited and how many were done, over the last minutes.
    waited: Sparkline,
    worked: Sparkline,
    mean: String,
    p95: String,
    p99: String,
}

impl OverviewPage {
    fn components(&self) -> Vec<&'static str> {
        let mut words = vec![ROUTER];
        let all = Component::OURS.into_iter();
        words.extend(all.filter(|one| *one != Component::Http || self.calls).map(Component::word));
        words
    }

    fn load_of(&self, word: &str) -> Option<&StageLoad> {
        self.load.iter().find(|load| load.component == word)
    }

    fn lines(&self) -> Vec<Line> {
        let is_join = |word: &str| Component::from_word(word).is_some_and(Component::is_join);
        let page = &self.page;
        self.components()
            .into_iter()
            .filter(|word| !is_join(word))
            .map(|word| {
                let load = self.load_of(word);
                let measured = self.paces.iter().find(|one| one.component == word);
                let millis = |ms: Option<f64>| {
                    ms.map_or_else(|| "–".to_owned(), |ms| words::millis(page, ms))
                };
                let none = Course::default();
                let course = self.courses.get(word).unwrap_or(&none);
                Line {
                    waited: self.sparkline(page.t("En cola", "Queued"), &course.waiting),
                    worked: self.sparkline(page.t("Por minuto", "Per minute"), &course.done),
                    title: words::component(page, word),
                    ready: load.map_or(0, |load| load.ready),
                    in_hand: load.map_or(0, |load| load.in_hand),
                    done: load.map_or(0, |load| load.done),
                    mean: millis(load.and_then(|load| load.mean_ms)),
                    p95: millis(measured.map(|one| one.p95_ms)),
                    p99: millis(measured.map(|one| one.p99_ms)),
                }
            })
            .collect()
    }

    /// The label says the last and the highest value: the drawing has no axis.
    fn sparkline(&self, label: &str, values: &[i64]) -> Sparkline {
        let page = &self.page;
        let (last, most) = (values.last().copied(), values.iter().max().copied());
        let label = format!(
            "{label}, {} min: {} {}, {} {}",
            values.len(),
            page.t("ahora", "now"),
            page.number(last.unwrap_or(0)),
            page.t("máximo", "most"),
            page.number(most.unwrap_or(0))
        );
        Sparkline::new(label, values.iter().map(|value| *value as f64).collect())
    }

    fn flow(&self) -> Flow {
        let page = &self.page;
        let step = |word: &'static str| {
            let component = Component::from_word(word);
            let join = component.is_some_and(Component::is_join);
            let (ready, in_hand) =
                self.load_of(word).map_or((0, 0), |load| (load.ready, load.in_hand));
            let people = match component {
                Some(Component::Classifier) => Some(self.waiting.classification),
                Some(Component::Extractor) => Some(self.waiting.extraction),
                _ => None,
            };
            Step {
                title: words::component(page, word),
                count: if join { "⋈".to_owned() } else { page.number(ready + in_hand) },
                note: match (join, in_hand) {
                    (true, _) => page.t("espera a todas", "waits for all").to_owned(),
                    (false, 0) => page.t("en cola", "queued").to_owned(),
                    (false, n) => format!("{n} {}", page.t("en curso", "in hand")),
                },
                name: word.to_owned(),
                tone: match (ready, in_hand) {
                    (0, 0) => Tone::Plain,
                    (ready, _) if ready > 200 => Tone::Warn,
                    _ => Tone::Info,
                },
                join,
                people,
            }
        };
        let steps = self.components().into_iter().map(step).collect();
        let label = page.t("Etapas y lo que espera en cada una", "Stages and what waits in each");
        Flow::new(label, page.t("Personas", "People"), steps)
    }

    fn per_minute(&self) -> i64 {
        // The last minute is still running; the one before it is whole.
        self.read.iter().rev().nth(1).copied().unwrap_or_default()
    }

    fn throughput(&self) -> Bars {
        let page = &self.page;
        let last = self.read.len();
        let bars = self.read.iter().enumerate().map(|(at, pages)| Bar {
            label: format!("−{}", last - at),
            value: *pages as f64,
            text: format!("{} {}", page.number(*pages), page.t("páginas", "pages")),
            tone: Tone::Plain,
        });
        let label = page.t("Páginas leídas por minuto", "Pages read per minute");
        Bars::new(label, Unit::Count, bars.collect())
    }

    /// Those whose deadline is decided: completed today, or open although it has passed.
    fn decided(&self) -> i64 {
        self.counts.completed + self.counts.late
    }

    fn in_time(&self) -> String {
        self.share(self.counts.in_time, self.decided())
    }

    fn share(&self, part: impl Borrow<i64>, whole: impl Borrow<i64>) -> String {
        match *whole.borrow() {
            0 => "–".to_owned(),
            whole => self.page.percent(*part.borrow() as f64 / whole as f64),
        }
    }

    fn straight_note(&self) -> String {
        let (straight, known) = (self.through.straight, self.through.known());
        match self.page.lang {
            Lang::Es => format!("{straight} de {known} sin personas, hoy"),
            Lang::En => format!("{straight} of {known} without people, today"),
        }
    }

    fn used_note(&self) -> String {
        let all = self.workers.iter().filter(|one| self.alive(one)).map(|one| one.used);
        let all = all.reduce(Resources::and).unwrap_or(self.used);
        format!("{} {}", self.amount(all), self.page.t("en total", "in all"))
    }

    /// What a process uses, as it last said.
    fn uses(&self, worker: &WorkerProcess) -> String {
        self.amount(worker.used)
    }

    fn amount(&self, used: Resources) -> String {
        let (cpu, memory) = (used.cpu_pct, used.memory_mb());
        match self.page.lang {
            Lang::Es => format!("{cpu:.0} % de un núcleo, {memory:.0} MB"),
            Lang::En => format!("{cpu:.0}% of a core, {memory:.0} MB"),
        }
    }

    /// What went to people: a row for each type, its classification and its extraction.
    fn by_type(&self) -> Vec<Asked> {
        let mut rows: BTreeMap<&str, Asked> = BTreeMap::new();
        for one in &self.manual {
            let title = || Asked { title: self.type_word(one), stages: [Share::default(); 2] };
            let row = rows.entry(&one.doc_type).or_insert_with(title);
            row.stages[usize::from(one.stage != "classification")] =
                Share { all: one.all, by_people: one.by_people };
        }
        let mut rows: Vec<_> = rows.into_values().collect();
        rows.sort_by(|one, other| one.title.cmp(&other.title));
        rows
    }

    fn of(&self, part: impl Borrow<i64>, whole: impl Borrow<i64>) -> String {
        let (part, whole) = (self.page.number(part), self.page.number(whole));
        format!("{part} {} {whole}", self.page.t("de", "of"))
    }

    fn type_word(&self, manual: &Manual) -> String {
        match manual.doc_type.as_str() {
            "" => self.page.t("sin tipo todavía", "no type yet").to_owned(),
            known => words::doc_type(&self.page, known),
        }
    }

    fn in_time_tone(&self) -> Tone {
        let decided = self.decided();
        match decided - self.counts.in_time {
            0 => Tone::Plain,
            late if late * 20 <= decided => Tone::Warn,
            _ => Tone::Bad,
        }
    }

    fn in_time_note(&self) -> String {
        let Counts { in_time, late, .. } = self.counts;
        let today = self.of(in_time, self.decided());
        match (late, self.page.lang) {
            (0, Lang::Es) => format!("{today}, hoy"),
            (0, Lang::En) => format!("{today} today"),
            (_, Lang::Es) => format!("{today}, con {late} sin responder"),
            (_, Lang::En) => format!("{today}, with {late} unanswered"),
        }
    }

    fn people_note(&self) -> String {
        let Waiting { classification, extraction } = self.waiting;
        match self.page.lang {
            Lang::Es => format!("{classification} por tipo, {extraction} por campos"),
            Lang::En => format!("{classification} on types, {extraction} on fields"),
        }
    }

    /// The colour of a number that should be zero.
    #[allow(clippy::unused_self, reason = "templates call methods on self")]
    fn alarm(&self, count: impl Borrow<i64>) -> Tone {
        if *count.borrow() > 0 { Tone::Bad } else { Tone::Plain }
    }

    /// The colour of a number someone should look after.
    #[allow(clippy::unused_self, reason = "templates call methods on self")]
    fn care(&self, count: impl Borrow<i64>) -> Tone {
        if *count.borrow() > 0 { Tone::Warn } else { Tone::Plain }
    }

    fn takes(&self, worker: &WorkerProcess) -> String {
        match &worker.components {
            None => self.page.t("todo", "everything").to_owned(),
            Some(list) if list.is_empty() => words::component(&self.page, &worker.part),
            Some(list) => {
                let titles: Vec<String> =
                    list.iter().map(|word| words::component(&self.page, word)).collect();
                titles.join(", ")
            }
        }
    }

    /// Whether nobody takes messages, whoever else is there.
    fn idle(&self) -> bool {
        self.workers.iter().all(|one| one.components.as_ref().is_some_and(Vec::is_empty))
    }

    fn alive(&self, worker: &WorkerProcess) -> bool {
        self.real_now.duration_since(worker.beat_at) <= db::processes::SILENCE
    }

    fn busy(&self) -> bool {
        self.counts.open > 0
    }
}
