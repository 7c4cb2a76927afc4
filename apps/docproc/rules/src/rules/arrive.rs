//! What has come where: the joins of a request (*fan-in*), and how far it is by that.

use super::{
    advance::{Page, Snapshot},
    workflow::Workflow,
};
use crate::model::{Component, Standing, Status, Unit};

/// At a stage that is not for this unit any more, or that waits for all of them.
pub(super) fn arrived(workflow: &Workflow, standing: Standing, unit: Unit) -> bool {
    match workflow.stages.get(standing.at.max(0) as usize) {
        Some(stage) => stage.component.is_join() || stage.unit != unit,
        None => true,
    }
}

/// Whether the request stands behind its split.
fn is_split(request: &Snapshot, workflow: &Workflow) -> bool {
    let split = workflow.stages.iter().position(|s| s.component == Component::Splitter);
    split.is_some_and(|split| request.standing.at > split as i32)
}

/// Whether nothing is left below the request that it has to wait for.
pub(super) fn children_arrived(request: &Snapshot, workflow: &Workflow) -> bool {
    if !is_split(request, workflow) {
        return true;
    }
    let grouping = workflow.grouping();
    let page_through = |page: &Page| match grouping {
        Some(_) => page.grouped,
        None => arrived(workflow, page.standing, Unit::Page),
    };
    let documents = &request.documents;
    request.page_count.is_some_and(|n| n as usize == request.pages.len())
        && request.pages.iter().all(page_through)
        && documents.iter().all(|one| arrived(workflow, one.standing, Unit::Document))
}

/// How far a request is (§4.2).
pub(super) fn reached(request: &Snapshot, workflow: &Workflow) -> Status {
    let standing = request.standing;
    let pages = &request.pages;
    if request.page_count.is_none() {
        let first = workflow.stages.get(standing.at.max(0) as usize);
        return match first.map(|stage| stage.component) {
            _ if standing.at < 0 => Status::Received,
            Some(Component::Splitter) => Status::Splitting,
            Some(_) | None => Status::Processing,
        };
    }
    // What is done with the request as a whole behind its joins makes its answer.
    if is_split(request, workflow) && children_arrived(request, workflow) {
        return Status::Consolidating;
    }
    if !pages.is_empty() && pages.iter().all(|page| page.grouped) {
        return Status::Extracting;
    }
    Status::Processing
}
