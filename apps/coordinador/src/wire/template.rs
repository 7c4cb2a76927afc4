//! What people send to describe a template.

use host::{Failure, check::Check};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::Lang;

use super::{
    TemplateNodeView, TemplateView,
    node::{interval, oid, priority, space},
};
use crate::{
    model::{After, Olt, OltId, Template, TemplateId, TemplateNode, TemplateNodeId},
    rules::template as rules,
};

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlantillaNueva)]
pub struct TemplateRequest {
    #[schema(min_length = 1, max_length = 100)]
    nombre: String,
    activa: Option<bool>,
    #[serde(default)]
    nodos: Vec<TemplateNodeRequest>,
    /// The OLTs it is pushed to.
    #[serde(default)]
    #[schema(schema_with = web::bounds::ids)]
    olts: Vec<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NodoDePlantillaNuevo)]
pub(super) struct TemplateNodeRequest {
    /// Ignored: nodes of a template are known by their key.
    #[serde(default, skip_serializing)]
    #[schema(ignore)]
    #[allow(dead_code)]
    id: Option<i64>,
    #[schema(min_length = 1, max_length = 120)]
    clave: String,
    nombre: Option<String>,
    job_type: String,
    espacio: Option<String>,
    oid: Option<String>,
    #[schema(minimum = 1, maximum = 2_678_400)]
    interval_seconds: Option<i64>,
    #[schema(minimum = 1, maximum = 5)]
    priority: Option<i64>,
    enabled: Option<bool>,
    maestro: Option<String>,
    tras_maestro: Option<String>,
}

impl From<TemplateView> for TemplateRequest {
    fn from(view: TemplateView) -> Self {
        let node = |node: TemplateNodeView| TemplateNodeRequest {
            id: None,
            clave: node.clave,
            nombre: Some(node.nombre),
            job_type: node.job_type.to_owned(),
            espacio: node.espacio.map(str::to_owned),
            oid: node.oid,
            interval_seconds: Some(node.interval_seconds),
            priority: Some(node.priority),
            enabled: Some(node.enabled),
            maestro: node.maestro,
            tras_maestro: node.tras_maestro.map(str::to_owned),
        };
        Self {
            nodos: view.nodos.into_iter().map(node).collect(),
            nombre: view.nombre,
            activa: Some(view.activa),
            olts: view.olts,
        }
    }
}

/// Most nodes of a template, most OLTs it is pushed to.
const MOST_NODES: usize = 100;
const MOST_OLTS: usize = 10_000;

impl TemplateRequest {
    /// The template that this asks for, and the OLTs of those that are known it goes to.
    pub fn typed(&self, lang: Lang, known: &[Olt]) -> Result<(Template, Vec<OltId>), Failure> {
        let mut check = Check::new(lang);
        let name = check.name("nombre", &self.nombre, 100);
        if self.nodos.len() > MOST_NODES {
            check.wrong("nodos", "son demasiados", "are too many");
        }
        if self.olts.len() > MOST_OLTS {
            check.wrong("olts", "son demasiadas", "are too many");
        }
        let mut nodes = Vec::new();
        for (at, node) in self.nodos.iter().take(MOST_NODES).enumerate() {
            nodes.extend(node.typed(&mut check, at));
        }
        if nodes.len() == self.nodos.len() {
            for (path, es, en) in rules::check(&nodes) {
                check.wrong(&path, &es, &en);
            }
        }
        let mut olts: Vec<OltId> = self.olts.iter().copied().map(OltId).collect();
        for (at, olt) in olts.iter().enumerate() {
            if !known.iter().any(|one| one.id == *olt) {
                check.wrong(&format!("olts[{at}]"), "no existe esa OLT", "there is no such OLT");
            }
        }
        olts.sort_unstable();
        olts.dedup();
        check.finish()?;
        let (id, active) = (TemplateId(0), self.activa.unwrap_or(true));
        Ok((Template { id, name, active, nodes, version: 1 }, olts))
    }
}

impl TemplateNodeRequest {
    fn typed(&self, check: &mut Check, at: usize) -> Option<TemplateNode> {
        let path = |field: &str| format!("nodos[{at}].{field}");
        let key = check.name(&path("clave"), &self.clave, 120);
        let name = check.text(&path("nombre"), self.nombre.as_deref(), 120);
        let job = check.word(&path("job_type"), Some(self.job_type.trim()));
        let space = space(check, &path("espacio"), self.espacio.as_deref());
        let oid = oid(check, &path("oid"), self.oid.as_deref());
        let master = self.maestro.as_deref().map(str::trim).filter(|key| !key.is_empty());
        let seconds = self.interval_seconds.filter(|seconds| master.is_none() || *seconds != 0);
        let interval = interval(check, &path("interval_seconds"), seconds.unwrap_or(300));
        let priority = priority(check, &path("priority"), self.priority);
        let after = check.word(&path("tras_maestro"), self.tras_maestro.as_deref());
        Some(TemplateNode {
            id: TemplateNodeId(0),
            name: name.unwrap_or_else(|| key.clone()),
            key,
            job: job?,
            space,
            oid,
            interval: interval?,
            priority,
            enabled: self.enabled.unwrap_or(true),
            master: master.map(|key| (key.to_owned(), after.unwrap_or(After::Success))),
        })
    }
}
