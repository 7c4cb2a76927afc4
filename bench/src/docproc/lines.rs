//! How well the lines of real invoices are read: rows found, rows right, and tables that are sure.
//!
//! `FILES` says how many documents of each layout are read, where reading costs too much.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use docproc::training::Reader;
use jiff::civil::date;
use ocr::EngineKind;
use page::PageText;
use serde_json::Value as Json;
use understand::extract::{Field, FieldSpec, Kind, Schema, extract};

use super::{einvoice, quality::shelf};
use crate::report::{Limit, Report};

/// As the shipped workflow asks for it.
const THRESHOLD: f32 = 0.75;
/// The share of words of a description that have to be there.
const ALIKE: f64 = 0.6;

/// One line as the truth has it.
#[derive(Debug, PartialEq)]
struct Row {
    description: String,
    /// Quantity, unit price and amount.
    numbers: [Option<f64>; 3],
    /// What the amount is with its tax: some print that one.
    taxed: Option<f64>,
}

/// A document and its lines.
type Case = (PathBuf, Vec<Row>);

#[derive(Default)]
struct Tally {
    documents: usize,
    rows: usize,
    found: usize,
    right: usize,
    sure_right: usize,
    sure_wrong: usize,
}

pub(super) fn measure(report: &mut Report) -> Result<()> {
    let most = std::env::var("FILES").ok().and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
    let mut reader = Reader::new(super::pack(), EngineKind::PpOcr).keeping(&shelf());
    for (layout, cases) in sets()? {
        let mut tally = Tally::default();
        for (file, truth) in cases.into_iter().take(most) {
            match reader.pages(&file) {
                Ok(pages) => tally.count(&file, &truth, &lines(&pages)),
                Err(unread) => eprintln!("{}: {unread}", file.display()),
            }
        }
        tally.tell(report, &layout);
    }
    Ok(())
}

/// Documents whose lines are known, by layout.
fn sets() -> Result<BTreeMap<String, Vec<Case>>> {
    let mut sets: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for kind in ["invoices", "einvoices"] {
        let Some(dir) = super::data(kind) else { continue };
        let entries = fs::read_dir(&dir).with_context(|| dir.display().to_string())?;
        let mut files: Vec<PathBuf> = entries.filter_map(|one| Some(one.ok()?.path())).collect();
        files.sort();
        for file in files {
            let truth = match file.extension().and_then(|end| end.to_str()) {
                Some("jpg") => {
                    fs::read_to_string(file.with_extension("xml")).ok().map(|xml| public(&xml))
                }
                Some("pdf") => einvoice::embedded(&fs::read(&file)?).map(|xml| of_cii(&xml)),
                _ => None,
            };
            let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let layout = stem.unwrap_or_default().split('-').next().unwrap_or_default().to_owned();
            if let Some(truth) = truth.filter(|rows| !rows.is_empty()) {
                sets.entry(format!("{kind} {layout}")).or_default().push((file, truth));
            }
        }
    }
    Ok(sets)
}

fn lines(pages: &[PageText]) -> Field {
    let schema = Schema { fields: vec![FieldSpec::new("lines", Kind::Table)] };
    let pages: Vec<&PageText> = pages.iter().collect();
    extract("invoice", &schema, &pages, date(2026, 11, 1)).fields.remove(0)
}

/// What stands between a tag and its end.
fn inside<'x>(xml: &'x str, tag: &str) -> Option<&'x str> {
    let open = xml.find(&format!("<{tag}>")).or_else(|| xml.find(&format!("<{tag} ")))?;
    let rest = xml[open..].split_once('>')?.1;
    rest.split_once(&format!("</{tag}>")).map(|(inner, _)| inner)
}

fn rows(xml: &str, tag: &str, names: [&[&str]; 4]) -> Vec<Row> {
    let open = format!("<{tag}>");
    let pieces = xml.split(open.as_str()).skip(1);
    let within = |line: &str, path: &[&str]| {
        path.iter().try_fold(line.to_owned(), |xml, tag| inside(&xml, tag).map(str::to_owned))
    };
    let row = |line: &str| {
        let numbers = [1, 2, 3].map(|n| within(line, names[n])?.trim().parse().ok());
        let digits = |text: &&str| text.starts_with(|first: char| first.is_ascii_digit());
        let rate = inside(line, "tax").and_then(|tax| tax.split([' ', '%']).find(digits));
        let rate = rate.and_then(|rate| rate.replace(',', ".").parse::<f64>().ok());
        Row {
            description: within(line, names[0]).unwrap_or_default(),
            numbers,
            taxed: numbers[2].zip(rate).map(|(amount, rate)| amount * (1.0 + rate / 100.0)),
        }
    };
    pieces.map(row).collect()
}

/// The lines of the public invoices.
fn public(xml: &str) -> Vec<Row> {
    rows(xml, "line", [&["description"], &["quantity"], &["price"], &["sub_total"]])
}

/// The lines of Factur-X and `ZUGFeRD`.
fn of_cii(xml: &str) -> Vec<Row> {
    rows(
        xml,
        "ram:IncludedSupplyChainTradeLineItem",
        [
            &["ram:SpecifiedTradeProduct", "ram:Name"],
            &["ram:BilledQuantity"],
            &["ram:NetPriceProductTradePrice", "ram:ChargeAmount"],
            &["ram:LineTotalAmount"],
        ],
    )
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| word.len() > 2).map(str::to_lowercase).collect()
}

/// Numbers exactly, words for the greater part.
fn same(truth: &Row, got: &Json) -> bool {
    let names = ["quantity", "unit_price", "amount"];
    let is = |wanted: f64, name: &str, by: f64| {
        got[name].as_f64().is_some_and(|got| (got - wanted).abs() < by)
    };
    let number = |(wanted, name): (&Option<f64>, &str)| {
        let taxed = || truth.taxed.filter(|_| name == "amount");
        wanted.is_none_or(|wanted| is(wanted, name, 0.000_5))
            || taxed().is_some_and(|taxed| is(taxed, name, 0.006))
    };
    let printed = words(got["description"].as_str().unwrap_or_default());
    let wanted = words(&truth.description);
    let alike = wanted.iter().filter(|word| printed.contains(word)).count();
    truth.numbers.iter().zip(names).all(number) && alike as f64 >= ALIKE * wanted.len() as f64
}

impl Tally {
    fn count(&mut self, file: &Path, truth: &[Row], field: &Field) {
        let found: Vec<Json> = field
            .normalised
            .as_deref()
            .and_then(|rows| serde_json::from_str(rows).ok())
            .unwrap_or_default();
        let mut rest: Vec<&Json> = found.iter().collect();
        let mut right = 0;
        for row in truth {
            if let Some(at) = rest.iter().position(|got| same(row, got)) {
                rest.remove(at);
                right += 1;
            } else {
                eprintln!("{}: not read: {row:?}", file.display());
            }
        }
        let whole = right == truth.len() && rest.is_empty();
        let sure = field.confidence >= THRESHOLD;
        self.documents += 1;
        self.rows += truth.len();
        self.found += found.len();
        self.right += right;
        self.sure_right += usize::from(sure && whole);
        self.sure_wrong += usize::from(sure && !whole);
        if !whole {
            eprintln!("{}: {:.2} {:?} {rest:?}", file.display(), field.confidence, field.rules);
        }
    }

    fn tell(&self, report: &mut Report, layout: &str) {
        let of = |count: usize, all: usize| 100.0 * count as f64 / all.max(1) as f64;
        let note = format!("{} found, {} right, of {}", self.found, self.right, self.rows);
        let what = format!("{layout}: lines right");
        report.line(what, of(self.right, self.rows), "%", Limit::None, note);
        let note = format!("{} of {} documents", self.sure_right, self.documents);
        let what = format!("{layout}: tables sure and wholly right");
        report.line(what, of(self.sure_right, self.documents), "%", Limit::None, note);
        let what = format!("{layout}: tables sure and wrong");
        report.line(what, of(self.sure_wrong, self.documents), "%", Limit::None, String::new());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn truth_is_read_and_compared() {
        let xml = "<lines><line><description>Cable de red</description><quantity>2.0</quantity>\
            <price>4.5</price><tax>IVA 21,0%</tax><sub_total>9.0</sub_total></line></lines>";
        let rows = public(xml);
        assert_eq!(rows[0].numbers, [Some(2.0), Some(4.5), Some(9.0)]);
        assert!(rows[0].taxed.is_some_and(|taxed| (taxed - 10.89).abs() < 0.001));
        let got = |words: &str, amount: f64| json!({ "description": words, "quantity": 2.0, "unit_price": 4.5, "amount": amount });
        assert!(same(&rows[0], &got("[AB-1] Cable de red 3 m", 9.0)));
        assert!(!same(&rows[0], &got("Cable de red", 9.1)) && !same(&rows[0], &got("Silla", 9.0)));
        let cii = "<ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>Taxi\
            </ram:Name></ram:SpecifiedTradeProduct><ram:NetPriceProductTradePrice><ram:ChargeAmount>\
            16.9</ram:ChargeAmount></ram:NetPriceProductTradePrice><ram:BilledQuantity \
            unitCode=\"C62\">1</ram:BilledQuantity><ram:LineTotalAmount>16.90</ram:LineTotalAmount>";
        assert_eq!(of_cii(cii)[0].numbers, [Some(1.0), Some(16.9), Some(16.9)]);
    }
}
