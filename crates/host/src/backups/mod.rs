//! Backups that the house makes by itself, keeps for a while, and misses when they do not come.
//!
//! Whoever is first among the processes writes the one that is due; its row says so. Without its
//! process the row is a failure, and the next one is begun.

mod plan;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use db::{
    Decision, Row, Scope, Tx,
    backup::{self, BackupError, Contents, Summary},
    processes,
};
use engine::Sentence;
use jiff::{SignedDuration, Timestamp};

use crate::{Alert, Context, Severity};
use plan::{History, Trouble};

/// How often it is looked whether something is due or wrong.
const LOOK: Duration = Duration::from_secs(30);
/// Rows that tell of backups long gone.
const REMEMBERED: i64 = 1_000;
const ALERT: &str = "host/backup";

/// How often the house backs itself up, where to, and how many stay.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub every: SignedDuration,
    pub keep: u32,
    pub folder: PathBuf,
    pub contents: Contents,
}

/// A backup that this process is to write.
struct Begun {
    id: i64,
    file: PathBuf,
}

fn scope() -> Scope {
    Scope::new("backups")
}

pub(crate) async fn run(context: Context, schedule: Schedule) {
    loop {
        // With the database gone there is nothing to back up; the next round looks again.
        let wait = match round(&context, &schedule).await {
            Ok(next) => {
                let wait = Duration::try_from(context.clock.now().duration_until(next));
                wait.unwrap_or_default().clamp(Duration::from_millis(100), LOOK)
            }
            Err(error) => {
                tracing::warn!(%error, "backups could not be looked after");
                LOOK
            }
        };
        tokio::select! {
            () = context.stopping.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Writes what is due and tells what is wrong; answers when to look again.
async fn round(context: &Context, schedule: &Schedule) -> Result<Timestamp, db::Error> {
    if let Some(begun) = begin(context, schedule).await? {
        let written = tokio::select! {
            written = write(context, schedule, &begun.file) => written,
            () = context.stopping.cancelled() => {
                let _ = std::fs::remove_file(begun.file.with_extension("partial"));
                Err("the server stopped while it was written".to_owned())
            }
        };
        end(context, &begun, written).await?;
        retire(context, schedule).await?;
    }
    let (history, now) = (history(&mut context.store.read().await?).await?, context.clock.now());
    if let Some((at, _)) = &history.good {
        metrics::gauge!("turno_backup_last_success_timestamp_seconds").set(at.as_second() as f64);
    }
    tell(context, plan::trouble(&history, schedule.every, now)).await?;
    Ok(plan::next(&history, schedule.every, now))
}

/// Takes the backup that is due, unless somebody has it.
async fn begin(context: &Context, schedule: &Schedule) -> Result<Option<Begun>, db::Error> {
    let now = context.clock.now();
    let seen = history(&mut context.store.read().await?).await?;
    let due = |history: &History| plan::next(history, schedule.every, now) <= now;
    if !seen.running && !due(&seen) {
        return Ok(None);
    }
    let mut decision = context.store.decide(&scope(), now).await?;
    forget_the_dead(&mut decision).await?;
    let seen = history(&mut decision.tx).await?;
    if seen.running || !due(&seen) {
        decision.commit().await?;
        return Ok(None);
    }
    let name = format!("turno-{}.gz", now.strftime("%Y%m%dT%H%M%S%.6fZ"));
    let file = schedule.folder.join(name);
    let sql = "INSERT INTO backups (process, host, file, state, started_at)
               VALUES ($1, $2, $3, 'RUNNING', $4) RETURNING id";
    let args = [
        context.process.name.as_str().into(),
        context.process.host().into(),
        file.display().to_string().into(),
        now.into(),
    ];
    let id: i64 = decision.tx.one(sql, &args).await?.get("id")?;
    let sql = "DELETE FROM backups WHERE id <= $1 AND state IN ('FAILED', 'REMOVED')";
    decision.tx.execute(sql, &[(id - REMEMBERED).into()]).await?;
    decision.commit().await?;
    Ok(Some(Begun { id, file }))
}

async fn forget_the_dead(decision: &mut Decision) -> Result<(), db::Error> {
    let alive: Vec<String> =
        processes::all(&mut decision.tx).await?.into_iter().map(|process| process.name).collect();
    let sql = "SELECT id, process FROM backups WHERE state = 'RUNNING' LIMIT 100";
    for row in decision.tx.all(sql, &[]).await? {
        if alive.contains(&row.get::<String>("process")?) {
            continue;
        }
        let sql = "UPDATE backups SET state = 'FAILED', ended_at = $2,
                   told = 'the process that wrote it is gone' WHERE id = $1 AND state = 'RUNNING'";
        let args = [row.get::<i64>("id")?.into(), decision.now.into()];
        decision.tx.execute(sql, &args).await?;
    }
    Ok(())
}

async fn write(context: &Context, schedule: &Schedule, file: &Path) -> Result<Summary, String> {
    make_private(&schedule.folder).map_err(|error| {
        format!("the directory {} cannot be made: {error}", schedule.folder.display())
    })?;
    let now = context.clock.now();
    let written = backup::write(&context.store, file, &schedule.contents, now).await;
    written.map_err(|error: BackupError| terminal::with_causes(&error))
}

/// Backups hold what the database holds: nobody else looks into their directory.
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

async fn end(
    context: &Context,
    begun: &Begun,
    written: Result<Summary, String>,
) -> Result<(), db::Error> {
    let file = begun.file.display();
    let (state, told, rows, files) = match written {
        Ok(summary) => {
            let (rows, files) = (summary.rows, summary.files);
            tracing::info!(%file, rows, files, bytes = summary.bytes, "backup written");
            ("GOOD", lacking(&summary), Some(rows as i64), Some(files as i64))
        }
        Err(why) => {
            tracing::error!(%file, why, "backup failed");
            ("FAILED", Some(why), None, None)
        }
    };
    let mut decision = context.store.decide(&scope(), context.clock.now()).await?;
    let sql = "UPDATE backups SET state = $2, ended_at = $3, told = $4, row_count = $5,
               file_count = $6 WHERE id = $1 AND state = 'RUNNING'";
    let args = [
        begun.id.into(),
        state.into(),
        decision.now.into(),
        told.into(),
        rows.into(),
        files.into(),
    ];
    decision.tx.execute(sql, &args).await?;
    decision.commit().await.map(drop)
}

/// What a good backup could not hold, in a sentence.
fn lacking(summary: &Summary) -> Option<String> {
    let Summary { missing, damaged, named, .. } = summary;
    (missing + damaged > 0)
        .then(|| format!("{missing} files missing, {damaged} not as stored: {}", named.join(", ")))
}

/// Removes the oldest good ones beyond those that are kept; of another machine's disk nothing.
async fn retire(context: &Context, schedule: &Schedule) -> Result<(), db::Error> {
    let sql = "SELECT id, host, file FROM backups WHERE state = 'GOOD' ORDER BY id DESC LIMIT 1000";
    let good = context.store.read().await?.all(sql, &[]).await?;
    for row in good.iter().skip(schedule.keep as usize) {
        let (id, file): (i64, String) = (row.get("id")?, row.get("file")?);
        let here = row.get::<String>("host")? == context.process.host();
        match std::fs::remove_file(&file) {
            Ok(()) => tracing::info!(file, "an old backup was removed"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && here => {}
            Err(error) => {
                if here {
                    tracing::warn!(file, %error, "an old backup stays");
                }
                continue;
            }
        }
        let mut decision = context.store.decide(&scope(), context.clock.now()).await?;
        let sql = "UPDATE backups SET state = 'REMOVED' WHERE id = $1 AND state = 'GOOD'";
        decision.tx.execute(sql, &[id.into()]).await?;
        decision.commit().await?;
    }
    Ok(())
}

async fn history(tx: &mut Tx) -> Result<History, db::Error> {
    let sql =
        "SELECT id, state, started_at, ended_at, told FROM backups ORDER BY id DESC LIMIT 200";
    let rows = tx.all(sql, &[]).await?;
    let mut history = History::default();
    for row in &rows {
        let state: String = row.get("state")?;
        let told: Option<String> = row.maybe("told")?;
        match state.as_str() {
            "RUNNING" => history.running = true,
            "GOOD" | "REMOVED" if history.good.is_none() => {
                history.good = Some((row.get("started_at")?, told));
            }
            "FAILED" if history.good.is_none() && history.failed.is_none() => {
                history.failed = Some((row.get("ended_at")?, told.unwrap_or_default()));
            }
            _ => {}
        }
    }
    history.first = rows.last().map(|row: &Row| row.get("started_at")).transpose()?;
    Ok(history)
}

async fn tell(context: &Context, trouble: Option<Trouble>) -> Result<(), db::Error> {
    let (severity, title, detail) = match trouble {
        None => return context.resolve(ALERT).await,
        Some(Trouble::Old { since, why }) => (
            Severity::Critical,
            Sentence::new("Sin copia de seguridad reciente", "No recent backup"),
            format!("{since}{}", why.map(|why| format!(": {why}")).unwrap_or_default()),
        ),
        Some(Trouble::Failed(why)) => (
            Severity::Warning,
            Sentence::new("La copia de seguridad falló", "The backup failed"),
            why,
        ),
        Some(Trouble::Incomplete(lacks)) => (
            Severity::Warning,
            Sentence::new("A la copia de seguridad le faltan archivos", "The backup lacks files"),
            lacks,
        ),
    };
    let alert = Alert::new("host", ALERT, severity, title, Sentence::same(detail));
    context.raise(alert.shown_at("/sistema", "")).await
}
