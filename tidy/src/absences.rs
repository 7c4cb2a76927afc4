//! What is nowhere: each line of the table is an invariant of ARCHITECTURE.md, told as an absence.

use crate::{Finding, Source, has_word};

/// Words that do not stand in a part of the tree, and why.
struct Absence {
    part: fn(&str) -> bool,
    words: &'static [&'static str],
    reason: &'static str,
}

const TABLE: &[Absence] = &[
    Absence {
        part: |path| in_room(path, &["routes", "pages", "wire"]),
        words: &["decide(", "decide_all("],
        reason: "a route reads the request, calls one decision and shapes the answer",
    },
    Absence {
        part: |path| in_room(path, &["decisions", "routes", "pages", "store"]),
        words: &["http_client", "reqwest::Client"],
        reason: "the outside is spoken to in drivers/, never in the middle of a decision",
    },
    Absence {
        part: is_application,
        words: &["Notify", "stir(", "shared::<"],
        reason: "there is one way to wake (Decision::wake) and state is passed, not looked up",
    },
    Absence {
        part: is_application,
        words: &["struct Desk", "struct By", "struct Sentence", "struct Dice", "fn from_word"],
        reason: "it stands once, in host or engine",
    },
    Absence {
        part: |path| is_application(path) || path.starts_with("crates/host/src/"),
        words: &["utoipa_axum::{", "axum::routing::", "routing::get,", "routing::{get, post},"],
        reason: "web::routing boxes a handler: the router is compiled once, not once per handler",
    },
    Absence {
        part: |path| !path.starts_with("tidy/"),
        words: &["Foreman", "Tray", "Porch", "PATIENCE", "furnish", "CONNECT_PATIENCE"],
        reason: "names are the trade's words, so that a search finds them",
    },
];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.has_extension(&["rs"])) {
        let absences = TABLE.iter().filter(|absence| (absence.part)(&source.path));
        for absence in absences {
            for (line, code) in source.code() {
                for word in absence.words.iter().filter(|word| has_word(&code, word)) {
                    findings.push(found(source, line, format!("`{word}`"), absence.reason));
                }
            }
        }
        findings.extend(unsaid(source));
        findings.extend(hidden_state(source));
        findings.extend(foreign_sql(source));
        findings.extend(unguarded(source));
    }
    findings
}

fn found(source: &Source, line: usize, what: String, reason: &'static str) -> Finding {
    Finding { file: source.path.clone(), line, what, reason }
}

/// The code of an application that is served; its tests are free.
fn is_application(path: &str) -> bool {
    path.starts_with("apps/") && path.contains("/src/")
}

fn in_room(path: &str, rooms: &[&str]) -> bool {
    is_application(path) && is_called(path, rooms)
}

fn is_called(path: &str, rooms: &[&str]) -> bool {
    let room = |room: &&str| {
        path.contains(&format!("/src/{room}/")) || path.ends_with(&format!("/src/{room}.rs"))
    };
    rooms.iter().any(room)
}

/// What runs for customers and has tables: the applications, their host, the binary, the example.
fn has_tables(path: &str) -> bool {
    let begins = ["apps/", "crates/host/", "server/", "examples/"];
    path.contains("/src/") && begins.iter().any(|one| path.starts_with(one))
}

/// Every file begins by saying what it is for.
fn unsaid(source: &Source) -> Option<Finding> {
    let first = source.lines().next().map_or("", |(_, text)| text);
    let reason = "a reader decides by the first line whether to go on";
    (!first.starts_with("//!")).then(|| found(source, 1, "no `//!` line".to_owned(), reason))
}

/// State that no function was given.
fn hidden_state(source: &Source) -> Vec<Finding> {
    const CELLS: [&str; 5] = ["Mutex", "OnceLock", "OnceCell", "RwLock", "Atomic"];
    let is_static = |code: &str| {
        let code = code.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        code.starts_with("static ") && CELLS.iter().any(|cell| code.contains(cell))
    };
    let lines = source.code().into_iter().filter(|(_, code)| is_static(code));
    let reason = "process state is built once at the start and passed";
    let findings = lines.map(|(line, _)| found(source, line, "a static with state".into(), reason));
    if is_application(&source.path) { findings.collect() } else { Vec::new() }
}

fn is_statement(text: &str) -> bool {
    // A verb alone is a word of somebody's contract.
    let long = text.split_whitespace().count() > 2;
    let verbs = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "WITH "];
    long && verbs.iter().any(|verb| text.trim_start().starts_with(verb))
}

/// SQL lives in `store/`.
fn foreign_sql(source: &Source) -> Vec<Finding> {
    if !has_tables(&source.path) || is_called(&source.path, &["store"]) {
        return Vec::new();
    }
    let literals = source.literals().into_iter().filter(|(_, text)| is_statement(text));
    let reason = "SQL lives in store/, so that the tables can be changed in one place";
    literals.map(|(line, _)| found(source, line, "SQL outside store/".into(), reason)).collect()
}

/// An `UPDATE` of a state names the state it expects.
fn unguarded(source: &Source) -> Vec<Finding> {
    if !has_tables(&source.path) {
        return Vec::new();
    }
    let sets_state = |text: &str| {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((set, rest)) = flat.split_once(" WHERE ") else { return false };
        let sets = ["SET state =", "SET status =", ", state =", ", status ="];
        let guards = ["state", "status", "attempt", "version", "token"];
        set.starts_with("UPDATE ")
            && sets.iter().any(|one| set.contains(one))
            && !guards.iter().any(|one| has_word(rest, one))
    };
    let literals = source.literals().into_iter().filter(|(_, text)| sets_state(text));
    let reason = "a state changes only from the state that the planner saw";
    literals.map(|(line, _)| found(source, line, "an unguarded UPDATE".into(), reason)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&[Source::new(path, &format!("//! For a test.\n{text}"))]).len()
    }

    #[test]
    fn what_must_not_be_is_found_where_it_must_not_be() {
        assert_eq!(count("apps/x/src/routes/y.rs", "use utoipa_axum::{router::A, routes};"), 1);
        assert_eq!(count("apps/x/src/routes/y.rs", "use web::routing::{get, post};"), 0);
        let decides = "async fn a() { store.decide(&scope, now).await }";
        assert_eq!(count("apps/sam/src/routes/robots.rs", decides), 1);
        assert_eq!(count("apps/sam/src/decisions/robots.rs", decides), 0);
        let asks = "fn a() { http_client::client() }";
        assert_eq!(count("apps/sam/src/decisions/demand.rs", asks), 1);
        assert_eq!(count("apps/sam/src/drivers/demand.rs", asks), 0);
        assert_eq!(count("apps/docproc/src/lib.rs", "use tokio::sync::Notify;"), 1);
        assert_eq!(count("apps/docproc/tests/a.rs", "use tokio::sync::Notify;"), 0);
    }

    #[test]
    fn state_and_statements_stand_where_they_belong() {
        let hidden = "static LAST: Mutex<i64> = Mutex::new(0);";
        assert_eq!(count("apps/docproc/src/drivers/load.rs", hidden), 1);
        assert_eq!(count("apps/docproc/src/pages/mod.rs", "static A: LazyLock<B> = f();"), 0);
        let sql = "const A: &str = \"SELECT 1 AS one\";";
        assert_eq!(count("apps/docproc/src/drivers/load.rs", sql), 1);
        assert_eq!(count("apps/docproc/src/store/load.rs", sql), 0);
        assert_eq!(count("crates/host/src/accounts/users.rs", sql), 1);
        assert_eq!(count("crates/host/src/store/users.rs", sql), 0);
        assert_eq!(count("examples/counter/src/store.rs", sql), 0);
        let blind = "const A: &str = \"UPDATE runs SET state = $1 WHERE id = $2\";";
        let sure = "const A: &str = \"UPDATE runs SET state = $1 WHERE id = $2 AND state = $3\";";
        assert_eq!(count("apps/sam/src/store/runs.rs", blind), 1);
        assert_eq!(count("apps/sam/src/store/runs.rs", sure), 0);
        assert_eq!(check(&[Source::new("apps/sam/src/a.rs", "fn a() {}")]).len(), 1);
    }
}
