//! Samples on paper, scanned: noise, blur, a crooked feed, stains, JPEG.

use std::io::Cursor;

use image::{ImageEncoder as _, Rgb, RgbImage, codecs::jpeg::JpegEncoder, imageops};
use serde::Serialize;
use thiserror::Error;

use crate::{Sample, dice::Dice, pdf, pdf::picture_pdf};

/// The resolution of all scans.
pub(crate) const DPI: f32 = 150.0;

/// How much a scan suffered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wear {
    /// As rendered; in a corpus, a born-digital file.
    None,
    /// A good flatbed scanner.
    Clean,
    /// An office scanner on a Monday.
    Scanned,
    /// A copy of a fax of a copy.
    Degraded,
}

#[derive(Debug, Error)]
pub enum ScanError {
    #[error("the sample has no page {0}")]
    NoSuchPage(usize),
    #[error("the page could not be drawn: {0}")]
    Drawing(String),
    #[error("the picture could not be written: {0}")]
    Writing(#[from] image::ImageError),
}

/// A page of the sample as a picture.
pub fn scan(sample: &Sample, page: usize, wear: Wear, seed: u64) -> Result<RgbImage, ScanError> {
    let layout = sample.pages.get(page).ok_or(ScanError::NoSuchPage(page))?;
    let one = Sample { pages: vec![layout.clone()], ..sample.clone() };
    let drawn =
        paper::Document::open(pdf(&[&one]), paper::Kind::Pdf, None, &paper::Limits::default())
            .and_then(|document| document.render(0, DPI))
            .map_err(|error| ScanError::Drawing(error.to_string()))?;
    Ok(worn(drawn, wear, seed))
}

/// Every page of the samples as pictures in one PDF without any text.
pub fn scanned_pdf(samples: &[&Sample], wear: Wear, seed: u64) -> Result<Vec<u8>, ScanError> {
    let mut pictures = Vec::new();
    for sample in samples {
        for page in 0..sample.pages.len() {
            let seed = seed.wrapping_add(pictures.len() as u64);
            let picture = scan(sample, page, wear, seed)?;
            pictures.push((jpeg(&picture, wear)?, picture.dimensions()));
        }
    }
    Ok(picture_pdf(&pictures, DPI))
}

pub(crate) fn jpeg(picture: &RgbImage, wear: Wear) -> Result<Vec<u8>, ScanError> {
    let quality = match wear {
        Wear::None | Wear::Clean => 92,
        Wear::Scanned => 72,
        Wear::Degraded => 38,
    };
    let mut bytes = Cursor::new(Vec::new());
    let (width, height) = picture.dimensions();
    JpegEncoder::new_with_quality(&mut bytes, quality).write_image(
        picture.as_raw(),
        width,
        height,
        image::ExtendedColorType::Rgb8,
    )?;
    Ok(bytes.into_inner())
}

/// What one level of wear does, at most.
struct Damage {
    blur: f32,
    /// Degrees to either side.
    skew: f32,
    grain: f32,
    /// The darkest ink and the lightest paper.
    ink: f32,
    paper: f32,
    stains: usize,
    turned: u32,
}

fn worn(picture: RgbImage, wear: Wear, seed: u64) -> RgbImage {
    let damage = match wear {
        Wear::None => return picture,
        Wear::Clean => Damage {
            blur: 0.4,
            skew: 0.4,
            grain: 4.0,
            ink: 20.0,
            paper: 250.0,
            stains: 0,
            turned: 0,
        },
        Wear::Scanned => Damage {
            blur: 0.7,
            skew: 1.5,
            grain: 10.0,
            ink: 50.0,
            paper: 238.0,
            stains: 1,
            turned: 4,
        },
        Wear::Degraded => Damage {
            blur: 1.1,
            skew: 3.0,
            grain: 22.0,
            ink: 85.0,
            paper: 215.0,
            stains: 4,
            turned: 12,
        },
    };
    let mut dice = Dice::new(seed ^ 0x7363_616e);
    let angle = dice.span(-damage.skew, damage.skew).to_radians();
    let mut picture = rotate(&picture, angle);
    picture = imageops::blur(&picture, damage.blur * dice.span(0.6, 1.0));
    stain(&mut picture, damage.stains, &mut dice);
    grain(&mut picture, &damage, &mut dice);
    if dice.chance(damage.turned) {
        return match dice.below(3) {
            0 => imageops::rotate90(&picture),
            1 => imageops::rotate180(&picture),
            _ => imageops::rotate270(&picture),
        };
    }
    picture
}

/// About the middle, the paper's white beyond the edges.
fn rotate(picture: &RgbImage, angle: f32) -> RgbImage {
    let (width, height) = picture.dimensions();
    let (sin, cos) = angle.sin_cos();
    let (cx, cy) = (width as f32 / 2.0, height as f32 / 2.0);
    RgbImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (x as f32 - cx, y as f32 - cy);
        sample_at(picture, cx + dx * cos - dy * sin, cy + dx * sin + dy * cos)
    })
}

fn sample_at(picture: &RgbImage, x: f32, y: f32) -> Rgb<u8> {
    let (width, height) = picture.dimensions();
    if x < 0.0 || y < 0.0 || x >= width as f32 - 1.0 || y >= height as f32 - 1.0 {
        return Rgb([255; 3]);
    }
    let (left, top) = (x as u32, y as u32);
    let (fx, fy) = (x - left as f32, y - top as f32);
    let at = |dx: u32, dy: u32, channel: usize| {
        f32::from(picture.get_pixel(left + dx, top + dy)[channel])
    };
    Rgb([0, 1, 2].map(|channel| {
        let upper = at(0, 0, channel) * (1.0 - fx) + at(1, 0, channel) * fx;
        let lower = at(0, 1, channel) * (1.0 - fx) + at(1, 1, channel) * fx;
        (upper * (1.0 - fy) + lower * fy) as u8
    }))
}

/// Round shadows: coffee, thumbs, folds.
fn stain(picture: &mut RgbImage, most: usize, dice: &mut Dice) {
    let (width, height) = picture.dimensions();
    for _ in 0..dice.below(most + 1) {
        let (cx, cy) = (dice.unit() * width as f32, dice.unit() * height as f32);
        let radius = dice.span(0.03, 0.15) * width as f32;
        let depth = dice.span(12.0, 55.0);
        let (left, right) = ((cx - radius).max(0.0) as u32, ((cx + radius) as u32).min(width));
        let (top, low) = ((cy - radius).max(0.0) as u32, ((cy + radius) as u32).min(height));
        for y in top..low {
            for x in left..right {
                let away = ((x as f32 - cx).powi(2) + (y as f32 - cy).powi(2)).sqrt() / radius;
                if away < 1.0 {
                    let shade = depth * (1.0 - away);
                    let pixel = picture.get_pixel_mut(x, y);
                    pixel.0 = pixel.0.map(|channel| (f32::from(channel) - shade).max(0.0) as u8);
                }
            }
        }
    }
}

fn grain(picture: &mut RgbImage, damage: &Damage, dice: &mut Dice) {
    let range = (damage.paper - damage.ink) / 255.0;
    for pixel in picture.pixels_mut() {
        let speck = (dice.unit() + dice.unit() - 1.0) * damage.grain;
        pixel.0 = pixel.0.map(|channel| {
            (damage.ink + f32::from(channel) * range + speck).clamp(0.0, 255.0) as u8
        });
    }
}
