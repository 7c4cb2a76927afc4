//! What a page talks about, whatever its language: words of one meaning are one feature.
//!
//! Single words tell the pages a model has seen; meanings carry over to layouts and languages it
//! has not. Each meaning is told three times: that it is there at all, that it is in the upper part,
//! and that it is printed large.

use std::{collections::HashMap, sync::LazyLock};

use page::PageText;

use crate::extract::text::{fold, shape, shapes};

/// `meaning: word | word`, on lines that go on while they are indented.
const MEANINGS: &str = include_str!("../../text/kinds.txt");
/// Meanings there may be.
const MOST: u32 = 64;
/// What [`topics`] gives is below this.
pub(super) const TOPICS: u32 = MOST * 3;
/// The longest phrase in words, and in letters.
const WINDOW: usize = 4;
const LETTERS: usize = 36;
/// The upper part of what is printed, and how much larger than usual large print is.
const UPPER: f32 = 0.36;
const LARGE: f32 = 1.35;

static PHRASES: LazyLock<HashMap<String, Vec<u32>>> = LazyLock::new(|| {
    let mut phrases: HashMap<String, Vec<u32>> = HashMap::new();
    let mut meaning = 0;
    for (at, line) in MEANINGS.lines().enumerate() {
        let words = line.strip_prefix("    ").unwrap_or_else(|| {
            meaning += u32::from(at > 0);
            line.split_once(": ").map_or("", |(_, words)| words)
        });
        for phrase in words.split('|').flat_map(shapes).filter(|shape| !shape.is_empty()) {
            let meanings = phrases.entry(phrase).or_default();
            if !meanings.contains(&meaning) {
                meanings.push(meaning);
            }
        }
    }
    debug_assert!(meaning < MOST, "features are numbered by meaning");
    phrases
});

/// Words without case, accents, gaps and the commonest slips of readers.
fn key(text: &str) -> String {
    shape(&fold(text))
}

/// The meanings of the longest known end of a long word: `Handelsrechnung` is a `Rechnung`.
fn compound(word: &str) -> Option<&'static Vec<u32>> {
    let ends = (2..word.len().saturating_sub(6)).filter_map(|at| word.get(at..));
    ends.into_iter().find_map(|end| PHRASES.get(end))
}

/// The meanings of a page as numbered features.
pub(super) fn topics(page: &PageText) -> Vec<u32> {
    let mut heights: Vec<f32> = page.words.iter().map(|word| word.place.h).collect();
    heights.sort_by(f32::total_cmp);
    let usual = heights.get(heights.len() / 2).copied().unwrap_or(1.0).max(0.1);
    let top = page.words.iter().map(|word| word.place.y).fold(f32::MAX, f32::min);
    let low = page.words.iter().map(|word| word.place.bottom()).fold(f32::MIN, f32::max);
    let upper = top + (low - top) * UPPER;
    let mut found = Vec::new();
    for line in page.lines() {
        let keys: Vec<String> =
            line.words.iter().map(|word| key(&page.words[*word].text)).collect();
        for from in 0..keys.len() {
            let mut window = String::new();
            for (to, word) in keys.iter().enumerate().skip(from).take(WINDOW) {
                window.push_str(word);
                if window.len() > LETTERS {
                    break;
                }
                let alone = to == from;
                let known =
                    PHRASES.get(&window).or_else(|| alone.then(|| compound(word)).flatten());
                for meaning in known.into_iter().flatten() {
                    let place = page.words[line.words[to]].place;
                    found.push(*meaning);
                    found.extend((place.y < upper).then_some(MOST + meaning));
                    found.extend((place.h > LARGE * usual).then_some(2 * MOST + meaning));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use page::{Rect, Source, Word};

    use super::*;

    fn page(words: &[(&str, f32, f32)]) -> PageText {
        let word = |(text, y, h): &(&str, f32, f32)| {
            let place = Rect { x: 10.0, y: *y, w: 50.0, h: *h };
            Word { text: (*text).to_owned(), place, confidence: 1.0 }
        };
        let words = words.iter().map(word).collect();
        PageText { width: 600.0, height: 800.0, source: Source::TextLayer, turned: 0, words }
    }

    #[test]
    fn one_meaning_in_every_language_and_where_it_stands() {
        let told = |title: &str, h: f32| {
            let rest = ("uno", 300.0, 10.0);
            topics(&page(&[(title, 10.0, h), rest, ("dos", 500.0, 10.0), ("x", 700.0, 10.0)]))
        };
        let spanish = told("FACTURA", 10.0);
        assert!(!spanish.is_empty());
        for title in ["Invoice", "FACTURE", "Fatura", "1NVOICE", "TAXINVOICE"] {
            assert_eq!(told(title, 10.0), spanish, "{title}");
        }
        assert_eq!(told("FACTURA", 30.0).len(), spanish.len() + 1, "large print is told");
        assert_eq!(told("Handelsrechnung", 10.0), told("Rechnung", 10.0));
        assert_eq!(told("zzz", 30.0), Vec::<u32>::new());
        let below = topics(&page(&[("x", 10.0, 10.0), ("Factura", 700.0, 10.0)]));
        assert_eq!(below.len(), 1);
    }
}
