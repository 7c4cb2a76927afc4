//! Brings a database up to this version, with a copy of a `SQLite` file before it changes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use db::{Applied, Line, Store};
use jiff::Timestamp;
use terminal::{Exit, Installation, output};

use crate::cli::Verbosity;
use crate::database::Database;
use crate::{apps, logs};

/// How a database stands to this version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// No tables yet.
    Empty,
    Current,
    /// These steps are missing.
    Behind(Vec<String>),
    /// A later version has been here.
    Ahead(Vec<String>),
}

/// `turno migrate`.
pub(crate) async fn run(place: &Installation, verbosity: Verbosity) -> Result<(), Exit> {
    let config = apps::configure(place, apps::level(verbosity, false))?;
    logs::start(&config.log);
    let database = Database::of(&config.server);
    let store = database.open_within(config.server.database_wait).await?;
    let (store, applied) = bring_up(&database, store).await?;
    store.close().await;
    if !verbosity.quiet {
        output::say(&match applied.len() {
            0 => format!("{}: nothing to do", database.name()),
            steps => format!("{}: {steps} steps applied", database.name()),
        });
    }
    Ok(())
}

/// Applies what is missing. The store is another one afterwards if the file had to be copied.
pub(crate) async fn bring_up(
    database: &Database,
    store: Store,
) -> Result<(Store, Vec<Applied>), Exit> {
    let mut store = store;
    if let (Standing::Behind(missing), Some(file)) = (standing(&store).await?, database.file()) {
        let next = missing.first().map_or("", String::as_str);
        // SQLite's locks belong to the process: reading the file beside an open connection and
        // closing it would drop them. Closed, the file also holds what was in its log.
        store.close().await;
        let copy = set_aside(file, next).map_err(|error| {
            let message = format!("cannot copy {} before changing it: {error}", file.display());
            Exit::failed(message).hint("free some space beside it; nothing was changed")
        })?;
        tracing::info!(copy = %copy.display(), "database copied before the migration");
        store = database.open().await?;
    }
    let applied = store.migrate(&lines(), Timestamp::now()).await?;
    for step in &applied {
        tracing::info!(line = step.line, step = step.name, "migration applied");
    }
    Ok((store, applied))
}

/// For commands on a database that may be in use: a new one is filled, an old one is left to
/// `turno migrate`, because a running server may not expect the change.
pub(crate) async fn require_current(store: &Store) -> Result<(), Exit> {
    match standing(store).await? {
        Standing::Empty => store.migrate(&lines(), Timestamp::now()).await.map(drop)?,
        Standing::Current => {}
        Standing::Behind(missing) => {
            let message = format!("the database lacks {}", missing.join(", "));
            return Err(Exit::failed(message).hint("run `turno migrate` first"));
        }
        Standing::Ahead(strange) => return Err(db::Error::Newer(strange).into()),
    }
    Ok(())
}

/// Steps that a backup was taken with have to be ours.
pub(crate) fn refuse_strange(applied: &BTreeSet<String>) -> Result<(), Exit> {
    let wanted = wanted();
    let strange: Vec<String> =
        applied.iter().filter(|step| !wanted.contains(step)).cloned().collect();
    if strange.is_empty() { Ok(()) } else { Err(db::Error::Newer(strange).into()) }
}

pub(crate) async fn standing(store: &Store) -> Result<Standing, Exit> {
    let Some(applied) = store.applied_steps().await? else { return Ok(Standing::Empty) };
    let wanted = wanted();
    let strange: Vec<String> =
        applied.iter().filter(|step| !wanted.contains(step)).cloned().collect();
    let missing: Vec<String> = wanted.into_iter().filter(|step| !applied.contains(step)).collect();
    Ok(match (missing.is_empty(), strange.is_empty()) {
        (_, false) => Standing::Ahead(strange),
        (true, true) => Standing::Current,
        (false, true) => Standing::Behind(missing),
    })
}

pub(crate) fn lines() -> Vec<Line> {
    let apps = apps::all();
    std::iter::once(host::MIGRATIONS).chain(apps.iter().map(|app| app.migrations)).collect()
}

/// Every step in order, as it is written in the ledger.
fn wanted() -> Vec<String> {
    let steps = |line: Line| line.steps.iter().map(move |one| step(line.name, one.name));
    std::iter::once(db::ENGINE).chain(lines()).flat_map(steps).collect()
}

fn step(line: &str, name: &str) -> String {
    format!("{line}/{name}")
}

/// Copies a database file and, should another process keep one, its log. The copy appears under
/// its name only when it is complete.
fn set_aside(file: &Path, next: &str) -> std::io::Result<PathBuf> {
    let beside = |suffix: &str| {
        let mut name: OsString = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let next = next.replace('/', "-");
    let copy = beside(&format!(".before-{next}"));
    let (log, partial) = (beside("-wal"), beside(".partial"));
    std::fs::copy(file, &partial)?;
    if log.exists() {
        std::fs::copy(&log, beside(&format!(".before-{next}-wal")))?;
    }
    std::fs::File::open(&partial)?.sync_all()?;
    std::fs::rename(&partial, &copy)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_old_database_is_copied_before_it_changes_and_a_new_one_is_not() {
        let name = format!("turno-migrations-{}", std::process::id());
        let home = std::env::temp_dir().join(name);
        let database = Database::File(home.join("turno.db"));
        let copy = home.join("turno.db.before-host-0001_house");

        let store = database.open().await.unwrap();
        assert_eq!(standing(&store).await, Ok(Standing::Empty));
        // A version that knew only the engine's own tables.
        store.migrate(&[], Timestamp::now()).await.unwrap();
        assert!(matches!(standing(&store).await, Ok(Standing::Behind(_))));
        assert!(require_current(&store).await.is_err(), "left to `turno migrate`");
        let (store, applied) = bring_up(&database, store).await.unwrap();
        assert_eq!(applied.first().map(|step| step.line.as_str()), Some("host"));
        assert_eq!(standing(&store).await, Ok(Standing::Current));
        let old = Database::File(copy.clone()).open().await.unwrap();
        assert!(matches!(standing(&old).await, Ok(Standing::Behind(_))), "the copy is the old one");
        old.close().await;

        std::fs::remove_file(&copy).unwrap();
        let (store, applied) = bring_up(&database, store).await.unwrap();
        assert!(applied.is_empty() && !copy.exists(), "nothing to change, nothing to copy");
        store.close().await;
        std::fs::remove_dir_all(&home).unwrap();
    }
}
