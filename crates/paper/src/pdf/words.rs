//! Groups the glyphs of a PDF page into words and lines, with their places.

use std::collections::HashMap;

use hayro_interpret::kurbo::{Point, Rect, Vec2};
use page::{PageText, Word};

/// A glyph with its place on the upright page, in points from the top left corner.
pub(super) struct Letter {
    pub(super) text: String,
    /// Where it starts and ends on the baseline.
    pub(super) origin: Point,
    pub(super) end: Point,
    /// The direction of writing, of length one.
    pub(super) along: Vec2,
    pub(super) em: f64,
    pub(super) bounds: Rect,
}

/// A wider gap than this share of the em separates words: a space is at least 0.2, kerning and
/// tracked-out capitals stay below.
const GAP: f64 = 0.17;
/// Letters may overlap this much; further back is another word.
const OVERLAP: f64 = 0.4;
/// Pieces of a word that were drawn at different times touch.
const TOUCH: f64 = 0.08;
/// How far apart baselines of one word may be.
const BASELINE: f64 = 0.2;

/// A word being put together.
struct Piece {
    text: String,
    start: Point,
    end: Point,
    along: Vec2,
    em: f64,
    bounds: Rect,
    /// The document itself put a space after it.
    closed: bool,
}

/// Groups the letters by baseline and gaps.
pub(super) fn words(letters: Vec<Letter>, size: (f32, f32)) -> Vec<Word> {
    let page = Rect::new(0.0, 0.0, f64::from(size.0), f64::from(size.1));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut last: Option<(String, Point)> = None;
    for letter in letters {
        if letter.text.chars().all(char::is_whitespace) {
            if let Some(piece) = pieces.last_mut() {
                piece.closed = true;
            }
            continue;
        }
        // Imitated bold: the same letter again, a hair further.
        let again = last.as_ref().is_some_and(|(text, origin)| {
            *text == letter.text && (letter.origin - *origin).hypot() < 0.1 * letter.em
        });
        if again {
            continue;
        }
        last = Some((letter.text.clone(), letter.origin));
        if !page.overlaps(letter.bounds) {
            continue;
        }
        match pieces.last_mut() {
            Some(piece) if piece.goes_on_with(&letter) => piece.add(&letter),
            _ => pieces.push(Piece::new(letter)),
        }
    }
    without_copies(joined(pieces).into_iter().map(Piece::word).filter(|w| !w.text.is_empty()))
}

/// Puts the words in the order of the printed lines.
pub(super) fn in_reading_order(text: &mut PageText) {
    let order: Vec<usize> = text.lines().into_iter().flat_map(|line| line.words).collect();
    let mut words: Vec<Option<Word>> =
        std::mem::take(&mut text.words).into_iter().map(Some).collect();
    text.words = order.into_iter().filter_map(|n| words[n].take()).collect();
}

impl Piece {
    fn new(letter: Letter) -> Self {
        let Letter { text, origin, end, along, em, bounds } = letter;
        let mut piece =
            Self { text: String::new(), start: origin, end, along, em, bounds, closed: false };
        piece.push(&text);
        piece
    }

    fn goes_on_with(&self, letter: &Letter) -> bool {
        let gap = letter.origin - self.end;
        let em = self.em.max(letter.em);
        !self.closed
            && self.along.dot(letter.along) > 0.98
            && self.along.cross(gap).abs() < BASELINE * em
            && (-OVERLAP * em..GAP * self.em.min(letter.em)).contains(&self.along.dot(gap))
    }

    fn add(&mut self, letter: &Letter) {
        self.push(&letter.text);
        self.end = letter.end;
        self.em = self.em.max(letter.em);
        self.bounds = self.bounds.union(letter.bounds);
    }

    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\u{fb00}' => self.text.push_str("ff"),
                '\u{fb01}' => self.text.push_str("fi"),
                '\u{fb02}' => self.text.push_str("fl"),
                '\u{fb03}' => self.text.push_str("ffi"),
                '\u{fb04}' => self.text.push_str("ffl"),
                '\u{ad}' => self.text.push('-'),
                // What fonts say for letters that they cannot name.
                c if c.is_control() => self.text.push(char::REPLACEMENT_CHARACTER),
                c if c.is_whitespace() => {}
                c => self.text.push(c),
            }
        }
    }

    /// Whether `next`, drawn at another time, continues this word.
    fn touches(&self, next: &Self) -> bool {
        let gap = next.start - self.end;
        let em = self.em.min(next.em);
        !self.closed
            && self.along.dot(next.along) > 0.98
            && self.em.max(next.em) < 1.2 * em
            && self.along.cross(gap).abs() < 0.05 * em
            && (-TOUCH * em..TOUCH * em).contains(&self.along.dot(gap))
    }

    fn word(self) -> Word {
        let place = page::Rect {
            x: self.bounds.x0 as f32,
            y: self.bounds.y0 as f32,
            w: self.bounds.width() as f32,
            h: self.bounds.height() as f32,
        };
        Word { text: self.text, place, confidence: 1.0 }
    }
}

/// Joins pieces that stand side by side although they were not drawn one after the other.
fn joined(mut pieces: Vec<Piece>) -> Vec<Piece> {
    // Sorted by the line they stand on, across the direction of writing, then along it.
    let key = |piece: &Piece| {
        let across = piece.along.cross(piece.start.to_vec2());
        let turn = (piece.along.atan2() * 100.0).round() as i64;
        (turn, (across * 2.0).round() as i64, piece.along.dot(piece.start.to_vec2()))
    };
    pieces.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2))
    });
    let mut whole: Vec<Piece> = Vec::new();
    for piece in pieces {
        match whole.last_mut() {
            Some(last) if last.touches(&piece) => {
                last.text.push_str(&piece.text);
                last.end = piece.end;
                last.bounds = last.bounds.union(piece.bounds);
                last.closed = piece.closed;
            }
            _ => whole.push(piece),
        }
    }
    whole
}

/// Shadows and imitated bold draw a word twice, almost in one place.
fn without_copies(words: impl Iterator<Item = Word>) -> Vec<Word> {
    let mut places: HashMap<String, Vec<page::Rect>> = HashMap::new();
    let mut kept = Vec::new();
    for word in words {
        let seen = places.entry(word.text.clone()).or_default();
        let place = word.place;
        let copy = |other: &page::Rect| {
            (other.x - place.x).abs() < 0.15 * place.h && (other.y - place.y).abs() < 0.15 * place.h
        };
        // The same word stands a few times on a page, not thousands: the last ones are enough.
        if seen.iter().rev().take(64).any(copy) {
            continue;
        }
        seen.push(place);
        kept.push(word);
    }
    kept
}
