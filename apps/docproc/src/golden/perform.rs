//! What a stage finds out, as the workers would: the same files, engines, classifier and extractor.

use std::sync::Arc;

use jiff::civil::Date;
use page::PageText;
use paper::Document;
use understand::{
    classify::first_page_evidence,
    extract::{
        Extraction,
        memory::{self, Layout},
    },
};

use super::Readers;
use crate::{
    drivers::reading::engine_of,
    drivers::reception::is_archive,
    drivers::runtime::Runtime,
    model::Engine,
    rules::{
        blank::BLANK,
        continuity::{Evidence, Scores},
        workflow::Workflow,
    },
    store::requests::FileRow,
    training::Reader,
};

/// The files of a case, opened; those of archives too.
pub(super) fn open(runtime: &Runtime, files: &[FileRow]) -> Result<Vec<Arc<Document>>, String> {
    let limits = runtime.limits();
    let mut opened = Vec::new();
    let mut pages = 0;
    for file in files {
        let named = |broken: paper::Broken| format!("{}: {broken}", file.name);
        if !is_archive(file) {
            let document = runtime.document(file, &limits).map_err(named)?;
            pages += document.page_count();
            opened.push(document);
            continue;
        }
        let reader = runtime.storage.reader(file).map_err(|error| error.to_string())?;
        let mut inside = Vec::new();
        paper::unpack(reader, &limits, &mut |_, kind, content| {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            inside.push((kind, bytes));
            Ok(())
        })
        .map_err(named)?;
        for (kind, bytes) in inside {
            let document = runtime.renderer.open(bytes, kind, None, &limits).map_err(named)?;
            pages += document.page_count();
            opened.push(Arc::new(document));
        }
    }
    match pages {
        0 => Err("there are no pages".to_owned()),
        n if n > limits.pages => Err(format!("{n} pages are more than {}", limits.pages)),
        _ => Ok(opened),
    }
}

/// What was read on a page.
pub(super) struct ReadPage {
    pub text: PageText,
    pub evidence: Evidence,
}

pub(super) fn read(
    runtime: &Runtime,
    readers: &mut Readers,
    engine: Engine,
    document: &Document,
    page: usize,
) -> Result<ReadPage, String> {
    let reader = readers.entry(engine).or_insert_with(|| {
        Reader::new(runtime.pack.clone(), engine_of(engine, runtime.pack.as_ref()))
    });
    let text = reader.page(document, page).map_err(|unread| unread.to_string())?;
    Ok(ReadPage { evidence: first_page_evidence(&text).into(), text })
}

pub(super) fn classify(runtime: &Runtime, workflow: &Workflow, text: &PageText) -> Scores {
    if text.words.is_empty() {
        return vec![(BLANK.to_owned(), 1.0)];
    }
    let scores = runtime.classifier.scores(text, &workflow.types());
    scores.into_iter().map(|(name, p)| (name, rounded(p))).collect()
}

/// The fields of a document. Recognised with nothing to extract, it is settled as it is.
pub(super) fn extract(
    workflow: &Workflow,
    doc_type: &str,
    pages: &[&PageText],
    today: Date,
    layouts: &[&Layout],
) -> (Extraction, bool) {
    match workflow.schemas.get(doc_type) {
        Some(schema) => {
            let (found, recalled) = memory::extract(doc_type, schema, pages, today, layouts);
            (found, recalled.is_some())
        }
        None => (Extraction { fields: Vec::new(), confidence: 1.0, checks: Vec::new() }, false),
    }
}

/// As workers keep confidences; the threshold is compared with this.
pub(super) fn rounded(p: f32) -> f64 {
    (f64::from(p) * 10_000.0).round() / 10_000.0
}
