//! `server → apps → host → {bus, terminal} → {db, broker, web} → engine`, each outside world behind
//! one crate, and beside them the reading of documents: `apps → samples → {understand, paper, ocr} → page`.

use serde_json::Value;

use crate::Finding;

const LAYERS: &str = "server → apps → host → {bus, terminal} → {db, broker, web} → engine, and \
    apps → samples → {understand, paper, ocr} → page; knowledge flows one way";
const OWNERS: &str =
    "one crate owns each outside world, so that it can be exchanged or tested there";

/// Who alone may speak to an outside world.
const OWNED: [(&str, &str); 3] = [("sqlx", "db"), ("jiff-sqlx", "db"), ("lapin", "broker")];

/// What no crate of rules may depend on: a decision that could reach a database, a socket, a clock or
/// chance would not be the same in a test, a replay and in service.
const IMPURE: [&str; 8] =
    ["tokio", "sqlx", "axum", "reqwest", "hyper", "rand", "utoipa", "futures"];
const PURE: &str = "model, policy and rules are pure: no async, no clock, no I/O";
/// The crates of the house that are as pure.
const PURE_CRATES: [&str; 3] = ["engine", "page", "understand"];

/// Tools may use everything and nothing uses them; `testkit` only in tests.
const TOOLS: [&str; 3] = ["bench", "testkit", "tidy"];

/// `metadata` is what `cargo metadata --no-deps --format-version 1` prints.
pub fn check(metadata: &Value) -> Vec<Finding> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    packages.iter().flat_map(check_package).collect()
}

fn check_package(package: &Value) -> Vec<Finding> {
    let name = package["name"].as_str().unwrap_or_default();
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    let mut findings = Vec::new();
    let mut note = |what: String, reason| {
        findings.push(Finding { file: manifest.to_owned(), line: 1, what, reason });
    };
    for dependency in dependencies {
        let other = dependency["name"].as_str().unwrap_or_default();
        let in_tests = dependency["kind"] == "dev";
        if let Some((_, owner)) = OWNED.iter().find(|(crate_name, _)| *crate_name == other)
            && *owner != name
        {
            note(format!("{name} depends on {other}; only {owner} may"), OWNERS);
        }
        let ours = dependency["path"].is_string();
        let impure = if ours { !PURE_CRATES.contains(&other) } else { IMPURE.contains(&other) };
        if is_rules(manifest) && !in_tests {
            if impure {
                note(format!("{name} depends on {other}"), PURE);
            }
            continue;
        }
        let Some(path) = dependency["path"].as_str() else {
            continue;
        };
        if !allowed(name, layer_of(manifest), other, layer_of(path), in_tests) {
            note(format!("{name} depends on {other}"), LAYERS);
        }
    }
    findings
}

fn allowed(name: &str, from: u8, other: &str, to: u8, in_tests: bool) -> bool {
    if TOOLS.contains(&name) {
        return true;
    }
    if TOOLS.contains(&other) {
        return in_tests && other == "testkit";
    }
    // Sample documents are made from the same vocabulary that tests try to understand.
    if in_tests && other == "samples" {
        return true;
    }
    to < from
}

fn is_rules(manifest: &str) -> bool {
    manifest.contains("/apps/") && manifest.ends_with("/rules/Cargo.toml")
}

/// How far up a member stands, by its place in the tree.
fn layer_of(path: &str) -> u8 {
    let path = path.trim_end_matches("/Cargo.toml");
    let ends = |place: &str| path.ends_with(place);
    match path {
        _ if ends("/crates/engine") || ends("/crates/page") || ends("/crates/http-client") => 0,
        // The world outside, both sides of it: they know nobody of this house.
        _ if ends("/crates/controlroom") || ends("/crates/snmp") || ends("/crates/broker") => 1,
        _ if path.contains("/apps/") && ends("/rules") => 1,
        _ if ends("/crates/db") || ends("/crates/web") => 1,
        _ if ends("/crates/paper") || ends("/crates/ocr") || ends("/crates/understand") => 1,
        // Hints between processes go through the database or the broker.
        _ if ends("/crates/bus") => 2,
        _ if ends("/crates/terminal") || ends("/crates/samples") => 2,
        _ if ends("/crates/host") => 3,
        _ if path.contains("/apps/") => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn findings(place: &str, name: &str, dependency: &Value) -> Vec<String> {
        let manifest_path = format!("/t/{place}/Cargo.toml");
        let package =
            json!({"name": name, "manifest_path": manifest_path, "dependencies": [dependency]});
        check(&json!({"packages": [package]})).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn upward_and_sideways_dependencies_are_found() {
        for (place, name, other, other_place) in [
            ("crates/db", "db", "web", "crates/web"),
            ("crates/engine", "engine", "db", "crates/db"),
            ("apps/pedidos", "pedidos", "sam", "apps/sam"),
            ("crates/host", "host", "pedidos", "apps/pedidos"),
            ("apps/pedidos", "pedidos", "testkit", "testkit"),
            ("crates/controlroom", "controlroom", "host", "crates/host"),
            ("crates/snmp", "snmp", "db", "crates/db"),
            ("apps/sam/rules", "sam-rules", "db", "crates/db"),
            ("apps/sam/rules", "sam-rules", "controlroom", "crates/controlroom"),
        ] {
            let dependency =
                json!({"name": other, "path": format!("/t/{other_place}"), "kind": null});
            let expected = format!("{name} depends on {other}");
            assert_eq!(findings(place, name, &dependency), [expected]);
        }
    }

    #[test]
    fn downward_dependencies_and_testkit_in_tests_are_free() {
        for (place, name, other, other_place, kind) in [
            ("server", "server", "pedidos", "apps/pedidos", Value::Null),
            ("apps/pedidos", "pedidos", "engine", "crates/engine", Value::Null),
            ("apps/sam", "sam", "controlroom", "crates/controlroom", Value::Null),
            ("server", "server", "snmp", "crates/snmp", Value::Null),
            ("apps/pedidos", "pedidos", "testkit", "testkit", json!("dev")),
            ("bench", "bench", "testkit", "testkit", Value::Null),
        ] {
            let dependency =
                json!({"name": other, "path": format!("/t/{other_place}"), "kind": kind});
            assert_eq!(findings(place, name, &dependency), [""; 0], "{name} → {other}");
        }
    }

    #[test]
    fn rules_stay_pure() {
        let tokio = |kind: Value| json!({"name": "tokio", "kind": kind});
        let what = "sam-rules depends on tokio";
        assert_eq!(findings("apps/sam/rules", "sam-rules", &tokio(Value::Null)), [what]);
        assert_eq!(findings("apps/sam/rules", "sam-rules", &tokio(json!("dev"))), [""; 0]);
        assert_eq!(findings("apps/sam", "sam", &tokio(Value::Null)), [""; 0]);
    }

    #[test]
    fn a_database_driver_has_one_owner() {
        let sqlx = json!({"name": "sqlx", "kind": null});
        let what = "pedidos depends on sqlx; only db may";
        assert_eq!(findings("apps/pedidos", "pedidos", &sqlx), [what]);
        assert_eq!(findings("crates/db", "db", &sqlx), [""; 0]);
    }
}
