//! Accepting a deployment, or saying why not in the words of the Control Room.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::access::Refusal;
use super::faults::Subject;
use super::status::Status;
use super::world::{KEPT, Run, World};
use crate::client::{Callback, Target};

/// Callback headers and their length, bounded as everything that is kept.
const HEADERS: usize = 50;

/// Of a deployment, what is asked for.
#[derive(Clone, Debug)]
pub(super) struct Order {
    bot: i64,
    on: Target,
    name: Option<String>,
    input: Value,
    callback: Option<Callback>,
}

impl Order {
    pub(super) fn read(body: &Value) -> Result<Self, Refusal> {
        let wrong = |what: &str| Refusal::new(400, what);
        let bot = number(&body["botId"]).ok_or_else(|| wrong("botId is required"))?;
        let users = body["unattendedRequest"]["runAsUserIds"].as_array();
        let device = number(&body["attendedRequest"]["currentUserDeviceId"]);
        let on = match (users.map(Vec::as_slice), device) {
            (None, Some(device)) => Target::Attended { device },
            (Some(_), Some(_)) => return Err(wrong("attended or unattended, not both")),
            (Some([user]), None) => Target::Unattended {
                user: number(user).ok_or_else(|| wrong("runAsUserIds are numbers"))?,
            },
            (Some([_, _, ..]), None) => {
                return Err(wrong("The simulator runs as one user at a time"));
            }
            (Some([]) | None, None) => return Err(wrong("runAsUserIds are required")),
        };
        let input = body["botInput"].clone();
        if !input.is_null() && !input.is_object() {
            return Err(wrong("botInput is an object of variables"));
        }
        let name = body["automationName"].as_str().map(str::to_owned);
        Ok(Self { bot, on, name, input, callback: callback(&body["callbackInfo"])? })
    }
}

fn callback(info: &Value) -> Result<Option<Callback>, Refusal> {
    let Some(url) = info["url"].as_str() else { return Ok(None) };
    let mut headers = BTreeMap::new();
    for (name, value) in info["headers"].as_object().into_iter().flatten().take(HEADERS) {
        let Some(value) = value.as_str() else {
            return Err(Refusal::new(400, "callbackInfo headers are texts"));
        };
        headers.insert(name.clone(), value.to_owned());
    }
    Ok(Some(Callback { url: url.to_owned(), headers }))
}

pub(super) fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

impl World {
    /// Whom an order is about, as far as it is known before it is accepted.
    pub(super) fn subject(&self, order: &Order) -> Subject {
        let user = self.user_of(order.on);
        let made = user.filter(|_| self.settings.permissive);
        let device = match user.and_then(|user| self.users.get(&user)) {
            Some(account) => account.device,
            None => made,
        };
        Subject { bot: Some(order.bot), device, user }
    }

    /// Who runs it; on an attended device whoever sits there.
    fn user_of(&self, on: Target) -> Option<i64> {
        match on {
            Target::Unattended { user } => Some(user),
            Target::Attended { device } => {
                let mut all = self.users.iter();
                let sits = all.find(|(_, account)| account.device == Some(device));
                sits.map(|(id, _)| *id).or(self.settings.permissive.then_some(device))
            }
        }
    }

    /// Accepts an order and returns its `deploymentId`.
    pub(super) fn deploy(&mut self, order: Order, now: Timestamp) -> Result<String, Refusal> {
        let Order { bot, on, name, input, callback } = order;
        let Some(user) = self.user_of(on) else {
            return Err(Refusal::new(400, "Nobody is signed in on that device"));
        };
        let Some(file) = self.bot(bot) else {
            return Err(Refusal::new(404, format!("Bot with id {bot} was not found")));
        };
        let file = file.name.clone();
        let Some(account) = self.user(user).cloned() else {
            return Err(Refusal::new(400, format!("User(s) [{user}] were not found")));
        };
        let Some(device) = account.device else {
            let message = "None of the user(s) provided have default device(s)";
            return Err(Refusal::new(400, message));
        };
        let attended = matches!(on, Target::Attended { .. });
        let runner = |licence: &String| match licence.as_str() {
            "RUNTIME" => true,
            "ATTENDEDRUNTIME" => attended,
            _ => false,
        };
        if !account.license_features.iter().any(runner) {
            let message = format!("User {} does not have a Bot Runner license", account.username);
            return Err(Refusal::new(400, message));
        }
        let Some(machine) = self.machine(device) else {
            return Err(Refusal::new(412, format!("Device {device} is not registered")));
        };
        if !machine.connected {
            let message = format!("Device(s) [{}] are offline or not connected", machine.host);
            return Err(Refusal::new(412, message));
        }
        let (busy, lost) = (machine.running.is_some(), machine.lost);
        self.forget();
        if self.runs.len() >= KEPT {
            return Err(Refusal::new(503, "The simulator is full; POST /sim/reset"));
        }
        let deployment = self.uuid();
        let activity = format!("{}_{:016x}", self.uuid(), self.chance.number());
        let stamp = now.strftime("%y.%m.%d.%H.%M.%S");
        let name = name.unwrap_or_else(|| format!("{file}.{stamp}.{}", account.username));
        let number = self.number();
        self.by_deployment.insert(deployment.clone(), number);
        let run = Run {
            deployment: deployment.clone(),
            activity,
            bot,
            user,
            device,
            name,
            input,
            callback,
            status: Status::Queued,
            lost,
            created: now,
            started: None,
            ended: None,
            message: None,
            output: Value::Object(serde_json::Map::new()),
            turn: 0,
            deliveries: Vec::new(),
        };
        self.runs.insert(number, run);
        self.set(number, if busy { Status::Queued } else { Status::Deployed }, now);
        Ok(deployment)
    }

    /// Stops executions by their own ids, never by their deployment's; those that cannot be are
    /// returned.
    pub(super) fn stop(&mut self, ids: &[&str], now: Timestamp) -> Vec<String> {
        let mut failed = Vec::new();
        for id in ids {
            let found = self.runs.iter().find(|(_, run)| run.activity == *id);
            let number = found.map(|(number, _)| *number);
            let live = number.filter(|number| !self.runs[number].status.is_final());
            match live {
                Some(number) => self.set(number, Status::Aborted, now),
                None => failed.push((*id).to_owned()),
            }
        }
        failed
    }
}
