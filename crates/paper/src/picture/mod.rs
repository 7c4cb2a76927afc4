//! Pictures: JPEG and PNG of one page, TIFF of many.

mod fax;
mod palette;
mod shrink;
mod tiff;

use std::io::Cursor;

use ::image::codecs::jpeg::JpegDecoder;
use ::image::codecs::png::PngDecoder;
use ::image::metadata::Orientation;
use ::image::{DynamicImage, ImageDecoder, ImageResult, RgbImage};

use crate::{Broken, Kind, Limits, guard};

/// An opened picture file: its bytes, and the upright sizes of its pages.
pub(crate) struct Pictures {
    bytes: Vec<u8>,
    format: Format,
    sizes: Vec<(u32, u32)>,
}

#[derive(Clone, Copy)]
enum Format {
    Tiff,
    Jpeg,
    Png,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Tiff => "TIFF",
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
        }
    }
}

impl Pictures {
    pub(crate) fn open(bytes: Vec<u8>, kind: Kind, limits: &Limits) -> Result<Self, Broken> {
        let format = match kind {
            Kind::Tiff => Format::Tiff,
            Kind::Jpeg => Format::Jpeg,
            Kind::Png => Format::Png,
            Kind::Pdf | Kind::Zip | Kind::Text | Kind::Mail => {
                return Err(Broken::Unreadable { what: "a picture" });
            }
        };
        // A reader would make the rest grey, and nobody would miss it.
        if matches!(format, Format::Jpeg) && is_cut(&bytes) {
            return Err(Broken::PictureCut);
        }
        let sizes = guard::here(format.name(), || match format {
            Format::Tiff => tiff::sizes(&bytes, limits),
            Format::Jpeg | Format::Png => {
                single_size(&bytes, format, limits).map(|size| vec![size])
            }
        })?;
        Ok(Self { bytes, format, sizes })
    }

    pub(crate) fn page_count(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn size(&self, page: usize) -> Result<(f32, f32), Broken> {
        let (w, h) = self.sizes.get(page).ok_or(Broken::NoSuchPage { page })?;
        Ok((*w as f32, *h as f32))
    }

    pub(crate) fn draw(&self, page: usize, side: u32, limits: &Limits) -> Result<RgbImage, Broken> {
        self.size(page)?;
        guard::here(self.format.name(), || {
            let picture = match self.format {
                Format::Tiff => tiff::render(&self.bytes, page, limits)?,
                Format::Jpeg | Format::Png => single(&self.bytes, self.format, limits)?,
            };
            shrink::within(picture, side, limits.drawn)
        })
    }
}

/// Whether a JPEG has no end after the beginning of its picture; a small one for previews may stand
/// before it, with an end of its own.
fn is_cut(bytes: &[u8]) -> bool {
    const SCAN: u8 = 0xda;
    let mut at = 2;
    while let Some([0xff, marker, high, low]) = bytes.get(at..at + 4) {
        if *marker == SCAN {
            return memchr::memmem::find(&bytes[at..], &[0xff, 0xd9]).is_none();
        }
        at += 2 + usize::from(u16::from_be_bytes([*high, *low]));
    }
    // Nothing of the picture is there, or it is none: its reader says so.
    false
}

/// Refuses a picture by the dimensions in its header, before a buffer is made for it.
fn check_pixels(width: u32, height: u32, limits: &Limits) -> Result<(), Broken> {
    let found = u64::from(width) * u64::from(height);
    if found > limits.pixels {
        return Err(Broken::TooLarge { what: "picture", found, limit: limits.pixels });
    }
    if found == 0 {
        return Err(Broken::Unreadable { what: "a picture" });
    }
    Ok(())
}

fn decoder<'a>(
    bytes: &'a [u8],
    format: Format,
    limits: &Limits,
) -> Result<Box<dyn ImageDecoder + 'a>, Broken> {
    let what = format.name();
    let opened: ImageResult<Box<dyn ImageDecoder>> = match format {
        Format::Jpeg => JpegDecoder::new(Cursor::new(bytes)).map(|d| Box::new(d) as _),
        Format::Png => PngDecoder::new(Cursor::new(bytes)).map(|d| Box::new(d) as _),
        Format::Tiff => return Err(Broken::Unreadable { what }),
    };
    let mut decoder = opened.map_err(|_| Broken::Unreadable { what })?;
    let (width, height) = decoder.dimensions();
    check_pixels(width, height, limits)?;
    let mut bounds = ::image::Limits::default();
    // Eight bytes hold the deepest pixel; as much again for the decoder's own work.
    bounds.max_alloc = Some(limits.pixels.saturating_mul(16));
    decoder.set_limits(bounds).map_err(|_| Broken::Unreadable { what })?;
    Ok(decoder)
}

fn single_size(bytes: &[u8], format: Format, limits: &Limits) -> Result<(u32, u32), Broken> {
    let mut decoder = decoder(bytes, format, limits)?;
    let (width, height) = decoder.dimensions();
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    Ok(if lies_on_its_side(orientation) { (height, width) } else { (width, height) })
}

fn single(bytes: &[u8], format: Format, limits: &Limits) -> Result<RgbImage, Broken> {
    let unreadable = |_| Broken::Unreadable { what: format.name() };
    let mut decoder = decoder(bytes, format, limits)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(unreadable)?;
    picture.apply_orientation(orientation);
    Ok(on_white(picture))
}

fn lies_on_its_side(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// Transparent pixels show the paper: black text is often stored as alpha over black.
fn on_white(picture: DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8();
    }
    let rgba = picture.into_rgba8();
    let mut paper = RgbImage::new(rgba.width(), rgba.height());
    for (out, pixel) in paper.pixels_mut().zip(rgba.pixels()) {
        let [r, g, b, alpha] = pixel.0.map(u16::from);
        out.0 = [r, g, b].map(|c| ((c * alpha + 255 * (255 - alpha)) / 255) as u8);
    }
    paper
}
