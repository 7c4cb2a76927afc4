//! Which files of the Control Room are robots of ours.

use engine::Sentence;
use regex::{Regex, RegexBuilder};

/// Settings, read and known to be right.
#[derive(Debug, Clone)]
pub struct Filters {
    path: String,
    include: Option<Regex>,
    exclude: Option<Regex>,
}

/// Bounds what a pattern may cost to compile; matching is linear in any case.
const MOST_BYTES: usize = 1 << 20;

impl Filters {
    /// An empty text filters nothing. The error names the setting's problem in Spanish and English.
    pub fn read(path: &str, include: &str, exclude: &str) -> Result<Self, Sentence> {
        Ok(Self { path: path.to_owned(), include: pattern(include)?, exclude: pattern(exclude)? })
    }

    pub(super) fn take(&self, path: &str, name: &str) -> bool {
        path.contains(&self.path)
            && self.include.as_ref().is_none_or(|pattern| pattern.is_match(name))
            && !self.exclude.as_ref().is_some_and(|pattern| pattern.is_match(name))
    }
}

/// A regular expression as it is typed; none when it is empty. Asked before a setting is stored.
pub fn pattern(text: &str) -> Result<Option<Regex>, Sentence> {
    if text.is_empty() {
        return Ok(None);
    }
    let built = RegexBuilder::new(text).size_limit(MOST_BYTES).nest_limit(64).build();
    built.map(Some).map_err(|error| {
        // The last line says what; the others draw the pattern again with a mark below.
        let error = error.to_string();
        let what = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Sentence::new(
            format!("No es una expresión regular válida: {what}."),
            format!("Not a valid regular expression: {what}."),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_cannot_be_are_refused_with_their_problem() {
        let Sentence { es, en } = pattern("a(").unwrap_err();
        assert!(es.starts_with("No es una expresión regular válida: "), "{es}");
        assert!(en.ends_with("unclosed group."), "{en}");
        assert!(pattern("(a{1000}){1000}").is_err(), "too large");
        assert!(pattern(&"(".repeat(500)).is_err());
        assert!(pattern("").unwrap().is_none());
        assert!(Filters::read("RPA", "^P", "[").is_err());
    }
}
