//! Every number and every text of every operation, with what no field is meant to hold.

use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{Client, Options, Turno};

use super::{Operation, choices, fitting, kind, operations};

/// A number or a text of a request, with a way to say another value there.
struct Input<'a> {
    operation: &'a Operation,
    /// As a problem names it: `articulos[0].cantidad`.
    path: String,
    schema: Json,
    /// Around it in a body, from the outside in; none of an address.
    around: Vec<(Json, Step)>,
}

#[derive(Clone)]
enum Step {
    Field(String),
    Each,
}

impl<'a> Input<'a> {
    fn all(api: &Json, operation: &'a Operation) -> Vec<Self> {
        let mut found = Vec::new();
        for one in &operation.parameters {
            let schema = choices(api, &one.schema)[0].clone();
            let path = one.name.clone();
            found.push(Self { operation, path, schema, around: Vec::new() });
        }
        if let Some(body) = &operation.body {
            let whole =
                Self { operation, path: String::new(), schema: body.clone(), around: vec![] };
            whole.within(api, &mut found);
        }
        found
    }

    /// The numbers and texts in it, as deep as eight.
    fn within(self, api: &Json, found: &mut Vec<Self>) {
        for schema in choices(api, &self.schema) {
            if ["integer", "number", "string"].contains(&kind(schema)) {
                let (path, around) = (self.path.clone(), self.around.clone());
                let operation = self.operation;
                found.push(Self { operation, path, schema: schema.clone(), around });
                continue;
            }
            let whole = fitting(api, schema, 0);
            let dot = if self.path.is_empty() { "" } else { "." };
            let fields = schema["properties"].as_object().into_iter().flatten();
            let others = schema["additionalProperties"].is_object();
            let others = others.then(|| ("1", &schema["additionalProperties"]));
            for (name, inner) in fields.map(|(name, inner)| (name.as_str(), inner)).chain(others) {
                let path = format!("{}{dot}{name}", self.path);
                self.inner(path, inner, (whole.clone(), Step::Field(name.to_owned())), api, found);
            }
            if schema["items"].is_object() {
                let path = format!("{}[0]", self.path);
                self.inner(path, &schema["items"], (json!([]), Step::Each), api, found);
            }
        }
    }

    fn inner(
        &self,
        path: String,
        schema: &Json,
        step: (Json, Step),
        api: &Json,
        found: &mut Vec<Self>,
    ) {
        let mut around = self.around.clone();
        around.push(step);
        if around.len() <= 8 {
            let (operation, schema) = (self.operation, schema.clone());
            Self { operation, path, schema, around }.within(api, found);
        }
    }

    fn name(&self) -> String {
        format!("{}: {}", self.operation.name(), self.path)
    }

    async fn ask(&self, api: &Json, client: &Client, value: &Json) -> (u16, Json) {
        let (address, body) = if self.around.is_empty() {
            let text = value.as_str().map_or_else(|| value.to_string(), escaped);
            let address = self.operation.address(&[(&self.path, &text)]);
            (address, self.operation.fitting(api))
        } else {
            let body =
                self.around.iter().rev().fold(value.clone(), |inner, (whole, step)| match step {
                    Step::Each => json!([inner]),
                    Step::Field(name) => {
                        let mut whole = whole.clone();
                        whole[name] = inner;
                        whole
                    }
                });
            (self.operation.address(&[]), Some(body))
        };
        let (status, text) = self.operation.ask(client, &address, body.as_ref()).await;
        (status, serde_json::from_str(&text).unwrap_or_default())
    }
}

fn escaped(text: &str) -> String {
    let bytes = text.bytes().map(|byte| format!("%{byte:02X}"));
    bytes.collect::<Vec<_>>().concat()
}

/// Whether a problem is about this field.
fn names(problem: &Json, path: &str) -> bool {
    problem["errors"].as_array().into_iter().flatten().any(|error| error["path"] == path)
}

/// A house where nobody has to say who they are.
async fn house() -> (Turno, Client, Json) {
    let mut options = Options::default();
    let off = |port: &str| (port.to_owned(), "off".to_owned());
    options.environment = ["DOCPROC_BACKOFFICE_PORT", "SAM_CALLBACK_PORT"].map(off).to_vec();
    let house = Turno::start(options).await;
    let client = house.client();
    let api = client.get("/api/openapi.json").await.expect(200);
    (house, client, api)
}

/// Values that are none of this place's, by what the document says of it.
fn beyond(schema: &Json) -> Vec<Json> {
    let [least, most] = ["minimum", "maximum"].map(|key| schema[key].clone());
    let step = |value: &Json, by: i64| match value.as_i64() {
        Some(whole) => json!(whole + by),
        None => json!(value.as_f64().unwrap() + by as f64),
    };
    let mut all = vec![step(&least, -1), step(&most, 1), json!(1e308)];
    all.extend([i64::MIN, i64::MAX].map(Json::from));
    if kind(schema) == "integer" {
        all.push(json!(least.as_f64().unwrap() + 0.5));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn every_number_has_bounds_and_is_held_to_them() {
    let (house, client, api) = house().await;
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for operation in operations(&api) {
        let places = Input::all(&api, &operation);
        for place in places.iter().filter(|one| ["integer", "number"].contains(&kind(&one.schema)))
        {
            if place.schema["minimum"].is_null() || place.schema["maximum"].is_null() {
                wrong.push(format!("{} has no bounds", place.name()));
                continue;
            }
            for value in beyond(&place.schema) {
                let (status, problem) = place.ask(&api, &client, &value).await;
                asked += 1;
                if !(400..500).contains(&status) || !names(&problem, &place.path) {
                    wrong.push(format!("{} = {value}: {status} {problem}", place.name()));
                }
            }
            // What the document allows is not refused for being out of range. Nobody waits a minute.
            let keys =
                if place.path == "wait" { &["minimum"][..] } else { &["minimum", "maximum"] };
            for value in keys.iter().map(|key| &place.schema[key]) {
                let (_, problem) = place.ask(&api, &client, value).await;
                let errors = problem["errors"].as_array().into_iter().flatten();
                let ranges = errors.filter(|error| error["path"] == place.path.as_str());
                let told = |error: &Json| plain_text(error).starts_with("debe ser de ");
                if ranges.into_iter().any(told) {
                    wrong.push(format!("{} = {value}: {problem}", place.name()));
                }
            }
        }
    }
    assert!(asked > 1_000, "{asked} questions are not all numbers");
    assert!(wrong.is_empty(), "{} of {asked}: {wrong:#?}", wrong.len());
    assert!(!house.logs().contains("panicked"), "{}", house.logs());
}

fn plain_text(error: &Json) -> &str {
    error["message"].as_str().unwrap_or_default()
}

/// What no field is meant to hold.
fn hostile() -> Vec<Json> {
    let texts = [json!("x".repeat(70_000)), json!(""), json!("\u{202e}😀")];
    let others = [json!(u64::MAX), json!(-1), json!(0), json!({}), json!(null), json!([])];
    texts.into_iter().chain(others).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_brings_an_operation_down_and_no_text_holds_a_nul() {
    let (house, client, api) = house().await;
    let (mut broken, mut asked) = (Vec::new(), 0);
    for operation in operations(&api) {
        for place in Input::all(&api, &operation) {
            let text = kind(&place.schema) == "string" || place.around.is_empty();
            for value in hostile().into_iter().chain(text.then(|| json!("a\0b"))) {
                // A stream has no end, and an address no room for so much.
                let stream = operation.path == "/api/events";
                let long = value.as_str().is_some_and(|text| text.len() > 1_000);
                if place.around.is_empty() && (stream || long) {
                    continue;
                }
                let (status, answer) = place.ask(&api, &client, &value).await;
                asked += 1;
                let nul = value.as_str().is_some_and(|text| text.contains('\0'));
                if status >= 500 || (nul && !(400..500).contains(&status)) {
                    let value: String = value.to_string().chars().take(40).collect();
                    broken.push(format!("{status} {} = {value}: {answer:.200}", place.name()));
                }
            }
        }
    }
    assert!(asked > 5_000, "{asked} questions are not all values");
    assert!(broken.is_empty(), "{} of {asked}: {broken:#?}", broken.len());
    assert!(!house.logs().contains("panicked"), "{}", house.logs());
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_that_strangers_make_up_are_one_label() {
    let (_house, client, _) = house().await;
    for method in ["BREW", "PROPFIND", "XYZZY"] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let answer = client.request(method, "/pedidos").send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 405);
    }
    let metrics = client.request(Method::GET, "/metrics").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(!metrics.contains("BREW") && !metrics.contains("XYZZY"), "{metrics}");
    let other = metrics.lines().filter(|line| line.contains("method=\"other\""));
    let total: Vec<_> = other.filter(|line| line.contains("_count{")).collect();
    assert!(total.len() == 1 && total[0].ends_with(" 3"), "{total:#?}");
}
