//! Telling a story: what people, providers and the Control Room do.
//!
//! Whatever is written as `field value` goes into the request under its name on the wire: `a.b 1` is
//! inside `a`, commas separate a list, and `in A` is the pool of that name. After each line everything that
//! is due has happened.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{
    Answer, Client, TestDb,
    story::{Outcome, Step, Story, Words, same},
};

use crate::farm::{self, Farm};

/// Fields that hold a list, also of one.
const LISTS: [&str; 6] =
    ["dias_semana", "equipos", "license_features", "ocurrencias", "robots", "user_ids"];

pub(super) struct Tale {
    pub(super) farm: Farm,
    /// Numbers of pools, schedules, reservations and runs by their names in the story.
    ids: BTreeMap<String, i64>,
    /// Deployments of runs, by name.
    deployments: BTreeMap<String, String>,
    /// The last answer, also to what was refused.
    pub(super) answer: (u16, Json),
    pub(super) remembered: BTreeMap<String, Json>,
}

impl Story for Tale {
    async fn open(db: &TestDb, at: Timestamp) -> Self {
        let farm = Farm::open(db, at, host::Access::Open).await;
        Self {
            farm,
            ids: BTreeMap::new(),
            deployments: BTreeMap::new(),
            answer: (0, Json::Null),
            remembered: BTreeMap::new(),
        }
    }

    async fn at(&mut self, instant: Timestamp) -> Outcome {
        self.farm.client.at(&instant.to_string()).await;
        Ok(())
    }

    async fn line(&mut self, mut step: Step) -> Outcome {
        let verb = step.words.word("a verb")?;
        match verb.as_str() {
            "expect" => return self.expect(&mut step.words).await,
            "remember" => return self.remember(&mut step.words).await,
            "name" => return self.name(&mut step.words).await,
            "pool" | "runner" | "robot" | "online" | "schedule" | "reserve" => {
                self.create(&verb, &mut step).await?;
            }
            "set" => {
                let path = format!("/api/sam/configuracion/{}", step.words.word("a key")?);
                let body = json!({ "valor": self.value("valor", &mut step.words)? });
                self.send(Method::PUT, &path, body, &step).await?;
            }
            "change" => {
                let path = self.path(&mut step.words)?;
                let body = self.fields(&mut step.words, json!({}))?;
                self.send(Method::PUT, &path, body, &step).await?;
            }
            "delete" => {
                let path = self.path(&mut step.words)?;
                let body = self.fields(&mut step.words, Json::Null)?;
                self.send(Method::DELETE, &path, body, &step).await?;
            }
            "post" | "put" => self.request(&verb, &mut step).await?,
            "tickets" => {
                let robot = format!("R{}", step.words.word("a robot")?);
                let pending = self.value("pendientes", &mut step.words)?;
                let body = json!({ "proveedor": "cola", "robot": robot, "pendientes": pending });
                self.send(Method::PUT, "/api/sam/tickets", body, &step).await?;
                same("status", 204, self.answer.0)?;
            }
            "callback" => {
                let run = step.words.word("a run")?;
                let deployment = self.deployments.get(&run).ok_or("a run has its name first")?;
                let body =
                    json!({ "deploymentId": deployment, "status": step.words.word("what")? });
                self.send(Method::POST, "/api/callback", body, &step).await?;
                same("status", 200, self.answer.0)?;
            }
            "wait" => {
                self.farm.client.advance(step.words.number("seconds")?).await;
            }
            "restart" => self.farm.restart().await,
            "room" => self.room(&mut step).await?,
            other => return Err(format!("nobody knows how to {other}")),
        }
        step.words.end()?;
        self.farm.settle().await;
        Ok(())
    }

    async fn close(self) {
        self.farm.close().await;
    }
}

impl Tale {
    /// `runner 1..4 in A`, `robot 10`, `online 20` (a robot on demand), `pool A`,
    /// `schedule NAME robot 10 equipos 1, 2`, `reserve NAME robot 20 runner 1`.
    async fn create(&mut self, verb: &str, step: &mut Step) -> Outcome {
        let name = step.words.word("a name or number")?;
        let numbers = match name.split_once("..") {
            Some((first, last)) => number(first)?..=number(last)?,
            None => number(&name).map_or(0..=0, |id| id..=id),
        };
        let rest = step.words.clone();
        for id in numbers {
            step.words = rest.clone();
            let (what, usual) = match verb {
                "pool" => ("pools", json!({ "nombre": name })),
                "runner" => ("equipos", farm::runner(id)),
                "robot" => ("robots", farm::robot(id)),
                "online" => ("robots", farm::online(id)),
                "schedule" => ("programaciones", farm::schedule(0, &[])),
                _ => ("asignaciones", json!({})),
            };
            let body = self.fields(&mut step.words, usual)?;
            let made = self.send(Method::POST, &format!("/api/sam/{what}"), body, step).await?;
            if let Some(id) = made["id"].as_i64() {
                same("status", 201, self.answer.0)?;
                self.ids.insert(name.clone(), id);
            }
        }
        Ok(())
    }

    /// `name A 20@1`: the run of robot 20 that occupies runner 1.
    async fn name(&mut self, words: &mut Words) -> Outcome {
        let (name, pair) = (words.word("a name")?, words.word("robot@runner")?);
        let live = self.farm.live().await;
        let run = live.iter().find(|run| super::expects::pair(run) == pair);
        let run = run.ok_or_else(|| format!("{pair} does not run"))?;
        self.ids.insert(name.clone(), run["id"].as_i64().unwrap_or_default());
        let deployment = run["deployment_id"].as_str().unwrap_or_default();
        self.deployments.insert(name, deployment.to_owned());
        words.end()
    }

    /// `post PATH …`; lines under it are the items of a list.
    async fn request(&mut self, verb: &str, step: &mut Step) -> Outcome {
        let path = self.path(&mut step.words)?;
        let body = if step.under.is_empty() {
            self.fields(&mut step.words, json!({}))?
        } else {
            let items = step.parts()?.into_iter();
            items.map(|mut item| self.fields(&mut item.words, json!({}))).collect::<Outcome<_>>()?
        };
        let method = if verb == "post" { Method::POST } else { Method::PUT };
        self.send(method, &path, body, step).await.map(drop)
    }

    async fn send(&mut self, method: Method, path: &str, body: Json, step: &Step) -> Outcome<Json> {
        let (version, body) = match body {
            Json::Object(mut fields) => (fields.remove("version"), Json::Object(fields)),
            other => (None, other),
        };
        let answer = sent(&self.farm.client, method, path, &body, version).await;
        self.answer = (answer.status, answer.json());
        step.answered(&answer)
    }

    /// What happens in the Control Room: `room at TIME` (its clock and ours), `room makes RUN STATUS`,
    /// `room fails deploy.status 412 …`, `room works`, `room post PATH …`, `room put PATH …`.
    async fn room(&mut self, step: &mut Step) -> Outcome {
        let words = &mut step.words;
        let (method, path, body) = match words.word("what the room does")?.as_str() {
            "at" => {
                let instant = words.instant(step.today, &TimeZone::UTC)?;
                self.farm.both_at(&instant.to_string()).await;
                return Ok(());
            }
            "makes" => {
                let run = words.word("a run")?;
                let deployment = self.deployments.get(&run).ok_or("a run has its name first")?;
                let body = json!({ "status": words.word("a status")? });
                (Method::POST, format!("/sim/deployments/{deployment}"), body)
            }
            "fails" => (Method::PUT, "/sim/faults".into(), self.fields(words, json!({}))?),
            "works" => (Method::PUT, "/sim/faults".into(), json!({})),
            verb @ ("post" | "put") => {
                let method = if verb == "post" { Method::POST } else { Method::PUT };
                let path = words.word("a path")?;
                let body = if words.takes("null") { Json::Null } else { json!({}) };
                (method, path, self.fields(words, body)?)
            }
            other => return Err(format!("the room does not know how to {other}")),
        };
        let answer = sent(&self.farm.room, method, &path, &body, None).await;
        step.answered(&answer).map(drop)
    }

    /// Where a thing is found: `robot 10`, `runner 1`, `schedule NAME`, `pool NAME`, `run NAME`,
    /// `reservation NAME`, or a path in which `{NAME}` is a number.
    pub(super) fn path(&self, words: &mut Words) -> Outcome<String> {
        let mut path = words.word("a thing")?;
        let what = match path.as_str() {
            "robot" => "robots",
            "runner" => "equipos",
            "schedule" => "programaciones",
            "pool" => "pools",
            "run" => "ejecuciones",
            "reservation" => "asignaciones",
            _ => "",
        };
        if !what.is_empty() {
            path = format!("/api/sam/{what}/{{{}}}", words.word("which one")?);
        }
        while let Some((before, name, after)) = path.split_once('{').and_then(|(before, rest)| {
            rest.split_once('}').map(|(name, after)| (before, name, after))
        }) {
            path = format!("{before}{}{after}", self.id(name)?);
        }
        if path.starts_with('/') { Ok(path) } else { Err(format!("nobody knows what {path} is")) }
    }

    fn id(&self, name: &str) -> Outcome<i64> {
        self.ids.get(name).copied().map_or_else(|| number(name), Ok)
    }

    /// The fields that are left, over those of `body`.
    fn fields(&self, words: &mut Words, mut body: Json) -> Outcome<Json> {
        while let Some(field) = words.take() {
            if field == "in" {
                body["pool_id"] = json!(self.id(&words.word("a pool")?)?);
                continue;
            }
            let value = self.value(&field, words)?;
            let field = match field.as_str() {
                "robot" if value.is_number() => "robot_id",
                "runner" => "equipo_id",
                other => other,
            };
            *field.split('.').fold(&mut body, |at, key| &mut at[key]) = value;
        }
        Ok(body)
    }

    /// A number, a word, a name in braces (`{ROOM}` is where the Control Room is); a list when there are
    /// commas, or when the field always holds one.
    pub(super) fn value(&self, field: &str, words: &mut Words) -> Outcome<Json> {
        let one = |word: String| match word.strip_prefix('{').and_then(|w| w.strip_suffix('}')) {
            Some("ROOM") => Ok(json!(self.farm.room.base())),
            Some(name) => self.id(name).map(Json::from),
            _ => Ok(serde_json::from_str(&word).unwrap_or(Json::String(word))),
        };
        let first = one(words.word("a value")?)?;
        if words.peek() != Some(",") && !LISTS.contains(&field) {
            return Ok(first);
        }
        let mut list = vec![first];
        while words.takes(",") {
            list.push(one(words.word("a value")?)?);
        }
        Ok(Json::Array(list))
    }
}

fn number(word: &str) -> Outcome<i64> {
    word.parse().map_err(|_| format!("nothing is named {word}, and it is no number"))
}

async fn sent(
    client: &Client,
    method: Method,
    path: &str,
    body: &Json,
    version: Option<Json>,
) -> Answer {
    let mut request = client.request(method.clone(), path);
    if !body.is_null() || method == Method::PUT {
        request = request.json(body);
    }
    if let Some(version) = version {
        request = request.header("If-Match", format!("\"{version}\""));
    }
    Answer::of(request, &format!("{method} {path}")).await
}
