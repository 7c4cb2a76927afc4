//! Rows of holiday calendars.

use std::collections::BTreeSet;

use db::{Error, Row, Tx};
use jiff::civil::Date;
use serde_json::{Value as Json, json};

use crate::model::{Calendar, CalendarId};

fn read(row: &Row) -> Result<Calendar, Error> {
    let holidays: Json = row.get("holidays")?;
    let dates = holidays.as_array().ok_or_else(|| Error::corrupt("holidays"))?;
    let date = |one: &Json| one.as_str().and_then(|text| text.parse::<Date>().ok());
    let holidays: Option<BTreeSet<Date>> = dates.iter().map(date).collect();
    Ok(Calendar {
        id: CalendarId(row.get("id")?),
        name: row.get("name")?,
        holidays: holidays.ok_or_else(|| Error::corrupt("holidays"))?,
        version: row.get("version")?,
    })
}

fn dates(calendar: &Calendar) -> Json {
    json!(calendar.holidays.iter().map(ToString::to_string).collect::<Vec<_>>())
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Calendar>, Error> {
    let sql = "SELECT id, name, holidays, version FROM calendars ORDER BY name, id";
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: CalendarId) -> Result<Option<Calendar>, Error> {
    let sql = "SELECT id, name, holidays, version FROM calendars WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<Calendar>, Error> {
    let sql = "SELECT id, name, holidays, version FROM calendars WHERE name = $1";
    tx.optional(sql, &[name.into()]).await?.as_ref().map(read).transpose()
}

pub async fn insert(tx: &mut Tx, calendar: &Calendar) -> Result<CalendarId, Error> {
    let sql = "INSERT INTO calendars (name, holidays) VALUES ($1, $2) RETURNING id";
    let args = [calendar.name.as_str().into(), dates(calendar).into()];
    Ok(CalendarId(tx.one(sql, &args).await?.get("id")?))
}

pub async fn update(tx: &mut Tx, calendar: &Calendar) -> Result<(), Error> {
    let sql = "UPDATE calendars SET name = $1, holidays = $2, version = version + 1
               WHERE id = $3 AND version = $4";
    let args = [
        calendar.name.as_str().into(),
        dates(calendar).into(),
        calendar.id.into(),
        calendar.version.into(),
    ];
    tx.guarded("the calendar changed meanwhile", sql, &args).await
}

pub async fn in_use(tx: &mut Tx, id: CalendarId) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM schedules WHERE calendar_id = $1) AS used";
    tx.one(sql, &[id.into()]).await?.get("used")
}

pub async fn remove(tx: &mut Tx, id: CalendarId) -> Result<(), Error> {
    tx.guarded("the calendar is gone", "DELETE FROM calendars WHERE id = $1", &[id.into()]).await
}
