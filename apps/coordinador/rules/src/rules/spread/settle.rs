//! At boot (§6.3, R-8): everybody whose time passed gets a slot at once, in
//! the order of the dispatcher, never more than the cap in a minute.

use std::cmp::Reverse;

use jiff::{SignedDuration, Timestamp};

use super::{Move, Overflow, Placed, Plan, board::Board, item::Item};
use crate::{
    policy::Policy,
    rules::due::{self, later},
};

/// Slots are a minute apart from now on, so that neither a clock minute nor any 60 seconds have
/// more; who fits into the first stays as it is, and is started. Whoever would wait longer than its
/// interval takes its next slot instead: nothing is caught up, and it is named as overflow.
pub fn settle(placed: &[Placed], policy: &Policy, now: Timestamp) -> Plan {
    let mut board = Board::new(policy, now);
    let mut overdue = Vec::new();
    for one in placed {
        if one.next_run_at <= now {
            overdue.push(one);
        } else {
            board.add(&Item::new(one, policy, now), 0);
        }
    }
    // As the dispatcher hears them.
    overdue.sort_by_key(|one| {
        let fresh = later(one.next_run_at, one.cadence.interval.duration()) >= now;
        (fresh, Reverse(one.job.weight()), one.priority, one.next_run_at, one.node)
    });
    let mut queues = [Queue::default(); 2];
    let mut plan = Plan::default();
    for one in overdue {
        let short = policy.limits.is_short(one.cadence.interval);
        let cap = if short { policy.limits.short_per_minute } else { policy.limits.per_minute };
        let minute = queues[usize::from(short)].next(&mut board, short, cap);
        if minute == 0 {
            continue;
        }
        let wait = SignedDuration::from_mins(minute as i64);
        let fits = wait <= one.cadence.interval.duration();
        let next = if fits { later(now, wait) } else { due::next_after(&one.cadence, now) };
        let phase = one.cadence.phase;
        plan.moves.push(Move {
            node: one.node,
            from: one.next_run_at,
            next_run_at: next,
            phase,
            overflow: false,
        });
        if !fits {
            plan.overflow.push(Overflow { node: one.node, next_run_at: next });
        }
    }
    plan.loads = board.loads();
    plan
}

/// Where the next one of a kind looks first: everything before is full for good.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    minute: usize,
    /// Taken in a minute beyond the board.
    beyond: u32,
}

impl Queue {
    fn next(&mut self, board: &mut Board, short: bool, cap: u32) -> usize {
        if self.minute < board.len() {
            self.minute = board.take_from(self.minute, short);
        }
        if self.minute >= board.len() {
            self.beyond += 1;
            if self.beyond > cap.max(1) {
                self.minute += 1;
                self.beyond = 1;
            }
        }
        self.minute
    }
}
