//! *Consolidación* (§3.9): the answer of a request, from its documents.

use serde_json::{Map, Value as Json, json};

/// One document as the answer shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub id: String,
    pub doc_type: String,
    pub first_page: u32,
    pub last_page: u32,
    pub extracted_data: Option<Json>,
    pub extraction_confidence: Option<f64>,
    /// Whether everything about it is settled.
    pub settled: bool,
}

/// The result of §13.2. Documents come in page order; unsettled ones only in a partial answer, and
/// then named as pending by the caller.
pub fn compose(request: &str, workflow: &str, pages: u32, pieces: &[Piece]) -> Json {
    let documents: Vec<Json> = pieces.iter().filter(|piece| piece.settled).map(document).collect();
    json!({
        "request_id": request,
        "workflow": workflow,
        "total_pages": pages,
        "total_documents": documents.len(),
        "documents": documents,
    })
}

/// The answer with what components outside said about the whole request, by stage.
pub fn with_replies(mut answer: Json, said: Map<String, Json>) -> Json {
    if let (Json::Object(fields), false) = (&mut answer, said.is_empty()) {
        fields.insert("stages".to_owned(), Json::Object(said));
    }
    answer
}

/// The answer with what of an archive could not be read, and why.
pub fn with_set_aside(mut answer: Json, aside: Json) -> Json {
    let any = aside.as_array().is_some_and(|aside| !aside.is_empty());
    if let (Json::Object(fields), true) = (&mut answer, any) {
        fields.insert("set_aside".to_owned(), aside);
    }
    answer
}

fn document(piece: &Piece) -> Json {
    let indices: Vec<u32> = (piece.first_page..=piece.last_page).collect();
    json!({
        "document_id": piece.id,
        "doc_type": piece.doc_type,
        "page_indices": indices,
        "extracted_data": piece.extracted_data.clone().unwrap_or_else(|| Json::Object(Map::new())),
        "extraction_confidence": piece.extraction_confidence,
        "status": "completed",
    })
}
