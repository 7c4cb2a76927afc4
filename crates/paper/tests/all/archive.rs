//! ZIP archives: what comes out of good ones, and how bad ones are refused.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::made::pdf::{Sheet, lines};
use crate::made::picture::{block, png};
use crate::made::{refusal, unpacked, zip};
use paper::{Broken, Kind, Limits, unpack};

fn names(bytes: &[u8]) -> Vec<String> {
    unpacked(bytes, &Limits::default()).unwrap().into_iter().map(|(name, ..)| name).collect()
}

fn pdf() -> Vec<u8> {
    Sheet::new(&lines(&["Factura"])).pdf()
}

#[test]
fn files_come_in_the_order_that_people_number_them() {
    let (pdf, png) = (pdf(), png(&block(8, 8)));
    let bytes = zip(&[
        ("facturas/", b""),
        ("facturas/10.pdf", &pdf),
        ("facturas/9.pdf", &pdf),
        ("__MACOSX/facturas/._9.pdf", b"\0\x05\x16\x07"),
        ("facturas/.DS_Store", b"\0\0\0\x01Bud1"),
        ("albaran.dat", &png),
    ]);
    let files = unpacked(&bytes, &Limits::default()).unwrap();
    let size = pdf.len() as u64;
    assert_eq!(
        files,
        [
            ("albaran.dat".to_owned(), Kind::Png, png.len() as u64),
            ("facturas/9.pdf".to_owned(), Kind::Pdf, size),
            ("facturas/10.pdf".to_owned(), Kind::Pdf, size),
        ]
    );
}

#[test]
fn the_name_does_not_decide() {
    let wrong = zip(&[("escaneo.pdf", &png(&block(8, 8))), ("notas.jpg", b"solo texto")]);
    let kinds: Vec<_> = unpacked(&wrong, &Limits::default())
        .unwrap()
        .into_iter()
        .map(|(_, kind, _)| kind)
        .collect();
    assert_eq!(kinds, [Kind::Png, Kind::Text]);
}

#[test]
fn one_archive_inside_is_opened_and_two_are_too_deep() {
    let inner = zip(&[("2.pdf", &pdf()), ("1.pdf", &pdf())]);
    let middle = zip(&[("lote.zip", &inner), ("z.pdf", &pdf())]);
    assert_eq!(names(&middle), ["lote.zip/1.pdf", "lote.zip/2.pdf", "z.pdf"]);
    let outer = zip(&[("todo.zip", &middle)]);
    assert!(matches!(refusal(unpacked(&outer, &Limits::default())), Broken::NestedTooDeep));
}

#[test]
fn names_cannot_climb_out() {
    let bytes = zip(&[("../../etc/passwd.pdf", &pdf()), ("/abs\\..\\c.pdf", &pdf())]);
    assert_eq!(names(&bytes), ["etc/passwd.pdf", "abs/c.pdf"]);
}

#[test]
fn an_unknown_file_is_named() {
    let bytes = zip(&[("a.pdf", &pdf()), ("setup.exe", b"MZ\x90\0\x03\0\0\0")]);
    let broken = refusal(unpacked(&bytes, &Limits::default()));
    assert!(matches!(&broken, Broken::UnknownKind { name } if name == "setup.exe"), "{broken}");
}

#[test]
fn bombs_are_stopped_while_they_expand() {
    let spaces = vec![b'a'; 30 << 20];
    let ratio = zip(&[("a.txt", &spaces)]);
    assert!(ratio.len() < 100_000);
    let broken = refusal(unpacked(&ratio, &Limits::default()));
    assert!(matches!(broken, Broken::Bomb { what: "archive", .. }), "{broken}");
    let total = Limits { zip_total: 5000, ..Limits::default() };
    let many = zip(&[("1.txt", &[b'x'; 3000]), ("2.txt", &[b'x'; 3000])]);
    let broken = refusal(unpacked(&many, &total));
    assert!(matches!(broken, Broken::Bomb { what: "archive", limit: 5000 }), "{broken}");
    let file = Limits { file_bytes: 2000, ..Limits::default() };
    assert!(matches!(refusal(unpacked(&many, &file)), Broken::TooLarge { what: "file", .. }));
    // A small archive of a large one of nothing.
    let inner = zip(&[("a.txt", &spaces)]);
    let nested = zip(&[("b.zip", &inner), ("c.zip", &inner)]);
    assert!(matches!(refusal(unpacked(&nested, &Limits::default())), Broken::Bomb { .. }));
}

#[test]
fn crowds_are_refused_quickly() {
    let named: Vec<String> = (0..501).map(|n| format!("{n}.txt")).collect();
    let files: Vec<(&str, &[u8])> =
        named.iter().map(|n| (n.as_str(), b"hola".as_slice())).collect();
    let broken = refusal(unpacked(&zip(&files), &Limits::default()));
    assert!(matches!(broken, Broken::TooManyFiles { limit: 500 }), "{broken}");
    let named: Vec<String> = (0..20_000).map(|n| format!("{n}.txt")).collect();
    let files: Vec<(&str, &[u8])> = named.iter().map(|n| (n.as_str(), b"x".as_slice())).collect();
    let bytes = zip(&files);
    let start = Instant::now();
    assert!(matches!(refusal(unpacked(&bytes, &Limits::default())), Broken::TooManyFiles { .. }));
    assert!(start.elapsed() < Duration::from_millis(200), "{:?}", start.elapsed());
}

#[test]
fn broken_archives_are_refused() {
    assert!(matches!(refusal(unpacked(b"", &Limits::default())), Broken::Empty));
    assert!(matches!(refusal(unpacked(&zip(&[]), &Limits::default())), Broken::Empty));
    assert!(matches!(refusal(unpacked(&zip(&[("a/", b"")]), &Limits::default())), Broken::Empty));
    let whole = zip(&[("a.pdf", &pdf())]);
    let cut = refusal(unpacked(&whole[..whole.len() / 2], &Limits::default()));
    assert!(matches!(cut, Broken::Unreadable { what: "ZIP" }), "{cut}");
    let mut corrupt = whole.clone();
    for byte in &mut corrupt[60..200] {
        *byte = !*byte;
    }
    assert!(unpacked(&corrupt, &Limits::default()).is_err());
}

#[test]
fn a_full_disk_is_not_the_archives_fault() {
    let bytes = zip(&[("a.pdf", &pdf())]);
    let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
    let broken =
        refusal(unpack(Cursor::new(&bytes), &Limits::default(), &mut |_, _, _| Err(full())));
    assert!(matches!(broken, Broken::Io(_)), "{broken}");
    assert_eq!(broken.code(), "READ_FAILED");
}
