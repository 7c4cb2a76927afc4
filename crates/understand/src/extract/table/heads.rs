//! The head of a table: the columns it names, on one row or on several that stand close.

use page::Rect;

use super::super::parse::amount;
use super::super::schema::{CellKind, Column};
use super::super::sheet::{Row, Sheet};
use super::super::text::shape;
use super::words::{KNOWN, Part, misread, shaped, worded};

/// The longest head of a column in words, the widest and the highest head of a table.
const MOST_WORDS: usize = 4;
const MOST_TOKENS: usize = 40;
const MOST_ROWS: usize = 5;
/// Columns that may hold the amounts.
const MOST_AMOUNTS: usize = 3;
/// How far apart the rows of a head stand, in letters.
const APART: f32 = 0.8;

/// The head of one column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) part: Part,
    pub(super) place: Rect,
}

/// Words that stand together, and what they head.
struct Unit {
    words: Vec<String>,
    place: Rect,
    part: Option<Part>,
}

/// The columns of a schema as parts, with the words that only they have.
pub(super) struct Wanted {
    pub(super) parts: Vec<Part>,
    own: Vec<(String, Part)>,
    /// What is read at each row of the sheet.
    heads: Vec<Vec<(Vec<Head>, usize)>>,
}

impl Wanted {
    pub(super) fn new(columns: &[Column], sheet: &Sheet) -> Self {
        let (mut parts, mut own): (Vec<Part>, Vec<(String, Part)>) = (Vec::new(), Vec::new());
        for (index, column) in columns.iter().enumerate() {
            let known = KNOWN.get(&shaped(&column.name)).copied();
            let known = known.map(|part| if part == Part::Item { Part::Description } else { part });
            // Of two columns with one meaning the second has only its own words.
            let part = known
                .filter(|part| !parts.contains(part))
                .unwrap_or(Part::Own(index, column.kind != CellKind::Text));
            own.extend(column.labels.iter().map(|label| (shaped(label), part)));
            if column.labels.is_empty() && matches!(part, Part::Own(..)) {
                own.push((shaped(&column.name), part));
            }
            parts.push(part);
        }
        let mut wanted = Self { parts, own, heads: Vec::new() };
        wanted.heads = (0..sheet.rows.len()).map(|at| wanted.read(sheet, at)).collect();
        wanted
    }

    fn part(&self, words: &[String]) -> Option<Part> {
        let words = shape(&words.concat());
        let own = self.own.iter().find(|(label, _)| *label == words).map(|(_, part)| *part);
        own.or_else(|| KNOWN.get(&words).copied()).or_else(|| misread(&words))
    }

    /// The ways to read a head that begins at a row, each with the rows it takes: that row alone, and
    /// with all that stand close below it.
    pub(super) fn heads(&self, at: usize) -> &[(Vec<Head>, usize)] {
        &self.heads[at]
    }

    fn read(&self, sheet: &Sheet, at: usize) -> Vec<(Vec<Head>, usize)> {
        let first = &sheet.rows[at];
        if !plain(first) {
            return Vec::new();
        }
        let mut units = self.units(first);
        if units.iter().all(|unit| unit.part.is_none()) {
            return Vec::new();
        }
        let alone = head(&units).map(|heads| (heads, 1));
        let mut stacked = None;
        for rows in 2..=MOST_ROWS {
            let Some(row) = sheet.rows.get(at + rows - 1) else { break };
            let above = &sheet.rows[at + rows - 2];
            let gap = (row.place.y - above.place.bottom()) / sheet.letter(at);
            let digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
            let bare = !row.tokens.iter().any(|token| digits(&token.text));
            if row.page != first.page || gap > APART || !bare || !plain(row) {
                break;
            }
            for unit in self.units(row) {
                self.join(&mut units, unit);
            }
            stacked = head(&units).map(|heads| (heads, rows)).or(stacked);
        }
        alone.into_iter().chain(stacked).collect()
    }

    /// The words of a row: those that head a column together, the others one by one.
    fn units(&self, row: &Row) -> Vec<Unit> {
        let words: Vec<String> = row.tokens.iter().map(|token| token.folded.clone()).collect();
        let (mut units, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let close = |n: &usize| (at + 1..at + n).all(|token| row.gap_before(token) < 1.3);
            let counts = (1..=MOST_WORDS.min(words.len() - at)).rev().filter(close);
            let found = counts.into_iter().find_map(|n| Some((n, self.part(&words[at..at + n])?)));
            let n = found.map_or(1, |(n, _)| n);
            let first = row.tokens[at].place;
            let place = row.tokens[at..at + n].iter().fold(first, |all, t| all.union(&t.place));
            if worded(&row.tokens[at].text) {
                let part = found.map(|(_, part)| part);
                units.push(Unit { words: words[at..at + n].to_vec(), place, part });
            }
            at += n;
        }
        units
    }

    /// Puts words of a lower row under those they stand below, and reads the column anew.
    fn join(&self, units: &mut Vec<Unit>, unit: Unit) {
        let shared = |other: &Unit| {
            let shared =
                other.place.right().min(unit.place.right()) - other.place.x.max(unit.place.x);
            shared / other.place.w.min(unit.place.w).max(1e-3)
        };
        let over = units.iter().enumerate().map(|(n, other)| (n, shared(other)));
        let over = over.filter(|(_, shared)| *shared > 0.3).max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((n, _)) = over else { return units.push(unit) };
        let above = &mut units[n];
        above.words.extend(unit.words);
        above.place = above.place.union(&unit.place);
        let longest = (1..=above.words.len().min(MOST_WORDS)).rev();
        above.part = longest.into_iter().find_map(|n| self.part(&above.words[..n]));
    }
}

/// Whether a row can be one of heads: no amounts, and not a paragraph.
fn plain(row: &Row) -> bool {
    let cents = |text: &str| amount::parse(text).is_some_and(|amount| amount.decimals > 0);
    row.tokens.len() <= MOST_TOKENS && !row.tokens.iter().any(|token| cents(&token.text))
}

/// The columns, from left to right, if these are the head of a table.
fn head(units: &[Unit]) -> Option<Vec<Head>> {
    let named = |unit: &Unit| Some(Head { part: unit.part?, place: unit.place });
    let mut heads: Vec<Head> = units.iter().filter_map(named).collect();
    heads.sort_by(|a, b| a.place.x.total_cmp(&b.place.x));
    let count = |heads: &[Head], part: Part| heads.iter().filter(|one| one.part == part).count();
    if count(&heads, Part::Description) == 0
        && let Some(item) = heads.iter_mut().find(|head| head.part == Part::Item)
    {
        item.part = Part::Description;
    }
    // Of two prices the last is that of the whole line.
    if count(&heads, Part::Amount) == 0
        && count(&heads, Part::Price) > 1
        && let Some(last) = heads.iter_mut().rfind(|head| head.part == Part::Price)
    {
        last.part = Part::Amount;
    }
    let what = [Part::Description, Part::Quantity, Part::Price];
    let of = what.into_iter().filter(|part| count(&heads, *part) > 0).count();
    let priced =
        count(&heads, Part::Amount) > 0 && of > 0 || count(&heads, Part::Price) > 0 && of > 1;
    let words =
        |units: &mut dyn Iterator<Item = &Unit>| units.map(|one| one.words.len()).sum::<usize>();
    let matched = words(&mut units.iter().filter(|unit| unit.part.is_some()));
    (priced && matched * 2 >= words(&mut units.iter())).then_some(heads)
}

/// The heads with each of those that may stand over the amounts as the one that does, and each part
/// once.
pub(super) fn choices(heads: &[Head]) -> Vec<Vec<Head>> {
    let each = heads.iter().enumerate();
    let amounts = each.filter(|(_, head)| head.part == Part::Amount).map(|(n, _)| n);
    let amounts: Vec<usize> = amounts.take(MOST_AMOUNTS).collect();
    let one_of = |chosen: usize| {
        let mut kept: Vec<Head> = Vec::new();
        for (n, head) in heads.iter().enumerate() {
            let own = head.part != Part::Amount || chosen == n;
            if own && kept.iter().all(|one| one.part != head.part) {
                kept.push(*head);
            }
        }
        kept
    };
    if amounts.is_empty() { vec![one_of(0)] } else { amounts.into_iter().map(one_of).collect() }
}
