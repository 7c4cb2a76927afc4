//! The key that seals secrets in the database: a file of its own, made at the first start.

use std::{
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use host::{KEY, Vault};
use terminal::Exit;

/// Opens the vault with the key in this file; a missing file is made, readable by its owner only.
pub(crate) fn vault(file: &Path) -> Result<Vault, Exit> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(file),
        read => read,
    };
    let text = text.map_err(|error| {
        Exit::failed(format!("the key of sealed secrets, {}: {error}", file.display()))
            .hint("see server.secrets_key_file")
    })?;
    let key = read(text.trim()).ok_or_else(|| {
        Exit::failed(format!("{} is no key: 64 hexadecimal digits are needed", file.display()))
            .hint("put the right file back; secrets sealed with another key must be entered again")
    })?;
    Ok(Vault::new(&key))
}

fn read(text: &str) -> Option<[u8; KEY]> {
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
        let sealed = vault(&file).unwrap().seal(b"public", "olt/1");
        assert_eq!(vault(&file).unwrap().open(&sealed, "olt/1").unwrap(), b"public");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "no draft is left");
        for broken in ["", "abc", &"é".repeat(32), &"g".repeat(64)] {
            fs::write(&file, broken).unwrap();
            assert!(vault(&file).is_err(), "{broken:?}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
