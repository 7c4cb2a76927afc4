//! *Redistribución* (§3, §4, R-6): planned starts under the cap of a minute, evenly.
//!
//! A slot keeps its second and moves by whole minutes, at most three either way of its grid, and
//! stays there: the phase is kept with the node. Only a minute that is over the cap makes anybody
//! move. Then all who stand in it are dealt anew (`deal`), the best priority first, each to the
//! emptiest minute of its window: seventeen become two or three a minute, and the best are not all
//! in one. Where that finds no room for somebody, the first so many of a minute stay and the others
//! go where there is room, or once to the nearest later minute. If the demand would fit even so,
//! everybody is placed again, short intervals first: when intervals divide each other and windows
//! allow, the peak is then the least there can be, because on a divisor chain the loads of the
//! classes never differ by more than one.

mod board;
mod deal;
mod item;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod scenarios;
mod settle;

use std::collections::{BTreeSet, HashMap};

use engine::Planned;
use jiff::{SignedDuration, Timestamp};

use board::Board;
use item::Item;
pub use settle::settle;

use super::due::later;
use crate::{
    model::{Cadence, JobType, NodeId, OltId, Priority},
    policy::{Limits, Policy},
};

/// A master that runs by plan, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub priority: Priority,
    pub cadence: Cadence,
    pub next_run_at: Timestamp,
    /// Starts by plan of the last hour, running ones too: they count at the target instant.
    pub recent: Vec<Timestamp>,
    /// An earlier pass found no room for its next run in its window.
    pub overflow: bool,
}

#[must_use = "a plan does nothing until it is applied"]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub moves: Vec<Move>,
    /// *OVERFLOW*: what fits nowhere in its window.
    pub overflow: Vec<Overflow>,
    /// Per minute of the horizon, after the moves.
    pub loads: Vec<Load>,
}

impl Planned for Plan {
    type Change = Move;
    type Held = Overflow;

    fn changes(&self) -> &[Move] {
        &self.moves
    }

    fn held(&self) -> &[Overflow] {
        &self.overflow
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    pub node: NodeId,
    pub from: Timestamp,
    pub next_run_at: Timestamp,
    /// As it was, when only this one run moves.
    pub phase: SignedDuration,
    /// It fits nowhere in its window.
    pub overflow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow {
    pub node: NodeId,
    /// Where its next run is now.
    pub next_run_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    pub minute: Timestamp,
    /// Starts: nodes that are asked together are one.
    pub nodes: u32,
    pub short: u32,
}

/// What was settled is settled after so many rounds; each takes away from what is over.
const ROUNDS: usize = 8;

pub fn plan(placed: &[Placed], policy: &Policy, now: Timestamp) -> Plan {
    let groups = groups(placed, &policy.limits);
    let mut items: Vec<Item> =
        groups.iter().map(|group| together(placed, group, policy, now)).collect();
    let mut board = Board::new(policy, now);
    for item in &items {
        board.add(item, 0);
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    if board.is_over() {
        order.sort_unstable_by_key(|at| by_priority(&items[*at]));
        for _ in 0..ROUNDS {
            if !round(&mut items, &order, &mut board, policy, now) {
                break;
            }
        }
    }
    // It lasts until it has run, or a person planned it anew.
    let mut overflow: BTreeSet<usize> = (0..items.len()).filter(|at| items[*at].waits).collect();
    overflow.extend(stuck(&items, &order, &board));
    told(placed, &groups, &items, &overflow, &board)
}

/// Those who may move and stand where enough better ones stand.
fn stuck(items: &[Item], order: &[usize], board: &Board) -> Vec<usize> {
    if !board.is_over() {
        return Vec::new();
    }
    let mut seen = board.seats();
    for item in items.iter().filter(|item| !item.movable) {
        seen.sit(item);
    }
    let mut left = Vec::new();
    for at in order.iter().copied().filter(|at| items[*at].movable) {
        if board.must_leave(&items[at], &seen) {
            left.push(at);
        } else {
            seen.sit(&items[at]);
        }
    }
    left
}

/// Short gets of one OLT that are planned for one instant are one run (§6.4b), and one start.
fn groups(placed: &[Placed], limits: &Limits) -> Vec<Vec<usize>> {
    let mut known: HashMap<_, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::with_capacity(placed.len());
    for (at, one) in placed.iter().enumerate() {
        if one.job != JobType::Get || !limits.is_short(one.cadence.interval) {
            groups.push(vec![at]);
            continue;
        }
        let key = (one.olt, one.cadence.interval, one.next_run_at, one.cadence.phase);
        let group = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

fn together(placed: &[Placed], group: &[usize], policy: &Policy, now: Timestamp) -> Item {
    let mut items = group.iter().map(|at| Item::new(&placed[*at], policy, now));
    let mut first = items.next().expect("a group has a first");
    for other in items {
        first.join(&other);
    }
    first
}

/// One look at everything that is over. `false`: nothing was to be moved.
fn round(
    items: &mut Vec<Item>,
    order: &[usize],
    board: &mut Board,
    policy: &Policy,
    now: Timestamp,
) -> bool {
    let mut moved = deal::deal(items, order, board);
    if !board.is_over() {
        return moved;
    }
    if fits(items, policy) {
        while sweep(items, order, board, Overfull::Stays) {
            moved = true;
        }
        // Only while all stand on their grids: after somebody waited, a second pass must not find
        // a way that the first one had not.
        let stuck = !stuck(items, order, board).is_empty();
        if stuck && items.iter().all(Item::is_on_grid) {
            let mut fresh = items.clone();
            if let Some(placed) = afresh(&mut fresh, policy, now) {
                (*items, *board) = (fresh, placed);
                return true;
            }
        }
    }
    while sweep(items, order, board, Overfull::Waits) {
        moved = true;
    }
    moved
}

/// What becomes of a run that fits nowhere in its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overfull {
    Stays,
    /// It goes to the nearest later minute, once.
    Waits,
}

/// One look at everybody, the best first. The first so many of a minute stay; who comes after them
/// while the minute is over the cap goes where there is room. Each move takes one away from what
/// is over, so this ends; and it ends where a second pass finds nothing to move.
fn sweep(items: &mut [Item], order: &[usize], board: &mut Board, overfull: Overfull) -> bool {
    let mut seen = board.seats();
    for item in items.iter().filter(|item| !item.movable) {
        seen.sit(item);
    }
    let mut moved = false;
    for at in order.iter().copied() {
        let item = &mut items[at];
        if !item.movable || !board.must_leave(item, &seen) {
            if item.movable {
                seen.sit(item);
            }
            continue;
        }
        board.remove(item, 0);
        if let Some(shift) = emptiest(item, board) {
            item.shift(shift);
            moved = true;
        } else {
            let wait = match overfull {
                Overfull::Waits if board.is_full_at(item) => board.later_minute(item),
                Overfull::Waits | Overfull::Stays => None,
            };
            if let Some(shift) = wait.filter(|shift| *shift > 0) {
                item.wait(shift);
                moved = true;
            }
        }
        board.add(item, 0);
    }
    moved
}

/// Everybody who may be moved, short intervals first; none if somebody finds no room.
fn afresh(items: &mut [Item], policy: &Policy, now: Timestamp) -> Option<Board> {
    let mut board = Board::new(policy, now);
    let mut movers = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        if item.movable {
            movers.push(at);
        } else {
            board.add(item, 0);
        }
    }
    movers.sort_unstable_by_key(|at| (items[*at].step, by_priority(&items[*at])));
    for at in movers {
        let shift = emptiest(&items[at], &board)?;
        items[at].shift(shift);
        board.add(&items[at], 0);
    }
    Some(board)
}

/// Whoever is near its quota comes after the others of its priority. Where a node stands does not
/// matter, or a second pass would see another order.
const fn by_priority(item: &Item) -> (Priority, bool, NodeId) {
    (item.priority, item.wants_later, item.node)
}

/// Whether the demand of a minute is within the cap at all.
fn fits(items: &[Item], policy: &Policy) -> bool {
    let sum = |short: bool| {
        let some = items.iter().filter(|item| !short || item.short);
        some.map(|item| 60.0 / item.step as f64).sum::<f64>()
    };
    // Sums of thirds do not add up to a whole exactly.
    let within = |sum: f64, cap: u32| sum <= f64::from(cap) + 1e-6;
    let limits = &policy.limits;
    within(sum(false), limits.per_minute) && within(sum(true), limits.short_per_minute)
}

/// The shift with the lowest peak; among equals the smallest, and later before earlier. Whoever is
/// near its quota goes earlier only if nothing else is left.
fn emptiest(item: &Item, board: &Board) -> Option<i64> {
    let best = item
        .shifts()
        .filter_map(|shift| Some((board.peak(item, shift)?, shift)))
        .min_by_key(|(peak, shift)| {
            let earlier = *shift < 0;
            (item.wants_later && earlier, *peak, shift.abs(), earlier)
        });
    best.map(|(_, shift)| shift)
}

/// What changed, against where everybody stood.
fn told(
    placed: &[Placed],
    groups: &[Vec<usize>],
    items: &[Item],
    overflow: &BTreeSet<usize>,
    board: &Board,
) -> Plan {
    let next = |at: usize, of: usize| later(placed[of].next_run_at, items[at].moved());
    let members = |at: usize| groups[at].iter().map(move |of| (at, *of));
    let mut moves: Vec<Move> = (0..items.len())
        .filter(|at| !items[*at].moved().is_zero())
        .flat_map(members)
        .map(|(at, of)| Move {
            node: placed[of].node,
            from: placed[of].next_run_at,
            next_run_at: next(at, of),
            phase: items[at].phase(),
            overflow: items[at].waits,
        })
        .collect();
    moves.sort_unstable_by_key(|one| (one.next_run_at, one.node));
    let over = overflow.iter().flat_map(|at| members(*at));
    let mut overflow: Vec<Overflow> = over
        .map(|(at, of)| Overflow { node: placed[of].node, next_run_at: next(at, of) })
        .collect();
    overflow.sort_unstable_by_key(|one| (one.next_run_at, one.node));
    Plan { moves, overflow, loads: board.loads() }
}

/// Who starts in each of the next minutes, as planned.
pub fn outlook(placed: &[Placed], policy: &Policy, now: Timestamp, minutes: usize) -> Vec<Minute> {
    let mut all: Vec<Minute> = (0..minutes as i64)
        .map(|minute| Minute { at: board::minute_at(now, minute), nodes: Vec::new(), starts: 0 })
        .collect();
    for group in groups(placed, &policy.limits) {
        let item = together(placed, &group, policy, now);
        for minute in item.minutes(0, minutes) {
            all[minute].nodes.extend(group.iter().map(|at| placed[*at].node));
            all[minute].starts += 1;
        }
    }
    all
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minute {
    pub at: Timestamp,
    pub nodes: Vec<NodeId>,
    /// Nodes that are asked together are one start.
    pub starts: usize,
}
