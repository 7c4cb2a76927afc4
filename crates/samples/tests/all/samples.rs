//! What is printed is what truth says.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU32, Ordering},
};

use paper::{Document, Limits};
use samples::{
    Kind, Lang, Sample, Wear, generate, noisy_text, pdf, scan, scanned_pdf, write_corpus,
};

fn every(kind: Kind, count: u64) -> impl Iterator<Item = Sample> {
    (0..count).map(move |seed| generate(kind, Lang::ALL[seed as usize % 3], seed))
}

fn cents(text: &str) -> i64 {
    text.replace('.', "").parse().unwrap()
}

fn printed(sample: &Sample) -> String {
    let words = sample.texts().into_iter().flat_map(|page| page.words);
    words.map(|word| word.text).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for kind in Kind::ALL {
        let (a, b) = (generate(kind, Lang::Es, 3), generate(kind, Lang::Es, 3));
        assert_eq!(pdf(&[&a]), pdf(&[&b]));
        assert_ne!(pdf(&[&a]), pdf(&[&generate(kind, Lang::Es, 4)]));
    }
}

#[test]
fn every_kind_has_many_layouts() {
    for kind in Kind::ALL {
        let layouts: BTreeSet<u32> = every(kind, 400).map(|sample| sample.layout).collect();
        assert!(layouts.len() >= 8, "{kind:?} has {}", layouts.len());
    }
}

#[test]
fn amounts_add_up() {
    for invoice in every(Kind::Invoice, 200) {
        let of = |field: &str| cents(&invoice.truth[field]);
        assert_eq!(of("net_amount") + of("tax_amount"), of("total_amount"));
    }
    for payslip in every(Kind::Payslip, 200) {
        assert!(cents(&payslip.truth["net_amount"]) < cents(&payslip.truth["gross_amount"]));
    }
}

#[test]
fn names_and_numbers_of_truth_are_printed() {
    let fields = [
        "invoice_number",
        "vendor_name",
        "tax_id",
        "merchant",
        "full_name",
        "company_name",
        "employee_name",
        "company",
        "employee",
    ];
    for kind in Kind::ALL {
        for sample in every(kind, 120) {
            let text = printed(&sample);
            for (_, value) in sample.truth.iter().filter(|(f, _)| fields.contains(&f.as_str())) {
                let missing = value.split(' ').find(|word| !text.contains(word));
                assert_eq!(missing, None, "{value} in {text}");
            }
        }
    }
}

#[test]
fn everything_stays_on_the_paper() {
    for kind in Kind::ALL {
        for sample in every(kind, 120) {
            for (page, text) in sample.pages.iter().zip(sample.texts()) {
                let over = text.words.iter().find(|word| {
                    word.place.x < 0.0 || word.place.y < 0.0 || word.place.bottom() > page.height
                });
                assert!(over.is_none(), "{kind:?} {} {over:?}", sample.layout);
            }
        }
    }
}

#[test]
fn a_pdf_reader_finds_the_words_where_they_were_put() {
    let samples = [generate(Kind::Invoice, Lang::Es, 1), generate(Kind::Receipt, Lang::En, 2)];
    let pages: usize = samples.iter().map(|sample| sample.pages.len()).sum();
    let bytes = pdf(&[&samples[0], &samples[1]]);
    let document = Document::open(bytes, paper::Kind::Pdf, None, &Limits::default()).unwrap();
    assert_eq!(document.page_count(), pages);
    let read = document.text(0).unwrap().unwrap().text;
    let ours = &samples[0].texts()[0];
    for word in &ours.words {
        let found = read.words.iter().any(|other| {
            let (a, b) = (word.place.middle(), other.place.middle());
            other.text.contains(&word.text) && (a.0 - b.0).abs() < 9.0 && (a.1 - b.1).abs() < 5.0
                || other.text.contains(&word.text) && word.text.chars().count() < 3
        });
        assert!(found, "{word:?}");
    }
}

#[test]
fn scans_differ_by_wear_and_repeat_by_seed() {
    let card = generate(Kind::IdCard, Lang::Es, 0);
    let clean = scan(&card, 0, Wear::Clean, 1).unwrap();
    assert_eq!(clean, scan(&card, 0, Wear::Clean, 1).unwrap());
    assert_ne!(clean, scan(&card, 0, Wear::Degraded, 1).unwrap());
    assert!(scan(&card, 99, Wear::Clean, 1).is_err());
    let bytes = scanned_pdf(&[&card], Wear::Scanned, 1).unwrap();
    let document = Document::open(bytes, paper::Kind::Pdf, None, &Limits::default()).unwrap();
    assert_eq!(document.page_count(), card.pages.len());
    assert!(document.text(0).unwrap().is_none(), "a scan carries no text");
}

#[test]
fn a_tired_reader_keeps_most_of_the_page() {
    let page = generate(Kind::Contract, Lang::En, 5).texts().remove(0);
    assert_eq!(noisy_text(&page, 9), noisy_text(&page, 9));
    for seed in 0..50 {
        let noisy = noisy_text(&page, seed);
        assert!(noisy.words.len() * 10 > page.words.len() * 6);
    }
}

#[test]
fn a_corpus_is_files_with_their_truth() {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("samples-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let dir = std::env::temp_dir().join(name);
    let written = write_corpus(&dir, 7, 1, Wear::None).unwrap();
    assert_eq!(written.len(), 7);
    for path in &written {
        let truth = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let truth: serde_json::Value = serde_json::from_str(&truth).unwrap();
        assert!(truth["kind"].is_string() && truth["fields"].is_object());
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
