//! Documents with their fields, and a page with the places where they were found.

use serde_json::{Map, Value as Json};
use understand::extract::{CellKind, Column, Kind, Schema};
use web::{Page, Tone};

use super::words;
use crate::{
    model::{FieldValue, RuleOutcome},
    wire::{DocumentView, PageView},
};

/// A document as the page shows it.
#[derive(Clone, Debug)]
pub struct Paper {
    pub id: String,
    pub title: String,
    pub pages: String,
    pub status: &'static str,
    pub confidence: Option<f64>,
    pub by_person: bool,
    /// Whether the page in the viewer belongs to it.
    pub shown: bool,
    /// Those that need a look first.
    pub data: Vec<Datum>,
}

/// A field of a document.
#[derive(Clone, Debug)]
pub struct Datum {
    /// Names it within the page: its row and its boxes.
    pub key: String,
    pub title: String,
    pub value: Option<String>,
    /// Of a table, in place of the value.
    pub table: Option<Table>,
    /// When it says more than the value does.
    pub normalised: Option<String>,
    pub confidence: f64,
    pub standing: Standing,
    pub rules: Vec<RuleOutcome>,
    pub alternatives: Vec<(String, f64)>,
    /// The page its evidence is on.
    pub page: Option<u32>,
}

/// Rows as the page shows them.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Titles, and whether numbers stand below.
    pub heads: Vec<(String, bool)>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn new(page: &Page, columns: &[Column], text: &str) -> Option<Self> {
        let rows: Vec<Map<String, Json>> = serde_json::from_str(text).ok()?;
        let head = |one: &Column| (words::field(page, &one.name), one.kind != CellKind::Text);
        let row = |row: &Map<String, Json>| {
            columns.iter().map(|one| shown(page, one.kind, row.get(&one.name))).collect()
        };
        Some(Self {
            heads: columns.iter().map(head).collect(),
            rows: rows.iter().map(row).collect(),
        })
    }
}

/// A cell as people write it.
fn shown(page: &Page, kind: CellKind, value: Option<&Json>) -> String {
    let number = match value {
        None | Some(Json::Null) => return String::new(),
        Some(Json::String(text)) => return text.clone(),
        Some(value) => value.as_f64().unwrap_or_default(),
    };
    let printed = number.to_string();
    let decimals = printed.split_once('.').map_or(0, |(_, part)| part.len());
    let rate = if kind == CellKind::Percent { " %" } else { "" };
    let least = if kind == CellKind::Money { 2 } else { 0 };
    format!("{}{rate}", page.decimal(number, decimals.max(least)))
}

/// Whether someone should look at a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Required and not found.
    Missing,
    /// A rule says it is wrong.
    Broken,
    /// Below the threshold.
    Doubtful,
    Sure,
    /// Not found, and not required.
    Absent,
}

impl Standing {
    fn of(field: &FieldValue, threshold: f64) -> Self {
        let empty = field.value.as_deref().is_none_or(str::is_empty);
        if empty {
            return if field.required { Self::Missing } else { Self::Absent };
        }
        if field.rules.iter().any(|rule| !rule.ok) {
            Self::Broken
        } else if field.confidence < threshold {
            Self::Doubtful
        } else {
            Self::Sure
        }
    }

    pub const fn tone(self) -> Tone {
        match self {
            Self::Missing | Self::Broken => Tone::Bad,
            Self::Doubtful => Tone::Warn,
            Self::Sure => Tone::Good,
            Self::Absent => Tone::Plain,
        }
    }

    pub const fn is_flagged(self) -> bool {
        match self {
            Self::Missing | Self::Broken | Self::Doubtful => true,
            Self::Sure | Self::Absent => false,
        }
    }

    pub fn text(self, page: &Page) -> &'static str {
        match self {
            Self::Missing => page.t("falta y es obligatorio", "missing and required"),
            Self::Broken => page.t("incumple una regla", "breaks a rule"),
            Self::Doubtful => page.t("dudoso", "doubtful"),
            Self::Sure => page.t("seguro", "sure"),
            Self::Absent => page.t("no está", "not there"),
        }
    }
}

impl Paper {
    pub fn new(
        page: &Page,
        n: usize,
        document: &DocumentView,
        threshold: f64,
        selected: u32,
        schema: Option<&Schema>,
    ) -> Self {
        let mut data: Vec<Datum> = document
            .fields
            .iter()
            .enumerate()
            .map(|(at, field)| {
                let specs = schema.map(|schema| schema.fields.iter()).into_iter().flatten();
                let spec = specs.into_iter().find(|spec| spec.name == field.name);
                let table = spec.filter(|spec| spec.kind == Kind::Table);
                let table = table.zip(field.normalised.as_deref());
                let table =
                    table.and_then(|(spec, text)| Table::new(page, &spec.table_columns(), text));
                let said = datum(page, format!("d{n}f{at}"), field, threshold);
                let normalised = said.normalised.clone().filter(|_| table.is_none());
                let normalised = normalised.map(|text| {
                    spec.map_or_else(|| text.clone(), |spec| readable(page, spec.kind, &text))
                });
                let normalised = normalised.filter(|text| {
                    said.value.as_deref().is_none_or(|value| !says_the_same(value, text))
                });
                Datum { table, normalised, ..said }
            })
            .collect();
        data.sort_by_key(|datum| datum.standing);
        Self {
            id: document.document_id.clone(),
            title: words::doc_type(page, &document.doc_type),
            pages: span(page, &document.page_indices),
            status: document.status,
            confidence: document.extraction_confidence,
            by_person: document.origin == crate::model::Origin::Person,
            shown: document.page_indices.contains(&selected),
            data,
        }
    }

    /// How many fields someone should look at.
    pub fn flagged(&self) -> usize {
        self.data.iter().filter(|datum| datum.standing.is_flagged()).count()
    }
}

fn datum(page: &Page, key: String, field: &FieldValue, threshold: f64) -> Datum {
    Datum {
        key,
        title: words::field(page, &field.name),
        value: field.value.clone().filter(|value| !value.is_empty()),
        table: None,
        normalised: field.normalised.clone().filter(|value| Some(value) != field.value.as_ref()),
        confidence: field.confidence,
        standing: Standing::of(field, threshold),
        rules: field.rules.clone(),
        alternatives: field.alternatives.clone(),
        page: field.boxes.first().map(|found| found.page),
    }
}

/// A normalised value as the reader writes it: `1.250,50`, `07/06/2026`.
fn readable(page: &Page, kind: Kind, text: &str) -> String {
    match kind {
        Kind::Decimal => text.parse().map_or_else(|_| text.to_owned(), |n: f64| page.decimal(n, 2)),
        Kind::Date => text.parse().map_or_else(
            |_| text.to_owned(),
            |date: jiff::civil::Date| date.strftime(page.t("%d/%m/%Y", "%d %b %Y")).to_string(),
        ),
        Kind::String | Kind::Integer | Kind::Iban | Kind::TaxId | Kind::Enum | Kind::Table => {
            text.to_owned()
        }
    }
}

/// Whether a value says as it is printed what it says normalised: the same letters and figures, or a
/// month in words, which nobody takes for another.
fn says_the_same(printed: &str, normalised: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let figures = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
    let numeric = |text: &str| text.chars().all(|one| !one.is_alphabetic());
    let in_words = printed.chars().filter(|one| one.is_alphabetic()).count() > 2;
    plain(printed) == plain(normalised)
        || (numeric(normalised)
            && !figures(printed).is_empty()
            && (figures(printed) == figures(normalised) || in_words))
}

/// `página 2`, `páginas 2–4`.
fn span(page: &Page, indices: &[u32]) -> String {
    match (indices.first(), indices.last()) {
        (Some(first), Some(last)) if first != last => {
            format!("{} {}–{}", page.t("páginas", "pages"), first + 1, last + 1)
        }
        (Some(only), _) => format!("{} {}", page.t("página", "page"), only + 1),
        (None, _) => String::new(),
    }
}

/// The page in the viewer.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub n: u32,
    pub image: String,
    /// Its own units; unknown until it was read.
    pub size: Option<(f64, f64)>,
    pub marks: Vec<Mark>,
    pub text: String,
    pub read_by: String,
    pub read_confidence: Option<f64>,
    pub scores: Vec<(String, f64)>,
}

/// Where a value was found.
#[derive(Clone, Debug)]
pub struct Mark {
    pub key: String,
    pub title: String,
    pub tone: Tone,
    pub x: f32,
    pub y: f32,
    pub w: f32,
    pub h: f32,
}

impl Sheet {
    pub fn new(page: &Page, view: &PageView, documents: &[DocumentView], threshold: f64) -> Self {
        Self {
            n: view.page_index,
            image: view.image_url.clone(),
            size: view.width.zip(view.height).filter(|(w, h)| *w > 0.0 && *h > 0.0),
            marks: marks(page, view.page_index, documents, threshold),
            text: view.ocr_text.clone().unwrap_or_default(),
            read_by: read_by(page, view.ocr_source.as_deref()),
            read_confidence: view.ocr_confidence,
            scores: scores(page, view),
        }
    }
}

fn marks(page: &Page, n: u32, documents: &[DocumentView], threshold: f64) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (d, document) in documents.iter().enumerate() {
        for (f, field) in document.fields.iter().enumerate() {
            let tone = Standing::of(field, threshold).tone();
            marks.extend(field.boxes.iter().filter(|found| found.page == n).map(|found| Mark {
                key: format!("d{d}f{f}"),
                title: words::field(page, &field.name),
                tone,
                x: found.x,
                y: found.y,
                w: found.w,
                h: found.h,
            }));
        }
    }
    marks
}

fn read_by(page: &Page, source: Option<&str>) -> String {
    match source {
        Some("layer" | "text_layer") => page.t("del propio PDF", "from the PDF itself").to_owned(),
        Some("plain") => page.t("del propio texto", "from the text itself").to_owned(),
        Some("ocr") => page.t("reconocido en la imagen", "recognised in the picture").to_owned(),
        Some(engine) => engine.to_owned(),
        None => String::new(),
    }
}

/// What else the page could be, likeliest first.
fn scores(page: &Page, view: &PageView) -> Vec<(String, f64)> {
    let mut scores: Vec<(String, f64)> = match &view.scores {
        Some(serde_json::Value::Object(map)) => map
            .iter()
            .filter_map(|(word, score)| Some((words::doc_type(page, word), score.as_f64()?)))
            .collect(),
        Some(serde_json::Value::Array(list)) => list
            .iter()
            .filter_map(|pair| {
                Some((words::doc_type(page, pair.get(0)?.as_str()?), pair.get(1)?.as_f64()?))
            })
            .collect(),
        _ => Vec::new(),
    };
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    scores.truncate(4);
    scores
}

/// A share of one as the width of a bar a hundred wide.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
pub fn share(value: &f64) -> String {
    format!("{:.0}", (value * 100.0).clamp(0.0, 100.0))
}

/// The same as people read it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
pub fn sure(page: &Page, value: &f64) -> String {
    page.decimal(*value, 2)
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, tz::TimeZone};
    use web::{Lang, Theme};

    use super::*;

    fn field(value: Option<&str>, confidence: f64, required: bool, ok: bool) -> FieldValue {
        FieldValue {
            name: "total".to_owned(),
            value: value.map(str::to_owned),
            normalised: None,
            confidence,
            required,
            boxes: Vec::new(),
            rules: vec![RuleOutcome { rule: "sum".to_owned(), ok, detail: String::new() }],
            alternatives: Vec::new(),
        }
    }

    #[test]
    fn a_table_is_shown_by_its_columns() {
        let page = Page::new(Lang::Es, Theme::Light, Timestamp::UNIX_EPOCH, TimeZone::UTC);
        let spec = understand::extract::FieldSpec::new("lines", Kind::Table);
        let text = r#"[{"amount":1250.5,"description":"Caja","quantity":1.5,"tax":21.0}]"#;
        let table = Table::new(&page, &spec.table_columns(), text).unwrap();
        assert_eq!(table.heads[0], ("Descripción".to_owned(), false));
        assert_eq!(table.rows, [["Caja", "1,5", "", "21 %", "1.250,50"]]);
        assert_eq!(Table::new(&page, &spec.table_columns(), "12"), None);
    }

    #[test]
    fn a_value_is_said_twice_only_where_it_could_be_taken_for_another() {
        let page = Page::new(Lang::Es, Theme::Light, Timestamp::UNIX_EPOCH, TimeZone::UTC);
        for (kind, printed, normalised, shown) in [
            (Kind::Decimal, "4.392,89 EUR", "4392.89", None),
            (Kind::Date, "21 FEB 2018", "2018-02-21", None),
            (Kind::String, "julio 2025", "2025-07", None),
            (Kind::Date, "06/07/2026", "2026-06-07", Some("07/06/2026")),
            (Kind::String, "x-8103244-e", "X8103244E", None),
        ] {
            let said = readable(&page, kind, normalised);
            let shows = (!says_the_same(printed, &said)).then_some(said.as_str());
            assert_eq!(shows, shown, "{printed}");
        }
    }

    #[test]
    fn what_needs_a_look_comes_first() {
        let page = Page::new(Lang::Es, Theme::Light, Timestamp::UNIX_EPOCH, TimeZone::UTC);
        let document = DocumentView {
            document_id: "x".to_owned(),
            doc_type: "invoice".to_owned(),
            page_indices: vec![1, 2],
            status: "extracted",
            extracted_data: None,
            extraction_confidence: Some(0.4),
            origin: crate::model::Origin::Automatic,
            fields: vec![
                field(None, 0.0, false, true),
                field(Some("1"), 0.9, true, true),
                field(Some("1"), 0.5, true, true),
                field(Some("1"), 0.9, true, false),
                field(None, 0.0, true, true),
            ],
        };
        let paper = Paper::new(&page, 0, &document, 0.75, 2, None);
        let order: Vec<_> = paper.data.iter().map(|datum| datum.standing).collect();
        let expected = [
            Standing::Missing,
            Standing::Broken,
            Standing::Doubtful,
            Standing::Sure,
            Standing::Absent,
        ];
        assert_eq!(order, expected);
        assert_eq!((paper.flagged(), paper.shown), (3, true));
        assert_eq!(paper.pages, "páginas 2–3");
        assert_eq!(paper.data[0].key, "d0f4");
    }
}
