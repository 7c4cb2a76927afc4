//! A deploy whose answer was lost (S-14): it is not posted again until two looks that have nothing in
//! common agree that it never was, or a person decides.

use jiff::{SignedDuration, Timestamp};

use super::reconcile::Seen;
use crate::model::Run;

/// A list that lags shows a run this much later; nothing is concluded before.
const LEAST: SignedDuration = SignedDuration::from_mins(1);
/// How far back it is looked for when nobody knows when it was posted.
const UNKNOWN: SignedDuration = SignedDuration::from_hours(24);

/// What the Control Room showed of a run in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// By its tag.
    pub tagged: Option<Seen>,
    /// By its device and the time.
    pub device: Sight,
}

/// What ran on the device since the deploy was posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// Not asked yet, or the question failed.
    NotAsked,
    /// The list does not even show runs that certainly were: an empty answer proves nothing.
    Blind,
    /// Nothing that could be it.
    Clear,
    /// The same bot on the same device, and none of ours that we know of.
    Suspect(Seen),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is there.
    Adopt(Seen),
    /// Two looks agree: nothing was accepted.
    Withdraw,
    /// Looked for again; from `ask` on a person may decide, and is told so.
    Wait { misses: i64, suspect: Option<String>, ask: bool },
}

/// Whether the next look has to ask by device and time too.
pub const fn needs_device(run: &Run, allowed: i64) -> bool {
    run.misses + 1 >= allowed
}

/// From when on it may stand in the lists. An instant that is still to come was told by a clock that was
/// set back since: by how much, nobody knows.
pub fn since(run: &Run, now: Timestamp) -> Timestamp {
    let posted = run.posted_at.unwrap_or(run.claimed_at);
    if posted > now { now - UNKNOWN } else { posted }
}

pub fn judge(run: &Run, look: &Look, allowed: i64, now: Timestamp) -> Verdict {
    if let Some(seen) = &look.tagged {
        return Verdict::Adopt(seen.clone());
    }
    let misses = run.misses + 1;
    // Where the clock says nothing, twice as many looks do.
    let old = run.posted_at.is_some_and(|posted| match now.duration_since(posted) {
        age if age < SignedDuration::ZERO => misses >= 2 * allowed,
        age => age >= LEAST,
    });
    let wait = |suspect, ask| Verdict::Wait { misses, suspect, ask };
    if misses < allowed {
        return wait(None, false);
    }
    match &look.device {
        Sight::Clear if old => Verdict::Withdraw,
        Sight::Clear | Sight::NotAsked => wait(None, false),
        Sight::Blind => wait(None, true),
        Sight::Suspect(seen) => wait(Some(seen.deployment.clone()), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::RunState, rules::samples::run};

    fn posted() -> Timestamp {
        "2026-03-02T10:00:00Z".parse().unwrap()
    }

    fn verdict(misses: i64, device: Sight, seconds: i64) -> Verdict {
        let run = Run { misses, posted_at: Some(posted()), ..run(1, 1, 1, RunState::Pending) };
        let look = Look { tagged: None, device };
        judge(&run, &look, 5, posted() + SignedDuration::from_secs(seconds))
    }

    #[test]
    fn an_empty_list_alone_never_takes_a_deploy_back() {
        for misses in [4, 5, 500] {
            for blind in [Sight::Blind, Sight::NotAsked] {
                let told = verdict(misses, blind, 86_400);
                assert!(matches!(told, Verdict::Wait { .. }), "{told:?}");
            }
        }
        assert_eq!(verdict(4, Sight::Clear, 60), Verdict::Withdraw);
        assert!(matches!(verdict(4, Sight::Clear, 59), Verdict::Wait { ask: false, .. }));
        assert!(matches!(verdict(3, Sight::Clear, 600), Verdict::Wait { misses: 4, .. }));
    }

    /// A clock that was two hours ahead when the deploy was posted, and was set right.
    #[test]
    fn an_instant_still_to_come_keeps_nothing_in_doubt_until_then() {
        assert!(matches!(verdict(8, Sight::Clear, -7_200), Verdict::Wait { ask: false, .. }));
        assert_eq!(verdict(9, Sight::Clear, -7_200), Verdict::Withdraw);
        let run = Run { posted_at: Some(posted()), ..run(1, 1, 1, RunState::Pending) };
        let hours = |hours| posted() + SignedDuration::from_hours(hours);
        assert_eq!(since(&run, hours(1)), posted());
        assert_eq!(since(&run, hours(-2)), hours(-26), "it was posted at some time before now");
    }

    #[test]
    fn what_may_be_it_is_left_to_a_person() {
        let seen = Seen {
            deployment: "d9".into(),
            status: "RUNNING".into(),
            started_at: None,
            ended_at: None,
            message: None,
        };
        let told = verdict(4, Sight::Suspect(seen), 600);
        let suspect = Some("d9".to_owned());
        assert_eq!(told, Verdict::Wait { misses: 5, suspect, ask: true });
    }
}
