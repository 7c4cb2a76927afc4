//! Who is called to which window: the decision, pure.

use engine::{Lifecycle, Plan, Sentence};
use jiff::{SignedDuration, Timestamp};

/// Whoever has not come to the window by then is passed over.
pub const CALL_TIMEOUT: SignedDuration = SignedDuration::from_mins(2);

engine::ids! {
    /// A number that somebody took.
    TicketId,
}

engine::words! {
    pub enum State { Waiting = "WAITING", Called = "CALLED", Done = "DONE", Missed = "MISSED" }
}

impl Lifecycle for State {
    fn successors(self) -> &'static [Self] {
        match self {
            Self::Waiting => &[Self::Called],
            Self::Called => &[Self::Done, Self::Missed],
            Self::Done | Self::Missed => &[],
        }
    }
}

/// Somebody called to a window.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    pub ticket: TicketId,
    pub window: i64,
    pub at: Timestamp,
}

/// All that the planner looks at.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub open: Vec<i64>,
    pub called: Vec<Call>,
    /// Oldest first.
    pub waiting: Vec<TicketId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Call { ticket: TicketId, window: i64 },
    Miss { ticket: TicketId },
}

/// Why somebody still waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub ticket: TicketId,
    pub ahead: usize,
    pub windows: usize,
}

impl Held {
    pub fn sentence(self) -> Sentence {
        let Self { ahead, windows, .. } = self;
        Sentence::new(
            format!("Hay {ahead} antes y {windows} ventanillas abiertas, todas ocupadas."),
            format!("{ahead} are ahead, and all of {windows} open windows are taken."),
        )
    }
}

/// Passes over whoever did not come, then calls the oldest to every window that is free.
pub fn plan(snapshot: &Snapshot, now: Timestamp) -> Plan<Change, Held> {
    let late = |call: &&Call| now.duration_since(call.at) >= CALL_TIMEOUT;
    let missed = snapshot.called.iter().filter(late);
    let mut changes: Vec<_> = missed.map(|call| Change::Miss { ticket: call.ticket }).collect();
    let taken = |window| snapshot.called.iter().any(|call| call.window == window && !late(&call));
    let mut free = snapshot.open.iter().copied().filter(|window| !taken(*window));
    let mut held = Vec::new();
    for ticket in snapshot.waiting.iter().copied() {
        match free.next() {
            Some(window) => changes.push(Change::Call { ticket, window }),
            None => held.push(Held { ticket, ahead: held.len(), windows: snapshot.open.len() }),
        }
    }
    Plan { changes, held }
}

/// The instant at which time alone changes something.
pub fn next(snapshot: &Snapshot) -> Option<Timestamp> {
    snapshot.called.iter().map(|call| call.at + CALL_TIMEOUT).min()
}
