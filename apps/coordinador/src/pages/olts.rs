//! The pages of OLTs.

use askama::Template;
use web::{Lang, Page, Period, Tone, period::PeriodTab, svg::Trend};

use super::{
    Names, Narrowed,
    nodes::NodeLine,
    overview::EventLine,
    runs::RunLine,
    words::{self, Sign},
};
use crate::{
    drivers::credential,
    rules::unit,
    wire::{LastView, OidView, OltView, OnuView},
};

/// What the inventory keeps where nothing was ever told (`rules::inventory`).
const NO_PLAN: &str = "No Plan";
const NO_DISTANCE: &str = "No Distancia";

/// `/coordinador/olts`: every OLT, narrowed by what the address says.
#[derive(Template)]
#[template(path = "olts.html")]
pub(crate) struct OltsPage {
    pub(crate) page: Page,
    pub(crate) wanted: Narrowed,
    pub(crate) lines: Vec<OltView>,
    /// The address of the next page.
    pub(crate) next: Option<String>,
    /// Whether there is any at all.
    pub(crate) ever: bool,
    pub(crate) may_edit: bool,
    pub(crate) may_operate: bool,
}

/// Whether an OLT is one of those that are looked for.
pub(crate) fn fits(wanted: &Narrowed, olt: &OltView) -> bool {
    let text = format!("{} {} {}", olt.abreviatura, olt.marca, olt.ip_address).to_lowercase();
    let health = wanted.of("salud");
    wanted.flag("habilitada").is_none_or(|on| on == olt.habilitar_olt)
        && (health.is_empty() || health == olt.salud)
        && wanted.of("q").to_lowercase().split_whitespace().all(|word| text.contains(word))
}

pub(crate) fn health(page: &Page, olt: &OltView) -> Sign {
    match (olt.habilitar_olt && olt.workflow_activo, olt.salud) {
        (false, _) => Sign::new(page.t("Deshabilitada", "Disabled"), Tone::Plain),
        (true, "NO_RESPONDE") => Sign::new(page.t("No responde", "No answer"), Tone::Bad),
        (true, "RESPONDE") => Sign::new(page.t("Responde", "Answers"), Tone::Good),
        (true, _) => Sign::new(page.t("Sin datos", "Nothing known"), Tone::Plain),
    }
}

/// Since when it is silent and when it is tried again.
pub(crate) fn silence(page: &Page, olt: &OltView) -> String {
    let (Some(since), Some(next)) = (olt.sin_respuesta_desde, olt.proximo_intento) else {
        return String::new();
    };
    let (since, next) = (words::instant(page, since), words::instant(page, next));
    match page.lang {
        Lang::Es => format!("desde {since}, próximo intento {next}"),
        Lang::En => format!("since {since}, next try {next}"),
    }
}

pub(crate) fn response(page: &Page, olt: &OltView) -> String {
    let told = olt.respuesta_ms.map(|ms| format!("{}\u{a0}ms", page.decimal(ms, 1)));
    told.unwrap_or_else(|| "–".to_owned())
}

/// The words of version 3, for the form.
pub(crate) fn protocols() -> (Vec<&'static str>, Vec<&'static str>) {
    (credential::auth_words(), credential::privacy_words())
}

impl OltsPage {
    fn healths(&self) -> [(&'static str, &'static str); 3] {
        let page = &self.page;
        [
            ("RESPONDE", page.t("Responden", "Answer")),
            ("NO_RESPONDE", page.t("No responden", "Do not answer")),
            ("SIN_DATOS", page.t("Sin datos", "Nothing known")),
        ]
    }
}

/// `/coordinador/olts/{id}`: its health, its ONUs, its nodes, what ran.
#[derive(Template)]
#[template(path = "olt.html")]
pub(crate) struct OltPage {
    pub(crate) page: Page,
    pub(crate) names: Names,
    pub(crate) olt: OltView,
    /// ONUs that are there and that are gone.
    pub(crate) present: i64,
    pub(crate) gone: i64,
    /// What the charts cover: presence, then what each node measured.
    pub(crate) period: Period,
    pub(crate) history: Vec<(String, Trend)>,
    /// The filter of the ONUs.
    pub(crate) wanted: Narrowed,
    pub(crate) onus: Vec<OnuView>,
    pub(crate) next: Option<String>,
    pub(crate) nodes: Vec<NodeLine>,
    pub(crate) runs: Vec<RunLine>,
    pub(crate) events: Vec<EventLine>,
    pub(crate) oids: Vec<OidView>,
    pub(crate) may_edit: bool,
    pub(crate) may_operate: bool,
}

impl OltPage {
    fn presence(&self, onu: &OnuView) -> Sign {
        let page = &self.page;
        match (onu.active, onu.consecutive_misses) {
            (true, 0) => Sign::new(page.t("Presente", "Present"), Tone::Good),
            (true, _) => Sign::new(page.t("Ausente una vez", "Missed once"), Tone::Warn),
            (false, _) => Sign::new(page.t("Se fue", "Gone"), Tone::Plain),
        }
    }

    /// Whether anybody on the page has one; a column of nothing is not drawn.
    fn any_mac(&self) -> bool {
        self.onus.iter().any(|onu| onu.mac_address.is_some())
    }

    fn any_distance(&self) -> bool {
        self.onus.iter().any(|onu| onu.distancia_onu.is_some())
    }

    fn any_plan(&self) -> bool {
        self.onus.iter().any(|onu| onu.plan_onu.as_deref().is_some_and(|plan| plan != NO_PLAN))
    }

    /// The inventory's words for none are no plan to read.
    fn plan<'a>(&self, kept: &'a str) -> &'a str {
        if kept == NO_PLAN { self.page.t("sin plan", "no plan") } else { kept }
    }

    /// `1,250 km`.
    fn distance(&self, kept: &str) -> String {
        match kept.parse::<f64>() {
            Ok(kilometres) => format!("{}\u{a0}km", self.page.decimal(kilometres, 3)),
            Err(_) if kept == NO_DISTANCE => self.page.t("sin dato", "not known").to_owned(),
            Err(_) => kept.to_owned(),
        }
    }

    /// `Huawei hwGponOntOpticalDdmRxPower: -21,45 dBm, 10:15:00`.
    fn reading(&self, one: &LastView) -> String {
        let name = one.nombre.as_deref().unwrap_or(&one.oid);
        let value = one.valor.as_deref();
        let scale = one.unidad.and_then(unit::scale);
        let told = match scale.zip(value.and_then(|value| value.parse().ok())) {
            Some((scale, wire)) => {
                let number = self.page.decimal(scale.measured(wire), scale.decimals);
                format!("{number} {}", scale.unit)
            }
            None => value.unwrap_or("–").to_owned(),
        };
        format!("{name}: {told}, {}", words::instant(&self.page, one.leido_at))
    }

    fn periods(&self) -> Vec<PeriodTab> {
        self.period.tabs(&[Period::Day, Period::Week, Period::Month], self.page.lang)
    }

    fn repetitions(&self) -> String {
        self.olt.max_repetitions.map_or_else(|| "–".to_owned(), |n| n.to_string())
    }

    fn disabling(&self) -> &'static str {
        self.page.t(
            "Lo que corre en ella se detiene en menos de un segundo; su inventario queda como está.",
            "What runs on it stops within a second; its inventory stays as it is.",
        )
    }
}
