//! Records as lists show them.

use engine::Word as _;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::select::Record;
use super::world::{Bot, Run, World};

/// Names of fields, separated by spaces.
pub(super) const ACTIVITY_FIELDS: &str = "id automationName fileName fileId automationId \
    deploymentId deviceId userId userName status message progress type createdOn startDateTime \
    endDateTime";
pub(super) const DEVICE_FIELDS: &str = "id type hostName status defaultUsers";
pub(super) const USER_FIELDS: &str = "id username licenseFeatures disabled";
pub(super) const FILE_FIELDS: &str = "id name path description type folder";

/// How the Control Room writes that there is no instant yet.
const NEVER: &str = "1970-01-01T00:00:00Z";

impl Run {
    pub(super) fn shown(&self) -> String {
        if self.lost { "UNKNOWN".to_owned() } else { self.status.to_string() }
    }

    /// Not known as long as nobody knows how it ended.
    fn shown_end(&self) -> Option<Timestamp> {
        self.ended.filter(|_| !self.lost)
    }

    /// What `/sim/deployments` shows: also what the Control Room itself does not know.
    pub(super) fn record(&self) -> Value {
        json!({
            "deploymentId": self.deployment,
            "botId": self.bot,
            "deviceId": self.device,
            "userId": self.user,
            "automationName": self.name,
            "status": self.shown(),
            "lost": self.lost,
            "createdOn": self.created,
            "startDateTime": self.started,
            "endDateTime": self.ended,
            "botInput": self.input,
            "callbackUrl": self.callback.as_ref().map(|callback| &callback.url),
            "callbacks": self.deliveries,
        })
    }
}

/// An execution as the activity list has it.
pub(super) struct Execution<'a> {
    world: &'a World,
    run: &'a Run,
}

impl Record for Execution<'_> {
    fn field(&self, name: &str) -> Value {
        let run = self.run;
        match name {
            "id" => json!(run.activity),
            "automationName" => json!(run.name),
            "fileName" => json!(self.world.bots.get(&run.bot).map(|bot| &bot.name)),
            "fileId" | "automationId" => json!(run.bot.to_string()),
            "deploymentId" => json!(run.deployment),
            "deviceId" => json!(run.device.to_string()),
            "userId" => json!(run.user.to_string()),
            "userName" => json!(self.world.users.get(&run.user).map(|user| &user.username)),
            "status" => json!(run.shown()),
            "message" => json!(run.message),
            "progress" => json!(if run.shown_end().is_some() { 100 } else { 0 }),
            "type" => json!("RUN_NOW"),
            "createdOn" => json!(run.created.to_string()),
            "startDateTime" => json!(run.started.map(|at| at.to_string())),
            "endDateTime" => {
                json!(run.shown_end().map_or_else(|| NEVER.to_owned(), |at| at.to_string()))
            }
            _ => Value::Null,
        }
    }

    fn show(&self) -> Value {
        let fields = ACTIVITY_FIELDS.split_whitespace();
        Value::Object(fields.map(|name| (name.to_owned(), self.field(name))).collect())
    }
}

impl World {
    /// What the list shows, were it not for what hides in it.
    pub(super) fn activities(&self, now: Timestamp) -> Vec<Execution<'_>> {
        let shown = |run: &&Run| {
            let age = now.duration_since(run.created).as_secs();
            self.hides.is_none_or(|seconds| age > i64::from(seconds))
        };
        self.runs.values().filter(shown).map(|run| Execution { world: self, run }).collect()
    }

    pub(super) fn device_records(&self) -> Vec<Value> {
        let record = |(id, machine): (&i64, &super::world::Machine)| {
            let users = self.users.iter().filter(|(_, account)| account.device == Some(*id));
            let users = users
                .map(|(id, account)| json!({ "id": id.to_string(), "username": account.username }));
            json!({
                "id": id.to_string(),
                "type": "BOT_AGENT",
                "hostName": machine.host,
                "status": if machine.connected { "CONNECTED" } else { "DISCONNECTED" },
                "defaultUsers": users.collect::<Vec<_>>(),
            })
        };
        self.devices.iter().map(record).collect()
    }

    pub(super) fn user_records(&self) -> Vec<Value> {
        let record = |(id, account): (&i64, &super::world::Account)| {
            json!({
                "id": id,
                "username": account.username,
                "licenseFeatures": account.license_features,
                "disabled": false,
            })
        };
        self.users.iter().map(record).collect()
    }

    pub(super) fn file_records(&self) -> Vec<Value> {
        let record = |(id, bot): (&i64, &Bot)| {
            json!({
                "id": id.to_string(),
                "name": bot.name,
                "path": bot.path,
                "description": bot.description,
                "type": bot.kind,
                "folder": bot.kind.ends_with("directory"),
            })
        };
        self.bots.iter().map(record).collect()
    }

    pub(super) fn deployments(&self) -> Vec<Value> {
        self.runs.values().map(Run::record).collect()
    }

    pub(super) fn bot_record(&self, id: i64) -> Value {
        let Some(bot) = self.bots.get(&id) else { return Value::Null };
        json!({
            "id": id,
            "name": bot.name,
            "path": bot.path,
            "duration_seconds": bot.duration.map(|lasts| lasts.as_secs_f64()),
            "outcome": bot.outcome.word(),
            "failure_pct": bot.failure_pct,
        })
    }

    pub(super) fn device_record(&self, id: i64) -> Value {
        let Some(machine) = self.devices.get(&id) else { return Value::Null };
        let users = self.users.iter().filter(|(_, account)| account.device == Some(id));
        let current = machine.running.and_then(|number| self.runs.get(&number));
        json!({
            "id": id,
            "host_name": machine.host,
            "connected": machine.connected,
            "lose_track": machine.lost,
            "user_ids": users.map(|(id, _)| *id).collect::<Vec<_>>(),
            "running": current.map(|run| &run.deployment),
            "queued": machine.queue.len(),
        })
    }

    pub(super) fn user_record(&self, id: i64) -> Value {
        let Some(account) = self.users.get(&id) else { return Value::Null };
        json!({
            "id": id,
            "username": account.username,
            "license_features": account.license_features,
            "device_id": account.device,
        })
    }

    pub(super) fn state(&self, now: Timestamp) -> Value {
        let devices: Vec<_> = self.devices.keys().map(|id| self.device_record(*id)).collect();
        let users: Vec<_> = self.users.keys().map(|id| self.user_record(*id)).collect();
        let bots: Vec<_> = self.bots.keys().map(|id| self.bot_record(*id)).collect();
        json!({
            "now": now,
            "settings": self.settings,
            "faults": self.faults,
            "requests": self.requests,
            "devices": devices,
            "users": users,
            "bots": bots,
            "deployments": self.deployments(),
        })
    }
}
