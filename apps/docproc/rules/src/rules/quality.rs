//! *Calidad*: how much goes straight through, what people change, and how sure the machine was.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::thresholds::{Confidences, Known};

/// A document that was decided lately.
#[derive(Clone, Debug, PartialEq)]
pub struct Paper {
    pub id: String,
    pub doc_type: String,
    /// A person answered its fields, or is waited for.
    pub reviewed: bool,
    /// A person gave a type to some page of it.
    pub sorted: bool,
    pub confidence: Option<f64>,
    /// Names, and whether they are required.
    pub fields: Vec<(String, bool)>,
}

/// A page whose type was decided lately.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    pub request: String,
    pub item: String,
    pub doc_type: String,
    /// What the machine said, where it is known.
    pub machine: Option<(String, f64)>,
    /// A person gave the type.
    pub by_person: bool,
    /// A person answered the fields of its document and left the type alone.
    pub seen: bool,
}

/// What a person answered about a page or a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub request: String,
    pub item: String,
    pub doc_type: String,
    pub about: About,
}

#[derive(Clone, Debug, PartialEq)]
pub enum About {
    Type { confidence: Option<f64>, changed: bool },
    Fields(Vec<FieldWord>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct FieldWord {
    pub name: String,
    pub found: bool,
    pub confidence: f64,
    pub changed: bool,
}

/// What a golden case showed: the type of a page, or a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    pub of_field: bool,
    pub known: Known,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    pub types: Vec<TypeLine>,
    pub fields: Vec<FieldLine>,
    pub pages: Confidences,
    /// How much goes to people is counted in documents, how much is wrong in fields.
    pub documents: Confidences,
}

/// *Sin intervención*: documents of a type that needed nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeLine {
    pub doc_type: String,
    pub documents: i64,
    pub straight: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldLine {
    pub doc_type: String,
    pub field: String,
    pub documents: i64,
    /// Taken from the machine without a person.
    pub straight: i64,
    /// People spoke of it.
    pub answered: i64,
    /// They said something else than the machine.
    pub changed: i64,
}

pub fn count(papers: &[Paper], leaves: &[Leaf], words: &[Word], shown: &[Shown]) -> Quality {
    let mut quality = Quality {
        types: types(papers),
        fields: fields(papers, words),
        pages: pages(leaves, words),
        documents: documents(papers, words),
    };
    for one in shown {
        let confidences = if one.of_field { &mut quality.documents } else { &mut quality.pages };
        confidences.known.push(one.known);
    }
    quality
}

fn types(papers: &[Paper]) -> Vec<TypeLine> {
    let mut lines: BTreeMap<&str, TypeLine> = BTreeMap::new();
    for paper in papers {
        let line = lines.entry(&paper.doc_type).or_default();
        line.doc_type.clone_from(&paper.doc_type);
        line.documents += 1;
        line.straight += i64::from(!paper.reviewed && !paper.sorted);
    }
    lines.into_values().collect()
}

fn fields(papers: &[Paper], words: &[Word]) -> Vec<FieldLine> {
    let mut lines: BTreeMap<(String, String), FieldLine> = BTreeMap::new();
    let mut line = |doc_type: &str, field: &str, add: &dyn Fn(&mut FieldLine)| {
        let key = (doc_type.to_owned(), field.to_owned());
        let line = lines.entry(key.clone()).or_default();
        (line.doc_type, line.field) = key;
        add(line);
    };
    for paper in papers {
        for (name, _) in &paper.fields {
            line(&paper.doc_type, name, &|line| {
                line.documents += 1;
                line.straight += i64::from(!paper.reviewed);
            });
        }
    }
    for word in words {
        let About::Fields(fields) = &word.about else { continue };
        for one in fields {
            line(&word.doc_type, &one.name, &|line| {
                line.answered += 1;
                line.changed += i64::from(one.changed);
            });
        }
    }
    lines.into_values().collect()
}

fn pages(leaves: &[Leaf], words: &[Word]) -> Confidences {
    let mut confidences = Confidences::default();
    let mut answered: HashSet<(&str, &str)> = HashSet::new();
    for word in words {
        let About::Type { confidence, changed } = &word.about else { continue };
        answered.insert((&word.request, &word.item));
        let known = confidence.map(|confidence| Known { confidence, right: !changed });
        confidences.known.extend(known);
    }
    for leaf in leaves {
        let Some((told, confidence)) = &leaf.machine else { continue };
        confidences.all.push(*confidence);
        let asked = answered.contains(&(leaf.request.as_str(), leaf.item.as_str()));
        // Regrouped by a person, or looked at by one who found nothing wrong with it.
        if !asked && (leaf.by_person || leaf.seen) {
            let right = *told == leaf.doc_type;
            confidences.known.push(Known { confidence: *confidence, right });
        }
    }
    confidences
}

fn documents(papers: &[Paper], words: &[Word]) -> Confidences {
    let mut confidences = Confidences::default();
    let mut answered: HashMap<&str, &[FieldWord]> = HashMap::new();
    for word in words {
        let About::Fields(fields) = &word.about else { continue };
        answered.insert(&word.item, fields);
        let found = fields.iter().filter(|one| one.found);
        confidences
            .known
            .extend(found.map(|one| Known { confidence: one.confidence, right: !one.changed }));
    }
    for paper in papers {
        if !paper.reviewed {
            confidences.all.extend(paper.confidence);
            continue;
        }
        // What the machine said before the person did.
        let Some(fields) = answered.get(paper.id.as_str()) else { continue };
        let required = |name: &str| paper.fields.iter().any(|(one, need)| one == name && *need);
        if fields.iter().any(|one| !one.found && required(&one.name)) {
            confidences.always += 1;
        } else {
            let found = fields.iter().filter(|one| one.found);
            confidences.all.push(found.map(|one| one.confidence).fold(1.0, f64::min));
        }
    }
    confidences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper(id: &str, reviewed: bool, confidence: f64) -> Paper {
        Paper {
            id: id.to_owned(),
            doc_type: "invoice".to_owned(),
            reviewed,
            sorted: false,
            confidence: Some(confidence),
            fields: vec![("total".to_owned(), true)],
        }
    }

    fn word(item: &str, found: bool, confidence: f64, changed: bool) -> Word {
        let name = "total".to_owned();
        Word {
            request: "r".to_owned(),
            item: item.to_owned(),
            doc_type: "invoice".to_owned(),
            about: About::Fields(vec![FieldWord { name, found, confidence, changed }]),
        }
    }

    fn leaf(item: &str, machine: &str, confidence: f64, by_person: bool, seen: bool) -> Leaf {
        Leaf {
            request: "r".to_owned(),
            item: item.to_owned(),
            doc_type: "invoice".to_owned(),
            machine: Some((machine.to_owned(), confidence)),
            by_person,
            seen,
        }
    }

    #[test]
    fn what_people_touched_did_not_go_straight_through() {
        let papers = [paper("a", false, 0.9), paper("b", true, 1.0), paper("c", true, 1.0)];
        let words = [word("b", true, 0.6, true), word("c", false, 0.0, true)];
        let counted = count(&papers, &[], &words, &[]);
        assert_eq!((counted.types[0].documents, counted.types[0].straight), (3, 1));
        let line = &counted.fields[0];
        let numbers = (line.documents, line.straight, line.answered, line.changed);
        assert_eq!(numbers, (3, 1, 2, 2));
        let confidences = &counted.documents;
        assert_eq!((confidences.all.as_slice(), confidences.always), ([0.9, 0.6].as_slice(), 1));
        assert_eq!(confidences.known, [Known { confidence: 0.6, right: false }]);
    }

    #[test]
    fn the_truth_of_a_page_is_what_a_person_said_or_let_stand() {
        let leaves = [
            leaf("p0", "invoice", 0.95, false, false),
            leaf("p1", "invoice", 0.85, false, true),
            leaf("p2", "receipt", 0.90, true, false),
            leaf("p3", "receipt", 0.50, true, false),
        ];
        let about = About::Type { confidence: Some(0.5), changed: true };
        let asked = Word { item: "p3".to_owned(), about, ..word("", true, 0.0, false) };
        let shown = Shown { of_field: false, known: Known { confidence: 0.99, right: true } };
        let pages = count(&[], &leaves, &[asked], &[shown]).pages;
        assert_eq!(pages.all.len(), 4, "all of them were said");
        let known: Vec<_> = pages.known.iter().map(|one| (one.confidence, one.right)).collect();
        assert_eq!(known, [(0.5, false), (0.85, true), (0.90, false), (0.99, true)]);
    }
}
