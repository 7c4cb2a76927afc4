//! Takes over what the Control Room has.

use std::collections::BTreeMap;

use db::{Decided, Decision, Error, Slice, Tx, settings::Values};
use engine::Sentence;
use host::{By, Next};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{alarms, emit, settings, wake_all};
use crate::{
    Context, drivers,
    model::{Robot, RobotId, Runner},
    rules::sync::{self, Change, Filters, Sync},
    store::{self, circuit, mappings, policy, robots, runners},
};

pub const TICK: &str = "sam.sync";

/// Mappings of this provider say whose bot a name in the Control Room is.
const CONTROL_ROOM: &str = "A360";

/// How a sync went.
#[derive(Debug)]
pub enum Ran {
    Done(Box<Sync>),
    /// Another one is under way in this process.
    Busy,
    NotConfigured,
    Failed(String),
}

/// The robots and runners that are known.
struct Syncing;

impl Slice for Syncing {
    type Snapshot = (Vec<Robot>, Vec<Runner>, BTreeMap<String, RobotId>);
    type Change = Change;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let mapped = mappings::of_provider(tx, CONTROL_ROOM).await?;
        Ok((robots::all(tx).await?, runners::all(tx).await?, mapped))
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Self::Snapshot,
        change: &Change,
    ) -> Result<(), Error> {
        write(decision, change).await
    }
}

pub async fn tick(context: Context, now: Timestamp) -> Next {
    let values = settings(&context).await?;
    if !values.bool(policy::SYNC)? || !policy::is_configured(&values)? {
        return Ok(None);
    }
    // Whoever has just connected a Control Room, or mended how it is reached, waits for its robots.
    if context.runtime.client(&values)?.is_ok_and(|client| context.runtime.is_new(&client)) {
        context.runtime.hurry(TICK);
    }
    let every = SignedDuration::from_secs(values.int(policy::SYNC_EVERY)?);
    if let Some(until) = context.runtime.wait(TICK, every, now) {
        return Ok(Some(until));
    }
    run(&context, &By::system(crate::NAME), now).await?;
    Ok(Some(now + every))
}

pub async fn run(context: &Context, by: &By, now: Timestamp) -> Result<Ran, Error> {
    let Ok(_alone) = context.runtime.syncing.try_lock() else { return Ok(Ran::Busy) };
    let values = settings(context).await?;
    if !policy::is_configured(&values)? {
        return Ok(Ran::NotConfigured);
    }
    let filters = match filters(&values)? {
        Ok(filters) => filters,
        Err(why) => return failed(context, why, now).await,
    };
    let client = match context.runtime.client(&values)? {
        Ok(client) => client,
        Err(bad) => return failed(context, bad.sentence(), now).await,
    };
    let view = match drivers::sync::look(&client, values.text(policy::SYNC_PATH)?).await {
        Ok(view) => view,
        Err(fault) => return failed(context, fault.sentence(), now).await,
    };
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Decided { plan: done, .. } = decision
        .plan(&Syncing, |(robots, runners, mapped)| {
            sync::plan(robots, runners, mapped, &view, &filters)
        })
        .await?;
    circuit::synced(&mut decision.tx, now, None).await?;
    super::circuit::try_again(&mut decision, false).await?;
    if !done.changes.is_empty() {
        let data = json!({ "cambios": done.changes.len() });
        let mut entry = by.did("sync", "a360");
        entry.after = Some(data.clone());
        decision.audit(entry);
        emit(&mut decision, "sync:hecha", "a360".to_owned(), data);
    }
    wake_all(&mut decision);
    decision.commit().await?;
    alarms::synced(context).await?;
    Ok(Ran::Done(Box::new(done)))
}

async fn failed(context: &Context, fault: Sentence, now: Timestamp) -> Result<Ran, Error> {
    let both = fault.kept();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    circuit::synced(&mut decision.tx, now, Some(&both)).await?;
    decision.commit().await?;
    alarms::sync_failed(context, fault).await?;
    Ok(Ran::Failed(both))
}

fn filters(values: &Values) -> Result<Result<Filters, Sentence>, Error> {
    let text = |key: &str| values.text(key);
    let (path, include) = (text(policy::SYNC_PATH)?, text(policy::SYNC_INCLUDE)?);
    Ok(Filters::read(path, include, text(policy::SYNC_EXCLUDE)?))
}

async fn write(decision: &mut Decision, change: &Change) -> Result<(), Error> {
    let (now, tx) = (decision.now, &mut decision.tx);
    match change {
        Change::NewRobot(robot) => robots::insert(tx, robot).await.map(drop),
        Change::RobotSeen { robot, name, description } => {
            robots::seen(tx, *robot, Some(name), description.as_deref(), now).await
        }
        Change::RobotGone { robot } => robots::seen(tx, *robot, None, None, now).await,
        Change::NewRunner(runner) => runners::insert(tx, runner).await.map(drop),
        Change::RunnerSeen { runner, sight } => {
            let licence = sight.licence.text();
            let user = sight.user_name.as_deref().unwrap_or_default();
            let sight = runners::Sight {
                name: Some(&sight.name),
                connected: sight.connected,
                licence: Some(&licence),
                user: Some((sight.user_id, user)),
            };
            runners::seen(tx, *runner, &sight, now).await
        }
        Change::RunnerGone { runner } => {
            let gone = runners::Sight { name: None, connected: false, licence: None, user: None };
            runners::seen(tx, *runner, &gone, now).await
        }
        Change::RepointRobot { old, new } => robots::repoint(tx, *old, *new).await,
        Change::Repoint { old, new } => runners::repoint(tx, *old, *new).await,
    }
}
