//! What processes cost, as the kernel counts it.

use std::{fs, time::Duration};

/// The kernel's unit of processor time, on every Linux that runs this.
const TICK: Duration = Duration::from_millis(10);

/// Processor time of a process so far, its threads included; nothing when it is gone.
pub(crate) fn cpu(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name in brackets may hold spaces; user and system time are the 12th and 13th behind it.
    let behind = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u32 =
        behind.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u32>().ok()).sum();
    TICK * ticks
}

/// The most memory a process has held, in megabytes.
pub(crate) fn peak_megabytes(process: u32) -> f64 {
    megabytes(process, "status", "VmHWM:")
}

/// The memory that a process holds now, in megabytes; what several share is shared out among them.
pub(crate) fn own_megabytes(process: u32) -> f64 {
    megabytes(process, "smaps_rollup", "Pss:")
}

fn megabytes(process: u32, file: &str, name: &str) -> f64 {
    let told = fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}

/// Every process of this name.
pub(crate) fn named(name: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|one| one.file_name().to_str()?.parse::<u32>().ok());
    let is = |id: &u32| {
        let own = fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        own.trim() == name
    };
    ids.filter(is).collect()
}
