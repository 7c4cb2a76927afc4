//! *Agrupación* (§3.6): consecutive pages of one type become one document.
//!
//! Staged: a group is closed as soon as both its ends are known, while other pages are still being
//! read. What is closed early is exactly what would be closed at the end; a property says so.

use super::{
    continuity::{Evidence, PagePosition},
    workflow::Boundaries,
};

/// A page as grouping sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    pub page: u32,
    pub file: u32,
    /// `None` while it is not classified.
    pub sort: Option<Sort>,
}

/// What is known of a classified page.
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    pub doc_type: String,
    pub evidence: Evidence,
}

/// Pages that are one document, both ends known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub first: u32,
    pub last: u32,
    pub doc_type: String,
}

/// The groups whose beginning and end are certain. `leaves` are all pages of a request in order.
pub fn closed(leaves: &[Leaf], boundaries: Boundaries) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut from = 0;
    while from < leaves.len() {
        let to = run_end(leaves, from);
        group_file_run(&leaves[from..to], boundaries, &mut groups);
        from = to;
    }
    groups
}

/// Where the pages of one file end.
fn run_end(leaves: &[Leaf], from: usize) -> usize {
    let file = leaves[from].file;
    leaves[from..].iter().position(|leaf| leaf.file != file).map_or(leaves.len(), |n| from + n)
}

/// Documents never span files, so each file is grouped by itself.
fn group_file_run(leaves: &[Leaf], boundaries: Boundaries, groups: &mut Vec<Group>) {
    // Where the open document begins, while that is certain, and what names it: a later page may
    // be the first to print the name.
    let mut start = Some(0);
    let mut open = Open::default();
    for (at, leaf) in leaves.iter().enumerate() {
        let Some(sort) = &leaf.sort else {
            start = None;
            continue;
        };
        if start == Some(at) {
            open = Open::default();
        }
        open.take(&sort.evidence);
        let ends = match leaves.get(at + 1).map(|next| next.sort.as_ref()) {
            None => true,
            Some(None) => false,
            // Behind a page that is still unknown only another type is certain to be a boundary:
            // the name of the open document may stand on that page.
            Some(Some(next)) if start.is_none() => {
                by_person(next).unwrap_or(sort.doc_type != next.doc_type)
            }
            Some(Some(next)) => is_boundary(sort, &open, next, boundaries),
        };
        if !ends {
            continue;
        }
        if let Some(first) = start {
            groups.push(Group {
                first: leaves[first].page,
                last: leaf.page,
                doc_type: sort.doc_type.clone(),
            });
        }
        start = Some(at + 1);
    }
}

/// What is known of the document that is open.
#[derive(Default)]
struct Open<'a> {
    /// Its own number.
    number: Option<&'a str>,
    /// Whom it is about.
    holder: Option<&'a str>,
    /// What may be its number.
    maybe: Option<&'a str>,
    total: Option<&'a str>,
}

impl<'a> Open<'a> {
    fn take(&mut self, page: &'a Evidence) {
        let name = page.identity.as_deref();
        let place = if page.numbered { &mut self.number } else { &mut self.holder };
        *place = place.or(name);
        self.maybe = self.maybe.or(page.maybe.as_deref());
        self.total = self.total.or(page.total.as_deref());
    }

    /// Whether a page has another name; `None`: there is nothing to compare.
    fn is_other(&self, page: &Evidence) -> Option<bool> {
        let known = if page.numbered { self.number } else { self.holder };
        known.zip(page.identity.as_deref()).map(|(one, other)| one != other)
    }

    /// Whether a page that does not open a document looks as if it did: it has another name though
    /// it says that it continues, what may be another number, or a heading and another total.
    fn suspects(&self, page: &Evidence) -> bool {
        match page.place {
            PagePosition::Opens | PagePosition::Joins => false,
            PagePosition::Later => page.numbered && self.is_other(page) == Some(true),
            PagePosition::First | PagePosition::Unknown => {
                let own = if page.numbered { &page.identity } else { &page.maybe };
                let differ = |(one, other): (&str, &str)| one != other;
                let totals = self.total.zip(page.total.as_deref());
                let by_number = self.number.or(self.maybe).zip(own.as_deref()).map(differ);
                by_number.unwrap_or_else(|| page.heading && totals.is_some_and(differ))
            }
        }
    }
}

/// Where a second document may begin inside one: pages of which it is not certain enough to cut.
pub fn suspected<'a>(pages: impl IntoIterator<Item = (u32, &'a Evidence)>) -> Vec<u32> {
    let mut open = Open::default();
    let mut found = Vec::new();
    for (at, (n, page)) in pages.into_iter().enumerate() {
        if at > 0 && open.suspects(page) {
            found.push(n);
            open = Open::default();
        }
        open.take(page);
    }
    found
}

/// Whether a document begins at this page, where a person said so.
const fn by_person(page: &Sort) -> Option<bool> {
    match page.evidence.place {
        PagePosition::Opens => Some(true),
        PagePosition::Joins => Some(false),
        PagePosition::First | PagePosition::Later | PagePosition::Unknown => None,
    }
}

/// Whether a new document begins at `next`.
fn is_boundary(page: &Sort, open: &Open<'_>, next: &Sort, boundaries: Boundaries) -> bool {
    if let Some(position) = by_person(next) {
        return position;
    }
    if page.doc_type != next.doc_type {
        return true;
    }
    match (boundaries, next.evidence.place) {
        (Boundaries::Type, _) | (Boundaries::Auto, PagePosition::Later | PagePosition::Joins) => {
            false
        }
        (Boundaries::Auto, PagePosition::Opens) => true,
        (Boundaries::Auto, place @ (PagePosition::First | PagePosition::Unknown)) => {
            open.is_other(&next.evidence).unwrap_or(place == PagePosition::First)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn leaf(page: u32, file: u32, doc_type: Option<&str>) -> Leaf {
        let sort =
            doc_type.map(|name| Sort { doc_type: name.to_owned(), evidence: Evidence::default() });
        Leaf { page, file, sort }
    }

    fn spans(leaves: &[Leaf]) -> Vec<(u32, u32)> {
        closed(leaves, Boundaries::Auto).iter().map(|group| (group.first, group.last)).collect()
    }

    #[test]
    fn consecutive_pages_of_one_type_are_one_document() {
        let types = ["invoice", "invoice", "id_card", "payslip", "payslip"];
        let leaves: Vec<_> =
            types.iter().enumerate().map(|(n, t)| leaf(n as u32, 0, Some(t))).collect();
        assert_eq!(spans(&leaves), [(0, 1), (2, 2), (3, 4)]);
    }

    #[test]
    fn the_same_type_again_is_another_document() {
        let leaves = [leaf(0, 0, Some("a")), leaf(1, 0, Some("b")), leaf(2, 0, Some("a"))];
        assert_eq!(spans(&leaves), [(0, 0), (1, 1), (2, 2)]);
    }

    #[test]
    fn files_never_share_a_document() {
        assert_eq!(spans(&[leaf(0, 0, Some("a")), leaf(1, 1, Some("a"))]), [(0, 0), (1, 1)]);
    }

    #[test]
    fn a_closed_group_does_not_wait_for_the_others() {
        let leaves = [
            leaf(0, 0, Some("id_card")),
            leaf(1, 0, Some("id_card")),
            leaf(2, 0, Some("invoice")),
            leaf(3, 0, None),
        ];
        assert_eq!(spans(&leaves), [(0, 1)], "page 3 may belong to page 2");
    }

    #[test]
    fn another_number_opens_another_invoice() {
        let page = |n, place, identity: Option<&str>| Leaf {
            page: n,
            file: 0,
            sort: Some(Sort {
                doc_type: "invoice".into(),
                evidence: Evidence {
                    place,
                    numbered: identity.is_some(),
                    identity: identity.map(str::to_owned),
                    ..Evidence::default()
                },
            }),
        };
        let leaves = [
            page(0, PagePosition::First, Some("F-1")),
            page(1, PagePosition::Later, None),
            page(2, PagePosition::Unknown, Some("F-1")),
            page(3, PagePosition::Unknown, Some("F-2")),
            page(4, PagePosition::First, None),
        ];
        assert_eq!(spans(&leaves), [(0, 2), (3, 3), (4, 4)]);
        assert_eq!(closed(&leaves, Boundaries::Type).len(), 1);
    }

    fn said(number: Option<&str>, maybe: Option<&str>, total: Option<&str>) -> Evidence {
        Evidence {
            identity: number.map(str::to_owned),
            numbered: number.is_some(),
            maybe: maybe.map(str::to_owned),
            total: total.map(str::to_owned),
            heading: true,
            ..Evidence::default()
        }
    }

    fn doubts(pages: &[Evidence]) -> Vec<u32> {
        suspected((0..).zip(pages))
    }

    #[test]
    fn a_person_named_on_a_second_page_is_no_second_invoice() {
        let named = |n, identity: &str, numbered| {
            let identity = Some(identity.to_owned());
            let evidence = Evidence { identity, numbered, ..Evidence::default() };
            Leaf { page: n, file: 0, sort: Some(Sort { doc_type: "invoice".into(), evidence }) }
        };
        assert_eq!(spans(&[named(0, "F1", true), named(1, "12345678Z", false)]), [(0, 1)]);
        let holders = [named(0, "12345678Z", false), named(1, "87654321X", false)];
        assert_eq!(spans(&holders), [(0, 0), (1, 1)]);
    }

    #[test]
    fn a_second_document_is_suspected_where_a_page_looks_like_one() {
        let none: &[u32] = &[];
        let (seven, eight) = (said(None, Some("7"), None), said(None, Some("8"), None));
        assert_eq!(doubts(&[seven.clone(), seven.clone(), eight.clone()]), [2]);
        assert_eq!(doubts(&[said(Some("F1"), None, None), eight]), [1]);
        let (one, other) = (said(None, None, Some("100")), said(None, None, Some("200")));
        assert_eq!(doubts(&[one.clone(), other.clone()]), [1]);
        assert_eq!(doubts(&[one.clone(), Evidence { heading: false, ..other.clone() }]), none);
        assert_eq!(doubts(&[one.clone(), one]), none);
        let numbered = [said(Some("F1"), None, Some("1")), said(Some("F1"), None, Some("2"))];
        assert_eq!(doubts(&numbered), none, "a carried total of the same invoice");
        let later = Evidence { place: PagePosition::Later, ..said(Some("F2"), None, None) };
        assert_eq!(doubts(&[said(Some("F1"), None, None), later]), [1], "pages of a batch");
        let joined = Evidence { place: PagePosition::Joins, ..other };
        assert_eq!(doubts(&[seven, joined]), none, "a person said so");
    }

    fn any_leaf() -> impl Strategy<Value = (u32, Sort, bool)> {
        let place = prop_oneof![
            Just(PagePosition::First),
            Just(PagePosition::Later),
            Just(PagePosition::Unknown),
            Just(PagePosition::Opens),
            Just(PagePosition::Joins),
        ];
        let identity = prop::option::of(prop_oneof![Just("A"), Just("B")]);
        (0u32..2, "[ab]", place, identity, any::<bool>(), any::<bool>()).prop_map(
            |(file, doc_type, place, identity, numbered, known)| {
                let identity = identity.map(str::to_owned);
                let evidence = Evidence { place, identity, numbered, ..Evidence::default() };
                (file, Sort { doc_type, evidence }, known)
            },
        )
    }

    proptest! {
        #[test]
        fn what_closes_early_is_what_would_close_at_the_end(
            pages in prop::collection::vec(any_leaf(), 0..12),
            auto in any::<bool>(),
        ) {
            let boundaries = if auto { Boundaries::Auto } else { Boundaries::Type };
            let mut file = 0;
            let mut whole = Vec::new();
            let mut partly = Vec::new();
            for (n, (step, sort, known)) in pages.into_iter().enumerate() {
                file += u32::from(step == 1 && n % 3 == 0);
                let page = n as u32;
                partly.push(Leaf { page, file, sort: known.then(|| sort.clone()) });
                whole.push(Leaf { page, file, sort: Some(sort) });
            }
            let all = closed(&whole, boundaries);
            for group in closed(&partly, boundaries) {
                prop_assert!(all.contains(&group), "{group:?} is not among {all:?}");
            }
            let pages: Vec<u32> = all.iter().flat_map(|group| group.first..=group.last).collect();
            prop_assert_eq!(pages, (0..whole.len() as u32).collect::<Vec<_>>());
        }
    }
}
