//! A document while it is being written: the pages so far, the place of the pen, the truth.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};

use crate::{
    Kind, Lang, Sample,
    dice::Dice,
    layout::{Layout, wrap},
    metrics::Face,
    style::{Style, normal},
    wordings,
};

pub(crate) const A4: (f32, f32) = (595.0, 842.0);
pub(crate) const LETTER: (f32, f32) = (612.0, 792.0);

pub(crate) struct Draft {
    pub(crate) dice: Dice,
    pub(crate) lang: Lang,
    pub(crate) style: Style,
    pub(crate) layout: u32,
    /// The baseline of the next line.
    pub(crate) y: f32,
    pub(crate) truth: BTreeMap<String, String>,
    pub(crate) lines: Vec<BTreeMap<&'static str, String>>,
    pages: Vec<Layout>,
}

impl Draft {
    pub(crate) fn new(kind: Kind, lang: Lang, seed: u64, layouts: u32) -> Self {
        let mut dice = Dice::new(seed ^ ((kind as u64 + 1) << 56) ^ ((lang as u64 + 1) << 48));
        let layout = dice.below(layouts as usize) as u32;
        let style = Style::roll(lang, &mut dice);
        let (truth, lines, pages) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { dice, lang, style, layout, y: 0.0, truth, lines, pages }
    }

    pub(crate) fn finish(self, kind: Kind) -> Sample {
        let Self { lang, layout, pages, truth, lines, .. } = self;
        Sample { kind, lang, layout, pages, truth, lines }
    }

    /// Starts a page; the pen stands on its first line.
    pub(crate) fn new_page(&mut self, (width, height): (f32, f32)) {
        self.pages.push(Layout::new(width, height));
        self.y = self.style.margin + self.style.size;
    }

    pub(crate) fn page(&mut self) -> &mut Layout {
        self.pages.last_mut().expect("a draft starts its first page before it prints")
    }

    pub(crate) fn pages(&mut self) -> &mut [Layout] {
        &mut self.pages
    }

    pub(crate) fn left(&self) -> f32 {
        self.style.margin
    }

    pub(crate) fn right(&mut self) -> f32 {
        let margin = self.style.margin;
        self.page().width - margin
    }

    /// The lowest baseline above the footer.
    pub(crate) fn bottom(&mut self) -> f32 {
        let margin = self.style.margin;
        self.page().height - margin - 30.0
    }

    pub(crate) fn step(&self) -> f32 {
        self.style.size * self.style.leading
    }

    pub(crate) fn down(&mut self, lines: f32) {
        self.y += lines * self.step();
    }

    /// Prints at the left margin and goes down a line.
    pub(crate) fn line(&mut self, text: &str) {
        let (x, face) = (self.left(), self.style.face);
        self.line_at(x, face, text);
    }

    pub(crate) fn line_at(&mut self, x: f32, face: Face, text: &str) {
        let (y, size) = (self.y, self.style.size);
        self.page().put(x, y, size, face, text);
        self.down(1.0);
    }

    pub(crate) fn title(&mut self, x: f32, scale: f32, text: &str) {
        let (size, face) = (self.style.size * scale, self.style.face.bold());
        let y = self.y + size - self.style.size;
        self.page().put(x, y, size, face, text);
        self.y += size * 1.5;
    }

    /// A label, its separator and a value, both on one line.
    pub(crate) fn pair(&mut self, x: f32, label: &str, value: &str) {
        let label = format!("{}{}", self.style.label(label), self.style.colon);
        self.line_at(x, self.style.face, &format!("{label} {value}"));
    }

    /// A label and a value that starts at `stop`.
    pub(crate) fn pair_at(&mut self, x: f32, stop: f32, label: &str, value: &str) {
        let (y, size, face) = (self.y, self.style.size, self.style.face);
        let label = format!("{}{}", self.style.label(label), self.style.colon);
        let stop = stop.max(x + face.width(&label, size) + size * 0.5);
        self.page().put(x, y, size, face, &label);
        self.page().put(stop, y, size, face, value);
        self.down(1.0);
    }

    /// Justification is not drawn: the words of a line keep their natural spacing.
    pub(crate) fn paragraph(&mut self, x: f32, width: f32, text: &str) {
        let (size, face) = (self.style.size, self.style.face);
        for line in wrap(text, width, size, face) {
            self.line_at(x, face, &line);
        }
    }

    pub(crate) fn know(&mut self, field: &str, value: impl Into<String>) {
        self.truth.insert(field.to_owned(), value.into());
    }

    pub(crate) fn know_amount(&mut self, field: &str, cents: i64) {
        self.know(field, normal(cents));
    }

    /// Prints a date and remembers it.
    pub(crate) fn know_date(&mut self, field: &str, date: Date) -> String {
        self.know(field, date.to_string());
        self.style.date(self.lang, date)
    }

    pub(crate) fn day(&mut self, first_year: i64, last_year: i64) -> Date {
        let year = self.dice.between(first_year, last_year) as i16;
        date(year, self.dice.between(1, 12) as i8, self.dice.between(1, 28) as i8)
    }

    /// A date that nobody will ask for.
    pub(crate) fn day_text(&mut self) -> String {
        let day = self.day(2000, 2026);
        self.style.date(self.lang, day)
    }

    /// One of the wordings of the draft's language.
    pub(crate) fn say(&mut self, what: &str) -> &'static str {
        self.dice.of(wordings::of(what, self.lang))
    }

    /// A label in one of its wordings, and its value.
    pub(crate) fn fact(&mut self, x: f32, what: &str, value: &str) {
        let label = self.say(what);
        self.pair(x, label, value);
    }

    pub(crate) fn say_line(&mut self, what: &str) {
        let line = self.say(what);
        self.line(line);
    }

    pub(crate) fn say_title(&mut self, x: f32, scale: f32, what: &str) {
        let title = self.say(what);
        self.title(x, scale, title);
    }

    /// Several of them, each at most once.
    pub(crate) fn some(&mut self, what: &str, count: usize) -> Vec<&'static str> {
        self.dice.some(wordings::of(what, self.lang), count)
    }
}
