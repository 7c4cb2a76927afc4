//! The page of what is at work now.

use std::cmp::Reverse;

use askama::Template;
use jiff::{SignedDuration, Timestamp};
use web::{
    Page, Tone,
    svg::{Bars, Meter},
};

use super::words::{self, Sign, Used};
use crate::{
    model::{Backoff, Olt},
    routes::FitView,
};

/// `/coordinador`: what started against what may, who is near the quota, which OLTs do not answer.
#[derive(Template)]
#[template(path = "overview.html")]
pub(crate) struct OverviewPage {
    pub(crate) page: Page,
    /// Nothing was ever entered.
    pub(crate) first: bool,
    /// How long and how well rehearsed runs go, in test mode.
    pub(crate) rehearsal: Option<(SignedDuration, u32)>,
    pub(crate) counts: Counts,
    pub(crate) starts: Bars,
    pub(crate) running: Vec<Meter>,
    pub(crate) fit: FitView,
    /// Minutes to come with more nodes than the cap.
    pub(crate) collisions: Vec<(String, usize)>,
    pub(crate) overflow: usize,
    /// Number and name of the nodes that used the most of their quota.
    pub(crate) full: Vec<(i64, String, Used)>,
    /// The slowest, with how long they take.
    pub(crate) slow: Vec<(Olt, String)>,
    pub(crate) dead: Vec<(Backoff, Olt)>,
    pub(crate) events: Vec<EventLine>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Started in the last hour.
    pub(crate) started: i64,
    pub(crate) nodes: i64,
    pub(crate) warned: i64,
    pub(crate) full: i64,
    /// Whether one of those at 80 and at 100 % goes faster than its pace.
    pub(crate) pressed: [bool; 2],
    pub(crate) pending: i64,
    pub(crate) running: i64,
    /// Of the last hour: half began no later than the first, 99 of 100 than the second.
    pub(crate) late: Option<(SignedDuration, SignedDuration)>,
}

/// A line of the journal.
#[derive(Debug, Clone)]
pub(crate) struct EventLine {
    pub(crate) id: i64,
    pub(crate) at: Timestamp,
    pub(crate) sign: Sign,
    /// What it is about: address and name.
    pub(crate) about: Option<(String, String)>,
    pub(crate) note: String,
}

impl OverviewPage {
    fn late(&self) -> (String, String) {
        match self.counts.late {
            None => ("–".to_owned(), self.page.t("sin datos", "no figures").to_owned()),
            Some((half, most)) => {
                (words::span(&self.page, half), format!("p99 {}", words::span(&self.page, most)))
            }
        }
    }

    /// A whole quota at the normal pace is no trouble.
    fn quota_tone(&self, full: bool) -> (Tone, &'static str) {
        let pressed = self.counts.pressed[usize::from(full)];
        let tone = match (pressed, full) {
            (false, _) => Tone::Plain,
            (true, false) => Tone::Warn,
            (true, true) => Tone::Bad,
        };
        let es = if pressed { "nodos, alguno sobre su ritmo" } else { "nodos, a su ritmo" };
        let en = if pressed { "nodes, some above their pace" } else { "nodes, at their pace" };
        (tone, self.page.t(es, en))
    }

    fn worst(&self) -> (String, String, Tone) {
        match self.collisions.iter().min_by_key(|(_, count)| Reverse(*count)) {
            None => {
                let none = self.page.t("próximos 60 min", "next 60 min");
                ("0".to_owned(), none.to_owned(), Tone::Plain)
            }
            Some((clock, count)) => {
                let nodes = self.page.t("nodos", "nodes");
                (self.collisions.len().to_string(), format!("{clock}: {count} {nodes}"), Tone::Bad)
            }
        }
    }

    fn rehearsed(&self) -> Option<String> {
        let (lasts, percent) = self.rehearsal?;
        let lasts = words::span(&self.page, lasts);
        Some(match self.page.lang {
            web::Lang::Es => format!(
                "Modo prueba: no sale ningún paquete SNMP; cada ejecución dura {lasts} y \
                 {percent}\u{a0}% termina bien."
            ),
            web::Lang::En => format!(
                "Test mode: no SNMP packet leaves; every run lasts {lasts} and \
                 {percent}\u{a0}% end well."
            ),
        })
    }
}
