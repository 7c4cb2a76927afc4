//! What a comment or a test cites is a line of `docs/requirements/`.
//!
//! `§4.2.2` is a section of what the customer wrote (the *seed*), `R-7` a rule, `S-12` a scenario,
//! `F-3.1` facts: see `docs/requirements/README.md`.

use std::collections::BTreeSet;

use crate::requirements::{self, Labels, label};
use crate::{Finding, Source};

const REASON: &str = "nobody needs a document that is not here; cite docs/requirements";

/// Besides Rust, of which only comments and names of tests are read.
const TEXTS: [&str; 10] = ["css", "html", "js", "md", "mjs", "sql", "toml", "txt", "yaml", "yml"];

/// Crates that serve one application.
const SERVING: [(&str, &str); 7] = [
    ("crates/controlroom/", "sam"),
    ("crates/ocr/", "docproc"),
    ("crates/page/", "docproc"),
    ("crates/paper/", "docproc"),
    ("crates/samples/", "docproc"),
    ("crates/snmp/", "coordinador"),
    ("crates/understand/", "docproc"),
];

/// What a text refers to.
#[derive(Debug, PartialEq, Eq)]
enum Cited {
    Label(String),
    /// A paper that is not in the repository.
    Paper(&'static str),
}

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let labels = requirements::labels(sources);
    let ours = |source: &&Source| !source.path.starts_with("tidy/") && has_page(source, &labels);
    let mut findings = Vec::new();
    for source in sources.iter().filter(ours) {
        for (line, text) in read(source) {
            // Elsewhere than in prose a spec is what a program calls one.
            let prose = source.has_extension(&["md", "rs"]);
            let meant = |one: &Cited| prose || *one != Cited::Paper("spec");
            for cited in cited(&text).into_iter().filter(meant) {
                let what = match cited {
                    Cited::Paper(name) => format!("the {name} is not in the repository"),
                    Cited::Label(label) if resolves(&label, source, &text, &labels) => continue,
                    Cited::Label(label) => format!("{label} leads nowhere"),
                };
                findings.push(Finding { file: source.path.clone(), line, what, reason: REASON });
            }
        }
        for (line, name) in requirements::named_tests(source) {
            for label in named(&name) {
                if !resolves(&label, source, "", &labels) {
                    let what = format!("{label} of `{name}` leads nowhere");
                    let file = source.path.clone();
                    findings.push(Finding { file, line, what, reason: REASON });
                }
            }
        }
    }
    findings
}

/// That an application has no page is one finding, of another rule.
fn has_page(source: &Source, labels: &Labels) -> bool {
    home(&source.path).is_none_or(|home| labels.contains_key(home))
}

/// The application that a path belongs to.
fn home(path: &str) -> Option<&str> {
    let serving = SERVING.iter().find(|(crates, _)| path.starts_with(crates)).map(|(_, app)| *app);
    let app = || path.strip_prefix("apps/")?.split('/').next();
    let page = || path.strip_prefix("docs/requirements/")?.strip_suffix(".md");
    serving.or_else(app).or_else(page).filter(|name| *name != "README")
}

fn resolves(label: &str, source: &Source, text: &str, labels: &Labels) -> bool {
    let has = |app: &str| labels.get(app).is_some_and(|labels| labels.contains(label));
    if let Some(home) = home(&source.path) {
        return has(home);
    }
    let text = format!("{} {text}", source.path.replace('_', " ")).to_lowercase();
    let named: Vec<&&str> = labels.keys().filter(|app| crate::has_word(&text, app)).collect();
    if named.is_empty() { labels.keys().any(|app| has(app)) } else { named.iter().any(|a| has(a)) }
}

/// The lines in which something may be cited.
fn read(source: &Source) -> Vec<(usize, String)> {
    if source.has_extension(&["rs"]) {
        source.comments()
    } else if source.has_extension(&TEXTS) && !source.path.contains(".min.") {
        source.lines().map(|(line, text)| (line, text.to_owned())).collect()
    } else {
        Vec::new()
    }
}

fn cited(text: &str) -> Vec<Cited> {
    let mut found = Vec::new();
    // After "rules" or "scenarios" numbers follow.
    let mut family = None;
    let between = |c: char| c.is_whitespace() || "/–—".contains(c);
    for word in text.split(between).filter(|word| !word.is_empty()) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '§');
        let plain = bare.strip_suffix("'s").unwrap_or(bare).to_lowercase();
        match (plain.as_str(), family, label(bare)) {
            ("rule" | "rules", ..) => family = Some('R'),
            ("scenario" | "scenarios", ..) => family = Some('S'),
            ("and" | "or" | "to" | "", ..) => {}
            ("dossier", ..) => found.push(Cited::Paper("dossier")),
            ("spec", ..) => found.push(Cited::Paper("spec")),
            (_, _, Some(label)) => found.push(Cited::Label(label.to_owned())),
            (number, Some(family), None) if number.bytes().all(|b| b.is_ascii_digit()) => {
                found.push(Cited::Label(format!("{family}-{number}")));
            }
            _ => family = None,
        }
        let rest = word.rsplit(|c: char| c.is_alphanumeric()).next().unwrap_or_default();
        if rest.contains([')', '.', ';', ':']) {
            family = None;
        }
    }
    found
}

/// The scenarios and rules in the name of a test: `s09_s11_…`, `scenarios_3_and_16_…`, `rule02_…`.
fn named(name: &str) -> BTreeSet<String> {
    let number = |word: &str, family| Some(format!("{family}-{}", word.parse::<u32>().ok()?));
    let mut found = BTreeSet::new();
    let mut words = name.split('_').peekable();
    if words.next_if(|word| ["scenario", "scenarios"].contains(word)).is_some() {
        let numbers = words.take_while(|word| *word == "and" || number(word, 'S').is_some());
        found.extend(numbers.filter_map(|word| number(word, 'S')));
        return found;
    }
    for word in words {
        let scenario = word.strip_prefix('s').and_then(|word| number(word, 'S'));
        let rule = || word.strip_prefix("rule").and_then(|word| number(word, 'R'));
        let Some(label) = scenario.or_else(rule) else {
            break;
        };
        found.insert(label);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        let label = |one| match one {
            Cited::Label(label) => label,
            Cited::Paper(name) => format!("{name}?"),
        };
        cited(text).into_iter().map(label).collect()
    }

    #[test]
    fn citations_are_read_in_every_form() {
        for (text, expected) in [
            ("(seed §4.2.2) and §13.1, §13.2.", "§4.2.2 §13.1 §13.2"),
            ("(rules 1, 5, 7 and 12; seed §4.2.3)", "R-1 R-5 R-7 R-12 §4.2.3"),
            ("*Despacho* (R-3 to R-9): what", "R-3 R-9"),
            ("S-15 to S-18: R-7, `F-3.1`; Rule 2. 3 eggs", "S-15 S-18 R-7 F-3.1 R-2"),
            ("Scenarios 1, 2 and 4: from", "S-1 S-2 S-4"),
            ("the dossier's §1.1", "dossier? §1.1"),
            ("(spec, 4)", "spec?"),
            ("AES-256 in 6 rules, of R-ENTER and §x; the rule", ""),
        ] {
            assert_eq!(labels(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn names_of_tests_cite_too() {
        for (name, expected) in [
            ("s09_s11_over_the_limit", "S-11 S-9"),
            ("scenarios_3_and_16_an_undisturbed_quarter_runs_96_times", "S-16 S-3"),
            ("scenario_22_five_dead_of_60", "S-22"),
            ("rule02_capacity_by_the_hour", "R-2"),
            ("starts_3_times", ""),
        ] {
            assert_eq!(named(name).into_iter().collect::<Vec<_>>().join(" "), expected, "{name}");
        }
    }

    fn lost(path: &str, text: &str) -> usize {
        let page = |app: &str, label: &str| {
            let path = format!("docs/requirements/{app}.md");
            Source::new(&path, &format!("- **{label}** x — not shown yet\n"))
        };
        check(&[page("pedidos", "§4.2"), page("sam", "S-7"), Source::new(path, text)]).len()
    }

    #[test]
    fn a_citation_leads_to_the_page_of_its_application() {
        assert_eq!(lost("apps/pedidos/src/a.rs", "/// Why (§4.2).\nfn a() {}"), 0);
        assert_eq!(lost("apps/pedidos/src/a.rs", "/// Why (§4.3).\nfn a() {}"), 1);
        assert_eq!(lost("apps/pedidos/src/a.rs", "let a = \"§4.3\";"), 0, "not a comment");
        assert_eq!(lost("crates/controlroom/src/a.rs", "// S-7, §4.2"), 1);
        assert_eq!(lost("apps/sam/tests/a.rs", "fn s07_a() {}\nfn s08_b() {}"), 1);
        assert_eq!(lost("apps/docproc/src/a.rs", "// §1"), 0, "its page is missing: another rule");
    }

    #[test]
    fn elsewhere_any_application_will_do_unless_one_is_named() {
        assert_eq!(lost("server/src/a.rs", "// S-7, §4.2"), 0);
        assert_eq!(lost("server/src/a.rs", "// SAM: S-7, §4.2"), 1);
        assert_eq!(lost("server/tests/sam_crash.rs", "// S-7, §4.2\nfn s08_a() {}"), 2);
        assert_eq!(lost("docs/a.md", "Pedidos §4.2, and the dossier"), 1);
        assert_eq!(lost("docs/a.json", "§4.3"), 0);
        assert_eq!(lost("docs/a.md", "As in the spec."), 1);
        assert_eq!(lost("deploy/a.yaml", "spec:"), 0);
    }
}
