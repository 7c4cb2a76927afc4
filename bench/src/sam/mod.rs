//! Robots: what a look of the launcher and a balance cost in a house larger than any.

mod house;
mod planner;

use anyhow::Result;

use crate::report::Report;

pub(crate) fn measure(part: &str, report: &mut Report) -> Result<()> {
    match part {
        "sam-planner" => planner::measure(report),
        part => anyhow::bail!("sam has no part {part}"),
    }
}
