//! Compressed streams that would not fit in memory, found before the reader expands them.
//!
//! The reader expands a stream whole, whatever comes out. Deflate packs at most about a thousand
//! to one, so a short stream is harmless; longer ones are expanded here first, counted and thrown
//! away. Object streams and cross-reference streams are expanded while the file is being opened,
//! so those are looked for in the raw bytes.

use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::object::{Dict, Object, Stream};
use hayro_syntax::{Filter, Pdf};
use memchr::memmem;

use crate::{Broken, Limits};

/// What one byte of a stream can become.
const DEFLATE: u64 = 1032;
const LZW: u64 = 2731;
const RUN_LENGTH: u64 = 64;
const ASCII85: u64 = 4;
/// All streams of a file together, in units of the limit for one.
const ALL_STREAMS: u64 = 16;
/// How far before its data a stream's dictionary can begin.
const DICTIONARY: usize = 32 << 10;
/// Columns of a predictor or a fax; no scanner is that wide.
const COLUMNS: u64 = 1_000_000;

/// Looks, before opening, at the streams that opening expands.
pub(super) fn check_raw(bytes: &[u8], limits: &Limits) -> Result<(), Broken> {
    let encrypted = memmem::find(bytes, b"/Encrypt").is_some();
    for keyword in memmem::find_iter(bytes, b"stream") {
        let before = &bytes[keyword.saturating_sub(DICTIONARY)..keyword];
        if before.ends_with(b"end") {
            continue;
        }
        let dictionary = &before[memmem::rfind(before, b" obj").unwrap_or(0)..];
        if is_structural(dictionary) {
            let data = bytes[keyword + b"stream".len()..].trim_ascii_start();
            check_structural(dictionary, data, encrypted, limits)?;
        }
    }
    Ok(())
}

/// Object streams must have `/First`, cross-reference streams `/W[…]`; escapes may hide both.
fn is_structural(dictionary: &[u8]) -> bool {
    let widths = |at: usize| dictionary[at + 2..].trim_ascii_start().starts_with(b"[");
    memmem::find(dictionary, b"/First").is_some()
        || memmem::find_iter(dictionary, b"/W").any(widths)
        || dictionary.contains(&b'#')
}

fn check_structural(
    dictionary: &[u8],
    data: &[u8],
    encrypted: bool,
    limits: &Limits,
) -> Result<(), Broken> {
    let bomb = || Broken::Bomb { what: "stream", limit: limits.stream_bytes };
    let count = |name: &[u8]| memmem::find_iter(dictionary, name).count();
    let compressed = count(b"/Fl") + count(b"/LZW") + count(b"/RunLength") + count(b"/#");
    let wide = number_after(dictionary, b"/Columns").is_some_and(|columns| columns > COLUMNS);
    let hidden = number_after(dictionary, b"/Filter").is_some();
    // Nobody packs a table twice, or puts the name of the packing elsewhere.
    if compressed > 1 || wide || hidden {
        return Err(bomb());
    }
    let length = memmem::find(data, b"endstream").unwrap_or(data.len());
    let worst = (length as u64).saturating_mul(if count(b"/LZW") > 0 { LZW } else { DEFLATE });
    if worst <= limits.stream_bytes / ASCII85 {
        return Ok(());
    }
    // Encrypted bytes cannot be expanded here, and nobody writes such large object streams.
    if encrypted {
        return Err(bomb());
    }
    expand(&data[..length], limits.stream_bytes, None).map(|_| ()).ok_or_else(bomb)
}

/// Measures every stream of an opened file.
pub(super) fn check(file: &Pdf, limits: &Limits) -> Result<(), Broken> {
    let mut left = limits.stream_bytes.saturating_mul(ALL_STREAMS);
    for object in file.objects() {
        let Object::Stream(stream) = object else { continue };
        check_columns(&stream, limits)?;
        let bomb = || Broken::Bomb { what: "stream", limit: limits.stream_bytes };
        let size = measured(&stream, limits.stream_bytes).ok_or_else(bomb)?;
        left = left.checked_sub(size).ok_or_else(bomb)?;
    }
    Ok(())
}

/// The bytes that a stream expands to, counting only what had to be counted; `None` beyond `limit`.
fn measured(stream: &Stream<'_>, limit: u64) -> Option<u64> {
    let filters = stream.filters();
    let worst = filters.iter().fold(stream_length(stream), |size, filter| {
        size.saturating_mul(match filter {
            Filter::FlateDecode => DEFLATE,
            Filter::LzwDecode => LZW,
            Filter::RunLengthDecode => RUN_LENGTH,
            Filter::Ascii85Decode => ASCII85,
            Filter::AsciiHexDecode
            | Filter::Crypt
            | Filter::CcittFaxDecode
            | Filter::Jbig2Decode
            | Filter::DctDecode
            | Filter::JpxDecode => 1,
        })
    });
    if worst <= limit {
        return Some(0);
    }
    let mut bytes = stream.raw_data().into_owned();
    let mut size = bytes.len() as u64;
    for (n, filter) in filters.iter().enumerate() {
        let last = n + 1 == filters.len();
        let mut kept = Vec::new();
        let keep = (!last).then_some(&mut kept);
        size = match filter {
            Filter::FlateDecode => expand(&bytes, limit, keep)?,
            Filter::LzwDecode => expand_lzw(&bytes, limit, keep)?,
            Filter::RunLengthDecode => bounded(size, RUN_LENGTH, limit)?,
            Filter::Ascii85Decode => bounded(size, ASCII85, limit)?,
            Filter::AsciiHexDecode => size,
            Filter::Crypt => continue,
            // The size of what follows is the size of a picture; see `picture_size`.
            Filter::CcittFaxDecode
            | Filter::Jbig2Decode
            | Filter::DctDecode
            | Filter::JpxDecode => return Some(size),
        };
        if !last {
            // A rare filter in the middle of a chain: the rest must fit at its worst.
            if kept.is_empty() {
                return bounded(size, DEFLATE, limit);
            }
            bytes = kept;
        }
    }
    Some(size)
}

fn bounded(size: u64, factor: u64, limit: u64) -> Option<u64> {
    Some(size.saturating_mul(factor)).filter(|size| *size <= limit)
}

fn stream_length(stream: &Stream<'_>) -> u64 {
    stream.raw_data().len() as u64
}

/// Expands deflate data with or without the zlib frame, keeping it when asked to.
fn expand(data: &[u8], limit: u64, mut keep: Option<&mut Vec<u8>>) -> Option<u64> {
    let framed = counted(ZlibDecoder::new(data), limit, keep.as_deref_mut())?;
    if framed > 0 {
        return Some(framed);
    }
    counted(DeflateDecoder::new(data), limit, keep)
}

/// How many bytes come out before the end or an error; `None` when more than `limit`.
fn counted(mut reader: impl Read, limit: u64, mut keep: Option<&mut Vec<u8>>) -> Option<u64> {
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) | Err(_) => return Some(size),
            Ok(count) => {
                size += count as u64;
                if size > limit {
                    return None;
                }
                if let Some(kept) = keep.as_deref_mut() {
                    kept.extend_from_slice(&buffer[..count]);
                }
            }
        }
    }
}

fn expand_lzw(mut data: &[u8], limit: u64, mut keep: Option<&mut Vec<u8>>) -> Option<u64> {
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        let step = decoder.decode_bytes(data, &mut buffer);
        data = &data[step.consumed_in.min(data.len())..];
        size += step.consumed_out as u64;
        if size > limit {
            return None;
        }
        if let Some(kept) = keep.as_deref_mut() {
            kept.extend_from_slice(&buffer[..step.consumed_out]);
        }
        let stuck = step.consumed_in == 0 && step.consumed_out == 0;
        if stuck || !matches!(step.status, Ok(weezl::LzwStatus::Ok)) {
            return Some(size);
        }
    }
}

/// The reader makes a row of this many columns before it looks at the data.
fn check_columns(stream: &Stream<'_>, limits: &Limits) -> Result<(), Broken> {
    let wide = |parameters: &Dict<'_>| {
        let columns = parameters.get::<f64>(b"Columns".as_slice()).unwrap_or(1.0);
        let colours = parameters.get::<f64>(b"Colors".as_slice()).unwrap_or(1.0);
        columns.abs() * colours.abs().max(1.0) > COLUMNS as f64
    };
    let too_wide = [b"DecodeParms".as_slice(), b"DP"].iter().any(|key| {
        match stream.dict().get::<Object<'_>>(*key) {
            Some(Object::Dict(parameters)) => wide(&parameters),
            Some(Object::Array(list)) => {
                list.iter::<Dict<'_>>().any(|parameters| wide(&parameters))
            }
            _ => false,
        }
    });
    let limit = limits.stream_bytes;
    if too_wide { Err(Broken::Bomb { what: "stream", limit }) } else { Ok(()) }
}

/// The pixels of a picture, or of the mask that belongs to it when that has more.
pub(super) fn picture_pixels(stream: &Stream<'_>) -> u64 {
    let pixels = |stream: &Stream<'_>| {
        let (width, height) = picture_size(stream);
        u64::from(width) * u64::from(height)
    };
    let mask = |key: &[u8]| stream.dict().get::<Stream<'_>>(key).map_or(0, |mask| pixels(&mask));
    pixels(stream).max(mask(b"SMask")).max(mask(b"Mask"))
}

/// The larger of what the dictionary and the encoded picture itself say.
fn picture_size(stream: &Stream<'_>) -> (u32, u32) {
    let dict = stream.dict();
    let side = |short: &[u8], long: &[u8]| {
        dict.get::<u32>(short).or_else(|| dict.get::<u32>(long)).unwrap_or(0)
    };
    let said = (side(b"W", b"Width"), side(b"H", b"Height"));
    let inside = match stream.filters().last() {
        Some(Filter::DctDecode) => jpeg_size(&stream.raw_data()),
        Some(Filter::JpxDecode) => jpeg2000_size(&stream.raw_data()),
        _ => None,
    };
    let inside = inside.unwrap_or((0, 0));
    (said.0.max(inside.0), said.1.max(inside.1))
}

/// From the frame header: `FF C0` to `FF CF`, but for the three that are tables.
fn jpeg_size(data: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = data.get(at..at + 9)?;
        let frame = matches!(marker[1], 0xc0..=0xcf) && !matches!(marker[1], 0xc4 | 0xc8 | 0xcc);
        if marker[0] != 0xff {
            return None;
        }
        if frame {
            let word = |n: usize| u32::from(u16::from_be_bytes([marker[n], marker[n + 1]]));
            return Some((word(7), word(5)));
        }
        at += 2 + usize::from(u16::from_be_bytes([marker[2], marker[3]]));
    }
}

/// From the first codestream header, `FF 4F FF 51`.
fn jpeg2000_size(data: &[u8]) -> Option<(u32, u32)> {
    let header = &data[memmem::find(data, b"\xff\x4f\xff\x51")?..];
    let word = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    Some((word(8)?.saturating_sub(word(16)?), word(12)?.saturating_sub(word(20)?)))
}

fn number_after(text: &[u8], key: &[u8]) -> Option<u64> {
    let rest = text[memmem::find(text, key)? + key.len()..].trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).take(18);
    digits.map(|byte| u64::from(byte - b'0')).reduce(|number, digit| number * 10 + digit)
}
