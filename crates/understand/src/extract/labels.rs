//! Labels on the sheet: the longest known phrase at each place, misreadings forgiven.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lexicon::{BUILT_IN, Concept, MAX_WORDS, Phrase};
use super::sheet::{Row, Sheet, Span};
use super::text::{letters, likeness};

/// A label where it is printed.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) span: Span,
    /// Several when one phrase announces several things.
    pub(super) meanings: Vec<(Concept, f32)>,
    pub(super) colon: bool,
}

impl Label {
    /// How strongly it announces the concept; 0 when it does not.
    pub(super) fn announces(&self, concept: Concept) -> f32 {
        let meant = self.meanings.iter().filter(|(meant, _)| *meant == concept);
        meant.map(|(_, strength)| *strength).fold(0.0, f32::max)
    }
}

/// Phrases by length, so that a window is compared with few.
struct Index<'p> {
    by_length: HashMap<usize, Vec<&'p Phrase>>,
}

static BUILT_IN_INDEX: LazyLock<Index<'static>> = LazyLock::new(|| Index::new(&BUILT_IN));

impl<'p> Index<'p> {
    fn new(phrases: &'p [Phrase]) -> Self {
        let mut by_length: HashMap<usize, Vec<&Phrase>> = HashMap::new();
        for phrase in phrases {
            by_length.entry(phrase.shaped.len()).or_default().push(phrase);
        }
        Self { by_length }
    }

    /// The meanings of a window of words, the best likeness first found deciding.
    fn look_up(&self, window: &str, set: u64, found: &mut Vec<(Concept, f32, f32)>) {
        let slack = match window.len() {
            0..=4 => 0,
            5..=7 => 1,
            _ => 2,
        };
        for length in window.len().saturating_sub(slack)..=window.len() + slack {
            for phrase in self.by_length.get(&length).into_iter().flatten() {
                if (phrase.letters ^ set).count_ones() as usize > 2 * slack {
                    continue;
                }
                let alike = likeness(&phrase.shaped, window);
                if alike > 0.7 {
                    found.push((phrase.concept, phrase.strength, alike));
                }
            }
        }
    }
}

/// Every label of the sheet: the built-in ones and those the schema adds.
pub(super) fn find(sheet: &Sheet, custom: &[Phrase]) -> Vec<Label> {
    let custom = Index::new(custom);
    let mut labels = Vec::new();
    for (at, row) in sheet.rows.iter().enumerate() {
        let mut from = 0;
        while from < row.tokens.len() {
            match longest_at(row, from, &custom) {
                Some((to, meanings)) => {
                    let colon = has_colon(row, to);
                    labels.push(Label { span: Span { row: at, from, to }, meanings, colon });
                    from = to;
                }
                None => from += 1,
            }
        }
    }
    labels.extend(numbered(sheet));
    labels
}

/// Driving licences number their fields instead of naming them (directive 2006/126/EC).
fn numbered(sheet: &Sheet) -> Vec<Label> {
    const FIELDS: [(&str, Concept); 6] = [
        ("1.", Concept::Surnames),
        ("2.", Concept::GivenNames),
        ("3.", Concept::BirthDate),
        ("4a.", Concept::OtherDate),
        ("4b.", Concept::ExpiryDate),
        ("5.", Concept::IdNumber),
    ];
    let mut labels = Vec::new();
    let mut next = 0;
    for (at, row) in sheet.rows.iter().enumerate() {
        let known = |(text, _): &(&str, Concept)| row.tokens[0].text.eq_ignore_ascii_case(text);
        let Some(found) = FIELDS.iter().skip(next).position(known) else { continue };
        let (_, concept) = FIELDS[next + found];
        next += found + 1;
        let span = Span { row: at, from: 0, to: 1 };
        labels.push(Label { span, meanings: vec![(concept, 0.9)], colon: true });
    }
    // Without the two dates it is a list of clauses.
    let dated = labels.iter().any(|label| label.announces(Concept::ExpiryDate) > 0.0);
    if labels.len() >= 4 && dated { labels } else { Vec::new() }
}

type Match = (usize, Vec<(Concept, f32)>);

fn longest_at(row: &Row, from: usize, custom: &Index<'_>) -> Option<Match> {
    if row.tokens[from].folded.is_empty() {
        return None;
    }
    let mut window = String::new();
    let mut best = None;
    for to in from + 1..=(from + MAX_WORDS).min(row.tokens.len()) {
        // A wide gap or a colon ends a label.
        if to > from + 1 && (row.gap_before(to - 1) > 1.3 || row.tokens[to - 2].text.ends_with(':'))
        {
            break;
        }
        window.push_str(&row.tokens[to - 1].shaped);
        if window.len() > 40 {
            break;
        }
        let mut found = Vec::new();
        if to == from + 1 && is_sign(&row.tokens[from].text) {
            best = Some((to, vec![(Concept::Number, 0.6)]));
        }
        let set = letters(&window);
        custom.look_up(&window, set, &mut found);
        // A number behind a label is its value, never a misread word of it.
        let last = &row.tokens[to - 1].folded;
        if last.is_empty() || !last.bytes().all(|byte| byte.is_ascii_digit()) {
            BUILT_IN_INDEX.look_up(&window, set, &mut found);
        }
        // `employer` is no misreading of `employee`: what fits better leaves the rest out.
        let closest = found.iter().map(|(_, _, alike)| *alike).fold(0.0, f32::max);
        found.retain(|(_, _, alike)| *alike > closest - 0.02);
        if !found.is_empty() {
            let meanings = found.iter().map(|(meant, strength, alike)| (*meant, strength * alike));
            best = Some((to, meanings.collect()));
        }
    }
    best
}

/// `Nº` or `No.` alone: the number of something, of the document when nothing else is named.
fn is_sign(text: &str) -> bool {
    const SIGNS: [&str; 9] = ["Nº", "N°", "N.º", "No.", "NO.", "Nr.", "Núm.", "Num.", "Nº."];
    SIGNS.contains(&text.trim_end_matches(':'))
}

fn has_colon(row: &Row, to: usize) -> bool {
    // A full stop does too, unless it ends an abbreviation or a sentence.
    let (from, end) = row.cell_of(to - 1);
    let stop = |text: &str| {
        let word = text.strip_suffix('.').unwrap_or_default();
        let closed = word.ends_with(char::is_alphanumeric);
        word.chars().count() > 4 && closed && !word.contains('.') && end - from <= 12
    };
    let ends = |token: usize| row.tokens[token].text.ends_with([':', '：']);
    let lone =
        row.tokens.get(to).is_some_and(|next| matches!(next.text.as_str(), ":" | "：" | "="));
    ends(to - 1) || stop(&row.tokens[to - 1].text) || lone
}

#[cfg(test)]
mod tests {
    use super::super::sheet::tests::typed;
    use super::*;

    fn first(text: &str) -> (usize, Concept) {
        let sheet = Sheet::new(&[&typed(text)]);
        let labels = find(&sheet, &[]);
        let label = labels.first().unwrap();
        (label.span.to - label.span.from, label.meanings[0].0)
    }

    #[test]
    fn the_longest_phrase_wins() {
        assert_eq!(first("Fecha de vencimiento: 12/03/2024"), (3, Concept::DueDate));
        assert_eq!(first("Fecha 12/03/2024"), (1, Concept::IssueDate));
        assert_eq!(first("Nº de factura F-12"), (3, Concept::Number));
        assert_eq!(first("INVOICE NO: 12"), (2, Concept::Number));
    }

    #[test]
    fn misread_and_merged_words_are_known() {
        assert_eq!(first("lnvoice N0.: 12"), (2, Concept::Number));
        assert_eq!(first("INVOICENO: 12"), (1, Concept::Number));
        assert_eq!(first("Fecha de nacimlento"), (3, Concept::BirthDate));
        assert_eq!(first("Date d'échéance"), (2, Concept::DueDate));
    }

    #[test]
    fn letters_that_meet_between_two_words_are_not_one() {
        assert_eq!(first("Employer name Prescott Ltd"), (2, Concept::Vendor));
        assert_eq!(first("Order no 12"), (2, Concept::OrderNumber));
        assert_eq!(first("ORDERNO: 12"), (1, Concept::OrderNumber));
    }

    #[test]
    fn a_schema_adds_its_own() {
        let sheet = Sheet::new(&[&typed("Póliza nº: 99-XY")]);
        let custom = Phrase::all("póliza nº", Concept::Custom(3), 1.0);
        assert!(find(&sheet, &custom)[0].announces(Concept::Custom(3)) > 0.9);
    }
}
