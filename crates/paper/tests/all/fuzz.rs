//! Damaged files of every kind, as many as fit in `FUZZ_SECONDS` (5 unless told).
//!
//! Whatever is done to a file, reading it ends in an answer or a refusal: within the time that
//! one page may take, and without a panic that leaves the crate.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::made::pdf::{self, deflated, encrypted, lines, pages, stream};
use crate::made::picture::{Sheet, block, jpeg, png, tiff};
use crate::made::zip;
use paper::{Broken, Document, Kind, Limits, sniff, unpack};

/// A small generator with a known sequence, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 >> 33) ^ self.0;
        mixed.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() % end.max(1) as u64) as usize
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut image = pdf::Sheet::new("q 200 0 0 200 0 0 cm /I Do Q BT /F 12 Tf 9 9 Td (hola) Tj ET");
    image.resources += "/XObject<</I 5 0 R>>";
    let entries = "/Type/XObject/Subtype/Image/Width 20/Height 20\
        /ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode";
    image.more.push(stream(entries, &deflated(&[90; 400])));
    let mut packed = pdf::Sheet::new("");
    packed.content = deflated(lines(&["Factura", "Total 12,50"]).as_bytes());
    "/Filter/FlateDecode/DecodeParms<</Predictor 1/Columns 4>>".clone_into(&mut packed.stream);
    let mut held = pdf::Sheet::new("q 200 0 0 200 0 0 cm /I Do Q");
    held.resources += "/XObject<</I 5 0 R>>";
    let entries = "/Type/XObject/Subtype/Image/Width 32/Height 32\
        /ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode";
    held.more.push(stream(entries, &jpeg(&block(32, 32), None)));
    let pdf = image.pdf();
    let table = (0..768).map(|n| n * 80).collect();
    let coloured = Sheet::new((16, 8), &[8], (1, 3), vec![3; 128]).with(320, table);
    let lzw = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
        .encode(block(16, 8).as_raw())
        .unwrap();
    vec![
        packed.pdf(),
        held.pdf(),
        encrypted(&lines(&["Saldo"]), ""),
        pages(3, &lines(&["uno", "dos"])),
        tiff(&[Sheet::grey(&block(24, 24)), Sheet::fax4(&block(40, 30))]),
        tiff(&[coloured, Sheet::new((16, 8), &[8], (5, 1), lzw)]),
        jpeg(&block(24, 24), Some(6)),
        png(&block(24, 24)),
        zip(&[("a.pdf", &pdf), ("b.zip", &zip(&[("c.png", &png(&block(8, 8)))]))]),
        "uno dos\n\ttres\u{c}cuatro ñ".as_bytes().to_vec(),
        pdf,
    ]
}

/// Numbers that length fields do not expect.
const LENGTHS: [u32; 8] = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
/// Words that mean something inside a PDF.
const WORDS: [&str; 10] = [
    "99999999999",
    "-1",
    " obj",
    "endobj",
    "<<",
    ">>",
    "/Length 0",
    "3 0 R",
    "/Kids[2 0 R]",
    "stream\n",
];

fn damaged(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[dice.below(seeds.len())].clone();
    for _ in 0..=dice.below(6) {
        let at = dice.below(bytes.len());
        match dice.below(7) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = dice.roll() as u8,
            2 => bytes.truncate(at + 1),
            3 => {
                let number = LENGTHS[dice.below(LENGTHS.len())];
                let wide = [number.to_le_bytes(), number.to_be_bytes()][dice.below(2)];
                let end = bytes.len().min(at + 4);
                bytes[at..end].copy_from_slice(&wide[..end - at]);
            }
            4 => {
                let word = WORDS[dice.below(WORDS.len())].as_bytes();
                let end = bytes.len().min(at + [0, word.len()][dice.below(2)]);
                bytes.splice(at..end, word.iter().copied());
            }
            5 => {
                let end = bytes.len().min(at + dice.below(64));
                let piece = bytes[at..end].to_vec();
                let to = dice.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let other = &seeds[dice.below(seeds.len())];
                let from = dice.below(other.len());
                let to = other.len().min(from + dice.below(256));
                bytes.splice(at..at, other[from..to].iter().copied());
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

/// Reads a file to its end; says how many pages were shown and whether a parser broke.
fn read(bytes: Vec<u8>, limits: &Limits) -> (usize, usize) {
    match sniff(&bytes) {
        Some(Kind::Zip) => {
            let mut outcome = (0, 0);
            let unpacked = unpack(Cursor::new(&bytes), limits, &mut |_, kind, file| {
                let mut inner = Vec::new();
                file.read_to_end(&mut inner)?;
                let (shown, broke) = read_as(inner, kind, limits);
                outcome = (outcome.0 + shown, outcome.1 + broke);
                Ok(())
            });
            (outcome.0, outcome.1 + broke(&unpacked))
        }
        // What no longer looks like anything goes to the most complicated reader.
        kind => read_as(bytes, kind.unwrap_or(Kind::Pdf), limits),
    }
}

fn read_as(bytes: Vec<u8>, kind: Kind, limits: &Limits) -> (usize, usize) {
    let document = match Document::open(bytes, kind, None, limits) {
        Ok(document) => document,
        refused => return (0, broke(&refused)),
    };
    let (mut shown, mut panics) = (0, 0);
    for page in 0..document.page_count().min(4) {
        panics += broke(&document.text(page));
        let picture = document.render(page, 20.0);
        panics += broke(&picture);
        if let Ok(picture) = picture {
            let (width, height) = picture.dimensions();
            assert!(u64::from(width) * u64::from(height) <= limits.pixels);
            shown += 1;
        }
    }
    (shown, panics)
}

fn broke<T>(result: &Result<T, Broken>) -> usize {
    usize::from(matches!(result, Err(Broken::Panicked { .. })))
}

/// The most memory that this process ever held, where the system tells.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes >> 10)
}

#[test]
fn damaged_files_are_answered() {
    let told = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let end = Instant::now() + Duration::from_secs(told.unwrap_or(5));
    let limits = Limits {
        pixels: 2_000_000,
        stream_bytes: 8 << 20,
        render: Duration::from_secs(2),
        ..Limits::default()
    };
    let seeds = seeds();
    for seed in &seeds {
        assert!(read(seed.clone(), &limits).0 > 0, "a seed is not readable");
    }
    let (mut inputs, mut shown, mut panics) = (0u64, 0, 0);
    let mut slowest = Duration::ZERO;
    while Instant::now() < end {
        let mut dice = Dice(inputs);
        let bytes = damaged(&mut dice, &seeds);
        let start = Instant::now();
        let (pages, broke) = read(bytes, &limits);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(20), "input {inputs} took {took:?}");
        slowest = slowest.max(took);
        inputs += 1;
        shown += pages;
        panics += broke;
    }
    let peak = peak_megabytes();
    println!(
        "{inputs} inputs, {shown} pages shown, {panics} parsers broke, slowest {slowest:?}, \
         peak {peak:?} MB"
    );
    // Two million pixels and eight megabytes a stream leave no reason for more.
    assert!(peak.is_none_or(|megabytes| megabytes < 512));
}
