//! What people read, in both languages.

/// A reason, a refusal or a warning with its numbers, Spanish and English side by side so that
/// neither can be forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence {
    pub es: String,
    pub en: String,
}

impl Sentence {
    pub fn new(es: impl Into<String>, en: impl Into<String>) -> Self {
        Self { es: es.into(), en: en.into() }
    }

    /// What reads the same in both: names, numbers, what another system said.
    pub fn same(text: impl Into<String>) -> Self {
        let es = text.into();
        Self { en: es.clone(), es }
    }

    /// Goes on with another one.
    pub fn push(&mut self, more: &Self) {
        self.es.push_str(&more.es);
        self.en.push_str(&more.en);
    }
}
