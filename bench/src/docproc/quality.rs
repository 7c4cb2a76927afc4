//! How good the answers are on documents never seen: real ones when there are any, and generated
//! ones in three states of wear.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use docproc::{
    rules::{advance::Thresholds, workflow},
    training::{self, Judge, Scorecard},
};
use ocr::Pack;
use samples::{Wear, write_corpus};
use understand::classify::Classifier;

use crate::report::{Limit, Report};

/// Seeds no model was trained or calibrated on.
const HOLD_OUT: u64 = 40_000_000;
const THREADS: usize = 2;
/// How many of each wear: a scan takes a second to make and a second to read.
const GENERATED: [(&str, Wear, usize); 3] = [
    ("generated, born digital", Wear::None, 360),
    ("generated, scanned", Wear::Scanned, 48),
    ("generated, degraded", Wear::Degraded, 24),
];

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let pack = super::pack();
    for (name, kind) in [("real receipts", "receipts"), ("real invoices", "invoices")] {
        match super::data(kind) {
            Some(dir) => lines(report, name, &judged(&dir, pack.as_ref())?),
            None => eprintln!("{name}: none; DATA names the directory that holds {kind}/"),
        }
    }
    for (n, (name, wear, count)) in (0..).zip(GENERATED) {
        let dir = Scratch::new(n)?;
        write_corpus(&dir.0, count, HOLD_OUT + n * 1_000_000, wear)?;
        lines(report, name, &judged(&dir.0, pack.as_ref())?);
    }
    Ok(())
}

fn judged(dir: &Path, pack: Option<&Pack>) -> Result<Scorecard> {
    let workflow = workflow::parse(workflow::DEFAULT)
        .map_err(|faults| anyhow!("the default workflow: {faults:?}"))?;
    let judge = Judge {
        workflow: &workflow,
        classifier: Classifier::shipped(),
        house: Thresholds { classification: 0.80, extraction: 0.75 },
        today: jiff::Zoned::now().date(),
    };
    let cases = training::cases(dir).with_context(|| dir.display().to_string())?;
    let card = training::evaluate(&judge, &cases, pack, THREADS, &|_| {});
    eprintln!("\n{}\n{card}", dir.display());
    Ok(card)
}

fn lines(report: &mut Report, name: &str, card: &Scorecard) {
    let percent = |share: f64| share * 100.0;
    let all = card.fields();
    let note = format!(
        "{} of {} fields automatic; {:.1} % of all fields right",
        all.automatic,
        all.known,
        percent(all.accuracy()),
    );
    // Nothing automatic is nothing wrong.
    let figure = percent(all.precision().unwrap_or(1.0));
    report.line(format!("{name}: automatic fields right"), figure, "%", Limit::AtLeast(99.0), note);
    let by_type: Vec<String> = card
        .types
        .iter()
        .map(|(doc_type, score)| format!("{doc_type} {:.0}", percent(score.straight_share())))
        .collect();
    let what = format!("{name}: straight through");
    report.line(what, percent(card.straight_share()), "%", Limit::None, by_type.join(", "));
    let (known, automatic, right) = card.together("receipt", &["total", "date"]);
    if known > 0 {
        let what = format!("{name}: receipts with total and date automatic");
        let note = format!("{right} of those {automatic} right, of {known} receipts");
        let figure = percent(automatic as f64 / known as f64);
        report.line(what, figure, "%", Limit::None, note);
    }
    let note = format!("{} pages", card.pages);
    let figure = percent(card.type_accuracy());
    report.line(format!("{name}: type of the page right"), figure, "%", Limit::None, note);
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
