//! *Reagrupar*: a person says which pages are one document.

use engine::Sentence;
use serde::{Deserialize, Serialize};

/// A document as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub id: String,
    pub first: u32,
    pub last: u32,
}

/// Pages that shall be one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    pub pages: Vec<u32>,
    pub doc_type: String,
}

/// What has to be undone and what is said of each page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regrouping {
    /// Documents that cease to be.
    pub undone: Vec<String>,
    pub pages: Vec<PlacedPage>,
    /// The page behind them begins a document of its own, whatever it says itself.
    pub after: Option<u32>,
}

/// A page with its new type and whether it opens a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPage {
    pub n: u32,
    pub doc_type: String,
    pub opens: bool,
}

/// Checks that the wanted groups are the pages of whole documents, in order, `own` among them.
/// `files` says of each page, by its number, which file it came in.
pub fn regroup(
    documents: &[Bound],
    files: &[u32],
    types: &[&str],
    own: &str,
    wanted: &[Wanted],
) -> Result<Regrouping, Sentence> {
    let mut pages = Vec::new();
    for group in wanted {
        let Some(first) = group.pages.first() else {
            return Err(told("Un grupo no tiene páginas.", "A group has no pages."));
        };
        if !types.contains(&group.doc_type.as_str()) {
            return Err(Sentence::new(
                format!("El flujo no tiene el tipo «{}».", group.doc_type),
                format!("The workflow has no type “{}”.", group.doc_type),
            ));
        }
        let follow = group.pages.windows(2).all(|two| two[0].checked_add(1) == Some(two[1]));
        let file = |n: &u32| files.get(*n as usize);
        if !follow || !group.pages.iter().all(|n| file(n).is_some() && file(n) == file(first)) {
            return Err(told(
                "Un documento son páginas seguidas de un mismo archivo.",
                "A document is consecutive pages of one file.",
            ));
        }
        pages.extend(group.pages.iter().map(|n| PlacedPage {
            n: *n,
            doc_type: group.doc_type.clone(),
            opens: n == first,
        }));
    }
    if !pages.windows(2).all(|two| two[0].n < two[1].n) {
        return Err(told("Hay páginas repetidas o en desorden.", "Pages repeat or are unordered."));
    }
    let named = |n: u32| pages.iter().any(|page| page.n == n);
    let (undone, kept): (Vec<&Bound>, Vec<&Bound>) =
        documents.iter().partition(|one| (one.first..=one.last).any(named));
    let whole = undone.iter().all(|one| (one.first..=one.last).all(named));
    let covered =
        pages.iter().all(|page| undone.iter().any(|one| (one.first..=one.last).contains(&page.n)));
    if !whole || !covered || kept.iter().any(|one| one.id == own) {
        return Err(told(
            "Los grupos deben ser las páginas de documentos enteros, el de la tarea entre ellos.",
            "The groups must be the pages of whole documents, the task's among them.",
        ));
    }
    let last = pages.last().map_or(0, |page| page.n);
    Ok(Regrouping {
        undone: undone.into_iter().map(|one| one.id.clone()).collect(),
        after: last.checked_add(1).filter(|next| (*next as usize) < files.len()),
        pages,
    })
}

fn told(es: &str, en: &str) -> Sentence {
    Sentence::new(es.to_owned(), en.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn documents() -> Vec<Bound> {
        [("a", 0, 1), ("b", 2, 3), ("c", 4, 4)]
            .map(|(id, first, last)| Bound { id: id.to_owned(), first, last })
            .to_vec()
    }

    fn wanted(groups: &[&[u32]]) -> Vec<Wanted> {
        let group = |pages: &&[u32]| Wanted { pages: pages.to_vec(), doc_type: "x".to_owned() };
        groups.iter().map(group).collect()
    }

    fn done(groups: &[&[u32]]) -> Result<Regrouping, Sentence> {
        regroup(&documents(), &[0, 0, 0, 0, 0], &["x"], "b", &wanted(groups))
    }

    #[test]
    fn a_document_is_split_and_documents_are_merged() {
        let split = done(&[&[2], &[3]]).unwrap();
        assert_eq!(split.undone, ["b"]);
        assert_eq!(split.after, Some(4));
        assert!(split.pages.iter().all(|page| page.opens));
        let merged = done(&[&[0, 1, 2, 3]]).unwrap();
        assert_eq!(merged.undone, ["a", "b"]);
        assert_eq!(merged.pages.iter().filter(|page| page.opens).count(), 1);
        assert_eq!(done(&[&[2], &[3, 4]]).unwrap().after, None, "the last page has none behind");
    }

    #[test]
    fn half_documents_gaps_and_strangers_are_refused() {
        for groups in [
            &[&[2_u32] as &[u32]] as &[&[u32]],
            &[&[0, 1]],
            &[&[2, 4]],
            &[&[3], &[2]],
            &[&[2, 3], &[3]],
            &[&[2, 3], &[9]],
            &[&[]],
            &[],
            &[&[1, 2, 3]],
        ] {
            assert!(done(groups).is_err(), "{groups:?}");
        }
        let two_files = regroup(&documents(), &[0, 0, 0, 1, 1], &["x"], "b", &wanted(&[&[2, 3]]));
        assert!(two_files.is_err());
        assert!(regroup(&documents(), &[0; 5], &["y"], "b", &wanted(&[&[2, 3]])).is_err());
    }

    proptest! {
        #[test]
        fn any_input_is_judged_and_what_passes_is_whole(
            groups in prop::collection::vec(prop::collection::vec(0_u32..7, 0..4), 0..4),
        ) {
            let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
            if let Ok(done) = done(&groups) {
                let pages: Vec<u32> = done.pages.iter().map(|page| page.n).collect();
                let undone: Vec<u32> = documents()
                    .iter()
                    .filter(|one| done.undone.contains(&one.id))
                    .flat_map(|one| one.first..=one.last)
                    .collect();
                prop_assert_eq!(pages, undone);
                prop_assert!(done.undone.contains(&"b".to_owned()));
            }
        }
    }
}
