//! Everything seen in a document once, before anyone asks for a field.

use jiff::civil::Date;
use page::PageText;

use super::labels::{self, Label};
use super::lexicon::{Concept, Phrase};
use super::money::{self, Money};
use super::order;
use super::parse::amount::Currency;
use super::parse::date::{self, Day};
use super::parse::mrz::{self, Mrz};
use super::sheet::{Sheet, Span};
use super::value::Normalised;

/// The document as the finders see it.
pub(super) struct Reading {
    pub(super) sheet: Sheet,
    pub(super) labels: Vec<Label>,
    pub(super) days: Vec<(Span, Day)>,
    /// How doubtful it is which comes first in its all-digit dates, 0 to 2.
    pub(super) order_doubt: f32,
    pub(super) money: Vec<Money>,
    pub(super) mrz: Option<(Mrz, Vec<Span>)>,
    pub(super) currency: Option<Currency>,
    pub(super) today: Date,
}

/// One value proposed for a field.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) value: Normalised,
    pub(super) printed: String,
    pub(super) spans: Vec<Span>,
    /// Ranks candidates of one field among themselves.
    pub(super) score: f32,
    pub(super) signs: Signs,
}

/// What speaks for and against a candidate; the calibration turns it into a confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Signs {
    /// How plainly a label announces it, 0 to 1.2.
    pub(super) label: f32,
    /// How sure its own form is, 0 to 1.
    pub(super) certainty: f32,
    /// How sure the reader was of its least readable word, 0 to 1.
    pub(super) legible: f32,
    /// Independent facts that agree with it, each about 1.
    pub(super) support: f32,
    /// Facts that disagree, each about 1.
    pub(super) against: f32,
}

impl Reading {
    pub(super) fn new(pages: &[&PageText], custom: &[Phrase], today: Date) -> Self {
        let sheet = Sheet::new(pages);
        let labels = labels::find(&sheet, custom);
        let mut days = Vec::new();
        for (at, row) in sheet.rows.iter().enumerate() {
            for day in date::find(&row.text, today) {
                let (from, to) = row.tokens_at(day.bytes.clone());
                days.push((Span { row: at, from, to }, day));
            }
        }
        let taken: Vec<Span> = days.iter().map(|(span, _)| *span).collect();
        let money = money::find(&sheet, &taken);
        let currency = money::currency(&money);
        let order_doubt = order::settle(&mut days, &sheet, &money, currency, today);
        let mrz = find_mrz(&sheet, today);
        Self { sheet, labels, days, order_doubt, money, mrz, currency, today }
    }

    /// How well a label explains a value: 1 right beside it, 0 out of its reach.
    pub(super) fn link(&self, label: &Label, value: Span) -> f32 {
        let row = self.sheet.row(value);
        if label.span.row == value.row {
            if value.from < label.span.to {
                return 0.0;
            }
            let between = &row.tokens[label.span.to..value.from];
            let words = between.iter().filter(|token| token.folded.len() > 1).count();
            let other = |other: &Label| {
                other.span.row == value.row
                    && other.span.from >= label.span.to
                    && other.span.to <= value.from
            };
            let shadowed = self.labels.iter().any(other);
            let near = match words {
                0 => 1.0,
                1 => 0.7,
                2 => 0.5,
                _ => 0.25,
            };
            let colon = if label.colon { 1.05 } else { 1.0 };
            return if shadowed { 0.3 * near } else { near * colon };
        }
        self.link_below(label, value)
    }

    /// A value under its label: in the same column and near.
    fn link_below(&self, label: &Label, value: Span) -> f32 {
        if label.span.row >= value.row
            || self.sheet.row(label.span).page != self.sheet.row(value).page
        {
            return 0.0;
        }
        let (head, place) = (self.sheet.place(label.span), self.sheet.place(value));
        let letter = self.sheet.letter(value.row);
        let down = (place.y - head.bottom()) / letter;
        let shared = head.right().min(place.right()) - head.x.max(place.x);
        let aligned = (head.x - place.x).abs() < 1.5 * letter
            || (head.right() - place.right()).abs() < 1.5 * letter;
        if !(-0.5..=5.0).contains(&down) || shared <= 0.0 && !aligned {
            return 0.0;
        }
        // A label with something of its own to the right rarely heads what is below.
        let own = self.labels.iter().any(|other| {
            other.span.row == value.row
                && other.span.to <= value.from
                && self.sheet.row(value).gap_before(value.from) < 3.0
                && other.span.to == value.from
        });
        let near = 0.92 - 0.1 * down.max(0.0);
        let near = if own || label.colon { near * 0.6 } else { near };
        if shared > 0.0 { near } else { near * 0.7 }
    }

    /// The strongest announcement of any of the concepts, and that of anything else.
    pub(super) fn announced(&self, value: Span, wanted: &[Concept]) -> (f32, f32) {
        self.contest(value, wanted, |_| true)
    }

    /// The same, with only some concepts as rivals.
    pub(super) fn contest(
        &self,
        value: Span,
        wanted: &[Concept],
        rival: impl Fn(Concept) -> bool,
    ) -> (f32, f32) {
        let (mut best, mut other) = (0.0f32, 0.0f32);
        for label in &self.labels {
            let near = label.span.row <= value.row && value.row - label.span.row < 8;
            if !near {
                continue;
            }
            let link = self.link(label, value);
            if link <= 0.0 {
                continue;
            }
            let meant = wanted.iter().map(|concept| label.announces(*concept)).fold(0.0, f32::max);
            if meant > 0.0 {
                best = best.max(meant * link);
            } else {
                let rivals = label.meanings.iter().filter(|(concept, _)| rival(*concept));
                let loudest = rivals.map(|(_, strength)| *strength);
                other = other.max(loudest.fold(0.0, f32::max) * link);
            }
        }
        (best, other)
    }

    pub(super) fn candidate(&self, value: Normalised, span: Span, score: f32) -> Candidate {
        let legible = self.sheet.confidence(span);
        let printed = self.sheet.text(span).trim_matches([':', ' ']).to_owned();
        let signs = Signs { certainty: 1.0, legible, ..Signs::default() };
        Candidate { value, printed, spans: vec![span], score, signs }
    }
}

fn find_mrz(sheet: &Sheet, today: Date) -> Option<(Mrz, Vec<Span>)> {
    let line = |(at, row): (usize, &super::sheet::Row)| {
        let span = Span { row: at, from: 0, to: row.tokens.len() };
        mrz::line(&row.text).map(|line| (span, line))
    };
    let lines: Vec<(Span, String)> = sheet.rows.iter().enumerate().filter_map(line).collect();
    (0..lines.len()).find_map(|from| {
        let texts: Vec<String> =
            lines[from..].iter().take(3).map(|(_, text)| text.clone()).collect();
        let mrz = mrz::parse(&texts, today)?;
        Some((mrz, lines[from..].iter().take(3).map(|(span, _)| *span).collect()))
    })
}
