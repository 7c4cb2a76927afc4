//! What an OLT is like and what is wrong with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tables::MAX_ONUS;

/// Nothing answers later than this and is still waited for.
const LONGEST_DELAY: u32 = 600_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Brand {
    #[default]
    Huawei,
    Zte,
    /// Of no brand: rows of slot, port and ONU.
    Plain,
}

/// What an OLT does when more rows are asked for than it can give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverLimit {
    #[default]
    TooBig,
    Silent,
}

/// Every field can be changed while it runs, alone or together with others.
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the control interface")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// A dead OLT hears and does not answer.
    pub alive: bool,
    pub brand: Brand,
    /// Another one is answered with silence.
    pub community: String,
    pub onus: u32,
    /// Before every answer.
    pub latency_ms: u32,
    /// Before every tenth answer, on top of it.
    pub late_ms: u32,
    /// Of the datagrams, in either direction.
    pub loss_pct: f64,
    /// Of the ONUs, missing from all tables; always the same ones.
    pub vanish_pct: f64,
    /// Rows in one answer; 0 is no limit.
    pub max_repetitions_limit: u32,
    pub over_limit: OverLimit,
    /// Longest answer; a longer one is `tooBig`.
    pub max_bytes: u32,
    /// Half way through a table it starts again.
    pub not_increasing: bool,
    /// Silent about rows after so many; `null` is never.
    pub truncate_after: Option<u32>,
    /// Text where the state is a number.
    pub wrong_types: bool,
    /// More rows in an answer than were asked for.
    pub giant: bool,
    /// Datagrams cut in half.
    pub garbled: bool,
    /// About its tables it says `genErr`.
    pub gen_err: bool,
    /// Hundredths of a dBm by which all ONUs hear the OLT better or worse: an ageing connector.
    pub power_shift: i32,
    /// ONUs, by their place in the table, about which a GET is not answered.
    pub mute_onus: Vec<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alive: true,
            brand: Brand::Huawei,
            community: "public".to_owned(),
            onus: 2048,
            latency_ms: 0,
            late_ms: 0,
            loss_pct: 0.0,
            vanish_pct: 0.0,
            max_repetitions_limit: 0,
            over_limit: OverLimit::TooBig,
            max_bytes: 1472,
            not_increasing: false,
            truncate_after: None,
            wrong_types: false,
            giant: false,
            garbled: false,
            gen_err: false,
            power_shift: 0,
            mute_onus: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(String);

impl Settings {
    /// These settings with the named fields changed.
    pub fn changed(&self, change: &Value) -> Result<Self, BadSettings> {
        let Value::Object(change) = change else {
            return Err(BadSettings("expected an object of settings to change".to_owned()));
        };
        let mut all = serde_json::to_value(self).map_err(|error| BadSettings(error.to_string()))?;
        if let Value::Object(all) = &mut all {
            all.extend(change.clone());
        }
        let settings: Self =
            serde_json::from_value(all).map_err(|error| BadSettings(error.to_string()))?;
        settings.check()?;
        Ok(settings)
    }

    pub(super) fn check(&self) -> Result<(), BadSettings> {
        let percent = 0.0..=100.0;
        for (wrong, sentence) in [
            (self.onus > MAX_ONUS, format!("onus is at most {MAX_ONUS}")),
            (!percent.contains(&self.loss_pct), "loss_pct is from 0 to 100".to_owned()),
            (!percent.contains(&self.vanish_pct), "vanish_pct is from 0 to 100".to_owned()),
            (
                self.latency_ms.max(self.late_ms) > LONGEST_DELAY,
                format!("latency_ms and late_ms are at most {LONGEST_DELAY}"),
            ),
            (
                !(484..=65_507).contains(&self.max_bytes),
                "max_bytes is from 484 to 65507".to_owned(),
            ),
            (self.power_shift.abs() > 5_000, "power_shift is within ±5000".to_owned()),
            (self.mute_onus.len() > 1000, "mute_onus lists at most 1000".to_owned()),
        ] {
            if wrong {
                return Err(BadSettings(sentence));
            }
        }
        Ok(())
    }
}

/// Faults from the start: for all OLTs, and for some by their number.
///
/// ```toml
/// [all]
/// latency_ms = 20
/// [olts.3]
/// alive = false
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    pub all: Option<Value>,
    pub olts: BTreeMap<String, Value>,
}

impl Profile {
    /// What OLT `number` is at first.
    pub(super) fn apply(&self, number: usize, plain: &Settings) -> Result<Settings, BadSettings> {
        let named = |error: BadSettings| BadSettings(format!("OLT {number}: {error}"));
        let mut settings = plain.clone();
        for change in self.all.iter().chain(self.olts.get(&number.to_string())) {
            settings = settings.changed(change).map_err(named)?;
        }
        Ok(settings)
    }

    /// Whoever names an OLT that is not there meant another one.
    pub(super) fn check(&self, count: usize) -> Result<(), BadSettings> {
        let there = |name: &str| name.parse::<usize>().is_ok_and(|number| number < count);
        match self.olts.keys().find(|name| !there(name)) {
            None => Ok(()),
            Some(name) => Err(BadSettings(format!("there is no OLT {name:?} among {count}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_leaves_the_rest_alone() {
        let slow = Settings::default().changed(&json!({"latency_ms": 5, "truncate_after": 7}));
        let slow = slow.expect("valid");
        assert_eq!((slow.latency_ms, slow.truncate_after, slow.onus), (5, Some(7), 2048));
        let again = slow.changed(&json!({"truncate_after": null})).expect("valid");
        assert_eq!((again.latency_ms, again.truncate_after), (5, None));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for change in [
            json!({"aliv": false}),
            json!({"onus": MAX_ONUS + 1}),
            json!({"onus": -1}),
            json!({"loss_pct": 101}),
            json!({"vanish_pct": -1}),
            json!({"max_bytes": 100}),
            json!([]),
        ] {
            assert!(Settings::default().changed(&change).is_err(), "{change}");
        }
    }
}
