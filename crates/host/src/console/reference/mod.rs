//! `/api/docs`: every operation of this process, by application, with a call that can be copied.

mod example;
mod spoken;

use std::{fmt::Write as _, sync::Arc};

use askama::Template;
use axum::{
    Router,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use serde_json::Value as Json;
use utoipa::openapi::OpenApi;
use web::routing::get;
use web::{Page, Query};

use super::{
    Console,
    forms::{filter, html},
};
use crate::{Context, Failure};
use example::example;
use spoken::{Spanish, Text};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The operations of one application, or of the house.
#[derive(Debug)]
pub(crate) struct Group {
    /// The application's name; empty for the house.
    pub app: &'static str,
    pub title: (&'static str, &'static str),
    /// Its paths, as the document names them.
    pub paths: Vec<String>,
    /// What the document says of them, in Spanish.
    pub spanish: &'static str,
}

/// What one operation is, ready to be shown.
#[derive(Debug)]
struct Operation {
    method: &'static str,
    path: String,
    summary: Text,
    description: Text,
    parameters: Vec<Parameter>,
    body: Option<Body>,
    answers: Vec<(String, Text)>,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    /// `path`, `query` or `header`.
    place: String,
    kind: String,
    required: bool,
    description: Text,
}

#[derive(Debug)]
struct Body {
    mime: String,
    example: Json,
}

struct Section {
    app: &'static str,
    title: (&'static str, &'static str),
    operations: Vec<Operation>,
}

#[derive(Template)]
#[template(path = "reference.html")]
struct ReferencePage<'a> {
    page: Page,
    sections: Vec<(&'a Section, Vec<&'a Operation>)>,
    chosen: &'a Section,
    found: Vec<&'a Operation>,
    wanted: String,
    base: String,
}

#[derive(Debug, Deserialize)]
struct Wanted {
    app: Option<String>,
    q: Option<String>,
}

/// The document and its page.
pub(crate) fn routes(api: &OpenApi, groups: &[Group]) -> Router<Context> {
    let document: Arc<str> = api.to_json().expect("the document is made of plain values").into();
    let tree: Json = serde_json::from_str(&document).expect("it was just written");
    let sections: Arc<[Section]> = groups.iter().map(|group| section(group, &tree)).collect();
    Router::new()
        .route(
            "/api/openapi.json",
            get(async move || ([(header::CONTENT_TYPE, "application/json")], document.to_string())),
        )
        .route(
            "/api/docs",
            get(async move |console: Console, wanted: Query<Wanted>| {
                show(&console, &wanted.0, &sections)
            }),
        )
}

fn show(console: &Console, wanted: &Wanted, sections: &[Section]) -> Result<Response, Failure> {
    let words = filter(wanted.q.as_deref()).unwrap_or_default().to_lowercase();
    let seen: Vec<_> = sections
        .iter()
        .filter(|section| section.app.is_empty() || console.sees(section.app))
        .map(|section| (section, section.matching(&words)))
        .collect();
    let named = |section: &Section| wanted.app.as_deref().is_some_and(|app| app == section.app);
    let chosen = seen.iter().find(|(section, _)| named(section)).or_else(|| {
        // Whoever looks for a word is shown where it is.
        seen.iter().find(|(_, found)| !found.is_empty()).or(seen.first())
    });
    let Some((chosen, found)) = chosen else {
        return Ok(StatusCode::NOT_FOUND.into_response());
    };
    let page = ReferencePage {
        page: console.page("API"),
        chosen,
        found: found.clone(),
        wanted: wanted.q.clone().unwrap_or_default(),
        base: console.context.options.address().to_owned(),
        sections: seen.clone(),
    };
    html(StatusCode::OK, &page)
}

fn section(group: &Group, tree: &Json) -> Section {
    let spanish = Spanish::of(group.spanish);
    let mut operations: Vec<Operation> =
        group.paths.iter().flat_map(|path| operations(path, tree, &spanish)).collect();
    operations.sort_by(|one, other| one.path.cmp(&other.path));
    Section { app: group.app, title: group.title, operations }
}

fn operations<'a>(
    path: &'a str,
    tree: &'a Json,
    spanish: &'a Spanish,
) -> impl Iterator<Item = Operation> + 'a {
    let item = &tree["paths"][path];
    let schemas = &tree["components"]["schemas"];
    METHODS.into_iter().filter(|method| item[method].is_object()).map(move |method| {
        let operation = &item[method];
        Operation {
            method,
            path: path.to_owned(),
            summary: spanish.text(&operation["summary"]),
            description: spanish.text(&operation["description"]),
            parameters: list(&operation["parameters"])
                .map(|said| parameter(said, spanish))
                .collect(),
            body: body(&operation["requestBody"], schemas),
            answers: operation["responses"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(status, answer)| (status.clone(), spanish.answer(status, answer)))
                .collect(),
        }
    })
}

fn list(values: &Json) -> impl Iterator<Item = &Json> {
    values.as_array().into_iter().flatten()
}

fn parameter(said: &Json, spanish: &Spanish) -> Parameter {
    let word = |text: &Json| text.as_str().unwrap_or_default().to_owned();
    let schema = &said["schema"];
    let kind = match &schema["type"] {
        Json::Array(kinds) => kinds.iter().find(|kind| *kind != "null").cloned(),
        kind => Some(kind.clone()),
    };
    Parameter {
        name: word(&said["name"]),
        place: word(&said["in"]),
        kind: kind.as_ref().and_then(Json::as_str).unwrap_or("string").to_owned(),
        required: said["required"].as_bool().unwrap_or(false),
        description: spanish.text(&said["description"]),
    }
}

fn body(said: &Json, schemas: &Json) -> Option<Body> {
    let (mime, content) = said["content"].as_object()?.iter().next()?;
    Some(Body { mime: mime.clone(), example: example(&content["schema"], schemas) })
}

impl Section {
    fn matching(&self, words: &str) -> Vec<&Operation> {
        let holds = |operation: &&Operation| {
            let Text { en, es } = &operation.summary;
            let text = format!("{} {} {en} {es}", operation.method, operation.path);
            let text = text.to_lowercase();
            words.split_whitespace().all(|word| text.contains(word))
        };
        self.operations.iter().filter(holds).collect()
    }
}

impl Operation {
    /// Where the page jumps to.
    fn anchor(&self) -> String {
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        format!("{}{}", self.method, self.path.chars().map(word).collect::<String>())
    }

    /// Whether there is more to read than its first line.
    fn is_explained(&self) -> bool {
        !self.description.en.is_empty()
    }

    /// The call as a shell takes it; names in capitals are for the reader to fill in.
    fn curl(&self, base: &str) -> String {
        let path: String = self.path.split('/').skip(1).fold(String::new(), |path, part| {
            let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
            let part = name.map_or_else(
                || part.to_owned(),
                |name| name.trim_start_matches('*').to_uppercase(),
            );
            format!("{path}/{part}")
        });
        let mut call = format!("curl -X {} '{base}{path}'", self.method.to_uppercase());
        for header in self.parameters.iter().filter(|one| one.place == "header" && one.required) {
            write!(call, " \\\n  -H '{}: …'", header.name).expect("a string takes all");
        }
        if let Some(body) = &self.body {
            call.push_str(&body.curl());
        }
        call
    }
}

impl Parameter {
    /// Where it stands, in words.
    fn place(&self, page: &Page) -> &str {
        match self.place.as_str() {
            "path" => page.t("dirección", "path"),
            "query" => page.t("consulta", "query"),
            "header" => page.t("cabecera", "header"),
            other => other,
        }
    }

    fn kind(&self, page: &Page) -> &str {
        match self.kind.as_str() {
            "string" => page.t("texto", "text"),
            "integer" => page.t("número entero", "whole number"),
            "number" => page.t("número", "number"),
            "boolean" => page.t("true o false", "true or false"),
            "array" => page.t("lista", "list"),
            other => other,
        }
    }
}

impl Body {
    fn curl(&self) -> String {
        if self.mime.starts_with("multipart/") {
            let fields = self.example.as_object();
            return fields.into_iter().flatten().fold(String::new(), |call, (name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("{call} \\\n  -F '{name}={value}'")
            });
        }
        let data = self.pretty().replace('\'', "'\\''");
        format!(" \\\n  -H 'Content-Type: {}' \\\n  -d '{data}'", self.mime)
    }

    fn pretty(&self) -> String {
        match &self.example {
            Json::String(text) => text.clone(),
            value => serde_json::to_string_pretty(value).expect("a value is written"),
        }
    }
}
