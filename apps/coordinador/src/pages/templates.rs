//! The pages of templates.

use std::borrow::Borrow;

use askama::Template;
use web::{Page, Tone};

use super::{Names, nodes::columns, words::Sign};
use crate::{
    routes::FitView,
    wire::{OidView, TemplateNodeView, TemplateView},
};

/// `/coordinador/plantillas`: nodes that go to many OLTs at once.
#[derive(Template)]
#[template(path = "templates.html")]
pub(crate) struct TemplatesPage {
    pub(crate) page: Page,
    pub(crate) lines: Vec<TemplateView>,
    pub(crate) fit: FitView,
    pub(crate) may_edit: bool,
}

impl TemplatesPage {
    fn sign(&self, template: &TemplateView) -> Sign {
        if template.activa {
            Sign::new(self.page.t("Activa", "Active"), Tone::Good)
        } else {
            Sign::new(self.page.t("Inactiva", "Inactive"), Tone::Plain)
        }
    }

    fn told(template: &TemplateView) -> String {
        let names: Vec<&str> = template.nodos.iter().map(|node| node.nombre.as_str()).collect();
        names.join(", ")
    }
}

/// `/coordinador/plantillas/{id}` and `/coordinador/plantillas/nueva`: its nodes and its OLTs.
#[derive(Template)]
#[template(path = "template.html")]
pub(crate) struct TemplatePage {
    pub(crate) page: Page,
    pub(crate) names: Names,
    pub(crate) standing: Option<TemplateView>,
    pub(crate) fit: FitView,
    pub(crate) oids: Vec<OidView>,
    pub(crate) may_edit: bool,
}

/// One node of the form; empty for a new one.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeFields {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) job: String,
    pub(crate) space: String,
    pub(crate) oid: String,
    pub(crate) interval: String,
    pub(crate) priority: String,
    pub(crate) master: String,
    pub(crate) after: String,
    pub(crate) enabled: bool,
}

impl NodeFields {
    fn of(node: &TemplateNodeView) -> Self {
        Self {
            key: node.clave.clone(),
            name: node.nombre.clone(),
            job: node.job_type.to_owned(),
            space: node.espacio.unwrap_or_default().to_owned(),
            oid: node.oid.clone().unwrap_or_default(),
            // A member of a chain runs after its master, whatever its interval says.
            interval: match node.maestro {
                Some(_) => String::new(),
                None => node.interval_seconds.to_string(),
            },
            priority: node.priority.to_string(),
            master: node.maestro.clone().unwrap_or_default(),
            after: node.tras_maestro.unwrap_or_default().to_owned(),
            enabled: node.enabled,
        }
    }

    fn fresh() -> Self {
        Self {
            job: "get".to_owned(),
            interval: "900".to_owned(),
            priority: "3".to_owned(),
            enabled: true,
            ..Self::default()
        }
    }
}

impl TemplatePage {
    fn name(&self) -> &str {
        self.standing.as_ref().map_or("", |one| one.nombre.as_str())
    }

    fn is_active(&self) -> bool {
        self.standing.as_ref().is_none_or(|one| one.activa)
    }

    fn has(&self, olt: impl Borrow<i64>) -> bool {
        self.standing.as_ref().is_some_and(|one| one.olts.contains(olt.borrow()))
    }

    fn rows(&self) -> Vec<NodeFields> {
        match &self.standing {
            Some(template) => template.nodos.iter().map(NodeFields::of).collect(),
            None => vec![NodeFields {
                key: "descubrimiento".to_owned(),
                name: self.page.t("Descubrimiento", "Discovery").to_owned(),
                job: "descubrimiento".to_owned(),
                space: "descubrimiento".to_owned(),
                ..NodeFields::fresh()
            }],
        }
    }

    fn blank() -> NodeFields {
        NodeFields::fresh()
    }

    fn spaces() -> Vec<&'static str> {
        let mut words = vec!["descubrimiento"];
        words.extend(columns());
        words
    }
}
