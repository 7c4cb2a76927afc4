//! The corpus behind the shipped classifier.

use page::PageText;
use understand::classify::{Report, Trainer};

use crate::{
    Kind, Lang, Sample, generate,
    noise::{noisy_text, partial},
};

const LEARNT: u64 = 480;
const HELD_OUT: u64 = 160;
/// "Other" is many kinds of pages.
const OTHERS: u64 = 3;
/// Papers of trade are what is taken for invoices: so many times as many other pages are written only
/// to take those out of them.
const TRADE: u64 = 3;

/// Trains the model that ships inside the binary, and reports how one that never saw some of the
/// layouts did on those. The same bytes every time.
pub fn train_shipped() -> (Vec<u8>, Report) {
    let mut trainer = Trainer::new();
    for kind in Kind::ALL {
        let weight = if kind == Kind::Other { OTHERS } else { 1 };
        for lang in Lang::ALL {
            let share = if matches!(lang, Lang::Fr | Lang::Pt) { 2 } else { 1 };
            let learnt = LEARNT * weight / share;
            for seed in 0..learnt {
                learn(&mut trainer, &generate(kind, lang, seed), seed);
            }
            for seed in learnt..if kind == Kind::Other { learnt * TRADE } else { 0 } {
                let sample = generate(kind, lang, seed);
                if PAPERS_OF_TRADE.contains(&sample.layout) {
                    learn(&mut trainer, &sample, seed);
                }
            }
            for seed in 0..HELD_OUT * weight / share {
                let sample = generate(kind, lang, 1_000_000 + seed);
                let judges = held_back(&sample) || kind == Kind::Other;
                if judges && !is_reserved(&sample) {
                    for page in views(&sample, seed) {
                        trainer.add_held_out(&page, kind.label());
                    }
                }
            }
        }
    }
    trainer.train().expect("six types, each with many pages")
}

/// Families that no shipped model ever learns from or is calibrated on: they only measure. What is
/// none of the types has no families: each of its layouts is another kind of page.
pub fn is_reserved(sample: &Sample) -> bool {
    sample.kind != Kind::Other && sample.layout % 7 == 3
}

fn learn(trainer: &mut Trainer, sample: &Sample, seed: u64) {
    if held_back(sample) || is_reserved(sample) {
        return;
    }
    for page in views(sample, seed) {
        trainer.add(&page, sample.kind.label());
    }
}

/// Every fifth layout of a type is never learnt from while the model is judged. What is none of the
/// types is judged on all its kinds of pages, one in ten of them never learnt from.
fn held_back(sample: &Sample) -> bool {
    sample.layout % if sample.kind == Kind::Other { 10 } else { 5 } == 2
}

/// Delivery notes, quotations and orders among the other pages.
const PAPERS_OF_TRADE: std::ops::RangeInclusive<u32> = 16..=18;
/// A crop with fewer words teaches chance.
const WORDS: usize = 12;

/// Each page as one reader or another might see it.
fn views(sample: &Sample, seed: u64) -> Vec<PageText> {
    let texts = sample.texts();
    let by_title = sample.kind == Kind::Other && PAPERS_OF_TRADE.contains(&sample.layout);
    let views = texts.iter().enumerate().take(3).map(|(n, page)| {
        let seed = seed * 31 + n as u64;
        match seed % 5 {
            0 => page.clone(),
            // Without its title a quotation is told from an invoice by nobody.
            1 if !by_title => partial(&noisy_text(page, seed), seed),
            _ => noisy_text(page, seed),
        }
    });
    views.filter(|page| page.words.len() >= WORDS).collect()
}
