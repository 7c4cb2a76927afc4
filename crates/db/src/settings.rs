//! What operators may change while Turno runs: typed, ranged, audited, effective at once.
//!
//! A value comes from the highest of: environment (locked), the console, the configuration file,
//! the built-in default. Decisions read settings inside their own transaction, so a change and the
//! decisions around it have one order.

mod sealing;
mod spec;

use std::{collections::BTreeMap, sync::Arc};

use engine::Sentence;
use jiff::{Timestamp, civil::Time};
use serde_json::{Value as Json, json};

use crate::{
    Decision, Error, Tx,
    audit::{self, Entry},
    events::NewEvent,
};
pub use sealing::Sealer;
pub use spec::{Kind, MASK, Setting, Unit};

/// The audit's word for a change.
const CHANGED: &str = "setting.change";

/// Where an effective value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(String),
    Console { by: String, at: Timestamp },
    Environment(String),
}

/// A value fixed outside the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    pub app: String,
    pub key: String,
    pub value: Json,
    pub origin: Origin,
}

/// A value that a key does not accept, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {}", reason.en)]
pub struct Invalid {
    pub key: String,
    pub reason: Sentence,
}

/// Why a change was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Unknown {
        key: String,
    },
    Invalid(Invalid),
    /// Of the right kind and length, and still its application can do nothing with it; in Spanish
    /// and English.
    Senseless(String, String),
    /// The environment decides; the console may not.
    Locked {
        key: String,
        by: String,
    },
    /// Someone else changed it after the caller looked.
    Stale {
        current: i64,
    },
}

/// All keys of all applications, and what is fixed outside the database.
#[derive(Debug, Default)]
pub struct Settings {
    specs: Vec<Setting>,
    overrides: Vec<Override>,
    sealer: Option<Arc<dyn Sealer>>,
}

/// One key with its value now.
#[derive(Clone, Debug)]
pub struct Effective {
    pub spec: Setting,
    pub value: Json,
    pub origin: Origin,
    /// 0 until it is first changed in the console.
    pub version: i64,
}

impl Effective {
    /// The value as people, lists and records may see it.
    pub fn shown(&self) -> Json {
        self.spec.shown(&self.value)
    }
}

/// The values of one application, as one transaction saw them.
#[derive(Clone, Debug, Default)]
pub struct Values(BTreeMap<&'static str, Effective>);

impl Settings {
    /// Fails when an override names an unknown key or holds a value out of range.
    pub fn new(specs: Vec<Setting>, overrides: Vec<Override>) -> Result<Self, Invalid> {
        let settings = Self { specs, overrides, sealer: None };
        for fixed in &settings.overrides {
            let spec = settings.spec(&fixed.app, &fixed.key).ok_or_else(|| Invalid {
                key: fixed.key.clone(),
                reason: Sentence::new(
                    format!("{} no tiene ese ajuste", fixed.app),
                    format!("{} has no such setting", fixed.app),
                ),
            })?;
            settings.defaults(spec.app).check(spec, &fixed.value)?;
        }
        Ok(settings)
    }

    pub fn specs(&self) -> &[Setting] {
        &self.specs
    }

    pub fn spec(&self, app: &str, key: &str) -> Option<&Setting> {
        self.specs.iter().find(|spec| spec.app == app && spec.key == key)
    }

    /// The effective values of an application.
    pub async fn load(&self, tx: &mut Tx, app: &str) -> Result<Values, Error> {
        let mut values = self.defaults(app);
        let sql = "SELECT key, value, version, updated_at, updated_by FROM settings WHERE app = $1";
        for row in tx.all(sql, &[app.into()]).await? {
            let key: String = row.get("key")?;
            let Some(entry) = values.0.get_mut(key.as_str()) else {
                continue;
            };
            entry.version = row.get("version")?;
            if matches!(entry.origin, Origin::Environment(_)) {
                continue;
            }
            entry.value = self.opened(&entry.spec, row.get("value")?);
            entry.origin =
                Origin::Console { by: row.get("updated_by")?, at: row.get("updated_at")? };
        }
        Ok(values)
    }

    /// Changes one key inside a decision; audited, announced as `configuracion:cambiada`.
    pub async fn put(
        &self,
        decision: &mut Decision,
        change: Change<'_>,
    ) -> Result<Result<Effective, Refused>, Error> {
        let Change { app, key, value, actor, role, expected_version } = change;
        let Some(spec) = self.spec(app, key).copied() else {
            return Ok(Err(Refused::Unknown { key: key.into() }));
        };
        let values = self.load(&mut decision.tx, app).await?;
        let current = values.0.get(spec.key).expect("every spec has an effective value");
        if let Origin::Environment(by) = &current.origin {
            return Ok(Err(Refused::Locked { key: key.into(), by: by.clone() }));
        }
        if expected_version.is_some_and(|expected| expected != current.version) {
            return Ok(Err(Refused::Stale { current: current.version }));
        }
        if matches!(spec.kind, Kind::Secret { .. }) && value == json!(MASK) {
            return Ok(Ok(current.clone()));
        }
        if let Err(invalid) = values.check(&spec, &value) {
            return Ok(Err(Refused::Invalid(invalid)));
        }
        let version = current.version + 1;
        let sql = "INSERT INTO settings (app, key, value, version, updated_at, updated_by)
                   VALUES ($1, $2, $3, $4, $5, $6)
                   ON CONFLICT (app, key) DO UPDATE SET value = excluded.value,
                   version = excluded.version, updated_at = excluded.updated_at,
                   updated_by = excluded.updated_by";
        let now = decision.now;
        let args = [
            app.into(),
            key.into(),
            self.kept(&spec, &value).into(),
            version.into(),
            now.into(),
            actor.into(),
        ];
        decision.tx.execute(sql, &args).await?;
        decision.audit(Entry {
            app: spec.app,
            actor: actor.into(),
            role: role.into(),
            action: CHANGED.into(),
            subject: key.into(),
            before: Some(current.shown()),
            after: Some(spec.shown(&value)),
            reason: None,
        });
        decision.emit(NewEvent {
            app: spec.app,
            name: "configuracion:cambiada",
            subject: Some(key.into()),
            data: json!({ "clave": key, "valor": spec.shown(&value), "por": actor }),
        });
        let origin = Origin::Console { by: actor.into(), at: now };
        Ok(Ok(Effective { spec, value, origin, version }))
    }

    /// What the value that was set in the console replaced. Nothing for a secret: what it was is not
    /// on record.
    pub async fn replaced(&self, tx: &mut Tx, now: &Effective) -> Result<Option<Json>, Error> {
        if now.spec.is_secret() || !matches!(now.origin, Origin::Console { .. }) {
            return Ok(None);
        }
        let last = audit::last_of(tx, now.spec.app, now.spec.key, CHANGED).await?;
        Ok(last.filter(|record| record.after.as_ref() == Some(&now.value)).and_then(|it| it.before))
    }

    fn defaults(&self, app: &str) -> Values {
        let of_app = self.specs.iter().filter(|spec| spec.app == app);
        Values(of_app.map(|spec| (spec.key, self.default_of(spec))).collect())
    }

    fn default_of(&self, spec: &Setting) -> Effective {
        let fixed = self
            .overrides
            .iter()
            .filter(|o| o.app == spec.app && o.key == spec.key)
            .max_by_key(|o| matches!(o.origin, Origin::Environment(_)));
        let (value, origin) = fixed.map_or_else(
            || {
                let value = serde_json::from_str(spec.default).expect("defaults are valid JSON");
                (value, Origin::Default)
            },
            |fixed| (fixed.value.clone(), fixed.origin.clone()),
        );
        Effective { spec: *spec, value, origin, version: 0 }
    }
}

/// A request to change one key.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    pub app: &'a str,
    pub key: &'a str,
    pub value: Json,
    pub actor: &'a str,
    pub role: &'a str,
    /// From `If-Match`; `None` overwrites.
    pub expected_version: Option<i64>,
}

impl Values {
    pub fn iter(&self) -> impl Iterator<Item = &Effective> {
        self.0.values()
    }

    pub fn get(&self, key: &str) -> Option<&Effective> {
        self.0.get(key)
    }

    pub fn json(&self, key: &str) -> Result<&Json, Error> {
        let missing = || Error::corrupt(format!("setting {key} is not declared"));
        self.0.get(key).map(|entry| &entry.value).ok_or_else(missing)
    }

    pub fn int(&self, key: &str) -> Result<i64, Error> {
        self.typed(key, Json::as_i64)
    }

    pub fn bool(&self, key: &str) -> Result<bool, Error> {
        self.typed(key, Json::as_bool)
    }

    pub fn share(&self, key: &str) -> Result<f64, Error> {
        self.typed(key, Json::as_f64)
    }

    pub fn text(&self, key: &str) -> Result<&str, Error> {
        self.json(key)?.as_str().ok_or_else(|| wrong_type(key))
    }

    pub fn time_of_day(&self, key: &str) -> Result<Time, Error> {
        self.text(key)?.parse().map_err(|_| wrong_type(key))
    }

    fn typed<T>(&self, key: &str, read: impl Fn(&Json) -> Option<T>) -> Result<T, Error> {
        read(self.json(key)?).ok_or_else(|| wrong_type(key))
    }

    /// Whether a key accepts a value, given the other values.
    fn check(&self, spec: &Setting, value: &Json) -> Result<(), Invalid> {
        let refuse = |reason: Sentence| Err(Invalid { key: spec.key.into(), reason });
        match spec.kind {
            Kind::Int { min, max } => {
                check_int(spec, value, min, max)?;
                self.held_below(spec, value).map_or(Ok(()), refuse)
            }
            Kind::IntUpTo { min, ceiling } => {
                let max = self.int(ceiling).unwrap_or(i64::MAX);
                check_int(spec, value, min, max)
            }
            Kind::Bool if value.is_boolean() => Ok(()),
            Kind::Bool => refuse(Sentence::new("debe ser true o false", "must be true or false")),
            Kind::Choice(words) if value.as_str().is_some_and(|w| words.contains(&w)) => Ok(()),
            Kind::Choice(words) => {
                let words = words.join(", ");
                refuse(Sentence::new(
                    format!("debe ser uno de {words}"),
                    format!("must be one of {words}"),
                ))
            }
            Kind::Text { max } | Kind::Secret { max }
                if value.as_str().is_some_and(|t| t.chars().count() <= max) =>
            {
                Ok(())
            }
            Kind::Text { max } | Kind::Secret { max } => refuse(Sentence::new(
                format!("debe ser un texto de hasta {max} caracteres"),
                format!("must be text of at most {max} characters"),
            )),
            Kind::TimeOfDay if value.as_str().is_some_and(is_time_of_day) => Ok(()),
            Kind::TimeOfDay => {
                refuse(Sentence::new("debe ser una hora HH:MM", "must be a time of day, HH:MM"))
            }
            Kind::Share if value.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)) => Ok(()),
            Kind::Share => {
                refuse(Sentence::new("debe ser un número de 0 a 1", "must be a number from 0 to 1"))
            }
            Kind::Internal => Ok(()),
        }
    }

    /// Why a ceiling cannot come down to `value`: a setting under it stands higher now.
    fn held_below(&self, spec: &Setting, value: &Json) -> Option<Sentence> {
        let under = |kind| matches!(kind, Kind::IntUpTo { ceiling, .. } if ceiling == spec.key);
        self.iter()
            .filter(|entry| under(entry.spec.kind))
            .find(|entry| entry.value.as_i64() > value.as_i64())
            .map(|entry| {
                let (key, value) = (entry.spec.key, &entry.value);
                Sentence::new(
                    format!("no puede ser menor que {key}, que es {value}"),
                    format!("must not be below {key}, which is {value}"),
                )
            })
    }
}

fn check_int(spec: &Setting, value: &Json, min: i64, max: i64) -> Result<(), Invalid> {
    let in_range = value.as_i64().is_some_and(|n| (min..=max).contains(&n));
    if in_range {
        return Ok(());
    }
    let reason = Sentence::new(
        format!("debe ser un número entero de {min} a {max}"),
        format!("must be a whole number from {min} to {max}"),
    );
    Err(Invalid { key: spec.key.into(), reason })
}

fn is_time_of_day(text: &str) -> bool {
    text.len() == 5 && text.as_bytes()[2] == b':' && text.parse::<Time>().is_ok()
}

fn wrong_type(key: &str) -> Error {
    Error::corrupt(format!("setting {key} has the wrong type"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: [Setting; 2] = [
        Setting::new("demo", "PLACES", Kind::IntUpTo { min: 1, ceiling: "CEILING" }, "8", ("", "")),
        Setting::new("demo", "CEILING", Kind::Int { min: 1, max: 200 }, "20", ("", "")),
    ];

    fn check(value: &Json) -> bool {
        let settings = Settings::new(SPECS.to_vec(), Vec::new()).unwrap();
        settings.defaults("demo").check(&SPECS[0], value).is_ok()
    }

    #[test]
    fn only_whole_numbers_in_range_pass() {
        for good in [json!(1), json!(20)] {
            assert!(check(&good), "{good}");
        }
        for bad in [json!(0), json!(21), json!(-3), json!(8.5), json!("abc"), json!(null)] {
            assert!(!check(&bad), "{bad}");
        }
    }

    #[test]
    fn an_override_out_of_range_is_an_error_at_start() {
        let fixed = Override {
            app: "demo".into(),
            key: "PLACES".into(),
            value: json!(99),
            origin: Origin::Environment("PLACES".into()),
        };
        assert!(Settings::new(SPECS.to_vec(), vec![fixed]).is_err());
    }
}
