//! What the machine and people said lately, for the page about quality.

use db::{Error, Row, Tx};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::Value as Json;

use super::golden;
use crate::{
    model::{FieldValue, Item, Origin, Progress},
    rules::{
        quality::{self, About, FieldWord, Leaf, Paper, Quality, Shown, Word},
        thresholds::Known,
    },
};

/// The newest so many say what is usual.
const MOST_DOCUMENTS: i64 = 5_000;
const MOST_PAGES: i64 = 20_000;
const MOST_WORDS: i64 = 20_000;

/// Everything decided since, of one workflow or of all.
pub async fn load(tx: &mut Tx, since: Timestamp, workflow: Option<&str>) -> Result<Quality, Error> {
    let papers = papers(tx, since, workflow).await?;
    let leaves = leaves(tx, since, workflow).await?;
    let words = words(tx, since, workflow).await?;
    let observed = golden::observed(tx, workflow).await?;
    let shown: Vec<Shown> = observed
        .iter()
        .map(|one| Shown {
            of_field: one.field.is_some(),
            known: Known { confidence: one.confidence, right: one.right },
        })
        .collect();
    Ok(quality::count(&papers, &leaves, &words, &shown))
}

async fn papers(
    tx: &mut Tx,
    since: Timestamp,
    workflow: Option<&str>,
) -> Result<Vec<Paper>, Error> {
    let sql = "SELECT d.id, d.doc_type, d.origin, d.extraction_confidence, d.fields, d.standing,
               (SELECT COUNT(*) FROM pages AS p WHERE p.request_id = d.request_id
                AND p.document_id = d.id AND p.origin = 'BACKOFFICE') AS sorted
               FROM requests AS r JOIN documents AS d ON d.request_id = r.id
               WHERE r.created_at >= $1 AND ($2 IS NULL OR r.workflow_name = $2)
               AND d.fields IS NOT NULL AND d.standing IN ('WAITING', 'DONE', 'REVIEW')
               ORDER BY r.created_at DESC, r.id DESC LIMIT $3";
    let args = [since.into(), workflow.into(), MOST_DOCUMENTS.into()];
    tx.all(sql, &args).await?.iter().map(paper).collect()
}

fn paper(row: &Row) -> Result<Paper, Error> {
    let fields: Vec<FieldValue> = serde_json::from_value(row.get::<Json>("fields")?)
        .map_err(|error| Error::corrupt(format!("fields: {error}")))?;
    Ok(Paper {
        id: row.get("id")?,
        doc_type: row.get("doc_type")?,
        reviewed: row.word("origin", Origin::from_word)? == Origin::Person
            || row.word("standing", Progress::from_word)? == Progress::Review,
        sorted: row.get::<i64>("sorted")? > 0,
        confidence: row.maybe("extraction_confidence")?,
        fields: fields.into_iter().map(|field| (field.name, field.required)).collect(),
    })
}

async fn leaves(tx: &mut Tx, since: Timestamp, workflow: Option<&str>) -> Result<Vec<Leaf>, Error> {
    let sql = "SELECT p.request_id, p.n, p.origin, p.doc_type, p.classification_confidence,
               CASE WHEN p.origin = 'BACKOFFICE' THEN p.scores END AS scores,
               d.origin AS looked_at
               FROM requests AS r JOIN pages AS p ON p.request_id = r.id
               LEFT JOIN documents AS d ON d.id = p.document_id
               WHERE r.created_at >= $1 AND ($2 IS NULL OR r.workflow_name = $2)
               AND p.doc_type IS NOT NULL AND p.classification_confidence IS NOT NULL
               ORDER BY r.created_at DESC, r.id DESC LIMIT $3";
    let args = [since.into(), workflow.into(), MOST_PAGES.into()];
    tx.all(sql, &args).await?.iter().map(leaf).collect()
}

fn leaf(row: &Row) -> Result<Leaf, Error> {
    let doc_type: String = row.get("doc_type")?;
    let by_person = row.word("origin", Origin::from_word)? == Origin::Person;
    let machine = if by_person {
        let scores: Option<Json> = row.maybe("scores")?;
        let best = scores.as_ref().and_then(|scores| scores.get(0));
        best.and_then(|best| Some((best[0].as_str()?.to_owned(), best[1].as_f64()?)))
    } else {
        Some((doc_type.clone(), row.get("classification_confidence")?))
    };
    Ok(Leaf {
        request: row.get("request_id")?,
        item: Item::Page(row.get::<i64>("n")? as u32).key(),
        doc_type,
        machine,
        by_person,
        seen: row.maybe::<String>("looked_at")?.is_some_and(|by| by == "BACKOFFICE"),
    })
}

async fn words(tx: &mut Tx, since: Timestamp, workflow: Option<&str>) -> Result<Vec<Word>, Error> {
    let sql = "SELECT request_id, item, kind, doc_type, machine, person, changed
               FROM review_corrections WHERE created_at >= $1
               AND ($2 IS NULL OR workflow_name = $2) AND kind IN ('classification', 'extraction')
               ORDER BY created_at DESC, id DESC LIMIT $3";
    let args = [since.into(), workflow.into(), MOST_WORDS.into()];
    tx.all(sql, &args).await?.iter().map(word).collect()
}

fn word(row: &Row) -> Result<Word, Error> {
    let (machine, person): (Json, Json) = (row.get("machine")?, row.get("person")?);
    let about = if row.get::<String>("kind")? == "classification" {
        let confidence = machine["confidence"].as_f64();
        About::Type { confidence, changed: row.get::<i64>("changed")? != 0 }
    } else {
        let fields = machine.as_object().into_iter().flatten().map(|(name, read)| FieldWord {
            name: name.clone(),
            found: !read["value"].is_null(),
            confidence: read["confidence"].as_f64().unwrap_or_default(),
            changed: read["value"] != person[name],
        });
        About::Fields(fields.collect())
    };
    Ok(Word {
        request: row.get("request_id")?,
        item: row.get("item")?,
        doc_type: row.get("doc_type")?,
        about,
    })
}
