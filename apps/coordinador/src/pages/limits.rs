//! The page of limits, catalogue and formulas.

use std::collections::BTreeMap;

use askama::Template;
use db::settings::{Effective, Kind};
use serde_json::Value as Json;
use web::{Lang, Page};

use crate::{
    model::{Dot, Formula, Mode},
    routes::{FitView, LimitsView},
    wire::OidView,
};

/// `/coordinador/limites`: what may run at once, test mode, OIDs and how indexes are read.
#[derive(Template)]
#[template(path = "limits.html")]
pub(crate) struct LimitsPage {
    pub(crate) page: Page,
    pub(crate) limits: LimitsView,
    pub(crate) fit: FitView,
    pub(crate) rehearsal: Rehearsal,
    /// Nothing for those who may not read the configuration.
    pub(crate) settings: Vec<Effective>,
    pub(crate) oids: Vec<OidView>,
    /// The house's own have a number.
    pub(crate) formulas: Vec<(Option<i64>, Formula)>,
    pub(crate) may_edit: bool,
    pub(crate) may_configure: bool,
}

/// Test mode, as its form shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rehearsal {
    pub(crate) on: bool,
    pub(crate) seconds: f64,
    pub(crate) percent: u32,
}

/// A field of a form of limits: name, label, what stands, most.
pub(crate) type Field = (&'static str, &'static str, u32, u32);

pub(crate) fn fields(page: &Page, limits: &LimitsView) -> [Field; 6] {
    let short = page.t("De intervalo corto, por minuto", "Short intervals, per minute");
    let per_minute = page.t("Empiezan por minuto", "Starts per minute");
    let walks = page.t("Descubrimientos a la vez", "Discoveries at once");
    let total = page.t("En total a la vez", "At once in total");
    let per_olt = page.t("A la vez por OLT", "At once per OLT");
    [
        ("max_executions_per_minute", per_minute, limits.max_executions_per_minute, 600),
        ("max_short_per_minute", short, limits.max_short_per_minute, 600),
        ("max_descubrimiento", walks, limits.max_descubrimiento, 500),
        ("max_get", page.t("GET a la vez", "GETs at once"), limits.max_get, 500),
        ("max_total", total, limits.max_total, 500),
        ("max_running_per_olt", per_olt, limits.max_running_per_olt, 20),
    ]
}

impl LimitsPage {
    fn fields(&self) -> [Field; 6] {
        fields(&self.page, &self.limits)
    }

    /// The catalogue by brand, each with whether the house added something to it.
    fn brands(&self) -> Vec<(String, bool, Vec<&OidView>)> {
        let mut brands: BTreeMap<&str, Vec<&OidView>> = BTreeMap::new();
        for one in &self.oids {
            brands.entry(one.marca.as_deref().unwrap_or_default()).or_default().push(one);
        }
        let told = brands.into_iter().map(|(brand, oids)| {
            let any = self.page.t("Cualquier marca", "Any brand");
            let name = if brand.is_empty() { any } else { brand };
            (name.to_owned(), oids.iter().any(|one| one.id > 0), oids)
        });
        told.collect()
    }

    fn shown(&self) -> impl Iterator<Item = &Effective> {
        self.settings.iter().filter(|one| one.spec.kind != Kind::Internal)
    }

    fn label(&self, one: &Effective) -> &'static str {
        self.page.t(one.spec.label.0, one.spec.label.1)
    }

    fn help(&self, one: &Effective) -> &'static str {
        self.page.t(one.spec.help.0, one.spec.help.1)
    }

    fn value(&self, one: &Effective) -> String {
        match one.shown() {
            Json::Bool(true) => self.page.t("Sí", "Yes").to_owned(),
            Json::Bool(false) => self.page.t("No", "No").to_owned(),
            Json::String(text) if text.is_empty() => "–".to_owned(),
            Json::String(text) => text,
            other => other.to_string(),
        }
    }

    /// How an index is made of slot, port and ONU.
    fn told(&self, formula: &Formula) -> String {
        let made = match formula.mode {
            Mode::Linear { base, step_slot, step_port } => {
                format!("{base} + slot·{step_slot} + port·{step_port}")
            }
            Mode::Bitshift { slot_shift, slot_mask, port_shift, port_mask } => format!(
                "slot: bits {slot_shift} & {slot_mask:#x}, port: bits {port_shift} & {port_mask:#x}"
            ),
            Mode::Parts => "slot.port.onu".to_owned(),
        };
        let onu = match (formula.dot, self.page.lang) {
            _ if formula.mode == Mode::Parts => self.page.t("tres números", "three numbers"),
            (Dot::After, Lang::Es) => "la ONU, tras un punto",
            (Dot::After, Lang::En) => "the ONU after a dot",
            (Dot::Inside, Lang::Es) => "la ONU, dentro",
            (Dot::Inside, Lang::En) => "the ONU inside",
        };
        let (slots, ports, onus) = (formula.slots, formula.ports, formula.onus);
        format!("{made}; {onu}; {slots} × {ports} × {onus}")
    }
}
