//! The pages of nodes.

use askama::Template;
use engine::Word as _;
use jiff::{SignedDuration, Timestamp};
use web::{Lang, Page};

use super::{
    Names, Narrowed,
    overview::EventLine,
    runs::RunLine,
    words::{self, Sign, Used},
};
use crate::{
    model::{Cadence, Column, Node, Role},
    routes::WhyView,
    wire::{NodeView, OidView},
};

/// `/coordinador/nodos`: every node, narrowed by what the address says.
#[derive(Template)]
#[template(path = "nodes.html")]
pub(crate) struct NodesPage {
    pub(crate) page: Page,
    pub(crate) names: Names,
    pub(crate) wanted: Narrowed,
    pub(crate) lines: Vec<NodeLine>,
    /// The address of the next page.
    pub(crate) next: Option<String>,
    pub(crate) oids: Vec<OidView>,
    pub(crate) may_edit: bool,
    pub(crate) may_operate: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct NodeLine {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) olt: i64,
    pub(crate) olt_name: String,
    pub(crate) job: &'static str,
    /// Its interval, or the node it follows.
    pub(crate) pace: String,
    pub(crate) priority: i64,
    pub(crate) sign: Sign,
    pub(crate) used: Option<Used>,
    pub(crate) next: Option<Timestamp>,
}

impl NodeLine {
    pub(crate) fn new(page: &Page, names: &Names, node: &Node, used: Option<Used>) -> Self {
        Self {
            id: node.id.0,
            name: node.name.clone(),
            key: node.key.clone(),
            olt: node.olt.0,
            olt_name: names.olt(node.olt),
            job: words::job(page, node.job),
            pace: pace(page, names, node),
            priority: node.priority.number(),
            sign: words::switch(page, node.switch),
            used,
            next: node.role.next_run_at(),
        }
    }
}

fn pace(page: &Page, names: &Names, node: &Node) -> String {
    match &node.role {
        Role::Master { cadence, .. } => {
            let every = words::every(cadence.interval.seconds());
            format!("{} {every}", page.t("cada", "every"))
        }
        Role::Chain { master, .. } => {
            format!("{} {}", page.t("tras", "after"), names.bare(*master))
        }
    }
}

/// What a get can fill in, for forms.
pub(crate) fn columns() -> Vec<&'static str> {
    Column::ALL.iter().map(|column| column.word()).collect()
}

/// `/coordinador/nodos/{id}`: its quota, its next run and why then, what it did.
#[derive(Template)]
#[template(path = "node.html")]
pub(crate) struct NodePage {
    pub(crate) page: Page,
    pub(crate) names: Names,
    pub(crate) node: Node,
    pub(crate) line: NodeLine,
    pub(crate) answer: WhyView,
    pub(crate) chain: Vec<(i64, String)>,
    pub(crate) runs: Vec<RunLine>,
    pub(crate) events: Vec<EventLine>,
    pub(crate) oids: Vec<OidView>,
    pub(crate) may_edit: bool,
    pub(crate) may_operate: bool,
}

impl NodePage {
    fn view(&self) -> NodeView {
        NodeView::new(&self.node)
    }

    fn changed_here(&self) -> String {
        self.view().cambiado_aqui.join(", ")
    }

    fn oid(&self) -> String {
        self.node.oid.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string)
    }

    fn column(&self) -> &'static str {
        self.view().espacio.unwrap_or("–")
    }

    /// Why its next run is just then.
    fn why_then(&self) -> String {
        match &self.node.role {
            Role::Chain { .. } => self.page.t(
                "No tiene hora propia: corre después de su maestro.",
                "It has no time of its own: it runs after its master.",
            ),
            Role::Master { next_run_at: None, .. } => self.page.t(
                "Nada planeado: algo lo detiene hasta que una persona lo cambie.",
                "Nothing planned: something holds it until a person changes it.",
            ),
            Role::Master { cadence, next_run_at: Some(next) } => {
                return self.slot(cadence, *next);
            }
        }
        .to_owned()
    }

    fn slot(&self, cadence: &Cadence, next: Timestamp) -> String {
        let page = &self.page;
        let every = words::every(cadence.interval.seconds());
        let from = words::instant(page, cadence.grid);
        let grid = match page.lang {
            Lang::Es => format!("Su rejilla: cada {every} desde {from}."),
            Lang::En => format!("Its grid: every {every} from {from}."),
        };
        let off = next.duration_since(cadence.grid) - cadence.phase;
        let seconds = cadence.interval.seconds();
        let on_grid = off.as_millis() % i128::from(seconds * 1_000) == 0;
        let moved = cadence.phase.as_secs();
        let then = match (on_grid, moved, page.lang) {
            (true, 0, _) => String::new(),
            (true, _, Lang::Es) => format!(" La redistribución lo movió {moved:+}\u{a0}s."),
            (true, _, Lang::En) => format!(" Redistribution moved it by {moved:+}\u{a0}s."),
            (false, _, Lang::Es) => {
                " Esta vez fuera de ella: por cuota agotada o porque su minuto estaba lleno.".into()
            }
            (false, _, Lang::En) => {
                " This time off it: its quota was used up or its minute was full.".into()
            }
        };
        grid + &then
    }

    fn last(&self) -> [(&'static str, String); 3] {
        let page = &self.page;
        [
            (page.t("Última ejecución", "Last run"), words::when(page, &self.node.last_run_at)),
            (page.t("Último éxito", "Last success"), words::when(page, &self.node.last_success_at)),
            (page.t("Último fallo", "Last failure"), words::when(page, &self.node.last_failure_at)),
        ]
    }

    fn phase(&self) -> String {
        let phase = self.node.role.cadence().map_or(SignedDuration::ZERO, |one| one.phase);
        format!("{:+}\u{a0}s", phase.as_secs())
    }
}
