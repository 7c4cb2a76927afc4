//! Small pictures in every format.

use std::io::Cursor;

use fax::{Color, VecWriter, encoder::Encoder};
use image::codecs::jpeg::JpegEncoder;
use image::{GrayImage, ImageFormat, Luma, RgbImage};

/// White with a black block in the upper left quarter: shows turns and mirrors.
pub(crate) fn block(width: u32, height: u32) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| {
        Luma([if x < width / 2 && y < height / 4 { 0 } else { 255 }])
    })
}

/// Which quarters are dark: upper left, upper right, lower left, lower right.
pub(crate) fn dark_quarters(picture: &RgbImage) -> [bool; 4] {
    let (w, h) = picture.dimensions();
    [(1, 1), (7, 1), (1, 7), (7, 7)]
        .map(|(x, y)| picture.get_pixel(w * x / 8, h * y / 8).0[0] < 100)
}

pub(crate) fn png(picture: &GrayImage) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, ImageFormat::Png).unwrap();
    out.into_inner()
}

/// A header that promises `width` times `height` pixels.
pub(crate) fn png_bomb(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(&block(8, 8));
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

/// A JPEG whose camera was held in one of the eight ways of EXIF.
pub(crate) fn jpeg(picture: &GrayImage, orientation: Option<u8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 95).encode_image(picture).unwrap();
    if let Some(orientation) = orientation {
        let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
        exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
        let mut segment = vec![0xff, 0xe1];
        segment.extend((exif.len() as u16 + 2).to_be_bytes());
        segment.extend(exif);
        bytes.splice(2..2, segment);
    }
    bytes
}

/// One page of a TIFF: its tags with their values, and the data of its only strip.
#[derive(Clone)]
pub(crate) struct Sheet {
    pub(crate) tags: Vec<(u16, Vec<u32>)>,
    pub(crate) data: Vec<u8>,
}

impl Sheet {
    /// `bits` per sample, one value for each of the samples.
    pub(crate) fn new(size: (u32, u32), bits: &[u32], kind: (u32, u32), data: Vec<u8>) -> Self {
        let (compression, photometric) = kind;
        let tags = vec![
            (256, vec![size.0]),
            (257, vec![size.1]),
            (258, bits.to_vec()),
            (259, vec![compression]),
            (262, vec![photometric]),
            (277, vec![bits.len() as u32]),
            (278, vec![size.1]),
        ];
        Self { tags, data }
    }

    pub(crate) fn with(mut self, tag: u16, values: Vec<u32>) -> Self {
        self.tags.push((tag, values));
        self
    }

    pub(crate) fn grey(picture: &GrayImage) -> Self {
        Self::new(picture.dimensions(), &[8], (1, 1), picture.as_raw().clone())
    }

    /// Group 4; white is zero.
    pub(crate) fn fax4(picture: &GrayImage) -> Self {
        let mut encoder = Encoder::new(VecWriter::new());
        for row in picture.rows() {
            let ink = row.map(|p| if p.0[0] < 128 { Color::Black } else { Color::White });
            let _ = encoder.encode_line(ink, picture.width());
        }
        let Ok(writer) = encoder.finish();
        Self::new(picture.dimensions(), &[1], (4, 0), writer.finish())
    }
}

/// Little-endian; every value of a tag with more than one stands outside the directory.
pub(crate) fn tiff(sheets: &[Sheet]) -> Vec<u8> {
    let mut file = b"II*\0".to_vec();
    let mut link = file.len();
    file.extend([0; 4]);
    for sheet in sheets {
        let strip = file.len() as u32;
        file.extend(&sheet.data);
        let mut tags = sheet.tags.clone();
        tags.push((273, vec![strip]));
        tags.push((279, vec![sheet.data.len() as u32]));
        tags.sort();
        let mut directory = (tags.len() as u16).to_le_bytes().to_vec();
        for (tag, values) in tags {
            // Bits per sample and colour tables are words, resolutions are fractions.
            let (kind, size) = match tag {
                258 | 320 => (3u16, 2),
                282 | 283 => (5, 8),
                _ => (4, 4),
            };
            let bytes: Vec<u8> = match kind {
                3 => values.iter().flat_map(|v| (*v as u16).to_le_bytes()).collect(),
                _ => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            };
            directory.extend(tag.to_le_bytes());
            directory.extend(kind.to_le_bytes());
            directory.extend(((bytes.len() / size) as u32).to_le_bytes());
            if bytes.len() <= 4 {
                directory.extend(bytes.iter().copied().chain([0; 4]).take(4));
            } else {
                directory.extend((file.len() as u32).to_le_bytes());
                file.extend(bytes);
            }
        }
        let here = file.len() as u32;
        file[link..link + 4].copy_from_slice(&here.to_le_bytes());
        link = file.len() + directory.len();
        file.extend(directory);
        file.extend([0; 4]);
    }
    file
}
