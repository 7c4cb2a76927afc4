//! What must be so.

use serde_json::{Value as Json, json};
use testkit::story::{Outcome, Words, same};

use super::story::Tale;

impl Tale {
    /// `expect running 10@1 …`, `expect dynamic 20@2 …`, `expect held 20 3`, `expect alerts …`,
    /// `expect why robot/20 CODE …`, `expect deployments 1`, `expect answered 204`; otherwise a thing
    /// with its fields, see [`Self::fields_hold`].
    pub(super) async fn expect(&self, words: &mut Words) -> Outcome {
        let thing = words.clone();
        let what = words.word("what")?;
        let found = match what.as_str() {
            "running" => sorted(self.farm.live().await.iter().map(pair)),
            "dynamic" => sorted(self.assignments(false).await?.iter().map(pair)),
            "held" => {
                let robot = words.number("a robot")?;
                let all = self.assignments(false).await?;
                let held = all.iter().filter(|one| one["robot_id"] == robot).count();
                vec![held.to_string()]
            }
            "alerts" => {
                let all = self.items("/api/alerts").await?;
                let firing = all.iter().filter(|one| one["firing"] == true);
                firing.map(|one| text(&one["fingerprint"])).collect()
            }
            "why" => {
                let why = self.get(&format!("/api/sam/why/{}", words.word("of whom")?)).await?;
                let reasons = why["reasons"].as_array().into_iter().flatten();
                reasons.map(|one| text(&one["code"])).collect()
            }
            "deployments" => {
                let all = self.farm.room.get("/sim/deployments").await.json();
                vec![all.as_array().map_or(0, Vec::len).to_string()]
            }
            "answered" => vec![self.answer.0.to_string()],
            "answer" => return self.fields_hold(&self.answer.1, words),
            _ => {
                *words = thing;
                let named = words.clone().all().join(" ");
                let found = self.thing(words).await?;
                if words.takes("unchanged") {
                    let key = named.trim_end_matches(" unchanged");
                    let before = self.remembered.get(key).ok_or("it was not remembered")?;
                    return same(key, before, &found);
                }
                return self.fields_hold(&found, words);
            }
        };
        let mut expected = words.all();
        expected.retain(|word| word != "nothing");
        same(&what, expected.join(" "), found.join(" "))
    }

    /// Keeps what a thing is now, for `expect … unchanged`.
    pub(super) async fn remember(&mut self, words: &mut Words) -> Outcome {
        let named = words.clone().all().join(" ");
        let now = self.thing(words).await?;
        self.remembered.insert(named, now);
        words.end()
    }

    /// `estado DEPLOYED`, `reasons.0.until …`, `pasos.last.estado not X`, `items count 3`,
    /// `causa has "2 h"`.
    fn fields_hold(&self, thing: &Json, words: &mut Words) -> Outcome {
        while let Some(field) = words.take() {
            let found = field.split('.').fold(thing, |at, key| match (key, at) {
                ("last", Json::Array(items)) => items.last().unwrap_or(&Json::Null),
                (key, Json::Array(items)) => {
                    let index = key.parse::<usize>().ok();
                    index.and_then(|index| items.get(index)).unwrap_or(&Json::Null)
                }
                (key, at) => &at[key],
            });
            if words.takes("has") {
                let part = words.word("a part")?;
                let whole = text(found);
                let missing = || Err(format!("{field}: no {part} in {whole}"));
                if whole.contains(&part) { Ok(()) } else { missing() }?;
            } else if words.takes("count") {
                let count = found.as_array().map_or(0, Vec::len);
                same(&field, words.word("a count")?, count.to_string())?;
            } else if words.takes("not") {
                let other = self.value(&field, words)?;
                if *found == other {
                    return Err(format!("{field} is {found} in {thing}"));
                }
            } else {
                let expected = self.value(&field, words)?;
                same(&field, &expected, found).map_err(|reason| format!("{reason} in {thing}"))?;
            }
        }
        Ok(())
    }

    /// What a thing is now; `fixed` are the assignments of people and calendars, `room` what the
    /// Control Room was asked to run.
    async fn thing(&self, words: &mut Words) -> Outcome<Json> {
        if words.takes("fixed") {
            return Ok(json!(self.assignments(true).await?));
        }
        if words.takes("room") {
            return Ok(self.farm.room.get("/sim/deployments").await.json());
        }
        let path = self.path(words)?;
        self.get(&path).await
    }

    /// Assignments by people and calendars, or those by the balancer.
    async fn assignments(&self, fixed: bool) -> Outcome<Vec<Json>> {
        let mut all = self.items("/api/sam/asignaciones").await?;
        all.retain(|one| (one["es_programado"] == true || one["reservado"] == true) == fixed);
        Ok(all)
    }

    async fn items(&self, path: &str) -> Outcome<Vec<Json>> {
        Ok(self.get(path).await?["items"].as_array().cloned().unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Outcome<Json> {
        let answer = self.farm.client.get(path).await;
        match answer.status {
            200 => Ok(answer.json()),
            status => Err(format!("GET {path}: {status} {}", answer.text)),
        }
    }
}

/// `20@1`, the robot and its runner.
pub(super) fn pair(one: &Json) -> String {
    format!("{}@{}", one["robot_id"], one["equipo_id"])
}

fn sorted(pairs: impl Iterator<Item = String>) -> Vec<String> {
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
