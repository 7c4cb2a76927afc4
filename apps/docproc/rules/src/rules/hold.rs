//! *Deshacer* (§8.2): how long an answer may be taken back, and by whom. While it is held nothing
//! follows from it, so that taking it back undoes all of it.

use jiff::{SignedDuration, Timestamp};

/// With less time left than so many times the hold, an answer is not held: it is waited for.
const ROOM: i32 = 5;

/// Until when an answer is held; `None`: it counts at once.
pub fn until(now: Timestamp, deadline: Timestamp, hold: SignedDuration) -> Option<Timestamp> {
    let left = deadline.duration_since(now);
    let pressing = !left.is_negative() && left < hold * ROOM;
    if hold.is_zero() || pressing { None } else { now.checked_add(hold).ok() }
}

/// Whether an answer can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undo {
    Yes,
    /// Something has followed from it, or does so now.
    TooLate,
    /// Somebody else gave it.
    NotTheirs,
}

/// `held` is who gave the answer and until when it is held, while it is.
pub fn undo(held: Option<(&str, Timestamp)>, operator: &str, now: Timestamp) -> Undo {
    match held {
        Some((by, _)) if by != operator => Undo::NotTheirs,
        Some((_, until)) if now < until => Undo::Yes,
        Some(_) | None => Undo::TooLate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: SignedDuration = SignedDuration::from_secs(6);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn an_answer_is_held_unless_its_deadline_is_near() {
        assert_eq!(until(at(0), at(900), HOLD), Some(at(6)));
        assert_eq!(until(at(0), at(30), HOLD), Some(at(6)));
        assert_eq!(until(at(0), at(29), HOLD), None, "it is waited for");
        assert_eq!(until(at(0), at(0), HOLD), None);
        assert_eq!(until(at(10), at(0), HOLD), Some(at(16)), "there is nothing left to miss");
        assert_eq!(until(at(0), at(900), SignedDuration::ZERO), None);
    }

    #[test]
    fn only_who_gave_it_takes_it_back_and_only_in_time() {
        let held = Some(("ana", at(6)));
        assert_eq!(undo(held, "ana", at(5)), Undo::Yes);
        assert_eq!(undo(held, "ana", at(6)), Undo::TooLate);
        assert_eq!(undo(held, "luis", at(5)), Undo::NotTheirs);
        assert_eq!(undo(None, "ana", at(5)), Undo::TooLate);
    }
}
