//! The dictionary lists words that are in use.

use std::collections::BTreeSet;

use crate::{Finding, Source};

const REASON: &str = "a dictionary of words nobody uses misleads; rename the entry with the type";
pub const PATH: &str = "docs/GLOSSARY.md";

/// Rows are `| Spanish | Identifier | application |`; each identifier in backticks must exist.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(glossary) = sources.iter().find(|source| source.path == PATH) else {
        let what = "missing".to_owned();
        return vec![Finding { file: PATH.to_owned(), line: 1, what, reason: REASON }];
    };
    let used: BTreeSet<String> = sources
        .iter()
        .filter(|source| source.has_extension(&["rs"]) && !source.path.starts_with("tidy/"))
        .flat_map(Source::code)
        .flat_map(|(_, code)| words(&code))
        .collect();
    let rows = glossary.lines().filter(|(_, text)| text.starts_with('|'));
    rows.flat_map(|(line, text)| identifiers(text).into_iter().map(move |name| (line, name)))
        .filter(|(_, name)| words(name).iter().any(|word| !used.contains(word)))
        .map(|(line, name)| Finding {
            file: PATH.to_owned(),
            line,
            what: format!("`{name}` is not in the sources"),
            reason: REASON,
        })
        .collect()
}

fn identifiers(row: &str) -> Vec<String> {
    let column = row.split('|').nth(2).unwrap_or_default();
    column.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    split.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glossary(row: &str) -> Source {
        Source::new(PATH, &format!("| palabra | identifier | app |\n|---|---|---|\n{row}\n"))
    }

    #[test]
    fn a_word_without_a_type_is_found() {
        let code = Source::new("a.rs", "// Comanda KitchenTicket\npub struct Order;");
        let found = check(&[glossary("| Comanda | `KitchenTicket` | pedidos |"), code]);
        assert_eq!((found.len(), found[0].line), (1, 3));
        assert_eq!(check(&[]).len(), 1, "a missing glossary is a finding too");
    }

    #[test]
    fn a_word_in_use_is_fine() {
        let code = Source::new("a.rs", "pub enum Due { AsSoonAsPossible }");
        let row = "| cuanto antes | `Due::AsSoonAsPossible` | pedidos | `NULL` |";
        assert!(check(&[glossary(row), code]).is_empty());
    }
}
