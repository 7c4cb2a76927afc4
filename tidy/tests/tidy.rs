//! The rules applied to this tree. A failure lists every line to mend and the reason.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tidy::{Finding, Source};

static TREE: LazyLock<Vec<Source>> = LazyLock::new(|| tidy::sources::read_tree(&top()));

fn top() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the crate lives inside the workspace").to_owned()
}

#[track_caller]
fn none(findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} to mend:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn dependencies_flow_one_way() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(top())
        .output()
        .expect("cargo runs");
    let metadata = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    none(&tidy::dependencies::check(&metadata));
}

/// `--locked`: the lock file says what the manifests ask for. Not `--offline`: on a fresh machine these
/// rules run before anything else has fetched the crates.
#[test]
fn what_comes_from_others_is_allowed_and_locked() {
    let platform = ["--filter-platform", "x86_64-unknown-linux-gnu"];
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(platform)
        .current_dir(top())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let deny = std::fs::read_to_string(top().join("deny.toml")).expect("the tree has a deny.toml");
    none(&tidy::supply::crates(&metadata, &deny));
    none(&tidy::supply::others(&TREE));
    none(&tidy::supply::images(&TREE));
}

#[test]
fn rules_are_pure() {
    none(&tidy::purity::check(&TREE));
}

#[test]
fn pages_speak_one_spanish() {
    none(&tidy::spanish::check(&TREE));
}

#[test]
fn what_must_not_be_is_nowhere() {
    none(&tidy::absences::check(&TREE));
}

#[test]
fn files_are_short() {
    none(&tidy::length::check(&TREE));
}

#[test]
fn migrations_have_twins() {
    none(&tidy::migrations::check(&TREE));
}

#[test]
fn types_have_names_of_the_trade() {
    none(&tidy::names::check(&TREE));
}

#[test]
fn sql_does_not_read_the_clock() {
    none(&tidy::sql::check(&TREE));
}

#[test]
fn pages_load_from_here() {
    none(&tidy::assets::check(&TREE));
}

#[test]
fn nothing_is_left_unfinished() {
    none(&tidy::leftovers::check(&TREE));
}

#[test]
fn the_glossary_is_in_use() {
    none(&tidy::glossary::check(&TREE));
}

#[test]
fn dashboards_show_what_is_measured() {
    none(&tidy::dashboards::check(&TREE));
}

#[test]
fn requirements_are_shown() {
    none(&tidy::requirements::check(&TREE));
}

#[test]
fn citations_lead_somewhere() {
    none(&tidy::citations::check(&TREE));
}
