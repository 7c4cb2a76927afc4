//! Documents: what reading costs beside the bare engines, what passing them on costs alone, and how
//! good the answers are.

mod einvoice;
mod latency;
mod lines;
mod memory;
pub(crate) mod office;
mod quality;
mod reading;
mod recall;
mod relay;

use std::path::PathBuf;

use anyhow::Result;
use ocr::Pack;

use crate::report::Report;

/// Real documents; parts that have none say so and go on.
pub(crate) fn data(kind: &str) -> Option<PathBuf> {
    let dir =
        std::env::var_os("DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    Some(dir.join(kind)).filter(|dir| dir.is_dir())
}

/// Where the pack is, as an absolute path: servers are started elsewhere.
pub(crate) fn models() -> PathBuf {
    let dir =
        std::env::var_os("TURNO_MODELS").map_or_else(|| PathBuf::from("models"), PathBuf::from);
    std::path::absolute(&dir).unwrap_or(dir)
}

fn pack() -> Option<Pack> {
    match Pack::find(&models()) {
        Ok(pack) => Some(pack),
        Err(missing) => {
            eprintln!("{missing}");
            None
        }
    }
}

pub(crate) async fn measure(part: &str, report: &mut Report) -> Result<()> {
    match part {
        "docproc-latency" => latency::measure(report).await,
        "docproc-relay" => relay::measure(report).await,
        "docproc-reading" => reading::measure(report).await,
        "docproc-recall" => recall::measure(report),
        "docproc-memory" => memory::measure(report),
        "docproc-lines" => lines::measure(report),
        _ => quality::measure(report),
    }
}
