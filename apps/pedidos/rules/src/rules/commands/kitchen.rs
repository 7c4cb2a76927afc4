//! What the cook does on the kitchen screen.

use jiff::Timestamp;

use super::{Answer, Change, Refusal, permit, ready, recall};
use crate::model::{KitchenTicket, LineState, Order, OrderState, Role, TicketLine};
use crate::policy::Action;

/// One mark a cook made, as the store remembers it. Marks made by one press share their batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bump {
    pub batch: i64,
    /// The line it marked done; none when the whole order was bumped.
    pub line: Option<i64>,
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
    match line.state {
        LineState::Pending => done(order, ticket, lines, vec![n], role, now),
        LineState::Done => Ok(vec![mark(ticket, vec![n], LineState::Done, LineState::Pending)]),
        LineState::Voided => Err(Refusal::LineVoided { n }),
    }
}

/// *Estación lista*: a station has finished what is its own. The order is ready when no station has
/// anything left; until then nobody is called. Without a station it is whoever sees the whole ticket.
/// Repeating it is harmless.
pub fn finish_station(
    order: &Order,
    ticket: &KitchenTicket,
    lines: &[TicketLine],
    station: Option<&str>,
    role: Role,
    now: Timestamp,
) -> Answer {
    permit(role, Action::BumpLines)?;
    match order.state {
        OrderState::Preparing => {}
        OrderState::Ready => return Ok(Vec::new()),
        state => return Err(Refusal::AlreadyProcessed { state }),
    }
    let own: Vec<&TicketLine> = lines.iter().filter(|line| line.is_at(station)).collect();
    if let Some(station) = station.filter(|_| own.is_empty()) {
        return Err(Refusal::StationUnknown { station: station.to_owned() });
    }
    let pending = own.iter().filter(|line| line.state == LineState::Pending);
    done(order, ticket, lines, pending.map(|line| line.n).collect(), role, now)
}

/// Lines become done, and the order ready when nothing else is pending.
fn done(
    order: &Order,
    ticket: &KitchenTicket,
    lines: &[TicketLine],
    finished: Vec<i64>,
    role: Role,
    now: Timestamp,
) -> Answer {
    let all_done =
        lines.iter().all(|line| line.state != LineState::Pending || finished.contains(&line.n));
    let mut changes = Vec::new();
    if !finished.is_empty() {
        changes.push(mark(ticket, finished, LineState::Pending, LineState::Done));
    }
    if all_done {
        changes.extend(ready(order, role, now)?);
    }
    Ok(changes)
}

const fn mark(ticket: &KitchenTicket, lines: Vec<i64>, from: LineState, to: LineState) -> Change {
    Change::MarkLines { ticket: ticket.id, lines, from, to }
}

/// *Deshacer*: takes back the last press, of a line, a station or the order. A station takes back its
/// own, never another's; an order that was ready is not any more, since something of it is pending.
pub fn undo(
    order: &Order,
    ticket: &KitchenTicket,
    lines: &[TicketLine],
    bumps: &[Bump],
    station: Option<&str>,
    role: Role,
    now: Timestamp,
) -> Answer {
    permit(role, Action::BumpLines)?;
    if !matches!(order.state, OrderState::Preparing | OrderState::Ready) {
        return Err(Refusal::NothingToUndo);
    }
    let line_of = |n: i64| lines.iter().find(|line| line.n == n);
    let own =
        |bump: &&Bump| bump.line.is_none_or(|n| line_of(n).is_some_and(|line| line.is_at(station)));
    let last = bumps.iter().rev().find(own).ok_or(Refusal::NothingToUndo)?;
    let mut changes = Vec::new();
    if order.state == OrderState::Ready {
        changes.extend(recall(order, role, now)?);
    }
    let back: Vec<i64> = bumps
        .iter()
        .filter(|bump| bump.batch == last.batch)
        .filter(own)
        .filter_map(|bump| bump.line)
        .filter(|n| line_of(*n).is_some_and(|line| line.state == LineState::Done))
        .collect();
    if !back.is_empty() {
        changes.push(mark(ticket, back, LineState::Done, LineState::Pending));
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
        prints: 0,
        printed_at: None,
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
        assert!(matches!(again[..], [Change::MarkLines { to: LineState::Pending, .. }]));
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
        let bumps = [Bump { batch: 1, line: Some(1) }, Bump { batch: 2, line: Some(2) }];
        let take_back = |order: &Order, bumps: &[Bump]| {
            undo(order, &TICKET, &lines, bumps, None, Role::Kitchen, at("20:09:05"))
        };
        let changes = take_back(&order, &bumps).unwrap();
        let Change::SetState { to, times, cause, .. } = &changes[0] else { panic!("{changes:?}") };
        assert_eq!((*to, *cause), (OrderState::Preparing, Cause::Recalled));
        assert_eq!((times.started_at, times.ready_at), (order.started_at, None));
        let (from, to) = (LineState::Done, LineState::Pending);
        assert_eq!(changes[1], Change::MarkLines { ticket: 7, lines: vec![2], from, to });
        assert_eq!(take_back(&order, &[]), Err(Refusal::NothingToUndo));
        order.state = OrderState::Delivered;
        assert_eq!(take_back(&order, &bumps), Err(Refusal::NothingToUndo));
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
