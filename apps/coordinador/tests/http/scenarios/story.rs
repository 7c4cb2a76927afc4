//! What the people of a story do to a network of OLTs; [`super::expects`] is what must be so then.

use std::{collections::BTreeMap, net::SocketAddr};

use host::Access;
use jiff::{
    Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};
use reqwest::Method;
use serde_json::{Map, Value as Json, json};
use snmp::sim::{Options, Simulator};
use testkit::{
    Answer, TestDb,
    story::{Outcome, Step, Story, Words},
};

use crate::network::{Network, extend, get, olt, walk};

pub(super) struct Tale {
    pub(super) network: Network,
    /// The day that times of the story belong to.
    pub(super) today: Date,
    /// Where everything that has a name in the story is found: `("nodos", 3)`.
    pub(super) named: BTreeMap<String, (&'static str, i64)>,
    /// Simulated devices, and the OLT that each of them is.
    pub(super) devices: Option<(Simulator, Vec<String>)>,
    /// What the last request was answered with.
    pub(super) answer: Json,
    /// The nodes as they were when the story said `remember nodes`.
    pub(super) remembered: Vec<Json>,
}

impl Story for Tale {
    async fn open(db: &TestDb, at: Timestamp) -> Self {
        Self {
            network: Network::open(db, at, Access::Open).await,
            today: Date::MIN,
            named: BTreeMap::new(),
            devices: None,
            answer: Json::Null,
            remembered: Vec::new(),
        }
    }

    async fn at(&mut self, instant: Timestamp) -> Outcome {
        self.network.client.at(&instant.to_string()).await;
        Ok(())
    }

    async fn line(&mut self, mut step: Step) -> Outcome {
        self.today = step.today;
        let verb = step.words.word("a verb")?;
        match verb.as_str() {
            "expect" => self.expect(&mut step).await?,
            "settle" => drop(self.network.client.advance(0).await),
            "wait" => drop(self.network.client.advance(step.words.number("seconds")?).await),
            "down" if step.words.takes("until") => {
                let until = step.words.instant(step.today, &TimeZone::UTC)?;
                self.network.close().await;
                self.network.open_again(until).await;
            }
            "remember" if step.words.takes("nodes") => self.remembered = self.all("nodes").await?.0,
            "devices" => self.simulate(&mut step.words).await?,
            "device" => self.set_device(&mut step.words)?,
            _ => self.ask(&verb, &mut step).await?,
        }
        step.words.end()
    }

    async fn close(mut self) {
        self.network.close().await;
    }
}

impl Tale {
    /// A line that is a request.
    async fn ask(&mut self, verb: &str, step: &mut Step) -> Outcome {
        let words = &mut step.words;
        let paths = match verb {
            "olt" => return self.olts(step).await,
            "node" => return self.nodes(step).await,
            "template" | "forecast" => return self.template(verb, step).await,
            "rehearse" => vec!["coordinador/modo-prueba".to_owned()],
            "limits" => vec!["coordinador/limites".to_owned()],
            "formula" => vec!["coordinador/formulas".to_owned()],
            "setting" => vec![format!("settings/coordinador/{}", words.word("a key")?)],
            "preview" => vec!["coordinador/plan/previsualizar".to_owned()],
            "spread" => vec!["coordinador/plan/aplicar".to_owned()],
            "abort" => {
                let run = &self.one("run", &words.word("a node")?).await?["id"];
                vec![format!("coordinador/ejecuciones/{run}/abortar")]
            }
            "run" | "accept" | "change" | "delete" => {
                let end = match verb {
                    "run" => "/ejecutar",
                    "accept" => "/aceptar-recorrido",
                    _ => "",
                };
                let path = |name: &String| {
                    let (path, id) = self.find(name)?;
                    Ok(format!("coordinador/{path}/{id}{end}"))
                };
                names(&words.word("a name")?).iter().map(path).collect::<Outcome<_>>()?
            }
            other => return Err(format!("nobody knows how to {other}")),
        };
        let method = match verb {
            "rehearse" | "limits" | "setting" | "change" => Method::PUT,
            "delete" => Method::DELETE,
            _ => Method::POST,
        };
        let mut body = match verb {
            "rehearse" => json!({ "activo": true, "exito_pct": 100,
                                  "duracion_segundos": words.number("seconds")? }),
            "setting" => json!({ "valor": self.value(&words.word("a value")?) }),
            _ => json!({}),
        };
        extend(&mut body, self.fields(words)?.into());
        for path in paths {
            self.send(step, method.clone(), &path, body.clone()).await?;
        }
        Ok(())
    }

    async fn send(&mut self, step: &Step, method: Method, path: &str, body: Json) -> Outcome {
        let request = self.network.client.request(method, &format!("/api/{path}")).json(&body);
        self.answer = step.answered(&Answer::of(request, path).await)?;
        Ok(())
    }

    /// Makes something that the story will call by this name.
    async fn make(&mut self, step: &Step, path: &'static str, name: &str, body: Json) -> Outcome {
        self.send(step, Method::POST, &format!("coordinador/{path}"), body).await?;
        if let Some(id) = self.answer["id"].as_i64() {
            self.named.insert(name.to_owned(), (path, id));
        }
        Ok(())
    }

    /// `olt A B`, `olt K1..K40`.
    async fn olts(&mut self, step: &mut Step) -> Outcome {
        for name in step.words.all().iter().flat_map(|word| names(word)) {
            self.olt(step, &name).await?;
        }
        Ok(())
    }

    /// A simulated one while there are devices that are nobody's.
    async fn olt(&mut self, step: &Step, name: &str) -> Outcome {
        let port = self.devices.as_mut().and_then(|(devices, olts)| {
            olts.push(name.to_owned());
            devices.addresses().get(olts.len() - 1).map(SocketAddr::port)
        });
        self.make(step, "olts", name, olt(name, port.unwrap_or(161))).await
    }

    /// `node NAME get on OLT every 900 at 10:15:00`, `node NAME get on OLT after MASTER`, or
    /// `node K1..K17 walk at 10:15:00` for many, each on an OLT of its own.
    async fn nodes(&mut self, step: &mut Step) -> Outcome {
        let words = &mut step.words;
        let (range, job) = (words.word("a name")?, words.word("get or walk")?);
        let fields = self.fields(words)?;
        for name in names(&range) {
            let mut olt = fields.get("olt_id").and_then(Json::as_i64).unwrap_or_default();
            if olt == 0 {
                let own = format!("{name}.olt");
                self.olt(step, &own).await?;
                olt = self.find(&own)?.1;
            }
            let mut body = if job == "walk" { walk(olt, &name) } else { get(olt, &name) };
            if fields.contains_key("master_node_id") {
                body["interval_seconds"] = Json::Null;
            }
            extend(&mut body, fields.clone().into());
            self.make(step, "nodos", &name, body).await?;
        }
        Ok(())
    }

    /// `template NAME on A B` with its nodes under it, or the fields of it that change. Its nodes are
    /// called `A/key` then. `forecast` only asks what it would bring.
    async fn template(&mut self, verb: &str, step: &mut Step) -> Outcome {
        let name = step.words.word("a name")?;
        let olts = step.words.takes("on").then(|| step.words.all());
        let mut body = self.fields(&mut step.words)?;
        if let Some(names) = olts {
            let olt = |(path, id): &(&str, i64)| (*path == "olts").then_some(*id);
            let olts: Outcome<Vec<i64>> = match names.as_slice() {
                [all] if all == "all" => Ok(self.named.values().filter_map(olt).collect()),
                names => names.iter().map(|name| Ok(self.find(name)?.1)).collect(),
            };
            body.insert("olts".into(), json!(olts?));
        }
        let mut nodes = Vec::new();
        for part in &mut step.parts()? {
            let mut node = json!({ "clave": part.words.word("a key")? });
            extend(
                &mut node,
                match part.words.word("get or walk")?.as_str() {
                    "walk" => json!({ "job_type": "descubrimiento", "espacio": "descubrimiento" }),
                    job => json!({ "job_type": job }),
                },
            );
            extend(&mut node, self.fields(&mut part.words)?.into());
            nodes.push(node);
        }
        if !nodes.is_empty() {
            body.insert("nodos".into(), nodes.into());
        }
        if let Some((path, id)) = self.named.get(&name) {
            let path = format!("coordinador/{path}/{id}");
            return self.send(step, Method::PUT, &path, body.into()).await;
        }
        body.insert("nombre".into(), json!(name));
        if verb == "forecast" {
            let path = "coordinador/plantillas/factibilidad";
            return self.send(step, Method::POST, path, body.into()).await;
        }
        self.make(step, "plantillas", &name, body.into()).await?;
        for node in self.all("nodes").await?.0 {
            let olt = self.name("olts", &node["olt_id"]);
            let name = format!("{olt}/{}", node["clave"].as_str().unwrap_or_default());
            self.named.insert(name, ("nodos", node["id"].as_i64().unwrap_or_default()));
        }
        Ok(())
    }

    /// `devices 2 onus 20`: the OLTs that are entered from now on are these.
    async fn simulate(&mut self, words: &mut Words) -> Outcome {
        let count = usize::try_from(words.number("how many")?).unwrap_or(1);
        let onus = if words.takes("onus") { words.number("how many")? } else { 0 };
        let options = Options { count, onus: onus as u32, ..Options::default() };
        let devices = Simulator::start(options).await.map_err(|error| error.to_string())?;
        self.devices = Some((devices, Vec::new()));
        Ok(())
    }

    fn set_device(&self, words: &mut Words) -> Outcome {
        let (devices, number) = self.device(&words.word("an OLT")?)?;
        let change = self.fields(words)?.into();
        let settings = devices.settings(number).changed(&change);
        let set = settings.and_then(|settings| devices.set(number, settings));
        set.map_err(|error| error.to_string())
    }

    pub(super) fn device(&self, olt: &str) -> Outcome<(&Simulator, usize)> {
        let known = self
            .devices
            .as_ref()
            .and_then(|(devices, olts)| Some((devices, olts.iter().position(|name| name == olt)?)));
        known.ok_or_else(|| format!("{olt} is not simulated"))
    }

    pub(super) fn find(&self, name: &str) -> Outcome<(&'static str, i64)> {
        self.named.get(name).copied().ok_or_else(|| format!("there is no {name} yet"))
    }

    /// How the story calls what has this number.
    pub(super) fn name(&self, path: &str, id: &Json) -> String {
        let named = self.named.iter().find(|(_, (at, known))| *at == path && id == known);
        named.map_or_else(|| format!("{path}/{id}"), |(name, _)| name.clone())
    }

    /// `every 900 priority 1` as the fields of a request.
    fn fields(&self, words: &mut Words) -> Outcome<Map<String, Json>> {
        let mut fields = Map::new();
        while let Some(word) = words.take() {
            let value = words.word(&format!("the value of {word}"))?;
            fields.insert(field(&word).to_owned(), self.value(&value));
        }
        Ok(fields)
    }

    /// A name, a time of the day, `none`, or a number, yes or no as JSON has it; else a text.
    fn value(&self, word: &str) -> Json {
        if let Some((_, id)) = self.named.get(word) {
            return json!(id);
        }
        if let Some(time) = word.contains(':').then(|| word.parse::<Time>().ok()).flatten() {
            return json!(format!("{}Z", self.today.to_datetime(time)));
        }
        match word {
            "none" => Json::Null,
            word => serde_json::from_str(word).unwrap_or_else(|_| json!(word)),
        }
    }
}

/// The field that a story has a shorter word for.
pub(super) fn field(word: &str) -> &str {
    match word {
        "of" => "nodo_id",
        "on" => "olt_id",
        "at" | "next" => "next_run_at",
        "every" => "interval_seconds",
        "after" => "master_node_id",
        "started" => "started_at",
        "ended" => "finished_at",
        "late" => "atraso_segundos",
        "success" => "exito_pct",
        word => word,
    }
}

/// `K1..K17` are seventeen names.
fn names(word: &str) -> Vec<String> {
    let Some((first, last)) = word.split_once("..") else { return vec![word.to_owned()] };
    let name = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = |text: &str| text[name.len()..].parse::<usize>().unwrap_or_default();
    (number(first)..=number(last)).map(|number| format!("{name}{number}")).collect()
}
