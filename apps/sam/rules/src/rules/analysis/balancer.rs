//! What the balancer did, and whether it went back and forth (F-5.3).

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::spread::mean;
use super::{MoveFact, local_date, rounded};
use crate::model::{RobotId, RunnerId};

/// A move undone sooner than that was not worth making.
const THRASHING: SignedDuration = SignedDuration::from_mins(5);
const SHOWN: usize = 50;

figures! {
    pub struct Balancing {
        all: Moves = "general",
        robots_moved: usize = "robots_afectados",
        days: BTreeMap<String, Moves> = "por_dia",
        robots: Vec<RobotMoves> = "por_robot",
        /// How often a move was undone within five minutes.
        reversals: usize = "oscilaciones",
        /// The latest 50 of them.
        latest: Vec<Reversal> = "ultimas_oscilaciones",
    }

    pub struct Moves {
        count: usize = "total",
        assigned: usize = "asignaciones",
        released: usize = "desasignaciones",
        /// Of the releases, those for a more important robot.
        preempted: usize = "desalojos",
        net: i64 = "neto",
        /// Pending tickets when it was decided, where they were known.
        tickets: Option<f64> = "tickets_promedio",
    }

    pub struct RobotMoves {
        robot: i64 = "robot_id",
        #[serde(flatten)]
        moves: Moves,
        reversals: usize = "oscilaciones",
    }

    pub struct Reversal {
        robot: i64 = "robot_id",
        runner: i64 = "equipo_id",
        /// When the move was undone.
        at: Timestamp = "fecha",
        /// ASIGNAR or DESASIGNAR: what undid the move before.
        action: &'static str = "accion",
        seconds: i64 = "segundos",
    }
}

pub fn balancer(moves: &[MoveFact], zone: &TimeZone) -> Balancing {
    let mut days: BTreeMap<String, Vec<&MoveFact>> = BTreeMap::new();
    let mut robots: BTreeMap<RobotId, Vec<&MoveFact>> = BTreeMap::new();
    for one in moves {
        days.entry(local_date(zone, one.at)).or_default().push(one);
        robots.entry(one.robot).or_default().push(one);
    }
    let mut reversals = reversals(moves);
    let all: Vec<&MoveFact> = moves.iter().collect();
    let of_robot = |(robot, moves): (RobotId, Vec<&MoveFact>)| RobotMoves {
        robot: robot.0,
        moves: counted(&moves),
        reversals: reversals.iter().filter(|one| one.robot == robot.0).count(),
    };
    let robots: Vec<RobotMoves> = robots.into_iter().map(of_robot).collect();
    let count = reversals.len();
    reversals.truncate(SHOWN);
    Balancing {
        all: counted(&all),
        robots_moved: moves.iter().map(|one| one.robot).collect::<BTreeSet<_>>().len(),
        days: days.into_iter().map(|(day, moves)| (day, counted(&moves))).collect(),
        robots,
        reversals: count,
        latest: reversals,
    }
}

fn counted(moves: &[&MoveFact]) -> Moves {
    let assigned = moves.iter().filter(|one| one.assigned).count();
    let released = moves.len() - assigned;
    let tickets: Vec<f64> =
        moves.iter().filter_map(|one| one.tickets).map(|tickets| tickets as f64).collect();
    Moves {
        count: moves.len(),
        assigned,
        released,
        preempted: moves.iter().filter(|one| one.preempted && !one.assigned).count(),
        net: assigned as i64 - released as i64,
        tickets: mean(&tickets).map(rounded),
    }
}

/// The opposite move of the same runner and robot within five minutes, latest first. Two releases
/// in a row are not a reversal (F-PA1).
fn reversals(moves: &[MoveFact]) -> Vec<Reversal> {
    let mut pairs: BTreeMap<(RobotId, RunnerId), Vec<&MoveFact>> = BTreeMap::new();
    for one in moves {
        pairs.entry((one.robot, one.runner)).or_default().push(one);
    }
    let mut found = Vec::new();
    for ((robot, runner), mut moves) in pairs {
        moves.sort_by_key(|one| (one.at, one.assigned));
        for two in moves.windows(2) {
            let after = two[1].at.duration_since(two[0].at);
            if two[0].assigned != two[1].assigned && after <= THRASHING {
                let action = if two[1].assigned { "ASIGNAR" } else { "DESASIGNAR" };
                let (robot, runner, at) = (robot.0, runner.0, two[1].at);
                found.push(Reversal { robot, runner, at, action, seconds: after.as_secs() });
            }
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse((one.at, one.robot, one.runner)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::samples::{moved, zone};
    use super::*;

    #[test]
    fn a_move_undone_within_five_minutes_is_thrashing() {
        let mut evicted = moved("09:04:00", 1, 7, false);
        evicted.preempted = true;
        evicted.tickets = Some(15);
        let moves = [
            MoveFact { tickets: Some(10), ..moved("09:00:00", 1, 7, true) },
            evicted,
            moved("09:09:00", 1, 7, true),
            moved("09:14:01", 1, 7, false),
            moved("09:15:00", 1, 7, false),
            moved("09:00:30", 1, 8, false),
            moved("09:00:40", 2, 7, true),
        ];
        let told = balancer(&moves, &zone());
        assert_eq!(told.reversals, 2, "5:01 is not, two releases are not, nor another pair");
        let latest: Vec<_> = told.latest.iter().map(|one| (one.action, one.seconds)).collect();
        assert_eq!(latest, [("ASIGNAR", 300), ("DESASIGNAR", 240)]);
        let all = &told.all;
        assert_eq!((all.count, all.assigned, all.released, all.net), (7, 3, 4, -1));
        assert_eq!((all.preempted, all.tickets, told.robots_moved), (1, Some(12.5), 2));
        let robots: Vec<_> = told.robots.iter().map(|one| (one.robot, one.reversals)).collect();
        assert_eq!(robots, [(1, 2), (2, 0)]);
        assert_eq!(balancer(&[], &zone()).all.tickets, None);
    }
}
