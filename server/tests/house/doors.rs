//! Every operation × every role, and every operation × hostile values, asked of the real binary. What
//! there is to ask its own description says; who may ask it, `doors.golden`.

use std::{collections::BTreeMap, fmt::Write as _, path::Path, time::Duration};

use reqwest::Method;
use serde_json::{Map, Value as Json, json};
use testkit::{Client, server::binary};
use testkit::{Options, Turno};

/// Written again with `UPDATE_GOLDEN=1`: whoever does so decides each line that changed.
const GOLDEN: &str = "tests/house/doors.golden";
const NOBODY: &str = "01a1e1f7-78ac-7555-b036-78910a23803b";
/// Moves time or ends the asker's own session: asked elsewhere.
const LEFT_OUT: [&str; 1] = ["/debug/clock"];

/// One thing that can be asked.
struct Operation {
    method: Method,
    path: String,
    /// Query and path parameters, with what fits.
    parameters: Vec<(String, bool, Json)>,
    body: Option<Json>,
}

impl Operation {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The address, with one parameter replaced.
    fn address(&self, other: Option<(&str, &str)>) -> String {
        let mut path = self.path.clone();
        let mut query = Vec::new();
        for (name, in_path, sample) in &self.parameters {
            let given = other.filter(|(known, _)| known == name).map(|(_, value)| value.to_owned());
            if *in_path {
                let value = given.unwrap_or_else(|| plain(sample));
                path = path.replace(&format!("{{{name}}}"), &value);
            } else if let Some(value) = given {
                query.push(format!("{name}={value}"));
            }
        }
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
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
            let parameters = listed
                .filter(|one| one["in"] == "path" || one["in"] == "query")
                .map(|one| {
                    let name = one["name"].as_str().unwrap().to_owned();
                    let in_path = one["in"] == "path";
                    let sample = match one["description"].as_str() {
                        Some("UUID") => json!(NOBODY),
                        _ => fitting(api, &one["schema"], 0),
                    };
                    (name, in_path, sample)
                })
                .collect();
            let content = &operation["requestBody"]["content"]["application/json"]["schema"];
            let body = (!content.is_null()).then(|| fitting(api, content, 0));
            if !LEFT_OUT.contains(&path.as_str()) {
                all.push(Operation { method, path: path.clone(), parameters, body });
            }
        }
    }
    all
}

/// The smallest value that a schema takes.
fn fitting(api: &Json, schema: &Json, depth: usize) -> Json {
    if depth > 8 {
        return Json::Null;
    }
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        return fitting(api, &api["components"]["schemas"][name], depth + 1);
    }
    if let Some(example) = schema.get("example") {
        return example.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|words| words.first()) {
        return first.clone();
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        let listed = schema[choice].as_array().into_iter().flatten();
        if let Some(one) = listed.into_iter().find(|one| one["type"] != "null") {
            return fitting(api, one, depth + 1);
        }
    }
    let kind = match &schema["type"] {
        Json::Array(kinds) => kinds.iter().find(|kind| **kind != "null").cloned(),
        kind => Some(kind.clone()),
    };
    match kind.as_ref().and_then(Json::as_str) {
        Some("string") => match schema["format"].as_str() {
            Some("date-time") => json!("2026-11-16T12:00:00Z"),
            _ => json!("x".repeat(schema["minLength"].as_u64().unwrap_or(1).max(1) as usize)),
        },
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(false),
        Some("array") => match schema["minItems"].as_u64() {
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

/// Every role of every application, each with a program that holds it.
async fn programs(house: &Turno) -> (Client, BTreeMap<String, Client>) {
    let made = std::process::Command::new(binary())
        .args(["token", "create", "jefa", "--role", "ADMIN", "--json", "--data-dir"])
        .arg(house.data_dir())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: Json = serde_json::from_slice(&made.stdout).unwrap();
    let admin = house.client().with_token(made["secret"].as_str().unwrap());
    let mut programs = BTreeMap::new();
    for app in [coordinador::app(), docproc::app(), pedidos::app(), sam::app()] {
        for role in app.roles {
            let name = format!("{}/{}", app.name, role.word);
            let grants = json!([{ "app": app.name, "role": role.word }]);
            let body = json!({ "name": name, "grants": grants });
            let made = admin.post("/api/tokens", body).await.expect(201);
            let secret = made["secret"].as_str().unwrap();
            programs.insert(name, house.client().with_token(secret));
        }
    }
    (admin, programs)
}

async fn house() -> Turno {
    let mut options = Options::default();
    let ports = ["DOCPROC_BACKOFFICE_PORT", "SAM_CALLBACK_PORT"]
        .map(|port| (port.to_owned(), "off".to_owned()));
    options.environment.push(("TURNO_AUTH".to_owned(), "required".to_owned()));
    options.environment.extend(ports);
    Turno::start(options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_has_its_decided_row() {
    let house = house().await;
    let (admin, programs) = programs(&house).await;
    let api = admin.get("/api/openapi.json").await.expect(200);
    let mut table = String::new();
    for operation in operations(&api) {
        let address = operation.address(None);
        let mut may = Vec::new();
        let nobody = operation.ask(&house.client(), &address, operation.body.as_ref()).await;
        if ![401, 403].contains(&nobody.0) {
            may.push("anybody");
        }
        for (name, client) in &programs {
            let (status, _) = operation.ask(client, &address, operation.body.as_ref()).await;
            if ![401, 403].contains(&status) {
                may.push(name);
            }
        }
        // A dash: whoever runs the house, or a proof of its own.
        let may = if may.is_empty() { "-".to_owned() } else { may.join(" ") };
        writeln!(table, "{}: {may}", operation.name()).unwrap();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &table).unwrap();
    }
    let decided = std::fs::read_to_string(&file).unwrap_or_default();
    let (decided, found): (Vec<&str>, Vec<&str>) =
        (decided.lines().collect(), table.lines().collect());
    let more: Vec<_> = found.iter().filter(|line| !decided.contains(line)).collect();
    let less: Vec<_> = decided.iter().filter(|line| !found.contains(line)).collect();
    assert!(more.is_empty() && less.is_empty(), "found: {more:#?}\ndecided: {less:#?}");
}

/// What no field is meant to hold.
fn hostile() -> Vec<Json> {
    let numbers = [json!(i64::MIN), json!(i64::MAX), json!(u64::MAX), json!(-1), json!(0)];
    let texts =
        [json!("a\0b"), json!("x".repeat(70_000)), json!(""), json!("\u{202e}😀"), json!({})];
    numbers.into_iter().chain(texts).chain([json!(null), json!([]), json!(1e308)]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_brings_an_operation_down() {
    let house = house().await;
    let (admin, _) = programs(&house).await;
    let api = admin.get("/api/openapi.json").await.expect(200);
    let (mut broken, mut asked) = (Vec::new(), 0);
    for operation in operations(&api) {
        if operation.path == "/api/events" {
            continue;
        }
        let mut tries: Vec<(String, Option<Json>)> = Vec::new();
        for (name, _, _) in &operation.parameters {
            for value in ["-9223372036854775808", "9223372036854775807", "-1", "0", "%00", "%F0%9F"]
            {
                tries.push((operation.address(Some((name, value))), operation.body.clone()));
            }
        }
        if let Some(Json::Object(body)) = &operation.body {
            for field in body.keys() {
                for value in hostile() {
                    let mut odd = body.clone();
                    odd.insert(field.clone(), value);
                    tries.push((operation.address(None), Some(Json::Object(odd))));
                }
            }
        }
        for (address, body) in tries {
            let (status, text) = operation.ask(&admin, &address, body.as_ref()).await;
            asked += 1;
            let nul = address.contains("%00") || body.is_some_and(|body| names_nul(&body));
            if status >= 500 || (nul && !(400..500).contains(&status)) {
                broken.push(format!("{status} {} {address}: {text:.200}", operation.method));
            }
        }
    }
    assert!(asked > 500, "{asked} tries are too few: is the description empty?");
    assert!(broken.is_empty(), "{} of {asked}: {broken:#?}", broken.len());
    assert!(!house.logs().contains("panicked"), "{}", house.logs());
}

fn names_nul(body: &Json) -> bool {
    body.as_object().is_some_and(|object| {
        object.values().any(|value| value.as_str().is_some_and(|text| text.contains('\0')))
    })
}
