//! What people are asked, with everything they need to answer.

use db::{Decision, Error};
use serde_json::{Value as Json, json};

use super::{documents, pages, progress::Loaded, reviews::NewTask};
use crate::{
    model::Item,
    rules::{advance::Thresholds, assign, course::suspected},
};

/// What a person is shown (wire: `input_data`).
pub(super) async fn question(
    decision: &mut Decision,
    loaded: &Loaded,
    item: &Item,
    at: usize,
    house: Thresholds,
) -> Result<NewTask, Error> {
    let row = &loaded.row;
    let stage = &loaded.workflow.stages[at];
    let all = pages::all(&mut decision.tx, &row.id).await?;
    let queue = stage.backoffice_queue.clone().unwrap_or_default();
    let (task_type, mut skills, input) = match item {
        Item::Document(id) => {
            let documents = documents::all(&mut decision.tx, &row.id).await?;
            let document = documents
                .iter()
                .find(|document| document.id == *id)
                .ok_or_else(|| Error::corrupt("a document under review vanished"))?;
            let threshold = stage.threshold.unwrap_or(house.extraction);
            let skills = vec!["extraction".to_owned(), document.doc_type.clone()];
            let own = all.iter().filter(|page| document.page_indices().contains(&page.n));
            let seams = suspected(&loaded.workflow, own.map(|page| (page.n, &page.evidence)));
            ("extraction", skills, extraction_input(document, &all, threshold, &seams))
        }
        Item::Page(_) | Item::Request => {
            let n = if let Item::Page(n) = item { *n } else { 0 };
            let page = all.iter().find(|page| page.n == n);
            let best = page.and_then(|page| page.scores.as_ref()).map(|scores| &scores[0]);
            let input = json!({
                "page_index": n,
                "ocr_text": page.and_then(|page| page.ocr_text.clone()),
                "suggested_type": best.map(|best| best[0].clone()),
                "confidence": best.map(|best| best[1].clone()),
                "image_url": format!("/api/docproc/requests/{}/pages/{n}/image", row.id),
            });
            ("classification", vec!["classification".to_owned()], input)
        }
    };
    skills.extend(assign::team_skill(&queue));
    Ok(NewTask {
        request: row.id.clone(),
        run: row.run,
        task_type,
        item: item.clone(),
        at,
        stage: stage.name.clone(),
        workflow: row.workflow_name.clone(),
        queue,
        deadline: row.deadline,
        skills,
        input,
    })
}

fn extraction_input(
    document: &documents::DocumentRow,
    pages: &[pages::PageRow],
    threshold: f64,
    seams: &[u32],
) -> Json {
    let fields: Vec<Json> = document
        .fields
        .iter()
        .map(|field| {
            let missing = field.required && field.value.is_none();
            // What is neither there nor required is no question.
            let weak = field.value.is_some() && field.confidence < threshold;
            json!({
                "name": field.name,
                "value": field.normalised.as_ref().or(field.value.as_ref()),
                "confidence": field.confidence,
                "required": field.required,
                "needs_review": missing || weak,
                "boxes": field.boxes,
            })
        })
        .collect();
    let texts: serde_json::Map<String, Json> = pages
        .iter()
        .filter(|page| (document.first_page..=document.last_page).contains(&page.n))
        .map(|page| (page.n.to_string(), json!(page.ocr_text)))
        .collect();
    json!({
        "document_id": document.id,
        "doc_type": document.doc_type,
        "page_indices": document.page_indices(),
        "fields": fields,
        "extracted_data": document.extracted_data,
        "confidence": document.extraction_confidence,
        "ocr_texts": texts,
        "suspected_split": split_offered(document, seams),
    })
}

/// Where a second document may begin, and the groups that an answer would send to cut there.
fn split_offered(document: &documents::DocumentRow, seams: &[u32]) -> Option<Json> {
    let mut groups: Vec<Vec<u32>> = vec![Vec::new()];
    for n in document.page_indices() {
        if seams.contains(&n) {
            groups.push(Vec::new());
        }
        groups.last_mut()?.push(n);
    }
    let group = |pages: &Vec<u32>| json!({ "doc_type": document.doc_type, "page_indices": pages });
    let groups: Vec<Json> = groups.iter().map(group).collect();
    (!seams.is_empty()).then(|| json!({ "opens_at": seams, "groups": groups }))
}
