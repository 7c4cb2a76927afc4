//! `turno backup` and `turno restore`.

use std::path::Path;

use db::backup::{self, BackupError, Summary};
use jiff::Timestamp;
use serde_json::json;
use terminal::{Code, Exit, output, with_causes};

use crate::cli::{Backup, Restore, Verbosity};
use crate::database::Database;
use crate::{apps, logs, migrations};

pub(crate) async fn backup(args: &Backup) -> Result<(), Exit> {
    let config = apps::configure(&args.read.place, None)?;
    if args.file.exists() && !args.force {
        let message = format!("{} exists already", args.file.display());
        let hint = "choose another name, or --force to write over it";
        return Err(Exit::new(Code::Conflict, message).hint(hint));
    }
    let store = Database::of(&config.server).open_existing().await?;
    let summary = backup::write(&store, &args.file, Timestamp::now())
        .await
        .map_err(|error| explained(error, &args.file))?;
    report("written", &args.file, &summary, args.read.json);
    Ok(())
}

pub(crate) async fn restore(args: &Restore, verbosity: Verbosity) -> Result<(), Exit> {
    let config = apps::configure(&args.read.place, apps::level(verbosity))?;
    if args.check {
        let summary = backup::check(&args.file).map_err(|error| explained(error, &args.file))?;
        report("usable", &args.file, &summary, args.read.json);
        return Ok(());
    }
    // Read before anything is made: a broken file leaves no empty database behind.
    backup::check(&args.file).map_err(|error| explained(error, &args.file))?;
    logs::start(&config.log);
    let store = Database::of(&config.server).open().await?;
    migrations::require_current(&store).await?;
    let summary =
        backup::restore(&store, &args.file).await.map_err(|error| explained(error, &args.file))?;
    report("restored", &args.file, &summary, args.read.json);
    Ok(())
}

fn report(done: &str, file: &Path, summary: &Summary, as_json: bool) {
    let Summary { tables, rows } = summary;
    if as_json {
        let file = file.display().to_string();
        output::say_json(&json!({ "file": file, "result": done, "tables": tables, "rows": rows }));
    } else {
        output::say(&format!("{}: {done}, {rows} rows of {tables} tables", file.display()));
    }
}

fn explained(error: BackupError, file: &Path) -> Exit {
    let message = format!("{}: {}", file.display(), with_causes(&error));
    match error {
        BackupError::Store(error) => error.into(),
        BackupError::File(error) => match error.kind() {
            std::io::ErrorKind::NotFound => Exit::new(Code::NotFound, message),
            std::io::ErrorKind::PermissionDenied => Exit::new(Code::NotAuthorised, message),
            _ => Exit::failed(message),
        },
        BackupError::Unusable(_) => {
            let hint = "a backup goes into a new database: --data-dir or --database-url names one";
            Exit::failed(message).hint(hint)
        }
    }
}
