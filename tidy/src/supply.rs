//! What comes from others is under a licence that may be handed on, from the one registry, and
//! exactly what the lock files say. `deny.toml` says what is allowed: cargo-deny reads it too, and also
//! asks for advisories, which need a network.

use std::path::Path;

use serde_json::Value as Json;

use crate::{Finding, Source};

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
const LICENCE: &str = "the binary is handed to customers: permissive licences only, see deny.toml";
const ORIGIN: &str = "crates come from the registry or from this tree";
const BANNED: &str = "deny.toml says why";
const EXACT: &str = "what is installed is what was tested, and nothing else";
/// Crates of which two versions are built. It may go down by itself; up only with a reason.
const MOST_DOUBLED: usize = 34;

/// Checks what Cargo resolved for a platform against `deny.toml`.
pub fn crates(metadata: &Json, deny: &str) -> Vec<Finding> {
    let allowed = list(deny, "allow = [");
    let banned = list(deny, "deny = [");
    let packages: Vec<&Json> = metadata["packages"].as_array().into_iter().flatten().collect();
    let mut findings = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap_or_default();
        let mut note = |what: String, reason| {
            findings.push(Finding { file: "Cargo.lock".to_owned(), line: 0, what, reason });
        };
        if banned.iter().any(|one| one == name) {
            note(format!("{name} is banned"), BANNED);
        }
        let Some(source) = package["source"].as_str() else { continue };
        if source != REGISTRY {
            note(format!("{name} comes from {source}"), ORIGIN);
        }
        let licence = package["license"].as_str().unwrap_or("unknown");
        if !permitted(licence, &allowed) {
            note(format!("{name} is under {licence}"), LICENCE);
        }
    }
    let doubled = doubled(&packages);
    if doubled.len() > MOST_DOUBLED {
        let what = format!("{} crates in two versions: {}", doubled.len(), doubled.join(", "));
        let reason = "each costs build time and size; raise MOST_DOUBLED with a reason";
        findings.push(Finding { file: "Cargo.lock".to_owned(), line: 0, what, reason });
    }
    findings
}

/// Checks that Node and Python packages are pinned by their contents.
pub fn others(tree: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut note = |source: &Source, line: usize, what: String| {
        findings.push(Finding { file: source.path.clone(), line, what, reason: EXACT });
    };
    for source in tree {
        if source.path.ends_with("package-lock.json") {
            let lock: Json = serde_json::from_str(&source.text).unwrap_or_default();
            for (name, package) in lock["packages"].as_object().into_iter().flatten() {
                if !name.is_empty() && !package["integrity"].is_string() {
                    note(source, 0, format!("{name} has no integrity"));
                }
            }
        } else if is_for_pip(&source.path) {
            for (line, wanted) in wanted(&source.text) {
                let name = wanted.split_whitespace().next().unwrap_or_default();
                if !name.contains("==") {
                    note(source, line, format!("{name} has no version"));
                } else if !wanted.contains("--hash=sha256:") {
                    note(source, line, format!("{name} has no hash"));
                }
            }
        }
    }
    findings
}

/// Checks that images of others are named by a version or a digest; a registry that nobody reaches from
/// here cannot be asked for digests, so that whoever releases gives them.
pub fn images(tree: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.iter().filter(|source| has_images(&source.path)) {
        for (line, text) in source.lines() {
            let Some(image) = image_of(text) else { continue };
            if !is_pinned(image) {
                let (file, what) =
                    (source.path.clone(), format!("{image} is whatever it is today"));
                findings.push(Finding { file, line, what, reason: EXACT });
            }
        }
    }
    findings
}

fn has_images(path: &str) -> bool {
    path.ends_with("Dockerfile")
        || path.ends_with("compose.yaml")
        || path.starts_with("deploy/k8s/")
}

/// The image that a line names, its default if it may be another; none for what a line before named and
/// for our own, whose version is the overlay's.
fn image_of(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches("- ");
    let named = line.strip_prefix("image:").or_else(|| line.strip_prefix("FROM "));
    let given = || line.strip_prefix("ARG ").and_then(|arg| arg.split_once('=')).map(|(_, it)| it);
    let image = named.or_else(given)?.split_whitespace().next()?.trim_matches(['"', '\'']);
    let image = image.split_once(":-").map_or(image, |(_, default)| default).trim_end_matches('}');
    let name = image.split([':', '@']).next().unwrap_or_default();
    (!image.starts_with('$') && name != "turno").then_some(image)
}

fn is_pinned(image: &str) -> bool {
    if let Some((_, digest)) = image.split_once("@sha256:") {
        return digest.len() == 64 && digest.bytes().all(|one| one.is_ascii_hexdigit());
    }
    // What stands before the last slash may be a host with a port.
    let name = image.rsplit('/').next().unwrap_or(image);
    name.split_once(':').is_some_and(|(_, tag)| !tag.is_empty() && tag != "latest")
}

fn is_for_pip(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with("requirements") && Path::new(name).extension().is_some_and(|end| end == "txt")
}

/// What a file asks pip for, each with the line it begins on and without the breaks in it. Options
/// are among it and have no version: an address or another file says nothing that was tested.
fn wanted(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        let part = line.trim_end_matches('\\');
        if goes_on && let Some((_, whole)) = found.last_mut() {
            whole.push_str(part);
        } else if !part.is_empty() && !part.starts_with('#') {
            found.push((n + 1, part.to_owned()));
        }
        goes_on = line.ends_with('\\') && !part.is_empty() && !part.starts_with('#');
    }
    found
}

/// The quoted words of a list of `deny.toml`, the first of each line.
fn list(deny: &str, head: &str) -> Vec<String> {
    let lines = deny.lines().skip_while(|line| !line.starts_with(head)).skip(1);
    let lines = lines.take_while(|line| !line.starts_with(']'));
    lines.filter_map(|line| Some(line.split('"').nth(1)?.to_owned())).collect()
}

fn doubled(packages: &[&Json]) -> Vec<String> {
    let mut names: Vec<&str> = packages.iter().filter_map(|one| one["name"].as_str()).collect();
    names.sort_unstable();
    let mut doubled: Vec<String> =
        names.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0].to_owned()).collect();
    doubled.dedup();
    doubled
}

/// Whether one of the choices of an SPDX expression asks for nothing that is not allowed.
fn permitted(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (value, rest) = either(&words, allowed);
    value && rest.is_empty()
}

fn either<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let (mut value, mut rest) = both(words, allowed);
    while let Some((&"OR", after)) = rest.split_first() {
        let (other, after) = both(after, allowed);
        (value, rest) = (value || other, after);
    }
    (value, rest)
}

fn both<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let (mut value, mut rest) = one(words, allowed);
    while let Some((&"AND", after)) = rest.split_first() {
        let (other, after) = one(after, allowed);
        (value, rest) = (value && other, after);
    }
    (value, rest)
}

fn one<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    match words {
        ["(", inside @ ..] => {
            let (value, rest) = either(inside, allowed);
            match rest.split_first() {
                Some((&")", rest)) => (value, rest),
                _ => (false, rest),
            }
        }
        [name, "WITH", exception, rest @ ..] => {
            let whole = format!("{name} WITH {exception}");
            (allowed.contains(&whole), rest)
        }
        [name, rest @ ..] => (allowed.iter().any(|one| one == name), rest),
        [] => (false, words),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DENY: &str = "allow = [\n    \"MIT\",\n    \"Zlib\",\n    \"A WITH B\",\n]\n\
                        deny = [\n    { crate = \"bad\", reason = \"x\" },\n]\n";

    #[test]
    fn a_licence_is_permitted_if_one_choice_is() {
        let allowed = list(DENY, "allow = [");
        for good in ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(GPL OR MIT) AND Zlib", "A WITH B"]
        {
            assert!(permitted(good, &allowed), "{good}");
        }
        for bad in
            ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL", "A", "", "(MIT", "unknown"]
        {
            assert!(!permitted(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn what_is_foreign_banned_or_unlicensed_is_found() {
        let package = |name: &str, source: Option<&str>, licence: Option<&str>| json!({ "name": name, "source": source, "license": licence });
        let metadata = json!({ "packages": [
            package("ours", None, None),
            package("fine", Some(REGISTRY), Some("MIT")),
            package("bad", Some(REGISTRY), Some("MIT")),
            package("git", Some("git+https://example.org/x"), Some("MIT")),
            package("gpl", Some(REGISTRY), Some("GPL-3.0")),
            package("none", Some(REGISTRY), None),
        ] });
        let found: Vec<_> = crates(&metadata, DENY).into_iter().map(|one| one.what).collect();
        let expected = [
            "bad is banned",
            "git comes from git+https://example.org/x",
            "gpl is under GPL-3.0",
            "none is under unknown",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn packages_of_others_are_pinned() {
        let source = |path: &str, text: &str| Source::new(path, text);
        let lock = r#"{ "packages": { "": {}, "a": { "integrity": "sha512-x" }, "b": {} } }"#;
        let tree = [
            source("e2e/package-lock.json", lock),
            source("requirements.txt", "# x\na==1 \\\n    --hash=sha256:0\nb>=2\nc==3\n"),
            source("x/requirements-y.txt", "d==4 \\\n    --hash=md5:0\n--index-url x\n"),
            source("docs/requirements/README.md", "e>=5\n"),
        ];
        let found: Vec<_> = others(&tree).into_iter().map(|one| (one.line, one.what)).collect();
        let expected = [
            (0, "b has no integrity"),
            (4, "b>=2 has no version"),
            (5, "c==3 has no hash"),
            (1, "d==4 has no hash"),
            (3, "--index-url has no version"),
        ];
        assert_eq!(found, expected.map(|(line, what)| (line, what.to_owned())));
    }

    #[test]
    fn images_of_others_have_a_version() {
        let source = |path: &str, text: &str| Source::new(path, text);
        let digest = format!("FROM debian@sha256:{}\n", "0".repeat(64));
        let tree = [
            source("deploy/Dockerfile", "ARG BASE=debian\nFROM rust:latest AS x\nFROM ${BASE}\n"),
            source("x/Dockerfile", &digest),
            source("y/Dockerfile", "FROM debian@sha256:0\nFROM host:5000/debian\n"),
            source("compose.yaml", "image: ${A:-postgres:17}\nimage: ${B:-redis}\n"),
            source("deploy/k8s/base/a.yaml", "  - image: turno\n    image: rabbitmq:4\n"),
            source("docs/x.yaml", "image: redis\n"),
        ];
        let found: Vec<_> = images(&tree).into_iter().map(|one| one.what).collect();
        let wrong = ["debian", "rust:latest", "debian@sha256:0", "host:5000/debian", "redis"];
        assert_eq!(found, wrong.map(|image| format!("{image} is whatever it is today")));
    }
}
