//! Nodes as they are kept: reading, planning and moving them.

use db::{Error, Row, Rows, Tx, Value, trusted};
use engine::Word as _;
use jiff::{SignedDuration, Timestamp};

use crate::model::{
    After, Cadence, Column, Interval, JobType, Node, NodeId, Oid, OltId, Overrides, Priority, Role,
    Switch, TemplateId, TemplateNodeId,
};
use crate::rules::{feasibility::Demand, spread::Move};

pub const COLUMNS: &str = "n.id, n.olt_id, n.template_node_id, n.key, n.name, n.job, n.oid, \
     n.space, n.priority, n.switch, n.interval_seconds, n.grid_at, n.phase_us, n.next_run_at, \
     n.master_id, n.after_master, n.overrides, n.last_run_at, n.last_success_at, \
     n.last_failure_at, n.version";

/// Clocks of several machines may differ by so much.
const SKEW: SignedDuration = SignedDuration::from_mins(1);

pub fn read(row: &Row) -> Result<Node, Error> {
    Ok(Node {
        id: NodeId(row.get("id")?),
        olt: OltId(row.get("olt_id")?),
        template: row.maybe("template_node_id")?.map(TemplateNodeId),
        key: row.get("key")?,
        name: row.get("name")?,
        job: row.word("job", JobType::from_word)?,
        oid: row.maybe_word("oid", |text| text.parse::<Oid>().ok())?,
        column: row.maybe_word("space", Column::from_word)?,
        priority: priority(row)?,
        switch: row.word("switch", Switch::from_word)?,
        role: role(row)?,
        overrides: Overrides::from_bits(row.get("overrides")?),
        last_run_at: row.maybe("last_run_at")?,
        last_success_at: row.maybe("last_success_at")?,
        last_failure_at: row.maybe("last_failure_at")?,
        version: row.get("version")?,
    })
}

pub fn priority(row: &Row) -> Result<Priority, Error> {
    Priority::new(row.get("priority")?).ok_or_else(|| Error::corrupt("priority"))
}

pub fn interval(row: &Row) -> Result<Interval, Error> {
    let seconds = row.get("interval_seconds")?;
    Interval::new(seconds).ok_or_else(|| Error::corrupt("interval_seconds"))
}

fn role(row: &Row) -> Result<Role, Error> {
    if let Some(master) = row.maybe("master_id")? {
        return Ok(Role::Chain {
            master: NodeId(master),
            after: row.word("after_master", After::from_word)?,
        });
    }
    Ok(Role::Master { cadence: cadence(row)?, next_run_at: row.maybe("next_run_at")? })
}

pub fn cadence(row: &Row) -> Result<Cadence, Error> {
    Ok(Cadence {
        interval: interval(row)?,
        grid: row.get("grid_at")?,
        phase: SignedDuration::from_micros(row.get("phase_us")?),
    })
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Node>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM nodes n JOIN olts o ON o.id = n.olt_id
         WHERE o.deleted_at IS NULL ORDER BY n.id"
    ));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: NodeId) -> Result<Option<Node>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM nodes n JOIN olts o ON o.id = n.olt_id
         WHERE n.id = $1 AND o.deleted_at IS NULL"
    ));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn of_olt(tx: &mut Tx, olt: OltId) -> Result<Vec<Node>, Error> {
    let sql = trusted(format!("SELECT {COLUMNS} FROM nodes n WHERE n.olt_id = $1 ORDER BY n.id"));
    tx.all(sql, &[olt.into()]).await?.iter().map(read).collect()
}

/// The members of a master's chain.
pub async fn chain(tx: &mut Tx, master: NodeId) -> Result<Vec<Node>, Error> {
    let sql =
        trusted(format!("SELECT {COLUMNS} FROM nodes n WHERE n.master_id = $1 ORDER BY n.id"));
    tx.all(sql, &[master.into()]).await?.iter().map(read).collect()
}

fn columns(node: &Node) -> Vec<Value> {
    let (cadence, next_run_at) = (node.role.cadence(), node.role.next_run_at());
    let (master, after) = match &node.role {
        Role::Master { .. } => (None, None),
        Role::Chain { master, after } => (Some(master.0), Some(after.word())),
    };
    let phase = cadence.map_or(SignedDuration::ZERO, |cadence| cadence.phase);
    vec![
        node.template.map(|id| id.0).into(),
        node.key.as_str().into(),
        node.name.as_str().into(),
        node.job.word().into(),
        node.oid.as_ref().map(ToString::to_string).into(),
        node.column.map(Column::word).into(),
        node.priority.number().into(),
        node.switch.word().into(),
        cadence.map(|cadence| cadence.interval.seconds()).into(),
        cadence.map(|cadence| cadence.grid).into(),
        (phase.as_micros() as i64).into(),
        next_run_at.into(),
        master.into(),
        after.into(),
        node.overrides.bits().into(),
    ]
}

pub async fn insert(tx: &mut Tx, node: &Node) -> Result<NodeId, Error> {
    let sql = "INSERT INTO nodes (template_node_id, key, name, job, oid, space, priority, switch,
                 interval_seconds, grid_at, phase_us, next_run_at, master_id, after_master,
                 overrides, olt_id)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
               RETURNING id";
    let mut args = columns(node);
    args.push(node.olt.into());
    Ok(NodeId(tx.one(sql, &args).await?.get("id")?))
}

/// Writes what the operator may change, one version further.
pub async fn update(tx: &mut Tx, node: &Node) -> Result<(), Error> {
    let sql = "UPDATE nodes SET template_node_id = $1, key = $2, name = $3, job = $4, oid = $5,
                 space = $6, priority = $7, switch = $8, interval_seconds = $9, grid_at = $10,
                 phase_us = $11, next_run_at = $12, master_id = $13, after_master = $14,
                 overrides = $15, version = version + 1 WHERE id = $16 AND version = $17";
    let mut args = columns(node);
    args.extend([node.id.into(), node.version.into()]);
    tx.guarded("the node changed meanwhile", sql, &args).await
}

pub async fn remove(tx: &mut Tx, id: NodeId) -> Result<(), Error> {
    tx.guarded("the node is gone", "DELETE FROM nodes WHERE id = $1", &[id.into()]).await
}

/// Its next slot, once this one was taken or passed over.
pub async fn replan(
    tx: &mut Tx,
    id: NodeId,
    seen: Option<Timestamp>,
    next: Option<Timestamp>,
) -> Result<(), Error> {
    let sql = "UPDATE nodes SET next_run_at = $3, overflow = FALSE
               WHERE id = $1 AND next_run_at = $2";
    let args = [id.into(), seen.into(), next.into()];
    tx.guarded("the node was planned anew meanwhile", sql, &args).await
}

/// Puts many where spreading wants them; one that was planned anew meanwhile stays.
pub async fn shift(tx: &mut Tx, moves: &[Move]) -> Result<(), Error> {
    let mut rows = Rows::new(&["id", "seen", "next_run_at", "phase_us", "overflow"]);
    for one in moves {
        rows.push([
            one.node.into(),
            one.from.into(),
            one.next_run_at.into(),
            (one.phase.as_micros() as i64).into(),
            one.overflow.into(),
        ]);
    }
    let sql = "UPDATE nodes SET next_run_at = v.next_run_at, phase_us = v.phase_us,
                 overflow = v.overflow FROM ROWS
               WHERE nodes.id = v.id AND nodes.next_run_at = v.seen";
    tx.each(sql, &[], &rows).await.map(drop)
}

/// When it last began, and how it ended.
pub async fn ran(
    tx: &mut Tx,
    id: NodeId,
    started_at: Option<Timestamp>,
    succeeded: bool,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE nodes SET last_run_at = COALESCE($2, last_run_at),
                 last_success_at = CASE WHEN $3 THEN $4 ELSE last_success_at END,
                 last_failure_at = CASE WHEN $3 THEN last_failure_at ELSE $4 END WHERE id = $1";
    let args = [id.into(), started_at.into(), succeeded.into(), now.into()];
    tx.execute(sql, &args).await.map(drop)
}

/// Nodes that were made from a template.
pub async fn of_template(tx: &mut Tx, template: TemplateId) -> Result<Vec<Node>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM nodes n JOIN template_nodes tn ON tn.id = n.template_node_id
         JOIN olts o ON o.id = n.olt_id
         WHERE tn.template_id = $1 AND o.deleted_at IS NULL ORDER BY n.id"
    ));
    tx.all(sql, &[template.into()]).await?.iter().map(read).collect()
}

/// The same, of deleted OLTs too.
pub async fn of_any_olt(tx: &mut Tx, template: TemplateId) -> Result<Vec<Node>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM nodes n JOIN template_nodes tn ON tn.id = n.template_node_id
         WHERE tn.template_id = $1 ORDER BY n.id"
    ));
    tx.all(sql, &[template.into()]).await?.iter().map(read).collect()
}

/// Nothing of these is planned any more.
pub async fn unplan(tx: &mut Tx, nodes: &[NodeId]) -> Result<(), Error> {
    let keys = Rows::of(&["id"], nodes.iter().copied());
    let sql = "UPDATE nodes SET next_run_at = NULL, overflow = FALSE FROM ROWS
               WHERE nodes.id = v.id";
    tx.each(sql, &[], &keys).await.map(drop)
}

/// Gives masters a new grid and the run it begins with.
pub async fn plan_anew(tx: &mut Tx, planned: &[(NodeId, Cadence, Timestamp)]) -> Result<(), Error> {
    let mut rows = Rows::new(&["id", "grid_at", "phase_us", "next_run_at"]);
    for (id, cadence, next) in planned {
        let phase = cadence.phase.as_micros() as i64;
        rows.push([(*id).into(), cadence.grid.into(), phase.into(), (*next).into()]);
    }
    let sql = "UPDATE nodes SET grid_at = v.grid_at, phase_us = v.phase_us,
                 next_run_at = v.next_run_at, overflow = FALSE FROM ROWS WHERE nodes.id = v.id";
    tx.each(sql, &[], &rows).await.map(drop)
}

/// It was said that this slot of its was put off.
pub async fn put_off(tx: &mut Tx, id: NodeId) -> Result<(), Error> {
    let sql = "UPDATE nodes SET told_slot = next_run_at WHERE id = $1";
    tx.execute(sql, &[id.into()]).await.map(drop)
}

/// These, whatever their OLT.
pub async fn of(tx: &mut Tx, ids: impl Iterator<Item = NodeId>) -> Result<Vec<Node>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM ROWS JOIN nodes n ON n.id = v.key ORDER BY n.id");
    tx.all_of(&sql, &[], &Rows::of(&["key"], ids)).await?.iter().map(read).collect()
}

/// How many have a quota.
pub async fn masters(tx: &mut Tx) -> Result<i64, Error> {
    let sql = "SELECT COUNT(*) AS number FROM nodes n JOIN olts o ON o.id = n.olt_id
               WHERE n.master_id IS NULL AND o.deleted_at IS NULL";
    tx.one(sql, &[]).await?.get("number")
}

/// Those whose next run fits nowhere in its window.
pub async fn overflowing(tx: &mut Tx) -> Result<Vec<Node>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM nodes n JOIN olts o ON o.id = n.olt_id
         WHERE n.overflow AND n.next_run_at IS NOT NULL AND n.switch = 'HABILITADO'
           AND o.deleted_at IS NULL ORDER BY n.id"
    ));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

/// Enabled masters that nothing is planned for although everything lets them run; and those that ran
/// later than `now` and wait for a run after that: it was planned before the clock was set back.
pub async fn unplanned(tx: &mut Tx, now: Timestamp) -> Result<Vec<Node>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM nodes n JOIN olts o ON o.id = n.olt_id
         LEFT JOIN template_nodes tn ON tn.id = n.template_node_id
         LEFT JOIN olt_templates t ON t.id = tn.template_id
         WHERE n.master_id IS NULL AND n.switch = 'HABILITADO'
           AND (n.next_run_at IS NULL OR (n.last_run_at > $1 AND n.next_run_at > n.last_run_at))
           AND n.oid IS NOT NULL AND o.enabled AND o.workflow_active AND o.deleted_at IS NULL
           AND COALESCE(t.active, TRUE)"
    ));
    let ahead = now.saturating_add(SKEW).unwrap_or(now);
    tx.all(sql, &[ahead.into()]).await?.iter().map(read).collect()
}

/// What can be asked about nodes.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub olt: Option<OltId>,
    pub job: Option<JobType>,
    pub on: Option<bool>,
    /// Part of the name or the key.
    pub part: Option<String>,
    pub after: Option<NodeId>,
}

pub async fn list(tx: &mut Tx, filter: &Filter, limit: i64) -> Result<Vec<Node>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM nodes n JOIN olts o ON o.id = n.olt_id
         WHERE o.deleted_at IS NULL AND ($1 IS NULL OR n.olt_id = $1)
           AND ($2 IS NULL OR n.job = $2)
           AND ($3 IS NULL OR ($3 AND n.switch <> 'DESHABILITADO')
             OR (NOT $3 AND n.switch = 'DESHABILITADO'))
           AND ($4 IS NULL OR LOWER(n.name) LIKE $4 OR LOWER(n.key) LIKE $4)
           AND ($5 IS NULL OR n.id > $5) ORDER BY n.id LIMIT $6"
    ));
    let part = filter.part.as_ref().map(|part| format!("%{}%", part.to_lowercase()));
    let args: [Value; 6] = [
        filter.olt.map(|id| id.0).into(),
        filter.job.map(JobType::word).into(),
        filter.on.into(),
        part.into(),
        filter.after.map(|id| id.0).into(),
        limit.into(),
    ];
    tx.all(sql, &args).await?.iter().map(read).collect()
}

/// What the masters want that may run, by interval, with the members of their chains; those of one
/// template may be left out.
pub async fn demands(tx: &mut Tx, without: Option<TemplateId>) -> Result<Vec<Demand>, Error> {
    let sql = "SELECT n.interval_seconds, COUNT(*) AS masters,
                 CAST(COALESCE(SUM(c.chained), 0) AS BIGINT) AS chained,
                 COUNT(CASE WHEN n.job = 'get' THEN n.next_run_at END)
                   - COUNT(DISTINCT CASE WHEN n.job = 'get'
                     THEN n.olt_id || '/' || n.next_run_at END) AS joining
               FROM nodes n JOIN olts o ON o.id = n.olt_id
               LEFT JOIN (SELECT master_id, COUNT(*) AS chained FROM nodes
                 WHERE master_id IS NOT NULL AND switch = 'HABILITADO' GROUP BY master_id) c
                 ON c.master_id = n.id
               LEFT JOIN template_nodes tn ON tn.id = n.template_node_id
               LEFT JOIN olt_templates t ON t.id = tn.template_id
               WHERE n.master_id IS NULL AND n.switch = 'HABILITADO' AND n.oid IS NOT NULL
                 AND o.enabled AND o.workflow_active AND o.deleted_at IS NULL
                 AND COALESCE(t.active, TRUE)
                 AND ($1 IS NULL OR t.id IS NULL OR t.id <> $1)
               GROUP BY n.interval_seconds";
    let rows = tx.all(sql, &[without.map(|id| id.0).into()]).await?;
    rows.iter()
        .map(|row| {
            let count = |name: &str| {
                let number: i64 = row.get(name)?;
                Ok::<_, Error>(u32::try_from(number).unwrap_or(u32::MAX))
            };
            Ok(Demand {
                interval: interval(row)?,
                masters: count("masters")?,
                chained: count("chained")?,
                joining: count("joining")?,
            })
        })
        .collect()
}
