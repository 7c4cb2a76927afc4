//! What the customers asked for is written down, and every line of it says which test shows it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Finding, Source};

const UNSHOWN: &str = "what no test shows is a hope; name the test, or say `not shown yet`";
const UNLABELLED: &str = "sources cite requirements by their labels, and each has one meaning";
const UNWRITTEN: &str = "whoever works on an application reads first what it has to do";

const ROOM: &str = "docs/requirements/";
const SHOWN_BY: &str = "— shown by ";
const NOT_YET: &str = "— not shown yet";

/// The labels of each application.
pub type Labels<'a> = BTreeMap<&'a str, BTreeSet<String>>;

/// Each page `docs/requirements/<application>.md` has lines `- **label** … — shown by` with names
/// of tests, titles of journeys, text scenarios or measurements, in backticks.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let tests = tests(sources);
    let mut findings = missing(sources);
    for (_, page) in pages(sources) {
        let mut seen = BTreeSet::new();
        for (line, label) in headings(page).chain(labelled(page)) {
            let what = match label {
                None => "a requirement without a label".to_owned(),
                Some(label) if seen.insert(label.clone()) => continue,
                Some(label) => format!("{label} stands here a second time"),
            };
            findings.push(Finding { file: page.path.clone(), line, what, reason: UNLABELLED });
        }
        for (line, text) in requirements(page) {
            for what in unshown(&text, &tests) {
                findings.push(Finding { file: page.path.clone(), line, what, reason: UNSHOWN });
            }
        }
    }
    findings
}

/// What may be cited, by application. Who cites `§4.2.2` means `§4.2.2a` and `§4.2.2b`, if that is
/// how it is told.
pub fn labels(sources: &[Source]) -> Labels<'_> {
    let mut found = Labels::new();
    for (app, page) in pages(sources) {
        let labels = found.entry(app).or_default();
        for label in headings(page).chain(labelled(page)).filter_map(|(_, label)| label) {
            labels.insert(label.trim_end_matches(|c: char| c.is_ascii_lowercase()).to_owned());
            labels.insert(label);
        }
    }
    found
}

/// The label that a text begins with: `§4.2.2` of the customer's words, `R-7` for a rule, `S-12`
/// for a scenario, `F-3.1` for facts.
pub fn label(text: &str) -> Option<&str> {
    let number = ["§", "R-", "S-", "F-"].iter().find_map(|family| text.strip_prefix(family))?;
    let family = &text[..text.len() - number.len()];
    let starts = |c: char| c.is_ascii_digit() || (family == "F-" && c.is_ascii_uppercase());
    number.starts_with(starts).then_some(())?;
    let end = number.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let (number, rest) = number.split_at(end.unwrap_or(number.len()));
    let number = number.trim_end_matches('.');
    // `F-2026-0001` is an invoice.
    let goes_on =
        rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    (!goes_on).then_some(())?;
    Some(&text[..family.len() + number.len()])
}

fn pages(sources: &[Source]) -> impl Iterator<Item = (&str, &Source)> {
    let named = |source| page_name(source).map(|name| (name, source));
    sources.iter().filter_map(named).filter(|(name, _)| *name != "README")
}

fn page_name(source: &Source) -> Option<&str> {
    source.path.strip_prefix(ROOM)?.strip_suffix(".md")
}

fn missing(sources: &[Source]) -> Vec<Finding> {
    let written: BTreeSet<&str> = pages(sources).map(|(app, _)| app).collect();
    let app = |source: &'_ Source| {
        let name = source.path.strip_prefix("apps/")?.strip_suffix("/Cargo.toml")?;
        (!name.contains('/') && !written.contains(name)).then(|| name.to_owned())
    };
    let absent = |name: String| Finding {
        file: format!("{ROOM}{name}.md"),
        line: 1,
        what: "missing".to_owned(),
        reason: UNWRITTEN,
    };
    sources.iter().filter_map(app).map(absent).collect()
}

fn headings(page: &Source) -> impl Iterator<Item = (usize, Option<String>)> {
    let of = |text: &str| {
        let title = text.strip_prefix('#')?.trim_start_matches(['#', ' ']);
        label(title).map(str::to_owned)
    };
    page.lines().filter_map(move |(line, text)| Some((line, Some(of(text)?))))
}

fn labelled(page: &Source) -> impl Iterator<Item = (usize, Option<String>)> {
    let of = |text: &str| {
        let (inside, _) = text.strip_prefix("- **")?.split_once("**")?;
        label(inside).filter(|label| *label == inside).map(str::to_owned)
    };
    page.lines().filter(|(_, text)| text.starts_with("- **")).map(move |(at, text)| (at, of(text)))
}

/// Requirements with the lines they are continued on.
fn requirements(page: &Source) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (line, text) in page.lines() {
        if text.starts_with("- **") {
            found.push((line, text.to_owned()));
            open = true;
        } else if open && text.starts_with("  ") {
            let (_, whole) = found.last_mut().expect("opened by a requirement");
            whole.push(' ');
            whole.push_str(text.trim());
        } else {
            open = false;
        }
    }
    found
}

/// What is wrong with the end of a requirement.
fn unshown(text: &str, tests: &BTreeSet<String>) -> Vec<String> {
    if text.ends_with(NOT_YET) {
        return Vec::new();
    }
    let shown = text.rsplit_once(SHOWN_BY).map(|(_, names)| names).unwrap_or_default();
    let names: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
    if names.is_empty() {
        return vec!["nothing shows it".to_owned()];
    }
    let strange = names.into_iter().filter(|name| !tests.contains(*name));
    strange.map(|name| format!("`{name}` is no test")).collect()
}

fn tests(sources: &[Source]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in sources {
        names.extend(named_tests(source).into_iter().map(|(_, name)| name));
        if source.path.starts_with("e2e/") {
            names.extend(journeys(&source.text));
        } else if source.path.starts_with("bench/src/") {
            names.extend(measurements(source));
        }
    }
    names.remove("");
    names
}

/// Functions and text scenarios that test, with their lines. Below `tests/` a case may be a plain
/// function that a macro runs once per database. In Python a test says so in its name.
pub fn named_tests(source: &Source) -> Vec<(usize, String)> {
    if let Some((_, name)) = source.path.split_once("/tests/scenarios/") {
        return name.strip_suffix(".txt").map(|name| (1, name.to_owned())).into_iter().collect();
    }
    if source.has_extension(&["py"]) {
        let test = |(line, text): (usize, &str)| {
            let name = text.strip_prefix("def ")?.split_once('(')?.0;
            name.starts_with("test_").then(|| (line, name.to_owned()))
        };
        return source.lines().filter_map(test).collect();
    }
    if !source.has_extension(&["rs"]) {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut marked = false;
    for (line, text) in source.lines() {
        let text = text.trim();
        if text.starts_with("#[test]") || text.starts_with("#[tokio::test") {
            marked = true;
        } else if let Some(name) = function(text) {
            if marked || source.path.contains("/tests/") {
                names.push((line, name.to_owned()));
            }
            marked = false;
        } else if !text.is_empty() && !text.starts_with("#[") && !text.starts_with("//") {
            marked = false;
        }
    }
    names
}

fn function(text: &str) -> Option<&str> {
    let (before, name) = text.split_once("fn ")?;
    let modifier = |word: &str| word == "async" || word == "const" || word.starts_with("pub");
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end > 0 && before.split_whitespace().all(modifier)).then_some(&name[..end])
}

/// Titles of journeys in the browser, up to what is filled in.
fn journeys(text: &str) -> Vec<String> {
    let mut titles = Vec::new();
    for call in ["journey(", "test("] {
        for (at, _) in text.match_indices(call) {
            let rest = text[at + call.len()..].trim_start();
            let Some(quote) = rest.chars().next().filter(|c| "\"`'".contains(*c)) else {
                continue;
            };
            let title = rest[1..].split(quote).next().unwrap_or_default();
            titles.push(up_to(title, "${"));
        }
    }
    titles
}

/// What benchmarks call their figures, up to what is filled in.
fn measurements(source: &Source) -> Vec<String> {
    let lines = source.literals();
    let texts = lines.iter().flat_map(|(_, text)| text.split("  "));
    texts.filter(|text| !text.trim().is_empty()).map(|text| up_to(text.trim(), "{")).collect()
}

fn up_to(text: &str, hole: &str) -> String {
    let whole = text.split(hole).next().unwrap_or_default();
    whole.trim_end_matches([' ', ',']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lines: &str) -> Source {
        Source::new("docs/requirements/pedidos.md", lines)
    }

    fn told(lines: &str) -> Vec<String> {
        let tree = [
            page(lines),
            Source::new("apps/pedidos/Cargo.toml", ""),
            Source::new("apps/pedidos/src/a.rs", "#[test]\n/// Why.\nfn it_holds() {}\nfn no() {}"),
            Source::new("apps/pedidos/tests/races.rs", "pub(super) async fn a_race(x: &X) {}"),
            Source::new("apps/pedidos/tests/scenarios/s01_first.txt", "# S-1."),
            Source::new("e2e/a.test.mjs", "journey(\n  `every page, ${lang}`,\n);"),
            Source::new("bench/src/a.rs", "report.line(format!(\"entry, {place}\"), \"ms\")"),
            Source::new("deploy/tests/test_a.py", "def test_it_fits():\n    pass\ndef no_test():"),
        ];
        check(&tree).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn tests_of_every_kind_are_known() {
        for name in ["it_holds", "a_race", "s01_first", "every page", "entry", "test_it_fits"] {
            assert!(told(&format!("- **R-1** x — shown by `{name}`\n")).is_empty(), "{name}");
        }
        assert_eq!(told("- **R-1** x — shown by `it_holds`, `no`\n"), ["`no` is no test"]);
    }

    #[test]
    fn a_requirement_may_go_on_and_says_how_it_is_shown() {
        assert!(told("- **§4.2** `x`\n  y — shown\n  by `it_holds`\n").is_empty());
        assert!(told("- **S-1a** x — not shown yet\n").is_empty());
        assert_eq!(told("- **R-1** x\n\n  — shown by `it_holds`\n"), ["nothing shows it"]);
        assert_eq!(told("- **R-1** `it_holds`\n"), ["nothing shows it"]);
    }

    #[test]
    fn labels_are_there_and_mean_one_thing() {
        assert_eq!(told("# §4\n## R-1 x\n- **§4** x — not shown yet\n").len(), 1);
        assert_eq!(told("- **Speed** x — not shown yet\n"), ["a requirement without a label"]);
        let tree = [page("# Pedidos\n## §4.3 x\n### F-A7, x\n- **S-1b** x — not shown yet\n")];
        let labels: Vec<String> = labels(&tree).remove("pedidos").into_iter().flatten().collect();
        assert_eq!(labels, ["F-A7", "S-1", "S-1b", "§4.3"]);
    }

    #[test]
    fn labels_end_where_the_sentence_goes_on() {
        assert_eq!(label("§4.2.2. And"), Some("§4.2.2"));
        assert_eq!(label("§4.2.2b)"), Some("§4.2.2b"));
        let none = ["S-shaped", "§ 4", "R-A7", "x", "F-2026-01"].map(label);
        assert_eq!(none, [None; 5]);
    }

    #[test]
    fn an_application_without_a_page_is_found() {
        let tree = [Source::new("apps/sam/Cargo.toml", "")];
        assert_eq!(check(&tree)[0].file, "docs/requirements/sam.md");
    }
}
