//! The picture of a page made smaller: each new pixel is the weighted mean of those it stands for.
//!
//! One kind of pixel and one filter are all that is needed here. A library for all of them was four
//! fifths of what the reader of pictures was compiled from.

/// Bytes of a pixel: red, green, blue.
const CHANNELS: usize = 3;
/// Weights are whole numbers of so many bits; with a byte each and all of them added up they fit
/// into 32.
const MOST_BITS: u32 = 22;
const WEIGHT_BITS: u32 = 15;

/// A picture of `from` pixels, row after row, as one of `to` pixels. `None`: it is not of that size,
/// or one of the two has no pixels.
pub fn resized(rgb: &[u8], from: (u32, u32), to: (u32, u32)) -> Option<Vec<u8>> {
    let [width, height, to_width, to_height] =
        [from.0, from.1, to.0, to.1].map(|side| side as usize);
    let whole = width.checked_mul(height)?.checked_mul(CHANNELS)?;
    if whole == 0 || rgb.len() != whole || to_width == 0 || to_height == 0 {
        return None;
    }
    let lower = if height == to_height { None } else { Some(lower(rgb, width, height, to_height)) };
    let rows = lower.as_deref().unwrap_or(rgb);
    Some(if width == to_width { rows.to_vec() } else { narrower(rows, width, to_width) })
}

/// Another number of rows.
fn lower(rgb: &[u8], width: usize, height: usize, to_height: usize) -> Vec<u8> {
    let row = width * CHANNELS;
    let weights = Weights::new(height, to_height);
    let mut result = vec![0; row * to_height];
    let mut sums = vec![0; row];
    for (taps, into) in weights.taps.iter().zip(result.chunks_exact_mut(row)) {
        sums.fill(weights.half());
        let source = rgb[taps.start * row..].chunks_exact(row);
        for (weight, source) in taps.weights.iter().zip(source) {
            for (sum, value) in sums.iter_mut().zip(source) {
                *sum += i32::from(*value) * i32::from(*weight);
            }
        }
        for (into, sum) in into.iter_mut().zip(&sums) {
            *into = weights.rounded(*sum);
        }
    }
    result
}

/// Another number of columns.
fn narrower(rgb: &[u8], width: usize, to_width: usize) -> Vec<u8> {
    let weights = Weights::new(width, to_width);
    let rows = rgb.chunks_exact(width * CHANNELS);
    let mut result = Vec::with_capacity(rows.len() * to_width * CHANNELS);
    for row in rows {
        for taps in &weights.taps {
            let mut sums = [weights.half(); CHANNELS];
            let pixels = row[taps.start * CHANNELS..].as_chunks::<CHANNELS>().0;
            for (weight, pixel) in taps.weights.iter().zip(pixels) {
                for (sum, value) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(*value) * i32::from(*weight);
                }
            }
            result.extend(sums.map(|sum| weights.rounded(sum)));
        }
    }
    result
}

/// What each new row or column is made of.
struct Weights {
    bits: u32,
    taps: Vec<Taps>,
}

struct Taps {
    start: usize,
    weights: Vec<i16>,
}

impl Weights {
    /// A tent over the pixels that a new one stands for, and half of those beside them.
    fn new(from: usize, to: usize) -> Self {
        let scale = from as f64 / to as f64;
        let reach = scale.max(1.0);
        let tent = |to: usize| {
            let centre = (to as f64 + 0.5) * scale;
            let first = (centre - reach).floor().max(0.0) as usize;
            let end = (centre + reach).ceil().min(from as f64) as usize;
            let height = |n: usize| 1.0 - ((n as f64 - (centre - 0.5)) * (1.0 / reach)).abs();
            let inside = (first..end).map(|n| (n, height(n))).filter(|(_, height)| *height > 0.0);
            let (places, heights): (Vec<usize>, Vec<f64>) = inside.unzip();
            let sum: f64 = heights.iter().sum();
            let shares: Vec<f64> = heights.into_iter().map(|height| height / sum).collect();
            (places.first().copied().unwrap_or(first), shares)
        };
        let tents: Vec<(usize, Vec<f64>)> = (0..to).map(tent).collect();
        let largest = tents.iter().flat_map(|(_, shares)| shares).copied().fold(0.0, f64::max);
        let fits = |bits: &u32| {
            (largest * f64::from(1 << (bits + 1))).round() < f64::from(1 << WEIGHT_BITS)
        };
        let bits = (0..MOST_BITS - 1).take_while(fits).count() as u32;
        let whole = |share: &f64| (share * f64::from(1 << bits)).round() as i16;
        let taps = tents
            .iter()
            .map(|(start, shares)| Taps {
                start: *start,
                weights: shares.iter().map(whole).collect(),
            })
            .collect();
        Self { bits, taps }
    }

    /// Added beforehand, it rounds.
    fn half(&self) -> i32 {
        1 << self.bits >> 1
    }

    fn rounded(&self, sum: i32) -> u8 {
        (sum >> self.bits).clamp(0, 255) as u8
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_pixels_become_their_mean_and_one_colour_stays() {
        let row = [0, 10, 20, 100, 30, 60];
        assert_eq!(resized(&row, (2, 1), (1, 1)).unwrap(), [50, 20, 40]);
        assert_eq!(resized(&row, (1, 2), (1, 1)).unwrap(), [50, 20, 40]);
        assert_eq!(resized(&row, (2, 1), (2, 1)).unwrap(), row);
        let grey = vec![77; 40 * 30 * 3];
        assert_eq!(resized(&grey, (40, 30), (13, 7)).unwrap(), vec![77; 13 * 7 * 3]);
        assert_eq!(resized(&grey, (40, 30), (64, 45)).unwrap(), vec![77; 64 * 45 * 3]);
    }

    #[test]
    fn an_edge_stays_where_it_was() {
        let picture: Vec<u8> =
            (0..400 * 8).flat_map(|n| [if n % 400 < 200 { 0 } else { 255 }; 3]).collect();
        let small = resized(&picture, (400, 8), (100, 2)).unwrap();
        let reds: Vec<u8> =
            small.chunks_exact(300).next().unwrap().iter().step_by(3).copied().collect();
        assert!(reds[..49].iter().all(|red| *red == 0), "{reds:?}");
        assert!(reds[51..].iter().all(|red| *red == 255), "{reds:?}");
    }

    #[test]
    fn what_is_no_picture_is_none() {
        assert!(resized(&[], (0, 0), (1, 1)).is_none());
        assert!(resized(&[1, 2, 3], (1, 1), (0, 1)).is_none());
        assert!(resized(&[1, 2], (1, 1), (1, 1)).is_none());
        assert!(resized(&[], (u32::MAX, u32::MAX), (1, 1)).is_none());
    }

    proptest! {
        #[test]
        fn nothing_is_brighter_or_darker_than_what_it_was_made_of(
            (width, height) in (1u32..40, 1u32..40),
            to in (1u32..60, 1u32..60),
            seed in any::<u32>(),
        ) {
            let rgb: Vec<u8> = (0..width * height * 3)
                .map(|n| (n.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24) as u8 / 2 + 40)
                .collect();
            let (low, high) = (*rgb.iter().min().unwrap(), *rgb.iter().max().unwrap());
            let result = resized(&rgb, (width, height), to).unwrap();
            prop_assert_eq!(result.len(), (to.0 * to.1 * 3) as usize);
            // The weights are rounded: by one at most.
            prop_assert!(result.iter().all(|one| *one >= low - 1 && *one <= high + 1));
        }
    }
}
