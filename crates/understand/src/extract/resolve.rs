//! From candidates to fields: collected by role, judged, ranked and given a confidence.

use std::collections::HashMap;

use jiff::civil::Date;
use page::PageText;

use super::calibrate::{self, FEATURES, Family, MARGIN, Observation, Sighting, Weights};
use super::lexicon::{Concept, Phrase};
use super::money::Sense;
use super::parse::amount::Currency;
use super::reading::{Candidate, Reading};
use super::role::Role;
use super::schema::{FieldSpec, Kind, Schema, Validator};
use super::sheet::Span;
use super::text::fold;
use super::value::Normalised;
use super::words::Wanted;
use super::{Evidence, Extraction, Field, RuleResult};
use super::{amounts, codes, dates, ids, judge, party, table, words};

/// From here on the facts against a value deny it.
const DENIED: f32 = 1.9;
/// A value that beats another one by less may as well be the other.
const CLOSE: f32 = 0.15;
/// No sum or check digit tells whether a name was misread: the reader has to be surer than this of
/// each of its words.
const BLURRED: f32 = 0.98;
/// A name that is less likely the issuer's than not, whatever page this is.
const UNLIKELY: f32 = 0.5;
/// What is shown at most of a value that is doubtful whatever else speaks for it.
const DOUBTED: f32 = 0.5;

/// Finds the fields of the schema. `today` judges dates; nothing else depends on when this runs.
pub fn extract(doc_type: &str, schema: &Schema, pages: &[&PageText], today: Date) -> Extraction {
    extract_with(doc_type, schema, pages, today, Weights::shipped())
}

/// The same with other weights than those inside the binary.
pub fn extract_with(
    doc_type: &str,
    schema: &Schema,
    pages: &[&PageText],
    today: Date,
    weights: &Weights,
) -> Extraction {
    let reading = Reading::new(pages, &phrases(doc_type, schema), today);
    let resolved = resolve(doc_type, schema, &reading, weights);
    let mut chosen = Vec::new();
    for (spec, found) in schema.fields.iter().zip(&resolved) {
        if let (Role::Amount(sense), Some(Normalised::Decimal(value))) =
            (Role::of(doc_type, spec), found.best().map(|best| &best.value))
        {
            chosen.push((sense, *value));
        }
    }
    let checks = amounts::checks(&reading, &chosen);
    let both = schema.fields.iter().zip(resolved);
    let field = |(spec, found): (&FieldSpec, Resolved)| match spec.kind {
        Kind::Table => table::field(&reading, spec),
        _ => found.field(spec, &reading, weights),
    };
    Extraction::new(both.map(field).collect(), checks)
}

/// Every name that a field for the issuer may take, to fit their ranking.
pub fn sight(doc_type: &str, schema: &Schema, pages: &[&PageText], today: Date) -> Vec<Sighting> {
    let reading = Reading::new(pages, &phrases(doc_type, schema), today);
    let asked = schema.fields.iter().filter(|spec| Role::of(doc_type, spec) == Role::Issuer);
    let seen = asked.flat_map(|spec| {
        let of = |(name, traits)| Sighting { field: spec.name.clone(), name, traits };
        party::seen(&reading).into_iter().map(of)
    });
    seen.collect()
}

/// What every found value's confidence is made of, to fit the calibration.
pub fn observe(
    doc_type: &str,
    schema: &Schema,
    pages: &[&PageText],
    today: Date,
    weights: &Weights,
) -> Vec<Observation> {
    let reading = Reading::new(pages, &phrases(doc_type, schema), today);
    let resolved = resolve(doc_type, schema, &reading, weights);
    let both = schema.fields.iter().zip(&resolved);
    let observed = both.filter_map(|(spec, found)| {
        let best = found.best()?;
        let features = found.features(0);
        Some(Observation {
            field: spec.name.clone(),
            family: found.family,
            features,
            normalised: best.value.to_string(),
            doubted: found.doubted(0, features[MARGIN]),
        })
    });
    observed.collect()
}

/// The candidates of one field, best first, with their rules.
struct Resolved {
    family: Family,
    ranked: Vec<(Candidate, Vec<RuleResult>)>,
}

fn resolve(doc_type: &str, schema: &Schema, reading: &Reading, weights: &Weights) -> Vec<Resolved> {
    let each = schema.fields.iter().enumerate();
    each.map(|(index, spec)| {
        let role = Role::of(doc_type, spec);
        let candidates = candidates(reading, &role, spec, Concept::Custom(index), weights);
        let mut ranked: Vec<_> = candidates
            .into_iter()
            .filter_map(|candidate| judged(reading, spec, &role, candidate))
            .collect();
        ranked.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score));
        Resolved { family: family(doc_type, &role, spec), ranked }
    })
    .collect()
}

/// The labels the schema adds; a field nobody knows is looked for by its own name.
fn phrases(doc_type: &str, schema: &Schema) -> Vec<Phrase> {
    let mut phrases = Vec::new();
    for (index, spec) in schema.fields.iter().enumerate() {
        let concept = Concept::Custom(index);
        phrases.extend(spec.labels.iter().flat_map(|label| Phrase::all(label, concept, 1.0)));
        let named = spec.labels.is_empty() && spec.kind != Kind::Table;
        if named && Role::of(doc_type, spec) == Role::Labelled {
            phrases.extend(Phrase::all(&spec.name, concept, 0.9));
        }
    }
    phrases.retain(|phrase| phrase.shaped.len() > 1);
    phrases
}

fn family(doc_type: &str, role: &Role, spec: &FieldSpec) -> Family {
    let sale = matches!(doc_type, "receipt" | "ticket" | "recibo");
    match role {
        Role::Amount(Sense::Total) if sale => Family::SaleTotal,
        Role::Day(concepts) if sale && concepts.contains(&Concept::IssueDate) => Family::SaleDay,
        Role::Amount(Sense::Total) => Family::Total,
        Role::Amount(_) => Family::Amount,
        Role::Day(concepts) if concepts.contains(&Concept::IssueDate) => Family::Day,
        Role::Day(_) => Family::OtherDay,
        Role::Code(_) => Family::Code,
        Role::Issuer if sale => Family::SaleParty,
        Role::Issuer if matches!(doc_type, "payslip" | "nomina" | "payroll" | "contract") => {
            Family::Employer
        }
        Role::Issuer => Family::Party,
        Role::Holder => Family::Person,
        Role::Words(concepts) if of_people(concepts) => Family::Person,
        Role::Period => Family::Period,
        Role::Words(_) => Family::Words,
        Role::IdNumber => Family::Identity,
        Role::TaxId | Role::Iban | Role::Currency => Family::Checked,
        Role::Labelled => match spec.kind {
            Kind::Decimal => Family::Amount,
            Kind::Date => Family::OtherDay,
            Kind::Integer => Family::Code,
            Kind::Iban | Kind::TaxId | Kind::Enum => Family::Checked,
            Kind::String | Kind::Table => Family::Words,
        },
    }
}

fn of_people(concepts: &[Concept]) -> bool {
    concepts.iter().any(|concept| {
        matches!(concept, Concept::Employee | Concept::GivenNames | Concept::Surnames)
    })
}

fn candidates(
    reading: &Reading,
    role: &Role,
    spec: &FieldSpec,
    own: Concept,
    weights: &Weights,
) -> Vec<Candidate> {
    let with_own = |concepts: &[Concept]| [concepts, &[own]].concat();
    match role {
        Role::Amount(sense) => {
            amounts::candidates(reading, *sense, (!spec.labels.is_empty()).then_some(own))
        }
        Role::Day(concepts) => {
            let mut found = dates::candidates(reading, &with_own(concepts));
            confirm_days(reading, concepts, &mut found);
            found
        }
        Role::Code(concepts) => codes::candidates(reading, &with_own(concepts)),
        Role::Issuer => {
            let mut found = party::candidates(reading, weights);
            found.extend(words::candidates(reading, &[own], Wanted::Organisation));
            found
        }
        Role::Words(concepts) => {
            let wanted = if of_people(concepts) { Wanted::Name } else { Wanted::Anything };
            let mut found = words::candidates(reading, &with_own(concepts), wanted);
            if concepts.contains(&Concept::Employee) {
                found.extend(words::introduced(reading));
            }
            found
        }
        Role::Holder => {
            let mut found = ids::holders(reading);
            found.extend(words::candidates(reading, &[own], Wanted::Name));
            found
        }
        Role::IdNumber => ids::id_numbers(reading),
        Role::TaxId => ids::tax_ids(reading),
        Role::Iban => ids::ibans(reading),
        Role::Period => words::periods(reading),
        Role::Currency => currencies(reading),
        Role::Labelled => labelled(reading, spec, own),
    }
}

fn labelled(reading: &Reading, spec: &FieldSpec, own: Concept) -> Vec<Candidate> {
    match spec.kind {
        Kind::Decimal => amounts::candidates(reading, Sense::Quantity, Some(own)),
        Kind::Date => dates::candidates(reading, &[own]),
        Kind::Integer => codes::candidates(reading, &[own]),
        Kind::Iban => ids::ibans(reading),
        Kind::TaxId => ids::tax_ids(reading),
        Kind::Enum => listed(reading, spec, own),
        Kind::Table => Vec::new(),
        Kind::String => {
            let mut found = words::candidates(reading, &[own], Wanted::Anything);
            found.extend(codes::candidates(reading, &[own]));
            if spec.regex.is_some() {
                found.extend(fitting(reading, spec));
            }
            found
        }
    }
}

/// Words anywhere that the pattern of the field fits.
fn fitting(reading: &Reading, spec: &FieldSpec) -> Vec<Candidate> {
    let Some(Ok(pattern)) = spec.pattern() else { return Vec::new() };
    let mut found = Vec::new();
    for (at, row) in reading.sheet.rows.iter().enumerate() {
        for from in 0..row.tokens.len() {
            for to in from + 1..=(from + 4).min(row.tokens.len()) {
                let span = Span { row: at, from, to };
                let text = reading.sheet.text(span);
                if found.len() < 50 && pattern.is_match(&text) {
                    let mut candidate = reading.candidate(Normalised::Text(text), span, 1.0);
                    candidate.signs.label = 0.6;
                    candidate.signs.certainty = 0.9;
                    found.push(candidate);
                }
            }
        }
    }
    found
}

/// Allowed values printed anywhere; beside the label they count more.
fn listed(reading: &Reading, spec: &FieldSpec, own: Concept) -> Vec<Candidate> {
    let wanted: HashMap<String, &String> =
        spec.values.iter().map(|value| (fold(value), value)).collect();
    let mut found: Vec<Candidate> = Vec::new();
    for (at, row) in reading.sheet.rows.iter().enumerate() {
        for from in 0..row.tokens.len() {
            let mut joined = String::new();
            for to in from + 1..=(from + 4).min(row.tokens.len()) {
                joined.push_str(&row.tokens[to - 1].folded);
                let Some(value) = wanted.get(&joined) else { continue };
                let span = Span { row: at, from, to };
                let (label, _) = reading.announced(span, &[own]);
                let value = Normalised::Text((*value).clone());
                let mut candidate = reading.candidate(value, span, 0.5 + label);
                candidate.signs.label = label;
                match found.iter_mut().find(|known| known.value == candidate.value) {
                    Some(known) if known.score >= candidate.score => {}
                    Some(known) => *known = candidate,
                    None => found.push(candidate),
                }
            }
        }
    }
    found
}

fn currencies(reading: &Reading) -> Vec<Candidate> {
    let code = match reading.currency {
        Some(Currency::Euro) => "EUR",
        Some(Currency::Dollar) => "USD",
        Some(Currency::Pound) => "GBP",
        Some(Currency::Ringgit) => "MYR",
        Some(Currency::Other) | None => return Vec::new(),
    };
    let said = |money: &&super::money::Money| money.amount.currency == reading.currency;
    let count = reading.money.iter().filter(said).count();
    let Some(first) = reading.money.iter().find(said) else { return Vec::new() };
    let mut candidate = reading.candidate(Normalised::Text(code.to_owned()), first.span, 1.0);
    candidate.signs.support = (0.4 * count as f32).min(2.0);
    // A dollar sign serves many countries.
    candidate.signs.against = if code == "USD" { 0.8 } else { 0.0 };
    candidate.signs.label = 0.5;
    vec![candidate]
}

/// The machine-readable zone repeats two dates of an identity document.
fn confirm_days(reading: &Reading, concepts: &[Concept], found: &mut Vec<Candidate>) {
    let Some((mrz, spans)) = &reading.mrz else { return };
    let day = if concepts.contains(&Concept::BirthDate) {
        mrz.birth
    } else if concepts.contains(&Concept::ExpiryDate) {
        mrz.expiry
    } else {
        return;
    };
    let value = Normalised::Date(day);
    if let Some(known) = found.iter_mut().find(|candidate| candidate.value == value) {
        known.score += 3.0;
        known.signs.support += 2.0;
        known.signs.against = 0.0;
    } else if let Some(first) = spans.first() {
        let mut candidate = reading.candidate(value, *first, 3.0);
        candidate.printed = day.to_string();
        candidate.signs.label = 1.0;
        candidate.signs.support = 1.0;
        found.push(candidate);
    }
}

/// A candidate in the form of the field's kind, with its rules; those that break one fall behind.
fn judged(
    reading: &Reading,
    spec: &FieldSpec,
    role: &Role,
    mut candidate: Candidate,
) -> Option<(Candidate, Vec<RuleResult>)> {
    if spec.kind == Kind::Integer {
        candidate.value = judge::normalise(spec, &candidate.printed, reading.today).ok()?;
    }
    let agrees = spec.asks_for(Validator::Mrz).then(|| mrz_agrees(reading, role, &candidate.value));
    let printed = candidate.printed.clone();
    let rules = judge::rules(spec, &printed, &candidate.value, agrees.flatten(), reading.today);
    let broken = rules.iter().filter(|rule| !rule.ok).count();
    candidate.score -= 3.0 * broken as f32;
    candidate.signs.against += 2.0 * broken as f32;
    Some((candidate, rules))
}

fn mrz_agrees(reading: &Reading, role: &Role, value: &Normalised) -> Option<bool> {
    let (mrz, _) = reading.mrz.as_ref()?;
    let text = fold(&value.to_string());
    let same = |known: &str| fold(known) == text;
    Some(match role {
        Role::Day(concepts) if concepts.contains(&Concept::BirthDate) => {
            *value == Normalised::Date(mrz.birth)
        }
        Role::Day(_) => *value == Normalised::Date(mrz.expiry),
        Role::Holder => same(&format!("{} {}", mrz.given_names, mrz.surnames)),
        Role::Words(concepts) if concepts.contains(&Concept::Surnames) => same(&mrz.surnames),
        Role::Words(_) => same(&mrz.given_names) || same(&mrz.nationality),
        Role::IdNumber => same(&mrz.number) || fold(&mrz.personal).contains(&text),
        Role::Amount(_)
        | Role::Code(_)
        | Role::Issuer
        | Role::TaxId
        | Role::Iban
        | Role::Period
        | Role::Currency
        | Role::Labelled => true,
    })
}

impl Resolved {
    fn best(&self) -> Option<&Candidate> {
        self.ranked.first().map(|(candidate, _)| candidate)
    }

    /// The features of one candidate against the best other with another value.
    fn features(&self, at: usize) -> [f32; FEATURES] {
        let (candidate, _) = &self.ranked[at];
        let key = fold(&candidate.value.to_string());
        let mut others = self.ranked.iter().enumerate();
        let rival =
            others.find(|(n, (other, _))| *n != at && fold(&other.value.to_string()) != key);
        let margin = rival.map_or(2.0, |(_, (other, _))| candidate.score - other.score);
        calibrate::features(&candidate.signs, margin)
    }

    /// Whether a plain fact speaks against a value, or nothing tells it from another one.
    fn doubted(&self, at: usize, margin: f32) -> bool {
        let signs = &self.ranked[at].0.signs;
        let claimed = signs.label < 0.2 && signs.against > 0.65;
        // Half a name, or a bare number where an amount should be.
        let partial = match self.family {
            Family::Person | Family::Total | Family::SaleTotal | Family::Amount => {
                signs.certainty < 0.6
            }
            _ => false,
        };
        signs.against >= DENIED || margin < CLOSE || claimed || partial
    }

    /// Whether a name is one that no document learnt from was like: hard to read, or hardly the
    /// issuer's. Documents of training that go wrong so are few, and what was learnt from them little.
    fn strange(&self, at: usize) -> bool {
        let signs = &self.ranked[at].0.signs;
        let issuer = matches!(self.family, Family::Party | Family::SaleParty | Family::Employer);
        let blurred = (issuer || self.family == Family::Person) && signs.legible < BLURRED;
        blurred || issuer && signs.label < UNLIKELY
    }

    fn field(self, spec: &FieldSpec, reading: &Reading, weights: &Weights) -> Field {
        let mut field = Field::missing(spec);
        let Some((best, rules)) = self.ranked.first() else { return field };
        let shown: Vec<f32> = (0..self.ranked.len().min(8))
            .map(|at| {
                let features = self.features(at);
                let shown = calibrate::confidence(weights, self.family, &features);
                let doubted = self.doubted(at, features[MARGIN]) || self.strange(at);
                if doubted { shown.min(DOUBTED) } else { shown }
            })
            .collect();
        let place = |span: &Span| Evidence {
            page: reading.sheet.row(*span).page,
            place: reading.sheet.printed_place(*span),
            cell: None,
        };
        field.confidence = shown[0];
        field.value = Some(best.printed.clone());
        field.normalised = Some(best.value.to_string());
        field.evidence = best.spans.iter().map(place).collect();
        field.rules.clone_from(rules);
        let mut named = vec![fold(&best.value.to_string())];
        for ((other, _), confidence) in self.ranked.iter().zip(&shown).skip(1) {
            let key = fold(&other.value.to_string());
            if field.alternatives.len() < 3 && !named.contains(&key) {
                named.push(key);
                field.alternatives.push((other.printed.clone(), confidence.min(shown[0])));
            }
        }
        field
    }
}

impl Field {
    pub(super) fn missing(spec: &FieldSpec) -> Self {
        Self {
            name: spec.name.clone(),
            kind: spec.kind,
            value: None,
            normalised: None,
            confidence: 0.0,
            required: spec.required,
            evidence: Vec::new(),
            rules: Vec::new(),
            alternatives: Vec::new(),
        }
    }
}
