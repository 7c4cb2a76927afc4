//! Types are named after things of the trade.

use crate::{Finding, Source};

const REASON: &str = "the word says nothing about what the thing is; name it after the trade";
const BANNED: [&str; 6] = ["Manager", "Service", "Helper", "Util", "Data", "Info"];
const KEYWORDS: [&str; 6] = ["struct", "enum", "trait", "type", "union", "class"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.has_extension(&["rs", "js", "mjs"])) {
        for (line, code) in source.code() {
            for name in defined(&code).filter(|name| is_banned(name)) {
                findings.push(Finding {
                    file: source.path.clone(),
                    line,
                    what: format!("type named `{name}`"),
                    reason: REASON,
                });
            }
        }
    }
    findings
}

/// Names that follow a defining keyword on this line.
fn defined(code: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = code.split(move |c| !is_part(c)).filter(|w| !w.is_empty()).collect();
    words
        .windows(2)
        .filter(|pair| KEYWORDS.contains(&pair[0]))
        .map(|pair| pair[1])
        .collect::<Vec<_>>()
        .into_iter()
}

fn is_banned(name: &str) -> bool {
    BANNED.iter().any(|word| {
        let stem = name.strip_suffix(word).or_else(|| name.strip_suffix(&format!("{word}s")));
        stem.is_some_and(|stem| !stem.ends_with(char::is_uppercase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        check(&[Source::new("a.rs", text)]).len()
    }

    #[test]
    fn empty_words_are_found() {
        for text in [
            "pub struct OrderManager;",
            "enum Info {}",
            "trait KitchenService {}",
            "type OrderData = ();",
        ] {
            assert_eq!(count(text), 1, "{text}");
        }
    }

    #[test]
    fn other_words_and_foreign_types_are_free() {
        for text in [
            "struct Order;",
            "struct Metadata;",
            "use tower::Service;",
            "// struct OrderManager",
            "let x: TaskInfo = y;",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
    }
}
