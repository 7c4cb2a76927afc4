//! Files as the workers read them: the text layer when it can be trusted, else OCR.

use std::{
    fs,
    path::{Path, PathBuf},
};

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
    shelf: Option<PathBuf>,
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
        Self { pack, kind, engine: None, limits: Limits::default(), shelf: None }
    }

    /// Keeps what was read in a directory, by the content of the file and the engine, and does not
    /// read it again. For measuring: a reader that changed is not noticed, so the directory is one
    /// that goes away.
    #[must_use]
    pub fn keeping(mut self, dir: &Path) -> Self {
        self.shelf = Some(dir.to_owned());
        self
    }

    /// Every page of a file.
    pub fn pages(&mut self, path: &Path) -> Result<Vec<PageText>, Unread> {
        let bytes = fs::read(path)?;
        let kept = self.shelf.as_ref().map(|shelf| {
            shelf.join(format!("{}-{}.json", db::sha256_hex(&bytes), self.kind.word()))
        });
        let known = kept.as_ref().and_then(|kept| fs::read(kept).ok());
        if let Some(pages) = known.and_then(|known| serde_json::from_slice(&known).ok()) {
            return Ok(pages);
        }
        let pages = self.read(bytes)?;
        if let Some(kept) = kept {
            fs::create_dir_all(kept.parent().unwrap_or(Path::new(".")))?;
            // Whole or not at all: another thread may be reading it.
            let begun = kept.with_extension(format!("{:?}", std::thread::current().id()));
            fs::write(&begun, serde_json::to_vec(&pages).unwrap_or_default())?;
            fs::rename(begun, kept)?;
        }
        Ok(pages)
    }

    fn read(&mut self, bytes: Vec<u8>) -> Result<Vec<PageText>, Unread> {
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
