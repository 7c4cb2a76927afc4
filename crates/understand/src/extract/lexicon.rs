//! The words that announce a value, in Spanish, English, French, Catalan and Portuguese.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::{
    Deserialize,
    de::{IntoDeserializer, value::Error as Unknown},
};

use super::text::{letters, shapes};

/// What a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) enum Concept {
    Number,
    OrderNumber,
    IssueDate,
    DueDate,
    BirthDate,
    ExpiryDate,
    StartDate,
    EndDate,
    /// A date nobody asks for: of printing, of delivery.
    OtherDate,
    Vendor,
    Customer,
    Employee,
    FullName,
    GivenNames,
    Surnames,
    IdNumber,
    TaxId,
    Iban,
    Period,
    Address,
    Nationality,
    Sex,
    SocialSecurity,
    Job,
    /// A label of one field of the schema, by its index.
    #[serde(skip)]
    Custom(usize),
    /// A label of something nobody asked for; it keeps its value from being taken for another.
    Noise,
}

/// One way to print a label.
pub(super) struct Phrase {
    pub(super) shaped: String,
    pub(super) letters: u64,
    pub(super) concept: Concept,
    /// 1 for a label that means nothing else.
    pub(super) strength: f32,
}

impl Concept {
    /// Whether it announces a day: only those contest a date.
    pub(super) fn is_day(self) -> bool {
        matches!(
            self,
            Self::IssueDate
                | Self::DueDate
                | Self::BirthDate
                | Self::ExpiryDate
                | Self::StartDate
                | Self::EndDate
                | Self::OtherDate
        )
    }
}

impl Phrase {
    /// A label in each of the shapes a reader may give it.
    pub(super) fn all(text: &str, concept: Concept, strength: f32) -> Vec<Self> {
        let phrase = |shaped: String| Self { letters: letters(&shaped), shaped, concept, strength };
        shapes(text).into_iter().map(phrase).collect()
    }
}

/// The longest label in words; a window of this many is tried.
pub(super) const MAX_WORDS: usize = 6;

/// `Concept strength: label | label`, on lines that go on while they are indented.
const PHRASES: &str = include_str!("../../text/labels.txt");

/// Every built-in label; labels of one shape may announce several things.
pub(super) static BUILT_IN: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let mut seen = HashSet::new();
    let (mut concept, mut strength) = (Concept::Noise, 1.0);
    let mut phrases: Vec<Phrase> = Vec::new();
    for line in PHRASES.lines() {
        let labels = line.strip_prefix("    ").unwrap_or_else(|| {
            let (head, labels) = line.split_once(": ").expect("a concept and its labels");
            let (name, number) = head.split_once(' ').expect("a concept and a strength");
            concept = Concept::deserialize(IntoDeserializer::<Unknown>::into_deserializer(name))
                .expect("a concept");
            strength = number.parse().expect("a strength");
            labels
        });
        for text in labels.split('|').map(str::trim).filter(|text| !text.is_empty()) {
            let fresh = |phrase: &Phrase| seen.insert((phrase.shaped.clone(), concept));
            phrases.extend(Phrase::all(text, concept, strength).into_iter().filter(fresh));
        }
    }
    phrases
});
