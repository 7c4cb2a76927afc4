//! Words beside a label: names, places, periods.

use super::labels::Label;
use super::lexicon::Concept;
use super::parse::date;
use super::reading::{Candidate, Reading};
use super::sheet::Span;
use super::text::fold;
use super::value::Normalised;

/// What kind of words is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Letters only, two words or more score best.
    Name,
    Organisation,
    Anything,
}

/// The candidates announced by any of the concepts.
pub(super) fn candidates(
    reading: &Reading,
    concepts: &[Concept],
    wanted: Wanted,
) -> Vec<Candidate> {
    let mut found: Vec<(String, Candidate)> = Vec::new();
    for label in &reading.labels {
        let strength = concepts.iter().map(|concept| label.announces(*concept)).fold(0.0, f32::max);
        if strength <= 0.0 || !opens_cell(reading, label) {
            continue;
        }
        for (span, link) in nearby(reading, label) {
            let span = behind_label(reading, label, span);
            let text = tidy(&reading.sheet.text(span));
            let Some(certainty) = suits(&text, wanted) else { continue };
            let named = wanted == Wanted::Name;
            if named && priced(reading, span) {
                continue;
            }
            // A whole name right behind a label is what the label announces, colon or not.
            let beside = named && certainty >= 1.0 && span.row == label.span.row;
            let link = if beside { link.max(BESIDE) } else { link };
            let colon = if label.colon { 0.2 } else { 0.0 };
            let score = 1.5 * strength * link + certainty + colon;
            let mut candidate = reading.candidate(Normalised::Text(text.clone()), span, score);
            candidate.printed.clone_from(&text);
            candidate.signs.label = strength * link;
            candidate.signs.certainty = certainty;
            match found.iter_mut().find(|(known, _)| *known == text) {
                Some((_, known)) => {
                    known.score = known.score.max(score) + 0.2;
                    known.signs.support = 0.6;
                    known.signs.label = known.signs.label.max(strength * link);
                }
                None => found.push((text, candidate)),
            }
            if beside {
                break;
            }
        }
    }
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// How well a label explains a whole name that follows it without a colon.
const BESIDE: f32 = 0.9;

/// Whether an amount follows on the row: then the words say what it is for.
fn priced(reading: &Reading, span: Span) -> bool {
    reading.money.iter().any(|one| one.span.row == span.row && one.span.from >= span.to)
}

/// The span without a label of the same thing, or a title, at its start.
fn behind_label(reading: &Reading, label: &Label, span: Span) -> Span {
    let alike = |other: &&Label| {
        let mut meanings = other.meanings.iter();
        other.span.row == span.row
            && other.span.from == span.from
            && other.span.to < span.to
            && (other.colon || meanings.any(|(concept, _)| label.announces(*concept) > 0.0))
    };
    let led = reading.labels.iter().find(alike);
    let from = led.map_or(span.from, |other| other.span.to);
    let titled = |token: usize| {
        let text = &reading.sheet.row(span).tokens[token].text;
        TITLES.contains(&fold(text).as_str()) && text.ends_with(['.', ':'])
    };
    let from = if titled(from) && from + 1 < span.to { from + 1 } else { from };
    Span { from, ..span }
}

/// What stands before the name of a person.
const TITLES: [&str; 12] =
    ["d", "dna", "da", "ddna", "don", "dona", "sr", "sra", "mr", "mrs", "ms", "miss"];

/// People whom running text introduces, as contracts do: behind a title, or before the name they
/// go by in the text.
pub(super) fn introduced(reading: &Reading) -> Vec<Candidate> {
    let rows = reading.sheet.rows.iter().enumerate().take(60);
    let words: Vec<(usize, usize, &str)> = rows
        .flat_map(|(at, row)| {
            row.tokens.iter().enumerate().map(move |(n, token)| (at, n, token.text.as_str()))
        })
        .collect();
    let capital = |text: &str| text.starts_with(char::is_uppercase) && text.len() > 1;
    let ends = |text: &str| text.ends_with([',', ';', ')', '.', ':']);
    let mut found: Vec<Candidate> = Vec::new();
    for at in 1..words.len() {
        let titled = TITLES.contains(&fold(words[at - 1].2).as_str())
            && words[at - 1].2.starts_with(char::is_uppercase);
        let (from, to) = if titled && capital(words[at].2) {
            let more = words[at..].iter().take(6).take_while(|(_, _, text)| capital(text));
            let last = words[at..].iter().take(6).position(|(_, _, text)| ends(text));
            (at, at + more.count().min(last.map_or(6, |last| last + 1)))
        } else if words[at].2.starts_with('(') {
            let before = words[..at].iter().rev().take(5);
            let count = before.take_while(|(_, _, text)| capital(text) && !ends(text)).count();
            (at - count, at)
        } else {
            continue;
        };
        let text = tidy(&words[from..to].iter().map(|word| word.2).collect::<Vec<_>>().join(" "));
        let Some(certainty) = suits(&text, Wanted::Name).filter(|sure| *sure > 0.9) else {
            continue;
        };
        let (row, first, _) = words[from];
        let same = words[from..to].iter().filter(|word| word.0 == row).count();
        let mut spans = vec![Span { row, from: first, to: first + same }];
        if let Some((next, n, _)) = words[from..to].get(same) {
            spans.push(Span { row: *next, from: *n, to: n + (to - from - same) });
        }
        // `(the "Employee")`: the name it goes by is a label itself.
        let called = |label: &Label| {
            let near = words[to..].iter().take(3).any(|(row, n, _)| {
                label.span.row == *row && label.span.from <= *n && *n < label.span.to
            });
            near && label.announces(Concept::Employee) > 0.0
        };
        let called = reading.labels.iter().any(called);
        // The parties are two: `between …, and …`.
        let mut before = words[..from].iter().rev().map(|word| fold(word.2));
        let before = before.find(|word| !TITLES.contains(&word.as_str()));
        let second = before.is_some_and(|word| matches!(word.as_str(), "and" | "y" | "et" | "e"));
        let fits = if called { 0.6 } else { 0.0 } + if second { 0.5 } else { 0.0 };
        let score = 1.4 + certainty + fits + 0.1 * found.len() as f32;
        let mut candidate = reading.candidate(Normalised::Text(text.clone()), spans[0], score);
        candidate.signs.label = 0.9;
        candidate.signs.certainty = certainty;
        let rows = reading.sheet.rows.iter();
        let again = rows.filter(|row| row.text.contains(&text)).count() > 1;
        candidate.signs.support = if again { 0.6 } else { 0.0 } + fits;
        candidate.printed = text;
        candidate.spans = spans;
        if !found.iter().any(|known| known.printed == candidate.printed) {
            found.push(candidate);
        }
    }
    found
}

/// Whether nothing but a number or a mark stands before the label in its cell, or a colon.
fn opens_cell(reading: &Reading, label: &Label) -> bool {
    let row = reading.sheet.row(label.span);
    let (from, to) = row.cell_of(label.span.from);
    // In running text a word is not a label.
    if to - from > 12 && !label.colon {
        return false;
    }
    let before = &row.tokens[from..label.span.from];
    label.colon && before.len() < 3
        || before.iter().all(|token| !token.folded.chars().any(char::is_alphabetic))
}

/// The cells a label may mean: what follows it on its row, and the nearest below it.
fn nearby(reading: &Reading, label: &Label) -> Vec<(Span, f32)> {
    let row = reading.sheet.row(label.span);
    let mut spans = Vec::new();
    let next_label = reading.labels.iter().find(|other| {
        other.span.row == label.span.row && other.span.from >= label.span.to && other.colon
    });
    let mut from = label.span.to;
    while row.tokens.get(from).is_some_and(|token| token.folded.is_empty()) {
        from += 1;
    }
    if from < row.tokens.len() {
        let (_, cell_end) = row.cell_of(from);
        let to = next_label.map_or(cell_end, |next| cell_end.min(next.span.from));
        let gap = row.gap_before(from);
        // Words glued to a label without a colon are usually the rest of a longer label.
        let link = if label.colon {
            1.0
        } else if gap > 1.3 {
            0.95
        } else {
            0.6
        };
        if to > from && !labelled(reading, Span { row: label.span.row, from, to }) {
            spans.push((Span { row: label.span.row, from, to }, link));
        }
    }
    let below = label.span.row + 1..(label.span.row + 4).min(reading.sheet.rows.len());
    let mut nearest = None;
    for down in below {
        for (from, to) in reading.sheet.rows[down].cells() {
            let span = Span { row: down, from, to };
            let link = reading.link(label, span);
            if link > 0.0 && nearest.is_none() && !labelled(reading, span) {
                nearest = Some((span, link));
            }
        }
    }
    // What stands beside a label leaves little for what stands below.
    let beside = if spans.is_empty() { 1.0 } else { 0.5 };
    spans.extend(nearest.map(|(span, link)| (span, link * beside)));
    spans
}

/// Whether the cell is itself a label, or starts as one with a colon.
pub(super) fn labelled(reading: &Reading, span: Span) -> bool {
    reading.labels.iter().any(|label| {
        let inside = label.span.row == span.row && label.span.from == span.from;
        inside && (label.colon || label.span.to >= span.to)
    })
}

/// Without the marks around it; a full stop at the end may belong to a legal form.
fn tidy(text: &str) -> String {
    let mark = |letter: char| letter.is_whitespace() || ":;,-_|*/".contains(letter);
    let text = text.trim_end_matches(mark);
    let text = text.trim_start_matches(|letter| mark(letter) || letter == '.');
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn suits(text: &str, wanted: Wanted) -> Option<f32> {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let words = text.split_whitespace().count();
    if text.len() > 200 || letters + digits == 0 {
        return None;
    }
    match wanted {
        Wanted::Anything => Some(0.7),
        Wanted::Organisation if letters >= 3 && digits <= letters && words <= 10 => {
            let legal = super::party::legal_form(text);
            Some(if legal { 1.0 } else { 0.7 })
        }
        Wanted::Name
            if letters >= 2 && digits == 0 && words <= 7 && !super::party::legal_form(text) =>
        {
            let odd = text.chars().any(|letter| {
                let mark = letter.is_whitespace() || "'’-.,ªº".contains(letter);
                !(letter.is_alphabetic() || mark)
            });
            let lower =
                |word: &str| word.chars().count() > 3 && word.starts_with(char::is_lowercase);
            if !text.split_whitespace().any(|word| word.starts_with(char::is_uppercase)) {
                return None;
            }
            let odd = odd || text.split_whitespace().any(lower) || abbreviated(text);
            Some(match (odd, words) {
                (true, _) => 0.3,
                (false, 1) => 0.55,
                (false, 2..=5) => 1.0,
                (false, _) => 0.6,
            })
        }
        Wanted::Organisation | Wanted::Name => None,
    }
}

/// Whether a name ends in capitals that the rest of it is not written in: `Perth WA` is a place.
fn abbreviated(text: &str) -> bool {
    let shouted = |word: &str| {
        let letters = word.chars().filter(|letter| letter.is_alphabetic());
        letters.clone().count() > 1 && letters.into_iter().all(char::is_uppercase)
    };
    let last = text.split_whitespace().next_back().unwrap_or_default();
    last.len() < 4 && shouted(last) && text.contains(char::is_lowercase)
}

/// Periods of a payslip: what stands at the label, else a month with its year, else two days.
pub(super) fn periods(reading: &Reading) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (at, row) in reading.sheet.rows.iter().enumerate() {
        let days: Vec<&Span> =
            reading.days.iter().map(|(span, _)| span).filter(|span| span.row == at).collect();
        if let [first, .., last] = days[..] {
            push_period(reading, &mut found, Span { row: at, from: first.from, to: last.to }, 0.9);
        }
        for from in 0..row.tokens.len() {
            let named = date::month(&row.tokens[from].text).is_some()
                && row.tokens[from].text.chars().filter(|letter| letter.is_alphabetic()).count()
                    > 2;
            let day_before =
                from > 0 && row.tokens[from - 1].text.bytes().any(|b| b.is_ascii_digit());
            let upto =
                (from + 1..row.tokens.len().min(from + 3)).find(|to| year(&row.tokens[*to].text));
            if let Some(to) = upto.filter(|_| named) {
                let span = Span { row: at, from, to: to + 1 };
                push_period(reading, &mut found, span, if day_before { 0.3 } else { 0.85 });
            }
            if month_and_year(&row.tokens[from].text) {
                push_period(reading, &mut found, Span { row: at, from, to: from + 1 }, 0.85);
            }
        }
    }
    found
}

fn push_period(reading: &Reading, found: &mut Vec<Candidate>, span: Span, certainty: f32) {
    let text = tidy(&reading.sheet.text(span));
    let value = month_of(reading, span).unwrap_or_else(|| text.clone());
    let (label, other) = reading.announced(span, &[Concept::Period]);
    let score = 1.5 * label + certainty - 0.7 * (other - label).max(0.0);
    let mut candidate = reading.candidate(Normalised::Text(value), span, score);
    candidate.signs.label = label;
    candidate.signs.certainty = certainty;
    candidate.signs.against = (other - label).clamp(0.0, 1.0);
    candidate.printed = text;
    match found.iter_mut().find(|known| known.value == candidate.value) {
        Some(known) => {
            let support = known.signs.support + 0.6;
            if candidate.score > known.score {
                *known = candidate;
            }
            known.signs.support = support;
            known.score += 0.2;
        }
        None => found.push(candidate),
    }
}

/// The month a period covers, as `2024-03`; nothing when it spans several or none is read.
fn month_of(reading: &Reading, span: Span) -> Option<String> {
    let inside = reading.days.iter().filter(|(day, _)| day.overlaps(span));
    let months: Vec<(i16, i8)> =
        inside.map(|(_, day)| (day.date.year(), day.date.month())).collect();
    if let Some((year, month)) = months.first() {
        let one = months.iter().all(|other| other == &(*year, *month));
        return one.then(|| format!("{year}-{month:02}"));
    }
    let tokens = reading.sheet.tokens(span);
    let words = || tokens.iter().flat_map(|token| token.text.split(['/', '-', ',', '.', ':']));
    let year = words().find(|word| year(word) && word.len() == 4)?;
    let number =
        |word: &str| word.parse::<i8>().ok().filter(|m| word.len() == 2 && (1..=12).contains(m));
    let month = words().find_map(|word| date::month(word).or_else(|| number(word)))?;
    Some(format!("{year}-{month:02}"))
}

fn year(text: &str) -> bool {
    let digits = text.trim_matches(|letter: char| !letter.is_ascii_digit());
    digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"))
}

/// `03/2024`, `2024-03`.
fn month_and_year(text: &str) -> bool {
    let text = text.trim_matches([':', ',', '.']);
    let Some((a, b)) = text.split_once(['/', '-']) else { return false };
    let month =
        |text: &str| text.len() == 2 && text.parse::<u8>().is_ok_and(|m| (1..=12).contains(&m));
    month(a) && b.len() == 4 && year(b) || month(b) && a.len() == 4 && year(a)
}
