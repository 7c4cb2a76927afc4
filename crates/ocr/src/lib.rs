//! Optical character recognition: a picture in, words with places and confidences out.
//!
//! Two engines read a picture of a page: [`PaddleOcr`], neural networks from a [`Pack`] of models,
//! and [`Tesseract`], a library of the system. Both find out by themselves how the page was turned
//! and tilted, and answer with the words where they stand on the upright page.
//!
//! Reading is pure computation on the calling thread: one engine per worker, weights shared.

mod clock;
mod frame;
mod pack;
mod paddle;
pub mod score;
mod tesseract;

use std::path::Path;
use std::time::Duration;

use image::RgbImage;
use page::PageText;

pub use crate::pack::{Missing, Pack};
pub use crate::paddle::PaddleOcr;
pub use crate::tesseract::Tesseract;

/// Reads one picture after another.
pub trait Engine: Send {
    fn name(&self) -> &'static str;

    /// The words of the picture, in the pixels of the picture turned upright. A small tilt is taken
    /// out as well: the words stand as if the page had been straightened around its centre.
    ///
    /// `budget` is working time, looked at between steps of well under a second; exceeding it is
    /// [`Trouble::Slow`].
    fn read(&mut self, picture: &RgbImage, budget: Option<Duration>) -> Result<PageText, Trouble>;
}

/// Why a picture was not read.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("reading the page took longer than {} ms", .0.as_millis())]
    Slow(Duration),
    #[error(transparent)]
    Missing(#[from] Missing),
    #[error("{engine} could not be started: {reason}")]
    Start { engine: &'static str, reason: String },
    #[error("{engine} failed on the picture: {reason}")]
    Read { engine: &'static str, reason: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    PpOcr,
    Tesseract,
}

impl EngineKind {
    pub const ALL: [Self; 2] = [Self::PpOcr, Self::Tesseract];

    /// Its name in settings and workflows.
    pub const fn word(self) -> &'static str {
        match self {
            Self::PpOcr => "ppocr",
            Self::Tesseract => "tesseract",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// An engine for one worker. Engines opened from one pack, or from clones of it, share its weights.
pub fn open(kind: EngineKind, pack: Option<&Pack>) -> Result<Box<dyn Engine>, Trouble> {
    match kind {
        EngineKind::PpOcr => {
            let pack = pack.ok_or_else(Missing::unnamed)?;
            Ok(Box::new(PaddleOcr::open(pack)?))
        }
        EngineKind::Tesseract => Ok(Box::new(Tesseract::open()?)),
    }
}

/// Which engines could be opened: the version of each, or what is wrong and what to do.
pub fn doctor(pack_dir: &Path) -> Vec<(String, Result<String, String>)> {
    let ppocr = Pack::find(pack_dir).map(|pack| pack.version().to_owned());
    let ppocr = ppocr.map_err(|missing| missing.to_string());
    let tesseract = Tesseract::version().map_err(|trouble| trouble.to_string());
    vec![
        (EngineKind::PpOcr.word().to_owned(), ppocr),
        (EngineKind::Tesseract.word().to_owned(), tesseract),
    ]
}
