//! Finds the lines of text in a picture (the detector).

use image::RgbImage;
use rten_tensor::NdTensor;

use super::strip::Strip;
use crate::frame::Point;

/// The detector sees the page in steps of this many pixels.
const STEP: u32 = 32;
/// The detector's answer above which a pixel is text, and the mean that makes its blob a line.
const INK: f32 = 0.3;
const SURE: f32 = 0.5;
/// The detector marks the core of a line; the line reaches this much further, less at its ends.
const REACH: f32 = 1.5;
const REACH_ALONG: f32 = 0.8;
/// Thinner blobs are rules and specks.
const THINNEST: f32 = 3.0;
/// No page has so many lines; noise may.
const MOST_BLOBS: usize = 3000;

/// The picture as the detector wants it.
pub(crate) struct View {
    width: usize,
    height: usize,
    /// Picture pixels per view pixel.
    scale: Point,
}

impl View {
    /// The longer side is brought down to `long`, unless the shorter would fall below a third of
    /// it: a till roll is long and thin, and its letters must stay legible.
    pub(crate) fn of(picture: (u32, u32), long: f32) -> Self {
        let (w, h) = (picture.0.max(1) as f32, picture.1.max(1) as f32);
        let fit = long / w.max(h);
        let legible = (long / 3.0 / w.min(h)).min(3.0 * fit);
        let scale = fit.max(legible).min(1.0);
        let round = |side: f32| ((side * scale / STEP as f32).round() as u32).max(1) * STEP;
        let (width, height) = (round(w), round(h));
        Self {
            width: width as usize,
            height: height as usize,
            scale: (w / width as f32, h / height as f32),
        }
    }

    /// `None`: a picture without pixels.
    pub(crate) fn tensor(&self, picture: &RgbImage) -> Option<NdTensor<f32, 4>> {
        let size = (self.width as u32, self.height as u32);
        let small = page::resized(picture.as_raw(), picture.dimensions(), size)?;
        let area = self.width * self.height;
        let mut values = vec![0.0; 3 * area];
        // The network was trained on blue, green, red, with these means and deviations.
        let channels = [(2, 0.485, 0.229), (1, 0.456, 0.224), (0, 0.406, 0.225)];
        for (plane, (channel, mean, deviation)) in values.chunks_exact_mut(area).zip(channels) {
            let (scale, shift) = (1.0 / (255.0 * deviation), mean / deviation);
            for (value, pixel) in plane.iter_mut().zip(small.chunks_exact(3)) {
                *value = f32::from(pixel[channel]) * scale - shift;
            }
        }
        Some(NdTensor::from_data([1, 3, self.height, self.width], values))
    }

    /// The lines of text in the detector's answer, in pixels of the picture.
    pub(crate) fn blobs(&self, answer: &[f32]) -> Vec<Blob> {
        let mut blobs = Vec::new();
        let mut seen = vec![false; self.width * self.height];
        for start in 0..answer.len().min(seen.len()) {
            if answer[start] > INK && !seen[start] {
                blobs.extend(self.flood(answer, &mut seen, start));
                if blobs.len() == MOST_BLOBS {
                    break;
                }
            }
        }
        blobs
    }

    /// Everything connected with the pixel, if it is likely enough to be text.
    fn flood(&self, answer: &[f32], seen: &mut [bool], start: usize) -> Option<Blob> {
        let (width, height) = (self.width, self.height);
        let (mut sum, mut count) = (0.0, 0.0);
        // The first and the last pixel of each row: enough for the hull.
        let mut rows: Vec<Option<(usize, usize)>> = Vec::new();
        // Pages are scanned downwards: nothing of this blob is above its first pixel.
        let top = start / width;
        let mut open = vec![start];
        seen[start] = true;
        while let Some(at) = open.pop() {
            let (x, y) = (at % width, at / width);
            sum += answer[at];
            count += 1.0;
            if rows.len() <= y - top {
                rows.resize(y - top + 1, None);
            }
            let row = &mut rows[y - top];
            *row = Some(row.map_or((x, x), |(first, last)| (first.min(x), last.max(x))));
            for y in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for x in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    let next = y * width + x;
                    if !seen[next] && answer[next] > INK {
                        seen[next] = true;
                        open.push(next);
                    }
                }
            }
        }
        if sum < SURE * count {
            return None;
        }
        let mut rim = Vec::with_capacity(rows.len() * 4);
        for (y, span) in (top..).zip(rows) {
            let Some((first, last)) = span else { continue };
            for x in [first, last + 1] {
                for y in [y, y + 1] {
                    rim.push((x as f32 * self.scale.0, y as f32 * self.scale.1));
                }
            }
        }
        let core = Strip::tightest(&rim)?;
        let thinnest = THINNEST * self.scale.0.min(self.scale.1);
        (core.height >= thinnest).then_some(Blob { rim, core })
    }
}

/// Connected pixels that are the core of a line of text.
pub(crate) struct Blob {
    rim: Vec<Point>,
    pub(crate) core: Strip,
}

impl Blob {
    /// The line on a page with this tilt.
    pub(crate) fn strip(&self, tilt: f32) -> Strip {
        let mut core = self.core;
        // A few letters have no direction of their own.
        if core.aspect() < 3.0 {
            core = Strip::around(&self.rim, (tilt.cos(), tilt.sin()));
        } else if core.along.0 < 0.0 {
            core = core.flipped();
        }
        let reach = core.length * core.height * REACH / (2.0 * (core.length + core.height));
        core.grown(reach * REACH_ALONG, reach)
    }
}
