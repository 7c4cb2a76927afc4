//! `turno backup` and `turno restore`, and what the server needs to back itself up.

use std::path::Path;
use std::sync::Arc;

use db::backup::{self, BackupError, Contents, Files, Manifest, Summary};
use host::Schedule;
use jiff::Timestamp;
use serde_json::json;
use terminal::{Code, Exit, output, with_causes};

use crate::cli::{Backup, Restore, Verbosity};
use crate::config::Config;
use crate::database::Database;
use crate::{apps, logs, migrations, secrets};

/// What the key signs to be known again.
const MARK: &str = "turno: the key of this backup";

pub(crate) async fn backup(args: &Backup) -> Result<(), Exit> {
    let config = apps::configure(&args.read.place, None)?;
    if args.file.exists() && !args.force {
        let message = format!("{} exists already", args.file.display());
        let hint = "choose another name, or --force to write over it";
        return Err(Exit::new(Code::Conflict, message).hint(hint));
    }
    let store = Database::of(&config.server).open_existing().await?;
    let mut contents = contents(&config)?;
    if args.rows_only {
        let owners = contents.files.iter().map(|place| place.owner().to_owned());
        contents.left_out = owners.collect();
        contents.files.clear();
    }
    let summary = backup::write(&store, &args.file, &contents, Timestamp::now())
        .await
        .map_err(|error| explained(error, &args.file))?;
    report("written", &args.file, &summary, args.read.json);
    warn(&summary);
    if !args.read.json {
        eprintln!("{}", beside(&config));
    }
    Ok(())
}

pub(crate) async fn restore(args: &Restore, verbosity: Verbosity) -> Result<(), Exit> {
    let config = apps::configure(&args.read.place, apps::level(verbosity, false))?;
    // Read before anything is made: a broken file leaves no empty database behind.
    let checked = backup::check(&args.file).await;
    let (manifest, summary) = checked.map_err(|error| explained(error, &args.file))?;
    migrations::refuse_strange(&manifest.migrations)?;
    if args.verify {
        report("usable", &args.file, &summary, args.read.json);
        warn(&summary);
        return Ok(());
    }
    logs::start(&config.log);
    let places = places(&config)?;
    let store = Database::of(&config.server).open().await?;
    let places = (!args.rows_only).then_some(places.as_slice());
    let lines = migrations::lines();
    let restored = backup::restore(&store, &args.file, places, &lines, Timestamp::now()).await;
    let summary = restored.map_err(|error| explained(error, &args.file))?;
    report("restored", &args.file, &summary, args.read.json);
    warn(&summary);
    if let Some(told) = foreign_key(&config, &manifest) {
        eprintln!("warning: {told}");
    }
    Ok(())
}

/// The backups that a server makes by itself, if it is told to.
pub(crate) fn schedule(config: &Config) -> Result<Option<Schedule>, Exit> {
    let Some(every) = config.backup.every else { return Ok(None) };
    let (keep, folder) = (config.backup.keep, config.backup.folder.clone());
    Ok(Some(Schedule { every, keep, folder, contents: contents(config)? }))
}

fn contents(config: &Config) -> Result<Contents, Exit> {
    Ok(Contents {
        files: places(config)?,
        left_out: Vec::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        key: key_mark(config),
    })
}

/// Where applications keep files: all of them, whether they run here or not.
fn places(config: &Config) -> Result<Vec<Arc<dyn Files>>, Exit> {
    let found = apps::all().into_iter().map(|app| (app.files)(&config.server.data_dir));
    found.filter_map(Result::transpose).collect()
}

/// By this a key is known, and not found out.
fn key_mark(config: &Config) -> Option<String> {
    let server = &config.server;
    // A backup is no reason to make a key.
    let there = server.secrets_key.is_some() || server.secrets_key_file.exists();
    Some(there.then(|| secrets::vault(server))?.ok()?.sign(MARK))
}

fn foreign_key(config: &Config, manifest: &Manifest) -> Option<String> {
    let wanted = manifest.key.as_ref()?;
    let file = config.server.secrets_key_file.display();
    match key_mark(config) {
        Some(mark) if mark == *wanted => None,
        Some(_) => Some(format!(
            "{file} is not the key that sealed the secrets of this backup: put that one there, or \
             enter the secrets again"
        )),
        None => Some(format!(
            "the key that sealed its secrets is not in a backup: put it at {file} before the \
             server starts, or enter the secrets again"
        )),
    }
}

fn report(done: &str, file: &Path, summary: &Summary, as_json: bool) {
    let Summary { tables, rows, files, bytes, missing, damaged, named, left_out } = summary;
    if as_json {
        let file = file.display().to_string();
        output::say_json(&json!({ "file": file, "result": done, "tables": tables, "rows": rows,
            "files": files, "bytes": bytes, "missing": missing, "damaged": damaged,
            "named": named, "left_out": left_out }));
    } else {
        let file = file.display();
        output::say(&format!(
            "{file}: {done}, {rows} rows of {tables} tables, {files} files of {bytes} bytes"
        ));
    }
}

/// Says loudly what is not in a backup.
fn warn(summary: &Summary) {
    let Summary { missing, damaged, named, left_out, .. } = summary;
    if missing + damaged > 0 {
        eprintln!(
            "warning: rows speak of {missing} files that were not there and {damaged} that were not \
             as they had been stored: {}",
            named.join(", ")
        );
    }
    if !left_out.is_empty() {
        let owners = left_out.join(", ");
        eprintln!("warning: the files of {owners} are NOT in it; without them documents are lost");
    }
}

/// What a restored house needs besides, and why it is not in the file.
fn beside(config: &Config) -> String {
    let key = config.server.secrets_key_file.display();
    format!(
        "not in it: the key of sealed secrets ({key}), turno.toml and variables, the directory of \
         workflows, the models. Keep the key in another place than the backup."
    )
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
        BackupError::Files { .. } => {
            let hint = "mend the storage, or leave its files alone with --rows-only";
            Exit::failed(message).hint(hint)
        }
    }
}
