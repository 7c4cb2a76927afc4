//! Evidence for the learning rules: what was prepared, and how long it took.

use db::{Error, Tx};
use jiff::{SignedDuration, Timestamp};

use crate::{
    policy::Policy,
    rules::{
        adaptive::{self, Advice},
        learning::{self, Dish, Lessons, Prepared},
    },
};

const LEARNING_DAYS: i64 = 30;
/// Of a busier month than this, the latest orders teach most.
const MOST: i64 = 20_000;

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
    let sql = "SELECT started_at, ready_at FROM orders WHERE received_at >= $1
               AND ready_at IS NOT NULL AND started_at IS NOT NULL
               ORDER BY received_at DESC, id DESC LIMIT $2";
    let mut minutes = Vec::new();
    tx.for_each(sql, &[since.into(), MOST.into()], |row| {
        let (start, ready): (Timestamp, Timestamp) = (row.get("started_at")?, row.get("ready_at")?);
        minutes.push(ready.duration_since(start).as_secs_f64() / 60.0);
        Ok(())
    })
    .await?;
    Ok(adaptive::advise(policy.capacity, &minutes, policy.capacity_ceiling))
}

pub async fn lessons(tx: &mut Tx, policy: &Policy, now: Timestamp) -> Result<Lessons, Error> {
    let since = now - SignedDuration::from_hours(24 * LEARNING_DAYS);
    let prepared = prepared(tx, since).await?;
    Ok(learning::learn(&prepared, policy.capacity, now))
}

/// Finished orders of the learning window. They are heard a line at a time: of an order only what teaches
/// is kept.
async fn prepared(tx: &mut Tx, since: Timestamp) -> Result<Vec<Prepared>, Error> {
    let sql = "SELECT o.id, o.started_at, o.ready_at, o.estimate_minutes, l.article_id, l.name
               FROM (SELECT id, started_at, ready_at, estimate_minutes FROM orders
                 WHERE received_at >= $1 AND ready_at IS NOT NULL AND started_at IS NOT NULL
                 ORDER BY received_at DESC, id DESC LIMIT $2) AS o
               JOIN order_lines l ON l.order_id = o.id ORDER BY o.id";
    let (mut prepared, mut last) = (Vec::<Prepared>::new(), None);
    tx.for_each(sql, &[since.into(), MOST.into()], |row| {
        let id: i64 = row.get("id")?;
        if last != Some(id) {
            last = Some(id);
            prepared.push(Prepared {
                started_at: row.get("started_at")?,
                ready_at: row.get("ready_at")?,
                estimate_minutes: row.get("estimate_minutes")?,
                dishes: Vec::new(),
            });
        }
        let (article, name) = (row.maybe("article_id")?, row.get::<String>("name")?);
        if let Some(order) = prepared.last_mut() {
            order.dishes.push(Dish::named(article, &name));
        }
        Ok(())
    })
    .await?;
    Ok(prepared)
}
