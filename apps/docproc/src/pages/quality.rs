//! The page that shows how often the machine is right.

use askama::Template;
use jiff::Timestamp;
use web::svg::{Curve, Curves};
use web::{Lang, Page, Tone};

use super::words;
#[cfg(test)]
use crate::store::layouts::{LayoutRow, Shelf};
use crate::{
    rules::{
        quality::{FieldLine, Quality, TypeLine},
        thresholds::{self, Confidences, Point},
    },
    store::{layouts::Remembered, second::Seconded},
};

/// `/docproc/calidad`: how good the machine is, and what other thresholds would do.
#[derive(Template)]
#[template(path = "quality.html")]
pub struct QualityPage {
    pub page: Page,
    pub workflows: Vec<String>,
    pub quality: Quality,
    pub days: u32,
    /// Empty: all of them.
    pub workflow: String,
    pub classification: f64,
    pub extraction: f64,
    pub sets: Vec<Set>,
    pub vendors: Vec<Remembered>,
    /// Whether whoever looks may have a vendor forgotten.
    pub may_forget: bool,
    pub second: Seconded,
}

/// The golden set of a workflow.
#[derive(Clone, Debug)]
pub struct Set {
    pub workflow: String,
    pub cases: i64,
    /// Those that differed when they were last run.
    pub off: i64,
    /// Whether a new version has to be promoted.
    pub required: bool,
    /// The version that waits for that.
    pub waiting: Option<(i64, Timestamp)>,
}

/// One side of the simulator, ready to be shown.
struct Side<'a> {
    id: &'static str,
    title: &'static str,
    about: &'static str,
    confidences: &'a Confidences,
    threshold: f64,
}

impl QualityPage {
    /// How long the second reader takes.
    fn took(&self) -> String {
        words::millis(&self.page, self.second.mean_ms as f64)
    }

    fn is_empty(&self) -> bool {
        self.quality.types.is_empty()
            && self.quality.pages.all.is_empty()
            && self.quality.pages.known.is_empty()
            && self.quality.documents.known.is_empty()
    }

    fn sides(&self) -> [Side<'_>; 2] {
        [
            Side {
                id: "classification",
                title: self.page.t("Tipo de las páginas", "Types of pages"),
                about: self.page.t(
                    "Cuántas páginas irían a personas, y cuántos de los tipos aceptados serían falsos.",
                    "How many pages would go to people, and how many of the accepted types would be wrong.",
                ),
                confidences: &self.quality.pages,
                threshold: self.classification,
            },
            Side {
                id: "extraction",
                title: self.page.t("Campos de los documentos", "Fields of documents"),
                about: self.page.t(
                    "Cuántos documentos irían a personas, y cuántos de los campos aceptados serían falsos.",
                    "How many documents would go to people, and how many of the accepted fields would be wrong.",
                ),
                confidences: &self.quality.documents,
                threshold: self.extraction,
            },
        ]
    }

    fn points(side: &Side<'_>) -> Vec<(Point, bool)> {
        let mut points = thresholds::curve(side.confidences);
        let same = |one: &Point| (one.threshold - side.threshold).abs() < 1e-9;
        if !points.iter().any(same) {
            points.push(thresholds::at(side.confidences, side.threshold));
            points.sort_by(|a, b| a.threshold.total_cmp(&b.threshold));
        }
        points.into_iter().map(|one| (one, same(&one))).collect()
    }

    fn at(side: &Side<'_>) -> Point {
        thresholds::at(side.confidences, side.threshold)
    }

    fn asked(&self, side: &Side<'_>) -> Curves {
        let name = self.page.t("Irían a personas", "Would go to people");
        self.curve(side, name, Tone::Info, 1.0, Point::asked_share)
    }

    /// Errors are few: drawn on a scale of their own.
    fn wrong(&self, side: &Side<'_>) -> Curves {
        let most =
            thresholds::curve(side.confidences).iter().filter_map(Point::error).fold(0.0, f64::max);
        let tops = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
        let top = tops.into_iter().find(|top| most <= *top).unwrap_or(1.0);
        let name = self.page.t("Error entre lo aceptado", "Error among the accepted");
        self.curve(side, name, Tone::Bad, top, Point::error)
    }

    fn curve(
        &self,
        side: &Side<'_>,
        name: &str,
        tone: Tone,
        top: f64,
        share: fn(&Point) -> Option<f64>,
    ) -> Curves {
        let told = |one: &Point| {
            let share = share(one)?;
            Some((one.threshold, share, self.precise(Some(share))))
        };
        let points = thresholds::curve(side.confidences).iter().filter_map(told).collect();
        let decimals = if top >= 0.2 { 0 } else { 2 - usize::from(top >= 0.1) };
        let rung = |n: f64| format!("{} %", self.page.decimal(top * n * 25.0, decimals));
        Curves {
            label: format!("{}: {name}", side.title),
            across: self.page.t("umbral", "threshold").to_owned(),
            curves: vec![Curve { name: name.to_owned(), tone, points }],
            top,
            scale: [0.0, 1.0, 2.0, 3.0, 4.0].map(rung),
            ticks: [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|n| self.page.decimal(n, 1)),
            mark: side.threshold,
            mark_text: self.two(side.threshold),
        }
    }

    fn two(&self, value: impl std::borrow::Borrow<f64>) -> String {
        self.page.decimal(value, 2)
    }

    /// Shares of errors are small: one decimal more than elsewhere.
    fn precise(&self, share: Option<f64>) -> String {
        match share {
            None => "–".to_owned(),
            Some(share) => format!("{} %", self.page.decimal(share * 100.0, 1)),
        }
    }

    fn part(
        &self,
        part: impl std::borrow::Borrow<i64>,
        whole: impl std::borrow::Borrow<i64>,
    ) -> String {
        match *whole.borrow() {
            0 => "–".to_owned(),
            whole => self.page.percent(*part.borrow() as f64 / whole as f64),
        }
    }

    /// How many of the recalled values that people looked at were right.
    fn vendor_right(&self, one: &Remembered) -> String {
        let all = one.row.right + one.row.wrong;
        match (all, self.page.lang) {
            (0, _) => "–".to_owned(),
            (_, Lang::Es) => format!("{} de {all}", one.row.right),
            (_, Lang::En) => format!("{} of {all}", one.row.right),
        }
    }

    fn forgetting(&self, one: &Remembered) -> String {
        let vendor = &one.row.vendor;
        match self.page.lang {
            Lang::Es => {
                format!("Los documentos de {vendor} se leerán como si fueran los primeros.")
            }
            Lang::En => format!("Documents of {vendor} will be read as if they were the first."),
        }
    }

    fn type_word(&self, doc_type: &str) -> String {
        words::doc_type(&self.page, doc_type)
    }

    fn field_word(&self, field: &str) -> String {
        words::field(&self.page, field)
    }

    /// Documents without a person, of all types.
    fn straight(&self) -> (i64, i64) {
        let sum = |of: fn(&TypeLine) -> i64| self.quality.types.iter().map(of).sum();
        (sum(|one| one.straight), sum(|one| one.documents))
    }

    fn changed(&self) -> (i64, i64) {
        let sum = |of: fn(&FieldLine) -> i64| self.quality.fields.iter().map(of).sum();
        (sum(|one| one.changed), sum(|one| one.answered))
    }

    fn straight_note(&self) -> String {
        let (straight, all) = self.straight();
        match self.page.lang {
            Lang::Es => format!("{straight} de {all} documentos"),
            Lang::En => format!("{straight} of {all} documents"),
        }
    }

    fn changed_note(&self) -> String {
        let (changed, all) = self.changed();
        match self.page.lang {
            Lang::Es => format!("{changed} de {all} campos que revisaron personas"),
            Lang::En => format!("{changed} of {all} fields that people looked at"),
        }
    }

    fn known_note(&self, side: &Side<'_>) -> String {
        let known = side.confidences.known.len();
        match self.page.lang {
            Lang::Es => format!("La verdad se conoce de {known}."),
            Lang::En => format!("The truth is known of {known}."),
        }
    }
}

/// A vendor, to be drawn.
#[cfg(test)]
pub(super) fn remembered() -> Remembered {
    let layout = serde_json::json!({ "doc_type": "invoice", "vendor": "<b>", "tax_id": null,
        "marks": [], "places": [], "order": null, "currency": null, "examples": 1 });
    let named = || "<b>".to_owned();
    let row = LayoutRow {
        id: "7".to_owned(),
        shelf: Shelf { owner: named(), workflow: named(), doc_type: "invoice".to_owned() },
        vendor: named(),
        layout: serde_json::from_value(layout).expect("it is one"),
        version: 2,
        documents: 2,
        right: 3,
        wrong: 1,
        taught_by: "ana".to_owned(),
        taught_at: Timestamp::UNIX_EPOCH,
    };
    Remembered { row, uses: 4, last_use: Some(Timestamp::UNIX_EPOCH) }
}
