//! Rows and columns: numbers stand under their heads and in line with each other.

use page::Rect;
use rust_decimal::Decimal;

use super::super::money::{Money, Sense};
use super::super::parse::amount;
use super::super::reading::Reading;
use super::super::sheet::{Row, Span};
use super::heads::{Head, Wanted, choices};
use super::sums::{self, Verdict};
use super::words::{Part, carries, heads_sums, worded};

/// Bounds of one table, and of the numbers of one row that are looked at.
pub(super) const MOST_ROWS: usize = 500;
const MOST_NUMBERS: usize = 24;
/// Rows of words that one line takes.
const MOST_WRAPPED: usize = 12;
/// How far from its column a number may stand, and rows of one line from each other, in letters.
const ASIDE: f32 = 5.0;
const BELOW: f32 = 1.3;

/// A number of a row.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) span: Span,
    pub(super) place: Rect,
    pub(super) value: Decimal,
    /// Whether its only sign may part thousands or decimals: `1.250`.
    pub(super) grouped: bool,
    percent: bool,
    /// Printed with cents or a currency.
    priced: bool,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) row: usize,
    numbers: Vec<(Part, Number)>,
    /// Rows whose words belong to it, its own among them, from top to bottom.
    pub(super) worded: Vec<usize>,
    /// Which of the heads its page has.
    heads: usize,
    /// Money on its row stands in no column.
    pub(super) stray: bool,
}

impl Line {
    pub(super) fn number(&self, part: Part) -> Option<&Number> {
        self.numbers.iter().find(|(own, _)| *own == part).map(|(_, number)| number)
    }

    pub(super) fn settle(&mut self, part: Part, value: Decimal) {
        if let Some((_, number)) = self.numbers.iter_mut().find(|(own, _)| *own == part) {
            number.value = value;
        }
    }
}

/// Where the cells of a column stand, relative to its head: the edge they share.
#[derive(Clone, Copy)]
enum Edge {
    Left(f32),
    Middle(f32),
    Right(f32),
}

/// A table as it was found.
pub(super) struct Grid {
    pub(super) lines: Vec<Line>,
    /// The heads of the first page and of each page that repeats them.
    heads: Vec<Vec<Head>>,
    /// The first row that is not before the table.
    pub(super) from: usize,
}

impl Grid {
    /// Reads the lines under the heads, from a row on: first by the heads alone, then by the edges that
    /// the numbers of a column share.
    pub(super) fn read(reading: &Reading, wanted: &Wanted, heads: Vec<Head>, from: usize) -> Self {
        let first = Self::walk(reading, wanted, heads.clone(), from, &[]);
        let edges = first.edges();
        Self::walk(reading, wanted, heads, from, &edges)
    }

    fn walk(
        reading: &Reading,
        wanted: &Wanted,
        mut heads: Vec<Head>,
        from: usize,
        edges: &[Option<Edge>],
    ) -> Self {
        heads.sort_by(|a, b| a.place.x.total_cmp(&b.place.x));
        let parts: Vec<Part> = heads.iter().map(|head| head.part).collect();
        let amounts = parts.contains(&Part::Amount);
        let key = if amounts { Part::Amount } else { Part::Price };
        let mut grid = Self { lines: Vec::new(), heads: vec![heads], from };
        let mut loose: Vec<usize> = Vec::new();
        let (mut inside, mut page, mut begun, mut upto) = (true, None, false, from);
        for (at, row) in reading.sheet.rows.iter().enumerate().skip(from) {
            if page != Some(row.page) {
                begun = page.is_none();
                page = Some(row.page);
            }
            if at < upto {
                continue;
            }
            let again = wanted.heads(at);
            if !again.is_empty() {
                let same =
                    again.iter().filter_map(|(heads, rows)| Some((grid.like(heads)?, *rows)));
                let same = same.max_by_key(|(_, rows)| *rows);
                inside = same.is_some();
                if let Some((heads, rows)) = same {
                    grid.heads.push(heads);
                    (begun, upto) = (true, at + rows);
                }
                continue;
            }
            if !inside {
                continue;
            }
            let (numbers, ends) = (numbers(reading, at), says_sum(reading, at));
            let none = numbers.iter().all(|number| number.percent);
            let heads = grid.heads.len() - 1;
            let money = numbers.iter().filter(|number| number.priced).count();
            let numbers = assign(numbers, &grid.heads[heads], edges, reading.sheet.letter(at));
            let stray = numbers.iter().filter(|(_, number)| number.priced).count() < money;
            let mut line = Line { row: at, numbers, worded: vec![at], heads, stray };
            let closes = sums::judge(&mut line) == Verdict::Closes;
            let keyed =
                closes || line.number(key).is_some_and(|own| own.priced || !grid.priced(key));
            if carries(row) && !closes {
                continue;
            }
            if ends && !closes || none && heads_sums(row) || grid.is_sum(&line, closes, row) {
                inside = false;
            } else if keyed && (begun || line.numbers.len() * 2 > parts.len()) {
                begun = true;
                grid.lines.push(line);
                if grid.lines.len() == MOST_ROWS {
                    break;
                }
            } else if begun {
                loose.push(at);
            }
        }
        grid.attach(reading, &loose);
        grid
    }

    /// The heads of a further page, if they are those of the first: of several columns that may hold
    /// the amounts the one that stands where it stood.
    fn like(&self, heads: &[Head]) -> Option<Vec<Head>> {
        let first = &self.heads[0];
        let parts = |heads: &[Head]| heads.iter().map(|head| head.part).collect::<Vec<_>>();
        let same = choices(heads).into_iter().filter(|one| parts(one) == parts(first));
        let apart = |one: &[Head]| {
            let both = one.iter().zip(first);
            both.map(|(a, b)| (a.place.x - b.place.x).abs()).sum::<f32>()
        };
        same.min_by(|a, b| apart(a).total_cmp(&apart(b)))
    }

    /// Whether the amounts so far are printed as money.
    fn priced(&self, key: Part) -> bool {
        let priced = |line: &Line| line.number(key).is_some_and(|number| number.priced);
        self.lines.iter().any(priced)
    }

    /// Whether a row without words of its own repeats the sum of all before it.
    fn is_sum(&self, line: &Line, closes: bool, row: &Row) -> bool {
        let words = row.tokens.iter().filter(|token| worded(&token.text)).count();
        let amount = line.number(Part::Amount).map(|amount| amount.value);
        let summed = amount == Some(sums::sum(&self.lines));
        words < 3 && self.lines.len() > 1 && !closes && summed
    }

    /// The edge that the numbers of each column share, where there are several.
    fn edges(&self) -> Vec<Option<Edge>> {
        let heads = &self.heads[0];
        let of = |(column, head): (usize, &Head)| {
            let place = |line: &Line| {
                let number = line.number(head.part)?;
                let head = self.heads[line.heads][column].place;
                Some((number.place, head.x))
            };
            let places: Vec<(Rect, f32)> = self.lines.iter().filter_map(place).collect();
            let edge = |side: fn(&Rect) -> f32| {
                let mut all: Vec<f32> = places.iter().map(|(one, x)| side(one) - x).collect();
                all.sort_by(f32::total_cmp);
                let middle = all[all.len() / 2];
                let spread = all.iter().map(|one| (one - middle).abs()).sum::<f32>();
                (middle, spread)
            };
            if places.len() < 2 {
                return None;
            }
            let (left, middle, right) = (edge(|p| p.x), edge(|p| p.middle().0), edge(Rect::right));
            Some(if right.1 <= left.1 && right.1 <= middle.1 {
                Edge::Right(right.0)
            } else if left.1 <= middle.1 {
                Edge::Left(left.0)
            } else {
                Edge::Middle(middle.0)
            })
        };
        heads.iter().enumerate().map(of).collect()
    }

    /// Gives rows of words alone to the line they stand nearest to: a run of them between two lines is
    /// cut at its widest gap.
    fn attach(&mut self, reading: &Reading, loose: &[usize]) {
        let rows = &reading.sheet.rows;
        let gap = |above: usize, below: usize| {
            let (above, below) = (&rows[above], &rows[below]);
            if above.page != below.page {
                return f32::INFINITY;
            }
            (below.place.y - above.place.bottom()) / reading.sheet.pages[below.page].letter
        };
        let mut given: Vec<(usize, usize)> = Vec::new();
        let mut from = 0;
        for next in 0..=self.lines.len() {
            let upto = self.lines.get(next).map_or(usize::MAX, |line| line.row);
            let to = from + loose[from..].iter().take_while(|row| **row < upto).count();
            let run = &loose[from..to];
            from = to;
            let before = next.checked_sub(1).map(|line| self.lines[line].row);
            let after = self.lines.get(next).map(|line| line.row);
            let chain: Vec<usize> =
                before.into_iter().chain(run.iter().copied()).chain(after).collect();
            let gaps: Vec<f32> = chain.windows(2).map(|pair| gap(pair[0], pair[1])).collect();
            let widest = gaps.iter().copied().fold(f32::MIN, f32::max);
            let cut = match (before, after) {
                (Some(_), None) => run.len(),
                (None, _) => 0,
                (Some(_), Some(_)) => {
                    gaps.iter().rposition(|gap| *gap >= widest - 0.15).unwrap_or(0)
                }
            };
            let near = |gap: &f32| *gap <= BELOW;
            let down = gaps.iter().take(cut).take_while(|gap| near(gap)).count();
            let up = gaps.iter().rev().take(run.len() - cut).take_while(|gap| near(gap)).count();
            let most = |count: usize| count.min(MOST_WRAPPED);
            given.extend(run[..most(down)].iter().map(|row| (next.wrapping_sub(1), *row)));
            given.extend(run[run.len() - most(up)..].iter().map(|row| (next, *row)));
        }
        for (line, row) in given {
            if let Some(line) = self.lines.get_mut(line) {
                line.worded.push(row);
                line.worded.sort_unstable();
            }
        }
    }

    /// The words of a line that stand in a column of words.
    pub(super) fn words(&self, reading: &Reading, line: &Line, part: Part) -> Vec<Span> {
        let heads = &self.heads[line.heads];
        let Some(column) = heads.iter().position(|head| head.part == part) else {
            return Vec::new();
        };
        let letter = reading.sheet.letter(line.row);
        let low = match column.checked_sub(1).map(|before| heads[before]) {
            None => f32::MIN,
            Some(before) if before.part.counts() => {
                let number = line.number(before.part).map(|number| number.place.right());
                number.unwrap_or(before.place.right())
            }
            Some(_) => heads[column].place.x - letter,
        };
        let high = heads.get(column + 1).map_or(f32::MAX, |next| {
            let number = line.number(next.part).map(|number| number.place.x);
            if next.part.counts() {
                number.unwrap_or_else(|| self.left_of(next.part, next.place.x))
            } else {
                next.place.x - 0.5 * letter
            }
        });
        let spans = line.worded.iter().filter_map(|at| {
            let tokens = &reading.sheet.rows[*at].tokens;
            let inside = |place: &Rect| {
                place.middle().0 > low && place.x < high && place.middle().0 < high + letter
            };
            let from = tokens.iter().position(|token| inside(&token.place))?;
            let count = tokens[from..].iter().take_while(|token| inside(&token.place)).count();
            Some(Span { row: *at, from, to: from + count })
        });
        spans.collect()
    }

    /// How far to the left the numbers of a column reach.
    fn left_of(&self, part: Part, head: f32) -> f32 {
        let numbers = self.lines.iter().filter_map(|line| line.number(part));
        numbers.map(|number| number.place.x).fold(head, f32::min)
    }
}

/// Whether the words of a row say that its amount is a sum.
fn says_sum(reading: &Reading, at: usize) -> bool {
    let row = &reading.sheet.rows[at];
    let summed = |money: &Money| {
        let sums = matches!(
            money.sense,
            Sense::Total
                | Sense::Net
                | Sense::NetPay
                | Sense::Tax
                | Sense::Gross
                | Sense::Part
                | Sense::Rounding
        );
        let words = || row.tokens[..money.span.from].iter().any(|token| worded(&token.text));
        sums && money.strength > 0.5 && words()
    };
    money_of(reading, at).iter().any(summed)
}

/// The amounts of one row; they are kept in the order of rows.
pub(super) fn money_of(reading: &Reading, at: usize) -> &[Money] {
    let from = reading.money.partition_point(|money| money.span.row < at);
    let to = reading.money.partition_point(|money| money.span.row <= at);
    &reading.money[from..to]
}

/// The numbers of a row, rates among them, from left to right.
pub(super) fn numbers(reading: &Reading, at: usize) -> Vec<Number> {
    let row = &reading.sheet.rows[at];
    let number = |span: Span, amount: &amount::Amount, percent: bool| {
        let text = reading.sheet.text(span);
        let marks = || text.chars().filter(|mark| matches!(mark, '.' | ','));
        let grouped = amount.decimals == 0 && marks().count() == 1;
        // A currency may stand nearer to the number on its other side.
        let digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        let own = reading.sheet.tokens(span).iter().filter(|token| digits(&token.text));
        let place = own.map(|token| token.place).reduce(|all, one| all.union(&one));
        let place = place.unwrap_or_else(|| reading.sheet.place(span));
        let priced = amount.decimals == 2 || amount.currency.is_some();
        Number { span, place, value: amount.value, grouped, percent, priced }
    };
    let plain = money_of(reading, at).iter().map(|money| number(money.span, &money.amount, false));
    let rate = |from: usize| {
        let text = row.tokens[from].text.trim_end_matches([',', ')', '.']).trim_start_matches('(');
        let split = row.tokens.get(from + 1).is_some_and(|next| next.text.starts_with('%'));
        let bare = text.strip_suffix('%').or(split.then_some(text))?;
        let span = Span { row: at, from, to: from + 1 + usize::from(split) };
        amount::parse(bare).map(|amount| number(span, &amount, true))
    };
    let mut all: Vec<Number> = plain.chain((0..row.tokens.len()).filter_map(rate)).collect();
    all.sort_by_key(|number| number.span.from);
    all.dedup_by(|next, before| next.span.overlaps(before.span));
    // The amounts of a line stand at its end.
    all.split_off(all.len().saturating_sub(MOST_NUMBERS))
}

/// Which column each number stands in: the least sum of distances that keeps their order. A number
/// that stands in none costs as much as the widest distance.
fn assign(
    numbers: Vec<Number>,
    heads: &[Head],
    edges: &[Option<Edge>],
    letter: f32,
) -> Vec<(Part, Number)> {
    let columns: Vec<(usize, &Head)> =
        heads.iter().enumerate().filter(|(_, head)| head.part.counts()).collect();
    let cost = |number: &Number, (column, head): (usize, &Head)| {
        let (own, place) = (number.place, head.place);
        if number.percent && !matches!(head.part, Part::Tax | Part::Discount | Part::Own(..)) {
            return None;
        }
        let aside = match edges.get(column).copied().flatten() {
            Some(Edge::Left(x)) => (own.x - place.x - x).abs(),
            Some(Edge::Middle(x)) => (own.middle().0 - place.x - x).abs(),
            Some(Edge::Right(x)) => (own.right() - place.x - x).abs(),
            None => (own.x - place.x)
                .abs()
                .min((own.right() - place.right()).abs())
                .min((own.middle().0 - place.middle().0).abs()),
        };
        let aside = aside / letter;
        (aside <= ASIDE).then_some(aside)
    };
    // best[n][c]: the least cost of the numbers from n on in the columns from c on.
    let (rows, wide) = (numbers.len(), columns.len());
    let mut best = vec![vec![0.0f32; wide + 1]; rows + 1];
    for n in (0..rows).rev() {
        for c in (0..=wide).rev() {
            let mut least = best[n + 1][c] + ASIDE;
            if c < wide {
                least = least.min(best[n][c + 1]);
                if let Some(cost) = cost(&numbers[n], columns[c]) {
                    least = least.min(best[n + 1][c + 1] + cost);
                }
            }
            best[n][c] = least;
        }
    }
    let (mut c, mut placed) = (0, Vec::new());
    for (n, number) in numbers.into_iter().enumerate() {
        while c < wide && best[n][c] >= best[n][c + 1] {
            c += 1;
        }
        let taken = (c < wide).then(|| cost(&number, columns[c])).flatten();
        if taken.is_some_and(|cost| best[n + 1][c + 1] + cost <= best[n + 1][c] + ASIDE) {
            placed.push((columns[c].1.part, number));
            c += 1;
        }
    }
    placed
}
