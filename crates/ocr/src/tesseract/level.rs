//! How a page lies, from its ink alone, and the page made level.
//!
//! Lines of text leave white between them: along the lines the ink comes in dense rows and empty
//! rows, along any other direction it is spread evenly.

use image::{GrayImage, imageops};

/// The page is looked at in this size: enough to tell lines apart, little enough to be quick.
const LOOK: u32 = 700;
/// Tilts are tried up to this many degrees.
const MOST: f32 = 10.0;
const COARSE: f32 = 1.0;
const FINE: f32 = 0.2;

/// Places of dark pixels on the reduced page.
pub(super) struct Ink {
    spots: Vec<(f32, f32)>,
    reach: f32,
}

impl Ink {
    pub(super) fn of(page: &GrayImage) -> Self {
        let (width, height) = page.dimensions();
        let scale = (LOOK as f32 / width.max(height).max(1) as f32).min(1.0);
        let side = |side: u32| ((side as f32 * scale) as u32).max(1);
        let small = imageops::thumbnail(page, side(width), side(height));
        let sum: u64 = small.pixels().map(|pixel| u64::from(pixel[0])).sum();
        let mean = sum as f32 / small.len().max(1) as f32;
        let dark = (mean * 0.75) as u8;
        let spots = small.enumerate_pixels().filter(|(_, _, pixel)| pixel[0] < dark);
        let spots = spots.map(|(x, y, _)| (x as f32, y as f32)).collect();
        let (width, height) = (small.width() as f32, small.height() as f32);
        Self { spots, reach: width.hypot(height) }
    }

    /// How unevenly the ink is spread over rows tilted by so many degrees clockwise.
    fn contrast(&self, degrees: f32) -> f64 {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut rows = vec![0u32; 2 * self.reach as usize + 2];
        for (x, y) in &self.spots {
            let row = (y * cos - x * sin + self.reach) as usize;
            if let Some(row) = rows.get_mut(row) {
                *row += 1;
            }
        }
        let steps = rows.windows(2).map(|pair| f64::from(pair[0].abs_diff(pair[1])).powi(2));
        steps.sum()
    }

    /// Whether the lines seem to stand.
    pub(super) fn is_sideways(&self) -> bool {
        let best = |around: f32| {
            let tilts = [-2.0, -1.0, 0.0, 1.0, 2.0];
            tilts.into_iter().map(|tilt| self.contrast(around + tilt)).fold(0.0, f64::max)
        };
        best(90.0) > 1.5 * best(0.0)
    }

    /// Clockwise tilt of the lines in degrees; 0 if no other is clearly better.
    pub(super) fn tilt(&self) -> f32 {
        let best = |from: f32, to: f32, step: f32| {
            let steps = ((to - from) / step).round() as usize;
            let tilts = (0..=steps).map(|n| from + n as f32 * step);
            let rated = tilts.map(|tilt| (tilt, self.contrast(tilt)));
            rated.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
        };
        let (coarse, _) = best(-MOST, MOST, COARSE);
        let (tilt, contrast) = best(coarse - COARSE, coarse + COARSE, FINE);
        if contrast > 1.1 * self.contrast(0.0) { tilt } else { 0.0 }
    }
}

/// The page turned back by its tilt around its centre; what comes in at the corners is white.
pub(super) fn levelled(page: &GrayImage, degrees: f32) -> GrayImage {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (width, height) = page.dimensions();
    let (cx, cy) = (width as f32 / 2.0, height as f32 / 2.0);
    GrayImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (x as f32 + 0.5 - cx, y as f32 + 0.5 - cy);
        let (fx, fy) = (dx * cos - dy * sin + cx - 0.5, dx * sin + dy * cos + cy - 0.5);
        imageops::interpolate_bilinear(page, fx, fy).unwrap_or(image::Luma([255]))
    })
}

#[cfg(test)]
mod tests {
    use image::Luma;

    use super::*;

    /// Black lines on white, tilted clockwise.
    fn lines(degrees: f32) -> GrayImage {
        let (sin, cos) = degrees.to_radians().sin_cos();
        GrayImage::from_fn(400, 500, |x, y| {
            let row = (y as f32 * cos - x as f32 * sin).rem_euclid(20.0);
            Luma([if row < 8.0 { 0 } else { 255 }])
        })
    }

    #[test]
    fn the_tilt_of_lines_is_measured() {
        for degrees in [-6.0, 0.0, 3.4] {
            let found = Ink::of(&lines(degrees)).tilt();
            assert!((found - degrees).abs() < 0.3, "{found} instead of {degrees}");
        }
    }

    #[test]
    fn standing_lines_are_seen() {
        assert!(!Ink::of(&lines(1.0)).is_sideways());
        assert!(Ink::of(&imageops::rotate90(&lines(1.0))).is_sideways());
    }

    #[test]
    fn a_levelled_page_is_level() {
        let level = levelled(&lines(5.0), 5.0);
        assert!(Ink::of(&level).tilt().abs() < 0.5);
    }

    #[test]
    fn a_page_without_ink_is_level() {
        for shade in [0, 255] {
            let ink = Ink::of(&GrayImage::from_pixel(50, 1, Luma([shade])));
            assert!(!ink.is_sideways());
            assert!(ink.tilt().abs() < f32::EPSILON);
        }
    }
}
