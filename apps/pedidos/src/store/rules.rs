//! *Capacidad por horarios* in the database.

use db::{Error, Row, Tx, Value};
use jiff::civil::{Date, Time};

use crate::rules::timetable::CapacityRule;

const LISTED: i64 = 500;

/// Every rule, with the version each has now.
pub async fn all_versions(tx: &mut Tx) -> Result<Vec<(CapacityRule, i64)>, Error> {
    let sql = "SELECT * FROM capacity_rules ORDER BY weekday, from_time, id LIMIT $1";
    let rows = tx.all(sql, &[LISTED.into()]).await?;
    rows.iter().map(|row| Ok((rule(row)?, row.get("version")?))).collect()
}

pub async fn all(tx: &mut Tx) -> Result<Vec<CapacityRule>, Error> {
    Ok(all_versions(tx).await?.into_iter().map(|(rule, _)| rule).collect())
}

pub async fn insert(tx: &mut Tx, rule: &CapacityRule) -> Result<i64, Error> {
    let sql = "INSERT INTO capacity_rules (weekday, from_time, to_time, staff, capacity, note,
               valid_from, valid_to) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id";
    tx.one(sql, &fields(rule)).await?.get("id")
}

pub async fn update(tx: &mut Tx, rule: &CapacityRule, version: i64) -> Result<(), Error> {
    let sql = "UPDATE capacity_rules SET weekday = $1, from_time = $2, to_time = $3, staff = $4,
               capacity = $5, note = $6, valid_from = $7, valid_to = $8, version = version + 1
               WHERE id = $9 AND version = $10";
    let mut args = fields(rule).to_vec();
    args.extend([rule.id.into(), version.into()]);
    tx.guarded("capacity rule", sql, &args).await
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<bool, Error> {
    Ok(tx.execute("DELETE FROM capacity_rules WHERE id = $1", &[id.into()]).await? == 1)
}

fn fields(rule: &CapacityRule) -> [Value; 8] {
    [
        rule.weekday.map(i64::from).into(),
        rule.from.strftime("%H:%M").to_string().into(),
        rule.to.strftime("%H:%M").to_string().into(),
        rule.staff.into(),
        rule.capacity.into(),
        rule.note.clone().into(),
        rule.valid_from.map(|date| date.to_string()).into(),
        rule.valid_to.map(|date| date.to_string()).into(),
    ]
}

fn rule(row: &Row) -> Result<CapacityRule, Error> {
    let time = |name: &str| row.word(name, |text| text.parse::<Time>().ok());
    let date = |name: &str| -> Result<Option<Date>, Error> {
        let text: Option<String> = row.maybe(name)?;
        text.map(|text| text.parse().map_err(|_| Error::corrupt(name))).transpose()
    };
    let weekday: Option<i64> = row.maybe("weekday")?;
    let staff: Option<i64> = row.maybe("staff")?;
    Ok(CapacityRule {
        id: row.get("id")?,
        weekday: weekday.map(|day| day as i8),
        from: time("from_time")?,
        to: time("to_time")?,
        staff: staff.map(|staff| staff as u32),
        capacity: row.get::<i64>("capacity")? as u32,
        note: row.maybe("note")?,
        valid_from: date("valid_from")?,
        valid_to: date("valid_to")?,
    })
}
