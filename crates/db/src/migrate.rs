//! Forward-only migrations. Each owner (the engine, every application) is a *line* with its own
//! numbered steps, and every step exists in both dialects under one name.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{Error, Row, Scope, Store, Tx, sha256_hex};

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
    /// Applies what is missing, all or nothing. Processes that start together take turns. A database
    /// that a later version has changed is left alone.
    pub async fn migrate(&self, lines: &[Line], now: Timestamp) -> Result<Vec<Applied>, Error> {
        self.bring_to(lines, |_| true, now).await
    }

    /// Makes the tables as they were when just these steps (`line/name`) had been applied, for rows of
    /// that time. A step that no line has was made by a later version.
    pub async fn migrate_as(
        &self,
        lines: &[Line],
        steps: &BTreeSet<String>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let known = || std::iter::once(&ENGINE).chain(lines);
        let named = |step: &&String| {
            known().any(|line| line.steps.iter().any(|one| line.label(one) == **step))
        };
        let strange: Vec<String> = steps.iter().filter(|step| !named(step)).cloned().collect();
        if !strange.is_empty() {
            return Err(Error::Newer(strange));
        }
        self.bring_to(lines, |step| steps.contains(step), now).await.map(drop)
    }

    /// The steps (`line/name`) that were applied; none: there are no tables yet.
    pub async fn applied_steps(&self) -> Result<Option<BTreeSet<String>>, Error> {
        let mut tx = self.read().await?;
        let sql = tx.dialect().pick(
            "SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'migrations'",
            "SELECT COUNT(*) AS n FROM pg_tables
             WHERE schemaname = current_schema() AND tablename = 'migrations'",
        );
        if tx.one(sql, &[]).await?.get::<i64>("n")? == 0 {
            return Ok(None);
        }
        let rows = tx.all("SELECT line, name FROM migrations", &[]).await?;
        let label = |row: &Row| {
            Ok(format!("{}/{}", row.get::<String>("line")?, row.get::<String>("name")?))
        };
        rows.iter().map(label).collect::<Result<_, Error>>().map(Some)
    }

    async fn bring_to(
        &self,
        lines: &[Line],
        wanted: impl Fn(&str) -> bool,
        now: Timestamp,
    ) -> Result<Vec<Applied>, Error> {
        let mut tx = self.write(&[Scope::new("migrations")]).await?;
        tx.execute(LEDGER, &[]).await?;
        let mut applied = Vec::new();
        for line in std::iter::once(&ENGINE).chain(lines) {
            refuse_newer(&mut tx, line).await?;
            for step in line.steps.iter().filter(|step| wanted(&line.label(step))) {
                if apply(&mut tx, line, step, now).await? {
                    applied.push(Applied { line: line.name.into(), name: step.name.into() });
                }
            }
        }
        tx.commit().await?;
        Ok(applied)
    }
}

impl Line {
    fn label(&self, step: &Step) -> String {
        format!("{}/{}", self.name, step.name)
    }
}

/// Steps of our own lines that we do not know were added later.
async fn refuse_newer(tx: &mut Tx, line: &Line) -> Result<(), Error> {
    let sql = "SELECT name FROM migrations WHERE line = $1 ORDER BY name";
    let mut strange = Vec::new();
    for row in tx.all(sql, &[line.name.into()]).await? {
        let name: String = row.get("name")?;
        if line.steps.iter().all(|step| step.name != name) {
            strange.push(format!("{}/{name}", line.name));
        }
    }
    if strange.is_empty() { Ok(()) } else { Err(Error::Newer(strange)) }
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
