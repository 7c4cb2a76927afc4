//! The weights behind the fields: which name is the issuer's, and how far a value may be trusted.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use page::PageText;
use understand::extract::{
    FieldSpec, Kind as Of, Schema,
    calibrate::{FEATURES, SCALES, Weights, fit, fit_issuer, scale_of},
    check_value, observe, sight,
};

use crate::{Kind, Lang, generate, is_reserved, noisy_text};

/// Documents of each kind and language, every third of them born digital, the others worn.
const DOCUMENTS: u64 = 240;
/// The day on which the documents are judged: after the last of them.
const TODAY: Date = date(2026, 11, 1);
/// Pages worse than this are read by people anyway, and teach little but doubt.
const LEGIBLE: f32 = 0.96;

struct Case {
    kind: &'static str,
    family: u32,
    schema: Schema,
    pages: Vec<PageText>,
    truth: BTreeMap<String, String>,
}

/// Learns from generated documents of the families that are not reserved for measuring. Which name is
/// the issuer's is learnt from half of the families, how sure each value is from the other half: what
/// was learnt by heart must not look sure. The same numbers every time.
pub fn train_fields() -> Weights {
    let (ranked, judged): (Vec<Case>, Vec<Case>) =
        cases().into_iter().partition(|case| case.family % 7 < 3);
    let names: Vec<Vec<_>> = ranked
        .iter()
        .flat_map(|case| {
            let pages: Vec<&PageText> = case.pages.iter().collect();
            let mut by_field: BTreeMap<String, Vec<_>> = BTreeMap::new();
            for seen in sight(case.kind, &case.schema, &pages, TODAY) {
                let right = same_value(Of::String, &seen.name, &case.truth[&seen.field]);
                by_field.entry(seen.field).or_default().push((seen.traits, right));
            }
            by_field.into_values()
        })
        .collect();
    let mut weights = Weights { issuer: fit_issuer(&names), families: Vec::new() };
    let mut seen: Vec<Vec<([f32; FEATURES], bool)>> = vec![Vec::new(); SCALES];
    for case in judged.iter().chain(&strangers()) {
        let pages: Vec<&PageText> = case.pages.iter().collect();
        let found = observe(case.kind, &case.schema, &pages, TODAY, &weights).into_iter();
        for found in found.filter(|found| !found.doubted) {
            let truth = &case.truth[&found.field];
            let right = same_value(kind_of(&found.field), &found.normalised, truth);
            seen[scale_of(found.family, &found.features)].push((found.features, right));
        }
    }
    weights.families = seen.iter().enumerate().map(|(scale, seen)| fit(scale, seen)).collect();
    weights
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Other);
    for (kind, lang) in kinds.flat_map(|kind| Lang::ALL.map(|lang| (kind, lang))) {
        for seed in 0..DOCUMENTS {
            let sample = generate(kind, lang, seed);
            let mut pages = sample.texts();
            if seed % 3 != 0 {
                pages = pages.iter().map(|page| noisy_text(page, seed)).collect();
            }
            if is_reserved(&sample) || pages.iter().any(|page| page.confidence() < LEGIBLE) {
                continue;
            }
            let (mut truth, family) = (sample.truth, sample.layout);
            // What kind of contract it is is not printed as a value.
            truth.remove("type");
            let schema = schema(&truth);
            cases.push(Case { kind: kind.label(), family, schema, pages, truth });
        }
    }
    cases
}

/// Pages of other kinds, asked for what they do not have: whatever is found there is wrong. Papers of
/// trade and about money have numbers and sums of their own.
fn strangers() -> Vec<Case> {
    const ASKED: [(&str, &[&str]); 2] =
        [("invoice", &["invoice_number", "total_amount"]), ("receipt", &["total"])];
    let mut cases = Vec::new();
    for lang in Lang::ALL {
        for seed in 0..DOCUMENTS / 6 {
            let sample = generate(Kind::Other, lang, seed);
            if matches!(sample.layout, 16..=18 | 21..=26) {
                continue;
            }
            let (kind, fields) = ASKED[seed as usize % ASKED.len()];
            let truth: BTreeMap<String, String> =
                fields.iter().map(|field| ((*field).to_owned(), String::new())).collect();
            let (family, pages) = (sample.layout, sample.texts());
            cases.push(Case { kind, family, schema: schema(&truth), pages, truth });
        }
    }
    cases
}

/// The schema that asks for everything in a truth.
pub fn schema(truth: &BTreeMap<String, String>) -> Schema {
    Schema { fields: truth.keys().map(|name| FieldSpec::new(name, kind_of(name))).collect() }
}

fn kind_of(name: &str) -> Of {
    match name {
        "iban" => Of::Iban,
        "tax_id" => Of::TaxId,
        name if name.contains("date") => Of::Date,
        name if name.contains("amount") || name.contains("total") => Of::Decimal,
        _ => Of::String,
    }
}

/// Amounts are compared by value, dates by day, names by their letters and digits.
pub fn same_value(kind: Of, found: &str, truth: &str) -> bool {
    match kind {
        Of::Decimal => {
            let number = |text: &str| {
                let kept: String =
                    text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
                kept.parse::<f64>().unwrap_or(f64::NAN)
            };
            (number(found) - number(truth)).abs() < 0.005
        }
        Of::Date => {
            let day = check_value(&FieldSpec::new("date", Of::Date), truth, TODAY);
            day.is_ok_and(|day| day.to_string() == found)
        }
        Of::String | Of::Integer | Of::Iban | Of::TaxId | Of::Enum | Of::Table => {
            letters(found) == letters(truth)
        }
    }
}

fn letters(text: &str) -> String {
    let plain = |letter: char| match letter {
        'á' | 'à' | 'â' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'î' | 'ï' => 'i',
        'ó' | 'ô' | 'ö' => 'o',
        'ú' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        other => other,
    };
    let lower = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    lower.map(plain).collect()
}
