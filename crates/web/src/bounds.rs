//! The bounds that the API's document gives to numbers, held for every request: they are said once, in
//! the document, and [`Json`](crate::Json), [`Query`](crate::Query) and [`Path`](crate::Path) ask here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Extensions, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use engine::Sentence;
use serde_json::Value;
use utoipa::openapi::path::{Operation as Documented, ParameterIn};
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{OpenApi, RefOr, Schema};

use crate::{Lang, Problem, json, wording};

/// What the house counts: from nothing to the last whole number that every reader of JSON knows.
const COUNTED: (isize, isize) = (0, 9_007_199_254_740_991);
/// Numbers that the house gave and gets back, besides those of an address and those called `…_id`.
const GIVEN: [&str; 7] = ["id", "cursor", "since", "version", "revision", "attempt", "expires"];

/// How an application answers a body with a number out of bounds.
pub type Answer = (StatusCode, &'static str);

/// Gives their bounds to ids, cursors and versions, which are all counted alike. Other numbers say
/// theirs.
pub fn count(api: &mut OpenApi) {
    for item in api.paths.paths.values_mut() {
        let all = [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
        all.into_iter().flatten().for_each(count_parameters);
    }
    for schema in api.components.iter_mut().flat_map(|all| all.schemas.values_mut()) {
        if let RefOr::T(Schema::Object(object)) = schema {
            let counted = object.properties.iter_mut().filter(|(name, _)| is_given(name));
            counted.for_each(|(_, property)| bound(property));
        }
    }
}

fn count_parameters(operation: &mut Documented) {
    for one in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(one) = one
            && (one.parameter_in == ParameterIn::Path || is_given(&one.name))
            && let Some(schema) = &mut one.schema
        {
            bound(schema);
        }
    }
}

fn is_given(name: &str) -> bool {
    GIVEN.contains(&name) || name.ends_with("_id")
}

fn bound(schema: &mut RefOr<Schema>) {
    let integer = |kind: &SchemaType| match kind {
        SchemaType::Type(one) => *one == Type::Integer,
        SchemaType::Array(some) => some.contains(&Type::Integer),
        SchemaType::AnyValue => false,
    };
    if let RefOr::T(Schema::Object(object)) = schema
        && integer(&object.schema_type)
    {
        object.minimum.get_or_insert(COUNTED.0.into());
        object.maximum.get_or_insert(COUNTED.1.into());
    }
}

/// A list of ids, as the document says it.
pub fn ids() -> Array {
    let id = ObjectBuilder::new().schema_type(Type::Integer);
    let id = id.minimum(Some(COUNTED.0)).maximum(Some(COUNTED.1));
    ArrayBuilder::new().items(id).build()
}

/// Asked by balancers and monitors, which hang on to an address what they like.
const PROBES: [&str; 4] = ["/health", "/health/worker", "/ready", "/metrics"];

/// Every operation that takes numbers, by its path.
#[derive(Debug)]
pub struct Bounds {
    numbers: HashMap<String, Vec<(Method, Arc<Operation>)>>,
    /// What is asked without a query.
    plain: HashSet<(Method, String)>,
}

/// What the numbers of an operation may be.
#[derive(Debug)]
pub(crate) struct Operation {
    address: Shape,
    body: Shape,
    answer: Answer,
}

impl Bounds {
    /// What a document says; `answer` tells how the application that a path is of refuses, and `lenient`
    /// which paths are asked by what cannot be taught another address: a report must not be lost for it.
    pub fn of(
        api: &Value,
        answer: impl Fn(&str) -> Answer,
        lenient: impl Fn(&str) -> bool,
    ) -> Self {
        let (mut numbers, mut plain) = (HashMap::new(), HashSet::new());
        for (path, item) in api["paths"].as_object().into_iter().flatten() {
            let strict = !PROBES.contains(&path.as_str()) && !lenient(path);
            let asked = item.as_object().into_iter().flatten().filter(|(_, one)| !asks(one));
            let asked = asked.filter_map(|(method, _)| method.to_uppercase().parse().ok());
            plain.extend(asked.filter(|_| strict).map(|method: Method| (method, path.clone())));
            let found = item.as_object().into_iter().flatten().filter_map(|(method, one)| {
                let operation = Operation::of(api, one, answer(path));
                let bounded = !(operation.address.is_empty() && operation.body.is_empty());
                let method = method.to_uppercase().parse().ok().filter(|_| bounded)?;
                Some((method, Arc::new(operation)))
            });
            numbers.insert(path.clone(), found.collect());
        }
        Self { numbers, plain }
    }

    /// Whether the document says that this is asked without a query.
    fn is_plain(&self, method: &Method, path: &str) -> bool {
        self.plain.contains(&(asked(method).clone(), path.to_owned()))
    }

    fn find(&self, method: &Method, path: &str) -> Option<&Arc<Operation>> {
        let method = asked(method);
        self.numbers.get(path)?.iter().find(|(known, _)| known == method).map(|(_, found)| found)
    }
}

/// Whether an operation has parameters in its query.
fn asks(operation: &Value) -> bool {
    let given = operation["parameters"].as_array();
    given.into_iter().flatten().any(|one| one["in"] == "query")
}

/// What a method asks for: whoever looks at the head of an answer asks what a reader would.
fn asked(method: &Method) -> &Method {
    if method == Method::HEAD { &Method::GET } else { method }
}

/// Whether a handler read the query of its request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read(Arc<AtomicBool>);

impl Read {
    pub(crate) fn note(extensions: &Extensions) {
        if let Some(read) = extensions.get::<Self>() {
            read.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Middleware: lets the extractors know what the numbers of this request may be, and refuses a query
/// that nobody reads: before anything is done where the document says so, and afterwards for a page,
/// which no document describes and which changes nothing.
pub async fn attach(State(bounds): State<Arc<Bounds>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let matched = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str);
    let unasked = json::unasked(&parts).err();
    if let Some(problem) = &unasked
        && matched.is_some_and(|path| bounds.is_plain(&parts.method, path))
    {
        return problem.clone().into_response();
    }
    let found = matched.and_then(|path| bounds.find(&parts.method, path)).cloned();
    let reading = *asked(&parts.method) == Method::GET;
    let mut request = Request::from_parts(parts, body);
    if let Some(found) = found {
        request.extensions_mut().insert(found);
    }
    let read = Read::default();
    request.extensions_mut().insert(read.clone());
    let response = next.run(request).await;
    match unasked {
        Some(problem) if reading && is_page(&response) && !read.0.load(Ordering::Relaxed) => {
            problem.into_response()
        }
        _ => response,
    }
}

fn is_page(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    response.status().is_success() && kind.is_some_and(|kind| kind.starts_with("text/html"))
}

pub(crate) fn of(extensions: &Extensions) -> Option<Arc<Operation>> {
    extensions.get().cloned()
}

impl Operation {
    fn of(api: &Value, operation: &Value, answer: Answer) -> Self {
        let mut address = Shape::default();
        for one in operation["parameters"].as_array().into_iter().flatten() {
            address.put(one["name"].as_str(), Shape::of(api, &one["schema"], &mut Vec::new()));
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        Self { address, body: Shape::of(api, body, &mut Vec::new()), answer }
    }

    /// The first part of an address that is out of its bounds, and what it has to be.
    pub(crate) fn astray<'a>(
        &self,
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Option<(&'a str, Sentence)> {
        given.into_iter().find_map(|(name, text)| {
            let bounds = self.address.fields.get(name)?.bounds?;
            Some((name, bounds.refuse(text.parse().ok()?)?))
        })
    }

    /// Names every number of a body that is out of its bounds.
    pub(crate) fn hold(&self, body: &[u8], lang: Lang) -> Result<(), Problem> {
        let mut wrong = Vec::new();
        if !self.body.is_empty()
            && let Ok(value) = serde_json::from_slice(body)
        {
            self.body.hold(&value, "", &mut wrong);
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let wrong = wrong.into_iter().map(|(path, told)| (path, lang.say(&told).to_owned()));
        Err(Problem::invalid(lang, self.answer, wrong))
    }
}

/// What one number may be.
#[derive(Clone, Copy, Debug)]
struct Range {
    least: f64,
    most: f64,
    whole: bool,
}

impl Range {
    fn of(schema: &Value) -> Option<Self> {
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        let kind = &schema["type"];
        let whole = kind == "integer"
            || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "integer"));
        (least.is_some() || most.is_some()).then(|| Self {
            least: least.unwrap_or(f64::NEG_INFINITY),
            most: most.unwrap_or(f64::INFINITY),
            whole,
        })
    }

    /// What is wrong with a number.
    fn refuse(self, number: f64) -> Option<Sentence> {
        if !(self.least..=self.most).contains(&number) {
            return Some(wording::range(self.least, self.most));
        }
        (self.whole && number.fract() != 0.0).then(|| wording::expected("integer"))
    }
}

/// Where in a value bounded numbers are.
#[derive(Debug, Default)]
struct Shape {
    bounds: Option<Range>,
    fields: BTreeMap<String, Shape>,
    /// Of a list or of names that are not known beforehand.
    each: Option<Box<Shape>>,
}

impl Shape {
    /// `within`: the schemas that led here, so that one which holds itself is left where it begins anew.
    fn of<'a>(api: &'a Value, schema: &'a Value, within: &mut Vec<&'a str>) -> Self {
        if let Some(name) = schema["$ref"].as_str() {
            let Some(inner) = api.pointer(&name[1..]).filter(|_| !within.contains(&name)) else {
                return Self::default();
            };
            within.push(name);
            let found = Self::of(api, inner, within);
            within.pop();
            return found;
        }
        let mut found = Self { bounds: Range::of(schema), ..Self::default() };
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            found.put(Some(name), Self::of(api, inner, within));
        }
        for inner in [&schema["items"], &schema["additionalProperties"]] {
            let each = inner.is_object().then(|| Self::of(api, inner, within));
            if let Some(each) = each.filter(|each| !each.is_empty()) {
                found.each.get_or_insert_default().join(each);
            }
        }
        for choice in ["oneOf", "anyOf", "allOf"] {
            for one in schema[choice].as_array().into_iter().flatten() {
                found.join(Self::of(api, one, within));
            }
        }
        found
    }

    fn is_empty(&self) -> bool {
        self.bounds.is_none() && self.fields.is_empty() && self.each.is_none()
    }

    fn put(&mut self, name: Option<&str>, inner: Self) {
        if let Some(name) = name
            && !inner.is_empty()
        {
            self.fields.entry(name.to_owned()).or_default().join(inner);
        }
    }

    /// What either takes.
    fn join(&mut self, other: Self) {
        self.bounds = match (self.bounds, other.bounds) {
            (Some(a), Some(b)) => Some(Range {
                least: a.least.min(b.least),
                most: a.most.max(b.most),
                whole: a.whole && b.whole,
            }),
            (one, another) => one.or(another),
        };
        for (name, inner) in other.fields {
            self.put(Some(&name), inner);
        }
        if let Some(each) = other.each {
            self.each.get_or_insert_default().join(*each);
        }
    }

    fn hold(&self, value: &Value, path: &str, wrong: &mut Vec<(String, Sentence)>) {
        match value {
            Value::Number(number) => {
                let told = self.bounds.zip(number.as_f64()).map(|(one, number)| one.refuse(number));
                wrong.extend(told.flatten().map(|told| (path.to_owned(), told)));
            }
            Value::Array(items) => {
                for (each, (n, item)) in self.each.iter().cycle().zip(items.iter().enumerate()) {
                    each.hold(item, &format!("{path}[{n}]"), wrong);
                }
            }
            Value::Object(fields) => {
                for (name, inner) in fields {
                    let dot = if path.is_empty() { "" } else { "." };
                    if let Some(known) = self.fields.get(name).or(self.each.as_deref()) {
                        known.hold(inner, &format!("{path}{dot}{name}"), wrong);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bounds() -> Bounds {
        let bounded = |least: f64, most: f64| json!({ "minimum": least, "maximum": most });
        let line = json!({ "properties": {
            "many": bounded(1.0, 9.0),
            "inner": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Line" }] },
        } });
        let body = json!({ "properties": {
            "lines": { "items": { "$ref": "#/components/schemas/Line" } },
            "shares": { "additionalProperties": bounded(0.0, 0.5) },
            "note": {},
        } });
        let api = json!({
            "components": { "schemas": { "Line": line } },
            "paths": {
                "/o/{id}": { "put": {
                    "parameters": [{ "name": "id", "in": "path", "schema": bounded(0.0, 99.0) }],
                    "requestBody": { "content": { "application/json": { "schema": body } } },
                } },
                "/free": { "get": {} },
                "/probe": { "post": {} },
            },
        });
        Bounds::of(&api, |_| (StatusCode::BAD_REQUEST, "MAL"), |path| path == "/probe")
    }

    #[test]
    fn every_number_out_of_its_bounds_is_named() {
        let bounds = bounds();
        let order = bounds.find(&Method::PUT, "/o/{id}").unwrap();
        let wrong = |body: Value| match order.hold(&serde_json::to_vec(&body).unwrap(), Lang::En) {
            Ok(()) => Vec::new(),
            Err(problem) => problem.errors().iter().map(|one| one.path.clone()).collect(),
        };
        let lines = json!([{ "many": 9 }, { "many": 0 }, { "many": i64::MAX, "inner": null }]);
        let body = json!({ "lines": lines, "shares": { "a": 0.5, "b": 0.51 }, "note": 7 });
        assert_eq!(wrong(body), ["lines[1].many", "lines[2].many", "shares.b"]);
        assert!(wrong(json!({ "lines": [{ "inner": { "many": 9 } }], "shares": {} })).is_empty());
        assert!(bounds.find(&Method::GET, "/free").is_none());
        assert!(bounds.find(&Method::GET, "/o/{id}").is_none());
    }

    #[test]
    fn what_has_no_query_is_asked_without_one() {
        let bounds = bounds();
        assert!(bounds.is_plain(&Method::PUT, "/o/{id}") && bounds.is_plain(&Method::GET, "/free"));
        assert!(bounds.is_plain(&Method::HEAD, "/free"));
        assert!(!bounds.is_plain(&Method::POST, "/probe"), "what is lenient");
        assert!(!bounds.is_plain(&Method::GET, "/o/{id}"), "what is not there");
    }

    #[test]
    fn an_address_has_bounds_too() {
        let bounds = bounds();
        let order = bounds.find(&Method::PUT, "/o/{id}").unwrap();
        assert!(order.astray([("id", "99"), ("other", "100")]).is_none());
        for wrong in ["-1", "100", "9223372036854775807", "NaN"] {
            assert_eq!(order.astray([("id", wrong)]).unwrap().0, "id", "{wrong}");
        }
    }
}
