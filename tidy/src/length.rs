//! A file that grew past its subject is two files.

use crate::{Finding, Source};

const REASON: &str = "a file is read in one sitting; split it by subject";
const MOST_LINES: usize = 500;
const EXTENSIONS: [&str; 8] = ["rs", "js", "mjs", "css", "html", "sql", "sh", "yaml"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let long = |source: &&Source| source.text.lines().count() > MOST_LINES;
    sources
        .iter()
        .filter(|source| source.has_extension(&EXTENSIONS) && !source.path.contains(".min."))
        .filter(long)
        .map(|source| Finding {
            file: source.path.clone(),
            line: MOST_LINES + 1,
            what: format!("{} lines, at most {MOST_LINES}", source.text.lines().count()),
            reason: REASON,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_after_the_last_allowed_one_is_named() {
        let lines = |n| "x\n".repeat(n);
        let tree = [
            Source::new("a.rs", &lines(500)),
            Source::new("b.rs", &lines(501)),
            Source::new("c.min.js", &lines(900)),
            Source::new("Cargo.lock", &lines(900)),
        ];
        let found = check(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].file.as_str(), found[0].line), ("b.rs", 501));
    }
}
