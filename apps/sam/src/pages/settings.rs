//! The screens for those who set SAM up: mappings, configuration, audit.

use askama::Template;
use db::{
    audit::Record,
    settings::{Effective, Kind, Origin},
};
use serde_json::{Value as Json, json};
use web::{Page, Tone};

use super::{Names, words::Sign};
use crate::{store::mappings::Mapping, wire::MappingView};

/// The parts of the screen.
pub(crate) fn parts_of(page: &Page) -> [(&'static str, &'static str); 3] {
    [
        ("/sam/configuracion", page.t("Configuración", "Configuration")),
        ("/sam/mapeos", page.t("Mapeos", "Mappings")),
        ("/sam/auditoria", page.t("Auditoría", "Audit")),
    ]
}

/// `/sam/mapeos`: what others call our robots.
#[derive(Template)]
#[template(path = "mappings.html")]
pub struct MappingsPage {
    pub page: Page,
    pub names: Names,
    pub lines: Vec<Mapping>,
    pub may_edit: bool,
}

impl MappingsPage {
    fn record(mapping: &Mapping) -> String {
        serde_json::to_string(&MappingView::new(mapping)).unwrap_or_default()
    }

    fn robot(&self, mapping: &Mapping) -> String {
        self.names.robot(mapping.robot)
    }
}

/// `/sam/configuracion`: every setting by subject, with where its value comes from.
#[derive(Template)]
#[template(path = "configuration.html")]
pub struct ConfigurationPage {
    pub page: Page,
    pub groups: Vec<(&'static str, Vec<Effective>)>,
    pub may_configure: bool,
}

impl ConfigurationPage {
    fn label(&self, one: &Effective) -> &'static str {
        self.page.t(one.spec.label.0, one.spec.label.1)
    }

    fn help(&self, one: &Effective) -> &'static str {
        self.page.t(one.spec.help.0, one.spec.help.1)
    }

    fn value(&self, one: &Effective) -> String {
        match (one.shown(), one.spec.kind) {
            (Json::Bool(true), _) => self.page.t("Sí", "Yes").to_owned(),
            (Json::Bool(false), _) => self.page.t("No", "No").to_owned(),
            (Json::String(text), Kind::Secret { .. }) if text.is_empty() => "–".to_owned(),
            (Json::String(text), _) if text.is_empty() => "–".to_owned(),
            (Json::String(text), _) => text,
            (other, _) => other.to_string(),
        }
    }

    fn origin(&self, one: &Effective) -> Sign {
        let page = &self.page;
        match &one.origin {
            Origin::Default => Sign::new(page.t("predeterminado", "default"), Tone::Plain),
            Origin::File(_) => Sign::new(page.t("archivo", "file"), Tone::Info),
            Origin::Console { by, .. } => {
                Sign::new(format!("{} · {by}", page.t("cambiado aquí", "changed here")), Tone::Good)
            }
            Origin::Environment(name) => {
                Sign::new(format!("{} · {name}", page.t("entorno", "environment")), Tone::Warn)
            }
        }
    }

    /// Whether it can be changed here.
    fn is_open(one: &Effective) -> bool {
        !matches!(one.origin, Origin::Environment(_))
    }

    /// What the form needs to know; a secret is not part of it.
    fn record(one: &Effective) -> String {
        let (kind, bounds) = match one.spec.kind {
            Kind::Int { min, max } => ("number", json!({ "min": min, "max": max })),
            Kind::IntUpTo { min, .. } => ("number", json!({ "min": min })),
            Kind::Bool => ("check", json!({})),
            Kind::Choice(words) => ("select", json!({ "words": words })),
            Kind::Text { max } if max > 500 => ("area", json!({ "maxlength": max })),
            Kind::Text { max } => ("text", json!({ "maxlength": max })),
            Kind::TimeOfDay => ("time", json!({})),
            Kind::Share => ("number", json!({ "min": 0, "max": 1, "step": "any" })),
            Kind::Secret { max } => ("password", json!({ "maxlength": max })),
            Kind::Internal => ("text", json!({})),
        };
        let value = match one.spec.kind {
            Kind::Secret { .. } => Json::Null,
            _ => one.value.clone(),
        };
        json!({
            "key": one.spec.key, "kind": kind, "bounds": bounds, "value": value,
            "version": one.version,
        })
        .to_string()
    }
}

/// `/sam/auditoria`: who changed what in SAM.
#[derive(Template)]
#[template(path = "audit.html")]
pub struct AuditPage {
    pub page: Page,
    pub lines: Vec<AuditLine>,
    pub actor: String,
    pub next: Option<String>,
    /// The house's own page, for those who run it.
    pub house: bool,
}

pub struct AuditLine {
    pub record: Record,
    /// Field, before, after.
    pub changes: Vec<(String, String, String)>,
}

impl AuditLine {
    pub fn new(record: Record) -> Self {
        let empty = Json::Null;
        let (before, after) =
            (record.before.as_ref().unwrap_or(&empty), record.after.as_ref().unwrap_or(&empty));
        let fields = |value: &Json| match value.as_object() {
            Some(map) => map.keys().cloned().collect::<Vec<_>>(),
            None => Vec::new(),
        };
        let mut names = fields(before);
        names.extend(fields(after));
        names.sort();
        names.dedup();
        let changes = names
            .into_iter()
            .map(|name| (written(&before[&name]), written(&after[&name]), name))
            .filter(|(before, after, _)| before != after)
            .map(|(before, after, name)| (name, before, after))
            .collect();
        Self { record, changes }
    }
}

fn written(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn an_entry_shows_the_fields_that_changed() {
        let record = Record {
            id: 1,
            at: Timestamp::UNIX_EPOCH,
            app: "sam".to_owned(),
            actor: "ana".to_owned(),
            role: "ADMIN".to_owned(),
            action: "robot.editar".to_owned(),
            subject: "robot/1".to_owned(),
            before: Some(json!({ "activo": true, "robot": "A" })),
            after: Some(json!({ "activo": false, "robot": "A", "pool_id": 2 })),
            reason: None,
            hash: String::new(),
        };
        let told = AuditLine::new(record).changes;
        let expected = [("activo", "true", "false"), ("pool_id", "", "2")];
        assert_eq!(told, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    }
}
