//! Time is an argument of a statement, never a function the database calls.

use crate::{Finding, Source, has_word};

const REASON: &str = "the clock is ours and can be frozen; bind the time as a parameter";
const CLOCKS: [&str; 9] = [
    "now()",
    "current_timestamp",
    "current_time",
    "current_date",
    "localtimestamp",
    "clock_timestamp",
    "statement_timestamp",
    "datetime('now",
    "unixepoch(",
];
const VERBS: [&str; 6] = ["select", "insert", "update", "delete", "default", "where"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let lines = if source.has_extension(&["sql"]) {
            source.lines().map(|(line, text)| (line, without_comment(text))).collect()
        } else if source.has_extension(&["rs"]) && !source.path.starts_with("tidy/") {
            statements(source)
        } else {
            continue;
        };
        for (line, text) in lines {
            let text = text.to_lowercase();
            for clock in CLOCKS.iter().filter(|clock| has_word(&text, clock)) {
                findings.push(Finding {
                    file: source.path.clone(),
                    line,
                    what: format!("`{clock}` in SQL"),
                    reason: REASON,
                });
            }
        }
    }
    findings
}

/// String literals of a file that holds SQL at all; a sentence about `now()` is no statement.
fn statements(source: &Source) -> Vec<(usize, String)> {
    let literals = source.literals();
    let is_sql = |text: &str| VERBS.iter().any(|verb| has_word(&text.to_lowercase(), verb));
    if literals.iter().any(|(_, text)| is_sql(text)) { literals } else { Vec::new() }
}

fn without_comment(line: &str) -> String {
    line.split("--").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&[Source::new(path, text)]).len()
    }

    #[test]
    fn clocks_of_the_database_are_found() {
        for (path, text) in [
            ("a.sql", "CREATE TABLE t (at timestamptz DEFAULT now());"),
            ("a.sql", "UPDATE t SET at = CURRENT_TIMESTAMP;"),
            ("a.rs", "query(\"SELECT * FROM t\n WHERE at < now()\");"),
            ("a.rs", "query(\"INSERT INTO t VALUES (datetime('now'))\");"),
        ] {
            assert_eq!(count(path, text), 1, "{text}");
        }
    }

    #[test]
    fn parameters_comments_and_our_own_clock_are_free() {
        for (path, text) in [
            ("a.sql", "-- never now()\nSELECT 1;"),
            ("a.rs", "let at = clock.now(); query(\"UPDATE t SET at = $1\")"),
            ("a.rs", "panic!(\"do not call now()\")"),
        ] {
            assert_eq!(count(path, text), 0, "{text}");
        }
    }
}
