//! Pages with nothing on them: the backs of sheets that were scanned on both sides, and sheets
//! between documents. They cost nobody anything: none is asked about, and none parts what belongs
//! together.

use super::{continuity::PagePosition, group::Leaf};

/// The type of a page with nothing on it.
pub const BLANK: &str = "blank";

/// Gives blank pages to the document before them, or at the beginning of a file to the one that
/// follows. A file of nothing else stays what it is. A page whose neighbour is not known yet waits
/// with it.
pub fn absorb(leaves: &mut [Leaf]) {
    let mut from = 0;
    while from < leaves.len() {
        let file = leaves[from].file;
        let pages = leaves[from..].iter().take_while(|leaf| leaf.file == file).count();
        absorb_in_file(&mut leaves[from..from + pages]);
        from += pages;
    }
}

fn is_blank(leaf: &Leaf) -> bool {
    leaf.sort.as_ref().is_some_and(|sort| sort.doc_type == BLANK)
}

fn absorb_in_file(leaves: &mut [Leaf]) {
    let Some(first) = leaves.iter().position(|leaf| !is_blank(leaf)) else { return };
    let named = |leaf: &Leaf| leaf.sort.as_ref().map(|sort| sort.doc_type.clone());
    let mut before = named(&leaves[first]);
    for (at, leaf) in leaves.iter_mut().enumerate() {
        let blank = is_blank(leaf);
        if !blank && at != first {
            before = named(leaf);
        }
        let Some(sort) = leaf.sort.as_mut().filter(|_| blank || (at == first && first > 0)) else {
            continue;
        };
        match &before {
            Some(doc_type) => {
                sort.doc_type.clone_from(doc_type);
                if at > 0 && sort.evidence.place != PagePosition::Opens {
                    sort.evidence.place = PagePosition::Joins;
                }
            }
            None => leaf.sort = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        continuity::Evidence,
        group::{Sort, closed},
        workflow::Boundaries,
    };

    fn documents(types: &[Option<&str>]) -> Vec<(u32, u32, String)> {
        let sort = |name: &str| Sort {
            doc_type: name.to_owned(),
            evidence: Evidence {
                place: if name == "id_card" { PagePosition::First } else { PagePosition::Unknown },
                ..Evidence::default()
            },
        };
        let mut leaves: Vec<Leaf> = types
            .iter()
            .enumerate()
            .map(|(n, name)| Leaf { page: n as u32, file: 0, sort: name.map(sort) })
            .collect();
        absorb(&mut leaves);
        let groups = closed(&leaves, Boundaries::Auto);
        groups.into_iter().map(|group| (group.first, group.last, group.doc_type)).collect()
    }

    fn span(first: u32, last: u32, name: &str) -> (u32, u32, String) {
        (first, last, name.to_owned())
    }

    #[test]
    fn the_back_of_a_sheet_belongs_to_its_front() {
        let (invoice, card, blank) = (Some("invoice"), Some("id_card"), Some(BLANK));
        assert_eq!(documents(&[invoice, blank, invoice, blank]), [span(0, 3, "invoice")]);
        assert_eq!(
            documents(&[invoice, blank, card]),
            [span(0, 1, "invoice"), span(2, 2, "id_card")]
        );
    }

    #[test]
    fn a_cover_goes_with_what_follows_and_nothing_is_a_document_of_its_own() {
        let (card, blank) = (Some("id_card"), Some(BLANK));
        assert_eq!(documents(&[blank, blank, card]), [span(0, 2, "id_card")]);
        assert_eq!(documents(&[blank, blank]), [span(0, 1, BLANK)]);
    }

    #[test]
    fn beside_a_page_that_is_not_known_a_blank_one_waits() {
        let (invoice, blank) = (Some("invoice"), Some(BLANK));
        assert_eq!(documents(&[blank, None]), []);
        assert_eq!(documents(&[invoice, None, blank, Some("payslip")]), []);
    }
}
