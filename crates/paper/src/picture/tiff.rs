//! TIFF, the format of scanners and fax machines.

use std::io::Cursor;

use ::image::imageops::{FilterType, resize};
use ::image::metadata::Orientation;
use ::image::{DynamicImage, GrayImage, RgbImage};
use tiff::ColorType;
use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult, Limits as Bounds};
use tiff::tags::{CompressionMethod, PhotometricInterpretation, PlanarConfiguration, Tag};

use super::{check_pixels, fax, lies_on_its_side, palette};
use crate::{Broken, Limits};

pub(super) type Tiff<'a> = Decoder<Cursor<&'a [u8]>>;

/// The upright sizes of all pages, from their headers.
pub(super) fn sizes(bytes: &[u8], limits: &Limits) -> Result<Vec<(u32, u32)>, Broken> {
    let mut tiff = open(bytes, limits)?;
    let mut sizes = Vec::new();
    loop {
        let (width, height) = tiff.dimensions().map_err(unreadable)?;
        let height = height.saturating_mul(fax::row_repeat(&mut tiff));
        check_pixels(width, height, limits)?;
        check_compression(&mut tiff)?;
        let side = lies_on_its_side(orientation(&mut tiff));
        sizes.push(if side { (height, width) } else { (width, height) });
        if !tiff.more_images() {
            return Ok(sizes);
        }
        if sizes.len() >= limits.pages {
            let found = sizes.len() + 1;
            return Err(Broken::TooManyPages { found, limit: limits.pages });
        }
        tiff.next_image().map_err(unreadable)?;
    }
}

/// Scanners know zstd and LZMA too, by numbers of their own; what is not decoded here is refused
/// before anybody waits for it.
fn check_compression(tiff: &mut Tiff<'_>) -> Result<(), Broken> {
    let compression = code(tiff, Tag::Compression).unwrap_or(1);
    match CompressionMethod::from_u16(compression) {
        Some(
            CompressionMethod::None
            | CompressionMethod::Huffman
            | CompressionMethod::Fax3
            | CompressionMethod::Fax4
            | CompressionMethod::LZW
            | CompressionMethod::ModernJPEG
            | CompressionMethod::Deflate
            | CompressionMethod::OldDeflate
            | CompressionMethod::PackBits,
        ) => Ok(()),
        _ => Err(Broken::Unreadable { what: "TIFF of this compression" }),
    }
}

pub(super) fn render(bytes: &[u8], page: usize, limits: &Limits) -> Result<RgbImage, Broken> {
    let mut tiff = open(bytes, limits)?;
    tiff.seek_to_image(page).map_err(unreadable)?;
    let (width, height) = tiff.dimensions().map_err(unreadable)?;
    check_pixels(width, height, limits)?;
    let orientation = orientation(&mut tiff);
    let compression = code(&mut tiff, Tag::Compression).unwrap_or(1);
    let mut picture = match CompressionMethod::from_u16(compression) {
        Some(CompressionMethod::Huffman | CompressionMethod::Fax3 | CompressionMethod::Fax4) => {
            let repeat = fax::row_repeat(&mut tiff);
            let lines = fax::picture(&mut tiff, bytes, compression)?;
            DynamicImage::ImageLuma8(match repeat {
                1 => lines,
                _ => resize(&lines, width, height * repeat, FilterType::Nearest),
            })
        }
        _ if photometric(&mut tiff) == Some(PhotometricInterpretation::RGBPalette) => {
            palette::picture(&mut tiff, bytes, page, limits)?
        }
        _ => colours(&mut tiff)?,
    };
    picture.apply_orientation(orientation);
    Ok(picture.into_rgb8())
}

pub(super) fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Tiff<'a>, Broken> {
    let mut bounds = Bounds::default();
    // Four channels of sixteen bits.
    bounds.decoding_buffer_size = usize::try_from(limits.pixels * 8).unwrap_or(usize::MAX);
    bounds.intermediate_buffer_size = bounds.decoding_buffer_size;
    Ok(Decoder::new(Cursor::new(bytes)).map_err(unreadable)?.with_limits(bounds))
}

pub(super) fn unreadable(_: TiffError) -> Broken {
    Broken::Unreadable { what: "TIFF" }
}

pub(super) fn code(tiff: &mut Tiff<'_>, tag: Tag) -> Option<u16> {
    tiff.find_tag_unsigned::<u16>(tag).ok().flatten()
}

pub(super) fn photometric(tiff: &mut Tiff<'_>) -> Option<PhotometricInterpretation> {
    code(tiff, Tag::PhotometricInterpretation).and_then(PhotometricInterpretation::from_u16)
}

fn orientation(tiff: &mut Tiff<'_>) -> Orientation {
    code(tiff, Tag::Orientation)
        .and_then(|code| Orientation::from_exif(code as u8))
        .unwrap_or(Orientation::NoTransforms)
}

fn colours(tiff: &mut Tiff<'_>) -> Result<DynamicImage, Broken> {
    let (width, height) = tiff.dimensions().map_err(unreadable)?;
    let colour = tiff.colortype().map_err(unreadable)?;
    let separate =
        code(tiff, Tag::PlanarConfiguration) == Some(PlanarConfiguration::Planar.to_u16());
    if separate && colour.num_samples() > 1 {
        return Err(Broken::Unreadable { what: "TIFF with separate colour planes" });
    }
    let depth = colour.bit_depth();
    let samples = samples(tiff.read_image().map_err(unreadable)?, depth, width, colour)?;
    let rgb = |convert: fn(&[u8]) -> [u8; 3], channels: usize| {
        let pixels = samples.chunks_exact(channels).flat_map(convert).collect();
        RgbImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8)
    };
    let picture = match colour {
        ColorType::Gray(_) => {
            GrayImage::from_raw(width, height, samples).map(DynamicImage::ImageLuma8)
        }
        ColorType::GrayA(_) => rgb(|p| [over_white(p[0], p[1]); 3], 2),
        ColorType::RGB(_) => rgb(|p| [p[0], p[1], p[2]], 3),
        ColorType::RGBA(_) => rgb(|p| [p[0], p[1], p[2]].map(|c| over_white(c, p[3])), 4),
        ColorType::CMYK(_) => rgb(from_cmyk, 4),
        ColorType::YCbCr(_) => rgb(from_ycbcr, 3),
        ColorType::Palette(_)
        | ColorType::CMYKA(_)
        | ColorType::Lab(_)
        | ColorType::Multiband { .. }
        | _ => None,
    };
    picture.ok_or(Broken::Unreadable { what: "TIFF of this colour space" })
}

/// The samples as bytes, one each.
fn samples(
    result: DecodingResult,
    depth: u8,
    width: u32,
    colour: ColorType,
) -> Result<Vec<u8>, Broken> {
    match (result, depth) {
        (DecodingResult::U8(bytes), 8) => Ok(bytes),
        (DecodingResult::U8(bytes), 1 | 2 | 4) => {
            let row = width as usize * usize::from(colour.num_samples());
            let white = (1u16 << depth) - 1;
            Ok(unpacked(&bytes, depth, row).map(|s| (u16::from(s) * 255 / white) as u8).collect())
        }
        (DecodingResult::U16(words), 16) => Ok(words.iter().map(|s| (s >> 8) as u8).collect()),
        _ => Err(Broken::Unreadable { what: "TIFF of this sample format" }),
    }
}

/// Samples of less than a byte; every row starts on a byte.
pub(super) fn unpacked(bytes: &[u8], depth: u8, row: usize) -> impl Iterator<Item = u8> + '_ {
    let stride = (row * usize::from(depth)).div_ceil(8).max(1);
    let mask = u8::MAX >> (8 - depth);
    bytes.chunks_exact(stride).flat_map(move |line| {
        (0..row).map(move |n| {
            let bit = n * usize::from(depth);
            (line[bit / 8] >> (8 - usize::from(depth) - bit % 8)) & mask
        })
    })
}

fn over_white(colour: u8, alpha: u8) -> u8 {
    let (colour, alpha) = (u16::from(colour), u16::from(alpha));
    ((colour * alpha + 255 * (255 - alpha)) / 255) as u8
}

fn from_cmyk(p: &[u8]) -> [u8; 3] {
    let light = 255 - u16::from(p[3]);
    [p[0], p[1], p[2]].map(|ink| ((255 - u16::from(ink)) * light / 255) as u8)
}

fn from_ycbcr(p: &[u8]) -> [u8; 3] {
    let (y, cb, cr) = (f32::from(p[0]), f32::from(p[1]) - 128.0, f32::from(p[2]) - 128.0);
    [y + 1.402 * cr, y - 0.344 * cb - 0.714 * cr, y + 1.772 * cb].map(|c| c.clamp(0.0, 255.0) as u8)
}
