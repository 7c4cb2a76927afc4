//! Pages: one row each, from the split to their document.

use std::collections::HashMap;

use db::{Decision, Error, Row, Rows, Tx, Value};
use engine::Word as _;
use page::{PageText, Rect, Source, Word};
use serde_json::{Value as Json, json};

use super::{Visibility, documents::source as source_of, progress::read_evidence};
use crate::{
    model::{Origin, PageInFile, Progress, Standing},
    rules::{
        answer::ReadPage,
        continuity::{Evidence, Scores},
    },
};

/// A page as screens and answers show it.
#[derive(Clone, Debug)]
pub struct PageRow {
    pub n: u32,
    pub file: u32,
    pub page_in_file: u32,
    pub stage_at: i32,
    pub progress: Progress,
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub turned: i64,
    pub ocr_text: Option<String>,
    pub ocr_confidence: Option<f64>,
    pub ocr_source: Option<String>,
    pub evidence: Evidence,
    pub scores: Option<Json>,
    pub doc_type: Option<String>,
    pub classification_confidence: Option<f64>,
    pub origin: Origin,
    pub document_id: Option<String>,
}

impl PageRow {
    /// *Estado de la página* (§3.2): what is known of it, in one word.
    pub fn status(&self) -> &'static str {
        if self.document_id.is_some() {
            "grouped"
        } else if self.progress == Progress::Review {
            "classification_review"
        } else if self.doc_type.is_some() {
            "classified"
        } else if self.ocr_text.is_some() {
            "ocr_complete"
        } else {
            "PENDIENTE_OCR"
        }
    }
}

/// What changes of a page; what is left out stays as it was.
#[derive(Debug, Default)]
pub struct PagePatch<'a> {
    /// Not there before.
    pub new: Option<PageInFile>,
    pub standing: Option<Standing>,
    pub text: Option<&'a PageText>,
    pub evidence: Option<Json>,
    pub scores: Option<&'a Scores>,
    /// Type and confidence, and who says so.
    pub accepted: Option<(&'a str, f64, Origin)>,
    pub document: Option<String>,
}

const COLUMNS: &[&str] = db::columns![
    request_id n file page_in_file stage_at standing width height words ocr_text ocr_confidence
    ocr_source turned evidence scores doc_type confidence origin document_id
];

fn values(request: &str, n: u32, page: &PagePatch<'_>) -> [Value; 19] {
    let text = page.text;
    [
        request.into(),
        n.into(),
        page.new.map(|new| new.file).into(),
        page.new.map(|new| new.page).into(),
        page.standing.map(|standing| standing.at).into(),
        page.standing.map(|standing| standing.progress.word()).into(),
        text.map(|text| f64::from(text.width)).into(),
        text.map(|text| f64::from(text.height)).into(),
        text.map(pack).into(),
        text.map(PageText::text).into(),
        text.map(|text| f64::from(text.confidence())).into(),
        text.map(|text| source_word(text.source)).into(),
        text.map(|text| i64::from(text.turned)).into(),
        page.evidence.clone().into(),
        page.scores.map(|scores| json!(scores)).into(),
        page.accepted.map(|(doc_type, ..)| doc_type).into(),
        page.accepted.map(|(_, confidence, _)| confidence).into(),
        page.accepted.map(|(.., origin)| origin.word()).into(),
        page.document.clone().into(),
    ]
}

/// Writes pages: request, number, what changes.
pub async fn write(
    decision: &mut Decision,
    pages: &[(&str, u32, &PagePatch<'_>)],
) -> Result<(), Error> {
    let (mut new, mut known) = (Rows::new(COLUMNS), Rows::new(COLUMNS));
    for (request, n, page) in pages {
        let rows = if page.new.is_some() { &mut new } else { &mut known };
        rows.push(values(request, *n, page));
    }
    let sql = "INSERT INTO pages (request_id, n, file, page_in_file, stage_at, standing, width,
               height, words, ocr_text, ocr_confidence, ocr_source, turned, evidence, scores,
               doc_type, classification_confidence, document_id)
               SELECT request_id, n, file, page_in_file, stage_at, standing, width, height, words,
               ocr_text, ocr_confidence, ocr_source, COALESCE(turned, 0), evidence, scores,
               doc_type, confidence, document_id FROM ROWS";
    decision.tx.each(sql, &[], &new).await?;
    let sql = "UPDATE pages SET stage_at = COALESCE(v.stage_at, pages.stage_at),
               standing = COALESCE(v.standing, pages.standing),
               width = COALESCE(v.width, pages.width), height = COALESCE(v.height, pages.height),
               words = COALESCE(v.words, pages.words),
               ocr_text = COALESCE(v.ocr_text, pages.ocr_text),
               ocr_confidence = COALESCE(v.ocr_confidence, pages.ocr_confidence),
               ocr_source = COALESCE(v.ocr_source, pages.ocr_source),
               turned = COALESCE(v.turned, pages.turned),
               evidence = COALESCE(v.evidence, pages.evidence),
               scores = COALESCE(v.scores, pages.scores),
               doc_type = COALESCE(v.doc_type, pages.doc_type),
               classification_confidence =
                   COALESCE(v.confidence, pages.classification_confidence),
               origin = COALESCE(v.origin, pages.origin),
               document_id = COALESCE(v.document_id, pages.document_id)
               FROM ROWS WHERE pages.request_id = v.request_id AND pages.n = v.n";
    decision.tx.each(sql, &[], &known).await.map(drop)
}

pub async fn all(tx: &mut Tx, request: &str) -> Result<Vec<PageRow>, Error> {
    let sql = "SELECT n, file, page_in_file, stage_at, standing, width, height, turned, ocr_text,
               ocr_confidence, ocr_source, evidence, scores, doc_type, classification_confidence,
               origin, document_id FROM pages WHERE request_id = $1 ORDER BY n";
    tx.all(sql, &[request.into()]).await?.iter().map(page).collect()
}

fn page(row: &Row) -> Result<PageRow, Error> {
    Ok(PageRow {
        n: row.get::<i64>("n")? as u32,
        file: row.get::<i64>("file")? as u32,
        page_in_file: row.get::<i64>("page_in_file")? as u32,
        stage_at: row.get::<i64>("stage_at")? as i32,
        progress: row.word("standing", Progress::from_word)?,
        width: row.maybe("width")?,
        height: row.maybe("height")?,
        turned: row.get("turned")?,
        ocr_text: row.maybe("ocr_text")?,
        ocr_confidence: row.maybe("ocr_confidence")?,
        ocr_source: row.maybe("ocr_source")?,
        evidence: read_evidence(row.maybe("evidence")?),
        scores: row.maybe("scores")?,
        doc_type: row.maybe("doc_type")?,
        classification_confidence: row.maybe("classification_confidence")?,
        origin: row.word("origin", Origin::from_word)?,
        document_id: row.maybe("document_id")?,
    })
}

/// What was read on the pages of requests, by request.
pub async fn texts(
    tx: &mut Tx,
    requests: &[&str],
) -> Result<HashMap<String, Vec<ReadPage>>, Error> {
    let mut found: HashMap<String, Vec<ReadPage>> = HashMap::new();
    if requests.is_empty() {
        return Ok(found);
    }
    let sql = "SELECT p.request_id, p.n, p.ocr_text, p.ocr_confidence, p.doc_type, f.n AS file,
               f.name AS file_name, a.name AS packed_in FROM pages p
               LEFT JOIN request_files f ON f.request_id = p.request_id AND f.n = p.file
               LEFT JOIN request_files a ON a.request_id = f.request_id AND a.n = f.packed_in
               WHERE p.request_id IN (SELECT id FROM ROWS) ORDER BY p.request_id, p.n";
    for row in tx.all_of(sql, &[], &Rows::of(&["id"], requests.iter().copied())).await? {
        found.entry(row.get("request_id")?).or_default().push(ReadPage {
            index: row.get::<i64>("n")? as u32,
            source: source_of(&row)?,
            text: row.maybe("ocr_text")?,
            confidence: row.maybe("ocr_confidence")?,
            doc_type: row.maybe("doc_type")?,
        });
    }
    Ok(found)
}

/// The words of one page of a request that is there for whoever asks.
pub async fn text(
    tx: &mut Tx,
    visibility: Visibility<'_>,
    request: &str,
    n: u32,
) -> Result<Option<PageText>, Error> {
    let sql = "SELECT n, width, height, words, ocr_source, turned FROM pages
               WHERE request_id = $1 AND n = $2 AND words IS NOT NULL AND ($3 IS NULL OR
               request_id IN (SELECT id FROM requests WHERE id = $1 AND created_by = $3))";
    let owner = visibility.owner().map(str::to_owned);
    let row = tx.optional(sql, &[request.into(), n.into(), owner.into()]).await?;
    row.as_ref().map(page_text).transpose()
}

pub(super) fn page_text(row: &Row) -> Result<PageText, Error> {
    let words: String = row.get("words")?;
    Ok(PageText {
        width: row.get::<f64>("width")? as f32,
        height: row.get::<f64>("height")? as f32,
        source: row.word("ocr_source", source)?,
        turned: row.get::<i64>("turned")? as u16,
        words: unpack(&words).ok_or_else(|| Error::corrupt("words of a page"))?,
    })
}

/// Where the text of a page comes from.
pub const fn source_word(source: Source) -> &'static str {
    match source {
        Source::TextLayer => "text_layer",
        Source::Ocr => "ocr",
        Source::Plain => "plain",
    }
}

fn source(word: &str) -> Option<Source> {
    [Source::TextLayer, Source::Ocr, Source::Plain]
        .into_iter()
        .find(|one| source_word(*one) == word)
}

/// Words in a tenth of the space that named fields take: `["Total",12.5,100,40,9,0.98]` each.
fn pack(text: &PageText) -> String {
    let tenth = |n: f32| f64::from((n * 10.0).round()) / 10.0;
    let words: Vec<Json> = text
        .words
        .iter()
        .map(|word| {
            let Rect { x, y, w, h } = word.place;
            let sure = f64::from((word.confidence * 1000.0).round()) / 1000.0;
            json!([word.text, tenth(x), tenth(y), tenth(w), tenth(h), sure])
        })
        .collect();
    Json::Array(words).to_string()
}

fn unpack(text: &str) -> Option<Vec<Word>> {
    let words: Vec<(String, f32, f32, f32, f32, f32)> = serde_json::from_str(text).ok()?;
    let word =
        |(text, x, y, w, h, confidence)| Word { text, place: Rect { x, y, w, h }, confidence };
    Some(words.into_iter().map(word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_words_come_back() {
        let place = Rect { x: 10.5, y: 20.0, w: 30.2, h: 9.0 };
        let word = Word { text: "«Total»".into(), place, confidence: 0.987 };
        let text = PageText {
            width: 595.0,
            height: 842.0,
            source: Source::Ocr,
            turned: 90,
            words: vec![word],
        };
        assert_eq!(unpack(&pack(&text)), Some(text.words));
    }
}
