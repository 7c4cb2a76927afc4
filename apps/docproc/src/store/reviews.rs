//! What people are asked: *tareas del back office* (§4.1, §8).

use std::collections::BTreeMap;

use db::{Decision, Dialect, Error, Row, Rows, Tx, trusted};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{
    events, people_scope,
    steps::{self, About},
};
use crate::{
    model::{Item, TaskState},
    rules::assign,
};

/// Notes of questions that were asked, for the broker.
pub const ASKED: &str = "docproc.asked";

#[derive(Clone, Debug)]
pub struct TaskRow {
    pub id: String,
    pub request_id: String,
    pub task_type: String,
    pub run: i64,
    pub item: Item,
    pub stage_at: i32,
    pub status: TaskState,
    pub priority: i64,
    pub assigned_to: Option<String>,
    pub assigned_at: Option<Timestamp>,
    /// Whether the person it is assigned to took it up.
    pub claimed: bool,
    pub beat_at: Option<Timestamp>,
    pub postponed_until: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub deadline: Timestamp,
    pub required_skills: Json,
    pub input_data: Json,
    pub source_stage: String,
    pub workflow_name: String,
    pub queue: String,
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
        events::review(decision, &task.request, &id, task.task_type);
        let about = About { task: Some(id.as_str()), ..About::default() };
        steps::with_task(decision, "task_created", &task.request, about).await?;
        decision.note(ASKED, id);
    }
    Ok(())
}

/// What a list is narrowed to.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// `pending` is whatever nobody has, also after a time-out.
    pub status: Option<&'a str>,
    pub skill: Option<&'a str>,
    /// A team's, by its key or its name.
    pub queue: Option<&'a str>,
    /// The last task of the page before.
    pub after: Option<&'a str>,
    pub limit: i64,
}

/// Most urgent first.
pub async fn list(tx: &mut Tx, filter: Filter<'_>) -> Result<Vec<TaskRow>, Error> {
    let Filter { status, skill, queue, after, limit } = filter;
    // The ways to look into a JSON array differ.
    let required = match tx.dialect() {
        Dialect::Sqlite => "EXISTS (SELECT 1 FROM json_each(required_skills) WHERE value = $2)",
        Dialect::Postgres => "required_skills ? $2",
    };
    let sql = format!(
        "SELECT * FROM review_tasks
         WHERE ($1 IS NULL OR status = $1 OR ($1 = 'pending' AND status = 'timeout'))
         AND ($2 IS NULL OR {required})
         AND ($3 IS NULL OR queue = $3 OR queue = $4)
         AND ($5 IS NULL OR (priority, deadline_utc, created_at, id) >
             (SELECT c.priority, c.deadline_utc, c.created_at, c.id FROM review_tasks c
              WHERE c.id = $5))
         ORDER BY priority, deadline_utc, created_at, id LIMIT $6"
    );
    let key = queue.map(assign::team_key);
    let args = [status.into(), skill.into(), queue.into(), key.into(), after.into(), limit.into()];
    tx.all(trusted(sql), &args).await?.iter().map(task).collect()
}

/// What of a request waits for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub questions: u32,
    /// The one that was asked first.
    pub task: String,
}

/// By request, of those that wait for people.
pub async fn waiting(tx: &mut Tx, requests: &[String]) -> Result<BTreeMap<String, Waiting>, Error> {
    let sql = "SELECT request_id, COUNT(*) AS n, MIN(id) AS task FROM review_tasks
               WHERE status IN ('pending', 'assigned', 'timeout')
               AND request_id IN (SELECT id FROM ROWS) GROUP BY request_id";
    let rows = tx.all_of(sql, &[], &Rows::of(&["id"], requests)).await?;
    let one = |row: &Row| {
        let questions = u32::try_from(row.get::<i64>("n")?).unwrap_or(u32::MAX);
        Ok((row.get("request_id")?, Waiting { questions, task: row.get("task")? }))
    };
    rows.iter().map(one).collect()
}

/// Puts every open question of these requests before all others.
pub async fn raise(decision: &mut Decision, requests: &[&str]) -> Result<(), Error> {
    let sql = "UPDATE review_tasks SET priority = 0 WHERE request_id IN (SELECT id FROM ROWS)
               AND status IN ('pending', 'assigned', 'timeout')";
    let rows = db::Rows::of(&["id"], requests.iter().copied());
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

/// What nobody has, most urgent first; of a team by its key, if one is given.
pub async fn waits(tx: &mut Tx, team: Option<&str>) -> Result<Vec<TaskRow>, Error> {
    let sql = "SELECT * FROM review_tasks WHERE status IN ('pending', 'timeout')
               AND ($1 IS NULL OR queue = $1 OR 'task.' || queue = $1)
               ORDER BY priority, deadline_utc, created_at, id LIMIT 500";
    tx.all(sql, &[team.into()]).await?.iter().map(task).collect()
}

/// How many that are.
pub async fn count_waiting(tx: &mut Tx, team: Option<&str>) -> Result<usize, Error> {
    let sql = "SELECT COUNT(*) AS n FROM review_tasks WHERE status IN ('pending', 'timeout')
               AND ($1 IS NULL OR queue = $1 OR 'task.' || queue = $1)";
    let n: i64 = tx.one(sql, &[team.into()]).await?.get("n")?;
    Ok(usize::try_from(n).unwrap_or_default())
}

/// What anybody has in hand, most urgent first; of a team by its key, if one is given.
pub async fn assigned(tx: &mut Tx, team: Option<&str>) -> Result<Vec<TaskRow>, Error> {
    let sql = "SELECT * FROM review_tasks WHERE status = 'assigned'
               AND ($1 IS NULL OR queue = $1 OR 'task.' || queue = $1)
               ORDER BY priority, deadline_utc, created_at, id LIMIT 500";
    tx.all(sql, &[team.into()]).await?.iter().map(task).collect()
}

/// How many tasks each operator has in hand.
pub async fn loads(tx: &mut Tx) -> Result<BTreeMap<String, u32>, Error> {
    let sql = "SELECT assigned_to, COUNT(*) AS n FROM review_tasks
               WHERE status = 'assigned' AND assigned_to IS NOT NULL GROUP BY assigned_to";
    let one = |row: &Row| {
        let held = u32::try_from(row.get::<i64>("n")?).unwrap_or(u32::MAX);
        Ok((row.get("assigned_to")?, held))
    };
    tx.all(sql, &[]).await?.iter().map(one).collect()
}

pub async fn find(tx: &mut Tx, id: &str) -> Result<Option<TaskRow>, Error> {
    let sql = "SELECT * FROM review_tasks WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.as_ref().map(task).transpose()
}

/// Puts a task that nobody has into an operator's hands.
pub async fn give(
    decision: &mut Decision,
    id: &str,
    operator: &str,
    claimed: bool,
) -> Result<(), Error> {
    let sql = "UPDATE review_tasks SET status = 'assigned', assigned_to = $2, assigned_at = $3,
               claimed = $4, beat_at = NULL, postponed_until = NULL
               WHERE id = $1 AND status IN ('pending', 'timeout') RETURNING request_id";
    let now = decision.now;
    let args = [id.into(), operator.into(), now.into(), i64::from(claimed).into()];
    let Some(row) = decision.tx.optional(sql, &args).await? else {
        return Err(Error::conflict("task"));
    };
    let request: String = row.get("request_id")?;
    let sql = "INSERT INTO review_turns (id, task_id, operator, began_at)
               VALUES ($1, $2, $3, $4)";
    let turn = uuid::Uuid::now_v7().to_string();
    decision.tx.execute(sql, &[turn.into(), id.into(), operator.into(), now.into()]).await?;
    events::task(decision, "task.assigned", &request, id, operator);
    steps::with_task(decision, "task_assigned", &request, by(id, operator)).await
}

/// The person it is assigned to is at it.
pub async fn beat(decision: &mut Decision, id: &str, operator: &str) -> Result<(), Error> {
    let sql = "UPDATE review_tasks SET beat_at = $3, claimed = 1
               WHERE id = $1 AND status = 'assigned' AND assigned_to = $2";
    decision.tx.guarded("task", sql, &[id.into(), operator.into(), decision.now.into()]).await
}

/// How a turn ends without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Timeout,
    Released,
    Postponed(Timestamp),
    Reassigned,
}

impl Ending {
    const fn word(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Released => "released",
            Self::Postponed(_) => "postponed",
            Self::Reassigned => "reassigned",
        }
    }
}

pub(super) async fn lapse(decision: &mut Decision, id: &str, operator: &str) -> Result<(), Error> {
    take_back(decision, id, operator, Ending::Timeout).await
}

/// Takes a task out of an operator's hands.
pub async fn take_back(
    decision: &mut Decision,
    id: &str,
    operator: &str,
    ending: Ending,
) -> Result<(), Error> {
    let (status, until) = match ending {
        Ending::Timeout => (TaskState::Timeout, None),
        Ending::Released | Ending::Reassigned => (TaskState::Pending, None),
        Ending::Postponed(until) => (TaskState::Pending, Some(until)),
    };
    let sql = "UPDATE review_tasks SET status = $3, assigned_to = NULL, assigned_at = NULL,
               claimed = 0, beat_at = NULL, postponed_until = $4
               WHERE id = $1 AND status = 'assigned' AND assigned_to = $2 RETURNING request_id";
    let args = [id.into(), operator.into(), status.word().into(), until.into()];
    let Some(row) = decision.tx.optional(sql, &args).await? else {
        return Err(Error::conflict("task"));
    };
    let request: String = row.get("request_id")?;
    end_turns(decision, id, ending.word()).await?;
    let (name, line) = match ending {
        Ending::Timeout => ("task.timeout", "task_timeout"),
        Ending::Released | Ending::Postponed(_) | Ending::Reassigned => {
            ("task.released", "task_released")
        }
    };
    events::task(decision, name, &request, id, operator);
    steps::with_task(decision, line, &request, by(id, operator)).await
}

async fn end_turns(decision: &mut Decision, task: &str, ending: &'static str) -> Result<(), Error> {
    let sql = "UPDATE review_turns SET ended_at = $2, ending = $3
               WHERE task_id = $1 AND ended_at IS NULL";
    let args = [task.into(), decision.now.into(), ending.into()];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// Ends a task with what its operator said.
pub async fn complete(
    decision: &mut Decision,
    task: &TaskRow,
    operator: &str,
    output: &Json,
    ending: &'static str,
) -> Result<(), Error> {
    let sql = "UPDATE review_tasks SET status = 'completed', output_data = $3, completed_at = $4
               WHERE id = $1 AND status = 'assigned' AND assigned_to = $2";
    let id = task.id.as_str();
    let args = [id.into(), operator.into(), output.clone().into(), decision.now.into()];
    decision.tx.guarded("task", sql, &args).await?;
    end_turns(decision, id, ending).await?;
    let sql = "DELETE FROM review_drafts WHERE task_id = $1";
    decision.tx.execute(sql, &[id.into()]).await?;
    events::task(decision, "task.completed", &task.request_id, id, operator);
    steps::with_task(decision, "task_completed", &task.request_id, by(id, operator)).await
}

fn by<'a>(task: &'a str, operator: &'a str) -> About<'a> {
    About { task: Some(task), operator: Some(operator), ..About::default() }
}

/// Opens a task again for who answered it: nothing followed from the answer, and the turn goes on.
pub async fn reopen(decision: &mut Decision, id: &str, operator: &str) -> Result<(), Error> {
    let sql = "UPDATE review_tasks SET status = 'assigned', output_data = NULL,
               completed_at = NULL, claimed = 1, beat_at = $3
               WHERE id = $1 AND status = 'completed' AND assigned_to = $2 RETURNING request_id";
    let args = [id.into(), operator.into(), decision.now.into()];
    let Some(row) = decision.tx.optional(sql, &args).await? else {
        return Err(Error::conflict("task"));
    };
    let request: String = row.get("request_id")?;
    let sql = "UPDATE review_turns SET ended_at = NULL, ending = NULL
               WHERE task_id = $1 AND operator = $2 AND ending IN ('submitted', 'regrouped')";
    decision.tx.execute(sql, &[id.into(), operator.into()]).await?;
    events::task(decision, "task.assigned", &request, id, operator);
    Ok(())
}

/// What a task asks of whoever answers it.
pub(super) fn skills(required: &Json) -> Vec<String> {
    let skills = required.as_array().into_iter().flatten();
    skills.filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

/// Whether an operator let this task lapse.
pub async fn let_lapse(tx: &mut Tx, id: &str, operator: &str) -> Result<bool, Error> {
    let sql = "SELECT 1 AS one FROM review_turns WHERE task_id = $1 AND operator = $2
               AND ending = 'timeout' LIMIT 1";
    Ok(tx.optional(sql, &[id.into(), operator.into()]).await?.is_some())
}

/// Keeps what somebody has typed so far.
pub async fn keep_draft(
    decision: &mut Decision,
    id: &str,
    operator: &str,
    data: &Json,
) -> Result<(), Error> {
    let sql = "INSERT INTO review_drafts (task_id, operator, data, updated_at)
               VALUES ($1, $2, $3, $4)
               ON CONFLICT (task_id, operator) DO UPDATE SET data = excluded.data,
               updated_at = excluded.updated_at";
    let args = [id.into(), operator.into(), data.clone().into(), decision.now.into()];
    decision.tx.execute(sql, &args).await.map(drop)
}

pub async fn draft(tx: &mut Tx, id: &str, operator: &str) -> Result<Option<Json>, Error> {
    let sql = "SELECT data FROM review_drafts WHERE task_id = $1 AND operator = $2";
    let row = tx.optional(sql, &[id.into(), operator.into()]).await?;
    row.map(|row| row.get("data")).transpose()
}

/// Withdraws every open question of a request, and answers that are held.
pub async fn withdraw(decision: &mut Decision, request: &str) -> Result<(), Error> {
    decision.hold(&people_scope()).await?;
    let sql = "UPDATE review_turns SET ended_at = $2, ending = 'withdrawn'
               WHERE ended_at IS NULL AND task_id IN
               (SELECT id FROM review_tasks WHERE request_id = $1)";
    decision.tx.execute(sql, &[request.into(), decision.now.into()]).await?;
    let sql = "UPDATE review_tasks SET status = 'cancelled', completed_at = $2
               WHERE request_id = $1 AND status IN ('pending', 'assigned', 'timeout')";
    decision.tx.execute(sql, &[request.into(), decision.now.into()]).await?;
    let sql = "DELETE FROM held_answers
               WHERE task_id IN (SELECT id FROM review_tasks WHERE request_id = $1)";
    decision.tx.execute(sql, &[request.into()]).await.map(drop)
}

/// Withdraws the open questions about documents that cease to be, and answers that are held.
pub async fn withdraw_items(
    decision: &mut Decision,
    request: &str,
    items: &[String],
) -> Result<(), Error> {
    let items = Rows::of(&["item"], items);
    let args = [request.into(), decision.now.into()];
    let sql = "UPDATE review_turns SET ended_at = $2, ending = 'withdrawn'
               WHERE ended_at IS NULL AND task_id IN (SELECT id FROM review_tasks
               WHERE request_id = $1 AND item IN (SELECT item FROM ROWS))";
    decision.tx.each(sql, &args, &items).await?;
    let sql = "UPDATE review_tasks SET status = 'cancelled', completed_at = $2
               WHERE request_id = $1 AND status IN ('pending', 'assigned', 'timeout')
               AND item IN (SELECT v.item FROM ROWS)";
    decision.tx.each(sql, &args, &items).await?;
    let sql = "DELETE FROM held_answers WHERE task_id IN (SELECT id FROM review_tasks
               WHERE request_id = $1 AND item IN (SELECT item FROM ROWS))";
    decision.tx.each(sql, &args[..1], &items).await.map(drop)
}

pub(super) fn task(row: &Row) -> Result<TaskRow, Error> {
    Ok(TaskRow {
        id: row.get("id")?,
        request_id: row.get("request_id")?,
        task_type: row.get("task_type")?,
        run: row.get("run")?,
        item: Item::from_key(&row.get::<String>("item")?),
        stage_at: row.get::<i64>("stage_at")? as i32,
        status: row.word("status", TaskState::from_word)?,
        priority: row.get("priority")?,
        assigned_to: row.maybe("assigned_to")?,
        assigned_at: row.maybe("assigned_at")?,
        claimed: row.get::<i64>("claimed")? != 0,
        beat_at: row.maybe("beat_at")?,
        postponed_until: row.maybe("postponed_until")?,
        completed_at: row.maybe("completed_at")?,
        created_at: row.get("created_at")?,
        deadline: row.get("deadline_utc")?,
        required_skills: row.get("required_skills")?,
        input_data: row.get("input_data")?,
        source_stage: row.get("source_stage")?,
        workflow_name: row.get("workflow_name")?,
        queue: row.get("queue")?,
    })
}

impl TaskRow {
    pub fn skills(&self) -> Vec<String> {
        skills(&self.required_skills)
    }

    pub fn is_open(&self) -> bool {
        match self.status {
            TaskState::Pending | TaskState::Assigned | TaskState::Timeout => true,
            TaskState::Completed | TaskState::Cancelled => false,
        }
    }

    /// When its holder last gave a sign about it.
    pub fn heard(&self) -> Option<Timestamp> {
        self.assigned_at.max(self.beat_at)
    }

    /// Whether this operator has it in hand.
    pub fn is_with(&self, operator: &str) -> bool {
        self.status == TaskState::Assigned && self.assigned_to.as_deref() == Some(operator)
    }
}
