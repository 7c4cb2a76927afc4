//! Backups that the house makes by itself, keeps for a while, and misses when they do not come.
//!
//! Whoever is first among the processes writes the one that is due; its row says so. Without its
//! process the row is a failure, and the next one is begun.

pub(crate) mod plan;
mod write;

use std::{path::PathBuf, sync::Arc, time::Duration};

use db::{
    Decision, Scope,
    backup::{Contents, Summary},
    processes,
};
use engine::Sentence;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;

use crate::{
    Alert, Context, Severity,
    store::backups::{self as rows, Ending},
};
use plan::{History, Trouble};

/// How often it is looked whether something is due or wrong.
const LOOK: Duration = Duration::from_secs(30);
/// Not more often, however short the time between two of them.
const SOONEST: Duration = Duration::from_millis(100);
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
        let good = rows::good(&mut context.store.read().await?).await?;
        let before = good.into_iter().next().map(|backup| backup.file);
        let written = write::write(context, schedule, &begun.file, before).await;
        end(context, &begun, written).await?;
        retire(context, schedule).await?;
    }
    let history = rows::history(&mut context.store.read().await?).await?;
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
    let history = rows::history(&mut context.store.read().await?).await?;
    if let Some((at, _)) = &history.good {
        metrics::gauge!("turno_backup_last_success_timestamp_seconds").set(at.as_second() as f64);
    }
    tell(context, plan::trouble(&history, every, context.clock.now())).await
}

/// Takes the backup that is due, unless somebody has it.
async fn begin(context: &Context, schedule: &Schedule) -> Result<Option<Begun>, db::Error> {
    let now = context.clock.now();
    let seen = rows::history(&mut context.store.read().await?).await?;
    let due = |history: &History| plan::next(history, schedule.every, now) <= now;
    if !seen.running && !due(&seen) {
        return Ok(None);
    }
    let mut decision = context.store.decide(&scope(), now).await?;
    let dead = forget_the_dead(&mut decision, &context.process.name).await?;
    let seen = rows::history(&mut decision.tx).await?;
    if seen.running || !due(&seen) {
        decision.commit().await?;
        clear(dead).await;
        return Ok(None);
    }
    let name = format!("turno-{}.gz", now.strftime("%Y%m%dT%H%M%S%.6fZ"));
    let file = schedule.folder.join(name);
    let (process, host) = (&context.process.name, context.process.host());
    let name = file.display().to_string();
    let id = rows::begin(&mut decision.tx, process, host, name, now).await?;
    decision.commit().await?;
    clear(dead).await;
    Ok(Some(Begun { id, file }))
}

/// Whatever nobody writes any more has failed; answers their files. Whoever asks writes none now.
async fn forget_the_dead(decision: &mut Decision, me: &str) -> Result<Vec<PathBuf>, db::Error> {
    let all = processes::all(&mut decision.tx).await?.into_iter();
    let alive: Vec<String> = all.map(|process| process.name).filter(|name| name != me).collect();
    let mut dead = Vec::new();
    for backup in rows::running(&mut decision.tx).await? {
        if alive.contains(&backup.process) {
            continue;
        }
        let told = if backup.process == me {
            "it could not be written down how it ended"
        } else {
            "the process that wrote it is gone"
        };
        let now = decision.now;
        rows::end(&mut decision.tx, backup.id, failed(told.to_owned()), now).await?;
        dead.push(backup.file);
    }
    Ok(dead)
}

fn failed(why: String) -> Ending {
    Ending { good: false, told: Some(why), rows: None, files: None }
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

async fn end(
    context: &Context,
    begun: &Begun,
    written: Result<Summary, String>,
) -> Result<(), db::Error> {
    let file = begun.file.display();
    let ending = match written {
        Ok(summary) => {
            let (rows, files) = (summary.rows, summary.files);
            tracing::info!(%file, rows, files, bytes = summary.bytes, "backup written");
            let told = lacking(&summary);
            Ending { good: true, told, rows: Some(rows as i64), files: Some(files as i64) }
        }
        Err(why) => {
            tracing::error!(%file, why, "backup failed");
            failed(why)
        }
    };
    let now = context.clock.now();
    let mut decision = context.store.decide(&scope(), now).await?;
    rows::end(&mut decision.tx, begun.id, ending, now).await?;
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
    let good = rows::good(&mut context.store.read().await?).await?;
    for backup in good.into_iter().skip(schedule.keep as usize) {
        let here = backup.host == context.process.host();
        let file = backup.file.display().to_string();
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_file(backup.file)).await;
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
        rows::remove(&mut decision.tx, backup.id).await?;
        decision.commit().await?;
    }
    Ok(())
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
