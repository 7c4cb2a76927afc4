//! Dealing a crowd over the minutes around it, so that they are even.

use std::collections::HashMap;

use super::{board::Board, emptiest, item::Item};

/// Over minutes that are no further apart share the minutes between them.
const REACH: usize = 7;

/// Everybody who stands in a minute over the cap is taken away and dealt anew, in this order. A crowd
/// in which somebody finds no room stays as it is. `true`: somebody moved.
///
/// After a crowd was dealt nobody who may move stands in a minute that is over, so a second pass
/// finds no crowd.
pub(super) fn deal(items: &mut [Item], order: &[usize], board: &mut Board) -> bool {
    let mut moved = false;
    for crowd in crowds(items, order, board) {
        for at in &crowd {
            board.remove(&items[*at], 0);
        }
        let mut dealt = Vec::with_capacity(crowd.len());
        for at in &crowd {
            let Some(shift) = emptiest(&items[*at], board) else { break };
            board.add(&items[*at], shift);
            dealt.push(shift);
        }
        if dealt.len() < crowd.len() {
            for (at, shift) in crowd.iter().zip(dealt) {
                board.remove(&items[*at], shift);
            }
            for at in &crowd {
                board.add(&items[*at], 0);
            }
            continue;
        }
        for (at, shift) in crowd.into_iter().zip(dealt) {
            moved |= shift != 0;
            items[at].shift(shift);
        }
    }
    moved
}

/// Who may move out of a minute that is over, by the stretch of time they crowd.
fn crowds(items: &[Item], order: &[usize], board: &Board) -> Vec<Vec<usize>> {
    let mut stretches = Stretches::default();
    let mut crowd = Vec::new();
    for at in order.iter().copied().filter(|at| items[*at].movable) {
        let mut minutes = board.crowded(&items[at]);
        let Some(first) = minutes.next() else { continue };
        stretches.root(first);
        for minute in minutes {
            stretches.join(first, minute);
        }
        crowd.push((at, first));
    }
    stretches.join_near();
    let mut by_stretch: Vec<Vec<usize>> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (at, minute) in crowd {
        let place = *places.entry(stretches.root(minute)).or_insert(by_stretch.len());
        if place == by_stretch.len() {
            by_stretch.push(Vec::new());
        }
        by_stretch[place].push(at);
    }
    by_stretch
}

/// Minutes that are over, joined where somebody stands in two of them or they are near.
#[derive(Default)]
struct Stretches {
    parents: HashMap<usize, usize>,
}

impl Stretches {
    fn root(&mut self, minute: usize) -> usize {
        let mut at = minute;
        while let Some(parent) = self.parents.get(&at).copied().filter(|parent| *parent != at) {
            at = parent;
        }
        self.parents.insert(minute, at);
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents.insert(one.max(other), one.min(other));
    }

    fn join_near(&mut self) {
        let mut minutes: Vec<usize> = self.parents.keys().copied().collect();
        minutes.sort_unstable();
        for pair in minutes.windows(2) {
            if pair[1] - pair[0] <= REACH {
                self.join(pair[0], pair[1]);
            }
        }
    }
}
