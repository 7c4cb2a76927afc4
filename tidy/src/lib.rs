//! The house rules that a compiler does not check, as functions from sources to findings.
//!
//! Each rule is one file with its reason and its samples; `tests/tidy.rs` applies them to the tree.

pub mod absences;
pub mod assets;
pub mod citations;
pub mod dashboards;
pub mod dependencies;
pub mod glossary;
pub mod leftovers;
pub mod length;
pub mod lexer;
pub mod migrations;
pub mod names;
pub mod purity;
pub mod requirements;
pub mod sources;
pub mod spanish;
pub mod sql;
pub mod supply;

use std::fmt;

pub use sources::Source;

/// A line that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub file: String,
    pub line: usize,
    /// What is wrong here.
    pub what: String,
    /// Why the house does not do it.
    pub reason: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} ({})", self.file, self.line, self.what, self.reason)
    }
}

/// Finds `word` in a line where it stands alone, not inside a longer identifier.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let closed = word.ends_with(|c: char| !c.is_alphanumeric() && c != '_');
        let open = word.starts_with(|c: char| !c.is_alphanumeric() && c != '_');
        (open || !inside(before)) && (closed || !inside(after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_alone() {
        assert!(has_word("use rand::Rng;", "rand"));
        assert!(!has_word("let brand = 1;", "rand"));
        assert!(has_word("Timestamp::now()", "now("));
        assert!(!has_word("is_now(x)", "now("));
        assert!(has_word("x.await?", ".await"));
    }
}
