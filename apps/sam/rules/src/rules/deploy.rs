//! What a deploy that went wrong means (R-5, F-2.D): one table for every fault.
//!
//! An error suspends, for a while and with a reason. What the operator set up, assignments and
//! active flags, is never touched by one.

use std::collections::{HashMap, HashSet};

use engine::{Plan, Word as _};
use jiff::{SignedDuration, Timestamp};

use super::world::{Circuit, Opened, Suspended, Suspension};
use crate::{
    model::{RobotId, RunnerId},
    policy::Policy,
};

/// Failures in a row after which the Control Room is left alone.
const FAILURES_ALLOWED: i64 = 3;
/// So many robots in a row that are refused for the same cause are none of their faults.
const ROBOTS_ALLOWED: usize = 3;
const FIRST_BREAK: SignedDuration = SignedDuration::from_secs(30);
const LONGEST_BREAK: SignedDuration = SignedDuration::from_mins(5);
const UNAUTHORIZED_BREAK: SignedDuration = SignedDuration::from_mins(1);
const LONGEST_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(1);
/// A suspension doubles from an hour to a day while its cause persists.
const FIRST_SUSPENSION: SignedDuration = SignedDuration::from_hours(1);
const LONGEST_SUSPENSION: SignedDuration = SignedDuration::from_hours(24);

engine::words! {
    /// What went wrong, by the word that machines know it by.
    pub enum Cause {
        /// The automation fits no device at all: its author has to mend it.
        NoCompatibleTargets = "SIN_DESTINO_COMPATIBLE",
        /// The device is offline or occupied; it may be back soon.
        DeviceUnavailable = "EQUIPO_NO_DISPONIBLE",
        NoDefaultDevice = "SIN_EQUIPO_PREDETERMINADO",
        Rejected = "DESPLIEGUE_RECHAZADO",
        Unauthorized = "A360_CREDENCIALES",
        Forbidden = "A360_SIN_PERMISO",
        NotFound = "A360_NO_ENCONTRADO",
        Conflict = "A360_CONFLICTO",
        TooMany = "A360_LIMITE",
        Server = "A360_ERROR",
        Unreachable = "A360_INALCANZABLE",
        /// The request was sent, and no answer came that can be understood.
        NoAnswer = "A360_SIN_RESPUESTA",
    }
}

/// A deploy that was not confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub cause: Cause,
    /// For people.
    pub detail: String,
    /// What was asked for may have happened all the same.
    pub in_doubt: bool,
    /// How long the Control Room asked to be left alone.
    pub retry_after: Option<SignedDuration>,
}

/// What becomes of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The same run is tried again.
    Again { at: Timestamp },
    /// It may have been accepted: it is looked up before anything else is posted.
    Doubt,
    /// Nothing ran. The claim is taken back and its slot stays open.
    Withdraw,
    /// Refused for good: the run ends as `DEPLOY_FAILED`.
    Fail,
}

/// Everything that follows from one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consequence {
    pub verdict: Verdict,
    pub suspend: Option<(Suspended, Suspension)>,
    /// The breaker as it is then.
    pub circuit: Circuit,
    pub alarm: Option<Alarm>,
    /// Everything that was suspended for this cause was the connection's fault: it is lifted.
    pub lift: Option<Cause>,
}

/// What people are told about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alarm {
    /// The Control Room refuses, fails or cannot be reached.
    ControlRoom,
    Robot,
    Runner,
    /// A runner has been offline for too many deploys in a row.
    RunnerOffline,
    Pair,
    /// The Control Room says no, or knows nothing of it: one alert for all whom it says so.
    Refused(Cause),
}

/// The deploy at hand.
#[derive(Debug, Clone)]
pub struct Tried {
    pub robot: RobotId,
    pub runner: RunnerId,
    /// Posts so far, this one included.
    pub attempts: i64,
    pub policy: Policy,
    pub circuit: Circuit,
    /// When the Control Room last accepted a deploy.
    pub accepted_at: Option<Timestamp>,
    /// What is suspended already, to go on counting.
    pub known: HashMap<Suspended, Suspension>,
}

/// What one fault changes. A run that went on meanwhile is not concerned.
pub fn plan(pending: Option<&Tried>, fault: &Fault, now: Timestamp) -> Plan<Consequence, RobotId> {
    let changes = pending.iter().map(|tried| consequence(tried, fault, now)).collect();
    Plan { changes, held: Vec::new() }
}

fn consequence(tried: &Tried, fault: &Fault, now: Timestamp) -> Consequence {
    let Tried { robot, runner, ref policy, .. } = *tried;
    let again = tried.attempts < policy.deploy_attempts;
    let retry = Verdict::Again { at: now + policy.deploy_delay };
    let long = |what: Suspended| Some((what, longer(tried, what, fault, now)));
    let short =
        |what: Suspended| Some((what, counted(tried, what, fault, now, now + policy.launch_every)));
    let pair = Suspended::Pair(robot, runner);
    let quiet = |verdict, suspend, alarm| Consequence {
        verdict,
        suspend,
        circuit: answered(&tried.circuit),
        alarm,
        lift: None,
    };
    match fault.cause {
        Cause::NoCompatibleTargets => {
            quiet(Verdict::Fail, long(Suspended::Robot(robot)), Some(Alarm::Robot))
        }
        Cause::NoDefaultDevice => {
            quiet(Verdict::Fail, long(Suspended::Runner(runner)), Some(Alarm::Runner))
        }
        Cause::Rejected => quiet(Verdict::Fail, long(pair), Some(Alarm::Pair)),
        Cause::Forbidden | Cause::NotFound if is_general(tried, fault.cause) => {
            let circuit = broken(&tried.circuit, fault, now);
            // Whoever was tried last steps aside, so that another is tried next.
            let until = circuit.opened.as_ref().map_or(now, |opened| opened.until);
            let aside = counted(tried, pair, fault, now, until + policy.launch_every);
            let (verdict, alarm) = (Verdict::Withdraw, Some(Alarm::ControlRoom));
            let (suspend, lift) = (Some((pair, aside)), Some(fault.cause));
            Consequence { verdict, suspend, circuit, alarm, lift }
        }
        Cause::Forbidden | Cause::NotFound => {
            let what = if others(tried, fault.cause).any(|one| one == robot) {
                Suspended::Robot(robot)
            } else {
                pair
            };
            quiet(Verdict::Fail, long(what), Some(Alarm::Refused(fault.cause)))
        }
        Cause::DeviceUnavailable if again => quiet(retry, None, None),
        Cause::DeviceUnavailable => {
            let suspend = short(Suspended::Runner(runner));
            let failures = suspend.as_ref().map_or(0, |(_, one)| one.failures);
            let alarm = (failures >= policy.offline_alert).then_some(Alarm::RunnerOffline);
            quiet(Verdict::Withdraw, suspend, alarm)
        }
        Cause::Conflict => quiet(Verdict::Withdraw, short(pair), None),
        Cause::Unauthorized | Cause::TooMany => {
            let circuit = broken(&tried.circuit, fault, now);
            let alarm = Some(Alarm::ControlRoom);
            Consequence { verdict: Verdict::Withdraw, suspend: None, circuit, alarm, lift: None }
        }
        Cause::Server | Cause::Unreachable | Cause::NoAnswer => {
            let circuit = broken(&tried.circuit, fault, now);
            let alarm = circuit.opened.is_some().then_some(Alarm::ControlRoom);
            let verdict = match (fault.in_doubt, again && alarm.is_none()) {
                (true, _) => Verdict::Doubt,
                (false, true) => retry,
                (false, false) => Verdict::Withdraw,
            };
            let suspend = (verdict == Verdict::Withdraw).then(|| short(pair)).flatten();
            Consequence { verdict, suspend, circuit, alarm, lift: None }
        }
    }
}

/// Whether a refusal is about the connection and not about a robot: nothing was accepted since, and
/// others hear the same.
fn is_general(tried: &Tried, cause: Cause) -> bool {
    let opened = tried.circuit.opened.as_ref();
    let robots: HashSet<RobotId> = others(tried, cause).collect();
    opened.is_some_and(|opened| opened.code == cause.word())
        || robots.into_iter().filter(|one| *one != tried.robot).count() + 1 >= ROBOTS_ALLOWED
}

/// The robots that were refused for this cause since the last accepted deploy.
fn others(tried: &Tried, cause: Cause) -> impl Iterator<Item = RobotId> {
    let since = tried.accepted_at.unwrap_or(Timestamp::MIN);
    let known =
        tried.known.iter().filter(move |(_, one)| one.code == cause.word() && one.since > since);
    known.filter_map(|(what, _)| match what {
        Suspended::Robot(robot) | Suspended::Pair(robot, _) => Some(*robot),
        Suspended::Runner(_) => None,
    })
}

/// Tries the Control Room again at once, with one run: somebody says that it may be right again. A
/// limit that it set itself stands, unless a person insists.
pub fn relent(circuit: &Circuit, insists: bool, now: Timestamp) -> Option<Circuit> {
    let opened = circuit.opened.as_ref()?;
    let limit = opened.code == Cause::TooMany.word();
    if opened.until <= now || (limit && !insists) {
        return None;
    }
    let opened = Some(Opened { until: now, ..opened.clone() });
    Some(Circuit { failures: 0, opened, ..circuit.clone() })
}

/// The breaker after an answer, good or bad, that came from a working Control Room.
pub fn answered(circuit: &Circuit) -> Circuit {
    Circuit { failures: 0, opened: None, ..circuit.clone() }
}

/// The breaker after the Control Room failed.
pub fn broken(circuit: &Circuit, fault: &Fault, now: Timestamp) -> Circuit {
    let failures = circuit.failures + 1;
    let rest = match fault.cause {
        Cause::TooMany => {
            Some(fault.retry_after.unwrap_or(UNAUTHORIZED_BREAK).min(LONGEST_RETRY_AFTER))
        }
        Cause::Unauthorized | Cause::Forbidden | Cause::NotFound => {
            Some(doubled(UNAUTHORIZED_BREAK, failures - 1, LONGEST_BREAK * 3))
        }
        _ if failures < FAILURES_ALLOWED => None,
        _ => Some(doubled(FIRST_BREAK, failures - FAILURES_ALLOWED, LONGEST_BREAK)),
    };
    let opened = rest.map(|rest| Opened {
        code: fault.cause.word().to_owned(),
        detail: fault.detail.clone(),
        at: circuit.opened.as_ref().map_or(now, |opened| opened.at),
        until: now + rest,
    });
    Circuit { failures, opened: opened.or_else(|| circuit.opened.clone()), ..circuit.clone() }
}

fn longer(tried: &Tried, what: Suspended, fault: &Fault, now: Timestamp) -> Suspension {
    let before = tried.known.get(&what).filter(|one| one.code == fault.cause.word());
    let times = before.map_or(0, |one| one.failures);
    let until = now + doubled(FIRST_SUSPENSION, times, LONGEST_SUSPENSION);
    counted(tried, what, fault, now, until)
}

/// One failure more of the same kind; another kind counts anew.
fn counted(
    tried: &Tried,
    what: Suspended,
    fault: &Fault,
    now: Timestamp,
    until: Timestamp,
) -> Suspension {
    let before = tried.known.get(&what).filter(|one| one.code == fault.cause.word());
    Suspension {
        code: fault.cause.word().to_owned(),
        detail: fault.detail.clone(),
        failures: before.map_or(0, |one| one.failures) + 1,
        since: before.map_or(now, |one| one.since),
        until,
    }
}

fn doubled(first: SignedDuration, times: i64, most: SignedDuration) -> SignedDuration {
    let factor = 1_i32 << times.clamp(0, 16);
    first.checked_mul(factor).unwrap_or(most).min(most)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn now() -> Timestamp {
        "2026-03-02T10:00:00Z".parse().unwrap()
    }

    fn after(attempts: i64, failures: i64, known: i64, fault: &Fault) -> Consequence {
        let before = Suspension {
            code: fault.cause.word().into(),
            detail: String::new(),
            failures: known,
            since: now(),
            until: now(),
        };
        let subjects = [
            Suspended::Robot(RobotId(1)),
            Suspended::Runner(RunnerId(2)),
            Suspended::Pair(RobotId(1), RunnerId(2)),
        ];
        let known =
            subjects.into_iter().filter(|_| known > 0).map(|what| (what, before.clone())).collect();
        let tried = Tried {
            robot: RobotId(1),
            runner: RunnerId(2),
            attempts,
            policy: Policy::new(TimeZone::UTC),
            circuit: Circuit { configured: true, failures, opened: None },
            accepted_at: None,
            known,
        };
        plan(Some(&tried), fault, now()).changes.remove(0)
    }

    fn fault(cause: Cause) -> Fault {
        Fault { cause, detail: "why".into(), in_doubt: false, retry_after: None }
    }

    #[test]
    fn scenario_15_an_offline_device_is_tried_twice_and_told_at_the_twentieth() {
        let offline = fault(Cause::DeviceUnavailable);
        let first = after(1, 0, 0, &offline);
        assert_eq!(first.verdict, Verdict::Again { at: now() + SignedDuration::from_secs(5) });
        assert_eq!((first.suspend, first.alarm), (None, None));
        for (known, alarm) in [(18, None), (19, Some(Alarm::RunnerOffline))] {
            let second = after(2, 0, known, &offline);
            assert_eq!(second.verdict, Verdict::Withdraw);
            let (what, suspension) = second.suspend.unwrap();
            assert_eq!(what, Suspended::Runner(RunnerId(2)));
            assert_eq!(suspension.failures, known + 1);
            assert_eq!(suspension.until, now() + SignedDuration::from_secs(15));
            assert_eq!(second.alarm, alarm);
        }
    }

    #[test]
    fn scenario_15_a_robot_that_fits_nowhere_is_suspended_not_switched_off() {
        let refusal = fault(Cause::NoCompatibleTargets);
        let once = after(1, 0, 0, &refusal);
        assert_eq!((once.verdict, once.alarm), (Verdict::Fail, Some(Alarm::Robot)));
        let (what, suspension) = once.suspend.unwrap();
        assert_eq!(what, Suspended::Robot(RobotId(1)));
        assert_eq!(suspension.until, now() + SignedDuration::from_hours(1));
        let (_, later) = after(1, 0, 9, &refusal).suspend.unwrap();
        assert_eq!(later.until, now() + SignedDuration::from_hours(24), "doubled, a day at most");
    }

    #[test]
    fn scenario_15_rejected_credentials_and_limits_open_the_circuit_and_suspend_nobody() {
        let refusal = fault(Cause::Unauthorized);
        let refused = after(1, 0, 0, &refusal);
        assert_eq!((refused.verdict, refused.suspend), (Verdict::Withdraw, None));
        assert_eq!(refused.alarm, Some(Alarm::ControlRoom));
        let busy =
            Fault { retry_after: Some(SignedDuration::from_secs(90)), ..fault(Cause::TooMany) };
        let busy = after(1, 0, 0, &busy);
        let until = busy.circuit.opened.unwrap().until;
        assert_eq!(until, now() + SignedDuration::from_secs(90));
        assert_eq!(busy.suspend, None);
    }

    #[test]
    fn what_may_have_been_accepted_is_never_posted_again() {
        for cause in [Cause::NoAnswer, Cause::Server] {
            let doubt = Fault { in_doubt: true, ..fault(cause) };
            for (attempts, failures) in [(1, 0), (2, 0), (1, 7)] {
                assert_eq!(after(attempts, failures, 0, &doubt).verdict, Verdict::Doubt);
            }
        }
    }

    #[test]
    fn the_circuit_opens_at_the_third_failure_and_closes_with_an_answer() {
        let down = fault(Cause::Unreachable);
        assert!(after(1, 1, 0, &down).circuit.opened.is_none());
        let open = after(1, 2, 0, &down);
        assert_eq!(open.circuit.opened.as_ref().unwrap().until, now() + FIRST_BREAK);
        assert_eq!((open.verdict, open.alarm), (Verdict::Withdraw, Some(Alarm::ControlRoom)));
        assert_eq!(answered(&open.circuit).failures, 0);
        let offline = fault(Cause::DeviceUnavailable);
        assert_eq!(after(1, 2, 0, &offline).circuit.failures, 0, "it answered");
    }

    /// Robots `1..=count` refused one after the other, each on a runner of its own.
    fn refused(
        count: i64,
        cause: Cause,
        accepted_at: Option<Timestamp>,
    ) -> (Tried, Vec<Consequence>) {
        let policy = Policy::new(TimeZone::UTC);
        let circuit = Circuit { configured: true, ..Circuit::default() };
        let (robot, runner) = (RobotId(0), RunnerId(0));
        let known = HashMap::new();
        let mut tried = Tried { robot, runner, attempts: 1, policy, circuit, accepted_at, known };
        let mut all = Vec::new();
        for id in 1..=count {
            (tried.robot, tried.runner) = (RobotId(id), RunnerId(id));
            let told = plan(Some(&tried), &fault(cause), now()).changes.remove(0);
            tried.circuit = told.circuit.clone();
            if let Some(cause) = told.lift {
                tried.known.retain(|_, one| one.code != cause.word());
            }
            tried.known.extend(told.suspend.clone());
            all.push(told);
        }
        (tried, all)
    }

    #[test]
    fn a_refusal_of_everybody_is_one_fault_of_the_connection() {
        for cause in [Cause::Forbidden, Cause::NotFound] {
            let (after, told) = refused(40, cause, None);
            assert_eq!(after.known.len(), 1, "who was tried last; nobody else is suspended");
            assert_eq!(after.circuit.opened.unwrap().code, cause.word());
            let alarms: HashSet<_> = told.iter().skip(2).map(|one| one.alarm).collect();
            assert_eq!(alarms, [Some(Alarm::ControlRoom)].into(), "one alert");
            assert!(told[2..].iter().all(|one| one.verdict == Verdict::Withdraw));
        }
        let (alone, _) = refused(2, Cause::NotFound, None);
        assert!(alone.circuit.opened.is_none(), "two bots may well be gone");
        let (since, _) = refused(40, Cause::NotFound, Some(now()));
        assert!(since.circuit.opened.is_none(), "others were accepted meanwhile");
    }

    #[test]
    fn whoever_mends_it_has_it_tried_at_once() {
        let open = after(1, 4, 0, &fault(Cause::Unauthorized)).circuit;
        let tried = relent(&open, false, now()).unwrap();
        assert_eq!((tried.failures, tried.opened.unwrap().until), (0, now()));
        let limit = after(1, 0, 0, &fault(Cause::TooMany)).circuit;
        assert_eq!(relent(&limit, false, now()), None, "as long as it says");
        assert!(relent(&limit, true, now()).is_some(), "unless a person insists");
        assert_eq!(relent(&answered(&open), true, now()), None);
    }
}
