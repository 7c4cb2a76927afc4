//! Every operation of every application, asked for nonsense in Spanish: no answer speaks English or
//! tells how we are built.

use std::fmt;

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
    /// Of a form with files.
    form: Option<Json>,
    query: Vec<String>,
}

/// Something that is asked of an operation.
#[derive(Clone, Default)]
struct Ask {
    path: String,
    kind: Option<&'static str>,
    body: Vec<u8>,
    header: Option<(&'static str, Vec<u8>)>,
}

impl Ask {
    fn of(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    fn json(path: &str, body: &Json) -> Self {
        Self::with(path, "application/json", body.to_string())
    }

    fn with(path: &str, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { kind: Some(kind), body: body.into(), ..Self::of(path) }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.header.as_ref().map(|(name, value)| (name, value.escape_ascii()));
        let header = header.map(|(name, value)| format!(" {name}: {value}")).unwrap_or_default();
        write!(out, "{}{header} {}", self.path, self.body.escape_ascii())
    }
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
            let form = &operation["requestBody"]["content"]["multipart/form-data"]["schema"];
            let named = parameters.iter().filter(|parameter| parameter["in"] == "path");
            let named: Vec<_> = named.collect();
            found.push(Operation {
                method,
                path: named.iter().fold(path.clone(), |path, one| filled(&path, one, fit(one))),
                misnamed: (!named.is_empty()).then(|| {
                    named.iter().fold(path.clone(), |path, one| filled(&path, one, "x y"))
                }),
                body: (!body.is_null()).then(|| resolved(api, body)),
                form: (!form.is_null()).then(|| resolved(api, form)),
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

const FORM: &str = "multipart/form-data; boundary=x";

fn part(about: &str, what: &str) -> String {
    format!("--x\r\nContent-Disposition: form-data{about}\r\n\r\n{what}\r\n")
}

/// Forms with files that no operation takes: of another kind, torn, without names, with strangers, with
/// files that are none, and with every field wrong in turn.
fn forms(path: &str, schema: &Json) -> Vec<Ask> {
    let file =
        |name: &str, what: &str| part(&format!("; name=\"file\"; filename=\"{name}\""), what);
    let good = file("a.txt", "nada");
    let text = |name: &str, what: &str| part(&format!("; name=\"{name}\""), what);
    let mut bodies = vec![
        String::new(),
        "nada".to_owned(),
        "--x".to_owned(),
        "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nnada".to_owned(),
        good.clone(),
    ];
    let whole = [
        part("", "nada"),
        file("", ""),
        file("a.txt", ""),
        file("a.pdf", "%PDF-1.4"),
        file("a.zip", "PK\u{3}\u{4}"),
        file("a.docx", "PK\u{3}\u{4}"),
        file("a.png", "\u{7f}nada"),
        file("../../a\u{0}.txt", "nada"),
        format!("{good}{}", text("campo_desconocido", "1")),
    ];
    bodies.extend(whole.iter().map(|body| format!("{body}--x--\r\n")));
    for name in schema["properties"].as_object().unwrap_or(&Map::new()).keys() {
        for wrong in
            ["", "nada", "-1", "99999999999999999999", "\u{0}", "[]", "{", "http://10.0.0.1/"]
        {
            bodies.push(format!("{good}{}--x--\r\n", text(name, wrong)));
            bodies.push(format!("{}--x--\r\n", text(name, wrong)));
        }
    }
    let mut asks: Vec<_> = bodies.into_iter().map(|body| Ask::with(path, FORM, body)).collect();
    asks.push(Ask::with(path, "multipart/form-data", "nada"));
    asks.push(Ask::with(path, "text/plain", "nada"));
    asks.push(Ask::json(path, &json!({})));
    asks
}

/// Headers that mean something, with what means nothing.
fn headers() -> Vec<(&'static str, Vec<u8>)> {
    let long = "k".repeat(5_000);
    let plain = [
        ("if-match", "nada"),
        ("if-match", "\"nada\""),
        ("if-match", "\"99999999999999999999\""),
        ("if-none-match", "nada"),
        ("idempotency-key", ""),
        ("idempotency-key", long.as_str()),
        ("last-event-id", "nada"),
        ("range", "bytes=nada"),
        ("range", "bytes=9-1"),
        ("authorization", "Basic eDp5"),
        ("authorization", "Bearer nada"),
        ("content-type", "text/plain"),
        ("content-type", "application/json; charset=latin1"),
        ("content-encoding", "gzip"),
        ("accept", "application/xml"),
        ("origin", "http://evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("x-forwarded-for", "nada"),
    ];
    let plain = plain.into_iter().map(|(name, value)| (name, value.as_bytes().to_vec()));
    let odd = ["if-match", "idempotency-key", "last-event-id", "authorization", "content-type"];
    plain.chain(odd.map(|name| (name, vec![0xff, 0xfe]))).collect()
}

async fn ask(client: &Client, method: &Method, ask: &Ask) -> Answer {
    let mut request = client.request(method.clone(), &ask.path).header("accept-language", "es-AR");
    let own = ask.header.as_ref().map(|(name, _)| *name);
    if let Some(kind) = ask.kind.filter(|_| own != Some("content-type")) {
        request = request.header("content-type", kind);
    }
    if let Some((name, value)) = &ask.header {
        request = request.header(*name, value.as_slice());
    }
    if ask.kind.is_some() {
        request = request.body(ask.body.clone());
    }
    Answer::of(request, &format!("{method} {ask}")).await
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
        for asked in asks(&operation) {
            let answer = ask(&client, &operation.method, &asked).await;
            walked += 1;
            let path = &asked.path;
            assert!(answer.status < 500 || answer.status == 503, "{asked}: {}", answer.text);
            let probe = ["/health", "/ready"].iter().any(|start| path.starts_with(start));
            let lenient = probe || path.starts_with("/api/callback");
            if path.contains("parametro_desconocido") && !lenient {
                let method = &operation.method;
                assert_eq!(answer.status, 400, "{method} {path} does what it was not asked");
            }
            if answer.status < 400 {
                continue;
            }
            let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
            assert!(detail.contains(' '), "{asked}: no sentence in {}", answer.text);
            for text in told(&answer.json()) {
                if let Some(word) = foreign(&text, &known) {
                    strange.push(format!("{} {asked}: «{word}» in {text}", operation.method));
                }
            }
        }
    }
    strange.dedup_by_key(|line| line.split(": «").nth(1).map(str::to_owned));
    let shown: Vec<_> = strange.iter().take(40).collect();
    assert!(strange.is_empty(), "{} of {walked} answers: {shown:#?}", strange.len());
    assert!(walked > 1_000, "{walked} questions are not all operations");
}

/// All that is asked of one operation.
fn asks(operation: &Operation) -> Vec<Ask> {
    let path = &operation.path;
    let bodies = operation.body.as_ref().map(nonsense).unwrap_or_default();
    let mut asks: Vec<Ask> = bodies.iter().map(|body| Ask::json(path, body)).collect();
    for name in &operation.query {
        for value in ["%FF", "nada", "-1", "99999999999999999999", ""] {
            asks.push(Ask::of(format!("{path}?{name}={value}")));
        }
    }
    asks.push(Ask::of(format!("{path}?parametro_desconocido=1")));
    asks.push(Ask::of(path));
    asks.extend(operation.misnamed.iter().map(Ask::of));
    asks.extend(operation.form.iter().flat_map(|form| forms(path, form)));
    let plain = match (&operation.body, &operation.form) {
        (None, None) => Ask::of(path),
        _ => Ask::json(path, &json!({})),
    };
    let odd = headers().into_iter().map(|header| Ask { header: Some(header), ..plain.clone() });
    asks.extend(odd);
    asks
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
