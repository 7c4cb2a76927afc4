//! The page of pools.

use std::borrow::Borrow;

use askama::Template;
use jiff::Timestamp;
use web::{Page, Tone};

use super::{Names, words::Sign};
use crate::policy::{Isolation, Preemption};

/// `/sam/pools`: who shares with whom. Members move by hand.
#[derive(Template)]
#[template(path = "pools.html")]
pub struct PoolsPage {
    pub page: Page,
    pub names: Names,
    /// Those without a pool come last, if there are any.
    pub pools: Vec<PoolCard>,
    pub isolation: Isolation,
    pub preemption: Preemption,
    pub may_edit: bool,
    pub may_configure: bool,
}

#[derive(Debug, Clone)]
pub struct PoolCard {
    /// None: those without a pool.
    pub id: Option<i64>,
    pub name: String,
    pub description: String,
    pub active: bool,
    pub version: i64,
    pub cooling: Option<Timestamp>,
    pub robots: Vec<Member>,
    pub runners: Vec<Member>,
}

#[derive(Debug, Clone)]
pub struct Member {
    pub id: i64,
    pub name: String,
    pub version: i64,
    pub sign: Sign,
}

impl PoolCard {
    /// The pool as the form takes it.
    fn record(&self) -> String {
        let (name, text) = (&self.name, &self.description);
        serde_json::json!({
            "id": self.id, "nombre": name, "descripcion": text, "activo": self.active,
            "version": self.version,
        })
        .to_string()
    }

    /// The id, or nothing for those without a pool.
    fn key(&self) -> String {
        self.id.map(|id| id.to_string()).unwrap_or_default()
    }

    fn is(&self, id: impl Borrow<i64>) -> bool {
        self.id == Some(*id.borrow())
    }

    /// Its two lists: what they hold, their title, who is in them.
    fn lists(&self, page: &Page) -> [(&'static str, &'static str, &[Member]); 2] {
        [
            ("robots", page.t("Robots", "Robots"), self.robots.as_slice()),
            ("equipos", page.t("Equipos", "Runners"), self.runners.as_slice()),
        ]
    }
}

impl PoolsPage {
    fn is_strict(&self) -> bool {
        self.isolation == Isolation::Strict
    }

    fn preempts(&self) -> bool {
        self.preemption != Preemption::Off
    }
}
