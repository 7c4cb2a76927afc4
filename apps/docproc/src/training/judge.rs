//! A document with known truth, run through the rules as if it had been sent.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
};

use jiff::civil::Date;
use ocr::{EngineKind, Pack};
use page::PageText;
use understand::{
    classify::{Classifier, first_page_evidence},
    extract::{
        Extraction, FieldSpec, Kind, check_value,
        memory::{self, Layout},
    },
};

use super::{Case, Reader, Scorecard, Truth};
use crate::{
    model::{Component, Item, Progress, Standing, Status},
    rules::{
        advance::{Change, Page, Snapshot, Thresholds, plan},
        blank::BLANK,
        workflow::Workflow,
    },
};

/// Everything that decides what becomes of a document.
#[derive(Debug)]
pub struct Judge<'a> {
    pub workflow: &'a Workflow,
    pub classifier: &'a Classifier,
    /// The house's thresholds, where the workflow leaves them out.
    pub house: Thresholds,
    pub today: Date,
}

/// What became of one document.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    pub doc_type: String,
    /// For each page, the confidence of its type and whether that is right, where it is known.
    pub pages: Vec<(f64, Option<bool>)>,
    pub fields: Vec<FieldVerdict>,
    /// Whether the type of every page is right; nothing when a person was asked about one.
    pub typed: Option<bool>,
    /// No person was asked anything.
    pub straight: bool,
    /// One document of the right type, with every known field right.
    pub right: bool,
}

#[derive(Clone, Debug)]
pub struct FieldVerdict {
    pub name: String,
    pub confidence: f64,
    pub right: bool,
    /// Found with at least the threshold.
    pub automatic: bool,
    pub found: Option<String>,
    pub truth: String,
}

/// What was decided about the pages of a document.
struct Sorted {
    /// The type each page was given by itself, its confidence, and whether a person was asked.
    told: Vec<(String, f64)>,
    asked: bool,
    /// First page, last page and type of each document.
    groups: Vec<(usize, usize, String)>,
}

impl Judge<'_> {
    /// Classifies, groups and extracts; people answer with the truth where they would be asked.
    pub fn judge(&self, truth: &Truth, pages: &[PageText]) -> Verdict {
        self.judge_by(truth, pages, &[])
    }

    /// The same with what is remembered of vendors.
    pub fn judge_by(&self, truth: &Truth, pages: &[PageText], layouts: &[&Layout]) -> Verdict {
        let sorted = self.sort(truth, pages);
        let right_type = |told: &String| {
            let wanted = truth.doc_type.as_ref().filter(|_| told != BLANK);
            wanted.map(|wanted| wanted == told)
        };
        let told = sorted.told.iter();
        let first_told = sorted.told.first().map(|(told, _)| told.clone());
        let doc_type = truth.doc_type.clone().or(first_told).unwrap_or_default();
        let mut verdict = Verdict {
            pages: told.map(|(told, confidence)| (*confidence, right_type(told))).collect(),
            straight: !sorted.asked,
            typed: (!sorted.asked)
                .then(|| sorted.told.iter().all(|(told, _)| right_type(told).unwrap_or(true))),
            right: sorted.groups.len() == 1,
            fields: Vec::new(),
            doc_type: doc_type.clone(),
        };
        let mut met = false;
        for (first, last, of_type) in &sorted.groups {
            let of_group: Vec<&PageText> = pages[*first..=*last].iter().collect();
            let Some(schema) = self.workflow.schemas.get(of_type) else { continue };
            let (found, _) = memory::extract(of_type, schema, &of_group, self.today, layouts);
            verdict.straight &= !self.doubtful(&found);
            if *of_type == doc_type && !met {
                met = true;
                let truths = schema
                    .fields
                    .iter()
                    .filter_map(|spec| Some((spec, truth.fields.get(&spec.name)?)));
                verdict.fields =
                    truths.map(|(spec, truth)| self.field(spec, truth, &found)).collect();
            }
        }
        let wanted = self.workflow.schemas.get(&doc_type).map_or(0, |schema| {
            schema.fields.iter().filter(|spec| truth.fields.contains_key(&spec.name)).count()
        });
        verdict.right &= sorted.groups.iter().all(|(_, _, of_type)| *of_type == doc_type)
            && verdict.fields.len() == wanted
            && verdict.fields.iter().all(|field| field.right);
        verdict
    }

    /// Asks the planner about the pages twice: what it accepts, and then, people having answered,
    /// which documents it opens.
    fn sort(&self, truth: &Truth, texts: &[PageText]) -> Sorted {
        let stages = &self.workflow.stages;
        let at = stages.iter().position(|stage| stage.component == Component::Classifier);
        let grouping = self.workflow.grouping().unwrap_or(0);
        let at = at.unwrap_or(grouping.saturating_sub(1));
        let types = self.workflow.types();
        let page = |(n, text): (usize, &PageText)| {
            // As the workers do: nobody is asked about a page with nothing on it.
            let scores = if text.words.is_empty() {
                vec![(BLANK.to_owned(), 1.0)]
            } else {
                self.classifier.scores(text, &types)
            };
            Page {
                n: n as u32,
                file: 0,
                standing: Standing { at: at as i32, progress: Progress::Done },
                scores: Some(scores.into_iter().map(|(name, p)| (name, f64::from(p))).collect()),
                evidence: first_page_evidence(text).into(),
                doc_type: None,
                grouped: false,
            }
        };
        let mut snapshot = Snapshot {
            status: Status::Processing,
            standing: Standing::todo(stages.len().saturating_sub(1)),
            page_count: Some(texts.len() as u32),
            document_count: None,
            pages: texts.iter().enumerate().map(page).collect(),
            documents: Vec::new(),
        };
        let best = |page: &Page| page.scores.as_ref()?.first().cloned();
        let mut told: Vec<(String, f64)> =
            snapshot.pages.iter().map(|page| best(page).unwrap_or_default()).collect();
        let mut asked = false;
        for change in plan(&snapshot, self.workflow, self.house).changes {
            match change {
                Change::Accept { page, doc_type, confidence } => {
                    told[page as usize] = (doc_type, confidence);
                }
                Change::Review { item: Item::Page(_), .. } => asked = true,
                _ => {}
            }
        }
        let threshold = stages.get(at).and_then(|stage| stage.threshold);
        let threshold = threshold.unwrap_or(self.house.classification);
        for (page, (doc_type, confidence)) in snapshot.pages.iter_mut().zip(&told) {
            let by_person = truth.doc_type.clone().filter(|_| *confidence < threshold);
            page.doc_type = Some(by_person.unwrap_or_else(|| doc_type.clone()));
        }
        let opened = plan(&snapshot, self.workflow, self.house).changes.into_iter();
        let groups = opened.filter_map(|change| match change {
            Change::Open { first, last, doc_type, .. } => {
                Some((first as usize, last as usize, doc_type))
            }
            _ => None,
        });
        Sorted { told, asked, groups: groups.collect() }
    }

    fn threshold(&self) -> f64 {
        let stages = &self.workflow.stages;
        let stage = stages.iter().find(|stage| stage.component == Component::Extractor);
        stage.and_then(|stage| stage.threshold).unwrap_or(self.house.extraction)
    }

    fn doubtful(&self, found: &Extraction) -> bool {
        let missing = found.fields.iter().any(|field| field.required && field.value.is_none());
        missing || f64::from(found.confidence) < self.threshold()
    }

    fn field(&self, spec: &FieldSpec, truth: &str, found: &Extraction) -> FieldVerdict {
        let field = found.fields.iter().find(|field| field.name == spec.name);
        let value = field.and_then(|field| field.normalised.as_deref());
        let confidence = field.map_or(0.0, |field| f64::from(field.confidence));
        FieldVerdict {
            name: spec.name.clone(),
            confidence,
            right: value.is_some_and(|value| self.same(spec, value, truth)),
            automatic: value.is_some() && confidence >= self.threshold(),
            found: value.map(str::to_owned),
            truth: truth.to_owned(),
        }
    }

    /// Amounts are compared by value, days by date, all else by letters and digits.
    fn same(&self, spec: &FieldSpec, found: &str, truth: &str) -> bool {
        let free = FieldSpec { kind: spec.kind, ..FieldSpec::new(&spec.name, spec.kind) };
        let meant = check_value(&free, truth, self.today).map(|value| value.to_string());
        match spec.kind {
            Kind::Decimal => {
                let number = |text: &str| text.parse::<f64>().ok();
                let meant = meant.ok().and_then(|meant| number(&meant));
                number(found).zip(meant).is_some_and(|(a, b)| (a - b).abs() < 0.005)
            }
            Kind::Date => meant.is_ok_and(|day| day == found),
            Kind::String | Kind::Integer | Kind::Iban | Kind::TaxId | Kind::Enum | Kind::Table => {
                letters(found) == letters(truth)
            }
        }
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Where documents are read that are to be judged.
#[derive(Clone, Default)]
pub struct Lectern {
    pub pack: Option<Pack>,
    pub threads: usize,
    /// Where pages that were read are kept for the next time.
    pub shelf: Option<PathBuf>,
}

/// Reads and judges documents on several threads; `done` hears of each.
pub fn evaluate(
    judge: &Judge<'_>,
    cases: &[Case],
    desk: &Lectern,
    done: &(dyn Fn(&Path) + Sync),
) -> Scorecard {
    let next = Mutex::new(cases.iter());
    let work = || {
        let mut reader = Reader::new(desk.pack.clone(), EngineKind::PpOcr);
        if let Some(shelf) = &desk.shelf {
            reader = reader.keeping(shelf);
        }
        let mut card = Scorecard::default();
        loop {
            let case = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            let Some(Case { file, truth }) = case else { return card };
            match reader.pages(file) {
                Ok(pages) => card.add(file, &judge.judge(truth, &pages)),
                Err(unread) => card.miss(file, &unread),
            }
            done(file);
        }
    };
    std::thread::scope(|scope| {
        let hands: Vec<_> = (0..desk.threads.max(1)).map(|_| scope.spawn(work)).collect();
        let cards = hands.into_iter().filter_map(|hand| hand.join().ok());
        cards.fold(Scorecard::default(), Scorecard::plus)
    })
}

#[cfg(test)]
mod tests {
    use samples::{Kind as Sort, Lang};

    use super::*;
    use crate::rules::workflow;

    fn judge(workflow: &Workflow) -> Judge<'_> {
        let house = Thresholds { classification: 0.8, extraction: 0.75 };
        let today = jiff::civil::date(2026, 6, 1);
        Judge { workflow, classifier: Classifier::shipped(), house, today }
    }

    #[test]
    fn generated_documents_are_judged_by_their_own_truth() {
        let workflow = workflow::parse(workflow::DEFAULT).unwrap();
        let judge = judge(&workflow);
        let mut card = Scorecard::default();
        for seed in 0..10 {
            let sample = samples::generate(Sort::Invoice, Lang::Es, 9_000_000 + seed);
            let doc_type = Some(sample.kind.label().to_owned());
            let truth = Truth { doc_type, fields: sample.truth.clone() };
            let verdict = judge.judge(&truth, &sample.texts());
            assert_eq!(verdict.pages.len(), sample.pages.len());
            assert_eq!(verdict.fields.len(), 4, "every field of the schema is known");
            card.add(Path::new("generated.pdf"), &verdict);
            // Told to be something else, nothing of it can be right.
            let lie = Truth { doc_type: Some("payslip".into()), ..truth };
            assert!(!judge.judge(&lie, &sample.texts()).right);
        }
        assert!(card.type_accuracy() > 0.8, "{card}");
        assert!(card.fields().precision() > Some(0.8), "{card}");
    }

    #[test]
    fn values_are_compared_as_what_they_mean() {
        let workflow = workflow::parse(workflow::DEFAULT).unwrap();
        let judge = judge(&workflow);
        let same = |kind, found, truth| judge.same(&FieldSpec::new("date", kind), found, truth);
        assert!(same(Kind::Decimal, "8.20", "$8.20") && !same(Kind::Decimal, "8.20", "8.02"));
        assert!(same(Kind::Date, "2018-03-14", "14-03-18"));
        assert!(same(Kind::String, "Mr. D.I.Y. (M)", "MR DIY M"));
    }
}
