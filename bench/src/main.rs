//! What Turno costs, beside what the machine costs: every figure stands next to a limit, and next
//! to the same disk or the same loop measured in this very run.
//!
//! `bench [PART …]` runs the named parts, or all of them.

mod board;
mod entry;
mod fan_out;
mod floor;
mod planner;
mod report;
mod sample;
mod shop;
mod stream;
mod sustained;

use std::process::ExitCode;

use anyhow::{Result, bail};
use report::Report;

const PARTS: [&str; 5] = ["planner", "entry", "sustained", "fan-out", "board"];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|part| !PARTS.contains(&part.as_str())) {
        bail!("no part {unknown}; there are {}", PARTS.join(", "));
    }
    let mut report = Report::default();
    for part in
        PARTS.into_iter().filter(|part| wanted.is_empty() || wanted.iter().any(|w| w == part))
    {
        match part {
            "planner" => planner::measure(&mut report)?,
            "entry" => entry::measure(&mut report).await?,
            "sustained" => sustained::measure(&mut report).await?,
            "fan-out" => fan_out::measure(&mut report).await?,
            _ => board::measure(&mut report).await?,
        }
    }
    report.print();
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
