//! What was read on a page: words with their places and how sure the reader was.
//!
//! Everything that reads (a text layer, an OCR engine) produces a [`PageText`], everything that
//! understands (classification, extraction, the evidence boxes on a screen) starts from one.

mod lines;
mod pixels;

pub use lines::Line;
pub use pixels::resized;
use serde::{Deserialize, Serialize};

/// A rectangle in the units of its page, from the top left corner of the upright page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    pub x: f32,
    pub y: f32,
    pub w: f32,
    pub h: f32,
}

/// One word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Word {
    pub text: String,
    pub place: Rect,
    /// 0 to 1; a text layer is 1.
    pub confidence: f32,
}

/// Where the words of a page come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The document was born digital.
    TextLayer,
    /// A picture was read.
    Ocr,
    /// Typewriter text: a spool file.
    Plain,
}

/// Everything read on one page, in reading order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageText {
    /// Points for PDF, pixels for pictures; words are placed in the same units.
    pub width: f32,
    pub height: f32,
    pub source: Source,
    /// By how many degrees clockwise the picture was turned to be upright: 0, 90, 180 or 270.
    pub turned: u16,
    pub words: Vec<Word>,
}

impl Rect {
    pub fn right(&self) -> f32 {
        self.x + self.w
    }

    pub fn bottom(&self) -> f32 {
        self.y + self.h
    }

    pub fn middle(&self) -> (f32, f32) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// The smallest rectangle around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { x, y, w: right - x, h: bottom - y }
    }
}

impl PageText {
    /// The words as text, one line per printed line.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.lines() {
            if !text.is_empty() {
                text.push('\n');
            }
            for (n, word) in line.words.iter().enumerate() {
                if n > 0 {
                    text.push(' ');
                }
                text.push_str(&self.words[*word].text);
            }
        }
        text
    }

    /// How sure the reader was of the page, each word weighing as many as its letters.
    pub fn confidence(&self) -> f32 {
        let (mut sum, mut letters) = (0.0, 0.0);
        for word in &self.words {
            let weight = word.text.chars().count() as f32;
            sum += word.confidence * weight;
            letters += weight;
        }
        if letters > 0.0 { sum / letters } else { 0.0 }
    }
}
