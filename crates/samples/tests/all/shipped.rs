//! The model in the binary is what the corpus in the repository teaches.

use page::PageText;
use samples::{Kind, Lang, generate, noisy_text, train_fields, train_shipped};
use understand::{
    classify::Classifier,
    extract::{FieldSpec, Kind as Of, Schema, calibrate::Weights, extract},
};

#[test]
fn retraining_gives_the_shipped_file_and_it_tells_unseen_layouts_apart() {
    let (model, report) = train_shipped();
    assert!(report.accuracy > 0.97, "{report}");
    assert!(report.confident > 0.95 && report.confident_wrong < 0.01, "{report}");
    assert!(model.len() < 500_000, "{} bytes", model.len());
    let shipped = include_bytes!("../../../understand/model/pages.bin");
    assert!(
        model == shipped,
        "the corpus or the trainer changed: run the example `train` to write the model again"
    );
}

#[test]
fn refitting_gives_the_shipped_weights_of_fields() {
    let fitted = train_fields();
    assert!(
        fitted == *Weights::shipped(),
        "the corpus or the extraction changed: run the example `train` again\n{fitted}"
    );
}

#[test]
fn samples_that_were_never_trained_on_are_told_apart() {
    let among = Kind::ALL.map(Kind::label);
    let (mut pages, mut right, mut boldly_wrong) = (0u32, 0u32, 0u32);
    for kind in Kind::ALL {
        for seed in 0..40 {
            let sample = generate(kind, Lang::ALL[seed as usize % 3], 5_000_000 + seed);
            for page in sample.texts() {
                let (label, probability) = Classifier::shipped().scores(&page, &among).remove(0);
                pages += 1;
                right += u32::from(label == kind.label());
                boldly_wrong += u32::from(label != kind.label() && probability >= 0.8);
            }
        }
    }
    assert!(right * 100 >= pages * 98, "{right} of {pages}");
    assert!(boldly_wrong <= 1, "{boldly_wrong} of {pages}");
}

/// Letters, lives, forms, minutes, certificates, articles, manuals, stories, foreign scripts.
#[test]
fn pages_from_another_world_have_no_sure_total() {
    const SURE: f32 = 0.75;
    let total = |name: &str| Schema { fields: vec![FieldSpec::new(name, Of::Decimal)] };
    let mut pages = 0;
    for seed in 0..160 {
        let sample = generate(Kind::Other, Lang::ALL[seed as usize % 4], 60_000_000 + seed);
        if sample.layout > 15 {
            continue;
        }
        pages += 1;
        let mut texts = sample.texts();
        if seed % 2 == 0 {
            texts = texts.iter().map(|page| noisy_text(page, seed)).collect();
        }
        let texts: Vec<&PageText> = texts.iter().collect();
        for (doc_type, name) in [("invoice", "total_amount"), ("receipt", "total")] {
            let today = jiff::civil::date(2026, 11, 1);
            let found = extract(doc_type, &total(name), &texts, today).fields.remove(0);
            assert!(found.confidence < SURE, "{} {seed}: {:?}", sample.layout, found.value);
        }
    }
    assert!(pages > 50);
}
