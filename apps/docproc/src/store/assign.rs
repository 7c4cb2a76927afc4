//! Loads what the planner of assignment looks at, and writes what it wants.

use std::collections::{HashMap, HashSet};

use db::{Decision, Error, Row, Rows, Slice, Tx, trusted};
use jiff::Timestamp;
use serde_json::Value as Json;

use super::{
    offers::{self, Demand},
    operators, reviews,
};
use crate::rules::assign::{Change, Holder, Snapshot, Task, can_do};

/// The back office: operators and every task that is open.
#[derive(Debug)]
pub struct BackOffice;

/// As many as one look takes in, most urgent first.
const LOOK: usize = 1_000;
/// And where there are more, so many of each thing that is asked for and that somebody can do: those
/// behind them wait for these anyway.
const OF_EACH: i64 = 100;
const COLUMNS: &str = "id, required_skills, priority, deadline_utc, created_at, assigned_to,
                       assigned_at, beat_at, postponed_until";

impl Slice for BackOffice {
    type Snapshot = Snapshot;
    type Change = Change;

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<Snapshot, Error> {
        load(tx, None, now).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Snapshot,
        change: &Change,
    ) -> Result<(), Error> {
        match change {
            Change::Lapse { task, operator } => {
                operators::lapsed(decision, operator).await?;
                reviews::lapse(decision, task, operator).await
            }
            Change::Offer { task, operator } => {
                operators::given(decision, operator).await?;
                reviews::give(decision, task, operator, false).await
            }
        }
    }
}

/// What is open, with one task in any case: somebody asks about it.
pub async fn load(tx: &mut Tx, about: Option<&str>, now: Timestamp) -> Result<Snapshot, Error> {
    let operators = operators::all(tx).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM review_tasks WHERE status = 'assigned' ORDER BY id LIMIT 20000"
    );
    let mut rows = tx.all(trusted(sql), &[]).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM review_tasks WHERE status IN ('pending', 'timeout')
         ORDER BY priority, deadline_utc, created_at, id LIMIT $1"
    );
    let free = tx.all(trusted(sql), &[(LOOK as i64).into()]).await?;
    let is_all = free.len() < LOOK;
    rows.extend(free);
    if !is_all {
        let known: Vec<_> = operators.iter().filter(|one| one.active).collect();
        let mut demands = offers::demands(tx, None, now).await?;
        demands.retain(|one| known.iter().any(|who| can_do(&who.skills, &one.required)));
        for demand in &demands {
            rows.extend(of_demand(tx, demand, now).await?);
        }
        rows.extend(one(tx, about).await?);
    }
    let mut tasks = Vec::with_capacity(rows.len());
    let mut seen = HashSet::new();
    for row in &rows {
        if seen.insert(row.get::<String>("id")?) {
            tasks.push(task(row)?);
        }
    }
    let mut declined = declined(tx, &tasks).await?;
    for task in &mut tasks {
        task.declined = declined.remove(&task.id).unwrap_or_default();
    }
    Ok(Snapshot {
        operators: operators.iter().map(operators::OperatorRow::for_rules).collect(),
        tasks,
    })
}

async fn of_demand(tx: &mut Tx, demand: &Demand, now: Timestamp) -> Result<Vec<Row>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM review_tasks WHERE status IN ('pending', 'timeout')
         AND required_skills = (SELECT e.required_skills FROM review_tasks e WHERE e.id = $1)
         AND (postponed_until IS NULL OR postponed_until <= $2)
         ORDER BY priority, deadline_utc, created_at, id LIMIT $3"
    );
    let args = [demand.example.as_str().into(), now.into(), OF_EACH.into()];
    tx.all(trusted(sql), &args).await
}

async fn one(tx: &mut Tx, id: Option<&str>) -> Result<Vec<Row>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM review_tasks WHERE id = $1 AND status IN ('pending', 'timeout')"
    );
    tx.all(trusted(sql), &[id.into()]).await
}

/// Who gave which of these tasks back.
async fn declined(tx: &mut Tx, tasks: &[Task]) -> Result<HashMap<String, Vec<String>>, Error> {
    let free = tasks.iter().filter(|task| matches!(task.holder, Holder::Nobody { .. }));
    let ids = Rows::of(&["id"], free.map(|task| &task.id));
    let sql = "SELECT DISTINCT task_id, operator FROM review_turns
               WHERE task_id IN (SELECT id FROM ROWS)
               AND ending IN ('timeout', 'released', 'postponed')";
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for row in tx.all_of(sql, &[], &ids).await? {
        found.entry(row.get("task_id")?).or_default().push(row.get("operator")?);
    }
    Ok(found)
}

fn task(row: &Row) -> Result<Task, Error> {
    let required: Json = row.get("required_skills")?;
    let required = serde_json::from_value(required)
        .map_err(|error| Error::corrupt(format!("required_skills: {error}")))?;
    let created: Timestamp = row.get("created_at")?;
    let holder = match row.maybe::<String>("assigned_to")? {
        None => Holder::Nobody { until: row.maybe("postponed_until")? },
        Some(operator) => {
            let given: Timestamp = row.maybe("assigned_at")?.unwrap_or(created);
            let beat: Option<Timestamp> = row.maybe("beat_at")?;
            Holder::With { operator, heard: beat.map_or(given, |beat| beat.max(given)) }
        }
    };
    Ok(Task {
        id: row.get("id")?,
        required,
        priority: row.get("priority")?,
        deadline: row.get("deadline_utc")?,
        created,
        holder,
        declined: Vec::new(),
    })
}
