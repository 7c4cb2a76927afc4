//! Files opened in processes of their own: the same answers, and deaths that stay there.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::made::pdf::{Sheet, deflated, lines, pages, stream};
use crate::made::picture::{block, jpeg, png};
use paper::{Broken, Document, Kind, Limits, Renderer, sniff};

fn renderer(most: usize) -> Renderer {
    Renderer::isolated(PathBuf::from(env!("CARGO_BIN_EXE_render-worker")), most)
}

fn open(renderer: &Renderer, bytes: &[u8], limits: &Limits) -> Result<Document, Broken> {
    renderer.open(bytes.to_vec(), sniff(bytes).unwrap_or(Kind::Pdf), None, limits)
}

fn good() -> Vec<u8> {
    Sheet::new(&lines(&["Factura 2024/113", "Total: 1.512,50 EUR"])).pdf()
}

/// A line of a hundred points in dashes of a millionth each.
fn dashes() -> Vec<u8> {
    Sheet::new("[0.000001] 0 d 100 w 0 0 m 595 842 l S").pdf()
}

/// A page that is shaded by a program of a hundred thousand steps for each of its points.
fn shading() -> Vec<u8> {
    let mut sheet = Sheet::new("/S sh");
    sheet.resources += "/Shading<</S<</ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1 0 1]\
        /Matrix[595 0 0 842 0 0]/Function 5 0 R>>>>";
    let program = format!("{{{} dup dup }}", " 2 copy mul sin exch pop ".repeat(20_000));
    let function = "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]";
    sheet.more.push(stream(function, program.as_bytes()));
    sheet.pdf()
}

#[test]
fn what_is_open_elsewhere_says_the_same() {
    let (renderer, limits) = (renderer(2), Limits::default());
    let files = [
        good(),
        pages(3, &lines(&["uno", "dos"])),
        png(&block(24, 24)),
        jpeg(&block(24, 24), Some(6)),
        "uno dos\n\ttres\u{c}cuatro ñ".as_bytes().to_vec(),
    ];
    for file in files {
        let kind = sniff(&file).unwrap();
        let here = Document::open(file.clone(), kind, None, &limits).unwrap();
        let there = open(&renderer, &file, &limits).unwrap();
        assert_eq!(here.page_count(), there.page_count());
        for page in 0..here.page_count() {
            assert_eq!(here.size(page).unwrap(), there.size(page).unwrap());
            let (text, told) = (here.text(page).unwrap(), there.text(page).unwrap());
            assert_eq!(text.map(|layer| layer.text), told.map(|layer| layer.text));
            assert_eq!(here.draw(page, 72.0, 400).unwrap(), there.draw(page, 72.0, 400).unwrap());
        }
        assert!(matches!(there.text(9), Err(Broken::NoSuchPage { page: 9 })));
    }
    let broken = open(&renderer, b"%PDF-1.7\nnothing more", &limits).err().unwrap();
    assert!(matches!(broken, Broken::Unreadable { what: "PDF" }), "{broken}");
}

#[test]
fn pages_of_many_files_are_read_by_few_processes() {
    let renderer = renderer(2);
    let files: Vec<Document> = (0..20)
        .map(|n| {
            let text = format!("Factura {n}");
            let file = Sheet::new(&lines(&[&text])).pdf();
            open(&renderer, &file, &Limits::default()).unwrap()
        })
        .collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let files = &files;
            scope.spawn(move || {
                for (n, file) in files.iter().enumerate().skip(thread) {
                    let layer = file.text(0).unwrap().unwrap();
                    assert_eq!(layer.text.text(), format!("Factura {n}"));
                }
            });
        }
    });
}

#[test]
fn a_page_that_takes_all_memory_takes_a_process_with_it_and_nothing_else() {
    let (renderer, limits) = (renderer(2), Limits::default());
    let well = open(&renderer, &good(), &limits).unwrap();
    let bomb = open(&renderer, &dashes(), &limits).unwrap();
    let broken = bomb.render(0, 200.0).err().unwrap();
    assert!(matches!(broken, Broken::Greedy | Broken::Slow { .. }), "{broken}");
    assert_eq!(well.text(0).unwrap().unwrap().text.words.len(), 5);
    assert!(well.render(0, 72.0).is_ok());
}

#[test]
fn a_page_that_never_ends_is_ended() {
    let renderer = renderer(2);
    let limits = Limits { render: Duration::from_secs(1), ..Limits::default() };
    let bomb = open(&renderer, &shading(), &limits).unwrap();
    let start = Instant::now();
    let broken = bomb.render(0, 200.0).err().unwrap();
    assert!(matches!(broken, Broken::Slow { seconds: 1 }), "{broken}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    let well = open(&renderer, &good(), &limits).unwrap();
    assert!(well.text(0).unwrap().is_some());
}

#[test]
fn a_mask_larger_than_any_picture_is_refused() {
    let mut sheet = Sheet::new("q 500 0 0 500 0 0 cm /I Do Q");
    sheet.resources += "/XObject<</I 5 0 R>>";
    let entries = |size: u32, bits: u8| {
        format!(
            "/Type/XObject/Subtype/Image/Width {size}/Height {size}/ColorSpace/DeviceGray\
             /BitsPerComponent {bits}"
        )
    };
    sheet.more.push(stream(&(entries(8, 8) + "/SMask 6 0 R"), &[128; 64]));
    let mask = entries(44_000, 1) + "/Filter/FlateDecode";
    sheet.more.push(stream(&mask, &deflated(&[0; 1000])));
    let document = open(&renderer(1), &sheet.pdf(), &Limits::default()).unwrap();
    let broken = document.render(0, 72.0).err().unwrap();
    assert!(matches!(broken, Broken::TooLarge { what: "picture", .. }), "{broken}");
}

#[test]
fn a_program_that_is_no_renderer_is_told_apart_from_a_bad_file() {
    let nobody = Renderer::isolated(PathBuf::from("/nowhere/at/all"), 1);
    let broken = open(&nobody, &good(), &Limits::default()).err().unwrap();
    assert!(matches!(broken, Broken::Io(_)), "{broken}");
    let dies = Renderer::isolated(PathBuf::from("/bin/false"), 1);
    let broken = open(&dies, &good(), &Limits::default()).err().unwrap();
    assert!(matches!(broken, Broken::Died), "{broken}");
}
