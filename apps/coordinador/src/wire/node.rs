//! What people send to describe a node, and the fields that it shares with nodes of templates.

use host::{Failure, check::Check};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::Lang;

use super::NodeView;
use crate::{
    model::{After, Interval, JobType, Node, NodeId, Oid, OltId, Priority, Role, Space, Switch},
    rules::due,
};

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NodoNuevo)]
pub struct NodeRequest {
    olt_id: i64,
    /// Unique on its OLT; made from the name when absent.
    clave: Option<String>,
    #[schema(min_length = 1, max_length = 120)]
    nombre: String,
    /// `descubrimiento` or `get`.
    job_type: String,
    oid: Option<String>,
    /// What a get fills in: `descripcion`, `mac`, `plan_onu`, …; `lectura` keeps the last value
    /// of each ONU by its OID.
    espacio: Option<String>,
    /// 1 to 2678400; none for members of a chain.
    #[schema(minimum = 1, maximum = 2_678_400)]
    interval_seconds: Option<i64>,
    #[schema(minimum = 1, maximum = 5)]
    priority: Option<i64>,
    enabled: Option<bool>,
    pausado: Option<bool>,
    /// The first run of its grid; an interval from now when absent.
    next_run_at: Option<Timestamp>,
    /// Makes it a member of this node's chain.
    master_node_id: Option<i64>,
    /// `EXITO` or `EXITO_O_FALLO`.
    tras_maestro: Option<String>,
}

impl NodeRequest {
    pub fn standing(node: &Node) -> Self {
        let view = NodeView::new(node);
        Self {
            olt_id: view.olt_id,
            clave: Some(view.clave),
            nombre: view.nombre,
            job_type: view.job_type.to_owned(),
            oid: view.oid,
            espacio: view.espacio.map(str::to_owned),
            interval_seconds: view.interval_seconds,
            priority: Some(view.priority),
            enabled: Some(view.enabled),
            pausado: Some(view.pausado),
            next_run_at: view.next_run_at,
            master_node_id: view.master_node_id,
            tras_maestro: view.tras_maestro.map(str::to_owned),
        }
    }

    /// The new node that this asks for.
    pub fn typed(&self, lang: Lang, now: Timestamp) -> Result<Node, Failure> {
        let mut check = Check::new(lang);
        let name = check.name("nombre", &self.nombre, 120);
        let key = check.text("clave", self.clave.as_deref(), 120);
        let job = check.word("job_type", Some(self.job_type.trim()));
        let oid = oid(&mut check, "oid", self.oid.as_deref());
        let space = space(&mut check, "espacio", self.espacio.as_deref());
        if job.zip(space).is_some_and(|(job, space): (JobType, Space)| space.job() != job) {
            let es = "lo que se lee no tendría dónde guardarse: ese espacio es del otro tipo";
            let en = "what is read would have no home: that space is of the other type";
            check.wrong("espacio", es, en);
        }
        let priority = priority(&mut check, "priority", self.priority);
        let role = self.role(&mut check, now);
        check.finish()?;
        let key = key.unwrap_or_else(|| name.to_lowercase().replace(char::is_whitespace, "."));
        let role = role.unwrap_or(Role::Chain { master: NodeId(0), after: After::Success });
        let job = job.unwrap_or(JobType::Get);
        let switch = match (self.enabled, self.pausado) {
            (Some(false), _) => Switch::Off,
            (_, Some(true)) => Switch::Paused,
            _ => Switch::On,
        };
        let new = Node::new(OltId(self.olt_id), key, job, role);
        let column = space.and_then(Space::column);
        Ok(Node { name, oid, column, priority, switch, ..new })
    }

    fn role(&self, check: &mut Check, now: Timestamp) -> Option<Role> {
        let path = "interval_seconds";
        if let Some(master) = self.master_node_id {
            if self.interval_seconds.is_some_and(|seconds| seconds != 0) {
                check.wrong(
                    path,
                    "un nodo de cadena corre tras su maestro: no lleva intervalo",
                    "a member of a chain runs after its master: it has no interval",
                );
            }
            let after = check.word("tras_maestro", self.tras_maestro.as_deref());
            let after = after.unwrap_or(After::Success);
            return Some(Role::Chain { master: NodeId(master), after });
        }
        let interval = interval(check, path, self.interval_seconds.unwrap_or(0))?;
        let (cadence, next) = match self.next_run_at {
            Some(at) => due::first(interval, at),
            None => due::enabled(interval, now),
        };
        Some(Role::Master { cadence, next_run_at: Some(next) })
    }
}

/// What an OID is about; empty means absent.
pub(super) fn space(check: &mut Check, path: &str, word: Option<&str>) -> Option<Space> {
    check.word(path, word.map(str::trim).filter(|word| !word.is_empty()))
}

pub(super) fn oid(check: &mut Check, path: &str, text: Option<&str>) -> Option<Oid> {
    let text = text.map(str::trim).filter(|text| !text.is_empty())?;
    let read = text.parse::<Oid>();
    read.inspect_err(|fault| {
        let (es, en) = fault.sentence();
        check.wrong(path, es, en);
    })
    .ok()
}

pub(super) fn interval(check: &mut Check, path: &str, seconds: i64) -> Option<Interval> {
    Interval::new(check.within(path, seconds, Interval::LEAST, Interval::MOST))
}

pub(super) fn priority(check: &mut Check, path: &str, number: Option<i64>) -> Priority {
    let usual = Priority::default();
    Priority::new(check.within(path, number.unwrap_or(usual.number()), 1, 5)).unwrap_or(usual)
}
