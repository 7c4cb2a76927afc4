//! Forward-only migrations. Each owner (the engine, every application) is a *line* with its own
//! numbered steps, and every step exists in both dialects under one name.

use jiff::Timestamp;

use crate::{Error, Scope, Store, Tx, sha256_hex};

/// One owner's migrations, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub name: &'static str,
    pub steps: &'static [Step],
}

#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub name: &'static str,
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

/// A [`Line`] of the steps in `migrations/sqlite` and `migrations/postgres` of the crate that says it.
#[macro_export]
macro_rules! migrations {
    ($line:expr; $($name:literal),+) => {
        $crate::Line {
            name: $line,
            steps: &[$($crate::Step {
                name: $name,
                sqlite: $crate::migrations!(@text "sqlite", $name),
                postgres: $crate::migrations!(@text "postgres", $name),
            }),+],
        }
    };
    (@text $dialect:literal, $name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"), "/migrations/", $dialect, "/", $name, ".sql"
        ))
    };
}

/// The engine's own tables.
pub const ENGINE: Line = crate::migrations!("engine"; "0001_engine", "0002_processes");

/// A step that this run applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub line: String,
    pub name: String,
}

const LEDGER: &str = "CREATE TABLE IF NOT EXISTS migrations (
    line TEXT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL,
    PRIMARY KEY (line, name))";

impl Store {
    /// Applies what is missing, all or nothing. Processes that start together take turns.
    pub async fn migrate(&self, lines: &[Line], now: Timestamp) -> Result<Vec<Applied>, Error> {
        let mut tx = self.write(&[Scope::new("migrations")]).await?;
        tx.execute(LEDGER, &[]).await?;
        let mut applied = Vec::new();
        for line in std::iter::once(&ENGINE).chain(lines) {
            for step in line.steps {
                if apply(&mut tx, line, step, now).await? {
                    applied.push(Applied { line: line.name.into(), name: step.name.into() });
                }
            }
        }
        tx.commit().await?;
        Ok(applied)
    }
}

async fn apply(tx: &mut Tx, line: &Line, step: &Step, now: Timestamp) -> Result<bool, Error> {
    let script = tx.dialect().pick(step.sqlite, step.postgres);
    let checksum = sha256_hex(script);
    let known = tx
        .optional(
            "SELECT checksum FROM migrations WHERE line = $1 AND name = $2",
            &[line.name.into(), step.name.into()],
        )
        .await?;
    if let Some(row) = known {
        if row.get::<String>("checksum")? == checksum {
            return Ok(false);
        }
        return Err(Error::Migration {
            line: line.name.into(),
            name: step.name.into(),
            reason: "was applied with other contents; this database belongs to another version"
                .into(),
        });
    }
    tx.script(script).await.map_err(|error| Error::Migration {
        line: line.name.into(),
        name: step.name.into(),
        reason: match error {
            Error::Database(source) => source.to_string(),
            other => other.to_string(),
        },
    })?;
    tx.execute(
        "INSERT INTO migrations (line, name, checksum, applied_at) VALUES ($1, $2, $3, $4)",
        &[line.name.into(), step.name.into(), checksum.into(), now.to_string().into()],
    )
    .await?;
    Ok(true)
}
