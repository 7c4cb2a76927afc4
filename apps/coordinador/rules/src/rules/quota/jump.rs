//! Where a node goes that used up its quota (§1, §6.1).

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use super::{frees_at, max_per_hour};
use crate::{
    model::Cadence,
    policy::{Policy, Resume},
    rules::due::{self, later},
};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
/// A jump that finds no room in its window looks this many minutes further.
const FURTHER: i64 = 60;

/// The first full hour after now on the clocks of the zone, whatever its offset.
pub fn full_hour(now: Timestamp, zone: &TimeZone) -> Timestamp {
    let mut at = later(now, left_of_hour(now, zone));
    // Where clocks change by half an hour, the hour may end early or late; once, not for ever.
    for _ in 0..3 {
        let left = left_of_hour(at, zone);
        if left == SignedDuration::from_hours(1) {
            break;
        }
        at = later(at, left);
    }
    at
}

fn left_of_hour(at: Timestamp, zone: &TimeZone) -> SignedDuration {
    let wall = at.to_zoned(zone.clone());
    let passed = SignedDuration::from_mins(wall.minute().into())
        + SignedDuration::from_secs(wall.second().into())
        + SignedDuration::from_nanos(wall.subsec_nanosecond().into());
    SignedDuration::from_hours(1) - passed
}

/// The next run of a node at its quota, never before the quota lets it start. `loads` counts
/// planned starts per minute since the epoch, and this one afterwards.
pub fn resume(
    cadence: &Cadence,
    recent: &[Timestamp],
    policy: &Policy,
    now: Timestamp,
    loads: &mut BTreeMap<i64, u32>,
) -> Timestamp {
    let free = frees_at(recent, max_per_hour(cadence.interval), now);
    let at = match policy.quota.resume {
        Resume::WindowSlide => free,
        Resume::NextFullHour => {
            let mut hour = full_hour(now, &policy.zone);
            while hour < free {
                hour = full_hour(hour, &policy.zone);
            }
            place(cadence, hour, policy, loads)
        }
    };
    *loads.entry(minute_of(at)).or_default() += 1;
    at
}

/// Its own slot if one falls into the window after the hour, else the emptiest minute there, else
/// the nearest later minute with room.
fn place(
    cadence: &Cadence,
    hour: Timestamp,
    policy: &Policy,
    loads: &BTreeMap<i64, u32>,
) -> Timestamp {
    let load = |at: Timestamp| loads.get(&minute_of(at)).copied().unwrap_or(0);
    let has_room = |at: &Timestamp| load(*at) < policy.limits.per_minute;
    let end = later(hour, policy.quota.spread);
    let own = due::next_after(cadence, later(hour, -SignedDuration::from_nanos(1)));
    if own <= end && has_room(&own) {
        return own;
    }
    let minutes =
        |from: i64, to: i64| (from..=to).map(|minute| later(hour, MINUTE * minute as i32));
    let inside = policy.quota.spread.as_mins().clamp(0, FURTHER);
    let emptiest = minutes(0, inside).filter(has_room).min_by_key(|at| (load(*at), *at));
    let further = || minutes(inside + 1, inside + FURTHER).find(has_room);
    emptiest.or_else(further).unwrap_or(end)
}

/// Minutes since the epoch.
pub(in crate::rules) fn minute_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(60)
}
