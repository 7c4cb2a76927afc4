//! Documents: pages that belong together, and what was read in them.

use std::collections::HashMap;

use db::{Decision, Error, Row, Rows, Tx};
use engine::Word as _;
use serde_json::Value as Json;

use crate::{
    model::{FieldValue, Origin, Progress, Reading, Standing},
    rules::answer::Source,
};

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
    /// The vendor's layout by which it was read.
    pub layout: Option<String>,
    /// The file its pages are in.
    pub source: Option<Source>,
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

/// What changes of a document; what is left out stays as it was.
#[derive(Debug, Default)]
pub struct DocumentPatch<'a> {
    /// Not there before.
    pub new: Option<NewDocument<'a>>,
    pub standing: Option<Standing>,
    /// And who says so.
    pub reading: Option<(&'a Reading, Origin)>,
}

#[derive(Clone, Copy, Debug)]
pub struct NewDocument<'a> {
    pub first: u32,
    pub last: u32,
    pub doc_type: &'a str,
}

const COLUMNS: &[&str] = db::columns![
    id request_id first_page last_page doc_type stage_at standing fields extracted_data
    confidence missing layout_id layout_version origin
];

/// Writes documents: request, id, what changes.
pub async fn write(
    decision: &mut Decision,
    documents: &[(&str, &str, &DocumentPatch<'_>)],
) -> Result<(), Error> {
    let (mut new, mut known) = (Rows::new(COLUMNS), Rows::new(COLUMNS));
    for (request, id, document) in documents {
        let reading = document.reading.map(|(reading, _)| reading);
        let fields = reading
            .map(|reading| serde_json::to_value(&reading.fields))
            .transpose()
            .map_err(|error| Error::corrupt(error.to_string()))?;
        let rows = if document.new.is_some() { &mut new } else { &mut known };
        rows.push([
            (*id).into(),
            (*request).into(),
            document.new.map(|new| new.first).into(),
            document.new.map(|new| new.last).into(),
            document.new.map(|new| new.doc_type).into(),
            document.standing.map(|standing| standing.at).into(),
            document.standing.map(|standing| standing.progress.word()).into(),
            fields.into(),
            reading.map(|reading| Json::Object(reading.extracted_data.clone())).into(),
            reading.map(|reading| reading.confidence).into(),
            reading.map(|reading| i64::from(reading.missing_required)).into(),
            reading.and_then(|reading| Some(reading.layout.as_ref()?.0.clone())).into(),
            reading.and_then(|reading| Some(reading.layout.as_ref()?.1)).into(),
            document.reading.map(|(_, origin)| origin.word()).into(),
        ]);
    }
    let now = decision.now.into();
    let sql = "INSERT INTO documents (id, request_id, first_page, last_page, doc_type, stage_at,
               standing, fields, extracted_data, extraction_confidence, missing_required,
               layout_id, layout_version, created_at, updated_at)
               SELECT id, request_id, first_page, last_page, doc_type, stage_at, standing, fields,
               extracted_data, confidence, COALESCE(missing, 0), layout_id, layout_version, $1, $1
               FROM ROWS";
    decision.tx.each(sql, std::slice::from_ref(&now), &new).await?;
    let sql = "UPDATE documents SET stage_at = COALESCE(v.stage_at, documents.stage_at),
               standing = COALESCE(v.standing, documents.standing),
               fields = COALESCE(v.fields, documents.fields),
               extracted_data = COALESCE(v.extracted_data, documents.extracted_data),
               extraction_confidence = COALESCE(v.confidence, documents.extraction_confidence),
               missing_required = COALESCE(v.missing, documents.missing_required),
               origin = CASE WHEN v.origin = 'BACKOFFICE' THEN v.origin
                   ELSE documents.origin END,
               layout_id = CASE WHEN v.origin = 'AUTO' THEN v.layout_id
                   ELSE documents.layout_id END,
               layout_version = CASE WHEN v.origin = 'AUTO' THEN v.layout_version
                   ELSE documents.layout_version END,
               updated_at = $1 FROM ROWS WHERE documents.id = v.id";
    decision.tx.each(sql, &[now], &known).await.map(drop)
}

/// The documents of several requests, in their order, by request.
pub async fn of_all(
    tx: &mut Tx,
    requests: &[&str],
) -> Result<HashMap<String, Vec<DocumentRow>>, Error> {
    let sql = "SELECT documents.*, f.n AS file, f.name AS file_name, a.name AS packed_in
               FROM documents
               LEFT JOIN pages p ON p.request_id = documents.request_id AND p.n = first_page
               LEFT JOIN request_files f ON f.request_id = documents.request_id AND f.n = p.file
               LEFT JOIN request_files a ON a.request_id = f.request_id AND a.n = f.packed_in
               WHERE documents.request_id IN (SELECT id FROM ROWS)
               ORDER BY documents.request_id, first_page";
    let mut found: HashMap<String, Vec<DocumentRow>> = HashMap::new();
    for row in tx.all_of(sql, &[], &Rows::of(&["id"], requests.iter().copied())).await? {
        found.entry(row.get("request_id")?).or_default().push(document(&row)?);
    }
    Ok(found)
}

pub async fn all(tx: &mut Tx, request: &str) -> Result<Vec<DocumentRow>, Error> {
    Ok(of_all(tx, &[request]).await?.remove(request).unwrap_or_default())
}

fn document(row: &Row) -> Result<DocumentRow, Error> {
    Ok(DocumentRow {
        id: row.get("id")?,
        first_page: row.get::<i64>("first_page")? as u32,
        last_page: row.get::<i64>("last_page")? as u32,
        doc_type: row.get("doc_type")?,
        stage_at: row.get::<i64>("stage_at")? as i32,
        progress: row.word("standing", Progress::from_word)?,
        extracted_data: row.maybe("extracted_data")?,
        fields: fields(row)?,
        extraction_confidence: row.maybe("extraction_confidence")?,
        origin: row.word("origin", Origin::from_word)?,
        layout: row.maybe("layout_id")?,
        source: source(row)?,
    })
}

/// The file that a row was joined with: `file`, `file_name` and `packed_in`.
pub(super) fn source(row: &Row) -> Result<Option<Source>, Error> {
    let Some(name) = row.maybe("file_name")? else { return Ok(None) };
    let index = row.get::<i64>("file")? as u32;
    Ok(Some(Source { index, name, packed_in: row.maybe("packed_in")? }))
}

/// The fields of a document, as kept with it.
pub(super) fn fields(row: &Row) -> Result<Vec<FieldValue>, Error> {
    let fields: Option<Json> = row.maybe("fields")?;
    let fields = fields.map(serde_json::from_value).transpose();
    Ok(fields.map_err(|error| Error::corrupt(format!("fields: {error}")))?.unwrap_or_default())
}
