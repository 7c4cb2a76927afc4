//! What is in the tree is finished.

use crate::{Finding, Source, has_word};

const REASON: &str = "finish it, or write it in the issue tracker where somebody looks";

/// Written in halves, so that this file passes its own rule.
const MARKS: [[&str; 2]; 5] =
    [["TO", "DO"], ["FIX", "ME"], ["XX", "X"], ["HA", "CK"], ["#[ign", "ore"]];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| !source.path.contains(".min.")) {
        for (line, text) in source.lines() {
            for mark in MARKS.iter().map(|halves| halves.concat()) {
                if has_word(text, &mark) {
                    let what = format!("`{mark}`");
                    findings.push(Finding {
                        file: source.path.clone(),
                        line,
                        what,
                        reason: REASON,
                    });
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_and_like_words_are_not() {
        let mark = MARKS[0].concat();
        let found = check(&[Source::new("a.rs", &format!("fn a() {{}}\n// {mark}: later\n"))]);
        assert_eq!((found.len(), found[0].line), (1, 2));
        assert!(check(&[Source::new("a.rs", "// todo es posible; XXXL; hackney\n")]).is_empty());
    }
}
