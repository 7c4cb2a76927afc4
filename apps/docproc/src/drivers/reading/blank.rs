//! Whether there is anything on a page.

use image::RgbImage;

/// Darker than the paper by this much is ink.
const INK: u8 = 48;
/// A scanner's shadow at the edges is no ink: this share of each side is not looked at.
const EDGE: u32 = 25;
/// Specks of dust are less than this share of a page; the smallest signature is more.
const SPECKS: f64 = 0.0003;

/// How much of a picture is ink. Every second pixel of every second row says enough.
pub(super) fn ink(picture: &RgbImage) -> f64 {
    let (width, height) = picture.dimensions();
    let (left, top) = (width / EDGE, height / EDGE);
    let greys: Vec<u8> = (top..height - top)
        .step_by(2)
        .flat_map(|y| (left..width - left).step_by(2).map(move |x| (x, y)))
        .map(|(x, y)| {
            let [r, g, b] = picture.get_pixel(x, y).0.map(u16::from);
            ((r * 3 + g * 6 + b) / 10) as u8
        })
        .collect();
    let mut counts = [0usize; 256];
    for grey in &greys {
        counts[usize::from(*grey)] += 1;
    }
    // The paper is what there is most of.
    let paper = (0..=u8::MAX).max_by_key(|grey| counts[usize::from(*grey)]).unwrap_or(u8::MAX);
    let dark: usize = counts[..usize::from(paper.saturating_sub(INK))].iter().sum();
    let light: usize = counts[usize::from(paper.saturating_add(INK))..].iter().skip(1).sum();
    (dark + light) as f64 / greys.len().max(1) as f64
}

/// Whether a page on which nobody found a word has nothing on it.
pub(super) fn is_blank(ink: f64) -> bool {
    ink < SPECKS
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::{ink, is_blank};

    #[test]
    fn dust_is_nothing_and_a_stroke_of_a_pen_is_something() {
        let mut page =
            RgbImage::from_fn(1654, 2339, |x, y| Rgb([235 + ((x * 7 + y * 13) % 9) as u8; 3]));
        assert!(is_blank(ink(&page)));
        for n in 0..20 {
            page.put_pixel(200 + n * 60, 300 + n * 80, Rgb([20; 3]));
        }
        // The shadow of the lid.
        for y in 0..2339 {
            page.put_pixel(3, y, Rgb([0; 3]));
        }
        assert!(is_blank(ink(&page)), "{}", ink(&page));
        for n in 0..600 {
            for w in 0..6 {
                page.put_pixel(400 + n, 1200 + n / 3 + w, Rgb([30; 3]));
            }
        }
        assert!(!is_blank(ink(&page)), "{}", ink(&page));
        assert!(is_blank(ink(&RgbImage::new(1, 1))));
    }
}
