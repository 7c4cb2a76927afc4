//! The program works without the Internet, and no file remembers where packages came from.

use crate::{Finding, Source};

const LOADS: &str =
    "pages load nothing from other hosts: the program works offline and leaks nothing";
const HOSTS: &str = "package sources belong to the machine that builds, not to the tree";

/// Written in halves, so that this file passes its own rule.
const REGISTRIES: [[&str; 2]; 8] = [
    ["registry.", "npmjs.org"],
    ["registry.", "yarnpkg.com"],
    ["static.", "crates.io"],
    ["index.", "crates.io"],
    ["files.", "pythonhosted.org"],
    ["pypi.", "org"],
    ["cdn.", "jsdelivr.net"],
    ["unpkg", ".com"],
];

/// Names of document types, and the addresses that mean this machine or nobody.
const NOT_LOADED: [&str; 5] =
    ["http://www.w3.org/", "http://127.0.0.1", "http://localhost", "https://example.", "http://["];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path != "Cargo.lock") {
        for (line, text) in source.lines() {
            let mut note = |what: String, reason| {
                findings.push(Finding { file: source.path.clone(), line, what, reason });
            };
            for [one, two] in REGISTRIES.iter().filter(|[one, two]| names_host(text, one, two)) {
                note(format!("names the host {one}{two}"), HOSTS);
            }
            if is_asset(source) && loads_from_elsewhere(text) {
                note("address of another host".to_owned(), LOADS);
            }
        }
    }
    findings
}

fn names_host(text: &str, one: &str, two: &str) -> bool {
    text.match_indices(one).any(|(at, _)| text[at + one.len()..].starts_with(two))
}

fn is_asset(source: &Source) -> bool {
    let path = &source.path;
    let served = path.contains("/assets/") || path.contains("/templates/");
    served && !path.contains(".min.") && !source.has_extension(&["md"]) && !path.contains("LICENSE")
}

fn loads_from_elsewhere(text: &str) -> bool {
    let address = |scheme: &str| {
        text.match_indices(scheme).any(|(at, _)| {
            let rest = &text[at..];
            !NOT_LOADED.iter().any(|start| rest.starts_with(start))
        })
    };
    address("http://") || address("https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&[Source::new(path, text)]).len()
    }

    #[test]
    fn other_hosts_and_registries_are_found() {
        let far = "<script src=\"https://far.example.net/a.js\"></script>";
        assert_eq!(count("crates/web/templates/a.html", far), 1);
        let resolved =
            format!("\"resolved\": \"https://{}{}/x\"", REGISTRIES[0][0], REGISTRIES[0][1]);
        assert_eq!(count("e2e/package-lock.json", &resolved), 1);
    }

    #[test]
    fn names_of_document_types_and_own_paths_are_free() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><use href=\"/assets/a.svg\"/></svg>";
        assert_eq!(count("crates/web/assets/a.svg", svg), 0);
        assert_eq!(count("README.md", "see https://far.example.net/"), 0);
    }
}
