//! The layers as tables: what goes in, what comes out, and the sentence when it cannot.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::sections::Secret;
use super::*;

const KNOWN: KnownSettings<'static> = KnownSettings {
    apps: &["coordinador", "docproc", "pedidos", "sam"],
    settings: &[
        ("pedidos", "MAX_PEDIDOS_EN_PREPARACION"),
        ("pedidos", "AUTO_MOVER_PEDIDOS"),
        ("sam", "CALLBACK_TOKEN"),
    ],
    aliases: &[
        Alias {
            variable: "MAX_PEDIDOS_EN_PREPARACION",
            app: "pedidos",
            key: "MAX_PEDIDOS_EN_PREPARACION",
        },
        Alias { variable: "AUTO_MOVER_PEDIDOS", app: "pedidos", key: "AUTO_MOVER_PEDIDOS" },
    ],
    retired: &[("ROBOTS_MAPA_JSON", "enter mappings at /sam/mapeos")],
};

fn secret_file(path: &Path) -> io::Result<String> {
    match path.to_str() {
        Some("/run/secrets/hook") => Ok("k-123\n".to_owned()),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

fn sources(file: &str, variables: &[(&str, &str)], flags: &[Flag]) -> Sources {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Sources {
        file: (!file.is_empty()).then(|| ("t.toml".into(), file.to_owned())),
        environment: variables.iter().map(pair).collect(),
        flags: flags.to_vec(),
        read: secret_file,
    }
}

fn load(file: &str, variables: &[(&str, &str)]) -> Config {
    Config::load(&sources(file, variables, &[]), &KNOWN).expect("valid configuration")
}

fn refusal(file: &str, variables: &[(&str, &str)]) -> String {
    let error = Config::load(&sources(file, variables, &[]), &KNOWN).expect_err("invalid");
    error.to_string()
}

#[test]
fn without_sources_the_embedded_file_is_in_force() {
    let config = load("", &[]);
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:8000");
    assert_eq!(config.server.apps, ["coordinador", "docproc", "pedidos", "sam"]);
    assert_eq!(config.server.timezone.name, "America/Argentina/Buenos_Aires");
    assert_eq!(config.server.auth, Auth::Auto);
    assert_eq!(config.log.format, LogFormat::Auto);
    assert!(config.server.database_url.is_none() && !config.server.demo);
    assert!(config.alerts.webhook.is_none() && config.alerts.smtp.is_none());
    assert_eq!(config.limits.sse_connections, 256);
    assert!(config.app_settings.is_empty());
    assert!(config.entries().iter().all(|entry| entry.origin == Origin::Default));
}

#[test]
fn later_layers_win_and_are_remembered() {
    let file = "[server]\nlisten = \"127.0.0.1:1\"\n";
    let variable = [("TURNO_LISTEN", "127.0.0.1:2")];
    let flag = [Flag { name: "--listen", key: "server.listen", value: "127.0.0.1:3".into() }];
    for (file, variables, flags, port, origin) in [
        ("", &[][..], &[][..], 8000, "default"),
        (file, &[][..], &[][..], 1, "t.toml:2"),
        (file, &variable[..], &[][..], 2, "environment TURNO_LISTEN"),
        (file, &variable[..], &flag[..], 3, "flag --listen"),
    ] {
        let config = Config::load(&sources(file, variables, flags), &KNOWN).expect("valid");
        assert_eq!(config.server.listen.port(), port);
        let entry = config.entries().iter().find(|entry| entry.key == "server.listen");
        assert_eq!(entry.expect("listed").origin.to_string(), origin);
    }
}

#[test]
fn variables_have_a_long_and_a_short_name() {
    for (name, value) in
        [("TURNO_SERVER__APPS", "pedidos,sam,pedidos"), ("TURNO_APPS", "pedidos, sam")]
    {
        assert_eq!(load("", &[(name, value)]).server.apps, ["pedidos", "sam"], "{name}");
    }
    for name in ["TURNO_LOG__LEVEL", "TURNO_LOG_LEVEL"] {
        assert_eq!(load("", &[(name, "info,sqlx=warn")]).log.level, "info,sqlx=warn");
    }
    let config = load("", &[("TURNO_DRAIN_SECONDS", "3"), ("TURNO_DEMO", "1"), ("HOME", "/x")]);
    assert_eq!(config.server.drain, Duration::from_secs(3));
    assert!(config.server.demo);
}

#[test]
fn secrets_come_from_files_and_stay_covered() {
    let config = load(
        "[alerts]\nwebhook_url = \"https://hooks.example/turno\"\n",
        &[
            ("TURNO_ALERTS__WEBHOOK_SECRET_FILE", "/run/secrets/hook"),
            ("TURNO_DATABASE_URL", "postgres://turno:pw@db/turno"),
        ],
    );
    let webhook = config.alerts.webhook.as_ref().expect("configured");
    assert_eq!(webhook.secret.as_ref().map(Secret::expose), Some("k-123"));
    let printed = format!("{config:?}");
    assert!(!printed.contains("k-123") && !printed.contains("turno:pw"), "{printed}");
}

#[test]
fn application_settings_are_passed_on_and_the_environment_locks_them() {
    let file = "[pedidos]\nMAX_PEDIDOS_EN_PREPARACION = 10\n[sam]\nCALLBACK_TOKEN = \"t\"\n";
    let config = load(file, &[("AUTO_MOVER_PEDIDOS", "false")]);
    let seen: Vec<_> = config
        .app_settings
        .iter()
        .map(|setting| (setting.key.as_str(), setting.value.clone(), setting.locked))
        .collect();
    assert_eq!(
        seen,
        [
            ("AUTO_MOVER_PEDIDOS", json!(false), true),
            ("MAX_PEDIDOS_EN_PREPARACION", json!(10), false),
            ("CALLBACK_TOKEN", json!("t"), false),
        ]
    );
    let token = config.entries().iter().find(|entry| entry.key == "sam.CALLBACK_TOKEN");
    assert_eq!(token.expect("listed").value_shown, "••••••");
    let named = load(file, &[("TURNO_PEDIDOS__MAX_PEDIDOS_EN_PREPARACION", "12")]);
    assert!(named.app_settings.iter().any(|setting| setting.value == json!(12) && setting.locked));
}

#[test]
fn wrong_files_are_explained_with_line_and_suggestion() {
    for (file, sentence) in [
        (
            "[server]\nlisen = \"x\"\n",
            "t.toml:2: server.lisen: unknown setting; did you mean listen?",
        ),
        (
            "[sever]\nlisten = \"x\"\n",
            "t.toml:2: sever.listen: unknown section [sever]; did you mean [server]?",
        ),
        (
            "[pedidos]\nMAX_PEDIDO_EN_PREPARACION = 8\n",
            "t.toml:2: pedidos.MAX_PEDIDO_EN_PREPARACION: unknown setting; did you mean \
             MAX_PEDIDOS_EN_PREPARACION?",
        ),
        ("[server]\nlisten = 80\n", "t.toml:2: server.listen: expected a text, found 80"),
        (
            "[server]\nlisten = \":80\"\n",
            "t.toml:2: server.listen: \":80\" is not an address with a port, such as \
             127.0.0.1:8000",
        ),
        (
            "[server]\ntimezone = \"America/Buenos_Aire\"\n",
            "t.toml:2: server.timezone: \"America/Buenos_Aire\" is not an IANA time zone; did you \
             mean America/Buenos_Aires?",
        ),
        ("[server]\napps = []\n", "t.toml:2: server.apps: at least one application has to run"),
        (
            "[server]\napps = [\"pedido\"]\n",
            "t.toml:2: server.apps: no application \"pedido\"; there is coordinador, docproc, pedidos, sam; did you mean \
             pedidos?",
        ),
        (
            "[server]\ndatabase_url = \"mysql://u:p@h/d\"\n",
            "t.toml:2: server.database_url: must be empty or start with postgres:// or \
             postgresql:// or sqlite:",
        ),
        (
            "[log]\nlevel = \"inof\"\n",
            "t.toml:2: log.level: \"inof\" is not a level; there is off, error, warn, info, debug, \
             trace; did you mean info?",
        ),
        (
            "[log]\nformat = \"xml\"\n",
            "t.toml:2: log.format: \"xml\" is not one of auto, text, json",
        ),
        (
            "[server]\ntrusted_proxies = [\"10.0.0.0/8\", \"10.0.0.0/40\"]\n",
            "t.toml:2: server.trusted_proxies: \"10.0.0.0/40\" is no address and no network",
        ),
        (
            "[server]\npublic_url = \"turno.example\"\n",
            "t.toml:2: server.public_url: must be empty or start with https:// or http://",
        ),
        (
            "[limits]\nbody_bytes = 1\n",
            "t.toml:2: limits.body_bytes: 1 is outside 1024 to 67108864",
        ),
    ] {
        assert_eq!(refusal(file, &[]), sentence);
    }
}

#[test]
fn wrong_variables_are_explained() {
    for (name, value, sentence) in [
        (
            "TURNO_LISTN",
            "x",
            "environment TURNO_LISTN: unknown variable; did you mean TURNO_LISTEN?",
        ),
        (
            "ROBOTS_MAPA_JSON",
            "{}",
            "environment ROBOTS_MAPA_JSON: means nothing here; enter mappings at /sam/mapeos",
        ),
        (
            "TURNO_DEMO",
            "maybe",
            "environment TURNO_DEMO: server.demo: \"maybe\" is neither true nor false",
        ),
        (
            "TURNO_DATABASE_URL_FILE",
            "/nowhere",
            "environment TURNO_DATABASE_URL_FILE: cannot read /nowhere: entity not found",
        ),
        (
            "DOCPROC_RABBITMQ_URL",
            "amqp:guest:hunter2@localhost",
            "environment DOCPROC_RABBITMQ_URL: server.rabbitmq_url: must be empty or \
             amqp://user:password@host:port/vhost, or amqps",
        ),
    ] {
        assert_eq!(refusal("", &[(name, value)]), sentence);
    }
}

#[test]
fn the_house_has_one_broker_by_either_name() {
    let (ours, theirs) = ("TURNO_RABBITMQ_URL", "DOCPROC_RABBITMQ_URL");
    let (one, two) = ("amqp://ana:secreta@uno/", "amqp://ana:secreta@dos:5673/casa");
    let broker = |environment: &[(&str, &str)]| {
        load("", environment).server.broker.map(|address| address.to_string())
    };
    assert_eq!(broker(&[]), None);
    for alike in
        [[(ours, one), (theirs, one)], [(ours, one), (theirs, "")], [(ours, ""), (theirs, one)]]
    {
        assert_eq!(broker(&alike).as_deref(), Some("amqp://ana@uno:5672/"));
    }
    assert_eq!(broker(&[(theirs, two)]).as_deref(), Some("amqp://ana@dos:5673/casa"));
    let sentence = refusal("", &[(ours, one), (theirs, two)]);
    assert!(sentence.contains(ours) && sentence.contains(theirs), "{sentence}");
    assert!(!sentence.contains("secreta"), "{sentence}");
    let shown = load("", &[(ours, one)]);
    let entry = shown.entries().iter().find(|entry| entry.key == "server.rabbitmq_url");
    assert!(!entry.expect("listed").value_shown.contains("secreta"));
}

#[test]
fn an_authority_is_a_file_with_a_certificate_and_for_amqps_alone() {
    let (sealed, open) = ("amqps://ana@uno/", "amqp://ana@uno/");
    let with = |url, file| [("TURNO_RABBITMQ_URL", url), ("TURNO_RABBITMQ_CA", file)];
    let sentence = refusal("", &with(open, "/nowhere"));
    assert!(sentence.contains("server.rabbitmq_ca: is of use with amqps://"), "{sentence}");
    let sentence = refusal("", &with(sealed, "/nowhere"));
    assert!(sentence.contains("server.rabbitmq_ca: /nowhere: No such file"), "{sentence}");
    let sentence = refusal("", &with(sealed, "Cargo.toml"));
    assert!(sentence.contains("Cargo.toml: there is no certificate in it"), "{sentence}");
    let house = "../crates/host/tests/gate/keys/one.crt";
    assert!(load("", &with(sealed, house)).server.broker.is_some());
    assert!(load("", &with("", "/nowhere")).server.broker.is_none());
}

#[test]
fn mail_needs_a_sender_and_a_receiver() {
    let url = "[alerts]\nsmtp_url = \"smtps://u:p@mail.example:465\"\n";
    let complete =
        format!("{url}smtp_from = \"turno@shop.example\"\nsmtp_to = [\"a@b.example\"]\n");
    let config = load(&complete, &[]);
    assert_eq!(config.alerts.smtp.expect("configured").to, ["a@b.example"]);
    let sentence = refusal(url, &[]);
    assert!(sentence.contains("alerts.smtp_from: \"\" is not an e-mail address"), "{sentence}");
    assert!(sentence.contains("alerts.smtp_to: alerts.smtp_url is set"), "{sentence}");
}

#[test]
fn all_problems_are_reported_together() {
    let sentence = refusal("[server]\nlisen = 1\nauth = \"x\"\n", &[("TURNO_NOPE", "1")]);
    assert_eq!(sentence.lines().count(), 3, "{sentence}");
}
