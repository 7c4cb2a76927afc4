//! ZIP archives: what comes out of good ones, and how bad ones are refused.

use std::io::{Cursor, Write as _};
use std::time::{Duration, Instant};

use crate::made::pdf::{Sheet, lines};
use crate::made::picture::{block, png};
use crate::made::{refusal, unpacked, zip};
use paper::{Broken, Kind, Limits, unpack};

fn names(bytes: &[u8]) -> Vec<String> {
    unpacked(bytes, &Limits::default()).unwrap().into_iter().map(|(name, ..)| name).collect()
}

/// What was set aside, and why.
fn aside(bytes: &[u8]) -> Vec<(String, Broken)> {
    let unpacked = unpack(Cursor::new(bytes), &Limits::default(), &mut |_, _, file| {
        std::io::copy(file, &mut std::io::sink()).map(drop)
    });
    let aside = unpacked.unwrap().aside;
    aside.into_iter().map(|(name, broken)| (name.to_string(), broken)).collect()
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
    assert_eq!(names(&outer), ["todo.zip/z.pdf"]);
    let aside = aside(&outer);
    assert!(
        matches!(aside.as_slice(), [(name, Broken::NestedTooDeep)] if name == "todo.zip/lote.zip")
    );
}

#[test]
fn names_cannot_climb_out() {
    let bytes = zip(&[("../../etc/passwd.pdf", &pdf()), ("/abs\\..\\c.pdf", &pdf())]);
    assert_eq!(names(&bytes), ["etc/passwd.pdf", "abs/c.pdf"]);
}

#[test]
fn an_unknown_file_is_named() {
    let bytes = zip(&[("a.pdf", &pdf()), ("setup.exe", b"MZ\x90\0\x03\0\0\0")]);
    assert_eq!(names(&bytes), ["a.pdf"], "the rest goes on");
    let aside = aside(&bytes);
    let [(_, broken)] = aside.as_slice() else { panic!("{aside:?}") };
    assert!(matches!(broken, Broken::UnknownKind { name } if name == "setup.exe"), "{broken}");
    let alone = zip(&[("setup.exe", b"MZ\x90\0\x03\0\0\0")]);
    assert!(matches!(refusal(unpacked(&alone, &Limits::default())), Broken::UnknownKind { .. }));
}

#[test]
fn a_damaged_file_is_set_aside_and_the_rest_goes_on() {
    let mut bytes = zip(&[("1.pdf", &pdf()), ("2.pdf", &pdf()), ("3.html", b"<html></html>")]);
    for byte in &mut bytes[60..200] {
        *byte = !*byte;
    }
    assert_eq!(names(&bytes), ["2.pdf"]);
    let reasons: Vec<_> =
        aside(&bytes).iter().map(|(name, why)| format!("{name} {}", why.code())).collect();
    assert_eq!(reasons, ["1.pdf FILE_UNREADABLE", "3.html UNKNOWN_KIND"]);
}

/// Two entries of the table that mean the same bytes.
fn overlapping() -> Vec<u8> {
    let mut bytes = zip(&[("1.pdf", &pdf()), ("2.pdf", &pdf())]);
    let second = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    bytes[second + 42..second + 46].fill(0);
    bytes
}

#[test]
fn files_that_lie_over_one_another_and_office_documents_are_refused() {
    let over = overlapping();
    assert!(matches!(refusal(unpacked(&over, &Limits::default())), Broken::Overlapping));
    let inspected = paper::inspect(Cursor::new(&over), &Limits::default());
    assert!(matches!(inspected, Err(Broken::Overlapping)));
    let docx = zip(&[("word/document.xml", b"<w/>"), ("[Content_Types].xml", b"<Types/>")]);
    assert!(matches!(refusal(unpacked(&docx, &Limits::default())), Broken::Office));
    let within = zip(&[("a.pdf", &pdf()), ("carta.docx", &docx)]);
    assert!(matches!(aside(&within).as_slice(), [(name, _)] if name == "carta.docx"));
}

/// A message with these parts.
fn mail(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut text = b"From: ana@example.com\r\nTo: facturas@example.com\r\nSubject: Su factura\r\n\
        MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b1\r\n\r\n\
        --b1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nAdjunto la factura.\r\n"
        .to_vec();
    for (head, bytes) in parts {
        write!(text, "--b1\r\n{head}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
            .unwrap();
        for byte in *bytes {
            write!(text, "={byte:02X}=\r\n").unwrap();
        }
        text.extend(b"\r\n");
    }
    text.extend(b"--b1--\r\n");
    text
}

#[test]
fn what_is_attached_to_a_message_is_what_was_sent() {
    let attached = "Content-Type: application/pdf\r\n\
        Content-Disposition: attachment; filename*=utf-8''factura%20n.%C2%BA%201.pdf";
    let packed =
        "Content-Type: application/zip\r\nContent-Disposition: attachment; filename=dos.zip";
    let logo = "Content-Type: image/png\r\nContent-ID: <logo>\r\nContent-Disposition: inline; filename=logo.png";
    let sheet = "Content-Type: text/csv\r\nContent-Disposition: attachment; filename=lista.csv";
    let dos = zip(&[("2.pdf", &pdf())]);
    let message =
        mail(&[(attached, &pdf()), (packed, &dos), (logo, &png(&block(8, 8))), (sheet, b"a;b;c")]);
    assert_eq!(names(&message), ["factura n.º 1.pdf", "dos.zip/2.pdf"]);
    let files = unpacked(&message, &Limits::default()).unwrap();
    assert_eq!((files[0].1, files[0].2), (Kind::Pdf, pdf().len() as u64));
    let reasons: Vec<_> =
        aside(&message).iter().map(|(name, why)| format!("{name} {}", why.code())).collect();
    assert_eq!(reasons, ["logo.png MAIL_ORNAMENT", "lista.csv UNKNOWN_KIND"]);
    // Without anything attached the text is what was sent.
    let letter = mail(&[]);
    assert_eq!(unpacked(&letter, &Limits::default()).unwrap()[0].1, Kind::Text);
    assert_eq!(names(&letter), ["Su factura.txt"]);
    // What servers on its way wrote is long, and mail boxes begin with a line of their own.
    let servers = format!("Received: from a by b\r\nX-Seal: {}\r\n", "a".repeat(6_000));
    for front in [servers.as_str(), "\r\nFrom ana@example.com Mon May  4 12:00:00 2026\n"] {
        let late = [front.as_bytes(), &message].concat();
        assert_eq!(names(&late), names(&message), "{front:.30}");
    }
    let forwarded = zip(&[("correo.eml", &message)]);
    assert_eq!(names(&forwarded), ["correo.eml/factura n.º 1.pdf"], "the ZIP in it is too deep");
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
