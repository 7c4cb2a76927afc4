//! *Memoria de emisores*: the layouts that people taught, and this process's copy of them.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use db::{Decision, Error, Row, Tx};
use jiff::Timestamp;
use page::PageText;
use understand::extract::memory::Layout;

use super::pages::page_text;

/// Vendors that are remembered for whoever sends, and for the whole house. Beyond it the one that
/// was of no use for longest is forgotten.
const MOST_OF_OWNER: i64 = 500;
const MOST: i64 = 2_000;
/// Pages of a document that are learnt from: what stands further back has no place of its own.
const MOST_PAGES: u32 = 12;

/// Whose documents of which type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shelf {
    pub owner: String,
    pub workflow: String,
    pub doc_type: String,
}

#[derive(Clone, Debug)]
pub struct LayoutRow {
    pub id: String,
    pub shelf: Shelf,
    pub vendor: String,
    pub layout: Layout,
    pub version: i64,
    pub documents: i64,
    /// Recalled values that people looked at.
    pub right: i64,
    pub wrong: i64,
    pub taught_by: String,
    pub taught_at: Timestamp,
}

/// A layout with what was read by it.
#[derive(Clone, Debug)]
pub struct Remembered {
    pub row: LayoutRow,
    pub uses: i64,
    pub last_use: Option<Timestamp>,
}

/// A layout as a person's answer leaves it.
#[derive(Debug)]
pub struct NewLayout<'a> {
    /// The row it replaces and its version; none: a vendor nobody knew.
    pub known: Option<(&'a str, i64)>,
    pub shelf: &'a Shelf,
    pub key: &'a str,
    pub layout: &'a Layout,
    pub by: &'a str,
    /// A document taught it; otherwise it was only judged.
    pub taught: bool,
    pub right: i64,
    pub wrong: i64,
}

/// The vendor of that key.
pub async fn find(tx: &mut Tx, shelf: &Shelf, key: &str) -> Result<Option<LayoutRow>, Error> {
    let sql = "SELECT * FROM vendor_layouts WHERE owner = $1 AND workflow_name = $2
               AND doc_type = $3 AND vendor_key = $4 AND forgotten_at IS NULL";
    let args = [
        shelf.owner.as_str().into(),
        shelf.workflow.as_str().into(),
        shelf.doc_type.as_str().into(),
        key.into(),
    ];
    tx.optional(sql, &args).await?.as_ref().map(layout).transpose()
}

pub async fn by_id(tx: &mut Tx, id: &str) -> Result<Option<LayoutRow>, Error> {
    let sql = "SELECT * FROM vendor_layouts WHERE id = $1 AND forgotten_at IS NULL";
    tx.optional(sql, &[id.into()]).await?.as_ref().map(layout).transpose()
}

/// Every vendor that is remembered, the one taught last first.
pub async fn list(tx: &mut Tx, limit: i64) -> Result<Vec<Remembered>, Error> {
    let sql = "SELECT l.*, (SELECT COUNT(*) FROM documents WHERE layout_id = l.id) AS uses,
               (SELECT MAX(created_at) FROM documents WHERE layout_id = l.id) AS last_use
               FROM vendor_layouts AS l WHERE forgotten_at IS NULL
               ORDER BY taught_at DESC, id DESC LIMIT $1";
    let remembered = |row: &Row| {
        let (uses, last_use) = (row.get("uses")?, row.maybe("last_use")?);
        Ok(Remembered { row: layout(row)?, uses, last_use })
    };
    tx.all(sql, &[limit.into()]).await?.iter().map(remembered).collect()
}

/// Keeps a layout as its next version. The caller holds the people's scope.
pub async fn keep(decision: &mut Decision, new: &NewLayout<'_>) -> Result<(), Error> {
    let body = serde_json::to_value(new.layout).map_err(|e| Error::corrupt(e.to_string()))?;
    let vendor = new.layout.vendor.clone().or_else(|| new.layout.tax_id.clone());
    let vendor = vendor.unwrap_or_default();
    let (taught, now) = (i64::from(new.taught), decision.now);
    let changed = next(&mut decision.tx).await?;
    if let Some((id, version)) = new.known {
        let sql = "UPDATE vendor_layouts SET layout = $3, vendor = $4, version = version + 1,
                   documents = documents + $5, right_fields = right_fields + $6,
                   wrong_fields = wrong_fields + $7, changed = $8,
                   taught_by = CASE WHEN $5 = 1 THEN $9 ELSE taught_by END,
                   taught_at = CASE WHEN $5 = 1 THEN $10 ELSE taught_at END
                   WHERE id = $1 AND version = $2 AND forgotten_at IS NULL";
        let args = [
            id.into(),
            version.into(),
            body.into(),
            vendor.into(),
            taught.into(),
            new.right.into(),
            new.wrong.into(),
            changed.into(),
            new.by.into(),
            now.into(),
        ];
        return decision.tx.guarded("vendor layout", sql, &args).await;
    }
    make_room(decision, new.shelf, changed).await?;
    let sql = "INSERT INTO vendor_layouts (id, owner, workflow_name, doc_type, vendor_key, vendor,
               layout, version, documents, taught_by, taught_at, created_at, changed)
               VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10, $10, $11)";
    let args = [
        uuid::Uuid::now_v7().to_string().into(),
        new.shelf.owner.as_str().into(),
        new.shelf.workflow.as_str().into(),
        new.shelf.doc_type.as_str().into(),
        new.key.into(),
        vendor.into(),
        body.into(),
        taught.into(),
        new.by.into(),
        now.into(),
        changed.into(),
    ];
    decision.tx.execute(sql, &args).await.map(drop)
}

async fn next(tx: &mut Tx) -> Result<i64, Error> {
    let sql = "SELECT COALESCE(MAX(changed), 0) + 1 AS n FROM vendor_layouts";
    tx.one(sql, &[]).await?.get("n")
}

async fn make_room(decision: &mut Decision, shelf: &Shelf, changed: i64) -> Result<(), Error> {
    let owner = shelf.owner.as_str();
    for (owner, most) in [(Some(owner), MOST_OF_OWNER), (None, MOST)] {
        let sql = "UPDATE vendor_layouts SET forgotten_at = $1, forgotten_by = $2, layout = $3,
                   vendor = '', changed = $4 WHERE id IN (
                       SELECT id FROM vendor_layouts
                       WHERE forgotten_at IS NULL AND ($5 IS NULL OR owner = $5)
                       ORDER BY COALESCE((SELECT MAX(created_at) FROM documents
                           WHERE layout_id = vendor_layouts.id), taught_at) DESC, id DESC
                       LIMIT 1000000 OFFSET $6)";
        let args = [
            decision.now.into(),
            crate::NAME.into(),
            serde_json::json!({}).into(),
            changed.into(),
            owner.map(str::to_owned).into(),
            (most - 1).into(),
        ];
        decision.tx.execute(sql, &args).await?;
    }
    Ok(())
}

/// Forgets a vendor: what was known of its documents goes. Answers whether it was known.
pub async fn forget(decision: &mut Decision, id: &str, by: &str) -> Result<bool, Error> {
    let changed = next(&mut decision.tx).await?;
    let sql = "UPDATE vendor_layouts SET forgotten_at = $2, forgotten_by = $3, layout = $4,
               vendor = '', vendor_key = '', changed = $5
               WHERE id = $1 AND forgotten_at IS NULL";
    let gone = serde_json::json!({});
    let args = [id.into(), decision.now.into(), by.into(), gone.into(), changed.into()];
    Ok(decision.tx.execute(sql, &args).await? == 1)
}

/// The words of a document's pages.
pub async fn texts(
    tx: &mut Tx,
    request: &str,
    first: u32,
    last: u32,
) -> Result<Vec<PageText>, Error> {
    let sql = "SELECT n, width, height, words, ocr_source, turned FROM pages
               WHERE request_id = $1 AND n BETWEEN $2 AND $3 AND words IS NOT NULL ORDER BY n";
    let last = last.min(first.saturating_add(MOST_PAGES - 1));
    let rows = tx.all(sql, &[request.into(), first.into(), last.into()]).await?;
    rows.iter().map(page_text).collect()
}

fn layout(row: &Row) -> Result<LayoutRow, Error> {
    let body: serde_json::Value = row.get("layout")?;
    Ok(LayoutRow {
        id: row.get("id")?,
        shelf: Shelf {
            owner: row.get("owner")?,
            workflow: row.get("workflow_name")?,
            doc_type: row.get("doc_type")?,
        },
        vendor: row.get("vendor")?,
        layout: serde_json::from_value(body).map_err(|e| Error::corrupt(e.to_string()))?,
        version: row.get("version")?,
        documents: row.get("documents")?,
        right: row.get("right_fields")?,
        wrong: row.get("wrong_fields")?,
        taught_by: row.get("taught_by")?,
        taught_at: row.get("taught_at")?,
    })
}

/// A layout that a worker may read by.
#[derive(Clone, Debug)]
pub struct Known {
    pub id: String,
    pub version: i64,
    pub layout: Layout,
}

/// What is remembered, as this process knows it. Whoever hands out work takes up what is new first,
/// so that a document is read by everything that was taught before it was taken.
#[derive(Debug, Default)]
pub struct Memories(RwLock<Held>);

#[derive(Debug, Default)]
struct Held {
    changed: i64,
    shelves: HashMap<Shelf, Vec<Arc<Known>>>,
}

impl Memories {
    /// The vendors whose documents of this type this owner sends.
    pub fn of(&self, theirs: &Shelf) -> Vec<Arc<Known>> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.shelves.get(theirs).cloned().unwrap_or_default()
    }

    /// Takes up what was taught or forgotten since.
    pub async fn take_up(&self, tx: &mut Tx) -> Result<(), Error> {
        let seen = self.0.read().unwrap_or_else(PoisonError::into_inner).changed;
        let sql = "SELECT id, owner, workflow_name, doc_type, version, layout, changed,
                   forgotten_at FROM vendor_layouts WHERE changed > $1 ORDER BY changed";
        let rows = tx.all(sql, &[seen.into()]).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for row in &rows {
            let id: String = row.get("id")?;
            let changed: i64 = row.get("changed")?;
            let place = Shelf {
                owner: row.get("owner")?,
                workflow: row.get("workflow_name")?,
                doc_type: row.get("doc_type")?,
            };
            let known = held.shelves.entry(place).or_default();
            let version: i64 = row.get("version")?;
            // Another thread may have looked later and written first.
            if known.iter().any(|one| one.id == id && one.version > version) {
                continue;
            }
            known.retain(|one| one.id != id);
            if row.maybe::<Timestamp>("forgotten_at")?.is_none() {
                // One that cannot be read is one vendor less, not the end of all work.
                match serde_json::from_value(row.get("layout")?) {
                    Ok(layout) => known.push(Arc::new(Known { id, version, layout })),
                    Err(error) => tracing::error!(%error, id, "a vendor's layout does not load"),
                }
            }
            held.changed = held.changed.max(changed);
        }
        Ok(())
    }
}
