//! Every operation of the real binary, as its own description lists them: who may ask it, and what it
//! says to values that no field is meant to hold.

mod roles;
mod values;

use std::time::Duration;

use reqwest::Method;
use serde_json::{Map, Value as Json, json};
use testkit::Client;

const NOBODY: &str = "01a1e1f7-78ac-7555-b036-78910a23803b";
/// Moves time: asked elsewhere.
const LEFT_OUT: [&str; 1] = ["/debug/clock"];

/// One thing that can be asked.
struct Operation {
    method: Method,
    path: String,
    parameters: Vec<Parameter>,
    /// The schema of its JSON.
    body: Option<Json>,
}

/// A part of an address.
struct Parameter {
    name: String,
    in_path: bool,
    required: bool,
    schema: Json,
    /// What fits.
    sample: String,
}

impl Operation {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The address with what fits, and with some of it replaced.
    fn address(&self, given: &[(&str, &str)]) -> String {
        let mut path = self.path.clone();
        let mut query = Vec::new();
        for Parameter { name, in_path, required, sample, .. } in &self.parameters {
            let other = given.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
            let value = other.unwrap_or(sample);
            if *in_path {
                path = path.replace(&format!("{{{name}}}"), value);
            } else if *required || other.is_some() {
                query.push(format!("{name}={value}"));
            }
        }
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }

    /// The smallest body that it takes.
    fn fitting(&self, api: &Json) -> Option<Json> {
        self.body.as_ref().map(|schema| fitting(api, schema, 0))
    }

    async fn ask(&self, client: &Client, address: &str, body: Option<&Json>) -> (u16, String) {
        let request = client.request(self.method.clone(), address).timeout(Duration::from_mins(1));
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = request.send().await.unwrap_or_else(|error| panic!("{address}: {error}"));
        let status = answer.status().as_u16();
        let stream =
            answer.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let text = if stream { String::new() } else { answer.text().await.unwrap_or_default() };
        (status, text)
    }
}

fn plain(sample: &Json) -> String {
    sample.as_str().map_or_else(|| sample.to_string(), str::to_owned)
}

/// All operations of a description, in the order of their addresses.
fn operations(api: &Json) -> Vec<Operation> {
    let mut all = Vec::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let Ok(method) = method.to_uppercase().parse::<Method>() else { continue };
            let listed = operation["parameters"].as_array().into_iter().flatten();
            let listed = listed.filter(|one| one["in"] == "path" || one["in"] == "query");
            let parameters = listed.map(|one| parameter(api, one)).collect();
            let body = operation["requestBody"]["content"]["application/json"]["schema"].clone();
            let body = (!body.is_null()).then_some(body);
            if !LEFT_OUT.contains(&path.as_str()) {
                all.push(Operation { method, path: path.clone(), parameters, body });
            }
        }
    }
    all
}

fn parameter(api: &Json, one: &Json) -> Parameter {
    Parameter {
        name: one["name"].as_str().unwrap().to_owned(),
        in_path: one["in"] == "path",
        required: one["required"] == true,
        schema: one["schema"].clone(),
        sample: match one["description"].as_str() {
            Some("UUID") => NOBODY.to_owned(),
            _ => plain(&fitting(api, &one["schema"], 0)),
        },
    }
}

fn resolved<'a>(api: &'a Json, schema: &'a Json) -> &'a Json {
    match schema["$ref"].as_str() {
        Some(name) => resolved(api, api.pointer(&name[1..]).unwrap()),
        None => schema,
    }
}

/// What a value may be: the other choices than null.
fn choices<'a>(api: &'a Json, schema: &'a Json) -> Vec<&'a Json> {
    let schema = resolved(api, schema);
    let lists = ["oneOf", "anyOf", "allOf"].iter().filter_map(|choice| schema[choice].as_array());
    let some = lists.flatten().filter(|one| one["type"] != "null");
    let some: Vec<_> = some.flat_map(|one| choices(api, one)).collect();
    if some.is_empty() { vec![schema] } else { some }
}

/// What it is called: `integer`, `string`, `object`; of several, the first that is not null.
fn kind(schema: &Json) -> &str {
    match &schema["type"] {
        Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    }
    .unwrap_or_default()
}

/// The smallest value that a schema takes.
fn fitting(api: &Json, schema: &Json, depth: usize) -> Json {
    if depth > 8 {
        return Json::Null;
    }
    let schema = choices(api, schema)[0];
    if let Some(example) = schema.get("example") {
        return example.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|words| words.first()) {
        return first.clone();
    }
    match kind(schema) {
        "string" => match schema["format"].as_str() {
            Some("date-time") => json!("2026-11-16T12:00:00Z"),
            _ => json!("x".repeat(schema["minLength"].as_u64().unwrap_or(1).max(1) as usize)),
        },
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(false),
        "array" => match schema["minItems"].as_u64() {
            Some(1..) => json!([fitting(api, &schema["items"], depth + 1)]),
            _ => json!([]),
        },
        _ => {
            let mut object = Map::new();
            let needed = schema["required"].as_array().into_iter().flatten();
            for name in needed.filter_map(Json::as_str) {
                let part = &schema["properties"][name];
                object.insert(name.to_owned(), fitting(api, part, depth + 1));
            }
            Json::Object(object)
        }
    }
}
