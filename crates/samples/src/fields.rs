//! The weights behind the fields: which name is the issuer's, and how far a value may be trusted.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use page::PageText;
use understand::extract::{
    FieldSpec, Kind as Of, Schema,
    calibrate::{FEATURES, Family, TRAITS, Weights, fit, fit_issuer},
    check_value, observe, sight,
};

use crate::{Kind, Lang, generate, is_reserved, noisy_text};

/// Documents of each kind and language that are born digital; three times as many are worn.
const DOCUMENTS: u64 = 30;
/// The day on which the documents are judged: after the last of them.
const TODAY: Date = date(2026, 11, 1);
/// Pages worse than this are read by people anyway, and teach little but doubt.
const LEGIBLE: f32 = 0.9965;

struct Case {
    kind: &'static str,
    schema: Schema,
    pages: Vec<PageText>,
    truth: BTreeMap<String, String>,
}

/// Learns from generated documents of the families that are not reserved for measuring. The same
/// numbers every time.
pub fn train_fields() -> Weights {
    let cases = cases();
    let mut names: Vec<([f32; TRAITS], bool)> = Vec::new();
    for case in &cases {
        let pages: Vec<&PageText> = case.pages.iter().collect();
        for seen in sight(case.kind, &case.schema, &pages, TODAY) {
            let right = same_value(Of::String, &seen.name, &case.truth[&seen.field]);
            names.push((seen.traits, right));
        }
    }
    let mut weights = Weights { issuer: rounded(fit_issuer(&names)), families: Default::default() };
    let mut seen: Vec<Vec<([f32; FEATURES], bool)>> = vec![Vec::new(); Family::ALL.len()];
    for case in &cases {
        let pages: Vec<&PageText> = case.pages.iter().collect();
        for found in observe(case.kind, &case.schema, &pages, TODAY, &weights) {
            let truth = &case.truth[&found.field];
            let right = same_value(kind_of(&found.field), &found.normalised, truth);
            seen[found.family as usize].push((found.features, right));
        }
    }
    for (family, seen) in weights.families.iter_mut().zip(&seen) {
        *family = rounded(fit(seen));
    }
    weights
}

/// To two decimals: what differs between processors is far behind them.
fn rounded<const N: usize>(weights: [f64; N]) -> [f32; N] {
    weights.map(|weight| ((weight * 100.0).round() / 100.0) as f32)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Other);
    for (kind, lang) in kinds.flat_map(|kind| Lang::ALL.map(|lang| (kind, lang))) {
        for seed in 0..4 * DOCUMENTS {
            let sample = generate(kind, lang, seed);
            let mut pages = sample.texts();
            if seed >= DOCUMENTS {
                pages = pages.iter().map(|page| noisy_text(page, seed)).collect();
            }
            if is_reserved(&sample) || pages.iter().any(|page| page.confidence() < LEGIBLE) {
                continue;
            }
            let mut truth = sample.truth;
            // What kind of contract it is is not printed as a value.
            truth.remove("type");
            cases.push(Case { kind: kind.label(), schema: schema(&truth), pages, truth });
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
        Of::String | Of::Integer | Of::Iban | Of::TaxId | Of::Enum => {
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
