//! Backups that the house makes by itself, keeps for a while, and misses when they do not come.
//!
//! Whoever is first among the processes writes the one that is due; its row says so. Without its
//! process the row is a failure, and the next one is begun.

mod plan;
mod write;

use std::{path::PathBuf, sync::Arc, time::Duration};

use db::{
    Decision, Scope, Tx,
    backup::{Contents, Summary},
    processes,
};
use engine::Sentence;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;

use crate::{Alert, Context, Severity};
use plan::{History, Trouble};

/// How often it is looked whether something is due or wrong.
const LOOK: Duration = Duration::from_secs(30);
/// Not more often, however short the time between two of them.
const SOONEST: Duration = Duration::from_millis(100);
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
    let ended = Arc::new(Notify::new());
    // Apart from the writing: a disk that answers no more is told of too.
    let telling = tokio::spawn(keep_telling(context.clone(), schedule.every, ended.clone()));
    keep_writing(&context, &schedule, &ended).await;
    let _ = telling.await;
}

async fn keep_writing(context: &Context, schedule: &Schedule, ended: &Notify) {
    loop {
        // With the database gone there is nothing to back up; the next round looks again.
        let wait = match round(context, schedule).await {
            Ok(next) => {
                let wait = Duration::try_from(context.clock.now().duration_until(next));
                wait.unwrap_or_default().clamp(SOONEST, LOOK)
            }
            Err(error) => {
                tracing::warn!(%error, "backups could not be looked after");
                LOOK
            }
        };
        ended.notify_one();
        tokio::select! {
            () = context.stopping.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Writes what is due; answers when to look again.
async fn round(context: &Context, schedule: &Schedule) -> Result<Timestamp, db::Error> {
    if let Some(begun) = begin(context, schedule).await? {
        let before = last_good(&mut context.store.read().await?).await?;
        let written = write::write(context, schedule, &begun.file, before).await;
        end(context, &begun, written).await?;
        retire(context, schedule).await?;
    }
    let history = history(&mut context.store.read().await?).await?;
    Ok(plan::next(&history, schedule.every, context.clock.now()))
}

/// Tells what is wrong after each round, and also while one lasts.
async fn keep_telling(context: Context, every: SignedDuration, ended: Arc<Notify>) {
    let wait = Duration::try_from(every).unwrap_or_default().clamp(SOONEST, LOOK);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            () = ended.notified() => {}
            () = tokio::time::sleep(wait) => {}
        }
        if let Err(error) = look(&context, every).await {
            tracing::warn!(%error, "it could not be told how the backups are");
        }
    }
}

async fn look(context: &Context, every: SignedDuration) -> Result<(), db::Error> {
    let history = history(&mut context.store.read().await?).await?;
    if let Some((at, _)) = &history.good {
        metrics::gauge!("turno_backup_last_success_timestamp_seconds").set(at.as_second() as f64);
    }
    tell(context, plan::trouble(&history, every, context.clock.now())).await
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
    let dead = forget_the_dead(&mut decision, &context.process.name).await?;
    let seen = history(&mut decision.tx).await?;
    if seen.running || !due(&seen) {
        decision.commit().await?;
        clear(dead).await;
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
    // The first and the last good one stay: by them it is known how long there was none.
    let sql = "DELETE FROM backups WHERE id <= $1 AND state IN ('FAILED', 'REMOVED')
               AND id <> (SELECT MIN(id) FROM backups) AND id <> COALESCE(
                   (SELECT MAX(id) FROM backups WHERE state IN ('GOOD', 'REMOVED')), 0)";
    decision.tx.execute(sql, &[(id - REMEMBERED).into()]).await?;
    decision.commit().await?;
    clear(dead).await;
    Ok(Some(Begun { id, file }))
}

/// Whatever nobody writes any more has failed; answers their files. Whoever asks writes none now.
async fn forget_the_dead(decision: &mut Decision, me: &str) -> Result<Vec<PathBuf>, db::Error> {
    let all = processes::all(&mut decision.tx).await?.into_iter();
    let alive: Vec<String> = all.map(|process| process.name).filter(|name| name != me).collect();
    let sql = "SELECT id, process, file FROM backups WHERE state = 'RUNNING' LIMIT 100";
    let mut dead = Vec::new();
    for row in decision.tx.all(sql, &[]).await? {
        let process: String = row.get("process")?;
        if alive.contains(&process) {
            continue;
        }
        let told = if process == me {
            "it could not be written down how it ended"
        } else {
            "the process that wrote it is gone"
        };
        let sql = "UPDATE backups SET state = 'FAILED', ended_at = $2, told = $3
                   WHERE id = $1 AND state = 'RUNNING'";
        let args = [row.get::<i64>("id")?.into(), decision.now.into(), told.into()];
        decision.tx.execute(sql, &args).await?;
        dead.push(PathBuf::from(row.get::<String>("file")?));
    }
    Ok(dead)
}

/// Removes what is left of backups that nobody writes any more; on another machine's disk there is
/// nothing of that name here. After the commit: a disk that does not answer holds up no decision.
async fn clear(dead: Vec<PathBuf>) {
    let cleared = tokio::task::spawn_blocking(move || {
        for file in dead.iter().filter(|file| write::give_up(file)) {
            tracing::info!(file = %file.display(), "an unfinished backup was removed");
        }
    });
    let _ = cleared.await;
}

/// Where the last good one is that was not removed.
async fn last_good(tx: &mut Tx) -> Result<Option<PathBuf>, db::Error> {
    let sql = "SELECT file FROM backups WHERE state = 'GOOD' ORDER BY id DESC LIMIT 1";
    let row = tx.optional(sql, &[]).await?;
    row.map(|row| row.get::<String>("file").map(PathBuf::from)).transpose()
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
        let path = file.clone();
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_file(path)).await;
        match removed.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
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

/// Each by a query of its own: however many failed, the last good one is seen behind them.
async fn history(tx: &mut Tx) -> Result<History, db::Error> {
    let sql = "SELECT id FROM backups WHERE state = 'RUNNING' LIMIT 1";
    let running = tx.optional(sql, &[]).await?.is_some();
    let sql = "SELECT started_at FROM backups ORDER BY id LIMIT 1";
    let first = tx.optional(sql, &[]).await?;
    let sql = "SELECT id, started_at, told FROM backups WHERE state IN ('GOOD', 'REMOVED')
               ORDER BY id DESC LIMIT 1";
    let good = tx.optional(sql, &[]).await?;
    let after: i64 = good.as_ref().map(|row| row.get("id")).transpose()?.unwrap_or_default();
    let sql = "SELECT ended_at, told FROM backups WHERE state = 'FAILED' AND id > $1
               ORDER BY id DESC LIMIT 1";
    let failed = tx.optional(sql, &[after.into()]).await?;
    let good = good.map(|row| Ok::<_, db::Error>((row.get("started_at")?, row.maybe("told")?)));
    let failed = failed.map(|row| {
        let told: Option<String> = row.maybe("told")?;
        Ok::<_, db::Error>((row.get("ended_at")?, told.unwrap_or_default()))
    });
    Ok(History {
        running,
        first: first.map(|row| row.get("started_at")).transpose()?,
        good: good.transpose()?,
        failed: failed.transpose()?,
    })
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
