//! Learning from one correction: the documents of each layout come one after another; whoever is
//! asked answers with the truth, and what is remembered of that is used for the next.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result, anyhow};
use docproc::{
    rules::workflow::{self, Workflow},
    training::{self, Case, Reader, Truth, Verdict},
};
use ocr::EngineKind;
use page::PageText;
use understand::extract::memory::{self, Answer, Layout};

use super::quality;
use crate::report::{Limit, Report};

/// Which documents of a layout are looked at, counted from the first that anybody saw.
const LOOKED_AT: [usize; 3] = [2, 3, 5];
const WANTED: f64 = 80.0;
/// Automatic fields that are wrong, in per cent.
const WRONG: f64 = 1.0;

/// What became of the documents at one place of the row.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    documents: usize,
    straight: usize,
    /// Every field sure, whoever said the type.
    sure: usize,
    automatic: usize,
    wrong: usize,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        let automatic = verdict.fields.iter().filter(|one| one.automatic);
        self.documents += 1;
        self.straight += usize::from(verdict.straight);
        self.sure += usize::from(verdict.fields.iter().all(|one| one.automatic));
        self.wrong += automatic.clone().filter(|one| !one.right).count();
        self.automatic += automatic.count();
    }
}

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let workflow = workflow::parse(workflow::DEFAULT)
        .map_err(|faults| anyhow!("the default workflow: {faults:?}"))?;
    let Some(dir) = super::data("invoices") else {
        eprintln!("no real invoices; DATA names the directory that holds invoices/");
        return Ok(());
    };
    let mut reader = Reader::new(super::pack(), EngineKind::PpOcr).keeping(&quality::shelf());
    let mut layouts: BTreeMap<String, Vec<(Truth, Vec<PageText>)>> = BTreeMap::new();
    for Case { file, truth } in training::cases(&dir).with_context(|| dir.display().to_string())? {
        let pages = reader.pages(&file).with_context(|| file.display().to_string())?;
        layouts.entry(layout_of(&file)).or_default().push((truth, pages));
    }
    for (name, documents) in &layouts {
        let without = alone(&workflow, documents);
        line(report, &format!("{name}, nothing remembered"), without, Limit::None);
        let with = in_turn(&workflow, documents);
        for at in LOOKED_AT {
            let tally = with.get(&at).copied().unwrap_or_default();
            line(report, &format!("{name}, document {at}"), tally, Limit::AtLeast(WANTED));
        }
    }
    Ok(())
}

/// The part of the name before a dash.
fn layout_of(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    stem.split_once('-').map_or(stem.clone(), |(layout, _)| layout.to_owned())
}

fn alone(workflow: &Workflow, documents: &[(Truth, Vec<PageText>)]) -> Tally {
    let mut tally = Tally::default();
    for (truth, pages) in documents {
        tally.add(&quality::judge(workflow).judge(truth, pages));
    }
    tally
}

/// Each document is the first once; the others follow in their order.
fn in_turn(workflow: &Workflow, documents: &[(Truth, Vec<PageText>)]) -> BTreeMap<usize, Tally> {
    let judge = quality::judge(workflow);
    let mut tallies: BTreeMap<usize, Tally> = BTreeMap::new();
    for first in 0..documents.len() {
        let mut known: BTreeMap<String, Layout> = BTreeMap::new();
        for (n, (truth, pages)) in
            documents.iter().cycle().skip(first).take(documents.len()).enumerate()
        {
            let layouts: Vec<&Layout> = known.values().collect();
            let verdict = judge.judge_by(truth, pages, &layouts);
            if n > 0 {
                tallies.entry(n + 1).or_default().add(&verdict);
                for field in verdict.fields.iter().filter(|one| one.automatic && !one.right) {
                    let (name, found, truth) = (&field.name, &field.found, &field.truth);
                    eprintln!("wrong: {name} {found:?}, in truth {truth:?}");
                }
            }
            // The first is corrected in any case: that is what is measured.
            if n == 0 || !verdict.straight {
                teach(workflow, truth, pages, &mut known);
            }
        }
    }
    tallies
}

/// A person answers with the truth.
fn teach(
    workflow: &Workflow,
    truth: &Truth,
    pages: &[PageText],
    known: &mut BTreeMap<String, Layout>,
) {
    let doc_type = truth.doc_type.as_deref().unwrap_or_default();
    let Some(schema) = workflow.schemas.get(doc_type) else { return };
    let today = jiff::Zoned::now().date();
    let typed = |spec: &understand::extract::FieldSpec| {
        let text = truth.fields.get(&spec.name)?;
        let value = understand::extract::check_value(spec, text, today).ok()?;
        Some((spec.name.clone(), value.to_string()))
    };
    let typed: Vec<(String, String)> = schema.fields.iter().filter_map(typed).collect();
    let answers: Vec<Answer<'_>> =
        typed.iter().map(|(field, value)| Answer { field, value, boxes: Vec::new() }).collect();
    let pages: Vec<&PageText> = pages.iter().collect();
    let taught = |before| memory::remember(before, doc_type, schema, &pages, &answers, today);
    let Some(fresh) = taught(None) else { return };
    let Some(key) = fresh.key() else { return };
    let layout = known.get(&key).and_then(|before| taught(Some(before))).unwrap_or(fresh);
    known.insert(key, layout);
}

fn line(report: &mut Report, what: &str, tally: Tally, wanted: Limit) {
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    let Tally { documents, straight, sure, automatic, wrong } = tally;
    let note = format!("{straight} of {documents}; all fields sure in {sure}");
    let figure = share(straight, documents);
    report.line(format!("{what}: straight through"), figure, "%", wanted, note);
    let note = format!("{wrong} of {automatic} automatic fields");
    let figure = share(wrong, automatic);
    report.line(format!("{what}: wrong"), figure, "%", Limit::AtMost(WRONG), note);
}
