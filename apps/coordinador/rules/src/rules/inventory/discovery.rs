//! After a walk: who is there, who came back, who is missing.

use std::collections::BTreeMap;

use engine::Planned;

use crate::{
    model::{Formula, OnuId, Presence, SlotPort},
    policy::InventoryPolicy,
    rules::{formula, inventory::States},
};

/// An ONU as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub onu: OnuId,
    pub raw_index: String,
    pub presence: Presence,
    pub misses: u32,
    pub state: Option<i64>,
}

/// One row of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    pub raw_index: String,
    pub state: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    pub rows: Vec<Sighting>,
    /// The end of the subtree was reached without an error.
    pub complete: bool,
}

/// Whether a great loss is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    Guarded,
    /// A person looked at it.
    Accepted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// FAILED (PARTIAL): nothing changes.
    Truncated,
    /// SUCCESS: an empty table says nothing about anybody.
    Empty,
    /// FAILED (HELD): too many are missing; it is walked again.
    Held { missing: usize, present: usize },
    /// SUCCESS.
    Believed { changes: Vec<Change>, count: Count },
}

impl Planned for Verdict {
    type Change = Change;
    type Held = ();

    fn changes(&self) -> &[Change] {
        match self {
            Self::Believed { changes, .. } => changes,
            Self::Truncated | Self::Empty | Self::Held { .. } => &[],
        }
    }

    fn held(&self) -> &[()] {
        &[]
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    New { raw_index: String, place: Option<SlotPort>, state: i64 },
    Seen { onu: OnuId, state: i64, changed: bool },
    // It was gone: what was known of it may be another customer's, all but the description.
    Back { onu: OnuId, state: i64 },
    Missed { onu: OnuId, misses: u32 },
    // Missed often enough: DISABLED, inactive.
    Gone { onu: OnuId, misses: u32 },
}

/// The summary of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    pub found: usize,
    /// Online, and in any other state.
    pub active: usize,
    pub inactive: usize,
    pub new: usize,
    pub back: usize,
    pub gone: usize,
    /// Present before this walk, and those of them that it found off after they were online.
    pub present: usize,
    pub off: usize,
}

/// Fewer are everyday life.
const MANY: usize = 10;
const MANY_PERCENT: usize = 10;

impl Count {
    /// *Pérdida masiva*: how many were lost at once, gone or off, if people should hear of it.
    pub const fn mass_loss(&self) -> Option<usize> {
        let lost = self.gone + self.off;
        if lost >= MANY && lost * 100 > self.present * MANY_PERCENT { Some(lost) } else { None }
    }
}

pub fn after_discovery(
    known: &[Known],
    walk: &Walk,
    formula: Option<&Formula>,
    states: States,
    policy: InventoryPolicy,
    trust: Trust,
) -> Verdict {
    if !walk.complete {
        return Verdict::Truncated;
    }
    let seen: BTreeMap<&str, i64> =
        walk.rows.iter().map(|row| (row.raw_index.as_str(), row.state)).collect();
    if seen.is_empty() {
        return Verdict::Empty;
    }
    let present = known.iter().filter(|one| one.presence == Presence::Enabled);
    let (present, missing) = present.fold((0, 0), |(present, missing), one| {
        (present + 1, missing + usize::from(!seen.contains_key(one.raw_index.as_str())))
    });
    if trust == Trust::Guarded && is_mass_loss(missing, present, policy) {
        return Verdict::Held { missing, present };
    }
    believed(known, &seen, formula, states, policy)
}

/// One customer who leaves is no mass, however few there are.
fn is_mass_loss(missing: usize, present: usize, policy: InventoryPolicy) -> bool {
    missing > 1 && missing * 100 > present * policy.mass_loss_percent as usize
}

fn believed(
    known: &[Known],
    seen: &BTreeMap<&str, i64>,
    formula: Option<&Formula>,
    states: States,
    policy: InventoryPolicy,
) -> Verdict {
    let mut changes = Vec::with_capacity(seen.len());
    let mut new = seen.clone();
    for one in known {
        new.remove(one.raw_index.as_str());
        let onu = one.onu;
        match (seen.get(one.raw_index.as_str()).copied(), one.presence) {
            (Some(state), Presence::Enabled) => {
                changes.push(Change::Seen { onu, state, changed: one.state != Some(state) });
            }
            (Some(state), Presence::Disabled) => changes.push(Change::Back { onu, state }),
            (None, Presence::Enabled) => {
                let misses = one.misses.saturating_add(1);
                let gone = misses >= policy.misses.max(1);
                changes.push(if gone {
                    Change::Gone { onu, misses }
                } else {
                    Change::Missed { onu, misses }
                });
            }
            (None, Presence::Disabled) => {}
        }
    }
    changes.extend(new.into_iter().map(|(raw, state)| Change::New {
        raw_index: raw.to_owned(),
        place: formula.and_then(|formula| formula::decode(formula, raw).ok()),
        state,
    }));
    let active = seen.values().filter(|state| **state == states.online).count();
    let count_of = |is: fn(&Change) -> bool| changes.iter().filter(|change| is(change)).count();
    let off = known.iter().filter(|one| {
        let now = seen.get(one.raw_index.as_str());
        let was = one.presence == Presence::Enabled && one.state == Some(states.online);
        was && now.is_some_and(|state| *state != states.online)
    });
    let count = Count {
        off: off.count(),
        present: known.iter().filter(|one| one.presence == Presence::Enabled).count(),
        found: seen.len(),
        active,
        inactive: seen.len() - active,
        new: count_of(|change| matches!(change, Change::New { .. })),
        back: count_of(|change| matches!(change, Change::Back { .. })),
        gone: count_of(|change| matches!(change, Change::Gone { .. })),
    };
    Verdict::Believed { changes, count }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain() -> States {
        crate::rules::inventory::states(None, "")
    }

    fn index(onu: i64) -> String {
        format!("{}.{}", 4_194_312_192_i64 + onu / 128 * 256, onu % 128)
    }

    fn walk(onus: impl Iterator<Item = i64>) -> Walk {
        let row = |onu| Sighting { raw_index: index(onu), state: 1 };
        Walk { rows: onus.map(row).collect(), complete: true }
    }

    fn known(onu: i64) -> Known {
        let (presence, state) = (Presence::Enabled, Some(1));
        Known { onu: OnuId(onu), raw_index: index(onu), presence, misses: 0, state }
    }

    /// As the store does it.
    fn applied(known: &mut Vec<Known>, changes: &[Change]) {
        for change in changes {
            let of = |onu: OnuId| move |one: &&mut Known| one.onu == onu;
            match change {
                Change::New { raw_index, state, .. } => known.push(Known {
                    onu: OnuId(known.len() as i64),
                    raw_index: raw_index.clone(),
                    presence: Presence::Enabled,
                    misses: 0,
                    state: Some(*state),
                }),
                Change::Seen { onu, state, .. } | Change::Back { onu, state } => {
                    let one = known.iter_mut().find(of(*onu)).unwrap();
                    (one.presence, one.misses) = (Presence::Enabled, 0);
                    one.state = Some(*state);
                }
                Change::Missed { onu, misses } => {
                    known.iter_mut().find(of(*onu)).unwrap().misses = *misses;
                }
                Change::Gone { onu, misses } => {
                    let one = known.iter_mut().find(of(*onu)).unwrap();
                    (one.presence, one.misses) = (Presence::Disabled, *misses);
                }
            }
        }
    }

    fn walked(known: &mut Vec<Known>, walk: &Walk) -> Count {
        let huawei = formula::huawei();
        let policy = InventoryPolicy::default();
        match after_discovery(known, walk, Some(&huawei), plain(), policy, Trust::Guarded) {
            Verdict::Believed { changes, count } => {
                applied(known, &changes);
                count
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scenario_24_one_leaves_and_comes_back() {
        let mut all = Vec::new();
        let first = walked(&mut all, &walk(0..351));
        assert_eq!((first.found, first.new, all.len()), (351, 351, 351));
        let second = walked(&mut all, &walk(1..351));
        assert_eq!((second.gone, second.new), (1, 0));
        let gone = all.iter().filter(|one| one.presence == Presence::Disabled).count();
        assert_eq!(gone, 1);
        let third = walked(&mut all, &walk(0..351));
        assert_eq!((third.back, third.new), (1, 0));
        assert!(all.iter().all(|one| one.presence == Presence::Enabled && one.misses == 0));
    }

    #[test]
    fn scenario_24_weak_evidence_changes_nothing() {
        let all: Vec<Known> = (0..351).map(known).collect();
        let policy = InventoryPolicy::default();
        let verdict =
            |walk: &Walk, trust| after_discovery(&all, walk, None, plain(), policy, trust);
        let cut = Walk { complete: false, ..walk(0..100) };
        assert_eq!(verdict(&cut, Trust::Accepted), Verdict::Truncated);
        assert_eq!(verdict(&walk(0..0), Trust::Guarded), Verdict::Empty);
        let held = Verdict::Held { missing: 211, present: 351 };
        assert_eq!(verdict(&walk(0..140), Trust::Guarded), held);
        let Verdict::Believed { count, .. } = verdict(&walk(0..140), Trust::Accepted) else {
            panic!("a person accepted it");
        };
        assert_eq!(count.gone, 211);
    }

    #[test]
    fn many_that_go_off_at_once_are_a_mass_loss_and_a_few_are_not() {
        let all: Vec<Known> = (0..200).map(known).collect();
        let policy = InventoryPolicy::default();
        let lost = |off: i64, gone: i64| {
            let mut seen = walk(gone..200);
            for row in seen.rows.iter_mut().take(off as usize) {
                row.state = 2;
            }
            match after_discovery(&all, &seen, None, plain(), policy, Trust::Guarded) {
                Verdict::Believed { count, .. } => count.mass_loss(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(lost(20, 0), None, "a tenth");
        assert_eq!(lost(21, 0), Some(21));
        assert_eq!(lost(15, 15), Some(30), "gone or off");
        assert_eq!(lost(0, 9), None);
    }

    #[test]
    fn more_misses_may_be_asked_for() {
        let policy = InventoryPolicy { misses: 2, ..InventoryPolicy::default() };
        let mut all: Vec<Known> = (0..10).map(known).collect();
        let again = walk(1..10);
        let mut news = Vec::new();
        for _ in 0..2 {
            let verdict = after_discovery(&all, &again, None, plain(), policy, Trust::Guarded);
            let Verdict::Believed { changes, .. } = verdict else { panic!("{verdict:?}") };
            news.push(changes.iter().find(|one| !matches!(one, Change::Seen { .. })).cloned());
            applied(&mut all, &changes);
        }
        let onu = OnuId(0);
        let expected = [Change::Missed { onu, misses: 1 }, Change::Gone { onu, misses: 2 }];
        assert_eq!(news, expected.map(Some));
    }

    proptest! {
        #[test]
        fn the_same_walk_twice_is_no_news(
            before in prop::collection::btree_set(0_i64..60, 0..50),
            after in prop::collection::btree_set(0_i64..60, 1..50),
        ) {
            let mut all: Vec<Known> = before.into_iter().map(known).collect();
            let policy = InventoryPolicy::default();
            let seen = walk(after.into_iter());
            let verdict = after_discovery(&all, &seen, None, plain(), policy, Trust::Accepted);
            let Verdict::Believed { changes, .. } = verdict else { panic!("it is complete") };
            applied(&mut all, &changes);
            let present = all.iter().filter(|one| one.presence == Presence::Enabled).count();
            prop_assert_eq!(present, seen.rows.len());
            let again = after_discovery(&all, &seen, None, plain(), policy, Trust::Guarded);
            let Verdict::Believed { changes, .. } = again else { panic!("nothing is lost") };
            let news = changes.iter().any(|one| !matches!(one, Change::Seen { changed: false, .. }));
            prop_assert!(!news);
        }
    }
}
