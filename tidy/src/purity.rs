//! Planners decide, they do not act: engine and rules touch nothing outside their arguments.

use crate::{Finding, Source, has_word};

const REASON: &str =
    "rules are pure functions of a snapshot and a time; effects are rows they return";

const FORBIDDEN: [&str; 11] = [
    "async",
    ".await",
    "sqlx",
    "tokio",
    "axum",
    "std::fs",
    "std::env",
    "std::net",
    "now(",
    "rand",
    "SystemTime",
];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| is_pure(source)) {
        for (line, code) in source.code() {
            for word in FORBIDDEN.iter().filter(|word| has_word(&code, word)) {
                findings.push(Finding {
                    file: source.path.clone(),
                    line,
                    what: format!("`{word}` in a pure module"),
                    reason: REASON,
                });
            }
        }
    }
    findings
}

fn is_pure(source: &Source) -> bool {
    let path = &source.path;
    let rust = source.has_extension(&["rs"]);
    let test = path.contains("/tests.") || path.contains("/tests/");
    let engine = path.starts_with("crates/engine/src/");
    let rules = path.starts_with("apps/") && path.contains("/rules/src/");
    rust && !test && (engine || rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&[Source::new(path, text)]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rule_that_reads_the_clock_is_found() {
        let text = "fn plan() {\n    let t = Timestamp::now();\n}\n";
        let found = findings("apps/pedidos/rules/src/rules/intake.rs", text);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("apps/pedidos/rules/src/rules/intake.rs:2: `now(`"),
            "{found:?}"
        );
        assert_eq!(findings("crates/engine/src/plan.rs", "async fn a() { b().await }").len(), 2);
    }

    #[test]
    fn words_in_comments_texts_and_tests_are_free() {
        let text = "/// Never async, never rand.\nfn plan(now: Timestamp) -> &str { \"tokio\" }\n\
                    #[cfg(test)]\nmod tests {\n    use rand::random;\n}\n";
        assert_eq!(findings("crates/engine/src/plan.rs", text), [""; 0]);
        assert_eq!(findings("apps/pedidos/src/store.rs", "async fn a() {}"), [""; 0]);
    }
}
