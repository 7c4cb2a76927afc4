//! A strip of the picture, straightened, as the recogniser wants it.

use image::RgbImage;

use super::strip::Strip;
use crate::frame::Point;

/// The recogniser reads lines of this height.
pub(crate) const LINE_HEIGHT: usize = 48;
const NARROWEST: usize = 16;
/// Room for some 200 letters; a longer line is squeezed.
const WIDEST: usize = 3200;

/// How many columns a strip takes at the recogniser's height.
pub(crate) fn columns(strip: &Strip) -> usize {
    ((strip.aspect() * LINE_HEIGHT as f32).ceil() as usize).clamp(NARROWEST, WIDEST)
}

/// Writes the strip as three planes (blue, green, red) of `LINE_HEIGHT` rows into `planes`, whose
/// rows are `stride` long. Columns beyond the strip are left as they are.
pub(crate) fn paint(picture: &RgbImage, strip: &Strip, stride: usize, planes: &mut [f32]) {
    let width = columns(strip);
    // Letters much larger than the line are averaged, or single samples would miss thin strokes.
    let taps = (strip.height / LINE_HEIGHT as f32).ceil().clamp(1.0, 6.0) as usize;
    let share = 1.0 / (127.5 * (taps * taps) as f32);
    let middle =
        |n: usize, tap: usize, of: usize| (n as f32 + (tap as f32 + 0.5) / taps as f32) / of as f32;
    for row in 0..LINE_HEIGHT {
        for column in 0..width {
            let mut sum = [0.0; 3];
            for down in 0..taps {
                let v = middle(row, down, LINE_HEIGHT);
                for right in 0..taps {
                    let colour = sample(picture, strip.at(middle(column, right, width), v));
                    sum = std::array::from_fn(|channel| sum[channel] + colour[channel]);
                }
            }
            for (channel, total) in sum.into_iter().enumerate() {
                let plane = 2 - channel;
                planes[(plane * LINE_HEIGHT + row) * stride + column] = total * share - 1.0;
            }
        }
    }
}

/// The colour between the four pixels around the point; beyond the edge, that of the edge.
fn sample(picture: &RgbImage, (x, y): Point) -> [f32; 3] {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let x = (x - 0.5).clamp(0.0, (width - 1) as f32);
    let y = (y - 0.5).clamp(0.0, (height - 1) as f32);
    let (left, top) = (x as usize, y as usize);
    let (right, bottom) = ((left + 1).min(width - 1), (top + 1).min(height - 1));
    let (fx, fy) = (x - left as f32, y - top as f32);
    let raw = picture.as_raw();
    let at = |x: usize, y: usize| &raw[(y * width + x) * 3..][..3];
    let corners = [at(left, top), at(right, top), at(left, bottom), at(right, bottom)];
    std::array::from_fn(|channel| {
        let [upper_left, upper_right, lower_left, lower_right] =
            corners.map(|pixel| f32::from(pixel[channel]));
        let upper = upper_left + (upper_right - upper_left) * fx;
        let lower = lower_left + (lower_right - lower_left) * fx;
        upper + (lower - upper) * fy
    })
}
