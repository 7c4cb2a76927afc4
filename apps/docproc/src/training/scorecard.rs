//! What a set of judged documents adds up to.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use serde_json::{Value as Json, json};

use super::{
    Curve, Unread, Verdict, curve,
    selective::{self, Step},
};

/// Counts over many documents.
#[derive(Clone, Debug, Default)]
pub struct Scorecard {
    /// By the true type.
    pub types: BTreeMap<String, TypeScore>,
    /// Pages whose type is known.
    pub pages: usize,
    pub pages_right: usize,
    /// How sure the type of a page was, and how often it was right.
    pub page_curve: Curve,
    /// The same of fields that were found.
    pub field_curve: Curve,
    /// Values that nobody would have looked at, and that are wrong.
    pub slips: Vec<Slip>,
    /// Files that were not read, and why.
    pub unread: Vec<(PathBuf, String)>,
    verdicts: Vec<Verdict>,
}

/// A wrong value that would have been taken for right.
#[derive(Clone, Debug)]
pub struct Slip {
    pub file: PathBuf,
    pub field: String,
    pub found: String,
    pub truth: String,
    pub confidence: f64,
}

#[derive(Clone, Debug, Default)]
pub struct TypeScore {
    pub documents: usize,
    /// Documents of whose pages nobody was asked the type, and those of them told right.
    pub typed: usize,
    pub typed_right: usize,
    /// *Straight through*: no person was asked anything.
    pub straight: usize,
    /// Straight through and right in everything.
    pub straight_right: usize,
    pub fields: BTreeMap<String, FieldScore>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct FieldScore {
    pub known: usize,
    pub right: usize,
    /// Found with at least the threshold.
    pub automatic: usize,
    pub automatic_right: usize,
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

impl FieldScore {
    pub fn accuracy(&self) -> f64 {
        share(self.right, self.known)
    }

    /// The share that needs nobody.
    pub fn coverage(&self) -> f64 {
        if self.known == 0 { 0.0 } else { share(self.automatic, self.known) }
    }

    /// The share of those that is right; `None` when there are none.
    pub fn precision(&self) -> Option<f64> {
        (self.automatic > 0).then(|| share(self.automatic_right, self.automatic))
    }

    #[must_use]
    fn plus(self, other: Self) -> Self {
        Self {
            known: self.known + other.known,
            right: self.right + other.right,
            automatic: self.automatic + other.automatic,
            automatic_right: self.automatic_right + other.automatic_right,
        }
    }
}

impl Slip {
    fn json(&self) -> Json {
        let Self { file, field, found, truth, confidence } = self;
        json!({ "file": file, "field": field, "found": found, "truth": truth, "confidence": confidence })
    }
}

impl TypeScore {
    pub fn straight_share(&self) -> f64 {
        if self.documents == 0 { 0.0 } else { share(self.straight, self.documents) }
    }

    /// Of the documents nobody would look at, the share that is right in everything.
    pub fn straight_right_share(&self) -> Option<f64> {
        (self.straight > 0).then(|| share(self.straight_right, self.straight))
    }
}

impl Scorecard {
    pub fn add(&mut self, file: &Path, verdict: &Verdict) {
        for (confidence, right) in &verdict.pages {
            let Some(right) = right else { continue };
            self.pages += 1;
            self.pages_right += usize::from(*right);
            self.page_curve.add(*confidence, *right);
        }
        let score = self.types.entry(verdict.doc_type.clone()).or_default();
        score.documents += 1;
        score.typed += usize::from(verdict.typed.is_some());
        score.typed_right += usize::from(verdict.typed == Some(true));
        score.straight += usize::from(verdict.straight);
        score.straight_right += usize::from(verdict.straight && verdict.right);
        for field in &verdict.fields {
            let count = score.fields.entry(field.name.clone()).or_default();
            count.known += 1;
            count.right += usize::from(field.right);
            count.automatic += usize::from(field.automatic);
            count.automatic_right += usize::from(field.automatic && field.right);
            self.field_curve.add(field.confidence, field.right);
            if let Some(found) = field.found.clone().filter(|_| field.automatic && !field.right) {
                let (file, name, truth) =
                    (file.to_owned(), field.name.clone(), field.truth.clone());
                self.slips.push(Slip {
                    file,
                    field: name,
                    found,
                    truth,
                    confidence: field.confidence,
                });
            }
        }
        self.verdicts.push(verdict.clone());
    }

    pub fn miss(&mut self, file: &Path, unread: &Unread) {
        self.unread.push((file.to_owned(), unread.to_string()));
    }

    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.pages += other.pages;
        self.pages_right += other.pages_right;
        self.page_curve = self.page_curve.plus(&other.page_curve);
        self.field_curve = self.field_curve.plus(&other.field_curve);
        self.slips.extend(other.slips);
        self.unread.extend(other.unread);
        self.verdicts.extend(other.verdicts);
        for (doc_type, more) in other.types {
            let score = self.types.entry(doc_type).or_default();
            score.documents += more.documents;
            score.typed += more.typed;
            score.typed_right += more.typed_right;
            score.straight += more.straight;
            score.straight_right += more.straight_right;
            for (name, field) in more.fields {
                let mine = score.fields.entry(name).or_default();
                *mine = mine.plus(field);
            }
        }
        self
    }

    pub fn documents(&self) -> usize {
        self.types.values().map(|score| score.documents).sum()
    }

    /// The share of pages whose type is told right.
    pub fn type_accuracy(&self) -> f64 {
        share(self.pages_right, self.pages)
    }

    /// All fields of all types together.
    pub fn fields(&self) -> FieldScore {
        let all = self.types.values().flat_map(|score| score.fields.values());
        all.fold(FieldScore::default(), |sum, field| sum.plus(*field))
    }

    /// What each threshold would let through.
    pub fn steps(&self) -> Vec<Step> {
        selective::steps(&self.verdicts)
    }

    /// Documents of a type that have all these fields known: how many, how many have their type and
    /// them all automatic, and how many of those all right.
    pub fn together(&self, doc_type: &str, names: &[&str]) -> (usize, usize, usize) {
        let (mut known, mut automatic, mut right) = (0, 0, 0);
        for verdict in self.verdicts.iter().filter(|verdict| verdict.doc_type == doc_type) {
            let asked = verdict.fields.iter().filter(|field| names.contains(&field.name.as_str()));
            let asked: Vec<_> = asked.collect();
            if asked.len() < names.len() {
                continue;
            }
            known += 1;
            if verdict.typed.is_some() && asked.iter().all(|field| field.automatic) {
                automatic += 1;
                let fields = asked.iter().all(|field| field.right);
                right += usize::from(fields && verdict.typed == Some(true));
            }
        }
        (known, automatic, right)
    }

    /// The share of documents that need nobody.
    pub fn straight_share(&self) -> f64 {
        let straight = self.types.values().map(|score| score.straight).sum();
        if self.documents() == 0 { 0.0 } else { share(straight, self.documents()) }
    }

    /// Both reliability curves in one drawing.
    pub fn svg(&self) -> String {
        curve::svg(&[
            ("type of a page", "#2563eb", &self.page_curve),
            ("value of a field", "#b45309", &self.field_curve),
        ])
    }

    pub fn json(&self) -> Json {
        let field = |score: &FieldScore| {
            json!({ "known": score.known, "accuracy": score.accuracy(),
                    "coverage": score.coverage(), "precision": score.precision() })
        };
        let types = self.types.iter().map(|(name, score)| {
            let fields: serde_json::Map<String, Json> =
                score.fields.iter().map(|(name, one)| (name.clone(), field(one))).collect();
            let told = json!({
                "documents": score.documents,
                "type_automatic": score.typed,
                "type_automatic_right": score.typed_right,
                "straight_through": score.straight_share(),
                "straight_through_right": score.straight_right_share(),
                "fields": fields,
            });
            (name.clone(), told)
        });
        let bins = |curve: &Curve| -> Vec<Json> {
            let bin = |bin: &super::Bin| json!({ "said": bin.confidence(), "cases": bin.cases, "right": bin.share_right() });
            curve.bins().map(bin).collect()
        };
        json!({
            "documents": self.documents(),
            "pages": self.pages,
            "classification_accuracy": self.type_accuracy(),
            "straight_through": self.straight_share(),
            "fields": field(&self.fields()),
            "types": types.collect::<serde_json::Map<_, _>>(),
            "reliability": { "pages": bins(&self.page_curve), "fields": bins(&self.field_curve) },
            "slips": self.slips.iter().map(Slip::json).collect::<Vec<_>>(),
            "unread": self.unread.iter().map(|(file, why)| json!({ "file": file, "why": why }))
                .collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let perhaps = |share: Option<f64>| share.map_or_else(|| "—".to_owned(), percent);
        writeln!(
            f,
            "{} documents, {} pages: {} of the pages told right, {} of the documents straight \
             through",
            self.documents(),
            self.pages,
            percent(self.type_accuracy()),
            percent(self.straight_share()),
        )?;
        let numbers = |field: &FieldScore| {
            let all = [Some(field.accuracy()), Some(field.coverage()), field.precision()];
            all.map(|number| format!(" {:>9}", perhaps(number))).concat()
        };
        let heading = ["known", "accuracy", "coverage", "precision"];
        write!(f, "\n{:<26}", "type and field")?;
        for title in heading {
            write!(f, " {title:>9}")?;
        }
        writeln!(f)?;
        for (doc_type, score) in &self.types {
            let straight = percent(score.straight_share());
            let right = perhaps(score.straight_right_share());
            writeln!(
                f,
                "{doc_type:<26} {:>9} {straight} straight through, {right} of those right; \
                 type automatic and right {}",
                score.documents,
                percent(share(score.typed_right, score.documents)),
            )?;
            for (name, field) in &score.fields {
                write!(f, "  {name:<24} {:>9}", field.known)?;
                writeln!(f, "{}", numbers(field))?;
            }
        }
        let all = self.fields();
        writeln!(f, "{:<26} {:>9}{}", "all fields", all.known, numbers(&all))?;
        writeln!(f, "\nReliability of the type of a page\n{}", self.page_curve.text())?;
        write!(f, "Reliability of the value of a field\n{}", self.field_curve.text())?;
        write!(f, "\nWhat each threshold lets through\n{}", selective::text(&self.steps()))?;
        if !self.slips.is_empty() {
            write!(f, "\nTaken for right, and wrong")?;
        }
        for Slip { file, field, found, truth, confidence } in &self.slips {
            let file = file.display();
            write!(f, "\n  {file}  {field}: «{found}» instead of «{truth}» ({confidence:.2})")?;
        }
        for (file, why) in &self.unread {
            write!(f, "\n{} was not read: {why}", file.display())?;
        }
        Ok(())
    }
}
