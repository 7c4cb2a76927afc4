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

    fn rows(&self) -> Vec<TemplateNodeView> {
        match &self.standing {
            Some(template) => template.nodos.clone(),
            None => vec![TemplateNodeView {
                clave: "descubrimiento".to_owned(),
                nombre: self.page.t("Descubrimiento", "Discovery").to_owned(),
                job_type: "descubrimiento",
                espacio: Some("descubrimiento"),
                ..Self::blank()
            }],
        }
    }

    /// A new node, as the form begins with it.
    fn blank() -> TemplateNodeView {
        TemplateNodeView {
            job_type: "get",
            interval_seconds: 900,
            priority: 3,
            enabled: true,
            ..TemplateNodeView::default()
        }
    }

    /// What a node can read, as a person calls it, each under the contract's word.
    fn spaces(&self) -> Vec<(&'static str, String)> {
        let of = |word| (word, super::words::space(&self.page, word));
        ["descubrimiento"].into_iter().chain(columns()).map(of).collect()
    }
}
