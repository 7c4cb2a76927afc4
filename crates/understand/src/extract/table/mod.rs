//! Tables: the lines of an invoice, found by their head words and the edges their numbers share, and
//! believed as far as they add up.

mod grid;
mod heads;
mod sums;
mod words;

use grid::{Grid, Line, MOST_ROWS};
use heads::{Head, Wanted, choices};
use page::Rect;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use serde_json::{Map, Value};
use sums::Verdict;
use words::Part;

use super::money::{Money, Sense};
use super::parse::amount;
use super::reading::Reading;
use super::schema::{CellKind, Column, FieldSpec};
use super::sheet::Span;
use super::value::Complaint;
use super::{Evidence, Field, RuleResult};

/// Letters one cell takes.
const MOST_LETTERS: usize = 500;
/// Heads that may be those of the table.
const MOST_TRIED: usize = 8;
/// How sure a table is whose lines and whose sum close: with its head, and by arithmetic alone.
const SURE: f32 = 0.97;
const GUESSED: f32 = 0.9;
/// At most of one that was not read well, or of which something does not close.
const DOUBTED: f32 = 0.6;
/// The least a reader has to be sure of every word of a sure table.
const LEGIBLE: f32 = 0.5;

/// What was made of a table.
struct Found {
    grid: Grid,
    verdicts: Vec<Verdict>,
    sum: Sum,
}

/// What is printed below the amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sum {
    Closes,
    /// The nearest sum that is printed.
    Differs(Decimal),
    Unknown,
}

/// The table of a document as a field.
pub(super) fn field(reading: &Reading, spec: &FieldSpec) -> Field {
    let columns = spec.table_columns();
    let wanted = Wanted::new(&columns, &reading.sheet);
    let mut field = Field::missing(spec);
    let headed = headed(reading, &wanted);
    let guessed = headed.is_none();
    let found = headed.or_else(|| headless(reading, &wanted));
    let Some(found) = found else { return field };
    let (mut rows, mut legible, mut described) = (Vec::new(), 1.0f32, true);
    for (at, line) in found.grid.lines.iter().enumerate() {
        let mut row = Map::new();
        for (n, (column, part)) in columns.iter().zip(&wanted.parts).enumerate() {
            let (value, spans) = cell(reading, &found.grid, line, column, *part);
            described &= *part != Part::Description || !value.is_null();
            row.insert(column.name.clone(), value);
            legible =
                spans.iter().map(|span| reading.sheet.confidence(*span)).fold(legible, f32::min);
            field.evidence.extend(spans.into_iter().map(|span| Evidence {
                page: reading.sheet.row(span).page,
                place: reading.sheet.printed_place(span),
                cell: Some([at as u16, n as u16]),
            }));
        }
        rows.push(Value::Object(row));
    }
    let text = Value::Array(rows).to_string();
    let sure = if guessed { GUESSED } else { SURE };
    let doubtful = !described || legible < LEGIBLE || found.is_doubtful(legible < 1.0);
    field.confidence = if doubtful { found.doubt() } else { sure };
    field.rules = found.rules();
    field.value = Some(text.clone());
    field.normalised = Some(text);
    field
}

/// The value of one cell and the words it is printed with.
fn cell(
    reading: &Reading,
    grid: &Grid,
    line: &Line,
    column: &Column,
    part: Part,
) -> (Value, Vec<Span>) {
    if let Some(number) = line.number(part) {
        let value = match column.kind {
            CellKind::Text => Value::from(reading.sheet.text(number.span)),
            CellKind::Number | CellKind::Money | CellKind::Percent => json(number.value),
        };
        return (value, vec![number.span]);
    }
    if part.counts() {
        return (Value::Null, Vec::new());
    }
    let spans = grid.words(reading, line, part);
    let words: Vec<String> = spans.iter().map(|span| reading.sheet.text(*span)).collect();
    let text: String = words.join(" ").chars().take(MOST_LETTERS).collect();
    let value = match column.kind {
        _ if text.is_empty() => Value::Null,
        CellKind::Text => Value::from(text),
        CellKind::Number | CellKind::Money | CellKind::Percent => {
            plain(&text).map_or(Value::Null, json)
        }
    };
    (value, spans)
}

fn json(number: Decimal) -> Value {
    number.to_f64().map_or(Value::Null, Value::from)
}

/// A number as people type it, a rate with its sign or without.
fn plain(text: &str) -> Option<Decimal> {
    amount::parse(text.trim().trim_end_matches('%').trim()).map(|amount| amount.value)
}

/// The best table under any head.
fn headed(reading: &Reading, wanted: &Wanted) -> Option<Found> {
    let all = (0..reading.sheet.rows.len())
        .flat_map(|at| wanted.heads(at).iter().map(move |(heads, rows)| (at + rows, heads)));
    let mut all: Vec<(usize, &Vec<Head>)> = all.collect();
    // The head that says most; of those the first.
    all.sort_by_key(|(_, heads)| std::cmp::Reverse(heads.len()));
    let tried = all.into_iter().take(MOST_TRIED).filter_map(|(from, heads)| {
        let heads = completed(reading, heads, from);
        let choices = choices(&heads).into_iter();
        let found = choices.map(|heads| Found::read(reading, wanted, heads, from));
        best(found.filter(|found| !found.grid.lines.is_empty()))
    });
    best(tried)
}

/// Rows below a head in which the amounts of a column without a name are looked for.
const LOOKED_AT: usize = 6;

/// The heads, with one over the amounts where those stand under none: at the end of a row they are the
/// product of two numbers before them.
fn completed(reading: &Reading, heads: &[Head], from: usize) -> Vec<Head> {
    let has = |part: Part| heads.iter().any(|head| head.part == part);
    let rows = from..(from + LOOKED_AT).min(reading.sheet.rows.len());
    let wanted = has(Part::Quantity) && has(Part::Price) && !has(Part::Amount);
    let made = rows.filter(|_| wanted).find_map(|at| product(reading, at));
    let amount = made.into_iter().flatten().find(|head| head.part == Part::Amount);
    heads.iter().copied().chain(amount).collect()
}

/// The first of those that close best.
fn best(found: impl Iterator<Item = Found>) -> Option<Found> {
    found.reduce(|best, next| if next.rank() > best.rank() { next } else { best })
}

/// A table without a head: rows whose last number is the product of two before it. It counts only
/// when all of it closes.
fn headless(reading: &Reading, wanted: &Wanted) -> Option<Found> {
    let (at, heads) =
        (0..reading.sheet.rows.len()).find_map(|at| Some((at, product(reading, at)?)))?;
    let found = Found::read(reading, wanted, heads, at);
    let closes = found.verdicts.iter().all(|verdict| *verdict == Verdict::Closes);
    (closes && found.sum == Sum::Closes).then_some(found)
}

/// The places of a row's numbers as heads, when the last is the product of two others.
fn product(reading: &Reading, at: usize) -> Option<Vec<Head>> {
    let row = &reading.sheet.rows[at];
    let numbers = grid::numbers(reading, at);
    let (amount, rest) = numbers.split_last()?;
    let rest = &rest[rest.len().saturating_sub(4)..];
    let words = row.tokens.iter().find(|token| words::worded(&token.text))?;
    let pairs = (0..rest.len()).flat_map(|a| (a + 1..rest.len()).map(move |b| (a, b)));
    let made = |(a, b): &(usize, usize)| {
        let made = rest[*a].value.checked_mul(rest[*b].value);
        !amount.value.is_zero() && made == Some(amount.value)
    };
    let (a, b) = pairs.into_iter().find(made)?;
    let head = |part: Part, place: Rect| Head { part, place };
    Some(vec![
        head(Part::Description, Rect { w: 0.0, ..words.place }),
        head(Part::Quantity, rest[a].place),
        head(Part::Price, rest[b].place),
        head(Part::Amount, amount.place),
    ])
}

impl Found {
    fn read(reading: &Reading, wanted: &Wanted, heads: Vec<Head>, from: usize) -> Self {
        let mut grid = Grid::read(reading, wanted, heads, from);
        let verdicts: Vec<Verdict> = grid.lines.iter_mut().map(sums::judge).collect();
        let sum = total(reading, &grid);
        Self { grid, verdicts, sum }
    }

    fn count(&self, wanted: Verdict) -> usize {
        self.verdicts.iter().filter(|verdict| **verdict == wanted).count()
    }

    fn rank(&self) -> (bool, usize) {
        (self.sum == Sum::Closes, self.count(Verdict::Closes))
    }

    /// Whether anything does not close. A line without a product counts where nothing hints that it
    /// had one: a number that stands in no column, or on a picture a price without its quantity and
    /// lines that have both; what is not there may only not have been seen.
    fn is_doubtful(&self, picture: bool) -> bool {
        let closing = self.count(Verdict::Closes) > 0;
        let both = self.grid.lines.iter().zip(&self.verdicts);
        let doubtful = |(line, verdict): (&Line, &Verdict)| match verdict {
            Verdict::Closes => false,
            Verdict::Fails => true,
            Verdict::Untold => {
                line.stray || picture && (closing || line.number(Part::Price).is_some())
            }
        };
        self.sum != Sum::Closes || both.into_iter().any(doubtful)
    }

    /// How much speaks for a table that is not sure.
    fn doubt(&self) -> f32 {
        let failing = self.count(Verdict::Fails) as f32;
        let kept = 1.0 - failing / self.verdicts.len().max(1) as f32;
        let summed = if self.sum == Sum::Closes { 1.0 } else { 0.7 };
        DOUBTED * summed * kept.max(0.4)
    }

    /// What was checked, for whoever looks at it.
    fn rules(&self) -> Vec<RuleResult> {
        let failing: Vec<String> = self
            .verdicts
            .iter()
            .enumerate()
            .filter(|(_, verdict)| **verdict == Verdict::Fails)
            .map(|(n, _)| (n + 1).to_string())
            .collect();
        let detail = match failing[..] {
            [] => String::new(),
            _ => format!("quantity × price is not the amount in {}", failing.join(", ")),
        };
        let lines = RuleResult { rule: "lines".to_owned(), ok: failing.is_empty(), detail };
        let sum = sums::sum(&self.grid.lines);
        let (ok, detail) = match self.sum {
            Sum::Closes => (true, format!("Σ {sum}")),
            Sum::Differs(other) => (false, format!("Σ {sum} ≠ {other}")),
            Sum::Unknown => (false, format!("Σ {sum}")),
        };
        vec![lines, RuleResult { rule: "lines_sum".to_owned(), ok, detail }]
    }
}

/// What the document says that the lines add up to. Below several lines any amount that is their sum
/// is one, whatever it is called.
fn total(reading: &Reading, grid: &Grid) -> Sum {
    let sum = sums::sum(&grid.lines);
    let line = |row: usize| grid.lines.binary_search_by_key(&row, |line| line.row).is_ok();
    let outside = || {
        let after = reading.money.iter().filter(|money| money.span.row >= grid.from);
        after.filter(|money| !line(money.span.row))
    };
    let summed = |money: &&Money| {
        let sums = matches!(
            money.sense,
            Sense::Net | Sense::Total | Sense::Part | Sense::Gross | Sense::NetPay
        );
        sums && money.strength >= 0.3
    };
    let last = grid.lines.last().map_or(usize::MAX, |line| line.row);
    let below = |money: &&Money| {
        grid.lines.len() > 1 && money.span.row > last && money.priced() && !sum.is_zero()
    };
    let amounts = grid.lines.iter().any(|line| line.number(Part::Amount).is_some());
    let is = |money: &Money| amounts && money.value() == sum;
    if outside().filter(summed).any(is) || outside().filter(below).any(is) {
        return Sum::Closes;
    }
    outside().find(summed).map_or(Sum::Unknown, |money| Sum::Differs(money.value()))
}

/// Rows as a person typed them, each cell by the kind of its column.
pub(super) fn check(spec: &FieldSpec, text: &str) -> Result<Value, Complaint> {
    let Ok(Value::Array(rows)) = serde_json::from_str(text) else { return Err(Complaint::NotRows) };
    if rows.len() > MOST_ROWS {
        return Err(Complaint::TooManyRows(MOST_ROWS));
    }
    let columns = spec.table_columns();
    let mut kept = Vec::new();
    for (at, row) in rows.into_iter().enumerate() {
        let Value::Object(mut given) = row else { return Err(Complaint::NotRows) };
        let mut typed = Map::new();
        for column in &columns {
            let value = given.remove(&column.name).unwrap_or_default();
            typed.insert(column.name.clone(), typed_cell(column, value, at + 1)?);
        }
        if let Some(stranger) = given.into_iter().next() {
            return Err(Complaint::NoColumn(stranger.0));
        }
        if typed.values().any(|value| !value.is_null()) {
            kept.push(Value::Object(typed));
        }
    }
    if kept.is_empty() { Err(Complaint::Missing) } else { Ok(Value::Array(kept)) }
}

fn typed_cell(column: &Column, value: Value, row: usize) -> Result<Value, Complaint> {
    let text = match value {
        Value::Null => return Ok(Value::Null),
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) if column.kind != CellKind::Text => {
            return Ok(Value::from(number.as_f64()));
        }
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => return Err(Complaint::NotRows),
    };
    if text.chars().count() > MOST_LETTERS {
        return Err(Complaint::TooLong(MOST_LETTERS));
    }
    match column.kind {
        _ if text.is_empty() => Ok(Value::Null),
        CellKind::Text => Ok(Value::from(text)),
        CellKind::Number | CellKind::Money | CellKind::Percent => match plain(&text) {
            Some(number) => Ok(json(number)),
            None => Err(Complaint::NotACell { row, column: column.name.clone(), text }),
        },
    }
}
