//! What lists contain. Numbers come as numbers or as text, and fields come and go between versions:
//! only an id is needed to make sense of a record.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// One execution as the Control Room sees it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    #[serde(deserialize_with = "text")]
    pub id: String,
    #[serde(default, deserialize_with = "maybe_text")]
    pub deployment_id: Option<String>,
    /// As it came; what it means is the reader's business.
    #[serde(default, deserialize_with = "word")]
    pub status: String,
    #[serde(default, rename = "fileId", deserialize_with = "maybe_number")]
    pub bot_id: Option<i64>,
    #[serde(default, deserialize_with = "maybe_number")]
    pub device_id: Option<i64>,
    #[serde(default, deserialize_with = "maybe_number")]
    pub user_id: Option<i64>,
    #[serde(default, deserialize_with = "maybe_text")]
    pub automation_name: Option<String>,
    #[serde(default, deserialize_with = "maybe_text")]
    pub message: Option<String>,
    #[serde(default, deserialize_with = "instant")]
    pub created_on: Option<Timestamp>,
    #[serde(default, rename = "startDateTime", deserialize_with = "instant")]
    pub started_at: Option<Timestamp>,
    #[serde(default, rename = "endDateTime", deserialize_with = "instant")]
    pub ended_at: Option<Timestamp>,
}

impl Activity {
    /// Whether this is the deployment with this tag. The Control Room may add words of its own to a
    /// name, so the tag is looked for inside it, as a word: `turno-1` is not in `turno-12`.
    pub fn is_tagged(&self, tag: &str) -> bool {
        let Some(name) = self.automation_name.as_deref().filter(|_| !tag.is_empty()) else {
            return false;
        };
        let continues = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
        name.match_indices(tag).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            let after = name[at + tag.len()..].chars().next();
            !continues(before) && !continues(after)
        })
    }
}

/// A machine on which automations run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    #[serde(deserialize_with = "number")]
    pub id: i64,
    #[serde(default, deserialize_with = "word")]
    pub host_name: String,
    #[serde(default, deserialize_with = "word")]
    pub status: String,
    #[serde(default, deserialize_with = "list")]
    pub default_users: Vec<DefaultUser>,
}

impl Device {
    pub fn is_connected(&self) -> bool {
        self.status.eq_ignore_ascii_case("CONNECTED")
    }
}

/// A user whose automations run on a device unless another is named.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefaultUser {
    #[serde(deserialize_with = "number")]
    pub id: i64,
    #[serde(default, deserialize_with = "maybe_text")]
    pub username: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    #[serde(deserialize_with = "number")]
    pub id: i64,
    #[serde(default, deserialize_with = "word")]
    pub username: String,
    #[serde(default, deserialize_with = "list")]
    pub license_features: Vec<String>,
}

/// A file of the public workspace: a bot, a folder, anything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    #[serde(deserialize_with = "number")]
    pub id: i64,
    #[serde(default, deserialize_with = "word")]
    pub name: String,
    #[serde(default, deserialize_with = "word")]
    pub path: String,
    #[serde(default, deserialize_with = "maybe_text")]
    pub description: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "word")]
    pub kind: String,
}

impl File {
    pub const TASKBOT: &str = "application/vnd.aa.taskbot";

    pub fn is_taskbot(&self) -> bool {
        self.kind == Self::TASKBOT
    }
}

fn as_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn as_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let value = Value::deserialize(from)?;
    as_number(&value).ok_or_else(|| serde::de::Error::custom("an id is no whole number"))
}

fn maybe_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    Value::deserialize(from).map(|value| as_number(&value))
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = as_text(Value::deserialize(from)?).filter(|text| !text.is_empty());
    text.ok_or_else(|| serde::de::Error::custom("an id is missing"))
}

fn maybe_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(as_text(Value::deserialize(from)?).filter(|text| !text.is_empty()))
}

fn word<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(as_text(Value::deserialize(from)?).unwrap_or_default())
}

/// Absent and null are an empty list; an entry that is none of ours is left out.
fn list<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let entries = match Value::deserialize(from)? {
        Value::Array(entries) => entries,
        _ => Vec::new(),
    };
    Ok(entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect())
}

/// UTC, with or without saying so; 1970 is how the Control Room writes "not yet".
pub(crate) fn as_instant(value: &Value) -> Option<Timestamp> {
    let instant = match value {
        Value::String(text) => text.parse().ok().or_else(|| {
            let civil: DateTime = text.parse().ok()?;
            Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
        }),
        Value::Number(number) => {
            number.as_i64().and_then(|at| Timestamp::from_millisecond(at).ok())
        }
        _ => None,
    };
    instant.filter(|at| at.to_zoned(TimeZone::UTC).year() > 1970)
}

fn instant<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    Value::deserialize(from).map(|value| as_instant(&value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_activity_is_read_as_it_comes() {
        let activity: Activity = serde_json::from_value(json!({
            "id": "fe29_9b0c", "deploymentId": "14c2", "status": "COMPLETED", "fileId": "77",
            "deviceId": 6, "userId": "19", "automationName": "turno-5.26.05.04", "progress": 100,
            "startDateTime": "2022-05-26T23:52:58.724951900Z", "endDateTime": "1970-01-01T00:00:00Z",
        }))
        .unwrap();
        assert_eq!(activity.deployment_id.as_deref(), Some("14c2"));
        let ids = (activity.bot_id, activity.device_id, activity.user_id);
        assert_eq!(ids, (Some(77), Some(6), Some(19)));
        let start: Timestamp = "2022-05-26T23:52:58.7249519Z".parse().unwrap();
        assert_eq!((activity.started_at, activity.ended_at), (Some(start), None));
        let bare: Activity = serde_json::from_value(json!({"id": 5, "status": null})).unwrap();
        assert_eq!((bare.id.as_str(), bare.status.as_str(), bare.bot_id), ("5", "", None));
        assert!(serde_json::from_value::<Activity>(json!({"status": "RUNNING"})).is_err());
    }

    #[test]
    fn instants_are_utc_and_1970_is_none() {
        let at = |value: Value| as_instant(&value).map(|at| at.to_string());
        let noon = Some("2026-05-04T12:00:00Z".to_owned());
        assert_eq!(at(json!("2026-05-04T12:00:00Z")), noon);
        assert_eq!(at(json!("2026-05-04T09:00:00-03:00")), noon);
        assert_eq!(at(json!("2026-05-04T12:00:00")), noon);
        assert_eq!(at(json!(1_777_896_000_000_i64)), noon);
        for none in [json!(null), json!("1970-01-01T00:00:00Z"), json!(""), json!(0), json!([])] {
            assert_eq!(at(none.clone()), None, "{none}");
        }
    }

    #[test]
    fn a_tag_is_a_word_in_the_name() {
        let named = |name: &str| -> Activity {
            serde_json::from_value(json!({"id": "a", "automationName": name})).unwrap()
        };
        for name in ["turno-1", "turno-1.26.05.04.12.00.00.bot", "P1 turno-1", "turno-12 turno-1"] {
            assert!(named(name).is_tagged("turno-1"), "{name}");
        }
        for name in ["turno-12", "xturno-1", "turno-1-2", "Turno-1", ""] {
            assert!(!named(name).is_tagged("turno-1"), "{name}");
        }
        assert!(!named("anything").is_tagged(""));
    }

    #[test]
    fn devices_users_and_files_are_read_as_they_come() {
        let device: Device = serde_json::from_value(json!({
            "id": "6", "hostName": "PC-01", "status": "connected",
            "defaultUsers": [{"id": "19", "username": "bot01"}, {"username": "nobody"}],
        }))
        .unwrap();
        assert!(device.is_connected());
        let user = DefaultUser { id: 19, username: Some("bot01".to_owned()) };
        assert_eq!((device.id, device.default_users), (6, vec![user]));
        let user: User =
            serde_json::from_value(json!({"id": 19, "licenseFeatures": ["RUNTIME", null]}))
                .unwrap();
        assert_eq!(user.license_features, ["RUNTIME"]);
        let file: File = serde_json::from_value(
            json!({"id": "77", "name": "P0001_Facturas", "type": File::TASKBOT, "path": null}),
        )
        .unwrap();
        assert!(file.is_taskbot() && file.path.is_empty());
        assert!(serde_json::from_value::<Device>(json!({"id": "x"})).is_err());
    }
}
