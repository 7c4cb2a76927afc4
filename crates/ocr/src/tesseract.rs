//! Tesseract 5, a library of the system.

mod ffi;
mod level;

use std::sync::Mutex;
use std::time::Duration;

use image::{GrayImage, RgbImage, imageops};
use page::{PageText, Word};

use self::ffi::{Found, Grey, Reader};
use self::level::Ink;
use crate::clock::Clock;
use crate::frame::Frame;
use crate::{Engine, EngineKind, Trouble};

const NAME: &str = EngineKind::Tesseract.word();
const LANGUAGES: &str = "spa+eng";
/// The library refuses sides beyond 32767 and has nothing to say about fewer than a few pixels.
const LONGEST: u32 = 32_000;
const SHORTEST: u32 = 8;
/// Smaller tilts do not hurt it.
const TOLERATED_TILT: f32 = 0.4;
/// Below this the page may lie another way.
const SURELY_UPRIGHT: f32 = 0.5;

/// By how much the picture is turned clockwise before it is read.
#[derive(Clone, Copy)]
enum Turn {
    None,
    Quarter,
    Half,
    ThreeQuarters,
}

impl Turn {
    fn degrees(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Quarter => 90,
            Self::Half => 180,
            Self::ThreeQuarters => 270,
        }
    }
}

pub struct Tesseract {
    reader: Reader,
}

impl Tesseract {
    pub fn open() -> Result<Self, Trouble> {
        // The library fills tables of its own when an engine starts.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock();
        Ok(Self { reader: Reader::open(LANGUAGES).map_err(|reason| trouble(&reason))? })
    }

    /// Of the library, with the languages it reads. Opens an engine to be sure.
    pub fn version() -> Result<String, Trouble> {
        let version = ffi::version().map_err(|reason| trouble(&reason))?;
        Self::open()?;
        Ok(format!("Tesseract {version} ({LANGUAGES})"))
    }

    fn look(&mut self, page: &GrayImage, turn: Turn, clock: &Clock) -> Result<PageText, Trouble> {
        clock.check()?;
        let turned = match turn {
            Turn::None => page.clone(),
            Turn::Quarter => imageops::rotate90(page),
            Turn::Half => imageops::rotate180(page),
            Turn::ThreeQuarters => imageops::rotate270(page),
        };
        let tilt = Ink::of(&turned).tilt();
        let level =
            if tilt.abs() > TOLERATED_TILT { level::levelled(&turned, tilt) } else { turned };
        let (width, height) = (level.width() as usize, level.height() as usize);
        let grey = Grey { pixels: level.as_raw(), width, height };
        let found = self.reader.read(&grey, clock.left());
        let found = found.map_err(|reason| Trouble::Read { engine: NAME, reason })?;
        let found = found.ok_or_else(|| clock.exceeded())?;
        let frame = Frame::new(level.dimensions(), false, 0.0);
        let mut read = frame.page(found.into_iter().map(|found| word(found, &frame)).collect());
        read.turned = turn.degrees();
        Ok(read)
    }
}

impl Engine for Tesseract {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, picture: &RgbImage, budget: Option<Duration>) -> Result<PageText, Trouble> {
        let clock = Clock::start(budget, None);
        let (width, height) = picture.dimensions();
        if width.min(height) < SHORTEST || width.max(height) > LONGEST {
            return Ok(Frame::new((width, height), false, 0.0).page(Vec::new()));
        }
        let page = imageops::grayscale(picture);
        let sideways = Ink::of(&page).is_sideways();
        let lying = [Turn::None, Turn::Half];
        let standing = [Turn::Quarter, Turn::ThreeQuarters];
        let (likely, other) = if sideways { (standing, lying) } else { (lying, standing) };
        let mut best = self.look(&page, likely[0], &clock)?;
        if best.words.is_empty() || best.confidence() >= SURELY_UPRIGHT {
            return Ok(best);
        }
        for turn in [likely[1], other[0], other[1]] {
            let read = self.look(&page, turn, &clock)?;
            if sense(&read) > sense(&best) {
                best = read;
            }
            if best.confidence() >= SURELY_UPRIGHT {
                break;
            }
        }
        Ok(best)
    }
}

/// How much was read with some certainty: a page lying wrong gives many letters, all doubtful.
fn sense(page: &PageText) -> f32 {
    let certain = |word: &Word| (word.confidence - 0.5).max(0.0) * word.text.len() as f32;
    page.words.iter().map(certain).sum()
}

fn word(found: Found, frame: &Frame) -> Word {
    let [left, top, right, bottom] = found.sides.map(|side| side as f32);
    let place = frame.place([(left, top), (right, top), (right, bottom), (left, bottom)]);
    Word { text: found.text, place, confidence: found.confidence }
}

fn trouble(reason: &str) -> Trouble {
    let install = "install libtesseract5, tesseract-ocr-eng and tesseract-ocr-spa";
    Trouble::Start { engine: NAME, reason: format!("{reason}; {install}") }
}
