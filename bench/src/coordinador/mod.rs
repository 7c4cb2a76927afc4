//! The network: what a pass over a large fleet costs, how fast tables are read and kept, and whether
//! dead OLTs hold up the others.

mod fleet;
mod planner;
mod walk;

use anyhow::Result;

use crate::report::Report;

pub(crate) async fn measure(part: &str, report: &mut Report) -> Result<()> {
    match part {
        "coordinador-planner" => planner::measure(report),
        "coordinador-walk" => walk::measure(report).await,
        "coordinador-fleet" => fleet::measure(report).await,
        "coordinador-dead" => fleet::dead(report).await,
        part => anyhow::bail!("coordinador has no part {part}"),
    }
}
