//! What is to go wrong, where and how often.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Longest delay; a client that waits longer has no timeout.
const LONGEST: Duration = Duration::from_mins(10);

/// One kind of trouble. Without `times` it lasts until it is taken away.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Fault {
    /// Answered instead of what was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// Answered as it stands, JSON or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) times: Option<u32>,
    /// What was asked for is done first, then this happens to the answer.
    pub(super) after_accept: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delay_ms: Option<u64>,
    /// Seconds, or a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) retry_after: Option<RetryAfter>,
    /// The connection is closed without an answer; a callback is not sent.
    pub(super) drop: bool,
    /// A list leaves out what was created so many seconds ago or less: it lags, or seems empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hide_seconds: Option<u32>,
    /// How often more a callback is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeat: Option<u32>,
    /// Only deployments of this bot, on this device, as this user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bot_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) device_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user_id: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum RetryAfter {
    Seconds(u32),
    Date(String),
}

impl RetryAfter {
    pub(super) fn header(&self) -> String {
        match self {
            Self::Seconds(seconds) => seconds.to_string(),
            Self::Date(date) => date.clone(),
        }
    }
}

/// Whose call meets the trouble.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Subject {
    pub(super) bot: Option<i64>,
    pub(super) device: Option<i64>,
    pub(super) user: Option<i64>,
}

impl Fault {
    fn meets(&self, subject: Subject) -> bool {
        let one = |wanted: Option<i64>, is: Option<i64>| wanted.is_none() || wanted == is;
        let left = self.times != Some(0);
        left && one(self.bot_id, subject.bot)
            && one(self.device_id, subject.device)
            && one(self.user_id, subject.user)
    }

    pub(super) fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms.unwrap_or_default()).min(LONGEST)
    }

    /// Whether no answer is given at all.
    pub(super) fn is_silence(&self) -> bool {
        let answers = self.status.is_some() || self.body.is_some();
        self.drop || (self.after_accept && !answers && self.delay_ms.is_none())
    }
}

/// A single fault or several, met one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Sequence(Vec<Fault>);

impl<'de> Deserialize<'de> for Sequence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let several = match Value::deserialize(from)? {
            Value::Null => Vec::new(),
            Value::Array(several) => several,
            one => vec![one],
        };
        let read: Result<_, _> = several.into_iter().map(serde_json::from_value).collect();
        read.map(Self).map_err(serde::de::Error::custom)
    }
}

impl Sequence {
    /// The fault that is met now, one time less of it left.
    pub(super) fn take(&mut self, subject: Subject) -> Option<Fault> {
        let fault = self.0.iter_mut().find(|fault| fault.meets(subject))?;
        if let Some(times) = &mut fault.times {
            *times -= 1;
        }
        Some(fault.clone())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Faults {
    pub(super) authentication: Sequence,
    pub(super) deploy: Sequence,
    pub(super) activity: Sequence,
    pub(super) manage: Sequence,
    pub(super) devices: Sequence,
    pub(super) users: Sequence,
    pub(super) users_v2: Sequence,
    pub(super) files: Sequence,
    pub(super) callback: Sequence,
}

engine::words! {
    /// An entrance of the Control Room.
    pub(super) enum Door {
        Authentication = "authentication",
        Deploy = "deploy",
        Activity = "activity",
        Manage = "manage",
        Devices = "devices",
        Users = "users",
        UsersV2 = "users_v2",
        Files = "files",
    }
}

impl Faults {
    pub(super) fn at(&mut self, door: Door) -> &mut Sequence {
        match door {
            Door::Authentication => &mut self.authentication,
            Door::Deploy => &mut self.deploy,
            Door::Activity => &mut self.activity,
            Door::Manage => &mut self.manage,
            Door::Devices => &mut self.devices,
            Door::Users => &mut self.users,
            Door::UsersV2 => &mut self.users_v2,
            Door::Files => &mut self.files,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_are_met_in_turn_and_as_often_as_said() {
        let mut faults: Faults = serde_json::from_value(json!({
            "deploy": [{"status": 503, "times": 2}, {"status": 412, "device_id": 7}],
            "activity": {"delay_ms": 5},
            "callback": null,
        }))
        .unwrap();
        let mut met = |device| {
            let subject = Subject { device: Some(device), ..Subject::default() };
            faults.at(Door::Deploy).take(subject).and_then(|fault| fault.status)
        };
        let seen = [met(1), met(7), met(1), met(7), met(7)];
        assert_eq!(seen, [Some(503), Some(503), None, Some(412), Some(412)]);
        let slow = faults.at(Door::Activity).take(Subject::default()).unwrap();
        assert_eq!((slow.delay(), slow.is_silence()), (Duration::from_millis(5), false));
        assert_eq!(faults.callback, Sequence::default());
        assert!(serde_json::from_value::<Faults>(json!({"deploi": {}})).is_err());
        assert!(serde_json::from_value::<Faults>(json!({"deploy": {"statuz": 1}})).is_err());
    }

    #[test]
    fn silence_is_a_lost_answer() {
        let fault = |value| serde_json::from_value::<Fault>(value).unwrap();
        assert!(fault(json!({"after_accept": true})).is_silence());
        assert!(fault(json!({"drop": true, "status": 500})).is_silence());
        assert!(!fault(json!({"after_accept": true, "delay_ms": 9})).is_silence());
        assert!(!fault(json!({"after_accept": true, "status": 500})).is_silence());
    }
}
