//! What Turno costs, beside what the machine costs: every figure stands next to a limit, and next
//! to the same disk or the same loop measured in this very run.
//!
//! `bench [PART …]` runs the named parts, or all of them; an application's name means its parts.

mod board;
mod coordinador;
mod docproc;
mod entry;
mod fan_out;
mod floor;
mod peers;
mod planner;
mod report;
mod sam;
mod sample;
mod shop;
mod stream;
mod sustained;
mod together;
mod usage;

use std::process::ExitCode;

use anyhow::{Result, bail};
use report::Report;

const PEDIDOS: [&str; 6] = ["planner", "entry", "sustained", "fan-out", "board", "together"];
const DOCPROC: [&str; 6] = [
    "docproc-latency",
    "docproc-relay",
    "docproc-reading",
    "docproc-recall",
    "docproc-quality",
    "docproc-memory",
];

const SAM: [&str; 2] = ["sam-planner", "sam-callbacks"];

const COORDINADOR: [&str; 4] =
    ["coordinador-planner", "coordinador-walk", "coordinador-fleet", "coordinador-dead"];

fn every() -> Vec<&'static str> {
    PEDIDOS.into_iter().chain(DOCPROC).chain(SAM).chain(COORDINADOR).collect()
}

/// The parts a word stands for.
fn parts(word: &str) -> Option<Vec<&'static str>> {
    match word {
        "pedidos" => Some(PEDIDOS.to_vec()),
        "docproc" => Some(DOCPROC.to_vec()),
        "sam" => Some(SAM.to_vec()),
        "coordinador" => Some(COORDINADOR.to_vec()),
        // Only when asked for: it needs what others wrote.
        "peers" => Some(vec!["peers"]),
        // Part of the quality of documents; by itself while it is worked on.
        "docproc-lines" => Some(vec!["docproc-lines"]),
        word => {
            let mut all = every().into_iter();
            all.find(|part| *part == word).map(|part| vec![part])
        }
    }
}

fn main() -> Result<ExitCode> {
    // What pages are drawn in is a child of whoever measures it.
    if std::env::args().nth(1).as_deref() == Some(paper::WORKER) {
        return Ok(paper::work());
    }
    run()
}

#[tokio::main]
async fn run() -> Result<ExitCode> {
    let mut wanted = Vec::new();
    for word in std::env::args().skip(1) {
        match parts(&word) {
            Some(parts) => wanted.extend(parts),
            None => bail!(
                "no part {word}; there are pedidos ({}), docproc ({}), sam ({}), coordinador ({}) and peers",
                PEDIDOS.join(", "),
                DOCPROC.join(", "),
                SAM.join(", "),
                COORDINADOR.join(", ")
            ),
        }
    }
    if wanted.is_empty() {
        wanted = every();
    }
    let mut report = Report::default();
    for part in wanted {
        match part {
            "planner" => planner::measure(&mut report)?,
            "entry" => entry::measure(&mut report).await?,
            "sustained" => sustained::measure(&mut report).await?,
            "fan-out" => fan_out::measure(&mut report).await?,
            "board" => board::measure(&mut report).await?,
            "together" => together::measure(&mut report).await?,
            "peers" => peers::measure(&mut report).await?,
            part if COORDINADOR.contains(&part) => {
                coordinador::measure(part, &mut report).await?;
            }
            part if SAM.contains(&part) => sam::measure(part, &mut report).await?,
            part => docproc::measure(part, &mut report).await?,
        }
    }
    report.print();
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
