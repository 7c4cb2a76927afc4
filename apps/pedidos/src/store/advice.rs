//! Evidence for the learning rules: what was prepared, and how long it took.

use db::{Error, Tx};
use jiff::{SignedDuration, Timestamp};

use super::orders;
use crate::{
    model::Order,
    policy::Policy,
    rules::{
        adaptive::{self, Advice},
        learning::{self, Dish, Lessons, Prepared},
    },
};

const LEARNING_DAYS: i64 = 30;

/// The capacity before the timetable: the setting, or what the evidence suggests when the operator
/// switched that on.
pub async fn base_capacity(tx: &mut Tx, policy: &Policy, now: Timestamp) -> Result<u32, Error> {
    if !policy.apply_adaptive {
        return Ok(policy.capacity);
    }
    Ok(adaptive(tx, policy, now).await?.map_or(policy.capacity, |advice| advice.to))
}

pub async fn adaptive(
    tx: &mut Tx,
    policy: &Policy,
    now: Timestamp,
) -> Result<Option<Advice>, Error> {
    let since = now - SignedDuration::from_hours(adaptive::HOURS);
    let minutes: Vec<f64> = orders::prepared_since(tx, since)
        .await?
        .iter()
        .filter_map(preparation)
        .map(|(start, ready)| ready.duration_since(start).as_secs_f64() / 60.0)
        .collect();
    Ok(adaptive::advise(policy.capacity, &minutes, policy.capacity_ceiling))
}

pub async fn lessons(tx: &mut Tx, policy: &Policy, now: Timestamp) -> Result<Lessons, Error> {
    let since = now - SignedDuration::from_hours(24 * LEARNING_DAYS);
    let prepared = prepared(tx, since).await?;
    Ok(learning::learn(&prepared, policy.capacity, now))
}

async fn prepared(tx: &mut Tx, since: Timestamp) -> Result<Vec<Prepared>, Error> {
    let orders = orders::prepared_since(tx, since).await?;
    let lines = orders::lines_of(tx, &orders).await?;
    let prepared = orders.iter().filter_map(|order| {
        let (started_at, ready_at) = preparation(order)?;
        let lines = lines.get(&order.id).map(Vec::as_slice).unwrap_or_default();
        Some(Prepared {
            started_at,
            ready_at,
            estimate_minutes: order.estimate_minutes,
            dishes: lines.iter().map(Dish::of).collect(),
        })
    });
    Ok(prepared.collect())
}

fn preparation(order: &Order) -> Option<(Timestamp, Timestamp)> {
    Some((order.started_at?, order.ready_at?))
}
