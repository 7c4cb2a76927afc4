//! *Mapeos*: what others call our robots (§4.5.2). The only resolution of names there is.

use db::{Error, Row, Tx};
use jiff::Timestamp;

use crate::model::RobotId;

#[derive(Debug, Clone)]
pub struct Mapping {
    pub id: i64,
    pub provider: String,
    pub external_name: String,
    pub robot: RobotId,
    pub description: Option<String>,
    pub created_at: Timestamp,
}

fn read(row: &Row) -> Result<Mapping, Error> {
    Ok(Mapping {
        id: row.get("id")?,
        provider: row.get("provider")?,
        external_name: row.get("external_name")?,
        robot: RobotId(row.get("robot_id")?),
        description: row.maybe("description")?,
        created_at: row.get("created_at")?,
    })
}

const SELECT: &str =
    "SELECT id, provider, external_name, robot_id, description, created_at FROM mappings";

/// Whom the names of one provider mean.
pub async fn of_provider(
    tx: &mut Tx,
    provider: &str,
) -> Result<std::collections::BTreeMap<String, RobotId>, Error> {
    let sql = "SELECT external_name, robot_id FROM mappings WHERE provider = $1";
    let rows = tx.all(sql, &[provider.into()]).await?;
    rows.iter()
        .map(|row| {
            let name: String = row.get("external_name")?;
            Ok((name.trim().to_owned(), RobotId(row.get("robot_id")?)))
        })
        .collect()
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Mapping>, Error> {
    let sql = db::trusted(format!("{SELECT} ORDER BY provider, external_name LIMIT 10000"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: i64) -> Result<Option<Mapping>, Error> {
    let sql = db::trusted(format!("{SELECT} WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn of(tx: &mut Tx, provider: &str, name: &str) -> Result<Option<Mapping>, Error> {
    let sql = db::trusted(format!("{SELECT} WHERE provider = $1 AND external_name = $2"));
    tx.optional(sql, &[provider.into(), name.into()]).await?.as_ref().map(read).transpose()
}

/// The robot a provider means: by mapping, else by our own name.
pub async fn resolve(tx: &mut Tx, provider: &str, name: &str) -> Result<Option<RobotId>, Error> {
    if let Some(mapping) = of(tx, provider, name.trim()).await? {
        return Ok(Some(mapping.robot));
    }
    Ok(super::robots::by_name(tx, name.trim()).await?.map(|robot| robot.id))
}

pub async fn insert(tx: &mut Tx, mapping: &Mapping) -> Result<i64, Error> {
    let sql = "INSERT INTO mappings (provider, external_name, robot_id, description, created_at)
               VALUES ($1, $2, $3, $4, $5) RETURNING id";
    let args = [
        mapping.provider.as_str().into(),
        mapping.external_name.as_str().into(),
        mapping.robot.into(),
        mapping.description.clone().into(),
        mapping.created_at.into(),
    ];
    tx.one(sql, &args).await?.get("id")
}

pub async fn update(tx: &mut Tx, mapping: &Mapping) -> Result<(), Error> {
    let sql = "UPDATE mappings SET provider = $2, external_name = $3, robot_id = $4,
                 description = $5 WHERE id = $1";
    let args = [
        mapping.id.into(),
        mapping.provider.as_str().into(),
        mapping.external_name.as_str().into(),
        mapping.robot.into(),
        mapping.description.clone().into(),
    ];
    tx.guarded("the mapping is gone", sql, &args).await
}

pub async fn remove(tx: &mut Tx, id: i64) -> Result<(), Error> {
    tx.guarded("the mapping is gone", "DELETE FROM mappings WHERE id = $1", &[id.into()]).await
}
