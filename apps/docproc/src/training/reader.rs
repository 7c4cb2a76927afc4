//! Files as the workers read them: the text layer when it can be trusted, else OCR.

use std::path::Path;

use ocr::{Engine, EngineKind, Pack};
use page::PageText;
use paper::{Broken, Document, Limits};

/// As the workers draw pages for OCR.
const DPI: f32 = 200.0;

/// Reads one file after another.
pub struct Reader {
    pack: Option<Pack>,
    kind: EngineKind,
    engine: Option<Box<dyn Engine>>,
    limits: Limits,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    #[error("it cannot be opened: {0}")]
    File(#[from] std::io::Error),
    #[error("it is none of PDF, TIFF, JPEG, PNG and text")]
    Kind,
    #[error(transparent)]
    Broken(#[from] Broken),
    #[error(transparent)]
    Ocr(#[from] ocr::Trouble),
}

impl Reader {
    /// Without a pack the other engine steps in, as it does for workers.
    pub fn new(pack: Option<Pack>, wanted: EngineKind) -> Self {
        let kind = match (wanted, &pack) {
            (EngineKind::PpOcr, None) => EngineKind::Tesseract,
            (kind, _) => kind,
        };
        Self { pack, kind, engine: None, limits: Limits::default() }
    }

    /// Every page of a file.
    pub fn pages(&mut self, path: &Path) -> Result<Vec<PageText>, Unread> {
        let bytes = std::fs::read(path)?;
        let kind = paper::sniff(&bytes[..bytes.len().min(4096)]).ok_or(Unread::Kind)?;
        let document = Document::open(bytes, kind, None, &self.limits)?;
        (0..document.page_count()).map(|page| self.page(&document, page)).collect()
    }

    /// One page of an open document.
    pub fn page(&mut self, document: &Document, page: usize) -> Result<PageText, Unread> {
        if let Some(layer) = document.text(page)?
            && layer.reliable().is_ok()
        {
            return Ok(layer.text);
        }
        let picture = document.render(page, DPI)?;
        if self.engine.is_none() {
            self.engine = Some(ocr::open(self.kind, self.pack.as_ref())?);
        }
        let engine = self.engine.as_mut().expect("it was just opened");
        Ok(engine.read(&picture, None)?)
    }
}
