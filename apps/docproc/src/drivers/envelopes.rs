//! Messages for those outside: what a stage works on, as JSON, with addresses that open one page or
//! one file for a while.

use std::collections::BTreeMap;

use db::{Error, Tx};
use host::Vault;
use jiff::{SignedDuration, Timestamp};
use page::PageText;
use serde_json::{Map, Value as Json, json};

use crate::{
    Context,
    model::{FieldValue, Item},
    store::{
        documents,
        jobs::{self, Input, Job},
        messages, outside, policy,
    },
    wire::message::{Address, PipelineMessage, Sent, key, source},
};

/// Under it every path proves itself by its signature.
pub const OPENED: &str = "/api/docproc/work/files/";
/// How long addresses in a message that waits in a broker are good.
const IN_A_QUEUE: SignedDuration = SignedDuration::from_hours(24);

/// Addresses that open one thing until an instant.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    pub vault: &'a Vault,
    /// Where the reader reaches us: `https://docproc.example`.
    pub base: &'a str,
    pub until: Timestamp,
}

/// Why an address does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    Forged,
    Over,
}

impl Links<'_> {
    fn page(&self, request: &str, n: u32) -> String {
        self.signed(&format!("{OPENED}{request}/pages/{n}"))
    }

    fn file(&self, request: &str, n: u32) -> String {
        self.signed(&format!("{OPENED}{request}/files/{n}"))
    }

    fn signed(&self, path: &str) -> String {
        let expires = self.until.as_second();
        let signature = self.vault.sign(&text(path, expires));
        format!("{}{path}?expires={expires}&signature={signature}", self.base)
    }
}

fn text(path: &str, expires: i64) -> String {
    format!("GET {path} {expires}")
}

/// Whether a path is open. The signature is looked at first: a stranger learns nothing of times.
pub fn opens(
    vault: &Vault,
    path: &str,
    expires: i64,
    signature: &str,
    now: Timestamp,
) -> Result<(), Closed> {
    if !vault.signed(&text(path, expires), signature) {
        return Err(Closed::Forged);
    }
    if expires < now.as_second() {
        return Err(Closed::Over);
    }
    Ok(())
}

/// Where those outside reach this house, when they did not ask themselves.
pub async fn base(context: &Context, tx: &mut Tx) -> Result<String, Error> {
    let values = context.settings.load(tx, crate::NAME).await?;
    let set = values.text(policy::PUBLIC_URL)?.trim_end_matches('/');
    Ok(if set.is_empty() { context.options.address().to_owned() } else { set.to_owned() })
}

/// Messages as a broker carries them; those that are gone are left out. What one of ours gets is
/// small, for it finds the rest in the database.
pub async fn envelopes(
    context: &Context,
    tx: &mut Tx,
    mut found: BTreeMap<i64, Address>,
) -> Result<Vec<Sent>, Error> {
    let workflows = &context.runtime.workflows;
    let ids: Vec<i64> = found.keys().copied().collect();
    let letters = outside::all(tx, &ids).await?;
    let mut messages = Vec::with_capacity(found.len());
    let sent = |to: Address, message| Sent { component: to.component, key: to.key, message };
    if !letters.is_empty() {
        let base = base(context, tx).await?;
        let until = context.clock.now().saturating_add(IN_A_QUEUE).unwrap_or(Timestamp::MAX);
        let links = Links { vault: &context.options.vault, base: &base, until };
        let house = policy::load(&context.settings, tx).await?.thresholds;
        let claims = letters.into_iter().map(|letter| letter.claim).collect();
        for job in jobs::load(tx, claims, workflows, house).await? {
            let Some(to) = found.remove(&job.claim.id) else { continue };
            let message = PipelineMessage::with(&to, payload(tx, &job, &links).await?);
            messages.push(sent(to, message));
        }
    }
    messages.extend(found.into_values().map(|to| {
        let message = PipelineMessage::small(&to);
        sent(to, message)
    }));
    Ok(messages)
}

/// The message of a job, with everything its stage works on.
pub async fn envelope(tx: &mut Tx, job: &Job, links: &Links<'_>) -> Result<PipelineMessage, Error> {
    let row = &job.request.row;
    let by_person = messages::by_person(tx, job.claim.id).await?;
    let to = Address {
        id: job.claim.id,
        attempt: job.claim.attempt,
        request: row.id.clone(),
        trace: row.trace_id.clone(),
        workflow: row.workflow_name.clone(),
        stage: job.claim.stage.clone(),
        component: job.claim.component.clone(),
        source: source(&job.request.workflow, job.claim.at, by_person).to_owned(),
        item: job.claim.item.clone(),
        deadline: row.deadline,
        key: key(&job.request.workflow, job.claim.at).to_owned(),
        ready: true,
        due: job.claim.claimed_at,
        outside: true,
    };
    Ok(PipelineMessage::with(&to, payload(tx, job, links).await?))
}

async fn payload(tx: &mut Tx, job: &Job, links: &Links<'_>) -> Result<Map<String, Json>, Error> {
    let Job { claim, request, .. } = job;
    let mut payload = outside::said_before(tx, &claim.request, &claim.item, claim.at).await?;
    let known = match &claim.item {
        Item::Request if request.row.document_count.is_some() => {
            documents::all(tx, &claim.request).await?
        }
        Item::Request | Item::Page(_) | Item::Document(_) => Vec::new(),
    };
    payload.extend(contents(job, links));
    if !known.is_empty() {
        let told = known.iter().map(|one| {
            json!({
                "document_id": one.id, "doc_type": one.doc_type,
                "page_indices": one.page_indices(), "extracted_data": one.extracted_data,
                "extraction_confidence": one.extraction_confidence,
            })
        });
        payload.insert("documents".to_owned(), told.collect());
    }
    Ok(payload)
}

/// What a stage works on, as far as the job itself knows.
pub fn contents(job: &Job, links: &Links<'_>) -> Map<String, Json> {
    let row = &job.request.row;
    let mut all = Map::new();
    let mut put = |name: &str, value: Json| drop(all.insert(name.to_owned(), value));
    put("channel", json!(row.channel));
    put("external_id", json!(row.external_id));
    put("metadata", row.metadata.clone());
    put("page_count", json!(row.page_count));
    put("document_count", json!(row.document_count));
    match &job.input {
        Input::Request => {
            let file = |file: &crate::store::requests::FileRow| {
                json!({
                    "name": file.name, "kind": file.kind, "bytes": file.bytes,
                    "sha256": file.sha256, "pages": file.pages,
                    "file_url": links.file(&row.id, file.n),
                })
            };
            put("files", job.request.files.iter().map(file).collect());
        }
        Input::Page { n, file, page_in_file, text } => {
            put("page_index", json!(n));
            put("page_in_file", json!(page_in_file));
            put("image_url", links.page(&row.id, *n).into());
            put("file_url", links.file(&row.id, *file).into());
            for (name, value) in sheet(text.as_ref()) {
                put(name, value);
            }
        }
        Input::Document { id, doc_type, first, file, pages, data, fields } => {
            put("document_id", json!(id));
            put("file_url", links.file(&row.id, *file).into());
            put("doc_type", json!(doc_type));
            let numbered = || (*first..).zip(pages);
            put("page_indices", numbered().map(|(n, _)| n).collect());
            let text = |(n, page): (u32, &PageText)| (n.to_string(), Json::from(page.text()));
            put("ocr_texts", Json::Object(numbered().map(text).collect()));
            let page = |(n, page): (u32, &PageText)| {
                let mut about: Map<String, Json> =
                    sheet(Some(page)).map(|(name, value)| (name.to_owned(), value)).collect();
                about.insert("page_index".to_owned(), n.into());
                about.insert("image_url".to_owned(), links.page(&row.id, n).into());
                Json::Object(about)
            };
            put("pages", numbered().map(page).collect());
            put("extracted_data", json!(data));
            put("fields", Json::Object(fields.iter().map(field).collect()));
        }
    }
    all
}

/// What is known of a page, by name.
fn sheet(text: Option<&PageText>) -> impl Iterator<Item = (&'static str, Json)> {
    let words = text.map(|text| text.words.iter().map(word).collect::<Vec<_>>());
    [
        ("ocr_text", json!(text.map(PageText::text))),
        ("ocr_confidence", json!(text.map(PageText::confidence))),
        ("words", json!(words)),
        ("width", json!(text.map(|text| text.width))),
        ("height", json!(text.map(|text| text.height))),
    ]
    .into_iter()
}

fn word(word: &page::Word) -> Json {
    let place = word.place;
    json!({
        "text": word.text, "confidence": word.confidence,
        "box": [place.x, place.y, place.w, place.h],
    })
}

fn field(field: &FieldValue) -> (String, Json) {
    let value = field.normalised.as_ref().or(field.value.as_ref());
    (field.name.clone(), json!({ "value": value, "confidence": field.confidence }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_opens_one_thing_until_its_time() {
        let vault = Vault::new(&[3; host::KEY]);
        let until = Timestamp::from_second(1000).unwrap();
        let links = Links { vault: &vault, base: "http://here", until };
        let url = links.page("r", 4);
        let (path, query) = url.strip_prefix("http://here").unwrap().split_once('?').unwrap();
        assert_eq!(path, "/api/docproc/work/files/r/pages/4");
        let signature = query.strip_prefix("expires=1000&signature=").unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        let opens = |path, expires, now| super::opens(&vault, path, expires, signature, at(now));
        assert_eq!(opens(path, 1000, 1000), Ok(()));
        assert_eq!(opens(path, 1000, 1001), Err(Closed::Over));
        assert_eq!(opens(path, 2000, 1001), Err(Closed::Forged), "time is signed too");
        assert_eq!(opens("/api/docproc/work/files/r/pages/5", 1000, 1000), Err(Closed::Forged));
        let another = Vault::new(&[4; host::KEY]);
        assert_eq!(super::opens(&another, path, 1000, signature, at(1)), Err(Closed::Forged));
    }
}
