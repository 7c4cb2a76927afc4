//! TIFF, JPEG and PNG: what good ones show, and how bad ones are refused.

use std::time::{Duration, Instant};

use crate::made::picture::{Sheet, block, dark_quarters, jpeg, png, png_bomb, tiff};
use crate::made::{open, refusal};
use paper::{Broken, Kind, Limits, sniff};

const UPPER_LEFT: [bool; 4] = [true, false, false, false];

fn shown(bytes: Vec<u8>) -> image::RgbImage {
    open(bytes).unwrap().render(0, 300.0).unwrap()
}

#[test]
fn pictures_keep_their_pixels_and_carry_no_text() {
    for bytes in [
        png(&block(64, 96)),
        jpeg(&block(64, 96), None),
        tiff(&[Sheet::grey(&block(64, 96))]),
        tiff(&[Sheet::fax4(&block(64, 96))]),
    ] {
        let document = open(bytes).unwrap();
        assert_eq!((document.page_count(), document.size(0).unwrap()), (1, (64.0, 96.0)));
        assert!(document.text(0).unwrap().is_none());
        let picture = document.render(0, 300.0).unwrap();
        assert_eq!((picture.dimensions(), dark_quarters(&picture)), ((64, 96), UPPER_LEFT));
    }
}

#[test]
fn the_eight_ways_to_hold_a_camera_are_undone() {
    // Where the block of an upper left corner is shown after each turn or mirror.
    let corners = [0, 1, 3, 2, 0, 1, 3, 2];
    for (orientation, corner) in (1..=8u8).zip(corners) {
        let mut quarters = [false; 4];
        quarters[corner] = true;
        let held = jpeg(&block(64, 96), Some(orientation));
        let tagged = Sheet::grey(&block(64, 96)).with(274, vec![u32::from(orientation)]);
        for bytes in [held, tiff(&[tagged])] {
            let document = open(bytes).unwrap();
            let picture = document.render(0, 72.0).unwrap();
            let (width, height) = picture.dimensions();
            assert_eq!(document.size(0).unwrap(), (width as f32, height as f32));
            assert_eq!(width > height, orientation > 4, "{orientation}");
            assert_eq!(dark_quarters(&picture), quarters, "{orientation}");
        }
    }
}

#[test]
fn transparent_pixels_show_the_paper() {
    let glass = image::RgbaImage::from_pixel(8, 8, image::Rgba([0, 0, 0, 0]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    glass.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    assert_eq!(shown(bytes.into_inner()).get_pixel(4, 4).0, [255; 3]);
}

#[test]
fn every_page_of_a_tiff_is_there() {
    let sheets = [Sheet::fax4(&block(32, 40)), Sheet::grey(&block(48, 64))];
    let document = open(tiff(&sheets)).unwrap();
    assert_eq!(document.page_count(), 2);
    assert_eq!(document.size(1).unwrap(), (48.0, 64.0));
    assert_eq!(dark_quarters(&document.render(0, 72.0).unwrap()), UPPER_LEFT);
    assert_eq!(dark_quarters(&document.render(1, 72.0).unwrap()), UPPER_LEFT);
}

/// The rows of `block(16, 8)` as runs of a fax: eight white, or eight black and eight white.
fn fax_rows(prefix: &str, align: bool) -> Vec<u8> {
    let mut bits = String::new();
    for row in 0..8 {
        // Zero white, eight black, eight white; or sixteen white.
        bits += prefix;
        bits += if row < 2 { "0011010100010110011" } else { "101010" };
        if align {
            bits += &"0".repeat((8 - bits.len() % 8) % 8);
        }
    }
    bits += &"0".repeat((8 - bits.len() % 8) % 8);
    let byte = |eight: &[u8]| eight.iter().fold(0, |byte, bit| byte << 1 | (bit - b'0'));
    bits.as_bytes().chunks(8).map(byte).collect()
}

#[test]
fn all_fax_compressions_are_read() {
    let end_of_line = "000000000001";
    for (compression, data) in [(2, fax_rows("", true)), (3, fax_rows(end_of_line, false))] {
        let sheet = Sheet::new((16, 8), &[1], (compression, 0), data);
        assert_eq!(dark_quarters(&shown(tiff(&[sheet]))), UPPER_LEFT, "{compression}");
    }
    let mut reversed = Sheet::fax4(&block(32, 40)).with(266, vec![2]);
    reversed.data = reversed.data.iter().map(|byte| byte.reverse_bits()).collect();
    assert_eq!(dark_quarters(&shown(tiff(&[reversed]))), UPPER_LEFT);
}

#[test]
fn the_flat_lines_of_a_fax_get_their_height() {
    let flat = Sheet::fax4(&block(64, 48)).with(282, vec![204, 1]).with(283, vec![98, 1]);
    let document = open(tiff(&[flat])).unwrap();
    assert_eq!(document.size(0).unwrap(), (64.0, 96.0));
    let picture = document.render(0, 72.0).unwrap();
    assert_eq!((picture.dimensions(), dark_quarters(&picture)), ((64, 96), UPPER_LEFT));
}

#[test]
fn samples_of_every_depth_and_colour_are_read() {
    let picture = block(16, 8);
    let bits: Vec<u8> = (0..8).flat_map(|y| if y < 2 { [0x00, 0xff] } else { [0xff; 2] }).collect();
    let inverted = bits.iter().map(|byte| !byte).collect();
    let deep = picture.iter().flat_map(|v| (u16::from(*v) * 257).to_le_bytes()).collect();
    let rgb = picture.iter().flat_map(|v| [*v; 3]).collect();
    let packed = std::iter::repeat_n([[0xf9u8, 0, 0xf9, 255], [0xf9, 255, 0xf9, 255]], 1)
        .flat_map(|[dark, light]| (0..8).flat_map(move |y| if y < 2 { dark } else { light }))
        .collect();
    let indices = picture.iter().map(|v| u8::from(*v > 0)).collect();
    let mut table = vec![0; 768];
    for plane in [0, 256, 512] {
        table[plane + 1] = 65_535;
    }
    for (what, sheet) in [
        ("one bit, black is zero", Sheet::new((16, 8), &[1], (1, 1), bits)),
        ("one bit, white is zero", Sheet::new((16, 8), &[1], (1, 0), inverted)),
        ("sixteen bits", Sheet::new((16, 8), &[16], (1, 1), deep)),
        ("colours", Sheet::new((16, 8), &[8, 8, 8], (1, 2), rgb)),
        ("packed bits", Sheet::new((16, 8), &[8], (32773, 1), packed)),
        ("table", Sheet::new((16, 8), &[8], (1, 3), indices).with(320, table)),
    ] {
        assert_eq!(dark_quarters(&shown(tiff(&[sheet]))), UPPER_LEFT, "{what}");
    }
}

#[test]
fn lzw_deflate_and_jpeg_strips_are_read() {
    let picture = block(16, 8);
    let lzw = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
        .encode(picture.as_raw())
        .unwrap();
    let deflated = crate::made::pdf::deflated(picture.as_raw());
    for (compression, data) in [(5, lzw), (8, deflated), (7, jpeg(&picture, None))] {
        let sheet = Sheet::new((16, 8), &[8], (compression, 1), data);
        assert_eq!(dark_quarters(&shown(tiff(&[sheet]))), UPPER_LEFT, "{compression}");
    }
}

#[test]
fn a_jpeg_without_its_end_is_refused() {
    for whole in [jpeg(&block(64, 96), None), jpeg(&block(64, 96), Some(6))] {
        assert!(open(whole.clone()).is_ok());
        for cut in [whole.len() - 2, whole.len() * 19 / 20] {
            let broken = refusal(open(whole[..cut].to_vec()));
            assert!(matches!(broken, Broken::PictureCut), "{cut}: {broken}");
        }
    }
}

#[test]
fn dimension_bombs_are_refused_by_their_headers() {
    let start = Instant::now();
    let giant = Sheet::new((100_000, 100_000), &[8], (1, 1), vec![0; 10]);
    let fax = Sheet::new((60_000, 60_000), &[1], (4, 0), vec![0; 10]);
    let mut held = jpeg(&block(8, 8), None);
    let frame = held.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    held[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    for bytes in [png_bomb(100_000, 100_000), tiff(&[giant]), tiff(&[fax]), held] {
        let broken = refusal(open(bytes));
        assert!(matches!(broken, Broken::TooLarge { what: "picture", .. }), "{broken}");
    }
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn ten_thousand_pages_of_tiff_are_refused_quickly() {
    let sheets = vec![Sheet::grey(&block(8, 8)); 10_000];
    let start = Instant::now();
    let broken = refusal(open(tiff(&sheets)));
    assert!(matches!(broken, Broken::TooManyPages { limit: 1000, .. }), "{broken}");
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_directory_that_points_to_itself_ends() {
    let mut bytes = tiff(&[Sheet::grey(&block(8, 8))]);
    let end = bytes.len() - 4;
    let first: [u8; 4] = bytes[4..8].try_into().unwrap();
    bytes[end..].copy_from_slice(&first);
    assert!(matches!(refusal(open(bytes)), Broken::Unreadable { what: "TIFF" }));
}

#[test]
fn cut_and_corrupt_files_are_refused() {
    let whole = [
        png(&block(64, 96)),
        jpeg(&block(64, 96), None),
        tiff(&[Sheet::grey(&block(64, 96))]),
        tiff(&[Sheet::fax4(&block(64, 96))]),
    ];
    for bytes in whole {
        for cut in [9, 20, bytes.len() / 2] {
            let cut = bytes[..cut].to_vec();
            let kind = sniff(&cut);
            assert!(!matches!(kind, None | Some(Kind::Text | Kind::Zip | Kind::Pdf)));
            // What little is there may be shown; it may not panic or grow.
            if let Ok(document) = open(cut) {
                let _ = document.render(0, 72.0);
            }
        }
        let mut empty = bytes.clone();
        let half = empty.len() / 3;
        empty.truncate(half);
        empty.resize(half * 2, 0xa5);
        if let Ok(document) = open(empty) {
            let _ = document.render(0, 72.0);
        }
    }
    let cut = png(&block(640, 960));
    let document = open(cut[..cut.len() / 2].to_vec()).unwrap();
    assert!(matches!(refusal(document.render(0, 72.0)), Broken::Unreadable { what: "PNG" }));
}

#[test]
fn a_page_that_is_not_there_is_refused() {
    let document = open(png(&block(8, 8))).unwrap();
    assert!(matches!(refusal(document.render(1, 72.0)), Broken::NoSuchPage { page: 1 }));
    let limits = Limits { file_bytes: 10, ..Limits::default() };
    let large = crate::made::open_with(png(&block(8, 8)), None, &limits);
    assert!(matches!(refusal(large), Broken::TooLarge { what: "file", limit: 10, .. }));
}
