//! What must be so in a story, looked up over HTTP.

use jiff::Timestamp;
use serde_json::{Value as Json, json};
use testkit::story::{Outcome, Step, Words, same};

use super::story::{Tale, field};

/// What there is one or many of, the path to all of them, and the field that a story calls one by.
const THINGS: [(&str, &str, &str); 8] = [
    ("run", "ejecuciones?limit=1000", "nodo_id"),
    ("node", "nodos?limit=1000", "id"),
    ("olt", "olts?limit=1000", "id"),
    ("quota", "cuotas?limit=1000", "nodo_id"),
    ("onu", "onus?limit=1000", "raw_index_key"),
    ("event", "eventos?limit=1000", "tipo"),
    ("minute", "plan", "minuto"),
    ("alert", "../alerts", "fingerprint"),
];

impl Tale {
    pub(super) async fn expect(&mut self, step: &mut Step) -> Outcome {
        let words = &mut step.words;
        let what = words.word("what")?;
        match what.as_str() {
            "answer" => self.check(&self.answer, words),
            "fit" => self.check(&self.get("factibilidad").await?, words),
            "plan" => self.check(&self.get("plan").await?, words),
            "running" => {
                let runs = self.all("runs").await?.0;
                let live = runs.iter().filter(|run| run["status"] == "RUNNING");
                let mut names: Vec<_> =
                    live.map(|run| self.name("nodos", &run["nodo_id"])).collect();
                names.sort();
                let mut expected = words.all();
                expected.sort();
                same("running", expected.join(" "), names.join(" "))
            }
            "order" => self.expect_order(words).await,
            "starts" => {
                let name = words.word("a node")?;
                let mut expected = words.all();
                expected.extend(step.under.iter().flat_map(|line| Words::of(line).all()));
                let runs = self.runs_of(&name).await?;
                let starts = runs.iter().map(|run| self.text(&run["started_at"]));
                same("starts", expected.join(" "), starts.collect::<Vec<_>>().join(" "))
            }
            "why" => {
                let (path, id) = self.find(&words.word("a node")?)?;
                let why = self.get(&format!("{path}/{id}/why")).await?;
                let reasons = why["reasons"].as_array().into_iter().flatten();
                let codes: Vec<_> = reasons.map(|one| self.text(&one["code"])).collect();
                same("reasons", words.all().join(" "), codes.join(" "))
            }
            "told" => {
                let name = words.word("a node")?;
                let told = self.all("events").await?.0;
                let told = told.iter().filter(|one| self.holds(&one["nodo_id"], &name));
                let text = |one: &Json, field| self.text(&one[field]);
                let told = told.map(|one| format!("{} {}", text(one, "tipo"), text(one, "nivel")));
                same("told", step.under.join(", "), told.collect::<Vec<_>>().join(", "))
            }
            "asked" => {
                let (devices, number) = self.device(&words.word("an OLT")?)?;
                self.matches("packets", &json!(devices.counters(number).received), words)
            }
            "most" => self.expect_most(words).await,
            "nodes" if words.takes("unmoved") => {
                let planned = |nodes: &[Json]| -> Vec<_> {
                    nodes.iter().map(|node| node["next_run_at"].to_string()).collect()
                };
                let now = self.all("nodes").await?.0;
                same("next runs", planned(&self.remembered).join(" "), planned(&now).join(" "))
            }
            one if THINGS.iter().any(|(thing, ..)| *thing == one) => {
                let found = self.one(one, &words.word("which")?).await?;
                self.check(&found, words)
            }
            count => self.expect_count(count, words).await,
        }
    }

    /// `expect 3 runs status PENDING`, `expect some events …`, `expect no nodes …`.
    async fn expect_count(&self, count: &str, words: &mut Words) -> Outcome {
        let what = words.word("of what")?;
        let (all, _) = self.all(&what).await?;
        let mut wanted = Vec::new();
        while let Some(word) = words.take() {
            let value = words.word(&format!("the value of {word}"))?;
            wanted.push((word, value));
        }
        let mut found = 0;
        for one in &all {
            let mut fits = true;
            for (word, value) in &wanted {
                fits &= self.holds(at(one, word)?, value);
            }
            found += i64::from(fits);
        }
        let right = match count {
            "some" => found > 0,
            "no" => found == 0,
            count => self.holds(&json!(found), count),
        };
        if right {
            return Ok(());
        }
        let all: Vec<_> = all.iter().map(Json::to_string).collect();
        Err(format!("expected {count} {what}, got {found} of\n    {}", all.join("\n    ")))
    }

    /// The nodes in the order in which they ran; `…` for whoever came after.
    async fn expect_order(&self, words: &mut Words) -> Outcome {
        let runs = self.all("runs").await?.0;
        let mut names: Vec<_> =
            runs.iter().map(|run| self.name("nodos", &run["nodo_id"])).collect();
        let mut expected = words.all();
        if expected.last().is_some_and(|last| last == "…") {
            expected.pop();
            names.truncate(expected.len());
        }
        same("order", expected.join(" "), names.join(" "))
    }

    /// `expect most 6 a minute`: of starts, in every minute of the clock and in any sixty seconds.
    async fn expect_most(&self, words: &mut Words) -> Outcome {
        let most = words.number("how many")?;
        if !(words.takes("a") && words.takes("minute")) {
            return Err("expect most N a minute".into());
        }
        let runs = self.all("runs").await?.0;
        // What is asked together starts once.
        let alone = runs.iter().filter(|run| run["junto_con"].is_null());
        let starts = alone.filter_map(|run| run["started_at"].as_str()?.parse().ok());
        let mut starts: Vec<Timestamp> = starts.collect();
        starts.sort_unstable();
        let minute = |at: &Timestamp| at.as_second().div_euclid(60);
        for (number, first) in starts.iter().enumerate() {
            let rest = &starts[number..];
            let sliding = rest.iter().filter(|at| at.duration_since(*first).as_secs() < 60);
            let same = rest.iter().filter(|at| minute(at) == minute(first));
            if sliding.count().max(same.count()) as i64 > most {
                return Err(format!("more from {first} on: {starts:?}"));
            }
        }
        Ok(())
    }

    pub(super) async fn get(&self, path: &str) -> Outcome<Json> {
        let path = match path.strip_prefix("../") {
            Some(house) => format!("/api/{house}"),
            None => format!("/api/coordinador/{path}"),
        };
        let answer = self.network.client.get(&path).await;
        match answer.status {
            200 => Ok(answer.json()),
            status => Err(format!("GET {path}: {status} {}", answer.text)),
        }
    }

    /// All things of a kind, the oldest first, and the field that a story calls one by.
    pub(super) async fn all(&self, what: &str) -> Outcome<(Vec<Json>, &'static str)> {
        let one = what.strip_suffix('s').unwrap_or(what);
        let thing = THINGS.iter().find(|(thing, ..)| *thing == one);
        let (_, path, key) = thing.ok_or_else(|| format!("nobody knows {what}"))?;
        let page = self.get(path).await?;
        let items = page["items"].as_array().or_else(|| page["minutos"].as_array());
        let mut items = items.cloned().unwrap_or_default();
        items.sort_by_key(|item| item["id"].as_i64());
        Ok((items, key))
    }

    /// The newest of a kind that has this name.
    pub(super) async fn one(&self, what: &str, name: &str) -> Outcome<Json> {
        let (all, key) = self.all(what).await?;
        let found = all.into_iter().rfind(|item| self.holds(&item[key], name));
        found.ok_or_else(|| format!("there is no {what} {name}"))
    }

    async fn runs_of(&self, node: &str) -> Outcome<Vec<Json>> {
        let (mut runs, key) = self.all("runs").await?;
        runs.retain(|run| self.holds(&run[key], node));
        Ok(runs)
    }

    /// Each field that is named has the value that follows it.
    fn check(&self, found: &Json, words: &mut Words) -> Outcome {
        while let Some(word) = words.take() {
            let checked = self.matches(&word, at(found, &word)?, words);
            checked.map_err(|reason| format!("{reason} in {found}"))?;
        }
        Ok(())
    }

    fn matches(&self, what: &str, found: &Json, words: &mut Words) -> Outcome {
        let expected = words.word(&format!("the value of {what}"))?;
        if self.holds(found, &expected) {
            return Ok(());
        }
        Err(format!("{what}: expected {expected}, got {}", self.text(found)))
    }

    /// Whether a value is as a word says: a text, a name, a number, a time, `none`, `some`, `<=60`,
    /// `>6` or `12:00:00..12:03:00`. A list is as long as it says.
    fn holds(&self, found: &Json, word: &str) -> bool {
        let text = self.text(found);
        let number = text.parse::<f64>().ok();
        let than = |limit: &str| Some((number?, limit.parse::<f64>().ok()?));
        if let Some((from, to)) = word.split_once("..") {
            return (from..=to).contains(&text.as_str());
        }
        if let Some(most) = word.strip_prefix("<=") {
            return than(most).is_some_and(|(number, most)| number <= most);
        }
        if let Some(less) = word.strip_prefix('>') {
            return than(less).is_some_and(|(number, less)| number > less);
        }
        match (word, self.named.get(word)) {
            ("some", _) => !found.is_null(),
            (_, Some((_, id))) => found == id,
            (word, None) => text == word || than(word).is_some_and(|(a, b)| (a - b).abs() < 1e-9),
        }
    }

    /// Instants of the day are times of it, null is `none`, a list its length.
    fn text(&self, value: &Json) -> String {
        match value {
            Json::Null => "none".to_owned(),
            Json::Array(items) => items.len().to_string(),
            Json::String(text) => match text.strip_suffix('Z').and_then(|at| at.split_once('T')) {
                Some((date, time)) if date == self.today.to_string() => time[..8].to_owned(),
                _ => text.clone(),
            },
            other => other.to_string(),
        }
    }
}

/// The value of a field, or of one inside of it: `resumen.total_found`, `lecturas.0.valor`.
fn at<'a>(thing: &'a Json, word: &str) -> Outcome<&'a Json> {
    let mut parts = field(word).split('.');
    parts
        .try_fold(thing, |value, part| match part.parse::<usize>() {
            Ok(place) => value.get(place),
            Err(_) => value.get(part),
        })
        .ok_or_else(|| format!("there is no {word} in {thing}"))
}
