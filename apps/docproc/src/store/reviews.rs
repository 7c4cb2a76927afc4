//! What people are asked: *tareas del back office* (seed §4.1, §8).

use ::store::{Decision, Error, Row, Tx, trusted};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::model::Item;

#[derive(Clone, Debug)]
pub struct TaskRow {
    pub id: String,
    pub request_id: String,
    pub task_type: String,
    pub status: String,
    pub priority: i64,
    pub assigned_to: Option<String>,
    pub created_at: Timestamp,
    pub deadline: Timestamp,
    pub required_skills: Json,
    pub input_data: Json,
    pub source_stage: String,
    pub workflow_name: String,
}

/// A question to people.
#[derive(Clone, Debug)]
pub struct NewTask {
    pub request: String,
    pub run: i64,
    pub task_type: &'static str,
    pub item: Item,
    pub at: usize,
    pub stage: String,
    pub workflow: String,
    pub queue: String,
    pub deadline: Timestamp,
    pub skills: Vec<String>,
    pub input: Json,
}

/// Asks once: the same question of the same run is the same task.
pub async fn ask(decision: &mut Decision, task: &NewTask) -> Result<(), Error> {
    let sql = "INSERT INTO review_tasks (id, request_id, run, task_type, item, stage_at,
               source_stage, workflow_name, queue, deadline_utc, required_skills, input_data,
               created_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
               ON CONFLICT (request_id, run, stage_at, item) DO NOTHING RETURNING id";
    let id = uuid::Uuid::now_v7().to_string();
    let args = [
        id.as_str().into(),
        task.request.as_str().into(),
        task.run.into(),
        task.task_type.into(),
        task.item.key().into(),
        (task.at as i64).into(),
        task.stage.as_str().into(),
        task.workflow.as_str().into(),
        task.queue.as_str().into(),
        task.deadline.into(),
        json!(task.skills).into(),
        task.input.clone().into(),
        decision.now.into(),
    ];
    if decision.tx.optional(sql, &args).await?.is_some() {
        super::events::review(decision, &task.request, &id, task.task_type);
    }
    Ok(())
}

/// Most urgent first.
pub async fn list(
    tx: &mut Tx,
    status: Option<&str>,
    skill: Option<&str>,
    request: Option<&str>,
) -> Result<Vec<TaskRow>, Error> {
    let sql = "SELECT * FROM review_tasks WHERE ($1 IS NULL OR status = $1)
               AND ($2 IS NULL OR request_id = $2)
               ORDER BY priority, deadline_utc, created_at, id LIMIT 1000";
    let rows = tx.all(trusted(sql.to_owned()), &[status.into(), request.into()]).await?;
    let mut tasks = rows.iter().map(task).collect::<Result<Vec<_>, _>>()?;
    if let Some(skill) = skill {
        tasks.retain(|task| {
            let skills = task.required_skills.as_array();
            skills.is_some_and(|skills| skills.iter().any(|one| one == skill))
        });
    }
    Ok(tasks)
}

/// Puts every open question of these requests before all others.
pub async fn raise(decision: &mut Decision, requests: &[&str]) -> Result<(), Error> {
    let sql = "UPDATE review_tasks SET priority = 0 WHERE request_id IN (SELECT id FROM ROWS)
               AND status IN ('pending', 'assigned', 'timeout')";
    let rows = ::store::Rows::of(&["id"], requests.iter().copied());
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

/// Withdraws every open question of a request.
pub async fn withdraw(decision: &mut Decision, request: &str) -> Result<(), Error> {
    let sql = "UPDATE review_tasks SET status = 'cancelled', completed_at = $2
               WHERE request_id = $1 AND status IN ('pending', 'assigned', 'timeout')";
    decision.tx.execute(sql, &[request.into(), decision.now.into()]).await.map(drop)
}

fn task(row: &Row) -> Result<TaskRow, Error> {
    Ok(TaskRow {
        id: row.get("id")?,
        request_id: row.get("request_id")?,
        task_type: row.get("task_type")?,
        status: row.get("status")?,
        priority: row.get("priority")?,
        assigned_to: row.maybe("assigned_to")?,
        created_at: row.get("created_at")?,
        deadline: row.get("deadline_utc")?,
        required_skills: row.get("required_skills")?,
        input_data: row.get("input_data")?,
        source_stage: row.get("source_stage")?,
        workflow_name: row.get("workflow_name")?,
    })
}
