//! *Respuesta temprana* (§3.10): whether what is known is enough for a first answer.

use super::workflow::Needed;

/// A document as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub doc_type: String,
    /// Nothing is left to do about it.
    pub settled: bool,
    /// Below this a person looks at a field.
    pub threshold: f64,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub present: bool,
    pub confidence: f64,
}

/// Every needed document is there, with each of its needed fields read and beyond doubt. A document
/// of which other fields wait for a person will do.
pub fn is_met(needed: &[Needed], found: &[Found]) -> bool {
    !needed.is_empty() && needed.iter().all(|one| found.iter().any(|found| fits(one, found)))
}

fn fits(needed: &Needed, found: &Found) -> bool {
    if found.doc_type != needed.doc_type || (needed.fields.is_empty() && !found.settled) {
        return false;
    }
    let good =
        |field: &Field| field.present && (found.settled || field.confidence >= found.threshold);
    let has = |name: &String| found.fields.iter().any(|field| field.name == *name && good(field));
    needed.fields.iter().all(has)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn needed(doc_type: &str, fields: &[&str]) -> Needed {
        let fields = fields.iter().map(|&name| name.to_owned()).collect();
        Needed { doc_type: doc_type.to_owned(), fields }
    }

    fn found(doc_type: &str, settled: bool, fields: &[(&str, bool, f64)]) -> Found {
        let field = |&(name, present, confidence): &(&str, bool, f64)| Field {
            name: name.to_owned(),
            present,
            confidence,
        };
        let fields = fields.iter().map(field).collect();
        Found { doc_type: doc_type.to_owned(), settled, threshold: 0.75, fields }
    }

    #[test]
    fn needed_fields_must_be_there_and_sure() {
        let wanted = [needed("invoice", &["number", "total"])];
        let sure = [("number", true, 0.9), ("total", true, 0.75), ("vendor", true, 0.1)];
        assert!(is_met(&wanted, &[found("invoice", false, &sure)]), "others may wait for a person");
        let doubtful = [("number", true, 0.9), ("total", true, 0.74)];
        assert!(!is_met(&wanted, &[found("invoice", false, &doubtful)]));
        assert!(is_met(&wanted, &[found("invoice", true, &doubtful)]), "a person said so");
        let missing = [("number", true, 0.9), ("total", false, 1.0)];
        assert!(!is_met(&wanted, &[found("invoice", true, &missing)]));
        assert!(!is_met(&wanted, &[found("receipt", true, &sure)]));
    }

    #[test]
    fn a_type_alone_needs_a_settled_document() {
        let wanted = [needed("other", &[])];
        assert!(!is_met(&wanted, &[found("other", false, &[])]));
        assert!(is_met(&wanted, &[found("other", true, &[])]));
        assert!(!is_met(&[], &[found("other", true, &[])]), "no rule, no early answer");
    }

    proptest! {
        /// More documents never make less of what is known.
        #[test]
        fn it_stays_met(
            documents in proptest::collection::vec((0_u8..3, any::<bool>(), 0.0_f64..1.0), 0..6),
            more in (0_u8..3, any::<bool>(), 0.0_f64..1.0),
        ) {
            let word = |n: u8| ["invoice", "receipt", "other"][n as usize];
            let make = |&(n, settled, sure): &(u8, bool, f64)| {
                found(word(n), settled, &[("total", true, sure)])
            };
            let wanted = [needed("invoice", &["total"]), needed("receipt", &[])];
            let mut all: Vec<Found> = documents.iter().map(make).collect();
            let before = is_met(&wanted, &all);
            all.push(make(&more));
            prop_assert!(!before || is_met(&wanted, &all));
        }
    }
}
