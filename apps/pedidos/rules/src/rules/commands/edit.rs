//! Editing the lines of an order (R-11, S-24).

use std::collections::BTreeMap;

use super::{Answer, Change, Refusal, permit};
use crate::model::{Line, Order, OrderState, Role, TicketLine, later_by_minutes};
use crate::policy::Action;
use crate::rules::estimate;
use crate::rules::pricing::total;
use crate::rules::revise::revise;

/// The whole content an order shall have. `estimate_minutes` comes from `estimate::minutes`,
/// corrected or not, so that this rule need not know about learning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub lines: Vec<Line>,
    pub estimate_minutes: i64,
}

/// Replaces the lines. In the kitchen the start stays, the finish follows the new estimate, and
/// the ticket grows by a revision. Ready food is not edited: recall it first, else the change
/// would never reach a cook.
pub fn edit(
    order: &Order,
    current: &[Line],
    ticket: Option<&[TicketLine]>,
    wanted: Edit,
    role: Role,
) -> Answer {
    permit(role, Action::WriteOrders)?;
    match order.state {
        OrderState::Received | OrderState::Preparing => {}
        state @ (OrderState::Ready | OrderState::Delivered | OrderState::Cancelled) => {
            return Err(Refusal::NotEditable { state });
        }
    }
    let Edit { mut lines, estimate_minutes } = wanted;
    check(&lines)?;
    for (line, n) in lines.iter_mut().zip(1..) {
        line.n = n;
    }
    let unchanged = lines.as_slice() == current && estimate_minutes == order.estimate_minutes;
    if unchanged {
        return Ok(Vec::new());
    }
    let revision = ticket.map(|ticket| revise(ticket, &lines)).filter(|found| !found.is_empty());
    let taken = stock_difference(current, &lines);
    let id = order.id;
    let mut changes = vec![Change::SetLines {
        order: id,
        effort: estimate::effort(&lines),
        total_cents: total(&lines),
        lines,
        estimate_minutes,
        planned_start: order.due.planned_start(estimate_minutes),
        expected_finish: order.started_at.map(|start| later_by_minutes(start, estimate_minutes)),
    }];
    changes.extend(revision.map(|revision| Change::ReviseTicket { order: id, revision }));
    if !taken.is_empty() {
        changes.push(Change::AdjustStock { order: id, taken });
    }
    Ok(changes)
}

fn check(lines: &[Line]) -> Result<(), Refusal> {
    if lines.is_empty() {
        return Err(Refusal::NoLines);
    }
    let bad = |line: &Line| {
        line.quantity < 1
            || line.price_cents < 0
            || line.name.trim().is_empty()
            || !(1..=4).contains(&line.weight)
    };
    match lines.iter().position(bad) {
        Some(index) => Err(Refusal::LineInvalid { n: index as i64 + 1 }),
        None => Ok(()),
    }
}

fn stock_difference(current: &[Line], wanted: &[Line]) -> Vec<(i64, i64)> {
    let mut taken: BTreeMap<i64, i64> = BTreeMap::new();
    for (lines, sign) in [(wanted, 1), (current, -1)] {
        for line in lines {
            if let Some(article) = line.article {
                let units = taken.entry(article).or_default();
                *units = units.saturating_add(line.quantity.saturating_mul(sign));
            }
        }
    }
    taken.into_iter().filter(|(_, units)| *units != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::revise::open;
    use crate::rules::samples::{at, line, order, preparing};

    fn numbered(mut lines: Vec<Line>) -> Vec<Line> {
        for (line, n) in lines.iter_mut().zip(1..) {
            line.n = n;
            line.article = Some(100 + n);
        }
        lines
    }

    #[test]
    fn s24_editing_while_cooking_keeps_the_start_and_tells_the_cook() {
        let order = preparing(1, "20:00:00");
        let current = numbered(vec![line("burger", 3, 2), line("drink", 1, 1)]);
        let ticket = open(&current);
        let mut wanted = vec![current[0].clone(), line("lomo", 4, 1), line("papas", 3, 1)];
        wanted[1].article = Some(200);
        let effort = estimate::effort(&wanted);
        assert_eq!(effort, 13);
        let edited = Edit { estimate_minutes: estimate::minutes(effort, 10), lines: wanted };
        let changes = edit(&order, &current, Some(&ticket), edited, Role::Cashier).unwrap();
        let [lines, ticket, stock] = changes.as_slice() else { panic!("{changes:?}") };
        let Change::SetLines { expected_finish, estimate_minutes, total_cents, .. } = lines else {
            panic!("{lines:?}")
        };
        assert_eq!((*estimate_minutes, *expected_finish), (20, Some(at("20:20:00"))));
        assert_eq!(*total_cents, 400_000);
        let Change::ReviseTicket { revision, .. } = ticket else { panic!("{ticket:?}") };
        let added: Vec<_> = revision.added.iter().map(|line| line.name.as_str()).collect();
        assert_eq!((added, revision.voided.clone()), (vec!["lomo", "papas"], vec![2]));
        let taken = vec![(102, -1), (200, 1)];
        assert_eq!(*stock, Change::AdjustStock { order: order.id, taken });
    }

    #[test]
    fn a_waiting_order_has_no_ticket_and_no_finish() {
        let order = order(1);
        let current = numbered(vec![line("burger", 3, 2)]);
        let mut more = current.clone();
        more[0].quantity = 3;
        let wanted = Edit { lines: more, estimate_minutes: 15 };
        let changes = edit(&order, &current, None, wanted, Role::Cashier).unwrap();
        assert_eq!(changes.len(), 2);
        let Change::SetLines { expected_finish: None, planned_start: None, .. } = &changes[0]
        else {
            panic!("{changes:?}")
        };
    }

    #[test]
    fn an_edit_that_changes_nothing_answers_nothing() {
        let order = order(1);
        let current = numbered(vec![line("burger", 3, 2)]);
        let wanted = Edit { lines: current.clone(), estimate_minutes: order.estimate_minutes };
        assert_eq!(edit(&order, &current, None, wanted, Role::Cashier), Ok(vec![]));
    }

    #[test]
    fn refusals_name_what_is_wrong() {
        let mut order = order(1);
        let try_lines = |order: &Order, lines: Vec<Line>, role| {
            edit(order, &[], None, Edit { lines, estimate_minutes: 10 }, role).unwrap_err()
        };
        assert_eq!(try_lines(&order, vec![], Role::Cashier), Refusal::NoLines);
        let zero = vec![line("burger", 3, 1), line("drink", 1, 0)];
        assert_eq!(try_lines(&order, zero, Role::Cashier), Refusal::LineInvalid { n: 2 });
        let lines = vec![line("burger", 3, 1)];
        assert_eq!(try_lines(&order, lines.clone(), Role::Kitchen).code(), "ROL_INSUFICIENTE");
        for state in [OrderState::Ready, OrderState::Delivered, OrderState::Cancelled] {
            order.state = state;
            let refused = try_lines(&order, lines.clone(), Role::Admin);
            assert_eq!(refused, Refusal::NotEditable { state });
        }
    }
}
