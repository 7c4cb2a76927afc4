//! The OIDs a house adds to the shipped ones.

use db::{Error, Row, Tx, Value};
use engine::Word as _;

use crate::model::{CatalogueEntry, CatalogueId, Oid, Space};

fn read(row: &Row) -> Result<CatalogueEntry, Error> {
    Ok(CatalogueEntry {
        id: CatalogueId(row.get("id")?),
        name: row.get("name")?,
        oid: row.word("oid", |text| text.parse::<Oid>().ok())?,
        brand: row.maybe("brand")?,
        model: row.maybe("model")?,
        space: row.word("space", Space::from_word)?,
        keep_previous: row.get("keep_previous")?,
        format_mac: row.get("format_mac")?,
        source: None,
        unit: None,
    })
}

pub async fn all(tx: &mut Tx) -> Result<Vec<CatalogueEntry>, Error> {
    let sql = "SELECT id, name, oid, brand, model, space, keep_previous, format_mac FROM catalogue
               ORDER BY id";
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

fn columns(entry: &CatalogueEntry) -> Vec<Value> {
    vec![
        entry.name.as_str().into(),
        entry.oid.to_string().into(),
        entry.brand.clone().into(),
        entry.model.clone().into(),
        entry.space.word().into(),
        entry.keep_previous.into(),
        entry.format_mac.into(),
    ]
}

pub async fn insert(tx: &mut Tx, entry: &CatalogueEntry) -> Result<CatalogueId, Error> {
    let sql = "INSERT INTO catalogue (name, oid, brand, model, space, keep_previous, format_mac)
               VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
    Ok(CatalogueId(tx.one(sql, &columns(entry)).await?.get("id")?))
}

pub async fn update(tx: &mut Tx, entry: &CatalogueEntry) -> Result<(), Error> {
    let sql = "UPDATE catalogue SET name = $1, oid = $2, brand = $3, model = $4, space = $5,
                 keep_previous = $6, format_mac = $7, version = version + 1 WHERE id = $8";
    let mut args = columns(entry);
    args.push(entry.id.into());
    tx.guarded("the OID is gone", sql, &args).await
}

pub async fn remove(tx: &mut Tx, id: CatalogueId) -> Result<(), Error> {
    tx.guarded("the OID is gone", "DELETE FROM catalogue WHERE id = $1", &[id.into()]).await
}
