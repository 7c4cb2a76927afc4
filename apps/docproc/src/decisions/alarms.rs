//! Tells people what §9.3 wants told, and publishes the figures of §9.2.

use std::sync::{Mutex, PoisonError};

use db::{Error, Tx};
use host::{Alert, Next, Severity};
use jiff::{SignedDuration, Timestamp};

use crate::{
    Context,
    rules::alarms::{Alarm, Figures, UnservedQueue},
    store::{figures, measures, outside, queue, workers},
};

pub const TICK: &str = "docproc.alertas";
const LATELY: SignedDuration = SignedDuration::from_mins(15);
const SUMMED_EVERY: SignedDuration = SignedDuration::from_mins(5);
const DAY: SignedDuration = SignedDuration::from_hours(24);

const EVERY: SignedDuration = SignedDuration::from_secs(15);
/// The demonstration has four hours for everything; while its time is moved this is often enough.
const EVERY_MOVED: SignedDuration = SignedDuration::from_mins(15);

fn every(context: &Context) -> SignedDuration {
    if context.is_moved_demo() { EVERY_MOVED } else { EVERY }
}

/// While nothing is open, came or was read lately, and nothing rings, there is nothing to watch.
pub async fn tick(context: Context, now: Timestamp) -> Next {
    let watched = check(&context, now).await?;
    Ok(watched.then(|| now + every(&context)))
}

/// Whether the alarms of this process are looked at soon anyway.
pub fn watches(context: &Context, now: Timestamp) -> bool {
    let due = context.tick_health(TICK).and_then(|health| health.due);
    due.is_some_and(|due| due <= now + every(context))
}

/// Answers whether there is something to watch.
pub async fn check(context: &Context, now: Timestamp) -> Result<bool, Error> {
    let mut tx = context.store.read().await?;
    let figures = measures::figures(&mut tx, now, &context.zone).await?;
    let open = publish(&mut tx, &figures, now).await?;
    let lately = now.saturating_sub(LATELY).unwrap_or(Timestamp::MIN);
    let came = measures::came_since(&mut tx, lately).await?;
    let mut watched = open || came || figures.reading.is_some();
    if is_due(&context.runtime.summed_up, now) {
        sum_up(&mut tx, now).await?;
    }
    let active = context.runtime.workflows.active();
    let known = active.values().flat_map(|workflow| workflow.outside());
    let mut queues = outside::queues(&mut tx, known, now).await?;
    let processes = workers::all(&mut tx).await?;
    queues.extend(queue::ours(&mut tx, &processes, now).await?);
    drop(tx);
    for queue in &queues {
        watched |= queue.waiting > 0;
        unattended(context, queue, now).await?;
    }
    for alarm in Alarm::ALL {
        let fingerprint = alarm.fingerprint().to_owned();
        let Some(sentence) = alarm.rings(&figures) else {
            context.resolve(&fingerprint).await?;
            continue;
        };
        watched = true;
        let severity = match alarm {
            Alarm::AtRisk | Alarm::People => Severity::Critical,
            Alarm::Capacity | Alarm::SlowReading | Alarm::Volume | Alarm::SecondReader => {
                Severity::Warning
            }
        };
        let (cause, why) = shown_at(alarm);
        let alert = Alert::new(crate::NAME, fingerprint, severity, alarm.title(), sentence);
        context.raise(alert.shown_at(cause, why)).await?;
    }
    Ok(watched)
}

async fn unattended(context: &Context, queue: &UnservedQueue, now: Timestamp) -> Result<(), Error> {
    let Some(sentence) = queue.rings(now) else {
        return context.resolve(&queue.fingerprint()).await;
    };
    let (name, title) = (queue.fingerprint(), queue.title());
    let alert = Alert::new(crate::NAME, name, Severity::Critical, title, sentence);
    context.raise(alert.shown_at("/docproc", "/docproc/capacidad")).await
}

/// The pages of what is wrong, and of why.
fn shown_at(alarm: Alarm) -> (&'static str, &'static str) {
    match alarm {
        Alarm::Capacity => ("/backoffice", "/docproc/capacidad"),
        Alarm::People => ("/docproc/operadores", "/docproc/capacidad"),
        Alarm::AtRisk => ("/docproc/solicitudes", "/docproc"),
        Alarm::SecondReader => ("/docproc/calidad", "/docproc/calidad"),
        Alarm::SlowReading | Alarm::Volume => ("/docproc", "/docproc/capacidad"),
    }
}

/// Gauges of what the database knows and no counter of this process does. Answers whether anything
/// is open.
async fn publish(tx: &mut Tx, alarms: &Figures, now: Timestamp) -> Result<bool, Error> {
    let lately = now.saturating_sub(LATELY).unwrap_or(Timestamp::MIN);
    let open = measures::open(tx, now).await?;
    let set = |name: &'static str, value: f64| metrics::gauge!(name).set(value);
    set("docproc_requests_open", open.all as f64);
    set("docproc_requests_at_risk", open.at_risk as f64);
    set("docproc_requests_late", open.late as f64);
    if let Some(free) = alarms.operators_free {
        set("docproc_operators_free", free as f64);
    }
    set("docproc_operators_active", measures::operators_active(tx, now).await? as f64);
    set("docproc_tasks_urgent", alarms.urgent_tasks as f64);
    let waiting = figures::waiting(tx).await?;
    let kinds = [("classification", waiting.classification), ("extraction", waiting.extraction)];
    for (kind, n) in kinds {
        metrics::gauge!("docproc_tasks_waiting", "task_type" => kind).set(n as f64);
    }
    for load in queue::load(tx, lately).await? {
        let component = load.component;
        metrics::gauge!("docproc_queue_ready", "component" => component.clone())
            .set(load.ready as f64);
        metrics::gauge!("docproc_queue_in_hand", "component" => component).set(load.in_hand as f64);
    }
    set("docproc_workers", workers::all(tx).await?.len() as f64);
    Ok(open.all > 0 || waiting.classification + waiting.extraction > 0)
}

/// Summing up a day is due now and then.
fn is_due(summed_up: &Mutex<Option<Timestamp>>, now: Timestamp) -> bool {
    let mut last = summed_up.lock().unwrap_or_else(PoisonError::into_inner);
    let due = last.is_none_or(|last| now.duration_since(last) >= SUMMED_EVERY);
    if due {
        *last = Some(now);
    }
    due
}

async fn sum_up(tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    let day = now.saturating_sub(DAY).unwrap_or(Timestamp::MIN);
    for manual in measures::manual(tx, day).await? {
        let share = manual.by_people as f64 / manual.all.max(1) as f64;
        metrics::gauge!("docproc_manual_ratio", "stage" => manual.stage,
            "doc_type" => manual.doc_type)
        .set(share);
    }
    let through = measures::through(tx, day).await?;
    if through.known() > 0 {
        let share = through.straight as f64 / through.known() as f64;
        metrics::gauge!("docproc_straight_through_ratio").set(share);
    }
    if through.completed > 0 {
        let share = through.late as f64 / through.completed as f64;
        metrics::gauge!("docproc_sla_breached_ratio").set(share);
    }
    for (kind, seconds) in measures::resolution(tx, day).await? {
        metrics::gauge!("docproc_task_resolution_seconds", "task_type" => kind).set(seconds);
    }
    Ok(())
}
