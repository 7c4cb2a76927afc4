//! What a page says about its document, and how a page that is unsure by itself may be sure beside
//! the page before it.

use serde::{Deserialize, Serialize};

/// How much likelier a page is of the type before it when it does not begin a document.
const CONTINUES: f64 = 3.0;
/// The same when it says so itself: "page 2 of 3".
const SAYS_SO: f64 = 12.0;

/// Probabilities over types, best first.
pub type Scores = Vec<(String, f64)>;

/// What a page says about its place in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PagePosition {
    /// It begins one.
    First,
    /// It continues one.
    Later,
    #[default]
    Unknown,
    /// A person said that it begins one.
    Opens,
    /// A person said that it continues the one before.
    Joins,
}

/// What a page says about the document it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    pub place: PagePosition,
    /// What names the document on this page: an invoice number, a holder.
    pub identity: Option<String>,
    /// Whether that is the document's own number.
    pub numbered: bool,
    /// What may be its number.
    pub maybe: Option<String>,
    /// The digits of the total on this page.
    pub total: Option<String>,
    /// The page has the heading of a document.
    pub heading: bool,
}

impl From<understand::classify::Evidence> for Evidence {
    fn from(read: understand::classify::Evidence) -> Self {
        let named = read.identity.is_some();
        Self {
            place: PagePosition::told(read.page_number, read.starts, named),
            identity: read.identity,
            numbered: read.numbered,
            maybe: read.maybe,
            total: read.total,
            heading: read.heading,
        }
    }
}

impl PagePosition {
    /// By what is printed on a page: its number, a heading, a number of its own.
    fn told(page_number: Option<(u32, Option<u32>)>, starts: bool, named: bool) -> Self {
        match page_number {
            Some((n, _)) if n > 1 => Self::Later,
            Some(_) => Self::First,
            // A heading alone repeats on later pages; with a number of its own it opens a document.
            None if starts && named => Self::First,
            None => Self::Unknown,
        }
    }
}

/// The scores of a page given the type of the page before it. A page that begins a document owes
/// nothing to its neighbour, and a single score is a verdict rather than a distribution.
pub fn beside(scores: &[(String, f64)], before: &str, place: PagePosition) -> Scores {
    let factor = match place {
        PagePosition::First | PagePosition::Opens => 1.0,
        PagePosition::Later | PagePosition::Joins => SAYS_SO,
        PagePosition::Unknown => CONTINUES,
    };
    if scores.len() < 2 {
        return scores.to_vec();
    }
    let weigh = |(name, p): &(String, f64)| {
        let weight = if name == before { factor } else { 1.0 };
        (name.clone(), p * weight)
    };
    let mut weighed: Scores = scores.iter().map(weigh).collect();
    let sum: f64 = weighed.iter().map(|(_, p)| p).sum();
    if sum > 0.0 {
        for (_, p) in &mut weighed {
            *p /= sum;
        }
    }
    weighed.sort_by(|a, b| b.1.total_cmp(&a.1));
    weighed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(list: &[(&str, f64)]) -> Scores {
        list.iter().map(|(name, p)| ((*name).to_owned(), *p)).collect()
    }

    #[test]
    fn a_doubtful_second_page_takes_the_type_before_it() {
        let page = scores(&[("contract", 0.6), ("invoice", 0.4)]);
        let beside = beside(&page, "contract", PagePosition::Later);
        assert_eq!(beside[0].0, "contract");
        assert!(beside[0].1 > 0.9, "{beside:?}");
    }

    #[test]
    fn a_first_page_and_a_bare_verdict_stand_alone() {
        let page = scores(&[("invoice", 0.6), ("contract", 0.4)]);
        assert_eq!(beside(&page, "contract", PagePosition::First), page);
        let verdict = scores(&[("invoice", 0.6)]);
        assert_eq!(beside(&verdict, "invoice", PagePosition::Later), verdict);
    }

    #[test]
    fn probabilities_still_add_up_to_one() {
        let page = scores(&[("a", 0.5), ("b", 0.3), ("c", 0.2)]);
        let sum: f64 = beside(&page, "b", PagePosition::Unknown).iter().map(|(_, p)| p).sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}
