//! The checks. None of them changes anything: a database that is not there is not made.

use std::path::Path;
use std::time::Duration;

use db::Store;
use host::{App, accounts};
use jiff::Timestamp;
use terminal::Finding;

use crate::config::{Auth, Config, SmtpConfig};
use crate::database::Database;
use crate::migrations::{self, Standing};
use crate::{apps, serve};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A day of a busy shop is a few megabytes; below this the database itself may stop.
const SPACE_LOW: u64 = 500 * MEGABYTE;
const SPACE_NONE: u64 = 50 * MEGABYTE;
const MEGABYTE: u64 = 1024 * 1024;

pub(super) async fn all(config: &Config) -> Vec<Finding> {
    let mut findings = vec![settings(config), directory(&config.server.data_dir)];
    findings.extend(space(&config.server.data_dir));
    findings.extend(database(config).await);
    findings.push(carrier(config).await);
    findings.push(backups(config));
    findings.push(zone(config));
    findings.push(port(config));
    if let Some(smtp) = &config.alerts.smtp {
        findings.push(mail(smtp).await);
    }
    let runs = |app: &&App| config.server.apps.iter().any(|name| name == app.name);
    let (apps, deployment) = (apps::all(), apps::deployment(config));
    findings.extend(apps.iter().filter(runs).flat_map(|app| (app.doctor)(&deployment)));
    findings.push(Finding::pass("applications", config.server.apps.join(", ")));
    findings
}

fn settings(config: &Config) -> Finding {
    match apps::fixed_settings(config) {
        Ok(_) => Finding::pass("configuration", format!("{} values", config.entries().len())),
        Err(exit) => Finding::fail("configuration", exit.to_string(), "correct the value there"),
    }
}

fn directory(path: &Path) -> Finding {
    const ABOUT: &str = "data dir";
    if !path.exists() {
        let detail = format!("{} is not there yet", path.display());
        return Finding::warn(ABOUT, detail, "`turno serve` makes it");
    }
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    match rustix::fs::access(path, access) {
        Ok(()) => Finding::pass(ABOUT, path.display().to_string()),
        Err(error) => {
            let detail = format!("{} is not writable: {error}", path.display());
            Finding::fail(ABOUT, detail, "give it to the account that runs turno (chown)")
        }
    }
}

fn space(path: &Path) -> Option<Finding> {
    const ABOUT: &str = "free space";
    let found = rustix::fs::statvfs(path).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let detail = format!("{} MB", free / MEGABYTE);
    let fix = "free some space, or move --data-dir to a larger disk";
    Some(match free {
        free if free < SPACE_NONE => Finding::fail(ABOUT, detail, fix),
        free if free < SPACE_LOW => Finding::warn(ABOUT, detail, fix),
        _ => Finding::pass(ABOUT, detail),
    })
}

async fn database(config: &Config) -> Vec<Finding> {
    const ABOUT: &str = "database";
    let database = Database::of(&config.server);
    if database.file().is_some_and(|file| !file.exists()) {
        let detail = format!("{} is not there yet", database.name());
        return vec![Finding::warn(ABOUT, detail, "`turno serve` or `turno migrate` makes it")];
    }
    let store = match database.open().await {
        Ok(store) => store,
        Err(exit) => {
            let fix = "start it, or correct server.database_url / server.data_dir";
            return vec![Finding::fail(ABOUT, exit.to_string(), fix)];
        }
    };
    let mut findings = vec![Finding::pass(ABOUT, database.name())];
    let (finding, has_tables) = tables(&store).await;
    findings.push(finding);
    if has_tables {
        findings.push(chain(&store).await);
        findings.push(users(&store, config).await);
    }
    store.close().await;
    findings
}

async fn tables(store: &Store) -> (Finding, bool) {
    const ABOUT: &str = "migrations";
    match migrations::standing(store).await {
        Ok(Standing::Current) => (Finding::pass(ABOUT, "all applied"), true),
        Ok(Standing::Empty) => {
            (Finding::warn(ABOUT, "no tables yet", "`turno serve` or `turno migrate`"), false)
        }
        Ok(Standing::Behind(missing)) => {
            let detail = format!("missing: {}", missing.join(", "));
            (Finding::warn(ABOUT, detail, "`turno migrate`, or start the server"), false)
        }
        Ok(Standing::Ahead(strange)) => {
            let detail = db::Error::Newer(strange).to_string();
            (Finding::fail(ABOUT, detail, "use that version of turno"), false)
        }
        Err(exit) => (Finding::fail(ABOUT, exit.to_string(), "see the database's log"), false),
    }
}

async fn chain(store: &Store) -> Finding {
    const ABOUT: &str = "audit";
    let verified = match store.read().await {
        Ok(mut tx) => db::audit::verify(&mut tx).await,
        Err(error) => Err(error),
    };
    match verified {
        Ok(None) => Finding::pass(ABOUT, "the chain is whole"),
        Ok(Some(id)) => {
            let detail = format!("record {id} does not fit the one before it");
            Finding::fail(ABOUT, detail, "it was changed outside turno: compare with a backup")
        }
        Err(error) => Finding::fail(ABOUT, error.to_string(), "see the database's log"),
    }
}

async fn users(store: &Store, config: &Config) -> Finding {
    const ABOUT: &str = "users";
    let fix = "turno user add NAME --role ADMIN";
    let open = config.server.auth == Auth::Auto && config.server.listen.ip().is_loopback();
    match accounts::users(store).await {
        Ok(users) => match users.iter().filter(|user| user.active).count() {
            0 if open => Finding::pass(ABOUT, "none; open on this machine only"),
            0 => Finding::fail(ABOUT, "nobody can sign in", fix),
            many => Finding::pass(ABOUT, format!("{many} active")),
        },
        Err(error) => Finding::fail(ABOUT, error.to_string(), "see the database's log"),
    }
}

fn backups(config: &Config) -> Finding {
    const ABOUT: &str = "backups";
    let backup = &config.backup;
    match backup.every {
        Some(every) => {
            let detail = format!("every {every:#} into {}", backup.folder.display());
            Finding::pass(ABOUT, format!("{detail}, {} kept", backup.keep))
        }
        None => Finding::warn(
            ABOUT,
            "the server makes none by itself",
            "set backup.every, or call `turno backup` by the clock",
        ),
    }
}

/// The broker that the house named, whatever applications run.
async fn carrier(config: &Config) -> Finding {
    const ABOUT: &str = "RabbitMQ";
    let Some(address) = &config.server.broker else {
        return Finding::pass(ABOUT, "not used");
    };
    match broker::reach(address, "turno doctor", &broker::Topology::default()).await {
        Ok(()) => Finding::pass(ABOUT, format!("{address} answers")),
        Err(fault) if fault.may_pass() => {
            let fix = "start it, or correct the host and port; work goes on without it meanwhile";
            Finding::warn(ABOUT, format!("{address}: {fault}"), fix)
        }
        Err(fault) => {
            let fix = "correct user, password, virtual host or server.rabbitmq_ca";
            Finding::fail(ABOUT, format!("{address}: {fault}"), fix)
        }
    }
}

fn zone(config: &Config) -> Finding {
    let zone = &config.server.timezone;
    let local = Timestamp::now().to_zoned(zone.zone.clone());
    let detail = format!("{}, now {}", zone.name, local.strftime("%Y-%m-%d %H:%M"));
    Finding::pass("time zone", detail)
}

fn port(config: &Config) -> Finding {
    const ABOUT: &str = "port";
    let listen = config.server.listen;
    match serve::reserve(listen) {
        Ok(_) => Finding::pass(ABOUT, format!("{listen} is free")),
        Err(exit) => {
            let fix = "fine if that is turno itself; else choose another with --listen";
            Finding::warn(ABOUT, exit.to_string(), fix)
        }
    }
}

async fn mail(smtp: &SmtpConfig) -> Finding {
    const ABOUT: &str = "e-mail";
    let fix = "correct alerts.smtp_url, or open the firewall";
    let Some((host, port)) = mail_server(smtp.url.expose()) else {
        return Finding::fail(ABOUT, "alerts.smtp_url names no server", fix);
    };
    let connect = tokio::net::TcpStream::connect((host.as_str(), port));
    match tokio::time::timeout(CONNECT_TIMEOUT, connect).await {
        Ok(Ok(_)) => Finding::pass(ABOUT, format!("{host}:{port} answers")),
        Ok(Err(error)) => Finding::fail(ABOUT, format!("{host}:{port}: {error}"), fix),
        Err(_) => Finding::fail(ABOUT, format!("{host}:{port} does not answer"), fix),
    }
}

/// The server of a mail address, with the port of its scheme.
fn mail_server(url: &str) -> Option<(String, u16)> {
    let url = reqwest::Url::parse(url).ok()?;
    let usual = if url.scheme() == "smtps" { 465 } else { 587 };
    Some((url.host_str()?.to_owned(), url.port().unwrap_or(usual)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_servers_have_the_port_of_their_scheme() {
        for (url, host, port) in [
            ("smtps://u:p@mail.example", "mail.example", 465),
            ("smtp://mail.example", "mail.example", 587),
            ("smtp://u@mail.example:2525", "mail.example", 2525),
        ] {
            assert_eq!(mail_server(url), Some((host.to_owned(), port)));
        }
        assert_eq!(mail_server("smtp:"), None);
    }
}
