//! The key that seals secrets in the database: a file of its own, made at the first start.

use std::{
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use db::{
    Scope, Store,
    audit::Entry,
    processes::{Process, SILENCE},
};
use host::{KEY, Vault};
use jiff::Timestamp;
use terminal::{Code, Exit, output};

use crate::cli::Rotate;
use crate::config::{Config, ServerConfig};
use crate::database::Database;
use crate::{apps, migrations};

/// The vault of an installation: with the key that was given, else with the one in its file.
pub(crate) fn vault(server: &ServerConfig) -> Result<Vault, Exit> {
    match server.secrets_key.as_ref().and_then(|key| read(key.expose())) {
        Some(key) => Ok(Vault::new(&key)),
        None => from_file(&server.secrets_key_file),
    }
}

/// `turno secrets rotate`: everything sealed is sealed with a new key, in one commit. The new key lies
/// beside the old one until then; a rotation that was interrupted is finished by the next.
pub(crate) async fn rotate(args: &Rotate) -> Result<(), Exit> {
    let config = apps::configure(&args.place, None)?;
    let server = &config.server;
    let store = Database::of(server).open_existing().await?;
    migrations::require_current(&store).await?;
    nobody_serves(&store).await?;
    let given = server.secrets_key.as_ref().and_then(|key| read(key.expose()));
    let (old, new, draft) = match (given, &args.new_key_file) {
        (Some(old), Some(file)) => (old, key_in(file)?, None),
        (Some(_), None) => {
            let message = "the key comes from the configuration, so the new one has to, too";
            return Err(Exit::usage(message).hint(
                "write 64 hexadecimal digits into a file, name it with --new-key-file, and give \
                 every process the same as TURNO_SECRETS_KEY",
            ));
        }
        (None, Some(_)) => {
            return Err(Exit::usage("--new-key-file is for a key that comes from the environment"));
        }
        (None, None) => {
            let file = &server.secrets_key_file;
            let draft = draft_of(file);
            if !draft.exists() {
                make(&draft).map_err(|error| unwritten(&draft, &error))?;
            }
            (key_in(file)?, key_in(&draft)?, Some((draft, file)))
        }
    };
    let sealed = reseal(&store, &config, &old, &new).await?;
    if let Some((draft, file)) = draft {
        fs::rename(&draft, file).map_err(|error| unwritten(file, &error))?;
    }
    output::say(&format!("{sealed} secrets are sealed with the new key"));
    Ok(())
}

async fn nobody_serves(store: &Store) -> Result<(), Exit> {
    let now = Timestamp::now();
    let all = db::processes::all(&mut store.read().await?).await?;
    let lives = |one: &Process| now.duration_since(one.beat_at) <= SILENCE;
    if !all.iter().any(lives) {
        return Ok(());
    }
    Err(Exit::new(Code::Conflict, "a server of this installation runs")
        .hint("stop every process first: it would go on sealing with the old key"))
}

async fn reseal(
    store: &Store,
    config: &Config,
    old: &[u8; KEY],
    new: &[u8; KEY],
) -> Result<usize, Exit> {
    let vault = Vault::opening_also(new, Vault::new(old));
    let settings = apps::fixed_settings(config)?.sealed_by(Arc::new(vault.clone()));
    let now = Timestamp::now();
    let mut decision = store.decide(&Scope::new("settings"), now).await?;
    let (mut sealed, lost) = settings.reseal(&mut decision.tx, &vault).await?;
    for app in apps::all() {
        sealed += (app.reseal)(&mut decision.tx, &vault).await?;
    }
    decision.audit(Entry {
        app: "host",
        actor: "cli".into(),
        role: "ADMIN".into(),
        action: "secrets.rotate".into(),
        subject: "secrets".into(),
        before: None,
        after: Some(sealed.into()),
        reason: None,
    });
    decision.commit().await?;
    for key in lost {
        output::say(&format!("{key} could not be opened; it has to be entered again"));
    }
    Ok(sealed)
}

/// Where the next key lies until everything is sealed with it.
fn draft_of(file: &Path) -> PathBuf {
    file.with_extension("next")
}

fn unwritten(file: &Path, error: &io::Error) -> Exit {
    Exit::failed(format!("{} cannot be written: {error}", file.display()))
}

fn key_in(file: &Path) -> Result<[u8; KEY], Exit> {
    let text = fs::read_to_string(file).map_err(|error| {
        Exit::failed(format!("the key of sealed secrets, {}: {error}", file.display()))
    })?;
    read(text.trim()).ok_or_else(|| no_key(file))
}

fn no_key(file: &Path) -> Exit {
    Exit::failed(format!("{} is no key: 64 hexadecimal digits are needed", file.display()))
        .hint("put the right file back; secrets sealed with another key must be entered again")
}

/// Opens the vault with the key in this file; a missing file is made, readable by its owner only.
fn from_file(file: &Path) -> Result<Vault, Exit> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(file),
        read => read,
    };
    let text = text.map_err(|error| {
        Exit::failed(format!("the key of sealed secrets, {}: {error}", file.display()))
            .hint("see server.secrets_key_file")
    })?;
    if draft_of(file).exists() {
        return Err(Exit::failed("the key of sealed secrets was being changed")
            .hint("finish it: turno secrets rotate"));
    }
    let key = read(text.trim()).ok_or_else(|| no_key(file))?;
    Ok(Vault::new(&key))
}

pub(crate) fn read(text: &str) -> Option<[u8; KEY]> {
    let mut key = [0; KEY];
    if text.len() != 2 * KEY || !text.is_ascii() {
        return None;
    }
    for (byte, place) in key.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[place..place + 2], 16).ok()?;
    }
    Some(key)
}

/// Whoever comes second reads what the first one made: the file appears whole or not at all.
fn make(file: &Path) -> io::Result<String> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let key: [u8; KEY] = rand::random();
    let text = key.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let draft = file.with_extension(format!("{}.tmp", std::process::id()));
    let mut kept = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    kept.write_all(text.as_bytes())?;
    kept.sync_all()?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::read_to_string(file),
        linked => linked.map(|()| text),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_made_once_kept_and_private_and_a_broken_one_is_refused() {
        let folder = std::env::temp_dir().join(format!("turno_key_{}", std::process::id()));
        let file = folder.join("deep/secrets.key");
        let sealed = from_file(&file).unwrap().seal(b"public", "olt/1");
        assert_eq!(from_file(&file).unwrap().open(&sealed, "olt/1").unwrap(), b"public");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "no draft is left");
        for broken in ["", "abc", &"é".repeat(32), &"g".repeat(64)] {
            fs::write(&file, broken).unwrap();
            assert!(from_file(&file).is_err(), "{broken:?}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
