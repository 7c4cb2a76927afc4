//! Every operation of every application, asked for nonsense in Spanish: no answer speaks English or
//! tells how we are built.

use reqwest::Method;
use serde_json::{Map, Value as Json, json};
use testkit::{Answer, Client, Options, Turno};

/// Words that no Spanish sentence has, and words only a programmer knows.
const FOREIGN: &[&str] = &[
    "the",
    "must",
    "expected",
    "expecting",
    "invalid",
    "missing",
    "field",
    "struct",
    "element",
    "elements",
    "unknown",
    "cannot",
    "failed",
    "found",
    "should",
    "string",
    "integer",
    "parse",
    "deserialize",
    "variant",
    "tuple",
    "sequence",
    "boolean",
    "with",
    "of",
    "from",
    "is",
    "are",
    "was",
    "not",
    "has",
    "have",
    "there",
    "nothing",
    "only",
    "already",
    "allowed",
    "value",
    "values",
    "i64",
    "i32",
    "u32",
    "u64",
    "u8",
    "f64",
    "usize",
    "option",
    "enum",
    "serde",
    "sqlx",
    "jiff",
    "uuid::",
    "panicked",
];

/// Names of fields, headers and keys stand in a sentence as they are written on the wire.
fn foreign(text: &str, known: &[String]) -> Option<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    // A word of the wire is written in capitals: `RUNNING`, `UNKNOWN`.
    let strange = |word: &&str| {
        let low = word.to_lowercase();
        let wire = word.chars().all(|c| !c.is_lowercase()) || known.contains(&low);
        !wire && FOREIGN.contains(&low.as_str())
    };
    words.filter(|word| !word.is_empty()).find(strange).map(str::to_owned)
}

/// What people read of a problem.
fn told(problem: &Json) -> Vec<String> {
    let texts = ["title", "detail", "hint"].map(|key| problem[key].as_str());
    let errors = problem["errors"].as_array().into_iter().flatten();
    let errors = errors.map(|error| error["message"].as_str());
    texts.into_iter().chain(errors).flatten().map(str::to_owned).collect()
}

/// An operation of the published interface.
struct Operation {
    method: Method,
    /// With numbers and names that fit.
    path: String,
    /// The same with names that fit nothing, where there are any.
    misnamed: Option<String>,
    body: Option<Json>,
    query: Vec<String>,
}

fn operations(api: &Json) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, item) in api["paths"].as_object().expect("paths") {
        for (verb, operation) in item.as_object().expect("a path item") {
            let Ok(method) = verb.to_uppercase().parse::<Method>() else { continue };
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let query = parameters.iter().filter(|parameter| parameter["in"] == "query");
            let query = query.filter_map(|parameter| parameter["name"].as_str());
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            let named = parameters.iter().filter(|parameter| parameter["in"] == "path");
            let named: Vec<_> = named.collect();
            found.push(Operation {
                method,
                path: named.iter().fold(path.clone(), |path, one| filled(&path, one, fit(one))),
                misnamed: (!named.is_empty()).then(|| {
                    named.iter().fold(path.clone(), |path, one| filled(&path, one, "x y"))
                }),
                body: (!body.is_null()).then(|| resolved(api, body)),
                query: query.map(str::to_owned).collect(),
            });
        }
    }
    found
}

/// A schema without its references and alternatives to null.
fn resolved(api: &Json, schema: &Json) -> Json {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        return api.pointer(pointer).map_or(Json::Null, |found| resolved(api, found));
    }
    let choices = ["oneOf", "anyOf", "allOf"].into_iter().find_map(|key| schema[key].as_array());
    match choices {
        Some(choices) => {
            let real = choices.iter().find(|choice| choice["type"] != "null");
            real.map_or(Json::Null, |found| resolved(api, found))
        }
        None => schema.clone(),
    }
}

/// Bodies that no operation takes: of another shape, with a stranger, and with every field wrong in
/// turn.
fn nonsense(schema: &Json) -> Vec<Json> {
    let mut bodies =
        vec![json!([]), json!(7), json!("texto"), json!({}), json!({ "campo_desconocido": 1 })];
    let empty = Map::new();
    let fields = schema["properties"].as_object().unwrap_or(&empty);
    for name in fields.keys() {
        for wrong in [
            json!(null),
            json!([]),
            json!({ "a": 1 }),
            json!(-7.5),
            json!("\u{0}"),
            json!("nada"),
            json!(true),
            json!(99_999_999_999_999_i64),
            json!([{ "otro": 1 }]),
            json!(["x"]),
        ] {
            bodies.push(json!({ name: wrong }));
        }
    }
    // All fields at once, so that what is wrong is not only that others are missing.
    for wrong in [json!(-1), json!("nada"), json!([7]), json!({})] {
        let all: Map<_, _> = fields.keys().map(|name| (name.clone(), wrong.clone())).collect();
        bodies.push(Json::Object(all));
    }
    bodies
}

async fn ask(client: &Client, method: &Method, path: &str, body: Option<&Json>) -> Answer {
    let request = client.request(method.clone(), path).header("accept-language", "es-AR");
    let request = match body {
        Some(body) => request.json(body),
        None => request,
    };
    Answer::of(request, &format!("{method} {path}")).await
}

/// What is not ours to word: streams that never end, and what stops the clock or the house.
fn is_walked(path: &str) -> bool {
    let left_out = ["/api/events", "/debug/", "/metrics", "/socket.io"];
    !left_out.iter().any(|start| path.starts_with(start))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spanish_answer_is_spanish() {
    let server = Turno::start(Options::at("2026-06-19T20:00:00-03:00")).await;
    let client = server.client();
    let api = client.get("/api/openapi.json").await.expect(200);
    // A word of the wire may be English: `status`, `value`, `limit`.
    let mut known: Vec<String> = Vec::new();
    collect_names(&api, &mut known);
    let (mut walked, mut strange) = (0, Vec::new());
    for operation in operations(&api) {
        if !is_walked(&operation.path) {
            continue;
        }
        let path = &operation.path;
        let bodies = operation.body.as_ref().map(nonsense).unwrap_or_default();
        let mut asks: Vec<(String, Option<Json>)> =
            bodies.into_iter().map(|body| (path.clone(), Some(body))).collect();
        for name in &operation.query {
            for value in ["%FF", "nada", "-1", "99999999999999999999", ""] {
                asks.push((format!("{path}?{name}={value}"), None));
            }
        }
        asks.push((format!("{path}?parametro_desconocido=1"), None));
        asks.push((path.clone(), None));
        asks.extend(operation.misnamed.iter().map(|path| (path.clone(), None)));
        for (path, body) in asks {
            let answer = ask(&client, &operation.method, &path, body.as_ref()).await;
            walked += 1;
            assert!(answer.status < 500 || answer.status == 503, "{path}: {}", answer.text);
            let probe = ["/health", "/ready"].iter().any(|start| path.starts_with(start));
            let unasked = path.contains("parametro_desconocido") && !probe;
            if unasked && operation.method == Method::GET {
                assert_eq!(answer.status, 400, "{path} answers what it was not asked");
            }
            if answer.status < 400 {
                continue;
            }
            let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
            assert!(detail.contains(' '), "{path}: no sentence in {}", answer.text);
            for text in told(&answer.json()) {
                if let Some(word) = foreign(&text, &known) {
                    let body = body.as_ref().map(ToString::to_string).unwrap_or_default();
                    strange.push(format!("{} {path} {body}: «{word}» in {text}", operation.method));
                }
            }
        }
    }
    strange.dedup_by_key(|line| line.split(": «").nth(1).map(str::to_owned));
    let shown: Vec<_> = strange.iter().take(40).collect();
    assert!(strange.is_empty(), "{} of {walked} answers: {shown:#?}", strange.len());
    assert!(walked > 1_000, "{walked} questions are not all operations");
}

fn filled(path: &str, parameter: &Json, value: &str) -> String {
    let name = parameter["name"].as_str().unwrap_or_default();
    path.replace(&format!("{{{name}}}"), value)
}

/// Something that could be there and is not.
fn fit(parameter: &Json) -> &'static str {
    let schema = &parameter["schema"];
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("integer"), _) => "4000000",
        (_, Some("uuid")) => "00000000-0000-7000-8000-000000000000",
        _ => "nada",
    }
}

/// The names of fields and the words of closed lists, which are what they are in any language.
fn collect_names(api: &Json, known: &mut Vec<String>) {
    match api {
        Json::Object(map) => {
            for (key, value) in map {
                if key == "properties"
                    && let Some(fields) = value.as_object()
                {
                    known.extend(fields.keys().map(|name| name.to_lowercase()));
                }
                if key == "name"
                    && let Some(name) = value.as_str()
                {
                    known.push(name.to_lowercase());
                }
                collect_names(value, known);
            }
        }
        Json::Array(list) => list.iter().for_each(|value| collect_names(value, known)),
        _ => {}
    }
}

#[tokio::test]
async fn every_setting_is_called_by_a_name() {
    let turno = Turno::start(Options::default()).await;
    for app in ["coordinador", "docproc", "pedidos", "sam"] {
        let page = turno.client().get(&format!("/ajustes/{app}")).await.text;
        let rows: Vec<_> = page.split("<div class=\"setting\" id=\"").skip(1).collect();
        assert!(rows.len() > 5, "{app} has settings");
        for row in rows {
            let mut parts = row.split('"');
            let (key, label) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
            assert!(!label.is_empty() && label != key, "{app}: {key} has no name");
        }
    }
}
