//! The world as one transaction sees it: whoever is ready, whatever runs, the last minute.

use engine::Word as _;
use std::collections::{BTreeMap, HashMap};

use db::{Error, Row, Rows, Tx, trusted};
use jiff::{SignedDuration, Timestamp};

use super::{nodes, olts, policy};
use crate::{
    Context,
    model::{Cause, Interval, JobType, NodeId, OltId, RunId, Switch},
    policy::{Policy, QuotaPolicy},
    rules::{
        backoff,
        quota::{Usage, is_pressed},
        spread::Placed,
        world::{Able, Due, Running, Site, Started, Waiting, World},
    },
};

/// The most that one look considers; the longest overdue come first, the others at the next look.
const MOST: i64 = 5_000;
/// As far back as a quota counts.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);
/// As far ahead as jumps look for room.
const AHEAD: SignedDuration = SignedDuration::from_hours(2);

/// Nodes that may run by plan, with their OLT and template.
const READY: &str = "FROM nodes n JOIN olts o ON o.id = n.olt_id
    LEFT JOIN template_nodes tn ON tn.id = n.template_node_id
    LEFT JOIN olt_templates t ON t.id = tn.template_id
    WHERE n.master_id IS NULL AND n.switch = 'HABILITADO' AND n.oid IS NOT NULL AND o.enabled
      AND o.workflow_active AND o.deleted_at IS NULL AND COALESCE(t.active, TRUE)";

pub async fn load(context: &Context, tx: &mut Tx, now: Timestamp) -> Result<World, Error> {
    let policy = policy::load(context, tx).await?;
    let mut world = World::new(policy);
    world.due = due(tx, now).await?;
    let live = tx.all(LIVE, &[]).await?;
    for row in &live {
        match row.maybe::<Timestamp>("started_at")? {
            Some(started_at) => world.running.push(running(row, started_at)?),
            None => world.waiting.push(waiting(row)?),
        }
    }
    world.olts = sites(tx, &world, now).await?;
    world.starts = starts(tx, &world.policy, now).await?;
    world.loads = loads(tx, now).await?;
    world.upcoming = upcoming(tx, now).await?;
    Ok(world)
}

async fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<Due>, Error> {
    let sql = trusted(format!(
        "SELECT {}, n.told_slot {READY} AND n.next_run_at <= $1 ORDER BY n.next_run_at, n.id LIMIT $2",
        nodes::COLUMNS
    ));
    let rows = tx.all(sql, &[now.into(), MOST.into()]).await?;
    let nodes = rows.iter().map(nodes::read).collect::<Result<Vec<_>, _>>()?;
    let mut recent = recent_starts(tx, nodes.iter().map(|node| node.id), now).await?;
    let mut due = Vec::with_capacity(nodes.len());
    for (node, row) in nodes.iter().zip(&rows) {
        let recent = recent.remove(&node.id).unwrap_or_default();
        let told = row.maybe("told_slot")? == node.role.next_run_at();
        due.extend(Due::of(node, true, recent).map(|due| Due { told, ..due }));
    }
    Ok(due)
}

/// Starts that count for the quotas of these nodes, the oldest first.
pub async fn recent_starts(
    tx: &mut Tx,
    of: impl Iterator<Item = NodeId>,
    now: Timestamp,
) -> Result<Starts, Error> {
    let keys = Rows::of(&["id"], of);
    let sql = "SELECT r.node_id, r.started_at FROM ROWS JOIN node_runs r ON r.node_id = v.id
               WHERE r.started_at > $1 AND r.finished_at IS NOT NULL AND r.cause = 'PROGRAMADA'
               ORDER BY r.started_at";
    by_node(&tx.all_of(sql, &[(now - HOUR).into()], &keys).await?)
}

/// Starts by plan of the last hour, of every node; with those of runs that go on, if asked for.
pub async fn starts_of_the_hour(tx: &mut Tx, now: Timestamp, live: bool) -> Result<Starts, Error> {
    let sql = "SELECT node_id, started_at FROM node_runs WHERE started_at > $1
               AND ($2 OR finished_at IS NOT NULL) AND cause = 'PROGRAMADA' ORDER BY started_at";
    by_node(&tx.all(sql, &[(now - HOUR).into(), live.into()]).await?)
}

/// When each node started.
pub type Starts = HashMap<NodeId, Vec<Timestamp>>;

fn by_node(rows: &[Row]) -> Result<Starts, Error> {
    let mut starts = Starts::new();
    for row in rows {
        starts.entry(NodeId(row.get("node_id")?)).or_default().push(row.get("started_at")?);
    }
    Ok(starts)
}

const LIVE: &str = "SELECT r.id, r.node_id, r.olt_id, r.job, r.cause, r.asked_at, r.started_at,
      n.priority, n.switch, n.oid, COALESCE(t.active, TRUE) AS template_active,
      COALESCE(n.interval_seconds, m.interval_seconds) AS interval_seconds,
      r.worker IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM processes p WHERE p.name = r.worker) AS lost,
      r.rides_with IS NOT NULL AS rides
    FROM node_runs r JOIN nodes n ON n.id = r.node_id
    LEFT JOIN nodes m ON m.id = n.master_id
    LEFT JOIN template_nodes tn ON tn.id = n.template_node_id
    LEFT JOIN olt_templates t ON t.id = tn.template_id
    WHERE r.finished_at IS NULL ORDER BY r.id";

fn running(row: &Row, started_at: Timestamp) -> Result<Running, Error> {
    Ok(Running {
        run: RunId(row.get("id")?),
        node: NodeId(row.get("node_id")?),
        olt: OltId(row.get("olt_id")?),
        job: row.word("job", JobType::from_word)?,
        cause: row.word("cause", Cause::from_word)?,
        started_at,
        lost: row.get("lost")?,
        rides: row.get("rides")?,
    })
}

fn waiting(row: &Row) -> Result<Waiting, Error> {
    let oid: Option<String> = row.maybe("oid")?;
    Ok(Waiting {
        run: RunId(row.get("id")?),
        node: NodeId(row.get("node_id")?),
        olt: OltId(row.get("olt_id")?),
        job: row.word("job", JobType::from_word)?,
        priority: nodes::priority(row)?,
        able: Able {
            switch: row.word("switch", Switch::from_word)?,
            template_active: row.get("template_active")?,
            has_oid: oid.is_some(),
        },
        cause: row.word("cause", Cause::from_word)?,
        asked_at: row.get("asked_at")?,
        interval: nodes::interval(row)?,
    })
}

async fn sites(tx: &mut Tx, world: &World, now: Timestamp) -> Result<HashMap<OltId, Site>, Error> {
    let due = world.due.iter().map(|one| one.olt);
    let waiting = world.waiting.iter().map(|one| one.olt);
    let running = world.running.iter().map(|one| one.olt);
    let mut ids: Vec<OltId> = due.chain(waiting).chain(running).collect();
    ids.sort_unstable();
    ids.dedup();
    let keys = Rows::of(&["id"], ids);
    let sql = "SELECT o.id, o.enabled, o.workflow_active, o.failures, o.down_since, o.retry_at
               FROM ROWS JOIN olts o ON o.id = v.id WHERE o.deleted_at IS NULL";
    let rows = tx.all_of(sql, &[], &keys).await?;
    rows.iter()
        .map(|row| {
            let site = Site {
                enabled: row.get("enabled")?,
                workflow_active: row.get("workflow_active")?,
                backoff: backoff::standing(olts::backoff(row)?, &world.policy.probe, now),
            };
            Ok((OltId(row.get("id")?), site))
        })
        .collect()
}

/// All starts since the clock minute began, and of the last sixty seconds.
async fn starts(tx: &mut Tx, policy: &Policy, now: Timestamp) -> Result<Vec<Started>, Error> {
    let sql = "SELECT r.started_at, COALESCE(n.interval_seconds, m.interval_seconds) AS seconds
               FROM node_runs r LEFT JOIN nodes n ON n.id = r.node_id
               LEFT JOIN nodes m ON m.id = n.master_id
               WHERE r.started_at > $1 AND r.rides_with IS NULL ORDER BY r.started_at";
    let rows = tx.all(sql, &[(now - MINUTE).into()]).await?;
    rows.iter()
        .map(|row| {
            let interval = row.maybe("seconds")?.and_then(Interval::new);
            let short = interval.is_some_and(|interval| policy.limits.is_short(interval));
            Ok(Started { at: row.get("started_at")?, short })
        })
        .collect()
}

/// Planned starts per minute since the epoch. `SQLite` keeps instants as microseconds.
async fn loads(tx: &mut Tx, now: Timestamp) -> Result<BTreeMap<i64, u32>, Error> {
    let minute = tx.dialect().pick(
        "n.next_run_at / 60000000",
        "CAST(FLOOR(EXTRACT(EPOCH FROM n.next_run_at) / 60) AS BIGINT)",
    );
    let sql = trusted(format!(
        "SELECT {minute} AS minute, COUNT(*) AS load {READY}
         AND n.next_run_at > $1 AND n.next_run_at <= $2 GROUP BY {minute}"
    ));
    let rows = tx.all(sql, &[now.into(), (now + AHEAD).into()]).await?;
    rows.iter()
        .map(|row| {
            let load: i64 = row.get("load")?;
            Ok((row.get("minute")?, u32::try_from(load).unwrap_or(u32::MAX)))
        })
        .collect()
}

async fn upcoming(tx: &mut Tx, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let sql = trusted(format!(
        "SELECT n.next_run_at AS at {READY} AND n.next_run_at > $1
         ORDER BY n.next_run_at LIMIT 1"
    ));
    let row = tx.optional(sql, &[now.into()]).await?;
    row.map(|row| row.get("at")).transpose()
}

/// Every master that runs by plan, where it stands, and what it did in the last hour.
pub async fn placed(tx: &mut Tx, now: Timestamp) -> Result<Vec<Placed>, Error> {
    let mut recent = starts_of_the_hour(tx, now, true).await?;
    let mut placed = placed_before(tx, Timestamp::MAX).await?;
    for one in &mut placed {
        one.recent = recent.remove(&one.node).unwrap_or_default();
    }
    Ok(placed)
}

/// The masters that are planned to run before an instant, and where they stand.
pub async fn placed_before(tx: &mut Tx, until: Timestamp) -> Result<Vec<Placed>, Error> {
    let sql = trusted(format!(
        "SELECT n.id, n.olt_id, n.job, n.priority, n.interval_seconds, n.grid_at, n.phase_us,
           n.next_run_at, n.overflow {READY} AND n.next_run_at < $1"
    ));
    let mut placed = Vec::new();
    tx.for_each(sql, &[until.into()], |row| {
        placed.push(Placed {
            node: NodeId(row.get("id")?),
            olt: OltId(row.get("olt_id")?),
            job: row.word("job", JobType::from_word)?,
            priority: nodes::priority(row)?,
            cadence: nodes::cadence(row)?,
            next_run_at: row.get("next_run_at")?,
            recent: Vec::new(),
            overflow: row.get("overflow")?,
        });
        Ok(())
    })
    .await?;
    Ok(placed)
}

/// How many masters found no room when starts were last spread.
pub async fn overflowing(tx: &mut Tx) -> Result<i64, Error> {
    let sql = trusted(format!(
        "SELECT COUNT(*) AS n {READY} AND n.overflow AND n.next_run_at IS NOT NULL"
    ));
    tx.one(sql, &[]).await?.get("n")
}

/// How the masters that ran in the last hour used their quotas.
#[derive(Debug, Clone, Copy)]
pub struct Used {
    pub node: NodeId,
    pub usage: Usage,
    /// It runs faster than its interval, or its next run will be held.
    pub pressed: bool,
}

pub async fn used_quotas(
    tx: &mut Tx,
    policy: &QuotaPolicy,
    now: Timestamp,
) -> Result<Vec<Used>, Error> {
    let sql = "SELECT r.node_id, r.started_at, n.interval_seconds, n.next_run_at
               FROM node_runs r JOIN nodes n ON n.id = r.node_id
               WHERE r.started_at > $1 AND r.finished_at IS NOT NULL AND r.cause = 'PROGRAMADA'
                 AND n.master_id IS NULL ORDER BY r.node_id, r.started_at";
    let (mut used, mut starts) = (Vec::new(), Vec::new());
    let mut last: Option<(NodeId, Interval, Option<Timestamp>)> = None;
    let reckon = |last: Option<(NodeId, Interval, Option<Timestamp>)>, starts: &[Timestamp]| {
        last.map(|(node, interval, next)| Used {
            node,
            usage: Usage::at(starts, interval, now),
            pressed: is_pressed(starts, interval, next, policy, now),
        })
    };
    tx.for_each(sql, &[(now - HOUR).into()], |row| {
        let node = NodeId(row.get("node_id")?);
        if last.is_none_or(|(known, ..)| known != node) {
            used.extend(reckon(last, &starts));
            starts.clear();
            last = Some((node, nodes::interval(row)?, row.maybe("next_run_at")?));
        }
        starts.push(row.get("started_at")?);
        Ok(())
    })
    .await?;
    used.extend(reckon(last, &starts));
    Ok(used)
}

/// Whether the template of a node lets it run; one without a template is free.
pub async fn template_active(tx: &mut Tx, node: NodeId) -> Result<bool, Error> {
    let sql = "SELECT COALESCE(t.active, TRUE) AS active FROM nodes n
               LEFT JOIN template_nodes tn ON tn.id = n.template_node_id
               LEFT JOIN olt_templates t ON t.id = tn.template_id WHERE n.id = $1";
    tx.one(sql, &[node.into()]).await?.get("active")
}

/// What the dispatcher knows of one more OLT: a node that is not due has none in the world.
pub async fn with_site(tx: &mut Tx, world: &mut World, olt: OltId) -> Result<(), Error> {
    if let Some(found) = olts::find(tx, olt).await? {
        world.olts.insert(olt, Site::from(&found));
    }
    Ok(())
}
