//! Writing a backup: not into the room that is kept for what was accepted.
//!
//! It has a thread of its own: a disk that answers no more keeps that one and nobody else.

use std::{
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use db::backup::{self, BackupError, Summary};

use super::Schedule;
use crate::Context;

/// How often it is looked whether there is still room, and more than is written in between: what is
/// handed on already is written yet, and the reserve is not to be touched.
const LOOK: Duration = Duration::from_millis(100);
const AHEAD: u64 = 64 << 20;

/// Writes a backup to `file`. `before` is the last good one, by whose size room is asked for.
pub(super) async fn write(
    context: &Context,
    schedule: &Schedule,
    file: &Path,
    before: Option<PathBuf>,
) -> Result<Summary, String> {
    let (context, schedule, file) = (context.clone(), schedule.clone(), file.to_owned());
    let runtime = tokio::runtime::Handle::current();
    let written = tokio::task::spawn_blocking(move || {
        runtime.block_on(here(&context, &schedule, &file, before.as_deref()))
    });
    written.await.unwrap_or_else(|error| Err(error.to_string()))
}

async fn here(
    context: &Context,
    schedule: &Schedule,
    file: &Path,
    before: Option<&Path>,
) -> Result<Summary, String> {
    let folder = &schedule.folder;
    make_private(folder)
        .map_err(|error| format!("the directory {} cannot be made: {error}", folder.display()))?;
    // On a disk of their own backups take nothing from what was accepted.
    let shared = same_disk(folder, &context.options.data_dir);
    let refuses = |bytes: u64| context.options.room.refuses(bytes).filter(|_| shared);
    let expected =
        before.and_then(|last| std::fs::metadata(last).ok()).map_or(0, |last| last.len());
    if let Some(why) = refuses(expected.max(AHEAD)) {
        return Err(why);
    }
    let now = context.clock.now();
    let writing = async {
        let written = backup::write(&context.store, file, &schedule.contents, now).await;
        written.map_err(|error: BackupError| terminal::with_causes(&error))
    };
    tokio::select! {
        written = writing => written,
        why = shortage(|| refuses(AHEAD)) => {
            give_up(file);
            Err(format!("it was given up while it was written: {why}"))
        }
        () = context.stopping.cancelled() => {
            give_up(file);
            Err("the server stopped while it was written".to_owned())
        }
    }
}

/// Waits until there is no room any more, and answers why.
async fn shortage(refused: impl Fn() -> Option<String>) -> String {
    loop {
        tokio::time::sleep(LOOK).await;
        if let Some(why) = refused() {
            return why;
        }
    }
}

/// Removes what was written of a backup that nobody finishes. Answers whether there was something.
pub(super) fn give_up(file: &Path) -> bool {
    std::fs::remove_file(file.with_extension("partial")).is_ok()
}

/// Whether both take from the same room. What cannot be looked at is taken to.
fn same_disk(one: &Path, other: &Path) -> bool {
    let disk = |path: &Path| std::fs::metadata(path).ok().map(|found| found.dev());
    match (disk(one), disk(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// Backups hold what the database holds: nobody else looks into their directory.
fn make_private(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test]
    async fn a_shortage_is_seen_while_it_is_written() {
        let looks = Cell::new(0);
        let why = shortage(|| {
            looks.set(looks.get() + 1);
            (looks.get() == 3).then(|| "full".to_owned())
        });
        assert_eq!(why.await, "full");
        assert_eq!(looks.get(), 3);
    }

    #[test]
    fn only_the_unfinished_file_is_given_up() {
        let folder = std::env::temp_dir().join(format!("give_up_{}", std::process::id()));
        make_private(&folder).unwrap();
        let file = folder.join("turno-1.gz");
        for path in [&file, &file.with_extension("partial")] {
            std::fs::write(path, "x").unwrap();
        }
        assert!(give_up(&file) && !give_up(&file));
        assert!(file.exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn another_disk_is_known() {
        assert!(same_disk(Path::new("/proc/self"), Path::new("/proc")));
        assert!(!same_disk(Path::new("/proc"), &std::env::temp_dir()));
        assert!(same_disk(Path::new("/not/there"), Path::new("/proc")), "fail closed");
    }
}
