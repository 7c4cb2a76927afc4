//! *Memoria de emisores*: how a vendor's documents look, learnt from what a person confirmed.
//!
//! A [`Layout`] keeps where each value stood relative to the words beside and above it, what its text
//! looked like, in which order days and months come, and the words that every document of that vendor
//! carries. Values are never kept, save what names the vendor itself and its currency: what is recalled
//! is always read from the page at hand. Everything here is pure; whose memories are looked at is the
//! caller's matter.

mod learn;
mod recall;
mod scene;

use jiff::civil::Date;
pub use learn::{judged, remember};
use page::PageText;
pub use recall::{Recall, Recalled, Standing, Sum, recall};
use serde::{Deserialize, Serialize};

use super::{Evidence, Extraction, Schema};

/// Marks kept of one layout: enough to know it again.
const MOST_MARKS: usize = 60;
/// Places kept for one field: a vendor may print a value twice, or have two forms of paper.
const MOST_PLACES: usize = 3;
const MOST_ANCHORS: usize = 3;
/// The rule that a recalled field carries.
pub const RULE: &str = "memory";

/// What is remembered of one vendor's documents of one type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    pub doc_type: String,
    /// Its name as people confirmed it.
    pub vendor: Option<String>,
    /// Its tax id, where its check character holds.
    pub tax_id: Option<String>,
    pub marks: Vec<Mark>,
    pub places: Vec<Place>,
    pub order: Option<DayOrder>,
    /// As the answers of this vendor have it.
    pub currency: Option<String>,
    /// Documents it was learnt from.
    pub examples: u32,
}

/// Words printed on every document of the vendor, where they stand on the first page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    pub text: String,
    /// In page widths.
    pub x: f32,
    pub seen: u32,
    pub missed: u32,
}

/// Where the value of a field stands, and how often that was right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub field: String,
    pub anchors: Vec<Anchor>,
    /// On the first page, in page widths: left, right, middle.
    pub spot: Option<Spot>,
    /// The example with every capital `A`, small letter `a` and digit `9`.
    pub form: String,
    /// Nothing followed the value in its piece of text.
    pub ends: bool,
    /// The machine alone had read something else.
    pub overrules: bool,
    /// It was an amount that took part in a sum.
    pub sums: bool,
    pub seen: u32,
    pub right: u32,
    pub wrong: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    pub left: f32,
    pub right: f32,
    pub y: f32,
}

/// Words near the value, and how far from their left edge and middle it stands, in page widths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    pub text: String,
    pub left: f32,
    pub right: f32,
    pub down: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayOrder {
    DayFirst,
    MonthFirst,
}

/// What a person left in a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<'a> {
    pub field: &'a str,
    pub value: &'a str,
    /// Where it was picked or had been found.
    pub boxes: Vec<Evidence>,
}

impl Layout {
    /// What tells one vendor from another: its name, else its tax id.
    pub fn key(&self) -> Option<String> {
        let name = self.vendor.as_deref().map(super::text::fold);
        name.filter(|name| name.len() > 1).or_else(|| self.tax_id.clone())
    }
}

impl Place {
    /// How far it may be trusted: one wrong value weighs as much as three right ones.
    fn trust(&self) -> f32 {
        let good = (self.seen + self.right + 1) as f32;
        good / (good + 3.0 * self.wrong as f32)
    }
}

/// Finds the fields, with what is remembered of the vendor where there is something. Answers also what
/// was recalled.
pub fn extract(
    doc_type: &str,
    schema: &Schema,
    pages: &[&PageText],
    today: Date,
    layouts: &[&Layout],
) -> (Extraction, Option<Recall>) {
    let found = super::extract(doc_type, schema, pages, today);
    match recall(doc_type, schema, pages, today, layouts) {
        None => (found, None),
        Some(recalled) => {
            let (found, used) = recalled.applied(found, schema);
            (found, used.then_some(recalled))
        }
    }
}

#[cfg(test)]
mod tests;
