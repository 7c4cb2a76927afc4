//! *Conciliador*: what the Control Room says of the runs we believe live.
//!
//! Only an answer counts: a run that was not asked about, or whose question failed, is left alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use super::doubt::{self, Look, Verdict};
use crate::model::{Run, RunId, RunState, RunnerId};

/// One run as the Control Room sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub deployment: String,
    /// In the Control Room's own words.
    pub status: String,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// What the Control Room says about it.
    pub message: Option<String>,
}

/// What was asked and answered.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    pub seen: HashMap<String, Seen>,
    /// Deployments whose absence from `seen` means that they were not found.
    pub asked: HashSet<String>,
    /// Runs in doubt that were looked up.
    pub looks: HashMap<RunId, Look>,
    /// Whether it was asked what runs at all.
    pub listed: bool,
    /// What runs on runners of ours and is none of ours.
    pub strangers: BTreeMap<RunnerId, Stranger>,
}

/// A bot on our runner that somebody else started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    pub deployment: String,
    /// Its name or number there.
    pub bot: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A run in doubt exists after all.
    Adopt {
        run: RunId,
        seen: Seen,
    },
    /// A run in doubt was looked for often enough: nothing was accepted.
    Withdraw {
        run: RunId,
    },
    Told {
        run: RunId,
        state: RunState,
        seen: Seen,
    },
    /// A status we do not know: kept and shown, nothing concluded.
    Strange {
        run: RunId,
        status: String,
    },
    Miss {
        run: RunId,
        misses: i64,
    },
    /// In doubt and not found; a deployment that may be it, and whether a person is asked.
    Unfound {
        run: RunId,
        misses: i64,
        suspect: Option<String>,
        ask: bool,
    },
    /// Missing for the last time that counts.
    Infer {
        run: RunId,
        misses: i64,
    },
    /// Older than anything that still runs.
    Age {
        run: RunId,
    },
}

impl Change {
    /// The run it is about.
    pub const fn run(&self) -> RunId {
        match self {
            Self::Adopt { run, .. }
            | Self::Withdraw { run }
            | Self::Told { run, .. }
            | Self::Strange { run, .. }
            | Self::Miss { run, .. }
            | Self::Unfound { run, .. }
            | Self::Infer { run, .. }
            | Self::Age { run } => *run,
        }
    }
}

/// How much silence the reconciler bears.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub misses: i64,
    pub age: SignedDuration,
}

pub fn plan(runs: &[Run], answers: &Answers, limits: Limits, now: Timestamp) -> Vec<Change> {
    runs.iter().filter_map(|run| judge(run, answers, limits, now)).collect()
}

fn judge(run: &Run, answers: &Answers, limits: Limits, now: Timestamp) -> Option<Change> {
    if now.duration_since(run.claimed_at) > limits.age {
        return Some(Change::Age { run: run.id });
    }
    let Some(deployment) = &run.deployment else {
        return in_doubt(run, answers.looks.get(&run.id)?, limits, now);
    };
    if let Some(seen) = answers.seen.get(deployment) {
        return told(run, seen);
    }
    if !answers.asked.contains(deployment) {
        return None;
    }
    let misses = run.misses + 1;
    Some(if misses >= limits.misses {
        Change::Infer { run: run.id, misses }
    } else {
        Change::Miss { run: run.id, misses }
    })
}

fn in_doubt(run: &Run, look: &Look, limits: Limits, now: Timestamp) -> Option<Change> {
    run.posted_at?;
    let run_id = run.id;
    Some(match doubt::judge(run, look, limits.misses, now) {
        Verdict::Adopt(seen) => Change::Adopt { run: run_id, seen },
        Verdict::Withdraw => Change::Withdraw { run: run_id },
        Verdict::Wait { misses, suspect, ask } => {
            Change::Unfound { run: run_id, misses, suspect, ask }
        }
    })
}

fn told(run: &Run, seen: &Seen) -> Option<Change> {
    let same_word = run.raw_status.as_deref() == Some(seen.status.as_str());
    let Some(state) = RunState::told(&seen.status) else {
        let news = !same_word || run.misses > 0;
        return news.then(|| Change::Strange { run: run.id, status: seen.status.clone() });
    };
    let news = state != run.state
        || !same_word
        || run.misses > 0
        || (seen.started_at.is_some() && seen.started_at != run.started_at);
    news.then(|| Change::Told { run: run.id, state, seen: seen.clone() })
}

#[cfg(test)]
mod tests {
    use super::{super::doubt::Sight, *};
    use crate::rules::samples;

    const LIMITS: Limits = Limits { misses: 5, age: SignedDuration::from_hours(24 * 30) };

    fn now() -> Timestamp {
        "2026-03-02T10:00:00Z".parse().unwrap()
    }

    fn run(state: RunState, deployment: Option<&str>, misses: i64) -> Run {
        Run {
            deployment: deployment.map(str::to_owned),
            claimed_at: now() - SignedDuration::from_hours(1),
            attempts: 1,
            posted_at: Some(now() - SignedDuration::from_mins(10)),
            misses,
            ..samples::run(1, 1, 1, state)
        }
    }

    fn seen(status: &str) -> Seen {
        let (deployment, status) = ("d1".into(), status.into());
        Seen { deployment, status, started_at: None, ended_at: None, message: None }
    }

    fn answers(status: Option<&str>) -> Answers {
        let mut answers = Answers::default();
        answers.asked.insert("d1".into());
        answers.seen.extend(status.map(|status| ("d1".to_owned(), seen(status))));
        answers
    }

    #[test]
    fn scenario_11_the_fifth_real_miss_infers_the_end() {
        for misses in 0..4 {
            let run = run(RunState::Running, Some("d1"), misses);
            let expected = Change::Miss { run: RunId(1), misses: misses + 1 };
            assert_eq!(plan(&[run], &answers(None), LIMITS, now()), [expected]);
        }
        let fifth = run(RunState::Running, Some("d1"), 4);
        let expected = Change::Infer { run: RunId(1), misses: 5 };
        assert_eq!(plan(&[fifth], &answers(None), LIMITS, now()), [expected]);
    }

    #[test]
    fn scenario_11_a_question_that_failed_is_not_a_miss() {
        let run = run(RunState::Running, Some("d1"), 4);
        assert_eq!(plan(&[run], &Answers::default(), LIMITS, now()), []);
    }

    #[test]
    fn what_is_told_is_taken_once() {
        let mut known = run(RunState::Deployed, Some("d1"), 2);
        let change = plan(&[known.clone()], &answers(Some("UPDATE")), LIMITS, now());
        let state = RunState::Running;
        assert_eq!(change, [Change::Told { run: RunId(1), state, seen: seen("UPDATE") }]);
        known.state = state;
        known.raw_status = Some("UPDATE".into());
        known.misses = 0;
        assert_eq!(plan(&[known], &answers(Some("UPDATE")), LIMITS, now()), []);
    }

    #[test]
    fn an_unknown_word_concludes_nothing() {
        let run = run(RunState::Running, Some("d1"), 0);
        let change = plan(&[run], &answers(Some("WARMING")), LIMITS, now());
        assert_eq!(change, [Change::Strange { run: RunId(1), status: "WARMING".into() }]);
    }

    #[test]
    fn a_run_in_doubt_is_adopted_or_in_the_end_withdrawn() {
        let pending = run(RunState::Pending, None, 4);
        let mut answers = Answers::default();
        assert_eq!(plan(std::slice::from_ref(&pending), &answers, LIMITS, now()), []);
        let look = |tagged| Look { tagged, device: Sight::Clear };
        answers.looks.insert(RunId(1), look(None));
        let withdrawn = plan(std::slice::from_ref(&pending), &answers, LIMITS, now());
        assert_eq!(withdrawn, [Change::Withdraw { run: RunId(1) }]);
        answers.looks.insert(RunId(1), look(Some(seen("RUNNING"))));
        let adopted = plan(&[pending], &answers, LIMITS, now());
        assert_eq!(adopted, [Change::Adopt { run: RunId(1), seen: seen("RUNNING") }]);
    }

    #[test]
    fn what_is_older_than_everything_is_given_up() {
        let mut old = run(RunState::Running, Some("d1"), 0);
        old.claimed_at = now() - SignedDuration::from_hours(24 * 31);
        let change = plan(&[old], &answers(Some("RUNNING")), LIMITS, now());
        assert_eq!(change, [Change::Age { run: RunId(1) }]);
    }
}
