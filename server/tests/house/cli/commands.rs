//! Help, exit codes and what each command prints.

use super::program::Home;

#[test]
fn every_command_explains_itself() {
    let home = Home::new();
    for command in [
        "",
        "serve",
        "migrate",
        "doctor",
        "config",
        "config show",
        "config explain",
        "user",
        "user add",
        "user list",
        "user disable",
        "user enable",
        "token",
        "token create",
        "token list",
        "token revoke",
        "secrets",
        "secrets rotate",
        "backup",
        "restore",
        "completions",
        "sim",
        "sim pedidos",
        "sim a360",
        "sim olt",
    ] {
        let help = home.run(&format!("{command} --help")).ok();
        assert!(help.contains("Usage: turno"), "{command}: {help}");
    }
    assert!(home.run("--help").ok().contains("Exit codes"));
    assert!(home.run("--version").ok().starts_with("turno "));
}

#[test]
fn completions_exist_for_the_usual_shells() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(home.run(&format!("completions {shell}")).ok().contains("turno"), "{shell}");
    }
}

#[test]
fn wrong_usage_is_2() {
    let home = Home::new();
    home.run("serv").refused(2, &["serve"]);
    home.run("serve --apps pedido").refused(2, &["no application", "did you mean pedidos?"]);
    home.run("serve --now 2026-05-04T12:00:00Z").refused(2, &["hint: add --clock manual"]);
    home.run("serve --listen 0.0.0.0:0 --clock manual").refused(2, &["loopback only"]);
    home.run("serve --config missing.toml").refused(2, &["cannot read missing.toml"]);
    home.run("user add ana --role pedidos:CAJER")
        .refused(2, &["no role pedidos:CAJER", "hint: did you mean pedidos:CAJERO?"]);
    home.run("user add ana --role ADMIN").refused(2, &["hint: --password-stdin"]);
    assert!(!home.path().join("other").exists());
}

#[test]
fn what_is_not_there_is_3() {
    let home = Home::new();
    home.run("backup b.gz").refused(3, &["there is no database", "hint: `turno serve`"]);
    home.run("user list").refused(3, &["there is no database"]);
    home.run("restore missing.gz").refused(3, &["missing.gz"]);
    home.run("config explain lisen").refused(3, &["did you mean listen?"]);
    assert!(!home.path().join("data").exists(), "asking makes nothing");
    home.run("migrate").ok();
    home.run("token revoke nobody").refused(3, &["there is no token nobody"]);
    home.run("user disable nobody").refused(3, &["there is no user nobody"]);
}

#[test]
fn what_is_there_already_is_4() {
    let home = Home::new();
    let add = "user add ana --role ADMIN --password-stdin";
    home.run_with(add, &[], "una clave larga\n").ok();
    home.run_with(add, &[], "una clave larga\n").refused(4, &["already a user ana", "--replace"]);
    home.run_with(&format!("{add} --replace"), &[], "otra clave larga\n").ok();
    home.run("user disable ana").refused(4, &["administrator"]);
    home.run("token create till --role pedidos:CAJERO").ok();
    home.run("token create till --role pedidos:CAJERO").refused(4, &["exists already"]);
    home.run("token revoke till").ok();
    home.run("token revoke till").refused(4, &["revoked before"]);
    home.run("backup b.gz").ok();
    home.run("backup b.gz").refused(4, &["exists already", "--force"]);
    home.run("backup b.gz --force").ok();
}

#[test]
fn what_does_not_answer_is_6() {
    let home = Home::new();
    // Port 9 is discard: nothing listens there.
    home.run("sim pedidos --url http://127.0.0.1:9").refused(6, &["does not answer", "hint:"]);
    let no_wait = [("TURNO_DATABASE_WAIT_SECONDS", "0")];
    home.run_with(
        "serve --listen 127.0.0.1:0 --database-url postgres://127.0.0.1:9/x",
        &no_wait,
        "",
    )
    .refused(6, &["the database is not available", "hint:"]);
}

#[test]
fn the_doctor_names_what_is_wrong_and_how_to_mend_it() {
    let home = Home::new();
    let empty = home.run("doctor").ok();
    assert!(empty.contains("warn  database"), "{empty}");
    assert!(!home.path().join("data").exists(), "the doctor makes nothing");
    home.run("migrate").ok();
    let report = home.run("doctor --json").json();
    let verdict = |check: &str| {
        let found = report.as_array().unwrap().iter().find(|line| line["check"] == check);
        found.unwrap_or_else(|| panic!("no {check} in {report}"))["verdict"].clone()
    };
    for check in ["configuration", "data dir", "database", "migrations", "audit", "time zone"] {
        assert_eq!(verdict(check), "pass", "{check}");
    }
    let open = [("TURNO_LISTEN", "0.0.0.0:0")];
    home.run_with("doctor", &open, "").refused(1, &["1 check failed"]);
    let told = home.run_with("doctor", &open, "").stdout;
    assert!(told.contains("turno user add NAME --role ADMIN"), "{told}");
}

#[test]
fn people_and_tokens_are_listed_without_secrets() {
    let home = Home::new();
    let add = "user add ana --role pedidos:GERENTE --password-stdin";
    home.run_with(add, &[], "una clave larga\n").ok();
    let secret = home.run("token create till --role pedidos:CAJERO --expires 30d").ok();
    assert!(secret.starts_with("turno_") && secret.lines().count() == 1, "{secret}");
    let users = home.run("user list --json").json();
    assert_eq!(users[0]["roles"][0], "pedidos:GERENTE");
    let tokens = home.run("token list --json").json();
    assert!(tokens[0]["expires_at"].is_string() && tokens[0]["revoked_at"].is_null());
    let listed = home.run("token list").ok();
    assert!(listed.contains("till") && listed.contains("good"), "{listed}");
    assert!(!listed.contains(secret.trim()), "a secret is shown once");
}
