//! Loads what the planner of assignment looks at, and writes what it wants.

use std::collections::HashMap;

use db::{Decision, Error, Row, Rows, Slice, Tx};
use jiff::Timestamp;
use serde_json::Value as Json;

use super::{operators, reviews};
use crate::rules::assign::{Change, Holder, Snapshot, Task};

/// The back office: operators and every task that is open.
#[derive(Debug)]
pub struct BackOffice;

/// As many as matter: those behind them wait for these anyway.
const MOST: i64 = 1_000;

impl Slice for BackOffice {
    type Snapshot = Snapshot;
    type Change = Change;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Snapshot, Error> {
        load(tx).await
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

pub async fn load(tx: &mut Tx) -> Result<Snapshot, Error> {
    let operators = operators::all(tx).await?;
    let sql = "SELECT id, required_skills, priority, deadline_utc, created_at, assigned_to,
               assigned_at, beat_at, postponed_until FROM review_tasks WHERE status = 'assigned'
               ORDER BY id LIMIT 20000";
    let mut rows = tx.all(sql, &[]).await?;
    let sql = "SELECT id, required_skills, priority, deadline_utc, created_at, assigned_to,
               assigned_at, beat_at, postponed_until FROM review_tasks
               WHERE status IN ('pending', 'timeout')
               ORDER BY priority, deadline_utc, created_at, id LIMIT $1";
    rows.extend(tx.all(sql, &[MOST.into()]).await?);
    let mut tasks = rows.iter().map(task).collect::<Result<Vec<_>, _>>()?;
    let mut declined = declined(tx, &tasks).await?;
    for task in &mut tasks {
        task.declined = declined.remove(&task.id).unwrap_or_default();
    }
    Ok(Snapshot {
        operators: operators.iter().map(operators::OperatorRow::for_rules).collect(),
        tasks,
    })
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
