//! Learning from documents whose truth is known, and being judged by them.
//!
//! A model trained here learns from generated pages, so that it forgets nothing, and from pages of
//! the house: labelled folders and what operators corrected. One page in five, told by its content
//! alone, is never learnt from by any model; it judges the new one beside the one in force.

mod curve;
mod judge;
mod reader;
mod scorecard;
mod selective;
mod truth;

pub use curve::{Bin, Curve};
use db::{Error, Tx};
pub use judge::{Judge, Lectern, Verdict, evaluate};
use page::PageText;
pub use reader::{Reader, Unread};
use samples::{Kind, Lang, noisy_text};
pub use scorecard::{FieldScore, Scorecard, TypeScore};
pub use selective::{Step, promised};
pub use truth::{Case, Truth, Untold, cases, labelled};
use understand::classify::{Classifier, Report, TrainError, Trainer};

use crate::store::corrections;

/// Generated pages per type and language to learn from, to calibrate on and to judge by.
const LEARNT: u64 = 150;
const CALIBRATED: u64 = 25;
const JUDGED: u64 = 20;
/// Seeds far from each other and from those of the shipped model.
const CALIBRATION: u64 = 1_000_000;
const JUDGEMENT: u64 = 3_000_000;
/// "Other" is many kinds of pages.
const OTHERS: u64 = 3;
/// A page of the house counts as much as this many generated ones: there are few of them, and they
/// are what will come again.
const WEIGHT: usize = 5;
/// One page in this many judges, and one of the rest calibrates.
const SPARED: usize = 5;
/// With fewer pages of a type none is spared.
const FEW: usize = 5;
/// Corrections are read newest first, up to this many.
const MOST_CORRECTIONS: i64 = 20_000;
/// By how much a model may do worse on generated pages and still be better.
const SLACK: f64 = 0.01;

/// A page and the type a person gave it.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub page: PageText,
    pub doc_type: String,
}

/// A new model and how good it is.
#[derive(Clone, Debug)]
pub struct Trained {
    pub model: Vec<u8>,
    /// On pages held back while a trial learnt.
    pub report: Report,
    /// Both models on pages of the house that neither learnt from.
    pub house: Contest,
    /// Both models on generated pages that neither learnt from.
    pub generated: Contest,
}

/// How many of the same pages two models told right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contest {
    pub pages: usize,
    pub new: usize,
    pub in_force: usize,
}

impl Contest {
    /// Whether the new model lost more than `slack` of the pages.
    fn lost(&self, slack: f64) -> bool {
        let share = |right: usize| right as f64 / self.pages.max(1) as f64;
        share(self.new) < share(self.in_force) - slack
    }

    fn count(&mut self, new: &Classifier, in_force: &Classifier, lesson: &Lesson) {
        self.pages += 1;
        self.new += usize::from(told(new, &lesson.page) == Some(&lesson.doc_type));
        self.in_force += usize::from(told(in_force, &lesson.page) == Some(&lesson.doc_type));
    }
}

impl Trained {
    /// Whether the model in force is the better one.
    pub fn is_worse(&self) -> bool {
        self.house.lost(0.0) || self.generated.lost(SLACK)
    }
}

/// What operators decided about pages, newest first.
pub async fn corrections(tx: &mut Tx) -> Result<Vec<Lesson>, Error> {
    corrections::lessons(tx, MOST_CORRECTIONS).await
}

/// Trains a model on generated pages and those of the house. The same pages give the same bytes.
pub fn train(house: &[Lesson], in_force: &Classifier) -> Result<Trained, TrainError> {
    let mut trainer = Trainer::new();
    for lesson in generated(0, LEARNT) {
        trainer.add(&lesson.page, &lesson.doc_type);
    }
    for lesson in generated(CALIBRATION, CALIBRATED) {
        trainer.add_held_out(&lesson.page, &lesson.doc_type);
    }
    let (judging, learnt): (Vec<&Lesson>, Vec<&Lesson>) =
        house.iter().partition(|lesson| is_spared(lesson, house));
    for (n, lesson) in learnt.iter().enumerate() {
        if learnt.len() >= FEW && n % SPARED == SPARED - 1 {
            trainer.add_held_out(&lesson.page, &lesson.doc_type);
            continue;
        }
        for _ in 0..WEIGHT {
            trainer.add(&lesson.page, &lesson.doc_type);
        }
    }
    let (model, report) = trainer.train()?;
    let new = Classifier::load(&model).expect("a model that was just written loads");
    let (mut of_house, mut of_generated) = (Contest::default(), Contest::default());
    for lesson in judging {
        of_house.count(&new, in_force, lesson);
    }
    for lesson in generated(JUDGEMENT, JUDGED) {
        of_generated.count(&new, in_force, &lesson);
    }
    Ok(Trained { model, report, house: of_house, generated: of_generated })
}

/// Generated pages as one reader or another might see them.
fn generated(from: u64, each: u64) -> impl Iterator<Item = Lesson> {
    let kinds = Kind::ALL.into_iter().flat_map(|kind| Lang::ALL.map(|lang| (kind, lang)));
    kinds.flat_map(move |(kind, lang)| {
        let times = if kind == Kind::Other { OTHERS } else { 1 };
        (from..from + each * times).flat_map(move |seed| {
            let texts = samples::generate(kind, lang, seed).texts();
            texts.into_iter().take(3).enumerate().map(move |(n, page)| {
                let page = if seed % 4 == 0 { page } else { noisy_text(&page, seed + n as u64) };
                Lesson { page, doc_type: kind.label().to_owned() }
            })
        })
    })
}

/// By content, so that every training spares the same pages whatever else has come in between.
fn is_spared(lesson: &Lesson, among: &[Lesson]) -> bool {
    let of_type = among.iter().filter(|other| other.doc_type == lesson.doc_type);
    if of_type.take(FEW).count() < FEW {
        return false;
    }
    let digest = db::sha256_hex(lesson.page.text().as_bytes());
    let first = u32::from_str_radix(&digest[..6], 16).unwrap_or(0);
    (first as usize).is_multiple_of(SPARED)
}

/// The type a model would give a page.
fn told<'a>(model: &'a Classifier, page: &PageText) -> Option<&'a String> {
    let labels: Vec<&str> = model.labels().iter().map(String::as_str).collect();
    let best = model.scores(page, &labels).into_iter().next()?;
    model.labels().iter().find(|label| **label == best.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery_note(n: u64) -> Lesson {
        let text = format!(
            "ALBARÁN DE ENTREGA núm. {n}\nTransportista: Rutas del Sur\nBultos: {}\nPalés: 2\n\
             Matrícula del vehículo 1234-BCD\nRecibí conforme, sello y firma del destinatario",
            n % 9 + 1
        );
        let limits = paper::Limits::default();
        let kind = paper::Kind::Text;
        let document = paper::Document::open(text.into_bytes(), kind, None, &limits).unwrap();
        let page = document.text(0).unwrap().unwrap().text;
        Lesson { page, doc_type: "delivery_note".to_owned() }
    }

    #[test]
    fn a_type_that_only_the_house_has_is_learnt_and_nothing_is_forgotten() {
        let lessons: Vec<Lesson> = (1..=20).map(delivery_note).collect();
        let shipped = Classifier::shipped();
        let trained = train(&lessons, shipped).unwrap();
        let model = Classifier::load(&trained.model).unwrap();
        let unseen = delivery_note(777);
        assert_eq!(told(&model, &unseen.page), Some(&unseen.doc_type));
        assert!(!trained.is_worse(), "{:?} {:?}", trained.house, trained.generated);
        assert_eq!(trained.house.in_force, 0, "the shipped model does not know the type");
        assert!(trained.report.accuracy > 0.9, "{}", trained.report);
    }

    #[test]
    fn few_pages_are_all_learnt_and_many_spare_some_whatever_their_order() {
        let few: Vec<Lesson> = (1..=4).map(delivery_note).collect();
        assert!(few.iter().all(|lesson| !is_spared(lesson, &few)));
        let many: Vec<Lesson> = (1..=60).map(delivery_note).collect();
        let spared = many.iter().filter(|lesson| is_spared(lesson, &many)).count();
        assert!((3..30).contains(&spared), "{spared}");
        let fewer = &many[..30];
        assert!(fewer.iter().all(|one| is_spared(one, fewer) == is_spared(one, &many)));
    }
}
