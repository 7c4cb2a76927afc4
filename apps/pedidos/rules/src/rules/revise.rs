//! The ticket after an edit: what was added and what was voided (R-11, S-24).
//!
//! A ticket is never rewritten. More of a dish is a new line with the difference; less of it voids
//! lines and, when a line was larger than the cut, adds the rest back. So a cook sees every change
//! as an addition or a struck-out line, and what is done stays done where possible.

use std::collections::BTreeMap;

use crate::model::{Line, LineState, TicketLine};

/// Lines to append and numbers of lines to void. `revision` of the added lines is left at zero:
/// the store numbers the revision when it applies it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revision {
    pub added: Vec<TicketLine>,
    pub voided: Vec<i64>,
}

impl Revision {
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty() && self.voided.is_empty()
    }
}

/// What makes two lines the same dish to a cook. Price and weight do not.
type Dish<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>);

/// The lines of a new ticket, revision 1.
pub fn open(lines: &[Line]) -> Vec<TicketLine> {
    lines
        .iter()
        .map(|line| TicketLine { revision: 1, ..ticket_line(line, line.n, line.quantity) })
        .collect()
}

/// What brings the ticket's live lines to the wanted content.
pub fn revise(ticket: &[TicketLine], wanted: &[Line]) -> Revision {
    let mut missing: BTreeMap<Dish<'_>, i64> = BTreeMap::new();
    for line in wanted {
        *missing.entry(dish_of_line(line)).or_default() += line.quantity;
    }
    for line in live(ticket) {
        *missing.entry(dish_of_ticket(line)).or_default() -= line.quantity;
    }
    let mut revision = Revision::default();
    let mut next = ticket.iter().map(|line| line.n).max().unwrap_or(0) + 1;
    let mut add = |revision: &mut Revision, line: TicketLine| {
        revision.added.push(TicketLine { n: next, ..line });
        next += 1;
    };
    for line in wanted {
        let more = missing.get_mut(&dish_of_line(line)).filter(|more| **more > 0);
        if let Some(more) = more {
            add(&mut revision, ticket_line(line, 0, *more));
            *more = 0;
        }
    }
    let mut shrinking: Vec<&TicketLine> = live(ticket).collect();
    // Pending before done, newest before oldest: the cut falls where least work is lost.
    shrinking.sort_unstable_by_key(|line| (line.state == LineState::Done, -line.n));
    for line in shrinking {
        let Some(excess) = missing.get_mut(&dish_of_ticket(line)).filter(|excess| **excess < 0)
        else {
            continue;
        };
        revision.voided.push(line.n);
        let rest = line.quantity + *excess;
        *excess = rest.min(0);
        if rest > 0 {
            add(&mut revision, TicketLine { quantity: rest, revision: 0, ..line.clone() });
        }
    }
    revision.voided.sort_unstable();
    revision
}

fn live(ticket: &[TicketLine]) -> impl Iterator<Item = &TicketLine> {
    ticket.iter().filter(|line| line.state != LineState::Voided)
}

fn dish_of_line(line: &Line) -> Dish<'_> {
    (&line.name, line.note.as_deref(), line.extras.as_deref(), line.station.as_deref())
}

fn dish_of_ticket(line: &TicketLine) -> Dish<'_> {
    (&line.name, line.note.as_deref(), line.extras.as_deref(), line.station.as_deref())
}

fn ticket_line(line: &Line, n: i64, quantity: i64) -> TicketLine {
    TicketLine {
        n,
        name: line.name.clone(),
        quantity,
        note: line.note.clone(),
        extras: line.extras.clone(),
        station: line.station.clone(),
        revision: 0,
        state: LineState::Pending,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::samples::line;

    fn numbered(lines: Vec<Line>) -> Vec<Line> {
        lines.into_iter().zip(1..).map(|(line, n)| Line { n, ..line }).collect()
    }

    fn apply(ticket: &[TicketLine], revision: &Revision) -> Vec<TicketLine> {
        let mut next = ticket.to_vec();
        for line in &mut next {
            if revision.voided.contains(&line.n) {
                line.state = LineState::Voided;
            }
        }
        next.extend(revision.added.iter().cloned());
        next
    }

    fn content(ticket: &[TicketLine]) -> BTreeMap<String, i64> {
        let mut content = BTreeMap::new();
        for line in live(ticket) {
            *content.entry(line.name.clone()).or_default() += line.quantity;
        }
        content
    }

    #[test]
    fn more_of_a_dish_is_a_line_with_the_difference() {
        let ticket = open(&numbered(vec![line("burger", 3, 1)]));
        let revision = revise(&ticket, &[line("burger", 3, 3)]);
        assert!(revision.voided.is_empty());
        let [added] = revision.added.as_slice() else { panic!("{revision:?}") };
        assert_eq!((added.n, added.quantity, added.state), (2, 2, LineState::Pending));
    }

    #[test]
    fn less_of_a_dish_voids_the_line_and_adds_the_rest() {
        let mut ticket = open(&numbered(vec![line("burger", 3, 3)]));
        ticket[0].state = LineState::Done;
        let revision = revise(&ticket, &[line("burger", 3, 1)]);
        assert_eq!(revision.voided, [1]);
        assert_eq!((revision.added[0].quantity, revision.added[0].state), (1, LineState::Done));
    }

    #[test]
    fn what_is_done_is_voided_last() {
        let mut ticket = open(&numbered(vec![line("burger", 3, 1), line("burger", 3, 1)]));
        ticket[1].state = LineState::Done;
        let revision = revise(&ticket, &[line("burger", 3, 1)]);
        assert_eq!((revision.voided, revision.added), (vec![1], vec![]));
    }

    #[test]
    fn a_changed_note_is_another_dish() {
        let ticket = open(&numbered(vec![line("burger", 3, 1)]));
        let mut plain = line("burger", 3, 1);
        plain.note = Some("sin cebolla".into());
        let revision = revise(&ticket, &[plain]);
        assert_eq!((revision.voided.len(), revision.added.len()), (1, 1));
    }

    fn lines() -> impl Strategy<Value = Vec<Line>> {
        let one = (prop::sample::select(vec!["burger", "lomo", "papas", "drink"]), 1_i64..5);
        prop::collection::vec(one.prop_map(|(name, quantity)| line(name, 1, quantity)), 0..6)
            .prop_map(numbered)
    }

    proptest! {
        #[test]
        fn the_ticket_ends_with_the_wanted_content_and_then_rests(
            first in lines(), second in lines(), third in lines(), done in any::<u8>(),
        ) {
            let mut ticket = open(&first);
            for wanted in [second, third] {
                for line in &mut ticket {
                    if line.state == LineState::Pending && done >> (line.n % 8) & 1 == 1 {
                        line.state = LineState::Done;
                    }
                }
                let revision = revise(&ticket, &wanted);
                ticket = apply(&ticket, &revision);
                prop_assert_eq!(content(&ticket), content(&open(&wanted)));
                prop_assert!(revise(&ticket, &wanted).is_empty());
                let numbers: std::collections::BTreeSet<_> = ticket.iter().map(|l| l.n).collect();
                prop_assert_eq!(numbers.len(), ticket.len());
            }
        }
    }
}
