//! What the cook does on the kitchen screen.

use jiff::Timestamp;

use super::{Answer, Change, Refusal, permit, ready, recall};
use crate::model::{KitchenTicket, LineState, Order, OrderState, Role, TicketLine};
use crate::policy::Action;

/// What the last bump on a ticket did, as the store remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastBump {
    /// The line it marked done; none when the whole order was bumped.
    pub line: Option<i64>,
    /// Whether it made the order ready.
    pub made_ready: bool,
}

/// Marks a line done, or pending again if it was done. The last line done makes the order ready:
/// the cook should not have to say the same thing twice.
pub fn bump(
    order: &Order,
    ticket: &KitchenTicket,
    lines: &[TicketLine],
    n: i64,
    role: Role,
    now: Timestamp,
) -> Answer {
    permit(role, Action::BumpLines)?;
    if order.state != OrderState::Preparing {
        return Err(Refusal::AlreadyProcessed { state: order.state });
    }
    let line = lines.iter().find(|line| line.n == n).ok_or(Refusal::LineUnknown { n })?;
    let to = match line.state {
        LineState::Pending => LineState::Done,
        LineState::Done => LineState::Pending,
        LineState::Voided => return Err(Refusal::LineVoided { n }),
    };
    let mut changes = vec![Change::SetLineState { ticket: ticket.id, n, from: line.state, to }];
    let others_done =
        lines.iter().filter(|other| other.n != n).all(|other| other.state != LineState::Pending);
    if to == LineState::Done && others_done {
        changes.extend(ready(order, role, now)?);
    }
    Ok(changes)
}

/// *Deshacer*: takes back the last bump, of a line or of the order.
pub fn undo(
    order: &Order,
    ticket: &KitchenTicket,
    lines: &[TicketLine],
    last: Option<LastBump>,
    role: Role,
    now: Timestamp,
) -> Answer {
    permit(role, Action::BumpLines)?;
    let last = last.ok_or(Refusal::NothingToUndo)?;
    let mut changes = Vec::new();
    if last.made_ready {
        if order.state != OrderState::Ready {
            return Err(Refusal::NothingToUndo);
        }
        changes.extend(recall(order, role, now)?);
    } else if order.state != OrderState::Preparing {
        return Err(Refusal::NothingToUndo);
    }
    if let Some(n) = last.line {
        let done = lines.iter().any(|line| line.n == n && line.state == LineState::Done);
        if done {
            let (from, to) = (LineState::Done, LineState::Pending);
            changes.push(Change::SetLineState { ticket: ticket.id, n, from, to });
        }
    }
    if changes.is_empty() { Err(Refusal::NothingToUndo) } else { Ok(changes) }
}

/// *Confirmar*: the cook has seen the changes up to `revision`.
pub fn acknowledge(ticket: &KitchenTicket, revision: i64, role: Role) -> Answer {
    permit(role, Action::BumpLines)?;
    let latest = ticket.revision;
    if revision < 1 || revision > latest {
        return Err(Refusal::RevisionUnknown { revision, latest });
    }
    if revision <= ticket.acknowledged_revision {
        return Ok(Vec::new());
    }
    Ok(vec![Change::AcknowledgeTicket { ticket: ticket.id, revision }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::commands::Cause;
    use crate::rules::revise::open;
    use crate::rules::samples::{at, line, preparing};

    const TICKET: KitchenTicket = KitchenTicket {
        id: 7,
        order: crate::model::OrderId(1),
        revision: 2,
        acknowledged_revision: 1,
    };

    fn two_lines() -> Vec<TicketLine> {
        let mut lines = vec![line("burger", 3, 2), line("drink", 1, 1)];
        lines[1].n = 2;
        open(&lines)
    }

    fn bump_at(order: &Order, lines: &[TicketLine], n: i64, role: Role) -> Answer {
        bump(order, &TICKET, lines, n, role, at("20:09:00"))
    }

    #[test]
    fn the_last_line_done_makes_the_order_ready() {
        let order = preparing(1, "20:00:00");
        let mut lines = two_lines();
        assert_eq!(bump_at(&order, &lines, 1, Role::Kitchen).unwrap().len(), 1);
        lines[0].state = LineState::Done;
        let changes = bump_at(&order, &lines, 2, Role::Kitchen).unwrap();
        assert!(matches!(changes[1], Change::SetState { to: OrderState::Ready, .. }));
        lines[1].state = LineState::Done;
        let again = bump_at(&order, &lines, 2, Role::Kitchen).unwrap();
        assert!(matches!(again[..], [Change::SetLineState { to: LineState::Pending, .. }]));
    }

    #[test]
    fn a_voided_line_neither_blocks_nor_bumps() {
        let order = preparing(1, "20:00:00");
        let mut lines = two_lines();
        lines[0].state = LineState::Voided;
        assert_eq!(bump_at(&order, &lines, 1, Role::Kitchen), Err(Refusal::LineVoided { n: 1 }));
        assert_eq!(bump_at(&order, &lines, 2, Role::Kitchen).unwrap().len(), 2);
        assert_eq!(bump_at(&order, &lines, 9, Role::Kitchen), Err(Refusal::LineUnknown { n: 9 }));
        assert!(bump_at(&order, &lines, 2, Role::Cashier).is_err());
    }

    #[test]
    fn undo_takes_back_the_order_and_the_line() {
        let mut order = preparing(1, "20:00:00");
        let mut lines = two_lines();
        lines[0].state = LineState::Done;
        lines[1].state = LineState::Done;
        order.state = OrderState::Ready;
        order.ready_at = Some(at("20:09:00"));
        let last = Some(LastBump { line: Some(2), made_ready: true });
        let now = at("20:09:05");
        let changes = undo(&order, &TICKET, &lines, last, Role::Kitchen, now).unwrap();
        let Change::SetState { to, times, cause, .. } = &changes[0] else { panic!("{changes:?}") };
        assert_eq!((*to, *cause), (OrderState::Preparing, Cause::Recalled));
        assert_eq!((times.started_at, times.ready_at), (order.started_at, None));
        assert!(matches!(changes[1], Change::SetLineState { n: 2, to: LineState::Pending, .. }));
        order.state = OrderState::Delivered;
        let gone = undo(&order, &TICKET, &lines, last, Role::Kitchen, now);
        assert_eq!(gone, Err(Refusal::NothingToUndo));
        let none = undo(&order, &TICKET, &lines, None, Role::Kitchen, now);
        assert_eq!(none, Err(Refusal::NothingToUndo));
    }

    #[test]
    fn acknowledging_is_repeatable_and_knows_its_revisions() {
        let seen = Change::AcknowledgeTicket { ticket: 7, revision: 2 };
        assert_eq!(acknowledge(&TICKET, 2, Role::Kitchen), Ok(vec![seen]));
        assert_eq!(acknowledge(&TICKET, 1, Role::Kitchen), Ok(vec![]));
        assert_eq!(
            acknowledge(&TICKET, 3, Role::Kitchen).unwrap_err().code(),
            "REVISION_INEXISTENTE"
        );
        assert!(acknowledge(&TICKET, 2, Role::Cashier).is_err());
    }
}
