//! ONUs: only what changed is written, many at once. An ONU that is present was last seen when its
//! OLT was last walked, so a walk that brings no news writes nothing.

use db::{Error, Row, Rows, Tx, Value, trusted};
use engine::Word as _;
use jiff::Timestamp;

use crate::{
    model::{Column, Inventory, OltId, Onu, OnuId, Presence, RunId, SlotPort},
    rules::inventory::{Change, Known},
};

const COLUMNS: &str = "u.id, u.olt_id, u.raw_index, u.slot, u.port, u.logical, u.state, \
     u.presence, u.misses, u.seen_at, u.description, u.mac, u.plan, u.distance, u.model, \
     u.serial, u.subscriber, o.walked_at";

fn read(row: &Row) -> Result<Onu, Error> {
    let small = |name: &str| {
        let number: Option<i64> = row.maybe(name)?;
        Ok::<_, Error>(number.and_then(|number| u32::try_from(number).ok()))
    };
    let place = small("slot")?.zip(small("port")?);
    let logical = small("logical")?;
    let presence = row.word("presence", Presence::from_word)?;
    let (seen, walked): (Timestamp, Option<Timestamp>) =
        (row.get("seen_at")?, row.maybe("walked_at")?);
    Ok(Onu {
        id: OnuId(row.get("id")?),
        olt: OltId(row.get("olt_id")?),
        raw_index: row.get("raw_index")?,
        place: place.map(|(slot, port)| SlotPort { slot, port, logical }),
        presence,
        misses: small("misses")?.unwrap_or(0),
        state: row.maybe("state")?,
        last_seen_at: match presence {
            Presence::Enabled => walked.or(Some(seen)),
            Presence::Disabled => Some(seen),
        },
        inventory: Inventory {
            description: row.maybe("description")?,
            mac: row.maybe("mac")?,
            plan: row.maybe("plan")?,
            distance: row.maybe("distance")?,
            model: row.maybe("model")?,
            serial: row.maybe("serial")?,
            subscriber: row.maybe("subscriber")?,
        },
    })
}

/// What can be asked about ONUs.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub olt: Option<OltId>,
    pub presence: Option<Presence>,
    /// Part of its index, serial, MAC, subscriber or description.
    pub part: Option<String>,
    pub after: Option<OnuId>,
}

/// Where an ONU stands: by its place, those without one last and as they were found.
const PLACE: &str = "COALESCE(u.slot, 4294967296), COALESCE(u.port, 0), \
     COALESCE(u.logical, -1), u.id";

pub async fn list(tx: &mut Tx, filter: &Filter, limit: i64) -> Result<Vec<Onu>, Error> {
    listed(tx, filter, "u.id > $4", "u.id", limit).await
}

/// The same in the order of their places, 1/1/2 before 1/1/10, after the one that was shown last.
pub async fn by_place(tx: &mut Tx, filter: &Filter, limit: i64) -> Result<Vec<Onu>, Error> {
    let after = format!("({PLACE}) > (SELECT {PLACE} FROM onus u WHERE u.id = $4)");
    listed(tx, filter, &after, PLACE, limit).await
}

async fn listed(
    tx: &mut Tx,
    filter: &Filter,
    after: &str,
    order: &str,
    limit: i64,
) -> Result<Vec<Onu>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM onus u JOIN olts o ON o.id = u.olt_id
         WHERE o.deleted_at IS NULL AND ($1 IS NULL OR u.olt_id = $1)
           AND ($2 IS NULL OR u.presence = $2)
           AND ($3 IS NULL OR LOWER(u.raw_index) LIKE $3 OR LOWER(u.serial) LIKE $3
             OR LOWER(u.mac) LIKE $3 OR LOWER(u.subscriber) LIKE $3
             OR LOWER(u.description) LIKE $3)
           AND ($4 IS NULL OR {after}) ORDER BY {order} LIMIT $5"
    ));
    let part = filter.part.as_ref().map(|part| format!("%{}%", part.to_lowercase()));
    let args: [Value; 5] = [
        filter.olt.map(|id| id.0).into(),
        filter.presence.map(Presence::word).into(),
        part.into(),
        filter.after.map(|id| id.0).into(),
        limit.into(),
    ];
    tx.all(sql, &args).await?.iter().map(read).collect()
}

/// Present and gone ones of an OLT.
pub async fn count(tx: &mut Tx, olt: OltId) -> Result<(i64, i64), Error> {
    let sql = "SELECT COUNT(*) AS all_of_them,
                 COALESCE(SUM(CASE WHEN presence = 'ENABLED' THEN 1 ELSE 0 END), 0) AS present
               FROM onus WHERE olt_id = $1";
    let row = tx.one(sql, &[olt.into()]).await?;
    let (all, present): (i64, i64) = (row.get("all_of_them")?, row.get("present")?);
    Ok((present, all - present))
}

/// What a walk is compared with.
pub async fn known(tx: &mut Tx, olt: OltId) -> Result<Vec<Known>, Error> {
    let sql = "SELECT id, raw_index, presence, misses, state FROM onus WHERE olt_id = $1";
    let rows = tx.all(sql, &[olt.into()]).await?;
    rows.iter()
        .map(|row| {
            let misses: i64 = row.get("misses")?;
            Ok(Known {
                onu: OnuId(row.get("id")?),
                raw_index: row.get("raw_index")?,
                presence: row.word("presence", Presence::from_word)?,
                misses: u32::try_from(misses).unwrap_or(u32::MAX),
                state: row.maybe("state")?,
            })
        })
        .collect()
}

/// Present ones of an OLT, with what a column says of them now.
pub async fn asked(
    tx: &mut Tx,
    olt: OltId,
    column: Option<Column>,
) -> Result<Vec<(OnuId, String, Option<String>)>, Error> {
    let name = column.map_or("NULL", name);
    let sql = trusted(format!(
        "SELECT id, raw_index, {name} AS value FROM onus
         WHERE olt_id = $1 AND presence = 'ENABLED' ORDER BY id"
    ));
    let rows = tx.all(sql, &[olt.into()]).await?;
    rows.iter()
        .map(|row| Ok((OnuId(row.get("id")?), row.get("raw_index")?, row.maybe("value")?)))
        .collect()
}

const fn name(column: Column) -> &'static str {
    match column {
        Column::Description => "description",
        Column::Mac => "mac",
        Column::Plan => "plan",
        Column::Distance => "distance",
        Column::Model => "model",
        Column::Serial => "serial",
        Column::Subscriber => "subscriber",
    }
}

/// Writes what a believed walk changed.
pub async fn apply(
    tx: &mut Tx,
    olt: OltId,
    run: RunId,
    changes: &[Change],
    now: Timestamp,
) -> Result<(), Error> {
    let mut new = Rows::new(&["raw_index", "slot", "port", "logical", "state"]);
    let mut seen = Rows::new(&["id", "state"]);
    let mut back = Rows::new(&["id", "state"]);
    let mut missed = Rows::new(&["id", "misses", "presence"]);
    for change in changes {
        match change {
            Change::New { raw_index, place, state } => {
                let part = |of: fn(&SlotPort) -> Option<u32>| {
                    Value::from(place.as_ref().and_then(of).map(i64::from))
                };
                new.push([
                    raw_index.as_str().into(),
                    part(|place| Some(place.slot)),
                    part(|place| Some(place.port)),
                    part(|place| place.logical),
                    (*state).into(),
                ]);
            }
            Change::Seen { changed: false, .. } => {}
            Change::Seen { onu, state, changed: true } => {
                seen.push([(*onu).into(), (*state).into()]);
            }
            Change::Back { onu, state } => back.push([(*onu).into(), (*state).into()]),
            Change::Missed { onu, misses } => {
                missed.push([(*onu).into(), i64::from(*misses).into(), "ENABLED".into()]);
            }
            Change::Gone { onu, misses } => {
                missed.push([(*onu).into(), i64::from(*misses).into(), "DISABLED".into()]);
            }
        }
    }
    let args: [Value; 3] = [olt.into(), run.into(), now.into()];
    let sql = "INSERT INTO onus (olt_id, raw_index, slot, port, logical, state, presence,
                 seen_at, changed_at, changed_run)
               SELECT $1, v.raw_index, v.slot, v.port, v.logical, v.state, 'ENABLED', $3, $3, $2
               FROM ROWS";
    tx.each(sql, &args, &new).await?;
    let args: [Value; 2] = [run.into(), now.into()];
    let sql = "UPDATE onus SET state = v.state, misses = 0, seen_at = $2, changed_at = $2,
                 changed_run = $1 FROM ROWS WHERE onus.id = v.id AND onus.presence = 'ENABLED'";
    tx.each(sql, &args, &seen).await?;
    // It may be another customer's now: what was known is forgotten, all but the description.
    let sql = "DELETE FROM onu_readings WHERE onu_id IN (SELECT v.id FROM ROWS)";
    tx.each(sql, &[], &back).await?;
    let sql = "UPDATE onus SET state = v.state, presence = 'ENABLED', misses = 0, seen_at = $2,
                 changed_at = $2, changed_run = $1, serial = NULL, mac = NULL, subscriber = NULL,
                 distance = NULL, model = NULL, plan = NULL
               FROM ROWS WHERE onus.id = v.id AND onus.presence = 'DISABLED'";
    tx.each(sql, &args, &back).await?;
    let sql = "UPDATE onus SET misses = v.misses, presence = v.presence,
                 changed_at = CASE WHEN v.presence = onus.presence THEN changed_at ELSE $2 END,
                 changed_run = CASE WHEN v.presence = onus.presence THEN changed_run ELSE $1 END
               FROM ROWS WHERE onus.id = v.id AND onus.presence = 'ENABLED'";
    tx.each(sql, &args, &missed).await?;
    // Who was missed before and is here again.
    let again = changes.iter().filter_map(|change| match change {
        Change::Seen { onu, changed: false, .. } => Some(*onu),
        _ => None,
    });
    let again = Rows::of(&["id"], again);
    let sql = "UPDATE onus SET misses = 0 FROM ROWS WHERE onus.id = v.id AND onus.misses > 0";
    tx.each(sql, &[], &again).await.map(drop)
}

/// Writes the values of a column that are new.
pub async fn write(
    tx: &mut Tx,
    column: Column,
    values: &[(OnuId, Option<String>)],
) -> Result<(), Error> {
    let mut rows = Rows::new(&["id", "value"]);
    for (onu, value) in values {
        rows.push([(*onu).into(), value.clone().into()]);
    }
    let name = name(column);
    let sql = format!("UPDATE onus SET {name} = v.value FROM ROWS WHERE onus.id = v.id");
    tx.each(&sql, &[], &rows).await.map(drop)
}
