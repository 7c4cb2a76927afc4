//! Pictures that are larger than whoever looks at them needs.

use ::image::RgbImage;
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

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
    let from = ImageRef::new(width, height, picture.as_raw(), PixelType::U8x3);
    let from = from.map_err(|_| unreadable())?;
    let mut to = Image::new(to_width, to_height, PixelType::U8x3);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear));
    // Told the kind of pixel, the library is compiled for that one and not for all fourteen.
    let view = from.typed_image::<U8x3>().ok_or_else(unreadable)?;
    let mut into = to.typed_image_mut::<U8x3>().ok_or_else(unreadable)?;
    Resizer::new().resize_typed(&view, &mut into, &options).map_err(|_| unreadable())?;
    RgbImage::from_raw(to_width, to_height, to.into_vec()).ok_or_else(unreadable)
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
