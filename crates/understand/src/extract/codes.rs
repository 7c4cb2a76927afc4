//! Numbers of documents: a code beside its label.

use super::labels::Label;
use super::lexicon::Concept;
use super::parse::date::Day;
use super::parse::{amount, tax_id};
use super::reading::{Candidate, Reading};
use super::sheet::{Row, Span};
use super::value::Normalised;

/// From here on a label calls what it announces the number of the document.
const CALLED: f32 = 0.85;

/// The candidates for a code announced by any of the concepts.
pub(super) fn candidates(reading: &Reading, wanted: &[Concept]) -> Vec<Candidate> {
    let mut found: Vec<(String, Candidate)> = Vec::new();
    for label in &reading.labels {
        let strength = wanted.iter().map(|concept| label.announces(*concept)).fold(0.0, f32::max);
        if strength <= 0.0 {
            continue;
        }
        for span in nearby(reading, label) {
            let text = reading.sheet.text(span);
            let code = text.trim_matches([':', '#', ' ', '.', ',']).to_owned();
            let Some(certainty) = code_like(reading, span, &code) else { continue };
            let certainty = certainty * if begins_words(reading, label, span) { 0.5 } else { 1.0 };
            let certainty = certainty * if mistakable(&code) { 0.6 } else { 1.0 };
            let link = reading.link(label, span).min(1.0);
            // `Factura` is in many sentences; before a code, at the start of a cell, it is a label.
            let glued = link >= 1.0 && certainty >= 0.9 && beside(reading, label, span);
            let opens = reading.sheet.row(span).cell_of(label.span.from).0 == label.span.from;
            let noun = strength > 0.65;
            let strength = if glued && opens && noun { strength.max(0.9) } else { strength };
            // What may be a tax id is the number of a document only where it is called so.
            let called = wanted.contains(&Concept::Number) && strength * link > CALLED;
            if taxed(&code) && !called {
                continue;
            }
            let (_, other) = reading.announced(span, wanted);
            let contested = (other - strength * link).max(0.0);
            let score = 1.6 * strength * link + 0.8 * certainty - contested;
            let mut candidate = reading.candidate(Normalised::Text(code.clone()), span, score);
            candidate.printed.clone_from(&code);
            candidate.signs.label = strength * link;
            candidate.signs.certainty = certainty;
            candidate.signs.against = contested;
            candidate.signs.support = if dated_block(reading, label) { 0.5 } else { 0.0 };
            match found.iter_mut().find(|(known, _)| *known == code) {
                Some((_, known)) => {
                    known.score = known.score.max(score);
                    known.signs.label = known.signs.label.max(strength * link);
                    known.signs.against = known.signs.against.min(contested);
                    known.signs.support = known.signs.support.max(candidate.signs.support);
                }
                None => found.push((code, candidate)),
            }
        }
    }
    for (code, candidate) in &mut found {
        let again =
            reading.sheet.rows.iter().filter(|row| row.text.contains(code.as_str())).count();
        let dated = |(_, day): &(Span, Day)| code.contains(&day.date.year().to_string());
        let dated = code.len() > 5 && reading.days.iter().any(dated);
        candidate.signs.support +=
            if again > 1 { 0.6 } else { 0.0 } + if dated { 0.6 } else { 0.0 };
    }
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The codes a label may mean: the next one on its row, else those in the rows below.
fn nearby(reading: &Reading, label: &Label) -> Vec<Span> {
    let row = reading.sheet.row(label.span);
    let mut spans = Vec::new();
    let mut at = label.span.to;
    while at < row.tokens.len() && spans.is_empty() && at < label.span.to + 4 {
        match code_at(row, label.span.row, at) {
            Some(span) => spans.push(span),
            None => at += 1,
        }
    }
    let below = label.span.row + 1..(label.span.row + 4).min(reading.sheet.rows.len());
    for down in below {
        let row = &reading.sheet.rows[down];
        let mut at = 0;
        while at < row.tokens.len() {
            match code_at(row, down, at) {
                Some(span) => {
                    if reading.link(label, span) > 0.0 {
                        spans.push(span);
                    }
                    at = span.to;
                }
                None => at += 1,
            }
        }
    }
    spans
}

/// Whether a number that does not follow its label goes on in words: a street or a town, not the
/// number of a document.
fn begins_words(reading: &Reading, label: &Label, span: Span) -> bool {
    let row = reading.sheet.row(span);
    let next = row.tokens.get(span.to).filter(|_| row.gap_before(span.to) <= 1.3);
    let worded = |text: &str| text.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    !beside(reading, label, span) && next.is_some_and(|next| worded(&next.text))
}

/// Whether a code follows its label at once, with no more than a blank between.
fn beside(reading: &Reading, label: &Label, span: Span) -> bool {
    let next = span.row == label.span.row && span.from == label.span.to;
    next && (label.colon || reading.sheet.row(span).gap_before(span.from) <= 1.3)
}

/// Whether a code may as well be a tax id.
fn taxed(code: &str) -> bool {
    let letters = code.bytes().filter(u8::is_ascii_alphabetic).count();
    letters < 3 && tax_id::parse(code).is_some()
}

/// Whether the label of a day stands in the same block: numbers and days of documents go together.
fn dated_block(reading: &Reading, label: &Label) -> bool {
    reading.labels.iter().any(|other| {
        other.span != label.span
            && other.span.row.abs_diff(label.span.row) <= 1
            && other.announces(Concept::IssueDate) > 0.8
    })
}

/// The code that starts at a token: pieces of letters, digits and slashes set close together.
fn code_at(row: &Row, at: usize, from: usize) -> Option<Span> {
    let piece = |token: usize| {
        let text = row.tokens[token].text.trim_matches([':', '#', '.', ',']);
        let short = (1..=32).contains(&text.len());
        let form = |letter: char| letter.is_ascii_alphanumeric() || "-/._".contains(letter);
        short && text.chars().all(form)
    };
    let digits = |token: usize| row.tokens[token].text.bytes().filter(u8::is_ascii_digit).count();
    if !piece(from) {
        return None;
    }
    let open = |token: usize| row.tokens[token].text.ends_with(['-', '/', '_']);
    let opens = |token: usize| row.tokens[token].text.starts_with(['-', '/', '_']);
    // A dash between the number and a word belongs to neither.
    let goes_on = |token: usize| {
        let lone = !row.tokens[token].text.contains(|letter: char| letter.is_ascii_alphanumeric());
        let next = if lone { token + 1 } else { token };
        next < row.tokens.len() && digits(next) > 0
    };
    let mut to = from + 1;
    while to < row.tokens.len()
        && to < from + 4
        && piece(to)
        && goes_on(to)
        && row.gap_before(to) < 1.3
        && (open(to - 1)
            || opens(to)
            || series(&row.tokens[from].text) && to == from + 1 && digits(to) > 0)
    {
        to += 1;
    }
    (from..to).any(|token| digits(token) > 0).then_some(Span { row: at, from, to })
}

/// Whether a letter that looks like a digit stands between digits: no series does that, readers do.
fn mistakable(code: &str) -> bool {
    code.as_bytes().windows(3).any(|three| {
        three[0].is_ascii_digit() && b"OoSsBlIiZz".contains(&three[1]) && three[2].is_ascii_digit()
    })
}

/// A short run of capitals before a number: `INV 2024/001`, `F 12`.
fn series(text: &str) -> bool {
    (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// How much a text looks like the number of a document; nothing when it is something else.
fn code_like(reading: &Reading, span: Span, code: &str) -> Option<f32> {
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let letters = code.bytes().filter(u8::is_ascii_alphabetic).count();
    if digits == 0 || digits + letters < 2 || letters > digits + 6 {
        return None;
    }
    let day = reading.days.iter().any(|(day, _)| day.overlaps(span));
    let cents = amount::parse(code).is_some_and(|amount| amount.decimals > 0);
    let percent = code.ends_with('%');
    if day || cents || percent {
        return None;
    }
    let time = code.contains(':');
    if time {
        return None;
    }
    Some(match (digits, letters) {
        (3.., 1..) => 1.0,
        (4.., 0) => 0.9,
        (3, 0) => 0.7,
        (_, _) => 0.45,
    })
}
