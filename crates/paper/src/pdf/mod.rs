//! PDF: the text layer and the picture of a page.

mod collect;
mod meter;
mod streams;
mod weigh;
mod words;

use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::util::TransformExt;
use hayro_interpret::{Context, Device, InterpreterCache, InterpreterSettings, interpret_page};
use hayro_syntax::{DecryptionError, LoadPdfError};
use image::RgbImage;
use memchr::memmem;

use crate::guard::{self, Deadline};
use crate::{Broken, Layer, Limits};

const WHAT: &str = "PDF";
/// The rasteriser counts pixels in sixteen bits.
const SIDE: f32 = 65_000.0;

/// An opened PDF.
pub(crate) struct Pdf {
    file: hayro_syntax::Pdf,
    limits: Limits,
}

impl Pdf {
    pub(crate) fn open(
        bytes: Vec<u8>,
        password: Option<&str>,
        limits: &Limits,
    ) -> Result<Self, Broken> {
        guard::deep(WHAT, || {
            streams::check_raw(&bytes, limits)?;
            let cut = is_cut(&bytes);
            let file = load(bytes, password)?;
            streams::check(&file, limits)?;
            let found = file.pages().len();
            // The pages that are missing would be missed by nobody.
            if cut {
                return Err(Broken::Cut);
            }
            if found == 0 {
                return Err(Broken::NoPages);
            }
            if found > limits.pages {
                return Err(Broken::TooManyPages { found, limit: limits.pages });
            }
            Ok(Self { file, limits: limits.clone() })
        })
    }

    pub(crate) fn page_count(&self) -> usize {
        self.file.pages().len()
    }

    pub(crate) fn size(&self, page: usize) -> Result<(f32, f32), Broken> {
        let (width, height) = self.page(page)?.render_dimensions();
        let longest = width.max(height);
        let limit = self.limits.page_points;
        // Not a number compares false with everything.
        if longest <= limit && width.min(height) > 0.0 {
            return Ok((width, height));
        }
        Err(Broken::TooLarge { what: "page", found: longest as u64, limit: limit as u64 })
    }

    pub(crate) fn text(&self, page: usize, limits: &Limits) -> Result<Option<Layer>, Broken> {
        let size = self.size(page)?;
        guard::deep(WHAT, || {
            let mut collector = collect::Collector::new(size, Deadline::new(limits));
            self.interpret(page, 1.0, &mut collector)?;
            Ok(collector.layer())
        })
    }

    /// Draws the page. The rasteriser cannot be interrupted, so the page is weighed first (see
    /// [`weigh`]) and refused when its estimated work exceeds [`Limits::render`].
    pub(crate) fn draw(
        &self,
        page: usize,
        dpi: f32,
        side: u32,
        limits: &Limits,
    ) -> Result<RgbImage, Broken> {
        let sheet = self.size(page)?;
        let scale = scale(sheet, dpi, side, limits);
        guard::deep(WHAT, || {
            let area = (sheet.0 * scale, sheet.1 * scale);
            let mut scales = weigh::Scales::new(area, limits);
            self.interpret(page, scale, &mut scales)?;
            let pixels = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
            let pixmap = hayro::render(
                self.page(page)?,
                &RenderCache::new(),
                &InterpreterSettings::default(),
                &RenderSettings::default(),
                &pixels,
            );
            let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
            let rgb = pixmap.data().iter().flat_map(|p| [p.r, p.g, p.b]).collect();
            RgbImage::from_raw(width, height, rgb).ok_or(Broken::Unreadable { what: WHAT })
        })
    }

    fn interpret<'a>(
        &'a self,
        page: usize,
        scale: f32,
        device: &mut impl Device<'a>,
    ) -> Result<(), Broken> {
        let page = self.page(page)?;
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width * scale), f64::from(height * scale));
        let upright = Affine::scale(f64::from(scale)) * page.initial_transform(true).to_kurbo();
        let settings = InterpreterSettings::default();
        let cache = InterpreterCache::new();
        let mut context = Context::new(upright, bounds, &cache, self.file.xref(), settings);
        interpret_page(page, &mut context, device);
        Ok(())
    }

    fn page(&self, page: usize) -> Result<&Page<'_>, Broken> {
        self.file.pages().get(page).ok_or(Broken::NoSuchPage { page })
    }
}

/// Whether the file ends within an object. Behind the last end of a file, of which one that was
/// changed has several, there may be anything but the beginning of an object; and where the end is
/// missing, the table of places follows the last object.
fn is_cut(bytes: &[u8]) -> bool {
    let ended = memmem::rfind(bytes, b"%%EOF").map_or(0, |at| at);
    let open = |rest: &[u8]| memmem::find(rest, b" obj").is_some();
    if !open(&bytes[ended..]) {
        return false;
    }
    let last = memmem::rfind(bytes, b"endobj").map_or(0, |at| at);
    let rest = &bytes[last.max(ended)..];
    open(rest)
        || (memmem::find(rest, b"xref").is_none() && memmem::find(rest, b"trailer").is_none())
}

/// Many files are encrypted with the empty password, to forbid printing; those open without one.
fn load(bytes: Vec<u8>, password: Option<&str>) -> Result<hayro_syntax::Pdf, Broken> {
    let bytes = std::sync::Arc::new(bytes);
    let mut opened = hayro_syntax::Pdf::new(bytes.clone());
    if let (Err(LoadPdfError::Decryption(_)), Some(password)) = (&opened, password) {
        opened = hayro_syntax::Pdf::new_with_password(bytes, password);
    }
    opened.map_err(|error| match error {
        LoadPdfError::Invalid => Broken::Unreadable { what: WHAT },
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => match password {
            Some(_) => Broken::WrongPassword,
            None => Broken::Encrypted,
        },
        LoadPdfError::Decryption(
            DecryptionError::MissingIDEntry
            | DecryptionError::InvalidEncryption
            | DecryptionError::UnsupportedAlgorithm,
        ) => Broken::UnknownEncryption,
    })
}

/// Pixels per point: as asked, or as many as the limits allow.
fn scale((width, height): (f32, f32), dpi: f32, side: u32, limits: &Limits) -> f32 {
    let wanted = if dpi.is_finite() { dpi.clamp(1.0, 2400.0) / 72.0 } else { 1.0 };
    let by_area = (limits.pixels.min(limits.drawn) as f32 / (width * height)).sqrt();
    let by_side = SIDE.min(side as f32) / width.max(height);
    // At least one pixel each way.
    wanted.min(by_area).min(by_side).max(1.0 / width.min(height))
}
