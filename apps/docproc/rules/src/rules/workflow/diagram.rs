//! A workflow as a picture.

use std::fmt::Write as _;

use super::Workflow;
use crate::model::Unit;

/// The stages as a Mermaid flow chart: a thick arrow carries many.
pub fn mermaid(workflow: &Workflow) -> String {
    let mut text = String::from("flowchart LR\n    received([received])\n");
    let mut before = ("received", Unit::Request);
    for stage in &workflow.stages {
        let _ =
            writeln!(text, "    {}[\"{}<br/>{}\"]", stage.name, stage.name, stage.component_name());
        let arrow = if before.1 == Unit::Request { "-->" } else { "==>" };
        let _ = writeln!(text, "    {} {arrow} {}", before.0, stage.name);
        if let Some(queue) = &stage.backoffice_queue {
            let _ = writeln!(text, "    {} -.-> {}_people([{queue}])", stage.name, stage.name);
        }
        before = (&stage.name, stage.component.leaves(stage.unit));
    }
    let _ = writeln!(text, "    {} --> completed([completed])", before.0);
    text
}
