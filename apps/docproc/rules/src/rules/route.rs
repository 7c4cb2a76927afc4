//! *Workflow Router* (§3.1): which workflow a request takes, and by when it must be done.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use super::workflow::{Route, Workflow};

/// The workflow that takes what no other claims.
pub const DEFAULT: &str = "default";

/// The workflow for a request: the one it names, else the one with the most specific route that
/// matches, else the default. `None`: it names one that is not there.
pub fn choose<'a>(
    workflows: &'a BTreeMap<String, std::sync::Arc<Workflow>>,
    named: Option<&str>,
    channel: &str,
    metadata: &Map<String, Json>,
) -> Option<&'a std::sync::Arc<Workflow>> {
    if let Some(name) = named {
        return workflows.get(name);
    }
    let best = workflows
        .values()
        .flat_map(|workflow| workflow.routes.iter().map(move |route| (route, workflow)))
        .filter(|(route, _)| matches(route, channel, metadata))
        // The first by name wins a tie.
        .reduce(|best, one| if weight(one.0) > weight(best.0) { one } else { best })
        .map(|(_, workflow)| workflow);
    best.or_else(|| workflows.get(DEFAULT))
}

fn weight(route: &Route) -> usize {
    route.metadata.len() * 2 + usize::from(route.channel.is_some())
}

fn matches(route: &Route, channel: &str, metadata: &Map<String, Json>) -> bool {
    let says = |key: &str, wanted: &str| match metadata.get(key) {
        Some(Json::String(text)) => text == wanted,
        Some(Json::Number(number)) => number.to_string() == wanted,
        Some(Json::Bool(value)) => value.to_string() == wanted,
        _ => false,
    };
    route.channel.as_deref().is_none_or(|wanted| wanted == channel)
        && route.metadata.iter().all(|(key, wanted)| says(key, wanted))
}

/// *Deadline* (§7.1): counted from reception, fixed once.
pub fn deadline(
    workflow: &Workflow,
    received: Timestamp,
    default: Duration,
) -> (Duration, Timestamp) {
    let sla = workflow.sla.deadline.unwrap_or(default);
    (sla, received.checked_add(sla).unwrap_or(Timestamp::MAX))
}
