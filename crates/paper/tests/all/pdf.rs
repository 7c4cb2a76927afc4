//! PDF files: what good ones say, and how bad ones are refused.

use std::time::{Duration, Instant};

use crate::made::pdf::{Sheet, deflated, encrypted, lines, pages, stream};
use crate::made::{open, open_with, refusal};
use paper::{Broken, Doubt, Limits};

fn text(bytes: Vec<u8>) -> String {
    open(bytes).unwrap().text(0).unwrap().map(|layer| layer.text.text()).unwrap_or_default()
}

#[test]
fn a_page_says_its_words_where_they_stand() {
    let sheet = Sheet::new(&lines(&["Factura 2024/113", "Total: 1.512,50 EUR"]));
    let document = open(sheet.pdf()).unwrap();
    assert_eq!(document.page_count(), 1);
    assert_eq!(document.size(0).unwrap(), (595.0, 842.0));
    let layer = document.text(0).unwrap().unwrap();
    assert_eq!(layer.text.text(), "Factura 2024/113\nTotal: 1.512,50 EUR");
    let factura = layer.text.words[0].place;
    // The baseline of the first line is 760 points above the bottom.
    assert!((factura.x - 72.0).abs() < 0.5 && factura.y < 82.0 && factura.bottom() > 82.0);
    assert!((38.0..46.0).contains(&factura.w), "{factura:?}");
    assert_eq!(layer.reliable(), Ok(()));
}

#[test]
fn words_are_parted_by_spaces_or_by_gaps_and_not_by_kerning() {
    let content = "BT /F 10 Tf 72 700 Td [(To) 80 (tal) -600 (125) 20 (,00)] TJ ET \
        BT /F 10 Tf 72 650 Td (I) Tj 2.9 0 Td (V) Tj 6.5 0 Td (A) Tj 60 0 Td (21) Tj ET";
    assert_eq!(text(Sheet::new(content).pdf()), "Total 125,00\nIVA 21");
}

#[test]
fn tracked_out_capitals_and_imitated_bold_stay_words() {
    let content = "BT /F 12 Tf 1.2 Tc 72 700 Td (FACTURA) Tj ET \
        BT /F 12 Tf 0 Tc 72 650 Td (Total) Tj 0.3 0 Td (Total) Tj 2 Tr 0 -50 Td (Neto) Tj ET";
    assert_eq!(text(Sheet::new(content).pdf()), "FACTURA\nTotal\nNeto");
}

#[test]
fn ligatures_accents_and_the_euro_are_letters() {
    let mut sheet = Sheet::new("");
    sheet.content = b"BT /F 12 Tf 72 700 Td (Se\xf1or o\x01cina 25 \x80) Tj ET".to_vec();
    sheet.resources = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica\
        /Encoding<</BaseEncoding/WinAnsiEncoding/Differences[1/fi]>>>>>>"
        .to_owned();
    assert_eq!(text(sheet.pdf()), "Señor oficina 25 €");
}

#[test]
fn a_turned_page_is_read_and_shown_upright() {
    for (degrees, matrix) in [
        (0, "1 0 0 1 72 700"),
        (90, "0 1 -1 0 142 72"),
        (180, "-1 0 0 -1 523 142"),
        (270, "0 -1 1 0 453 770"),
    ] {
        let content = format!("BT /F 20 Tf {matrix} Tm (Arriba) Tj ET");
        let mut sheet = Sheet::new(&content);
        sheet.page = format!("/Rotate {degrees}");
        let document = open(sheet.pdf()).unwrap();
        let (width, height) = document.size(0).unwrap();
        assert_eq!((width > height), degrees % 180 == 90);
        let layer = document.text(0).unwrap().unwrap();
        let place = layer.text.words[0].place;
        assert_eq!(layer.text.words[0].text, "Arriba", "{degrees}");
        assert!(place.w > 2.0 * place.h && (place.x - 72.0).abs() < 1.0, "{degrees}: {place:?}");
        assert!((place.y - 127.0).abs() < 6.0, "{degrees}: {place:?}");
        let picture = document.render(0, 72.0).unwrap();
        assert_eq!(picture.dimensions(), (width as u32, height as u32));
        let inked = |x: f32, y: f32, w: f32, h: f32| {
            (x as u32..(x + w) as u32)
                .flat_map(|x| (y as u32..(y + h) as u32).map(move |y| (x, y)))
                .filter(|(x, y)| picture.get_pixel(*x, *y).0[0] < 128)
                .count()
        };
        let all = inked(0.0, 0.0, width, height);
        assert_eq!(inked(place.x, place.y, place.w, place.h), all, "{degrees}");
        assert!(all > 50);
    }
}

#[test]
fn sideways_text_on_an_upright_page_is_one_word() {
    let content = "BT /F 10 Tf 0 1 -1 0 30 300 Tm (Registro Mercantil) Tj ET";
    let document = open(Sheet::new(content).pdf()).unwrap();
    let words = document.text(0).unwrap().unwrap().text.words;
    let mut said: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
    said.sort_unstable();
    assert_eq!(said, ["Mercantil", "Registro"]);
    assert!(words.iter().all(|word| word.place.h > 2.0 * word.place.w));
}

#[test]
fn a_page_without_text_has_no_layer_and_a_blank_one_can_be_shown() {
    let document = open(Sheet::new("").pdf()).unwrap();
    assert!(document.text(0).unwrap().is_none());
    assert!(document.render(0, 50.0).unwrap().pixels().all(|pixel| pixel.0 == [255; 3]));
    assert!(matches!(refusal(document.render(1, 50.0)), Broken::NoSuchPage { page: 1 }));
}

/// A grey picture over the whole page, with `stamp` drawn in the given text mode.
fn scan(stamp: &str, mode: u8) -> Vec<u8> {
    let content =
        format!("q 595 0 0 842 0 0 cm /I Do Q BT {mode} Tr /F 9 Tf 20 20 Td ({stamp}) Tj ET");
    let mut sheet = Sheet::new(&content);
    sheet.resources += "/XObject<</I 5 0 R>>";
    let image = "/Type/XObject/Subtype/Image/Width 60 /Height 80\
        /ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode";
    sheet.more.push(stream(image, &deflated(&[200; 60 * 80])));
    sheet.pdf()
}

#[test]
fn a_stamped_scan_goes_to_ocr_and_a_searchable_one_does_not() {
    let stamped = open(scan("Recibido 12/03/2024 Registro 4411", 0)).unwrap();
    let layer = stamped.text(0).unwrap().unwrap();
    assert!(matches!(layer.reliable(), Err(Doubt::Scan { words: 4, percent: 100 })));
    assert_eq!(stamped.render(0, 36.0).unwrap().get_pixel(100, 100).0, [200; 3]);
    let words = "Mediante este contrato las partes acuerdan ceder los derechos sobre todas \
        estas obras durante cinco largos plazos";
    let layer = open(scan(words, 3)).unwrap().text(0).unwrap().unwrap();
    assert!(layer.invisible > 0.99);
    assert_eq!(layer.reliable(), Ok(()));
}

#[test]
fn a_password_is_asked_for_tried_and_refused() {
    let content = lines(&["Saldo 1.234,56"]);
    let file = encrypted(&content, "secreto");
    assert!(matches!(refusal(open(file.clone())), Broken::Encrypted));
    let wrong = open_with(file.clone(), Some("otra"), &Limits::default());
    assert!(matches!(refusal(wrong), Broken::WrongPassword));
    let opened = open_with(file, Some("secreto"), &Limits::default()).unwrap();
    assert_eq!(opened.text(0).unwrap().unwrap().text.text(), "Saldo 1.234,56");
    assert_eq!(text(encrypted(&content, "")), "Saldo 1.234,56");
}

/// AES with a key of 256 bits, revision 6. The password is `contraseña`.
fn aes() -> Vec<u8> {
    const USER: &str = "9fd5f1f40ea4d03a2aaac5a705469864600b450c12a066b1b6ab5eb954648c33\
        76616c69646174656b657973616c7438";
    const USER_KEY: &str = "9d718bd96f4612b03dbf3c255225542184dbc63d63fecee581dadac867e86806";
    const OWNER: &str = "be6568c237e82369a42553eb65c9541ef69cf8822887e0901aaaf0777d853e60\
        6f776e6572766c646f776e65726b6579";
    const OWNER_KEY: &str = "f9b87de66debd11a39ef7d0bfcfb337ffbf5fc9a9e7bab4e311cb662e0d33a4f";
    const CONTENT: &str = "101112131415161718191a1b1c1d1e1f43f1e6337211bf5067dfd04f02dd42c9\
        65c995546a7ce592abd1151a015fb0a2f10dcb542d5d02229f77dd8a37957ca9";
    let byte = |n: usize| u8::from_str_radix(&CONTENT[n..n + 2], 16).unwrap();
    let mut sheet = Sheet::new("");
    sheet.content = (0..CONTENT.len()).step_by(2).map(byte).collect();
    sheet.more.push(
        format!(
            "<</Filter/Standard/V 5/R 6/Length 256/P -4/U<{USER}>/UE<{USER_KEY}>/O<{OWNER}>\
             /OE<{OWNER_KEY}>/Perms<d2a0df12b8867984f6c2c84166646a7e>/StmF/StdCF/StrF/StdCF\
             /CF<</StdCF<</CFM/AESV3/AuthEvent/DocOpen/Length 32>>>>>>"
        )
        .into_bytes(),
    );
    "/Encrypt 5 0 R/ID[<00><00>]".clone_into(&mut sheet.trailer);
    sheet.pdf()
}

#[test]
fn the_modern_encryption_opens_with_both_passwords() {
    assert!(matches!(refusal(open(aes())), Broken::Encrypted));
    for password in ["contraseña", "owner"] {
        let opened = open_with(aes(), Some(password), &Limits::default()).unwrap();
        assert_eq!(opened.text(0).unwrap().unwrap().text.text(), "Saldo 1.234,56");
    }
    let wrong = open_with(aes(), Some("contrasena"), &Limits::default());
    assert!(matches!(refusal(wrong), Broken::WrongPassword));
}

#[test]
fn an_unknown_encryption_is_said_to_be_one() {
    let mut sheet = Sheet::new(&lines(&["nada"]));
    sheet.more.push(b"<</Filter/Acme.Rights/V 1/R 2/P -4/O<00>/U<00>>>".to_vec());
    "/Encrypt 5 0 R/ID[<00><00>]".clone_into(&mut sheet.trailer);
    assert!(matches!(refusal(open(sheet.pdf())), Broken::UnknownEncryption));
}

#[test]
fn broken_files_are_refused_and_slightly_broken_ones_read() {
    assert!(matches!(refusal(open(Vec::new())), Broken::Empty));
    assert!(matches!(refusal(open(b"%PDF-1.7\nnothing more".to_vec())), Broken::Unreadable { .. }));
    let whole = Sheet::new(&lines(&["Factura"])).pdf();
    // The table of places is lost; the objects are all there.
    let cut = whole[..whole.len() - 60].to_vec();
    assert_eq!(text(cut), "Factura");
    let half = open(whole[..60].to_vec());
    assert!(matches!(refusal(half), Broken::Unreadable { .. } | Broken::NoPages | Broken::Cut));
}

#[test]
fn a_file_that_ends_in_the_middle_is_refused_and_one_with_something_behind_it_is_not() {
    let whole = pages(8, &lines(&["Factura"]));
    let open_at = |length: usize| open(whole[..length].to_vec());
    let last = whole.windows(6).rposition(|six| six == b"endobj").unwrap();
    for length in [last - 1, last - 200, last / 2] {
        let broken = refusal(open_at(length));
        let cut = matches!(broken, Broken::Cut | Broken::Unreadable { .. } | Broken::NoPages);
        assert!(cut, "{length}: {broken}");
    }
    assert!(matches!(refusal(open_at(last - 1)), Broken::Cut), "seven of eight pages are there");
    assert_eq!(open([whole.as_slice(), b"\r\n\0\0junk"].concat()).unwrap().page_count(), 8);
    // Changed once: a second table and a second end.
    let changed =
        [whole.as_slice(), b"\n99 0 obj\n<<>>\nendobj\nxref\n0 0\ntrailer<<>>\n%%EOF"].concat();
    assert!(!matches!(open(changed), Err(Broken::Cut)));
}

#[test]
fn no_pages_and_too_many_pages_are_refused_quickly() {
    assert!(matches!(refusal(open(pages(0, ""))), Broken::NoPages | Broken::Unreadable { .. }));
    assert_eq!(open(pages(1000, &lines(&["x"]))).unwrap().page_count(), 1000);
    let many = pages(10_000, &lines(&["x"]));
    let start = Instant::now();
    let broken = refusal(open(many));
    assert!(matches!(broken, Broken::TooManyPages { found: 10_000, limit: 1000 }));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[test]
fn giant_pages_are_refused_and_large_ones_shown_smaller() {
    let mut sheet = Sheet::new("");
    sheet.media = "0 0 1000000 1000000".to_owned();
    let document = open(sheet.pdf()).unwrap();
    assert!(matches!(refusal(document.render(0, 72.0)), Broken::TooLarge { what: "page", .. }));
    sheet.media = "0 0 14400 10".to_owned();
    let picture = open(sheet.pdf()).unwrap().render(0, 600.0).unwrap();
    assert!(picture.width() <= 65_535 && picture.height() > 0);
    let limits = Limits { pixels: 1_000_000, ..Limits::default() };
    let document = open_with(Sheet::new("").pdf(), None, &limits).unwrap();
    let (width, height) = document.render(0, 600.0).unwrap().dimensions();
    assert!(width * height <= 1_000_000);
}

#[test]
fn expanding_streams_are_bombs() {
    let small = Limits { stream_bytes: 8 << 20, ..Limits::default() };
    let zeros = deflated(&vec![b' '; 64 << 20]);
    let mut content = Sheet::new("");
    content.content.clone_from(&zeros);
    content.stream = "/Filter/FlateDecode".to_owned();
    let bomb = |sheet: &Sheet| refusal(open_with(sheet.pdf(), None, &small));
    assert!(matches!(bomb(&content), Broken::Bomb { what: "stream", .. }));
    // Packed twice, it is a few hundred bytes that look harmless.
    content.content = deflated(&zeros);
    content.stream = "/Filter[/FlateDecode/FlateDecode]".to_owned();
    assert!(content.content.len() < 4000);
    assert!(matches!(bomb(&content), Broken::Bomb { what: "stream", .. }));
    let mut objects = Sheet::new("");
    objects.more.push(stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &zeros));
    assert!(matches!(bomb(&objects), Broken::Bomb { what: "stream", .. }));
    let mut wide = Sheet::new("");
    wide.content = deflated(b"x");
    wide.stream = "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4000000000>>".to_owned();
    assert!(matches!(bomb(&wide), Broken::Bomb { what: "stream", .. }));
}

#[test]
fn giant_pictures_inside_are_refused_before_they_are_made() {
    let mut sheet = Sheet::new("q 500 0 0 500 0 0 cm /I Do Q");
    sheet.resources += "/XObject<</I 5 0 R>>";
    let image = "/Type/XObject/Subtype/Image/Width 100000/Height 100000\
        /ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode";
    sheet.more.push(stream(image, &deflated(&[0; 1000])));
    let document = open(sheet.pdf()).unwrap();
    assert!(document.text(0).unwrap().is_none());
    assert!(matches!(refusal(document.render(0, 72.0)), Broken::TooLarge { what: "picture", .. }));
}

#[test]
fn forms_that_multiply_stop_at_the_clock() {
    // Each form draws the next twice: two to the fortieth in all.
    let mut sheet = Sheet::new("/X5 Do");
    sheet.resources += "/XObject<</X5 5 0 R>>";
    for n in 5..45 {
        let form = format!(
            "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</N {} 0 R>>>>",
            n + 1
        );
        sheet.more.push(stream(&form, b"/N Do /N Do"));
    }
    let limits = Limits { render: Duration::from_millis(300), ..Limits::default() };
    let document = open_with(sheet.pdf(), None, &limits).unwrap();
    let start = Instant::now();
    assert!(matches!(refusal(document.text(0)), Broken::Slow { .. }));
    assert!(matches!(refusal(document.render(0, 72.0)), Broken::Slow { .. }));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_page_that_draws_too_much_is_refused_before_it_is_drawn() {
    let square = "0 0 595 842 re f\n".repeat(40_000);
    let limits = Limits { render: Duration::from_secs(2), ..Limits::default() };
    let document = open_with(Sheet::new(&square).pdf(), None, &limits).unwrap();
    let start = Instant::now();
    assert!(matches!(refusal(document.render(0, 300.0)), Broken::Slow { seconds: 2 }));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn blended_groups_are_the_dearest_of_all() {
    let mut sheet = Sheet::new(&"q /G gs /X Do Q\n".repeat(200));
    sheet.resources += "/ExtGState<</G<</ca 0.5/BM/Multiply>>>>/XObject<</X 5 0 R>>";
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Group<</S/Transparency>>";
    sheet.more.push(stream(form, b"0 0 595 842 re f"));
    let document = open(sheet.pdf()).unwrap();
    let start = Instant::now();
    assert!(matches!(refusal(document.render(0, 300.0)), Broken::Slow { seconds: 20 }));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(document.render(0, 20.0).is_ok());
}

#[test]
fn pages_are_read_from_several_threads() {
    let document = open(pages(16, &lines(&["Factura 2024/113"]))).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let document = &document;
            scope.spawn(move || {
                for page in (thread..16).step_by(4) {
                    let layer = document.text(page).unwrap().unwrap();
                    assert_eq!(layer.text.text(), "Factura 2024/113");
                }
            });
        }
    });
}
