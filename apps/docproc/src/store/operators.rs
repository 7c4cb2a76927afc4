//! *Operadores* (§4.1, §14.3): who they are, and when anything was last heard of them.

use db::{Decision, Error, Row, Tx};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::rules::{assign::Operator, shift::Shift};

#[derive(Clone, Debug)]
pub struct OperatorRow {
    pub username: String,
    pub display_name: String,
    pub skills: Vec<String>,
    pub shifts: Vec<Shift>,
    pub active: bool,
    pub seen_at: Option<Timestamp>,
    pub lapsed_at: Option<Timestamp>,
    pub given_at: Option<Timestamp>,
    pub version: i64,
    pub created_at: Timestamp,
}

impl OperatorRow {
    pub fn for_rules(&self) -> Operator {
        Operator {
            username: self.username.clone(),
            skills: self.skills.clone(),
            shifts: self.shifts.clone(),
            active: self.active,
            seen_at: self.seen_at,
            lapsed_at: self.lapsed_at,
            given_at: self.given_at,
        }
    }
}

/// More than any house has; the planner looks at all of them.
const MOST: i64 = 5_000;

pub async fn all(tx: &mut Tx) -> Result<Vec<OperatorRow>, Error> {
    let sql = "SELECT * FROM operators ORDER BY username LIMIT $1";
    tx.all(sql, &[MOST.into()]).await?.iter().map(operator).collect()
}

pub async fn find(tx: &mut Tx, username: &str) -> Result<Option<OperatorRow>, Error> {
    let sql = "SELECT * FROM operators WHERE username = $1";
    tx.optional(sql, &[username.into()]).await?.as_ref().map(operator).transpose()
}

/// Registers or rewrites an operator. Whoever was just registered counts as there.
pub async fn put(decision: &mut Decision, row: &OperatorRow) -> Result<(), Error> {
    let sql = "INSERT INTO operators (username, display_name, skills, shifts, is_active, seen_at,
               version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $6, $6)
               ON CONFLICT (username) DO UPDATE SET display_name = excluded.display_name,
               skills = excluded.skills, shifts = excluded.shifts,
               is_active = excluded.is_active, version = excluded.version,
               seen_at = excluded.seen_at, updated_at = excluded.updated_at";
    let shifts =
        serde_json::to_value(&row.shifts).map_err(|error| Error::corrupt(error.to_string()))?;
    let args = [
        row.username.as_str().into(),
        row.display_name.as_str().into(),
        json!(row.skills).into(),
        shifts.into(),
        i64::from(row.active).into(),
        decision.now.into(),
        row.version.into(),
    ];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// Something was heard of an operator; of a name without a profile there is nothing to keep.
pub async fn heard(decision: &mut Decision, username: &str) -> Result<(), Error> {
    let sql = "UPDATE operators SET seen_at = $2 WHERE username = $1";
    decision.tx.execute(sql, &[username.into(), decision.now.into()]).await.map(drop)
}

pub(super) async fn lapsed(decision: &mut Decision, username: &str) -> Result<(), Error> {
    let sql = "UPDATE operators SET lapsed_at = $2 WHERE username = $1";
    decision.tx.execute(sql, &[username.into(), decision.now.into()]).await.map(drop)
}

pub(super) async fn given(decision: &mut Decision, username: &str) -> Result<(), Error> {
    let sql = "UPDATE operators SET given_at = $2 WHERE username = $1";
    decision.tx.execute(sql, &[username.into(), decision.now.into()]).await.map(drop)
}

fn operator(row: &Row) -> Result<OperatorRow, Error> {
    let read = |name: &str| row.get::<Json>(name);
    let corrupt = |error: serde_json::Error| Error::corrupt(format!("operators: {error}"));
    Ok(OperatorRow {
        username: row.get("username")?,
        display_name: row.get("display_name")?,
        skills: serde_json::from_value(read("skills")?).map_err(corrupt)?,
        shifts: serde_json::from_value(read("shifts")?).map_err(corrupt)?,
        active: row.get::<i64>("is_active")? != 0,
        seen_at: row.maybe("seen_at")?,
        lapsed_at: row.maybe("lapsed_at")?,
        given_at: row.maybe("given_at")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
    })
}
