//! The compressions of fax machines inside TIFF: modified Huffman, Group 3 and Group 4.

use ::image::{GrayImage, Luma};
use hayro_ccitt::{DecodeSettings, DecoderContext, EncodingMode};
use tiff::decoder::ifd::Value;
use tiff::tags::{CompressionMethod, PhotometricInterpretation, Tag};

use super::tiff::{Tiff, code, photometric, unreadable};
use crate::Broken;

const BLACK: u8 = 0;
const WHITE: u8 = 255;
const T4_OPTIONS: Tag = Tag::Unknown(292);
const FILL_ORDER: Tag = Tag::FillOrder;
const UNREADABLE: Broken = Broken::Unreadable { what: "TIFF fax" };

/// How often a scan line is to be repeated so that the page has its shape: in the standard mode of
/// fax machines a line is twice as high as a dot is wide.
pub(super) fn row_repeat(tiff: &mut Tiff<'_>) -> u32 {
    let compression = code(tiff, Tag::Compression).and_then(CompressionMethod::from_u16);
    let fax = matches!(
        compression,
        Some(CompressionMethod::Huffman | CompressionMethod::Fax3 | CompressionMethod::Fax4)
    );
    let mut resolution = |tag| match tiff.find_tag(tag) {
        Ok(Some(Value::Rational(number, of))) => number as f32 / of as f32,
        _ => 1.0,
    };
    let (x, y) = (resolution(Tag::XResolution), resolution(Tag::YResolution));
    if fax && y > 0.0 && (1.7..2.4).contains(&(x / y)) { 2 } else { 1 }
}

/// The page as it is stored. Damaged lines stay white, as on a fax machine.
pub(super) fn picture(
    tiff: &mut Tiff<'_>,
    bytes: &[u8],
    compression: u16,
) -> Result<GrayImage, Broken> {
    let (width, height) = tiff.dimensions().map_err(unreadable)?;
    let offsets = tiff.get_tag_u64_vec(Tag::StripOffsets).map_err(unreadable)?;
    let lengths = tiff.get_tag_u64_vec(Tag::StripByteCounts).map_err(unreadable)?;
    let rows = tiff.find_tag_unsigned::<u32>(Tag::RowsPerStrip).ok().flatten().unwrap_or(height);
    let reversed = code(tiff, FILL_ORDER) == Some(2);
    let settings = settings(tiff, compression, width);
    let ink = match photometric(tiff) {
        Some(PhotometricInterpretation::BlackIsZero) => (BLACK, WHITE),
        _ => (WHITE, BLACK),
    };
    let mut lines =
        Lines { picture: GrayImage::from_pixel(width, height, Luma([ink.0])), y: 0, ink };
    let mut decoded = 0;
    for (n, (offset, length)) in offsets.iter().zip(&lengths).enumerate() {
        let top = u32::try_from(n).unwrap_or(u32::MAX).saturating_mul(rows);
        if top >= height {
            break;
        }
        let strip = strip(bytes, *offset, *length).ok_or(UNREADABLE)?;
        let turned: Vec<u8>;
        let strip = if reversed {
            turned = strip.iter().map(|byte| byte.reverse_bits()).collect();
            &turned
        } else {
            strip
        };
        lines.y = top;
        let settings = DecodeSettings { rows: rows.min(height - top), ..settings };
        let outcome = hayro_ccitt::decode(strip, &mut lines, &mut DecoderContext::new(settings));
        decoded += if outcome.is_ok() { 1 } else { lines.y - top };
    }
    if decoded == 0 { Err(UNREADABLE) } else { Ok(lines.picture) }
}

fn settings(tiff: &mut Tiff<'_>, compression: u16, columns: u32) -> DecodeSettings {
    let two_dimensional = code(tiff, T4_OPTIONS).unwrap_or(0) & 1 == 1;
    let method = CompressionMethod::from_u16(compression);
    let encoding = match method {
        Some(CompressionMethod::Fax4) => EncodingMode::Group4,
        Some(CompressionMethod::Fax3) if two_dimensional => EncodingMode::Group3_2D,
        _ => EncodingMode::Group3_1D,
    };
    DecodeSettings {
        columns,
        rows: 0,
        end_of_block: true,
        end_of_line: method == Some(CompressionMethod::Fax3),
        rows_are_byte_aligned: method == Some(CompressionMethod::Huffman),
        encoding,
        strict: false,
    }
}

fn strip(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.saturating_add(usize::try_from(length).ok()?).min(bytes.len());
    bytes.get(start..end)
}

struct Lines {
    picture: GrayImage,
    y: u32,
    /// How the colours that a fax calls white and black are shown.
    ink: (u8, u8),
}

impl hayro_ccitt::Decoder for Lines {
    fn push_row(&mut self, changes: &[u32]) {
        let width = self.picture.width();
        if self.y >= self.picture.height() {
            return;
        }
        for run in changes.chunks(2) {
            let end = run.get(1).copied().unwrap_or(width).min(width);
            for x in run[0]..end {
                self.picture.put_pixel(x, self.y, Luma([self.ink.1]));
            }
        }
        self.y += 1;
    }
}
