//! How good the answers are on documents never seen: real ones when there are any, by layout, and
//! generated ones of families that no model was trained on, in several states of wear.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow};
use docproc::{
    rules::{
        advance::Thresholds,
        workflow::{self, Workflow},
    },
    training::{self, Case, Judge, Lectern, Scorecard, Truth},
};
use samples::{Kind, Lang, Wear, generate, is_reserved, noisy_text, write_corpus};
use understand::classify::Classifier;

use super::einvoice;
use crate::report::{Limit, Report};

/// Seeds no model was trained or calibrated on.
const HOLD_OUT: u64 = 40_000_000;
const THREADS: usize = 2;
/// Documents of each kind and language among which those of reserved families are picked.
const DRAWN: u64 = 150;
/// How many of each wear: a scan takes a second to make and a second to read.
const GENERATED: [(&str, Wear, usize); 3] = [
    ("generated PDFs", Wear::None, 360),
    ("generated, scanned", Wear::Scanned, 48),
    ("generated, degraded", Wear::Degraded, 24),
];

/// What a set has to reach.
struct Goal {
    typed: f64,
    /// Fields that go through together, and how often they should.
    straight: &'static [(&'static str, &'static [&'static str], f64)],
}

const RECEIPTS: Goal = Goal {
    typed: 97.0,
    straight: &[
        ("receipt", &["total", "date"], 80.0),
        ("receipt", &["total", "date", "merchant"], 60.0),
    ],
};
const INVOICES: Goal = Goal {
    typed: 97.0,
    straight: &[("invoice", &["invoice_number", "date", "total_amount"], 70.0)],
};
const BORN_DIGITAL: Goal = Goal {
    typed: 95.0,
    straight: &[("invoice", &["invoice_number", "date", "total_amount"], 85.0)],
};
const OWN: Goal = Goal { typed: 97.0, straight: &[] };

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let workflow = workflow::parse(workflow::DEFAULT)
        .map_err(|faults| anyhow!("the default workflow: {faults:?}"))?;
    let desk = Lectern { pack: super::pack(), threads: THREADS, shelf: Some(shelf()) };
    for (name, kind, goal) in
        [("real receipts", "receipts", &RECEIPTS), ("real invoices", "invoices", &INVOICES)]
    {
        let Some(dir) = super::data(kind) else {
            eprintln!("{name}: none; DATA names the directory that holds {kind}/");
            continue;
        };
        let cases = training::cases(&dir).with_context(|| dir.display().to_string())?;
        groups(report, &workflow, &desk, name, goal, cases);
    }
    if let Some(dir) = super::data("einvoices") {
        let cases = einvoice::cases(&dir)?;
        let card = judged(&workflow, &cases, &desk);
        lines(report, "real PDFs with their XML", &BORN_DIGITAL, &card);
    }
    for (name, noisy) in [("families never trained on", false), ("the same, worn", true)] {
        lines(report, name, &OWN, &drawn(&workflow, noisy));
    }
    for (n, (name, wear, count)) in (0..).zip(GENERATED) {
        let dir = Scratch::new(n)?;
        write_corpus(&dir.0, count, HOLD_OUT + n * 1_000_000, wear)?;
        let cases = training::cases(&dir.0)?;
        lines(report, name, &OWN, &judged(&workflow, &cases, &desk));
    }
    super::lines::measure(report)
}

/// Pages that were read are kept here: reading is what costs.
pub(super) fn shelf() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    target.join("quality")
}

pub(super) fn judge(workflow: &Workflow) -> Judge<'_> {
    Judge {
        workflow,
        classifier: Classifier::shipped(),
        house: Thresholds { classification: 0.80, extraction: 0.75 },
        today: jiff::Zoned::now().date(),
    }
}

fn judged(workflow: &Workflow, cases: &[Case], desk: &Lectern) -> Scorecard {
    let card = training::evaluate(&judge(workflow), cases, desk, &|_| {});
    eprintln!("\n{card}");
    card
}

/// Each layout by itself (the part of the name before a dash), then all of them.
fn groups(
    report: &mut Report,
    workflow: &Workflow,
    desk: &Lectern,
    name: &str,
    goal: &Goal,
    cases: Vec<Case>,
) {
    let mut layouts: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        let stem = case.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        let layout = stem.split_once('-').map_or(String::new(), |(layout, _)| format!(" {layout}"));
        layouts.entry(layout).or_default().push(case);
    }
    let several = layouts.len() > 1;
    let mut all = Scorecard::default();
    for (layout, cases) in layouts {
        let card = judged(workflow, &cases, desk);
        if several {
            lines(report, &format!("{name}{layout}"), goal, &card);
        }
        all = all.plus(card);
    }
    lines(report, name, goal, &all);
}

/// Documents of families that no model learnt from, judged by what is printed on them.
fn drawn(workflow: &Workflow, noisy: bool) -> Scorecard {
    let judge = judge(workflow);
    let mut card = Scorecard::default();
    for kind in Kind::ALL {
        for lang in Lang::ALL {
            for seed in HOLD_OUT..HOLD_OUT + DRAWN {
                let sample = generate(kind, lang, seed);
                if !is_reserved(&sample) {
                    continue;
                }
                let mut pages = sample.texts();
                if noisy {
                    pages = pages.iter().map(|page| noisy_text(page, seed)).collect();
                }
                let doc_type = Some(kind.label().to_owned());
                let truth = Truth { doc_type, fields: sample.truth.clone() };
                let name = format!("{}-{lang:?}-{seed}-family-{}", kind.label(), sample.layout);
                card.add(Path::new(&name), &judge.judge(&truth, &pages));
            }
        }
    }
    eprintln!("\n{card}");
    card
}

fn lines(report: &mut Report, name: &str, goal: &Goal, card: &Scorecard) {
    let percent = |share: f64| share * 100.0;
    let (all_of, right) = card
        .types
        .values()
        .fold((0, 0), |(all, right), score| (all + score.documents, right + score.typed_right));
    let figure = percent(right as f64 / all_of.max(1) as f64);
    let note = format!("{all_of} documents, {} pages", card.pages);
    let what = format!("{name}: type automatic and right");
    report.line(what, figure, "%", Limit::AtLeast(goal.typed), note);
    let all = card.fields();
    let each = card.types.values().flat_map(|score| &score.fields);
    let each: Vec<String> = each
        .filter(|(_, score)| score.automatic > 0)
        .map(|(field, score)| format!("{field} {}/{}", score.automatic_right, score.automatic))
        .collect();
    let note = format!("{} of {} automatic; {}", all.automatic, all.known, each.join(", "));
    // Nothing automatic is nothing wrong.
    let figure = percent(all.precision().unwrap_or(1.0));
    report.line(format!("{name}: automatic fields right"), figure, "%", Limit::AtLeast(99.0), note);
    for (doc_type, fields, wanted) in goal.straight {
        let (known, automatic, right) = card.together(doc_type, fields);
        let what = format!("{name}: {} straight through", fields.join(", "));
        let note = format!("{right} of those {automatic} right, of {known}");
        let figure = percent(automatic as f64 / known.max(1) as f64);
        report.line(what, figure, "%", Limit::AtLeast(*wanted), note);
    }
    let by_type: Vec<String> = card
        .types
        .iter()
        .map(|(doc_type, score)| format!("{doc_type} {:.0}", percent(score.straight_share())))
        .collect();
    let what = format!("{name}: straight through");
    report.line(what, percent(card.straight_share()), "%", Limit::None, by_type.join(", "));
    let promised = training::promised(&card.steps());
    let note = "lowest threshold under which at most 1 % is wrong, with 95 % confidence";
    let what = format!("{name}: threshold with a promise");
    report.line(what, promised.unwrap_or(1.0), "", Limit::None, note);
}

/// A directory that goes away.
struct Scratch(PathBuf);

impl Scratch {
    fn new(n: u64) -> Result<Self> {
        let name = format!("turno-quality-{}-{n}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
