//! Takes over what the Control Room has (spec rule 9).

use controlroom::{Client, Fault};
use db::{Decision, Error, settings::Values};
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{By, emit};
use crate::{
    alarms,
    model::Licence,
    room::{Room, stir},
    rules::sync::{self, Change, Device, File, Filters, Sync, User, View},
    store::{self, circuit, policy, robots, runners},
};

pub const TICK: &str = "sam.sync";
/// While syncs are off, how often it is looked whether they are on again.
const IDLE: SignedDuration = SignedDuration::from_mins(10);

/// How a sync went.
#[derive(Debug)]
pub enum Ran {
    Done(Box<Sync>),
    /// Another one is under way in this process.
    Busy,
    NotConfigured,
    Failed(String),
}

pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    drop(tx);
    if !values.bool(policy::SYNC)? {
        return Ok(());
    }
    run(&context, &By::system(), now).await.map(drop)
}

pub async fn period(context: Context) -> Result<SignedDuration, Error> {
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    let every = SignedDuration::from_secs(values.int(policy::SYNC_EVERY)?);
    Ok(if values.bool(policy::SYNC)? { every } else { IDLE })
}

pub async fn run(context: &Context, by: &By, now: Timestamp) -> Result<Ran, Error> {
    let room = context.shared::<Room>();
    let Ok(_alone) = room.syncing.try_lock() else { return Ok(Ran::Busy) };
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    drop(tx);
    if !policy::is_configured(&values)? {
        return Ok(Ran::NotConfigured);
    }
    let filters = match filters(&values)? {
        Ok(filters) => filters,
        Err(why) => return failed(context, &format!("{} / {}", why.es, why.en), now).await,
    };
    let client = match room.client(&values)? {
        Ok(client) => client,
        Err(bad) => return failed(context, &bad.to_string(), now).await,
    };
    let view = match look(&client, values.text(policy::SYNC_PATH)?).await {
        Ok(view) => view,
        Err(fault) => return failed(context, &fault.to_string(), now).await,
    };
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let known = (robots::all(&mut decision.tx).await?, runners::all(&mut decision.tx).await?);
    let done = sync::plan(&known.0, &known.1, &view, &filters);
    for change in &done.changes {
        apply(&mut decision, change).await?;
    }
    circuit::synced(&mut decision.tx, now, None).await?;
    if !done.changes.is_empty() {
        let mut entry = by.did("sync", "a360".to_owned());
        entry.after = Some(json!({ "cambios": done.changes.len() }));
        decision.audit(entry);
        let data = json!({ "cambios": done.changes.len() });
        emit(&mut decision, "sync:hecha", "a360".to_owned(), data);
    }
    decision.commit().await?;
    alarms::synced(context).await?;
    stir(context);
    Ok(Ran::Done(Box::new(done)))
}

async fn failed(context: &Context, fault: &str, now: Timestamp) -> Result<Ran, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    circuit::synced(&mut decision.tx, now, Some(fault)).await?;
    decision.commit().await?;
    alarms::sync_failed(context, fault).await?;
    Ok(Ran::Failed(fault.to_owned()))
}

fn filters(values: &Values) -> Result<Result<Filters, engine::Sentence>, Error> {
    let text = |key: &str| values.text(key);
    let (path, include) = (text(policy::SYNC_PATH)?, text(policy::SYNC_INCLUDE)?);
    Ok(Filters::read(path, include, text(policy::SYNC_EXCLUDE)?))
}

/// Everything at once, or nothing: half a view would read as "gone".
async fn look(client: &Client, path: &str) -> Result<View, Fault> {
    let (devices, users, files) =
        tokio::try_join!(client.devices(), client.users(), client.files(path.trim()))?;
    Ok(View {
        files: files
            .into_iter()
            .map(|file| File {
                id: file.id,
                taskbot: file.is_taskbot(),
                name: file.name,
                path: file.path,
                description: file.description,
            })
            .collect(),
        devices: devices
            .into_iter()
            .map(|device| Device {
                id: device.id,
                connected: device.is_connected(),
                users: device.default_users.iter().map(|user| user.id).collect(),
                host: device.host_name,
            })
            .collect(),
        users: users
            .into_iter()
            .map(|user| User {
                id: user.id,
                name: user.username,
                licence: Licence::parse(&user.license_features.join(",")),
            })
            .collect(),
    })
}

async fn apply(decision: &mut Decision, change: &Change) -> Result<(), Error> {
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
        Change::Repoint { old, new } => runners::repoint(tx, *old, *new).await,
    }
}
