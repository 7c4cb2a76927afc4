//! Documents that nobody wrote: invoices, receipts, identity cards, payslips, contracts and pages
//! of other kinds, in many layouts, with the values printed on them known in advance.
//!
//! They train the shipped classifier, feed simulations and load tests, and let tests compare what
//! was read with what was printed. The same seed gives the same bytes.

mod corpus;
mod dice;
mod draft;
mod fields;
mod goods;
mod ids;
mod kinds;
mod layout;
mod metrics;
mod noise;
mod pdf;
mod prose;
mod scan;
mod style;
mod train;
mod wordings;
mod words;

use std::collections::BTreeMap;

pub use corpus::{CorpusError, write_corpus};
pub use fields::{same_value, schema, train_fields};
pub use layout::{Layout, Panel, Run};
pub use metrics::Face;
pub use noise::noisy_text;
use page::PageText;
pub use pdf::pdf;
pub use scan::{ScanError, Wear, scan, scanned_pdf};
use serde::Serialize;
pub use train::{is_reserved, train_shipped};

/// The types of the default workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Invoice,
    Receipt,
    IdCard,
    Payslip,
    Contract,
    Other,
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Invoice, Self::Receipt, Self::IdCard, Self::Payslip, Self::Contract, Self::Other];

    /// The name in a workflow.
    pub fn label(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::Receipt => "receipt",
            Self::IdCard => "id_card",
            Self::Payslip => "payslip",
            Self::Contract => "contract",
            Self::Other => "other",
        }
    }
}

/// The language of a document. French and Portuguese exist for invoices, receipts and other pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    Es,
    En,
    Fr,
    Pt,
}

impl Lang {
    pub const ALL: [Self; 4] = [Self::Es, Self::En, Self::Fr, Self::Pt];
}

/// A document and what is printed on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub kind: Kind,
    pub lang: Lang,
    /// Which of the arrangements of its kind this is, so that some can be held back from training.
    pub layout: u32,
    pub pages: Vec<Layout>,
    /// Field to normalised value: amounts `1234.56`, dates ISO, names as printed.
    pub truth: BTreeMap<String, String>,
    /// The lines of an invoice, by column: what is printed of each.
    pub lines: Vec<BTreeMap<&'static str, String>>,
}

impl Sample {
    /// What a perfect reader would find on each page.
    pub fn texts(&self) -> Vec<PageText> {
        self.pages.iter().map(Layout::text).collect()
    }
}

/// Writes a document. A kind that has no French form is written in English instead,
/// one that has no Portuguese in Spanish.
pub fn generate(kind: Kind, lang: Lang, seed: u64) -> Sample {
    kinds::generate(kind, lang, seed)
}
