//! Robots: what a look of the launcher and a balance cost in a house larger than any, and what
//! becomes of callbacks.

mod callbacks;
mod house;
mod planner;

use anyhow::Result;

use crate::report::Report;

pub(crate) async fn measure(part: &str, report: &mut Report) -> Result<()> {
    match part {
        "sam-planner" => planner::measure(report),
        "sam-callbacks" => callbacks::measure(report).await,
        part => anyhow::bail!("sam has no part {part}"),
    }
}
