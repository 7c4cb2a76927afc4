//! *Consolidación* (§3.9): the answer of a request, from its documents.

use serde_json::{Map, Value as Json, json};

/// One document as the answer shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub id: String,
    pub doc_type: String,
    pub first_page: u32,
    pub last_page: u32,
    /// The file it came in.
    pub source: Option<Source>,
    /// Of one that is not settled, what is certain.
    pub extracted_data: Option<Json>,
    pub extraction_confidence: Option<f64>,
    /// Whether everything about it is settled.
    pub settled: bool,
    /// Fields that are not certain yet.
    pub open: Vec<String>,
}

/// A file of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub index: u32,
    pub name: String,
    /// The archive or message it was in.
    pub packed_in: Option<String>,
}

/// The text of a page, for flows that make no documents of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadPage {
    pub index: u32,
    pub source: Option<Source>,
    pub text: Option<String>,
    pub confidence: Option<f64>,
    pub doc_type: Option<String>,
}

/// The result of §13.2. Documents come in page order. Of those that are not settled, which are only
/// in a partial answer, what is certain is told beside them.
pub fn compose(request: &str, workflow: &str, pages: u32, pieces: &[Piece]) -> Json {
    let documents: Vec<Json> = pieces.iter().filter(|piece| piece.settled).map(document).collect();
    let pending = pieces.iter().filter(|piece| !piece.settled && piece.extracted_data.is_some());
    let pending: Vec<Json> = pending.map(document).collect();
    let mut answer = json!({
        "request_id": request,
        "workflow": workflow,
        "total_pages": pages,
        "total_documents": documents.len(),
        "documents": documents,
    });
    if let (Json::Object(fields), false) = (&mut answer, pending.is_empty()) {
        fields.insert("pending_documents".to_owned(), Json::Array(pending));
    }
    answer
}

/// The answer with what components outside said about the whole request, by stage.
pub fn with_replies(mut answer: Json, said: Map<String, Json>) -> Json {
    if let (Json::Object(fields), false) = (&mut answer, said.is_empty()) {
        fields.insert("stages".to_owned(), Json::Object(said));
    }
    answer
}

/// The answer with the text of its pages, where they became no documents.
pub fn with_pages(mut answer: Json, pages: &[ReadPage]) -> Json {
    let page = |page: &ReadPage| {
        let told = json!({
            "page_index": page.index,
            "text": page.text,
            "confidence": page.confidence,
            "doc_type": page.doc_type,
        });
        with_source(told, page.source.as_ref())
    };
    if let (Json::Object(fields), false) = (&mut answer, pages.is_empty()) {
        fields.insert("pages".to_owned(), pages.iter().map(page).collect());
    }
    answer
}

fn with_source(mut told: Json, source: Option<&Source>) -> Json {
    if let (Json::Object(fields), Some(source)) = (&mut told, source) {
        fields.insert("file_index".to_owned(), source.index.into());
        fields.insert("file_name".to_owned(), source.name.as_str().into());
        let packed = source.packed_in.as_deref().map(|name| ("packed_in".to_owned(), name.into()));
        fields.extend(packed);
    }
    told
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
    let mut told = json!({
        "document_id": piece.id,
        "doc_type": piece.doc_type,
        "page_indices": indices,
        "extracted_data": piece.extracted_data.clone().unwrap_or_else(|| Json::Object(Map::new())),
        "extraction_confidence": piece.extraction_confidence,
        "status": if piece.settled { "completed" } else { "pending" },
    });
    if let (Json::Object(fields), false) = (&mut told, piece.settled) {
        fields.insert("pending_fields".to_owned(), json!(piece.open));
    }
    with_source(told, piece.source.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(settled: bool, data: Option<Json>) -> Piece {
        let source =
            Source { index: 2, name: "b.pdf".into(), packed_in: Some("lote.zip".to_owned()) };
        Piece {
            id: "d".into(),
            doc_type: "invoice".into(),
            first_page: 0,
            last_page: 1,
            source: Some(source),
            extracted_data: data,
            extraction_confidence: Some(0.5),
            settled,
            open: vec!["date".to_owned()],
        }
    }

    #[test]
    fn a_document_says_which_file_it_came_in() {
        let answer = compose("r", "w", 2, &[piece(true, None)]);
        let document = &answer["documents"][0];
        assert_eq!((&document["file_index"], &document["file_name"]), (&2.into(), &"b.pdf".into()));
        assert_eq!(document["packed_in"], "lote.zip");
    }

    #[test]
    fn what_is_certain_of_a_pending_document_is_told_and_nothing_of_an_unknown_one() {
        let known = Some(json!({ "total": 12 }));
        let answer = compose("r", "w", 2, &[piece(false, known), piece(false, None)]);
        assert_eq!(answer["total_documents"], 0);
        assert_eq!(answer["pending_documents"].as_array().map(Vec::len), Some(1));
        assert_eq!(answer["pending_documents"][0]["status"], "pending");
        assert_eq!(answer["pending_documents"][0]["extracted_data"]["total"], 12);
        assert_eq!(answer["pending_documents"][0]["pending_fields"][0], "date");
        assert_eq!(compose("r", "w", 2, &[])["pending_documents"], Json::Null);
    }

    #[test]
    fn pages_without_documents_are_answered_by_their_text() {
        let page = ReadPage {
            index: 0,
            source: None,
            text: Some("Hola".into()),
            confidence: Some(0.9),
            doc_type: None,
        };
        let answer = with_pages(compose("r", "w", 1, &[]), &[page]);
        assert_eq!(answer["pages"][0]["text"], "Hola");
        assert_eq!(with_pages(compose("r", "w", 1, &[]), &[])["pages"], Json::Null);
    }
}
