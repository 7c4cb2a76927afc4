//! Documents: pages that belong together, and what was read in them.

use std::collections::HashMap;

use ::store::{Decision, Error, Row, Rows, Tx};
use serde_json::{Map, Value as Json};

use super::pages::origin;
use crate::model::{FieldValue, Origin, Progress};

#[derive(Clone, Debug)]
pub struct DocumentRow {
    pub id: String,
    pub first_page: u32,
    pub last_page: u32,
    pub doc_type: String,
    pub stage_at: i32,
    pub progress: Progress,
    pub extracted_data: Option<Json>,
    pub fields: Vec<FieldValue>,
    pub extraction_confidence: Option<f64>,
    pub origin: Origin,
}

impl DocumentRow {
    pub fn page_indices(&self) -> Vec<u32> {
        (self.first_page..=self.last_page).collect()
    }

    /// *Estado del documento*, in the original's words.
    pub fn status(&self, settled: bool) -> &'static str {
        if settled {
            "completed"
        } else if self.progress == Progress::Review {
            "extraction_review"
        } else if self.extracted_data.is_some() {
            "extracted"
        } else {
            "created"
        }
    }
}

/// What a worker read in a document.
#[derive(Clone, Debug)]
pub struct Reading {
    pub document: String,
    /// Where the message found the document; one that moved on since takes nothing from it.
    pub from: i32,
    pub at: i32,
    pub fields: Vec<FieldValue>,
    pub extracted_data: Map<String, Json>,
    pub confidence: f64,
    pub missing_required: bool,
}

pub async fn record(decision: &mut Decision, readings: &[Reading]) -> Result<(), Error> {
    let mut rows = Rows::new(&[
        "id",
        "came_from",
        "stage_at",
        "fields",
        "extracted_data",
        "confidence",
        "missing",
    ]);
    for reading in readings {
        let fields = serde_json::to_value(&reading.fields)
            .map_err(|error| Error::corrupt(error.to_string()))?;
        rows.push([
            reading.document.as_str().into(),
            reading.from.into(),
            reading.at.into(),
            fields.into(),
            Json::Object(reading.extracted_data.clone()).into(),
            reading.confidence.into(),
            i64::from(reading.missing_required).into(),
        ]);
    }
    let sql = "UPDATE documents SET stage_at = v.stage_at, standing = 'DONE', fields = v.fields,
               extracted_data = v.extracted_data, extraction_confidence = v.confidence,
               missing_required = v.missing, updated_at = $1
               FROM ROWS WHERE documents.id = v.id AND documents.stage_at = v.came_from
               AND documents.standing = 'SENT'";
    decision.tx.each(sql, &[decision.now.into()], &rows).await.map(drop)
}

/// The documents of several requests, in their order, by request.
pub async fn of_all(
    tx: &mut Tx,
    requests: &[&str],
) -> Result<HashMap<String, Vec<DocumentRow>>, Error> {
    let sql = "SELECT * FROM documents WHERE request_id IN (SELECT id FROM ROWS)
               ORDER BY request_id, first_page";
    let mut found: HashMap<String, Vec<DocumentRow>> = HashMap::new();
    for row in tx.all_of(sql, &[], &Rows::of(&["id"], requests.iter().copied())).await? {
        found.entry(row.get("request_id")?).or_default().push(document(&row)?);
    }
    Ok(found)
}

pub async fn all(tx: &mut Tx, request: &str) -> Result<Vec<DocumentRow>, Error> {
    let sql = "SELECT * FROM documents WHERE request_id = $1 ORDER BY first_page";
    tx.all(sql, &[request.into()]).await?.iter().map(document).collect()
}

fn document(row: &Row) -> Result<DocumentRow, Error> {
    let fields: Option<Json> = row.maybe("fields")?;
    let fields = fields
        .map(serde_json::from_value)
        .transpose()
        .map_err(|error| Error::corrupt(format!("fields: {error}")))?;
    Ok(DocumentRow {
        id: row.get("id")?,
        first_page: row.get::<i64>("first_page")? as u32,
        last_page: row.get::<i64>("last_page")? as u32,
        doc_type: row.get("doc_type")?,
        stage_at: row.get::<i64>("stage_at")? as i32,
        progress: row.word("standing", Progress::from_word)?,
        extracted_data: row.maybe("extracted_data")?,
        fields: fields.unwrap_or_default(),
        extraction_confidence: row.maybe("extraction_confidence")?,
        origin: row.word("origin", origin)?,
    })
}
