//! What people read, in both languages.

/// Parts the languages where both are kept on one line.
const BETWEEN: &str = " / ";

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

    /// Both on one line, for a place where one text is kept: `no / no`.
    pub fn kept(&self) -> String {
        if self.es == self.en {
            self.es.clone()
        } else {
            format!("{}{BETWEEN}{}", self.es, self.en)
        }
    }

    /// What was kept so. Of several marks the middle one parts the languages: what another system said
    /// stands in both.
    pub fn told(text: &str) -> Self {
        let marks: Vec<usize> = text.match_indices(BETWEEN).map(|(at, _)| at).collect();
        match marks.get(marks.len() / 2).filter(|_| marks.len() % 2 == 1) {
            Some(at) => Self::new(&text[..*at], &text[at + BETWEEN.len()..]),
            None => Self::same(text),
        }
    }

    /// Goes on with another one.
    pub fn push(&mut self, more: &Self) {
        self.es.push_str(&more.es);
        self.en.push_str(&more.en);
    }
}

#[cfg(test)]
mod tests {
    use super::Sentence;

    #[test]
    fn both_are_kept_on_one_line_and_told_apart_again() {
        for both in [
            Sentence::new("no permitido: a / b", "not allowed: a / b"),
            Sentence::new("sin conexión", "offline"),
            Sentence::same("404"),
        ] {
            assert_eq!(Sentence::told(&both.kept()), both);
        }
        let foreign = Sentence::told("a / b / c");
        assert_eq!(foreign, Sentence::same("a / b / c"), "no middle");
    }
}
