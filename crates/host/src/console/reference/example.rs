//! Makes an example of a schema: what a body may look like, with every field named.

use serde_json::{Map, Value as Json, json};

/// Schemas lead to each other; nobody reads further than this.
const DEPTH: usize = 6;

/// An example of this schema. `schemas` are the document's own, by name.
pub(super) fn example(schema: &Json, schemas: &Json) -> Json {
    of(schema, schemas, DEPTH)
}

fn of(schema: &Json, schemas: &Json, depth: usize) -> Json {
    if depth == 0 {
        return Json::Null;
    }
    if let Some(said) = said(schema) {
        return said;
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return of(&schemas[name], schemas, depth - 1);
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let real = choices.iter().find(|one| one["type"] != "null");
            return real.map_or(Json::Null, |one| of(one, schemas, depth - 1));
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return together(parts, schemas, depth);
    }
    match kind(schema) {
        "object" => object(schema, schemas, depth),
        "array" => json!([of(&schema["items"], schemas, depth - 1)]),
        "integer" => schema["minimum"].as_i64().map_or(json!(1), Json::from),
        "number" => schema["minimum"].as_f64().map_or(json!(1.5), Json::from),
        "boolean" => json!(true),
        "string" => json!(text(schema["format"].as_str())),
        _ => Json::Null,
    }
}

/// What the schema itself gives as an example.
fn said(schema: &Json) -> Option<Json> {
    let first = |list: &Json| list.as_array().and_then(|list| list.first().cloned());
    let given = [schema["example"].clone(), schema["const"].clone(), schema["default"].clone()];
    first(&schema["examples"])
        .or_else(|| first(&schema["enum"]))
        .or_else(|| given.into_iter().find(|value| !value.is_null()))
}

/// A type, or the first of several that is not null.
fn kind(schema: &Json) -> &str {
    let of_many = |kinds: &'_ Json| -> Option<usize> {
        kinds.as_array()?.iter().position(|kind| kind != "null")
    };
    match &schema["type"] {
        Json::String(kind) => kind,
        kinds => of_many(kinds).and_then(|at| schema["type"][at].as_str()).unwrap_or("object"),
    }
}

fn object(schema: &Json, schemas: &Json, depth: usize) -> Json {
    let fields = schema["properties"].as_object();
    let fields = fields.into_iter().flatten();
    Json::Object(
        fields.map(|(name, field)| (name.clone(), of(field, schemas, depth - 1))).collect(),
    )
}

fn together(parts: &[Json], schemas: &Json, depth: usize) -> Json {
    let mut whole = Map::new();
    for part in parts {
        if let Json::Object(fields) = of(part, schemas, depth - 1) {
            whole.extend(fields);
        }
    }
    Json::Object(whole)
}

fn text(format: Option<&str>) -> &'static str {
    match format {
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("uuid") => "01890a5d-ac96-774b-bcce-b302099a8057",
        Some("binary") => "@archivo.pdf",
        _ => "texto",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_names_all_its_fields() {
        let schemas = json!({
            "Line": {"type": "object", "properties": {"price": {"type": "number"}}},
        });
        let schema = json!({"type": "object", "properties": {
            "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
            "note": {"type": ["string", "null"]},
            "kind": {"type": "string", "enum": ["MOSTRADOR", "DELIVERY"]},
            "at": {"oneOf": [{"type": "null"}, {"type": "string", "format": "date-time"}]},
        }});
        let expected = json!({
            "lines": [{"price": 1.5}], "note": "texto", "kind": "MOSTRADOR",
            "at": "2026-01-31T12:00:00Z",
        });
        assert_eq!(example(&schema, &schemas), expected);
    }

    #[test]
    fn a_schema_that_leads_to_itself_ends() {
        let schemas = json!({"Tree": {"type": "object", "properties": {
            "child": {"$ref": "#/components/schemas/Tree"},
        }}});
        let tree = example(&json!({"$ref": "#/components/schemas/Tree"}), &schemas);
        assert!(tree["child"].is_object() && tree.to_string().len() < 100, "{tree}");
    }
}
