//! Backups by the clock, as the operator wants them.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Span, SpanRelativeTo};

use super::sections::Reader;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const YEAR: SignedDuration = SignedDuration::from_hours(366 * 24);

#[derive(Debug, Clone)]
pub(crate) struct BackupConfig {
    /// None: the house makes none by itself.
    pub(crate) every: Option<SignedDuration>,
    pub(crate) keep: u32,
    pub(crate) folder: PathBuf,
}

impl Reader<'_> {
    pub(crate) fn backup(&mut self, data_dir: &Path) -> Option<BackupConfig> {
        let every = self.text("backup.every", interval);
        let keep = self.number("backup.keep", 1..=1000);
        let folder = self.text("backup.folder", |path| Ok(PathBuf::from(path)));
        let folder = folder.filter(|path| !path.as_os_str().is_empty());
        Some(BackupConfig {
            every: every?,
            keep: u32::try_from(keep?).ok()?,
            folder: folder.unwrap_or_else(|| data_dir.join("backups")),
        })
    }
}

fn interval(text: &str) -> Result<Option<SignedDuration>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let span: Option<Span> = text.parse().ok();
    let length = span.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
    match length {
        Some(length) if (MINUTE..=YEAR).contains(&length) => Ok(Some(length)),
        _ => Err(format!("\"{text}\" is not a time from 1m to 366d, such as 24h")),
    }
}
