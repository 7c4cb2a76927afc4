//! Values that prove themselves: identity and tax numbers, bank accounts, machine-readable zones.

use super::lexicon::Concept;
use super::parse::tax_id::{self, Form, TaxId};
use super::parse::{iban, mrz::Mrz};
use super::reading::{Candidate, Reading};
use super::sheet::Span;
use super::text::fold;
use super::value::Normalised;
use super::words::{self, Wanted};
use super::{codes, labels::Label};

/// Tax ids with their places; the issuer's comes before the customer's.
pub(super) fn tax_ids(reading: &Reading) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for (span, id, repaired) in all(reading) {
        let (label, other) = reading.announced(span, &[Concept::TaxId, Concept::IdNumber]);
        let customer = under_customer(reading, span);
        let first = 0.3 * (1.0 - reading.sheet.depth(span.row));
        let company = if id.form == Form::Cif { 0.3 } else { 0.0 };
        let score = label + first + company - if customer { 1.2 } else { 0.0 } - 0.2 * other;
        push(reading, &mut found, span, id, repaired, (label, score));
        if customer && let Some(last) = found.last_mut() {
            last.signs.against = 1.0;
        }
    }
    for mut candidate in codes::candidates(reading, &[Concept::TaxId]) {
        let Some(text) = tax_id::of_unknown_form(&candidate.printed) else { continue };
        let customer = under_customer(reading, candidate.spans[0]);
        candidate.value = Normalised::Text(text);
        candidate.score = candidate.signs.label - if customer { 1.2 } else { 0.2 };
        candidate.signs.certainty *= 0.5;
        candidate.signs.against += if customer { 1.0 } else { 0.0 };
        if !found.iter().any(|known| known.value == candidate.value) {
            found.push(candidate);
        }
    }
    found
}

/// Numbers that identify a person: from the machine-readable zone, the check letter or a label.
pub(super) fn id_numbers(reading: &Reading) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for (span, id, repaired) in all(reading) {
        if matches!(id.form, Form::Dni | Form::Nie) {
            let (label, _) = reading.announced(span, &[Concept::IdNumber, Concept::TaxId]);
            push(reading, &mut found, span, id, repaired, (label, 1.5 + label));
        }
    }
    for mut candidate in codes::candidates(reading, &[Concept::IdNumber]) {
        candidate.signs.certainty *= 0.6;
        if !found.iter().any(|known| fold(&known.printed) == fold(&candidate.printed)) {
            found.push(candidate);
        }
    }
    if let Some((mrz, spans)) = &reading.mrz {
        confirm(reading, &mut found, &holder_number(mrz), spans);
    }
    found
}

/// The number people know: in Spain the DNI in the optional data, not that of the card.
fn holder_number(mrz: &Mrz) -> String {
    let personal: String = mrz.personal.chars().filter(|letter| *letter != ' ').collect();
    let spanish = tax_id::parse(&personal).filter(|id| matches!(id.form, Form::Dni | Form::Nie));
    spanish.map_or_else(|| mrz.number.clone(), |id| id.text)
}

/// A value read in the zone: it backs the printed one, or stands in for it.
fn confirm(reading: &Reading, found: &mut Vec<Candidate>, value: &str, spans: &[Span]) {
    let key = fold(value);
    for candidate in found.iter_mut() {
        if fold(&candidate.value.to_string()) == key {
            candidate.signs.support += 2.0;
            candidate.signs.certainty = 1.0;
            candidate.score += 2.0;
            return;
        }
    }
    let Some(first) = spans.first() else { return };
    let mut candidate = reading.candidate(Normalised::Text(value.to_owned()), *first, 2.5);
    value.clone_into(&mut candidate.printed);
    candidate.spans = spans.to_vec();
    candidate.signs.label = 1.0;
    candidate.signs.support = 1.0;
    found.push(candidate);
}

/// The holder of an identity document: given names and surnames, or one full name.
pub(super) fn holders(reading: &Reading) -> Vec<Candidate> {
    let mut found =
        words::candidates(reading, &[Concept::FullName, Concept::Employee], Wanted::Name);
    let given = best_words(reading, Concept::GivenNames);
    let family = best_words(reading, Concept::Surnames);
    if let (Some(given), Some(family)) = (given, family) {
        let name = format!("{} {}", given.printed, family.printed);
        let mut candidate = given.clone();
        candidate.value = Normalised::Text(name.clone());
        candidate.printed = name;
        candidate.spans.extend(&family.spans);
        candidate.score = f32::midpoint(given.score, family.score) + 0.8;
        candidate.signs.label = given.signs.label.min(family.signs.label);
        candidate.signs.legible = given.signs.legible.min(family.signs.legible);
        candidate.signs.certainty = given.signs.certainty.min(family.signs.certainty).max(0.7);
        found.push(candidate);
    }
    if let Some((mrz, spans)) = &reading.mrz {
        confirm(reading, &mut found, &format!("{} {}", mrz.given_names, mrz.surnames), spans);
    }
    found
}

fn best_words(reading: &Reading, concept: Concept) -> Option<Candidate> {
    let found = words::candidates(reading, &[concept], Wanted::Name);
    let mut best = found.into_iter().max_by(|a, b| a.score.total_cmp(&b.score))?;
    if concept == Concept::Surnames
        && let Some(second) = second_surname(reading, best.spans[0])
    {
        best.printed = format!("{} {}", best.printed, reading.sheet.text(second));
        best.spans.push(second);
    }
    Some(best)
}

/// Spanish cards print the second surname below the first, without a label.
fn second_surname(reading: &Reading, span: Span) -> Option<Span> {
    let place = reading.sheet.place(span);
    let letter = place.h.max(1e-3);
    let row = reading.sheet.rows.get(span.row + 1)?;
    let cells = row.cells().into_iter().map(|(from, to)| Span { row: span.row + 1, from, to });
    let under = |cell: &Span| {
        let below = reading.sheet.place(*cell);
        let near =
            (below.x - place.x).abs() < 0.6 * letter && below.y - place.bottom() < 1.2 * letter;
        let alike = (below.h / letter - 1.0).abs() < 0.25;
        let text = reading.sheet.text(*cell);
        let letters = text.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '-');
        let label = |label: &Label| label.span.row == cell.row && label.span.overlaps(*cell);
        near && alike && letters && !reading.labels.iter().any(label)
    };
    cells.into_iter().find(under)
}

pub(super) fn ibans(reading: &Reading) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for (at, row) in reading.sheet.rows.iter().enumerate() {
        for (bytes, text, repaired) in iban::find(&row.text) {
            let (from, to) = row.tokens_at(bytes);
            let span = Span { row: at, from, to };
            let (label, _) = reading.announced(span, &[Concept::Iban]);
            let mut candidate =
                reading.candidate(Normalised::Text(text.clone()), span, 1.0 + label);
            candidate.signs.label = label;
            candidate.signs.certainty = if repaired { 0.9 } else { 1.0 };
            candidate.signs.support = 1.0;
            if !found.iter().any(|known| known.value == candidate.value) {
                found.push(candidate);
            }
        }
    }
    found
}

/// Every tax id of the sheet, also when spaces cut it in two or three.
fn all(reading: &Reading) -> Vec<(Span, TaxId, bool)> {
    let mut found: Vec<(Span, TaxId, bool)> = Vec::new();
    for (at, row) in reading.sheet.rows.iter().enumerate() {
        let mut from = 0;
        while from < row.tokens.len() {
            let read = (1..=3).find_map(|count| {
                let to = from + count;
                if to > row.tokens.len() || (from + 1..to).any(|token| row.gap_before(token) > 1.0)
                {
                    return None;
                }
                let span = Span { row: at, from, to };
                let text = reading.sheet.text(span);
                let text = text.trim_matches([':', ',', ';', '(', ')', '.']);
                let (id, repaired) = tax_id::parse_repaired(text)?;
                // Joined or repaired text fits a check letter by chance one time in 23.
                (count == 1 || !repaired).then_some((span, id, repaired))
            });
            match read {
                Some(read) => {
                    from = read.0.to;
                    found.push(read);
                }
                None => from += 1,
            }
        }
    }
    found
}

fn push(
    reading: &Reading,
    found: &mut Vec<Candidate>,
    span: Span,
    id: TaxId,
    repaired: bool,
    (label, score): (f32, f32),
) {
    let mut candidate = reading.candidate(Normalised::Text(id.text), span, score);
    let printed = candidate.printed.trim_matches([',', ';', '(', ')', '.']).to_owned();
    candidate.printed = printed;
    candidate.signs.label = label;
    candidate.signs.certainty = match (id.checked, repaired) {
        (true, false) => 1.0,
        (true, true) => 0.75,
        (false, _) => 0.6,
    };
    candidate.signs.support = if id.checked { 0.7 } else { 0.0 };
    match found.iter_mut().find(|known| known.value == candidate.value) {
        Some(known) => {
            known.signs.support += 0.5;
            known.score = known.score.max(candidate.score);
            known.signs.label = known.signs.label.max(label);
        }
        None => found.push(candidate),
    }
}

fn under_customer(reading: &Reading, span: Span) -> bool {
    let place = reading.sheet.place(span);
    let letter = reading.sheet.letter(span.row);
    reading.labels.iter().any(|label| {
        let head = reading.sheet.place(label.span);
        let page = reading.sheet.row(label.span).page == reading.sheet.row(span).page;
        let down = (place.y - head.bottom()) / letter;
        label.announces(Concept::Customer) > 0.7
            && page
            && (-2.0..10.0).contains(&down)
            && place.x > head.x - 2.0 * letter
    })
}
