//! The model in the binary is what the corpus in the repository teaches.

use samples::{Kind, Lang, generate, train_fields, train_shipped};
use understand::{classify::Classifier, extract::calibrate::Weights};

#[test]
fn retraining_gives_the_shipped_file_and_it_tells_unseen_layouts_apart() {
    let (model, report) = train_shipped();
    assert!(report.accuracy > 0.97, "{report}");
    // Three kinds of other pages are judged that the trial never saw: about one page in a hundred is
    // told boldly and wrongly.
    assert!(report.confident > 0.9 && report.confident_wrong < 0.012, "{report}");
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
    // Some quotations and orders are laid out as invoices are, to the last line.
    assert!(boldly_wrong * 100 <= pages, "{boldly_wrong} of {pages}");
}
