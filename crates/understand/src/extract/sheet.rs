//! The document as rows of tokens, the form every search works on.

use std::collections::HashMap;

use page::{PageText, Rect, Source};

use super::text::{fold, shape};

/// Bounds of what is looked at: a page of small print holds some 2,000 words.
const MAX_PAGES: usize = 60;
const MAX_TOKENS_PER_PAGE: usize = 6_000;
const MAX_TOKEN_BYTES: usize = 120;
/// How sure of a word a reader of pictures can be.
const MOST: f32 = 0.9999;

/// All rows of all pages, top to bottom.
pub(super) struct Sheet {
    pub(super) rows: Vec<Row>,
    pub(super) pages: Vec<Leaf>,
}

/// What a page is like.
pub(super) struct Leaf {
    pub(super) height: f32,
    /// The usual height of its letters.
    pub(super) letter: f32,
    /// How much lines fall from left to right, undone in the places of tokens.
    slope: f32,
}

/// One printed line.
pub(super) struct Row {
    pub(super) page: usize,
    pub(super) tokens: Vec<Token>,
    pub(super) place: Rect,
    /// The tokens with one space between.
    pub(super) text: String,
    /// Where in `text` each token starts.
    starts: Vec<usize>,
}

/// One word, or the part of it before or after a colon.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) folded: String,
    pub(super) shaped: String,
    pub(super) place: Rect,
    pub(super) confidence: f32,
}

/// Neighbouring tokens of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) row: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Sheet {
    pub(super) fn new(pages: &[&PageText]) -> Self {
        let mut rows = Vec::new();
        let mut leaves = Vec::new();
        for (index, page) in pages.iter().take(MAX_PAGES).enumerate() {
            let mut budget = MAX_TOKENS_PER_PAGE;
            let before = rows.len();
            let slope = slope_of(page);
            let page = &levelled(page, slope);
            for line in page.lines() {
                let words = line.words.iter().take(budget).map(|word| &page.words[*word]);
                let mut tokens: Vec<Token> = words.flat_map(tokens).collect();
                if page.source == Source::Ocr {
                    // No reader of pictures is as sure as print.
                    let capped = |token: &mut Token| token.confidence = token.confidence.min(MOST);
                    tokens.iter_mut().for_each(capped);
                }
                budget = budget.saturating_sub(line.words.len());
                if !tokens.is_empty() {
                    rows.push(Row::new(index, tokens));
                }
            }
            let heights = rows[before..].iter().flat_map(|row| &row.tokens);
            let mut heights: Vec<f32> = heights.map(|token| token.place.h).collect();
            heights.sort_by(f32::total_cmp);
            let letter = heights.get(heights.len() / 2).copied().unwrap_or(1.0).max(1e-3);
            leaves.push(Leaf { height: page.height, letter, slope });
        }
        Self { rows, pages: leaves }
    }

    pub(super) fn row(&self, span: Span) -> &Row {
        &self.rows[span.row]
    }

    pub(super) fn tokens(&self, span: Span) -> &[Token] {
        &self.rows[span.row].tokens[span.from..span.to]
    }

    pub(super) fn place(&self, span: Span) -> Rect {
        let mut places = self.tokens(span).iter().map(|token| token.place);
        let first = places.next().unwrap_or_default();
        places.fold(first, |all, place| all.union(&place))
    }

    /// Where the tokens stand on the page as it was given.
    pub(super) fn printed_place(&self, span: Span) -> Rect {
        let slope = self.pages[self.row(span).page].slope;
        let mut places = self.tokens(span).iter().map(|token| tilted(token.place, slope));
        let first = places.next().unwrap_or_default();
        places.fold(first, |all, place| all.union(&place))
    }

    pub(super) fn text(&self, span: Span) -> String {
        let words: Vec<&str> = self.tokens(span).iter().map(|token| token.text.as_str()).collect();
        words.join(" ")
    }

    /// How sure the reader was of the least readable word.
    pub(super) fn confidence(&self, span: Span) -> f32 {
        self.tokens(span).iter().map(|token| token.confidence).fold(1.0, f32::min)
    }

    /// The usual letter height on the page of a row.
    pub(super) fn letter(&self, row: usize) -> f32 {
        self.pages[self.rows[row].page].letter
    }

    /// How far down its page a row stands, 0 to 1.
    pub(super) fn depth(&self, row: usize) -> f32 {
        let row = &self.rows[row];
        (row.place.middle().1 / self.pages[row.page].height.max(1.0)).clamp(0.0, 1.0)
    }
}

impl Row {
    fn new(page: usize, tokens: Vec<Token>) -> Self {
        let mut text = String::new();
        let mut starts = Vec::with_capacity(tokens.len());
        for token in &tokens {
            if !text.is_empty() {
                text.push(' ');
            }
            starts.push(text.len());
            text.push_str(&token.text);
        }
        let first = tokens.first().map(|token| token.place).unwrap_or_default();
        let place = tokens.iter().fold(first, |all, token| all.union(&token.place));
        Self { page, tokens, place, text, starts }
    }

    /// The tokens that a piece of `text` touches.
    pub(super) fn tokens_at(&self, bytes: std::ops::Range<usize>) -> (usize, usize) {
        let from = self.starts.partition_point(|start| *start <= bytes.start).saturating_sub(1);
        let to = self.starts.partition_point(|start| *start < bytes.end);
        (from, to.max(from + 1).min(self.tokens.len()))
    }

    /// The empty space before a token, in letter heights.
    pub(super) fn gap_before(&self, token: usize) -> f32 {
        let Some(left) = token.checked_sub(1) else { return f32::INFINITY };
        let (left, right) = (&self.tokens[left].place, &self.tokens[token].place);
        (right.x - left.right()) / right.h.min(left.h).max(1e-3)
    }

    /// Ranges of tokens with no wide gap between: what a reader sees as one piece of text.
    pub(super) fn cells(&self) -> Vec<(usize, usize)> {
        let mut cells = Vec::new();
        let mut from = 0;
        for token in 1..self.tokens.len() {
            if self.gap_before(token) > 1.3 {
                cells.push((from, token));
                from = token;
            }
        }
        cells.push((from, self.tokens.len()));
        cells
    }

    /// The cell a token is in.
    pub(super) fn cell_of(&self, token: usize) -> (usize, usize) {
        let inside = |cell: &(usize, usize)| cell.0 <= token && token < cell.1;
        self.cells().into_iter().find(inside).unwrap_or((token, token + 1))
    }
}

impl Span {
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.row == other.row && self.from < other.to && other.from < self.to
    }
}

fn tilted(place: Rect, slope: f32) -> Rect {
    Rect { y: place.y + slope * (place.x + place.w / 2.0), ..place }
}

fn levelled(page: &PageText, slope: f32) -> PageText {
    let mut page = page.clone();
    for word in &mut page.words {
        word.place = tilted(word.place, -slope);
    }
    page
}

/// The slope at which the words stand closest to common lines; level unless another is clearly
/// better.
fn slope_of(page: &PageText) -> f32 {
    let mut heights: Vec<f32> = page.words.iter().map(|word| word.place.h).collect();
    heights.sort_by(f32::total_cmp);
    let Some(letter) = heights.get(heights.len() / 2).copied() else { return 0.0 };
    if page.words.len() > MAX_TOKENS_PER_PAGE {
        return 0.0;
    }
    let step = (letter / 4.0).max(1e-3);
    let mut strips: HashMap<i32, f32> = HashMap::new();
    // On level lines few strips hold many words; on a tilted page every strip holds a few.
    let mut gathered = |slope: f32| {
        strips.clear();
        for word in &page.words {
            let (x, y) = word.place.middle();
            let strip = ((y - slope * x) / step) as i32;
            for near in [strip, strip + 1] {
                *strips.entry(near).or_default() += 1.0;
            }
        }
        let mut counts: Vec<f32> = strips.values().copied().collect();
        counts.sort_by(f32::total_cmp);
        counts.iter().map(|count| count * count).sum::<f32>()
    };
    let level = gathered(0.0) * 1.07;
    let slopes = (1..=12).flat_map(|step| [step as f32 * 0.005, step as f32 * -0.005]);
    let best = slopes.map(|slope| (gathered(slope), slope)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(count, _)| *count > level).map_or(0.0, |(_, slope)| slope)
}

/// A word as tokens: cut at white space and after a colon that is not part of a time or a URL.
fn tokens(word: &page::Word) -> Vec<Token> {
    let mut end = word.text.len().min(MAX_TOKEN_BYTES);
    while !word.text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &word.text[..end];
    let all = text.chars().count().max(1) as f32;
    let mut tokens = Vec::new();
    let (mut from, mut from_letter) = (0, 0);
    let mut before = ' ';
    let mut letters = text.char_indices().enumerate().peekable();
    while let Some((count, (at, letter))) = letters.next() {
        let next = letters.peek().map(|(_, (_, next))| *next);
        let after = at + letter.len_utf8();
        let time = before.is_ascii_digit() && next.is_some_and(|next| next.is_ascii_digit());
        let colon = matches!(letter, ':' | '=') && !time && next.is_some_and(|next| next != '/');
        let glued = glued_amount(&text[from..after], &text[after..]);
        if letter.is_whitespace() || colon || glued || next.is_none() {
            let piece = text[from..after].trim();
            if !piece.is_empty() {
                let share = |letters: usize| word.place.w * letters as f32 / all;
                let x = word.place.x + share(from_letter);
                let w = share(count + 1 - from_letter);
                let place = Rect { x, w, ..word.place };
                let folded = fold(piece);
                let shaped = shape(&folded);
                let text = piece.to_owned();
                tokens.push(Token { text, folded, shaped, place, confidence: word.confidence });
            }
            (from, from_letter) = (after, count + 1);
        }
        before = letter;
    }
    tokens
}

/// Whether letters end and an amount with decimals begins here, as in `TOTAL12.50`.
fn glued_amount(before: &str, rest: &str) -> bool {
    let letters = before.len() >= 3 && before.chars().all(char::is_alphabetic);
    let number = rest.starts_with(|first: char| first.is_ascii_digit());
    let decimals = rest.as_bytes().iter().rev().take(3).rev().collect::<Vec<_>>();
    let ends_in_cents =
        matches!(decimals[..], [b'.' | b',', a, b] if a.is_ascii_digit() && b.is_ascii_digit());
    letters && number && ends_in_cents && rest.len() > 3
}

#[cfg(test)]
pub(in crate::extract) mod tests {
    use page::Word;
    use proptest::prelude::*;

    use super::*;

    /// A page typed with a typewriter: letters 8 wide and 10 high, lines 16 apart.
    pub(in crate::extract) fn typed(text: &str) -> PageText {
        let mut words = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let mut column = 0;
            for piece in line.split(' ') {
                let width = piece.chars().count();
                if width > 0 {
                    let place = Rect {
                        x: 8.0 * column as f32,
                        y: 16.0 * n as f32,
                        w: 8.0 * width as f32,
                        h: 10.0,
                    };
                    words.push(Word { text: piece.to_owned(), place, confidence: 1.0 });
                }
                column += width + 1;
            }
        }
        let height = 16.0 * text.lines().count().max(1) as f32;
        PageText { width: 640.0, height, source: Source::Plain, turned: 0, words }
    }

    #[test]
    fn colons_cut_but_times_stay_whole() {
        let sheet = Sheet::new(&[&typed("DATE:11/01/2019 09:44:00 TOTAL12.50 Nº:A-1")]);
        let texts: Vec<_> = sheet.rows[0].tokens.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(texts, ["DATE:", "11/01/2019", "09:44:00", "TOTAL", "12.50", "Nº:", "A-1"]);
    }

    #[test]
    fn wide_gaps_separate_cells() {
        let sheet = Sheet::new(&[&typed("Base imponible      IVA      Total")]);
        assert_eq!(sheet.rows[0].cells(), [(0, 2), (2, 3), (3, 4)]);
        assert_eq!(sheet.rows[0].tokens_at(5..14), (1, 2));
    }

    #[test]
    fn a_full_page_of_prose_is_level_and_a_tilted_one_is_levelled() {
        let line = "the tenant shall keep what is let to him in good order and shall give it back";
        let mut page = typed(&[line; 40].join("\n"));
        // Readers put the middle of a word where its own letters have it.
        for (n, word) in page.words.iter_mut().enumerate() {
            word.place.y += [0.0, 1.2, -0.8, 2.0, 0.4][n % 5];
        }
        assert_eq!(Sheet::new(&[&page]).rows.len(), 40);
        for word in &mut page.words {
            word.place.y += 0.02 * word.place.x;
        }
        assert_eq!(Sheet::new(&[&page]).rows.len(), 40);
    }

    proptest! {
        #[test]
        fn any_text_makes_a_sheet(text in "\\PC{0,60}", glue in "[a-z:=0-9., \u{a0}é]{0,40}") {
            let sheet = Sheet::new(&[&typed(&text), &typed(&glue)]);
            for row in &sheet.rows {
                for at in 0..row.text.len() {
                    let (from, to) = row.tokens_at(at..at + 1);
                    prop_assert!(from < to && to <= row.tokens.len());
                }
            }
        }
    }
}
