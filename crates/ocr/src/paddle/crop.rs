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
    let middles = |of: usize| {
        let middle = move |n: usize| {
            ((n / taps) as f32 + ((n % taps) as f32 + 0.5) / taps as f32) / of as f32
        };
        (0..of * taps).map(middle)
    };
    // Where each column is on the middle of the line; rows are beside that.
    let along: Vec<Point> = middles(width).map(|u| strip.at(u, 0.5)).collect();
    let (cos, sin) = strip.along;
    let across = middles(LINE_HEIGHT).map(|v| (v - 0.5) * strip.height);
    let across: Vec<Point> = across.map(|dy| (dy * sin, dy * cos)).collect();
    let mut colours = vec![[0.0; 3]; width];
    for (row, across) in across.chunks_exact(taps).enumerate() {
        colours.fill([0.0; 3]);
        for (left, down) in across {
            for (sum, along) in colours.iter_mut().zip(along.chunks_exact(taps)) {
                for (x, y) in along {
                    let colour = sample(picture, (x - left, y + down));
                    *sum = std::array::from_fn(|channel| sum[channel] + colour[channel]);
                }
            }
        }
        for (plane, channel) in [2, 1, 0].into_iter().enumerate() {
            let into = &mut planes[(plane * LINE_HEIGHT + row) * stride..][..width];
            for (value, colour) in into.iter_mut().zip(&colours) {
                *value = colour[channel] * share - 1.0;
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

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn every_value_is_the_mean_of_the_places_it_stands_for() {
        let picture = RgbImage::from_fn(300, 200, |x, y| {
            Rgb([(x * 7 + y * 3) as u8, (x ^ y) as u8, (x * y / 9) as u8])
        });
        let lying = Strip { centre: (150.0, 100.0), along: (1.0, 0.0), length: 90.0, height: 30.0 };
        let tilted = Strip { along: (0.8, -0.6), length: 200.0, height: 130.0, ..lying };
        for strip in [lying, tilted, tilted.flipped()] {
            let (width, stride) = (columns(&strip), columns(&strip) + 5);
            let mut planes = vec![9.0; 3 * LINE_HEIGHT * stride];
            paint(&picture, &strip, stride, &mut planes);
            let taps = (strip.height / LINE_HEIGHT as f32).ceil() as usize;
            let part = |n: usize, tap: usize| n as f32 + (tap as f32 + 0.5) / taps as f32;
            for (row, column) in [(0, 0), (47, width - 1), (11, width / 2), (30, 3)] {
                let mut sum = [0.0; 3];
                for (down, right) in (0..taps).flat_map(|n| (0..taps).map(move |m| (n, m))) {
                    let u = part(column, right) / width as f32;
                    let colour =
                        sample(&picture, strip.at(u, part(row, down) / LINE_HEIGHT as f32));
                    sum = std::array::from_fn(|channel| sum[channel] + colour[channel]);
                }
                for (channel, sum) in sum.into_iter().enumerate() {
                    let found = planes[((2 - channel) * LINE_HEIGHT + row) * stride + column];
                    let wanted = sum / (127.5 * (taps * taps) as f32) - 1.0;
                    assert!((found - wanted).abs() < 1e-5, "{row} {column} {found} {wanted}");
                }
            }
            assert!((planes[stride - 1] - 9.0).abs() < 1e-6, "beyond the strip nothing is painted");
        }
    }
}
