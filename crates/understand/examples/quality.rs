//! How good extraction is on documents whose truth is known.
//!
//! - `quality receipts TRUTH_DIR WORDS_DIR` and `quality invoices TRUTH_DIR WORDS_DIR` read one
//!   `<name>.pages.json` (a list of `PageText`) per document beside its truth: `<name>.json` with
//!   company, date and total, or `<name>.xml` with supplier, number, dates and totals.
//! - `quality told TRUTH_DIR WORDS_DIR` does so for documents whose truth is `{"kind", "fields"}`.
//! - `quality samples COUNT [clean]` writes COUNT documents of each kind and language and has them
//!   read by a tired reader, or by a perfect one; `quality families COUNT [clean]` keeps only those
//!   of families that no model learns from.
//! - `quality print NAME` prints one of them, by the name `--show` gives it, and the names on it.
//!
//! Prints, per field, how many are shown at or above the threshold, how many of those are right,
//! and how many are right at all; the same for the type of all pages, by the shipped model or the
//! one in the file that `MODEL` names, with the weights inside the binary or those in the file that
//! `FIELDS` names. `--show` lists what is wrong or below the threshold.

#![allow(clippy::unwrap_used, reason = "a tool for developers stops at the first bad file")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::civil::{Date, date};
use page::PageText;
use samples::{same_value, schema};
use understand::classify::Classifier;
use understand::extract::calibrate::Weights;
use understand::extract::{extract_with, observe, sight};

const TODAY: Date = date(2026, 11, 1);
const THRESHOLD: f32 = 0.75;
const TYPE_THRESHOLD: f32 = 0.80;
/// Seeds from here on are only ever measured, never fitted to.
const UNSEEN: u64 = 1_000_000;

type Truth = BTreeMap<String, String>;

struct Case {
    name: String,
    doc_type: String,
    /// Documents that look alike are of one group.
    group: String,
    /// Of a family that no model learns from.
    reserved: bool,
    pages: Vec<PageText>,
    truth: Truth,
}

#[derive(Default)]
struct Tally {
    known: usize,
    shown: usize,
    shown_right: usize,
    right: usize,
}

/// What may go through without a person, as the default workflow asks for it.
const STRAIGHT: [(&str, &[&str]); 5] = [
    ("> number date total", &["invoice_number", "date", "total_amount"]),
    ("> all of an invoice", &["invoice_number", "date", "total_amount", "vendor_name"]),
    ("> date total", &["date", "total"]),
    ("> all of a receipt", &["date", "total", "merchant"]),
    (
        "> all of a payslip",
        &["company_name", "employee_name", "gross_amount", "net_amount", "period"],
    ),
];

impl Tally {
    fn count(&mut self, shown: bool, right: bool) {
        self.known += 1;
        self.shown += usize::from(shown);
        self.shown_right += usize::from(shown && right);
        self.right += usize::from(right);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().any(|arg| arg == "--show");
    let words: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--show").collect();
    match words[..] {
        ["receipts", truth, words] => {
            measure(&stored(truth, words, receipt_truth), show);
        }
        ["invoices", truth, words] => {
            measure(&stored(truth, words, invoice_truth), show);
        }
        ["told", truth, words] => measure(&stored(truth, words, told_truth), show),
        [which @ ("samples" | "families"), count, ref clean @ ..] => {
            let noisy = *clean != ["clean"];
            let mut cases = written(count.parse().unwrap(), UNSEEN, noisy);
            cases.retain(|case| which == "samples" || case.reserved);
            measure(&cases, show);
        }
        ["print", name] => print_sample(name),
        _ => {
            eprintln!("usage: quality receipts|invoices TRUTH WORDS | samples|families N [clean]");
            std::process::exit(2);
        }
    }
}

fn measure(cases: &[Case], show: bool) {
    let mut tallies: BTreeMap<(String, String), Tally> = BTreeMap::new();
    let mut straight: BTreeMap<(String, &str), Tally> = BTreeMap::new();
    let mut took = Duration::ZERO;
    let model = std::env::var_os("MODEL").map_or_else(
        || Classifier::shipped().clone(),
        |file| Classifier::load(&fs::read(file).unwrap()).unwrap(),
    );
    let weights = weights();
    for case in cases {
        let (sure, right) = told_type(&model, case);
        if show && !(sure && right) {
            let types = samples::Kind::ALL.map(samples::Kind::label);
            let told = case.pages.iter().map(|page| model.scores(page, &types));
            let told: Vec<_> =
                told.map(|mut scores| scores.drain(..2).collect::<Vec<_>>()).collect();
            let mark = if sure { "WRONG" } else { "low  " };
            println!("{mark} {} type: {told:.2?}", case.name);
        }
        for group in [&case.doc_type, &case.group] {
            let tally = tallies.entry((group.clone(), "= type".to_owned())).or_default();
            tally.count(sure, right);
        }
        let schema = schema(&case.truth);
        let pages: Vec<&PageText> = case.pages.iter().collect();
        let start = Instant::now();
        let found = extract_with(&case.doc_type, &schema, &pages, TODAY, &weights);
        took += start.elapsed();
        let observed = observe(&case.doc_type, &schema, &pages, TODAY, &weights);
        let mut verdicts = Vec::new();
        for field in found.fields {
            let truth = &case.truth[&field.name];
            let value = field.normalised.as_deref().unwrap_or("-");
            let right = same_value(field.kind, value, truth);
            let shown = field.value.is_some() && field.confidence >= THRESHOLD;
            verdicts.push((field.name.clone(), shown, right));
            for group in [&case.doc_type, &case.group] {
                let tally = tallies.entry((group.clone(), field.name.clone())).or_default();
                tally.count(shown, right);
            }
            if show && !(right && shown) {
                let mark = if right {
                    "low  "
                } else if shown {
                    "WRONG"
                } else {
                    "wrong"
                };
                let seen = observed.iter().find(|seen| seen.field == field.name);
                let features = seen.map(|seen| seen.features).unwrap_or_default();
                println!(
                    "{mark} {} {} {:.2}: {value} | {truth} {features:.2?} {:?}",
                    case.name, field.name, field.confidence, field.alternatives
                );
            }
        }
        for (what, names) in STRAIGHT {
            let asked = || verdicts.iter().filter(|(name, ..)| names.contains(&name.as_str()));
            if asked().count() > 0 && asked().count() * 2 >= names.len() {
                let (shown, right) = (asked().all(|v| v.1), asked().all(|v| v.2));
                for group in [&case.doc_type, &case.group] {
                    straight.entry((group.clone(), what)).or_default().count(shown, right);
                }
            }
        }
    }
    let each = took.as_secs_f64() * 1e3 / cases.len().max(1) as f64;
    println!("{} documents, {each:.2} ms each", cases.len());
    let straight = straight.into_iter().map(|((group, what), t)| ((group, what.to_owned()), t));
    print_table(tallies.into_iter().chain(straight));
}

fn weights() -> Weights {
    std::env::var_os("FIELDS").map_or_else(
        || Weights::shipped().clone(),
        |file| Weights::parse(&fs::read_to_string(file).unwrap()).unwrap(),
    )
}

fn print_table(tallies: impl Iterator<Item = ((String, String), Tally)>) {
    println!(
        "{:<34} {:>5} {:>9} {:>10} {:>9}",
        "field", "known", "coverage", "precision", "accuracy"
    );
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    for ((doc_type, field), t) in tallies {
        println!(
            "{:<34} {:>5} {:>9.3} {:>10.4} {:>9.3}",
            format!("{doc_type} {field}"),
            t.known,
            share(t.shown, t.known),
            share(t.shown_right, t.shown),
            share(t.right, t.known)
        );
    }
}

/// Whether the type of every page is told with enough confidence, and whether it is right.
fn told_type(model: &Classifier, case: &Case) -> (bool, bool) {
    let types = samples::Kind::ALL.map(samples::Kind::label);
    let told: Vec<_> = case.pages.iter().map(|page| model.scores(page, &types).remove(0)).collect();
    let sure = told.iter().all(|(_, probability)| *probability >= TYPE_THRESHOLD);
    (sure, told.iter().all(|(label, _)| *label == case.doc_type))
}

fn print_sample(name: &str) {
    let seed: u64 = name.rsplit('-').next().unwrap().parse().unwrap();
    for case in written(1, seed, false).iter().filter(|case| case.name == name) {
        for page in &case.pages {
            println!("{}\n", page.text());
        }
        println!("{:#?}", case.truth);
        let pages: Vec<&PageText> = case.pages.iter().collect();
        for seen in sight(&case.doc_type, &schema(&case.truth), &pages, TODAY) {
            println!("{}: {} {:.1?}", seen.field, seen.name, seen.traits);
        }
    }
}

/// Documents of every kind and language; `seed` is that of the first.
fn written(count: u64, seed: u64, noisy: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in samples::Kind::ALL {
        for lang in samples::Lang::ALL {
            for seed in seed..seed + count {
                let sample = samples::generate(kind, lang, seed);
                let reserved = samples::is_reserved(&sample);
                let layout = sample.layout;
                let mut pages = sample.texts();
                if noisy {
                    pages = pages.iter().map(|page| samples::noisy_text(page, seed)).collect();
                }
                let mut truth = sample.truth;
                // What kind of contract it is is not printed as a value.
                truth.remove("type");
                let name = format!("{kind:?}-{lang:?}-{seed}");
                let group = if kind == samples::Kind::Invoice {
                    format!("{} family {layout:02}", kind.label())
                } else {
                    format!("{} {lang:?}", kind.label())
                };
                let doc_type = kind.label().to_owned();
                cases.push(Case { name, doc_type, group, reserved, pages, truth });
            }
        }
    }
    cases
}

fn stored(truth: &str, words: &str, read: fn(&Path, &str) -> Option<(String, Truth)>) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut files: Vec<_> =
        fs::read_dir(words).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for (n, path) in files.iter().enumerate() {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(name) = file.strip_suffix(".pages.json") else { continue };
        let pages = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        if let Some((doc_type, truth)) = read(Path::new(truth), name) {
            let group = match (doc_type.as_str(), name.split_once('-')) {
                ("receipt", _) => format!("half {}", n % 2),
                (_, Some((layout, _))) => layout.to_owned(),
                _ => String::new(),
            };
            let group = if group.starts_with("00") { String::from("own") } else { group };
            let name = name.to_owned();
            cases.push(Case { name, doc_type, group, reserved: true, pages, truth });
        }
    }
    cases
}

fn told_truth(dir: &Path, name: &str) -> Option<(String, Truth)> {
    let text = fs::read_to_string(dir.join(format!("{name}.json"))).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let mut truth: Truth = serde_json::from_value(json.get("fields")?.clone()).ok()?;
    truth.remove("type");
    Some((json.get("kind")?.as_str()?.to_owned(), truth))
}

fn receipt_truth(dir: &Path, name: &str) -> Option<(String, Truth)> {
    let text = fs::read_to_string(dir.join(format!("{name}.json"))).ok()?;
    let json: Truth = serde_json::from_str(&text).ok()?;
    let get = |(key, name): (&str, &str)| Some((name.to_owned(), json.get(key)?.clone()));
    let named = [("company", "merchant"), ("date", "date"), ("total", "total")];
    Some(("receipt".to_owned(), named.into_iter().filter_map(get).collect()))
}

/// The set's `total_amount` repeats the tax; the total is what net and tax make. Dates of its
/// second layout are written month first in the truth.
fn invoice_truth(dir: &Path, name: &str) -> Option<(String, Truth)> {
    let text = fs::read_to_string(dir.join(format!("{name}.xml"))).ok()?;
    let get = |tag: &str| {
        let from = text.find(&format!("<{tag}>"))? + tag.len() + 2;
        Some(text[from..from + text[from..].find('<')?].to_owned())
    };
    let number = |tag: &str| get(tag)?.parse::<f64>().ok();
    let (net, tax) = (number("total_untaxed")?, number("tax_amount")?);
    let day = |tag: &str| {
        let text = get(tag)?;
        let parts: Vec<&str> = text.split('/').collect();
        Some(match parts[..] {
            [month, day, year] => format!("{year}-{month}-{day}"),
            _ => text,
        })
    };
    let truth = [
        ("invoice_number", get("invoice_number")?),
        ("vendor_name", get("supplier")?),
        ("date", day("invoice_date")?),
        ("due_date", day("invoice_date_due")?),
        ("net_amount", net.to_string()),
        ("tax_amount", tax.to_string()),
        ("total_amount", format!("{:.2}", net + tax)),
    ];
    Some(("invoice".to_owned(), truth.map(|(name, value)| (name.to_owned(), value)).into()))
}
