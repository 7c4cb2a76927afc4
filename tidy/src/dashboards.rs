//! Dashboards and alert rules speak of metrics that exist, and the manual of all of them.

use std::collections::BTreeSet;

use crate::{Finding, Source};

const GONE: &str = "a panel on a metric that nobody exports stays empty for ever";
const UNTOLD: &str = "whoever watches looks names up in docs/operations.md";
const MANUAL: &str = "docs/operations.md";
const MACROS: [&str; 4] = ["counter!(", "gauge!(", "histogram!(", "set("];
/// What a histogram is exported as.
const PARTS: [&str; 3] = ["_bucket", "_count", "_sum"];
const OWN: [&str; 5] = ["turno_", "coordinador_", "docproc_", "pedidos_", "sam_"];
/// How the house writes a name that it gives to each application's own.
const FOR_EACH: &str = "format!(\"{app}_";

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut exported = exported(sources);
    let manual = sources.iter().find(|source| source.path == MANUAL);
    let told: BTreeSet<&str> = manual.iter().flat_map(|source| names(&source.text)).collect();
    let each: Vec<&str> = sources.iter().flat_map(for_each).collect();
    let made = |name: &&&str| each.iter().any(|end| name.strip_suffix(end).is_some_and(is_own));
    exported.extend(told.iter().filter(made).map(|name| (*name).to_owned()));
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with("deploy/grafana/")) {
        for (line, text) in source.lines() {
            for name in names(text).filter(|name| !exported.contains(base(name, &exported))) {
                let what = format!("{name} is not exported");
                findings.push(Finding { file: source.path.clone(), line, what, reason: GONE });
            }
        }
    }
    for name in exported.iter().filter(|name| manual.is_some() && !told.contains(name.as_str())) {
        let what = format!("{name} is not explained");
        findings.push(Finding { file: MANUAL.to_owned(), line: 1, what, reason: UNTOLD });
    }
    findings
}

/// Names that the program gives to its metrics.
fn exported(sources: &[Source]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let ours = |source: &&Source| source.path.contains("/src/") && source.has_extension(&["rs"]);
    for source in sources.iter().filter(ours).filter(|source| !source.path.starts_with("tidy/")) {
        for word in MACROS {
            for (at, _) in source.text.match_indices(word) {
                let rest = source.text[at + word.len()..].trim_start();
                if let Some(name) = rest.strip_prefix('"').and_then(|rest| names(rest).next())
                    && rest[1..].starts_with(name)
                {
                    found.insert(name.to_owned());
                }
            }
        }
    }
    found
}

/// How the names end that the house gives to each application's own.
fn for_each(source: &Source) -> Vec<&str> {
    let ours = source.path.starts_with("crates/host/src/");
    let ends = source.text.split(FOR_EACH).skip(1).filter(|_| ours);
    ends.filter_map(|rest| rest.split('"').next()).collect()
}

fn is_own(prefix: &str) -> bool {
    OWN.contains(&prefix)
}

fn base<'a>(name: &'a str, exported: &BTreeSet<String>) -> &'a str {
    let plain = PARTS.iter().find_map(|part| name.strip_suffix(part));
    plain.filter(|_| !exported.contains(name)).unwrap_or(name)
}

/// Words that look like metrics of ours.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    text.split(part).filter(|word| OWN.iter().any(|own| word.starts_with(own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_nobody_exports_are_found() {
        let code = "metrics::histogram!(\"docproc_stage_seconds\", \"component\" => c)";
        let tree = |dashboard: &str, manual: &str| {
            let tree = [
                Source::new("apps/docproc/src/work.rs", code),
                Source::new("deploy/grafana/docproc.json", dashboard),
                Source::new(MANUAL, manual),
            ];
            check(&tree).len()
        };
        let good = "{\"expr\": \"rate(docproc_stage_seconds_bucket[5m])\"}";
        assert_eq!(tree(good, "`docproc_stage_seconds`"), 0);
        assert_eq!(tree("docproc_stage_second", "`docproc_stage_seconds`"), 1);
        assert_eq!(tree(good, "nothing"), 1);
    }
}
