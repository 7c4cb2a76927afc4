//! *Segundo lector*: what a reader outside says of a document, weighed against what is printed on it
//! and against what the first reader said. A value that is not on the page counts for nothing.

use jiff::civil::Date;
use page::{PageText, Rect};
use serde_json::{Map, Value as Json};
use understand::extract::{FieldSpec, Kind, Normalised, Schema, check_value};

use crate::model::{EvidenceBox, FieldValue, RuleOutcome};

/// What it leaves on a field.
pub const RULE: &str = "second_reader";
/// How much likelier both say the same of a right value than of a wrong one.
const AGREEMENT: f64 = 20.0;
/// No more than this is believed of what both read differently, whoever was sure.
const DISPUTED: f64 = 0.3;
/// What only the second one read is a proposal.
const ALONE: f64 = 0.5;
/// Words that one value has at most on its line.
const MOST_WORDS: usize = 12;

/// A document after both have read it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weighed {
    pub fields: Vec<FieldValue>,
    /// Values that only the second one found, typed.
    pub added: Map<String, Json>,
    pub tally: Tally,
}

/// How many fields of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub agreed: u32,
    pub disputed: u32,
    pub added: u32,
    /// Values that are not on the page, or no value of their field.
    pub unseen: u32,
}

/// `first` is the document's first page within the request.
pub fn weigh(
    fields: &[FieldValue],
    schema: &Schema,
    given: &Map<String, Json>,
    (pages, first): (&[PageText], u32),
    today: Date,
) -> Weighed {
    let mut weighed = Weighed { fields: fields.to_vec(), ..Weighed::default() };
    for field in &mut weighed.fields {
        let spec = schema.fields.iter().find(|spec| spec.name == field.name);
        let Some(spec) = spec.filter(|spec| spec.kind != Kind::Table) else { continue };
        let Some(text) = given.get(&field.name).and_then(plain) else { continue };
        let seen = check_value(spec, &text, today).ok().and_then(|value| {
            let place = find(pages, first, spec, &value, today)?;
            Some((value, place))
        });
        let Some((value, place)) = seen else {
            weighed.tally.unseen += 1;
            note(field, false, &text);
            continue;
        };
        let said = value.to_string();
        match field.normalised.as_ref().or(field.value.as_ref()) {
            None => {
                weighed.tally.added += 1;
                weighed.added.insert(field.name.clone(), value.json());
                (field.value, field.normalised) = (Some(text.clone()), Some(said));
                (field.confidence, field.boxes) = (ALONE, vec![place]);
                note(field, true, &text);
            }
            Some(known) if alike(spec, known, &value, today) => {
                weighed.tally.agreed += 1;
                let p = field.confidence;
                field.confidence = AGREEMENT * p / (AGREEMENT * p + 1.0 - p);
                note(field, true, &text);
            }
            Some(_) => {
                weighed.tally.disputed += 1;
                field.confidence = field.confidence.min(DISPUTED);
                field.alternatives.insert(0, (said, ALONE));
                note(field, false, &text);
            }
        }
    }
    weighed
}

fn note(field: &mut FieldValue, ok: bool, text: &str) {
    let detail = text.chars().take(200).collect();
    field.rules.push(RuleOutcome { rule: RULE.to_owned(), ok, detail });
}

/// A value as text; lists and objects are none.
fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Json::Number(number) => Some(number.to_string()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Where a value is printed: neighbouring words of a line that say it.
fn find(
    pages: &[PageText],
    first: u32,
    spec: &FieldSpec,
    wanted: &Normalised,
    today: Date,
) -> Option<EvidenceBox> {
    let sought = letters(&wanted.to_string());
    for (page, n) in pages.iter().zip(first..) {
        for line in page.lines() {
            for from in 0..line.words.len() {
                let words = line.words[from..].iter().take(MOST_WORDS).map(|at| &page.words[*at]);
                let mut said = String::new();
                let mut place: Option<Rect> = None;
                for word in words {
                    if !said.is_empty() {
                        said.push(' ');
                    }
                    said.push_str(&word.text);
                    place = Some(place.map_or(word.place, |place| place.union(&word.place)));
                    let fits = match spec.kind {
                        Kind::String | Kind::Enum => {
                            let so_far = letters(&said);
                            if !sought.starts_with(&so_far) {
                                break;
                            }
                            so_far == sought
                        }
                        _ => says(spec, &said, wanted, today),
                    };
                    if let Some(Rect { x, y, w, h }) = place.filter(|_| fits) {
                        return Some(EvidenceBox { page: n, x, y, w, h, cell: None });
                    }
                }
            }
        }
    }
    None
}

/// Whether printed words say a value of a kind that is written in several ways.
fn says(spec: &FieldSpec, printed: &str, wanted: &Normalised, today: Date) -> bool {
    let printed = printed.trim_matches([' ', '.', ',', ';', ':', '(', ')']);
    printed.chars().any(|letter| letter.is_ascii_digit())
        && check_value(spec, printed, today).is_ok_and(|value| value == *wanted)
}

fn alike(spec: &FieldSpec, known: &str, said: &Normalised, today: Date) -> bool {
    match spec.kind {
        Kind::String => letters(known) == letters(&said.to_string()),
        _ => check_value(spec, known, today).is_ok_and(|known| known == *said),
    }
}

/// Only letters and digits, small: how a name is spaced and pointed does not matter.
fn letters(text: &str) -> String {
    text.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use page::{Source, Word};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const TODAY: Date = date(2026, 11, 17);

    fn page(lines: &[&str]) -> PageText {
        let mut words = Vec::new();
        for (row, line) in lines.iter().enumerate() {
            for (column, text) in line.split(' ').enumerate() {
                let place =
                    Rect { x: column as f32 * 60.0, y: row as f32 * 20.0, w: 55.0, h: 10.0 };
                words.push(Word { text: text.to_owned(), place, confidence: 1.0 });
            }
        }
        PageText { width: 600.0, height: 800.0, source: Source::TextLayer, turned: 0, words }
    }

    fn schema() -> Schema {
        Schema {
            fields: vec![
                FieldSpec::new("vendor_name", Kind::String),
                FieldSpec::new("total_amount", Kind::Decimal),
                FieldSpec::new("date", Kind::Date),
            ],
        }
    }

    fn field(name: &str, value: Option<&str>, confidence: f64) -> FieldValue {
        let value = value.map(str::to_owned);
        FieldValue {
            name: name.to_owned(),
            normalised: value.clone(),
            value,
            confidence,
            required: true,
            boxes: Vec::new(),
            rules: Vec::new(),
            alternatives: Vec::new(),
        }
    }

    fn weighed(fields: &[FieldValue], said: Json) -> Weighed {
        let pages = [page(&[
            "Ferretería Sol, S.L.",
            "Fecha 4 de mayo de 2026",
            "Total: 1.250,50 €",
            "Neto 1.000,00",
        ])];
        let Json::Object(said) = said else { panic!("an object") };
        weigh(fields, &schema(), &said, (&pages, 3), TODAY)
    }

    #[test]
    fn what_both_read_is_believed() {
        let fields = [field("total_amount", Some("1250.50"), 0.4)];
        let now = weighed(&fields, json!({ "total_amount": 1250.5 }));
        assert!(now.fields[0].confidence > 0.92, "{:?}", now.fields[0]);
        assert_eq!(now.tally, Tally { agreed: 1, ..Tally::default() });
        let name = [field("vendor_name", Some("Ferretería Sol S.L."), 0.5)];
        let now = weighed(&name, json!({ "vendor_name": "FERRETERÍA SOL, S.L." }));
        assert_eq!(now.tally.agreed, 1);
    }

    #[test]
    fn what_they_read_differently_goes_to_a_person_whoever_was_sure() {
        let fields = [field("total_amount", Some("1250.50"), 0.99)];
        let now = weighed(&fields, json!({ "total_amount": "1.000,00" }));
        assert!(now.fields[0].confidence <= DISPUTED);
        assert_eq!(now.fields[0].value.as_deref(), Some("1250.50"), "the first reading stands");
        assert_eq!(now.fields[0].alternatives[0].0, "1000.00");
    }

    #[test]
    fn what_is_not_on_the_page_counts_for_nothing() {
        let fields = [field("total_amount", Some("1250.50"), 0.7), field("vendor_name", None, 0.0)];
        let now = weighed(&fields, json!({ "total_amount": 9999.0, "vendor_name": "Acme Corp" }));
        assert!((now.fields[0].confidence - 0.7).abs() < 1e-9);
        assert_eq!(now.fields[1].value, None);
        assert_eq!(now.tally, Tally { unseen: 2, ..Tally::default() });
    }

    #[test]
    fn what_only_the_second_read_is_a_proposal_with_its_place() {
        let fields = [field("date", None, 0.0)];
        let now = weighed(&fields, json!({ "date": "2026-05-04" }));
        assert_eq!(now.fields[0].normalised.as_deref(), Some("2026-05-04"));
        assert!((now.fields[0].confidence - ALONE).abs() < 1e-9);
        assert_eq!((now.fields[0].boxes.len(), now.fields[0].boxes[0].page), (1, 3));
        assert_eq!(now.added, json!({ "date": "2026-05-04" }).as_object().unwrap().clone());
    }

    proptest! {
        #[test]
        fn whatever_is_said_nothing_breaks_and_no_lie_is_believed(
            said in proptest::collection::btree_map("[a-z_]{1,12}|date|total_amount|vendor_name", "\\PC{0,30}", 0..6),
            p in 0.0_f64..1.0,
        ) {
            let fields = [field("total_amount", Some("1250.50"), p), field("date", None, 0.0)];
            let said: Map<String, Json> = said.into_iter().map(|(name, text)| (name, json!(text))).collect();
            let now = weighed(&fields, Json::Object(said));
            prop_assert!(now.fields.iter().all(|one| (0.0..=1.0).contains(&one.confidence)));
            let lone = now.fields[1].value.is_some();
            prop_assert!(!lone || now.fields[1].confidence <= ALONE);
        }
    }
}
