//! Schedules: their dates and hours as columns.

use db::{Error, Row, Rows, Tx, Value};
use engine::Word as _;
use jiff::{
    SignedDuration,
    civil::{Date, Time},
};

use crate::model::{CalendarId, Days, Pace, RobotId, Schedule, ScheduleId, Weekdays};

const COLUMNS: &str = "id, robot_id, kind, start_time, tolerance_minutes, weekdays, day, from_day, \
                       to_day, last_days, on_date, cyclic, end_time, interval_minutes, \
                       valid_from, valid_to, active, calendar_id, created_at, timed_at, version";

pub fn read(row: &Row) -> Result<Schedule, Error> {
    Ok(Schedule {
        id: ScheduleId(row.get("id")?),
        robot: RobotId(row.get("robot_id")?),
        days: days(row)?,
        pace: pace(row)?,
        start: parsed(row, "start_time")?.ok_or_else(|| Error::corrupt("start_time is NULL"))?,
        valid_from: parsed(row, "valid_from")?,
        valid_to: parsed(row, "valid_to")?,
        active: row.get("active")?,
        calendar: row.maybe("calendar_id")?.map(CalendarId),
        created_at: row.get("created_at")?,
        timed_at: match row.maybe("timed_at")? {
            Some(at) => at,
            None => row.get("created_at")?,
        },
        version: row.get("version")?,
    })
}

fn days(row: &Row) -> Result<Days, Error> {
    let day = |name: &str| -> Result<Option<i8>, Error> {
        let number: Option<i64> = row.maybe(name)?;
        number.map(|n| i8::try_from(n).map_err(|_| Error::corrupt(name))).transpose()
    };
    let needed = |name: &'static str| day(name)?.ok_or_else(|| Error::corrupt(name));
    let word: String = row.get("kind")?;
    Ok(match word.as_str() {
        "Diaria" => Days::Daily,
        "Semanal" => {
            let words: String = row.get("weekdays")?;
            let known = words.split(',').map(Weekdays::day);
            let known: Option<Vec<_>> = known.collect();
            Days::Weekly(Weekdays::of(known.ok_or_else(|| Error::corrupt("weekdays"))?))
        }
        "Mensual" => Days::Monthly { day: needed("day")? },
        "RangoMensual" => match day("last_days")? {
            Some(last) => Days::MonthEnd { last },
            None => Days::MonthRange { from: needed("from_day")?, to: needed("to_day")? },
        },
        "Especifica" => {
            let date: Option<Date> = parsed(row, "on_date")?;
            Days::Once(date.ok_or_else(|| Error::corrupt("on_date"))?)
        }
        other => return Err(Error::corrupt(format!("kind = {other:?}"))),
    })
}

fn pace(row: &Row) -> Result<Pace, Error> {
    let end: Option<Time> = parsed(row, "end_time")?;
    let cyclic: bool = row.get("cyclic")?;
    Ok(if cyclic {
        let minutes: Option<i64> = row.maybe("interval_minutes")?;
        Pace::Cyclic { end, interval: minutes.map(SignedDuration::from_mins) }
    } else {
        let tolerance = SignedDuration::from_mins(row.get("tolerance_minutes")?);
        Pace::Single { tolerance, end }
    })
}

fn parsed<T: std::str::FromStr>(row: &Row, name: &str) -> Result<Option<T>, Error> {
    let text: Option<String> = row.maybe(name)?;
    text.map(|text| text.parse().map_err(|_| Error::corrupt(format!("{name} = {text:?}"))))
        .transpose()
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Schedule>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM schedules ORDER BY id"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: ScheduleId) -> Result<Option<Schedule>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM schedules WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// The active schedules of a robot.
pub async fn active_of(tx: &mut Tx, robot: RobotId) -> Result<i64, Error> {
    let sql = "SELECT COUNT(*) AS n FROM schedules WHERE robot_id = $1 AND active";
    tx.one(sql, &[robot.into()]).await?.get("n")
}

pub async fn insert(tx: &mut Tx, schedule: &Schedule) -> Result<ScheduleId, Error> {
    let sql = "INSERT INTO schedules (kind, start_time, tolerance_minutes, weekdays, day, from_day,
                 to_day, last_days, on_date, cyclic, end_time, interval_minutes, valid_from,
                 valid_to, active, calendar_id, timed_at, robot_id, created_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                 $18, $19) RETURNING id";
    let mut args = columns(schedule);
    args.extend([schedule.robot.into(), schedule.created_at.into()]);
    Ok(ScheduleId(tx.one(sql, &args).await?.get("id")?))
}

/// Many at once, with their numbers in the same order.
pub async fn insert_all(tx: &mut Tx, all: &[&Schedule]) -> Result<Vec<ScheduleId>, Error> {
    let mut rows = Rows::new(db::columns![kind start_time tolerance_minutes weekdays day from_day
        to_day last_days on_date cyclic end_time interval_minutes valid_from valid_to active
        calendar_id timed_at robot_id created_at n]);
    for (n, schedule) in (0_i64..).zip(all) {
        let mut values = columns(schedule);
        values.extend([schedule.robot.into(), schedule.created_at.into(), n.into()]);
        let values: Result<[Value; 20], _> = values.try_into();
        rows.push(values.map_err(|_| Error::corrupt("a value per column"))?);
    }
    // Numbers are given in the order of the rows; in which they are told is left open.
    let sql = "INSERT INTO schedules (kind, start_time, tolerance_minutes, weekdays, day, from_day,
                 to_day, last_days, on_date, cyclic, end_time, interval_minutes, valid_from,
                 valid_to, active, calendar_id, timed_at, robot_id, created_at)
               SELECT v.kind, v.start_time, v.tolerance_minutes, v.weekdays, v.day, v.from_day,
                 v.to_day, v.last_days, v.on_date, v.cyclic, v.end_time, v.interval_minutes,
                 v.valid_from, v.valid_to, v.active, v.calendar_id, v.timed_at, v.robot_id,
                 v.created_at FROM ROWS ORDER BY v.n RETURNING id";
    let found = tx.all_of(sql, &[], &rows).await?;
    let mut ids = found.iter().map(|row| row.get("id")).collect::<Result<Vec<i64>, _>>()?;
    ids.sort_unstable();
    Ok(ids.into_iter().map(ScheduleId).collect())
}

pub async fn update(tx: &mut Tx, schedule: &Schedule) -> Result<(), Error> {
    let sql = "UPDATE schedules SET kind = $1, start_time = $2, tolerance_minutes = $3,
                 weekdays = $4, day = $5, from_day = $6, to_day = $7, last_days = $8, on_date = $9,
                 cyclic = $10, end_time = $11, interval_minutes = $12, valid_from = $13,
                 valid_to = $14, active = $15, calendar_id = $16, timed_at = $17,
                 version = version + 1 WHERE id = $18 AND version = $19";
    let mut args = columns(schedule);
    args.extend([schedule.id.into(), schedule.version.into()]);
    tx.guarded("the schedule changed meanwhile", sql, &args).await
}

/// With its assignments and what is known of its slots; its runs stay.
pub async fn remove(tx: &mut Tx, id: ScheduleId) -> Result<(), Error> {
    tx.execute("DELETE FROM assignments WHERE schedule_id = $1", &[id.into()]).await?;
    tx.execute("DELETE FROM slots WHERE schedule_id = $1", &[id.into()]).await?;
    tx.guarded("the schedule is gone", "DELETE FROM schedules WHERE id = $1", &[id.into()]).await
}

fn columns(schedule: &Schedule) -> Vec<Value> {
    let day = |day: i8| Some(i64::from(day));
    let (mut weekdays, mut on, mut of) = (None, None, [None; 4]);
    match &schedule.days {
        Days::Daily => {}
        Days::Weekly(days) => weekdays = Some(days.words().join(",")),
        Days::Monthly { day: one } => of[0] = day(*one),
        Days::MonthRange { from, to } => (of[1], of[2]) = (day(*from), day(*to)),
        Days::MonthEnd { last } => of[3] = day(*last),
        Days::Once(date) => on = Some(date.to_string()),
    }
    let (tolerance, cyclic, end, interval) = match schedule.pace {
        Pace::Single { tolerance, end } => (tolerance.as_mins(), false, end, None),
        Pace::Cyclic { end, interval } => (0, true, end, interval.map(|one| one.as_mins())),
    };
    vec![
        schedule.days.kind().word().into(),
        schedule.start.to_string().into(),
        tolerance.into(),
        weekdays.into(),
        of[0].into(),
        of[1].into(),
        of[2].into(),
        of[3].into(),
        on.into(),
        cyclic.into(),
        end.map(|end| end.to_string()).into(),
        interval.into(),
        schedule.valid_from.map(|date| date.to_string()).into(),
        schedule.valid_to.map(|date| date.to_string()).into(),
        schedule.active.into(),
        schedule.calendar.map(|calendar| calendar.0).into(),
        schedule.timed_at.into(),
    ]
}
