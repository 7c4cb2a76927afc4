//! TIFF with a colour table, which the decoder does not know.

use ::image::{DynamicImage, RgbImage};
use tiff::decoder::DecodingResult;
use tiff::tags::{ByteOrder, PhotometricInterpretation, Tag};

use super::tiff::{Tiff, open, unpacked, unreadable};
use crate::{Broken, Limits};

const UNREADABLE: Broken = Broken::Unreadable { what: "TIFF with a colour table" };

/// Decodes the indices as if they were greys, in a copy of the file that says so, and looks the
/// colours up.
pub(super) fn picture(
    tiff: &mut Tiff<'_>,
    bytes: &[u8],
    page: usize,
    limits: &Limits,
) -> Result<DynamicImage, Broken> {
    let table = tiff.get_tag_u16_vec(Tag::ColorMap).map_err(unreadable)?;
    let depth = table_depth(table.len()).ok_or(UNREADABLE)?;
    let entry = photometric_entry(tiff, bytes).ok_or(UNREADABLE)?;
    let grey = PhotometricInterpretation::BlackIsZero.to_u16();
    let value = match tiff.byte_order() {
        ByteOrder::LittleEndian => grey.to_le_bytes(),
        ByteOrder::BigEndian => grey.to_be_bytes(),
    };
    let mut copy = bytes.to_vec();
    copy.get_mut(entry..entry + 2).ok_or(UNREADABLE)?.copy_from_slice(&value);
    let mut greys = open(&copy, limits)?;
    greys.seek_to_image(page).map_err(unreadable)?;
    let (width, height) = greys.dimensions().map_err(unreadable)?;
    if greys.colortype().map_err(unreadable)? != tiff::ColorType::Gray(depth) {
        return Err(UNREADABLE);
    }
    let DecodingResult::U8(indices) = greys.read_image().map_err(unreadable)? else {
        return Err(UNREADABLE);
    };
    let colours = table.len() / 3;
    let colour = |index: u8| {
        let at = |plane: usize| (table[plane * colours + usize::from(index)] >> 8) as u8;
        [at(0), at(1), at(2)]
    };
    let pixels = unpacked(&indices, depth, width as usize).flat_map(colour).collect();
    RgbImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8).ok_or(UNREADABLE)
}

/// The table has three values for each of two to the power of `depth` colours.
fn table_depth(values: usize) -> Option<u8> {
    [1, 2, 4, 8].into_iter().find(|depth| values == 3 << *depth)
}

/// Where the value of the photometric interpretation stands in the file.
fn photometric_entry(tiff: &mut Tiff<'_>, bytes: &[u8]) -> Option<usize> {
    let big = tiff.byte_order() == ByteOrder::BigEndian;
    let word = |at: usize| {
        let pair: [u8; 2] = bytes.get(at..at + 2)?.try_into().ok()?;
        Some(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    // BigTIFF has longer entries; a colour table in one has not been met.
    if word(2)? != 42 {
        return None;
    }
    let directory = usize::try_from(tiff.ifd_pointer()?.0).ok()?;
    let entries = usize::from(word(directory)?);
    (0..entries)
        .map(|n| directory + 2 + 12 * n)
        .find(|at| word(*at) == Some(Tag::PhotometricInterpretation.to_u16()))
        .map(|at| at + 8)
}
