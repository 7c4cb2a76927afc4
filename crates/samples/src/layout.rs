//! A page as it is printed: texts, rules and shaded boxes at their places.

use page::{PageText, Rect, Source, Word};

use crate::metrics::Face;

/// Points from the top left corner, as on [`page::PageText`].
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    pub width: f32,
    pub height: f32,
    pub runs: Vec<Run>,
    pub panels: Vec<Panel>,
}

/// A text in one typeface on one baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub x: f32,
    pub baseline: f32,
    pub size: f32,
    pub face: Face,
    /// 0 is black, 255 is white.
    pub shade: u8,
    pub text: String,
}

/// A filled rectangle; a rule is a thin one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Panel {
    pub place: Rect,
    pub shade: u8,
}

impl Run {
    pub fn width(&self) -> f32 {
        self.face.width(&self.text, self.size)
    }
}

impl Layout {
    pub(crate) fn new(width: f32, height: f32) -> Self {
        Self { width, height, runs: Vec::new(), panels: Vec::new() }
    }

    pub(crate) fn put(&mut self, x: f32, baseline: f32, size: f32, face: Face, text: &str) {
        if !text.trim().is_empty() {
            let text = text.to_owned();
            self.runs.push(Run { x, baseline, size, face, shade: 0, text });
        }
    }

    /// Ends at `right`.
    pub(crate) fn put_right(&mut self, right: f32, y: f32, size: f32, face: Face, text: &str) {
        self.put(right - face.width(text, size), y, size, face, text);
    }

    pub(crate) fn put_centre(&mut self, middle: f32, y: f32, size: f32, face: Face, text: &str) {
        self.put(middle - face.width(text, size) / 2.0, y, size, face, text);
    }

    pub(crate) fn rule(&mut self, x: f32, y: f32, w: f32) {
        self.fill(Rect { x, y, w, h: 0.6 }, 60);
    }

    pub(crate) fn fill(&mut self, place: Rect, shade: u8) {
        self.panels.push(Panel { place, shade });
    }

    pub(crate) fn frame(&mut self, place: Rect) {
        let Rect { x, y, w, h } = place;
        for side in [
            Rect { x, y, w, h: 0.7 },
            Rect { x, y: y + h, w: w + 0.7, h: 0.7 },
            Rect { x, y, w: 0.7, h },
            Rect { x: x + w, y, w: 0.7, h },
        ] {
            self.fill(side, 40);
        }
    }

    /// The words with their boxes, without rendering anything.
    pub fn text(&self) -> PageText {
        let words = self.runs.iter().flat_map(words_of).collect();
        PageText {
            width: self.width,
            height: self.height,
            source: Source::TextLayer,
            turned: 0,
            words,
        }
    }
}

fn words_of(run: &Run) -> Vec<Word> {
    let mut words = Vec::new();
    let start = run.text.as_ptr() as usize;
    for text in run.text.split_whitespace() {
        let offset = text.as_ptr() as usize - start;
        let place = Rect {
            x: run.x + run.face.width(&run.text[..offset], run.size),
            y: run.baseline - 0.76 * run.size,
            w: run.face.width(text, run.size),
            h: 0.97 * run.size,
        };
        words.push(Word { text: text.to_owned(), place, confidence: 1.0 });
    }
    words
}

/// Breaks a text into lines that fit `width`.
pub(crate) fn wrap(text: &str, width: f32, size: f32, face: Face) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if face.width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
