//! *OCR* (§3.3): the words of a page, from its text layer when that can be trusted, else from
//! its picture.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};

use engine::Sentence;
use ocr::{Engine, EngineKind, Pack};
use page::{PageText, Source};
use paper::Document;
use understand::classify::first_page_evidence;

use super::{blank, split::trouble};
use crate::{
    drivers::runtime::Runtime,
    model,
    rules::{blank::BLANK, continuity::Evidence, retry::Trouble},
    store::{
        jobs::{Input, Job},
        progress::Found,
        requests::FileRow,
    },
};

/// Fine enough for eight-point print, coarse enough to be quick.
const DPI: f32 = 200.0;

/// The engine that a workflow means; without a model pack the other one steps in.
pub(crate) fn engine_of(wanted: model::Engine, pack: Option<&Pack>) -> EngineKind {
    match (wanted, pack) {
        (model::Engine::PpOcr, Some(_)) => EngineKind::PpOcr,
        (model::Engine::PpOcr, None) | (model::Engine::Tesseract, _) => EngineKind::Tesseract,
    }
}

/// The engines of one thread, opened when first needed.
#[derive(Default)]
pub(super) struct Engines(HashMap<EngineKind, Box<dyn Engine>>);

impl Engines {
    fn get(
        &mut self,
        runtime: &Runtime,
        wanted: model::Engine,
    ) -> Result<&mut Box<dyn Engine>, Trouble> {
        let kind = engine_of(wanted, runtime.pack.as_ref());
        match self.0.entry(kind) {
            Entry::Occupied(open) => Ok(open.into_mut()),
            Entry::Vacant(empty) => {
                let engine = ocr::open(kind, runtime.pack.as_ref()).map_err(|error| Trouble {
                    code: "OCR_ENGINE_MISSING".into(),
                    detail: unread(&error),
                    lasting: false,
                })?;
                Ok(empty.insert(engine))
            }
        }
    }

    /// After a panic nothing inside an engine is certain.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// The words of a page's own text layer, when that can be trusted.
pub(super) fn layer(runtime: &Runtime, job: &Job) -> Result<Option<Found>, Trouble> {
    let (document, page) = open(runtime, job)?;
    let Some(layer) = document.text(page).map_err(|broken| trouble(&broken))? else {
        return Ok(None);
    };
    match layer.reliable() {
        Ok(()) => Ok(Some(found(layer.text))),
        Err(doubt) => {
            let request_id = &job.claim.request;
            tracing::debug!(request_id, page, %doubt, "text layer not used");
            Ok(None)
        }
    }
}

/// The words in a page's picture.
pub(super) fn picture(
    runtime: &Runtime,
    job: &Job,
    engines: &mut Engines,
    engine: model::Engine,
    budget: Duration,
) -> Result<Found, Trouble> {
    let (document, page) = open(runtime, job)?;
    let picture = document.render(page, DPI).map_err(|broken| trouble(&broken))?;
    let ink = blank::ink(&picture);
    if ink == 0.0 {
        let (width, height) = picture.dimensions();
        let (width, height) = (width as f32, height as f32);
        let words = Vec::new();
        return Ok(nothing(PageText { width, height, source: Source::Ocr, turned: 0, words }));
    }
    let text =
        engines.get(runtime, engine)?.read(&picture, Some(budget)).map_err(|error| Trouble {
            code: match error {
                ocr::Trouble::Slow(_) => "OCR_TIMEOUT",
                ocr::Trouble::Missing(_) | ocr::Trouble::Start { .. } => "OCR_ENGINE_MISSING",
                ocr::Trouble::Read { .. } => "OCR_FAILED",
            }
            .into(),
            detail: unread(&error),
            lasting: false,
        })?;
    if text.words.is_empty() && blank::is_blank(ink) {
        return Ok(nothing(text));
    }
    Ok(found(text))
}

/// What the reader of pictures says, for both languages.
fn unread(error: &ocr::Trouble) -> String {
    let es = match error {
        ocr::Trouble::Slow(_) => "leer la página llevó demasiado".to_owned(),
        ocr::Trouble::Missing(_) | ocr::Trouble::Start { .. } => {
            format!("el lector de imágenes no está o no arranca ({error})")
        }
        ocr::Trouble::Read { .. } => format!("el lector de imágenes falló ({error})"),
    };
    Sentence::new(es, error.to_string()).kept()
}

/// There is nothing on the page: that is what it is, and nobody has to say so.
fn nothing(text: PageText) -> Found {
    let scores = Some(vec![(BLANK.to_owned(), 1.0)]);
    Found::Page { text: Some(text), evidence: Some(Evidence::default()), scores }
}

fn open(runtime: &Runtime, job: &Job) -> Result<(Arc<Document>, usize), Trouble> {
    let Input::Page { file, page_in_file, .. } = &job.input else {
        return Err(misplaced("ocr"));
    };
    let file = file_of(job, *file)?;
    let opened = runtime.document(file, &runtime.limits());
    Ok((opened.map_err(|broken| trouble(&broken))?, *page_in_file as usize))
}

fn found(text: PageText) -> Found {
    let evidence = Some(first_page_evidence(&text).into());
    Found::Page { text: Some(text), evidence, scores: None }
}

pub(super) fn file_of(job: &Job, n: u32) -> Result<&FileRow, Trouble> {
    job.request.files.iter().find(|file| file.n == n).ok_or_else(|| Trouble {
        code: "FILE_GONE".into(),
        detail: Sentence::new(
            format!("el archivo {n} de la solicitud no está"),
            format!("file {n} of the request is not there"),
        )
        .kept(),
        lasting: true,
    })
}

/// A stage that got something it does not work on; a checked workflow never sends that.
pub(super) fn misplaced(component: &str) -> Trouble {
    Trouble {
        code: "MISPLACED".into(),
        detail: Sentence::new(
            format!("{component} recibió algo con lo que no trabaja"),
            format!("{component} got something it does not work on"),
        )
        .kept(),
        lasting: true,
    }
}
