//! Pictures that are larger than whoever looks at them needs.

use ::image::RgbImage;

use crate::Broken;

/// The picture with no side longer than `side` and no more than `most` pixels.
pub(super) fn within(picture: RgbImage, side: u32, most: u64) -> Result<RgbImage, Broken> {
    let (width, height) = picture.dimensions();
    let by_side = f64::from(side) / f64::from(width.max(height));
    let by_area = (most as f64 / (f64::from(width) * f64::from(height))).sqrt();
    let factor = by_side.min(by_area);
    if factor >= 1.0 {
        return Ok(picture);
    }
    let smaller = |side: u32| ((f64::from(side) * factor).floor() as u32).max(1);
    let (to_width, to_height) = (smaller(width), smaller(height));
    let unreadable = || Broken::Unreadable { what: "a picture" };
    let small = page::resized(picture.as_raw(), (width, height), (to_width, to_height));
    small.and_then(|rgb| RgbImage::from_raw(to_width, to_height, rgb)).ok_or_else(unreadable)
}

#[cfg(test)]
mod tests {
    use ::image::{Rgb, RgbImage};

    use super::within;

    #[test]
    fn a_large_picture_is_handed_on_smaller_and_a_small_one_as_it_is() {
        let picture = RgbImage::from_fn(400, 200, |x, _| Rgb([if x < 200 { 0 } else { 255 }; 3]));
        assert_eq!(within(picture.clone(), 400, 80_000).unwrap(), picture);
        let small = within(picture.clone(), 100, 80_000).unwrap();
        assert_eq!(small.dimensions(), (100, 50));
        assert_eq!((small.get_pixel(10, 25).0, small.get_pixel(90, 25).0), ([0; 3], [255; 3]));
        let small = within(picture, u32::MAX, 20_000).unwrap();
        assert_eq!(small.dimensions(), (200, 100));
        assert_eq!(within(RgbImage::new(5000, 1), 50, 1000).unwrap().dimensions(), (50, 1));
    }
}
