//! A document as memory sees it: phrases, values and where they stand in page widths.

use std::collections::HashMap;

use jiff::civil::Date;
use page::PageText;
use rust_decimal::Decimal;

use super::super::{
    Evidence, ids,
    money::Money,
    parse::date,
    reading::Reading,
    role::Role,
    schema::{FieldSpec, Kind},
    sheet::{Row, Span},
    text::{fold, letters, likeness},
    value::Normalised,
};
use super::{DayOrder, Spot};

/// Words of a phrase that is looked for.
const MOST_WORDS: usize = 5;
/// Words of a name.
const LONGEST_NAME: usize = 12;
/// Tokens a number of a document is cut into at most.
const LONGEST_CODE: usize = 4;
/// A cell begins a value at one of its first words.
const STARTS: usize = 6;

pub(super) struct Scene {
    pub(super) reading: Reading,
    widths: Vec<f32>,
    phrases: HashMap<String, Vec<Span>>,
}

/// A value where it is printed.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) span: Span,
    pub(super) value: Normalised,
    pub(super) printed: String,
}

/// How values of a field are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Day,
    Amount,
    /// Digits in it: a number, a tax id, an account.
    Code,
    Words,
}

impl Scene {
    pub(super) fn new(pages: &[&PageText], today: Date) -> Self {
        let reading = Reading::new(pages, &[], today);
        let mut phrases: HashMap<String, Vec<Span>> = HashMap::new();
        for (at, row) in reading.sheet.rows.iter().enumerate() {
            for (start, end) in pieces(row) {
                for from in start..end {
                    let mut text = String::new();
                    for to in from + 1..=end.min(from + MOST_WORDS) {
                        text.push_str(&row.tokens[to - 1].shaped);
                        let span = Span { row: at, from, to };
                        if (2..=40).contains(&text.len()) {
                            phrases.entry(text.clone()).or_default().push(span);
                        }
                    }
                }
            }
        }
        let widths = pages.iter().map(|page| page.width.max(1.0)).collect();
        Self { reading, widths, phrases }
    }

    pub(super) fn page(&self, span: Span) -> usize {
        self.reading.sheet.row(span).page
    }

    pub(super) fn spot(&self, span: Span) -> Spot {
        let place = self.reading.sheet.place(span);
        let width = self.widths[self.page(span)];
        let y = place.middle().1 / width;
        Spot { left: place.x / width, right: place.right() / width, y }
    }

    /// The usual height of letters on a page, in page widths.
    pub(super) fn letter(&self, page: usize) -> f32 {
        self.reading.sheet.pages[page].letter / self.widths[page]
    }

    pub(super) fn evidence(&self, span: Span) -> Evidence {
        let place = self.reading.sheet.printed_place(span);
        Evidence { page: self.page(span), place, cell: None }
    }

    pub(super) fn shaped(&self, span: Span) -> String {
        self.reading.sheet.tokens(span).iter().map(|token| token.shaped.as_str()).collect()
    }

    /// Where a phrase is printed, misreadings forgiven when it is nowhere as it was.
    pub(super) fn sightings(&self, text: &str) -> Vec<(Span, f32)> {
        if let Some(exact) = self.phrases.get(text) {
            return exact.iter().map(|span| (*span, 1.0)).collect();
        }
        let set = letters(text);
        let near = |other: &&String| {
            other.len().abs_diff(text.len()) <= 3 && (letters(other) ^ set).count_ones() <= 6
        };
        let mut found = Vec::new();
        for other in self.phrases.keys().filter(near) {
            let alike = likeness(other, text);
            if alike > 0.7 {
                found.extend(self.phrases[other].iter().map(|span| (*span, alike)));
            }
        }
        found
    }

    /// Every place where a confirmed value is printed.
    pub(super) fn printed(
        &self,
        spec: &FieldSpec,
        sort: Sort,
        value: &str,
        today: Date,
    ) -> Vec<Seen> {
        match sort {
            Sort::Day => {
                let days = [Some(DayOrder::DayFirst), Some(DayOrder::MonthFirst)];
                let all = days.into_iter().flat_map(|order| self.days(order, today));
                let mut found: Vec<Seen> = Vec::new();
                for seen in all.filter(|seen| seen.value.to_string() == value) {
                    if found.iter().all(|known| known.span != seen.span) {
                        found.push(seen);
                    }
                }
                found
            }
            Sort::Amount => {
                let same = |seen: &Seen| match &seen.value {
                    Normalised::Decimal(amount) => {
                        value.parse().is_ok_and(|wanted: Decimal| *amount == wanted)
                    }
                    _ => false,
                };
                self.amounts().into_iter().filter(same).collect()
            }
            Sort::Code | Sort::Words => self.spelt(spec, value, today),
        }
    }

    /// Where the letters and digits of a text are printed in a row.
    fn spelt(&self, spec: &FieldSpec, value: &str, today: Date) -> Vec<Seen> {
        let wanted = fold(value);
        let mut found = Vec::new();
        if wanted.len() < 2 {
            return found;
        }
        for (at, row) in self.reading.sheet.rows.iter().enumerate() {
            for from in 0..row.tokens.len() {
                let mut text = String::new();
                for to in from + 1..=row.tokens.len() {
                    text.push_str(&row.tokens[to - 1].folded);
                    if text.len() >= wanted.len() || !wanted.starts_with(&text) {
                        let span = Span { row: at, from, to };
                        if text == wanted && !row.tokens[from].folded.is_empty() {
                            found.extend(self.text(spec, span, today));
                        }
                        break;
                    }
                }
            }
        }
        found
    }

    /// What may be the value of a field, wherever it stands.
    pub(super) fn values(
        &self,
        spec: &FieldSpec,
        sort: Sort,
        order: Option<DayOrder>,
        today: Date,
        near: impl Fn(Span) -> bool,
    ) -> Vec<Seen> {
        match sort {
            Sort::Day => self.days(order, today).into_iter().filter(|s| near(s.span)).collect(),
            Sort::Amount => self.amounts().into_iter().filter(|s| near(s.span)).collect(),
            Sort::Code | Sort::Words => {
                let spans = self.spans(sort).into_iter().filter(|span| near(*span));
                spans.filter_map(|span| self.text(spec, span, today)).collect()
            }
        }
    }

    fn spans(&self, sort: Sort) -> Vec<Span> {
        let mut spans = Vec::new();
        for (row, line) in self.reading.sheet.rows.iter().enumerate() {
            let cells = if sort == Sort::Words { pieces(line) } else { line.cells() };
            for (start, end) in cells {
                for from in start..end {
                    let longest = if sort == Sort::Code { LONGEST_CODE } else { LONGEST_NAME };
                    let last = end.min(from + longest);
                    if sort == Sort::Code {
                        spans.extend((from + 1..=last).map(|to| Span { row, from, to }));
                    } else if from < start + STARTS && end - from <= longest {
                        spans.push(Span { row, from, to: end });
                    }
                }
            }
        }
        spans
    }

    fn text(&self, spec: &FieldSpec, span: Span, today: Date) -> Option<Seen> {
        let text = self.reading.sheet.text(span);
        let printed = text.trim_matches([':', '#', ' ', ',', ';', '*']).to_owned();
        if printed.is_empty() || printed.len() > 200 {
            return None;
        }
        let value = super::super::judge::normalise(spec, &printed, today).ok()?;
        Some(Seen { span, value, printed })
    }

    /// Days in the order that is told; those that can only be read one way in theirs.
    fn days(&self, order: Option<DayOrder>, today: Date) -> Vec<Seen> {
        let mut found = Vec::new();
        for (at, row) in self.reading.sheet.rows.iter().enumerate() {
            for day in date::find(&row.text, today) {
                let (from, to) = row.tokens_at(day.bytes.clone());
                let date = match (day.swapped, order) {
                    (Some(swapped), Some(DayOrder::MonthFirst)) => swapped,
                    (Some(_), None) => continue,
                    (None, _) | (_, Some(DayOrder::DayFirst)) => day.date,
                };
                let printed = row.text[day.bytes.clone()].to_owned();
                let span = Span { row: at, from, to };
                found.push(Seen { span, value: Normalised::Date(date), printed });
            }
        }
        found
    }

    fn amounts(&self) -> Vec<Seen> {
        let seen = |money: &Money| Seen {
            span: money.span,
            value: Normalised::Decimal(money.value()),
            printed: self.reading.sheet.text(money.span),
        };
        self.reading.money.iter().map(seen).collect()
    }

    /// Tax ids of the issuer, whose check character holds.
    pub(super) fn tax_ids(&self) -> Vec<String> {
        let found = ids::tax_ids(&self.reading).into_iter();
        let own = found.filter(|one| one.signs.certainty >= 1.0 && one.signs.against < 1.0);
        let mut own: Vec<_> = own.collect();
        own.sort_by(|a, b| b.score.total_cmp(&a.score));
        own.into_iter().map(|one| one.value.to_string()).collect()
    }

    /// Whether an amount takes part in some sum of the page: two of its amounts make a third.
    pub(super) fn adds_up(&self, value: Decimal) -> bool {
        let priced = self.reading.money.iter().filter(|money| money.priced());
        let values: Vec<Decimal> =
            priced.map(Money::value).filter(|one| *one > Decimal::ZERO).take(200).collect();
        let is_part = |other: Decimal| other > value && other - value != value;
        let is_sum = |other: Decimal| other < value && value - other != other;
        values.iter().any(|other| {
            is_part(*other) && values.contains(&(*other - value))
                || is_sum(*other) && values.contains(&(value - *other))
        })
    }
}

impl Sort {
    pub(super) fn of(doc_type: &str, spec: &FieldSpec) -> Self {
        match (spec.kind, Role::of(doc_type, spec)) {
            (Kind::Date, _) => Self::Day,
            (Kind::Decimal, _) => Self::Amount,
            (Kind::Integer | Kind::Iban | Kind::TaxId, _)
            | (_, Role::Code(_) | Role::IdNumber | Role::TaxId | Role::Iban) => Self::Code,
            _ => Self::Words,
        }
    }
}

/// Names are set with wider gaps than sentences: what a row is cut into by gaps of twice a letter.
pub(super) fn pieces(row: &Row) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for token in 1..row.tokens.len() {
        if row.gap_before(token) > 2.2 {
            pieces.push((from, token));
            from = token;
        }
    }
    pieces.push((from, row.tokens.len()));
    pieces
}

/// A text with every capital `A`, small letter `a` and digit `9`.
pub(super) fn form(text: &str) -> String {
    let class = |letter: char| match letter {
        letter if letter.is_numeric() => '9',
        letter if letter.is_uppercase() => 'A',
        letter if letter.is_alphabetic() => 'a',
        letter if letter.is_whitespace() => ' ',
        other => other,
    };
    text.trim().chars().take(40).map(class).collect()
}

/// How well a text has the form of the example, 0 to 1.
pub(super) fn fits(example: &str, form: &str) -> f32 {
    let (a, b) = (runs(example), runs(form));
    let same = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.0 == b.0);
    if !same {
        return 0.4;
    }
    let apart = |class: char| {
        let both = a.iter().zip(&b).filter(|(a, _)| a.0 == class);
        both.map(|(a, b)| a.1.abs_diff(b.1)).max().unwrap_or(0)
    };
    match (apart('A').max(apart('a')), apart('9')) {
        (0, 0) => 1.0,
        (0, 1) => 0.95,
        (0, 2) => 0.9,
        _ => 0.7,
    }
}

/// The same for names: only that it is made of letters.
pub(super) fn is_name(form: &str) -> bool {
    let letters = form.chars().filter(|class| matches!(class, 'A' | 'a')).count();
    letters >= 2 && letters * 3 > form.chars().filter(|class| *class == '9').count() * 4
}

/// Digits behind the decimal sign of an amount's form.
pub(super) fn cents(form: &str) -> usize {
    let form = form.trim_end_matches(|class| class != '9');
    match form.rfind(['.', ',']) {
        Some(at) if form.len() - at <= 3 => form.len() - at - 1,
        _ => 0,
    }
}

fn runs(form: &str) -> Vec<(char, usize)> {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for class in form.chars().filter(|class| *class != ' ') {
        match runs.last_mut() {
            Some((last, count)) if *last == class => *count += 1,
            _ => runs.push((class, 1)),
        }
    }
    runs
}
