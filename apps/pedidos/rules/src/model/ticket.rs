//! *Comanda*: the kitchen's ticket, its lines and the stations that cook them.

use jiff::Timestamp;

use super::{LineState, OrderId};

/// *Comanda*: what the kitchen works from. One per order, grown by revisions, never rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KitchenTicket {
    pub id: i64,
    pub order: OrderId,
    /// 1 when opened; each edit while cooking adds one.
    pub revision: i64,
    /// The last revision the cook has confirmed seeing.
    pub acknowledged_revision: i64,
    /// How often paper was asked for.
    pub prints: i64,
    /// When the printer last took it.
    pub printed_at: Option<Timestamp>,
}

/// One line of a ticket. `revision` is the revision that added or voided it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketLine {
    pub n: i64,
    pub name: String,
    pub quantity: i64,
    pub note: Option<String>,
    pub extras: Option<String>,
    pub station: Option<String>,
    pub revision: i64,
    pub state: LineState,
}

/// What the lines that belong to no station are asked for by.
pub const NO_STATION: &str = "";

impl TicketLine {
    /// Whether a station cooks it; none stands for all of them. Stations are typed by hand, so
    /// capitals and spaces around do not make another one.
    pub fn is_at(&self, station: Option<&str>) -> bool {
        station.is_none_or(|station| {
            let own = self.station.as_deref().unwrap_or(NO_STATION);
            own.trim().to_lowercase() == station.trim().to_lowercase()
        })
    }
}

/// How far one station is with a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StationProgress {
    /// As it was first written; empty for the lines that belong to none.
    pub station: String,
    pub pending: usize,
    pub done: usize,
}

/// How far each station is, in the order of the lines. Voided lines are nobody's work.
pub fn progress(lines: &[TicketLine]) -> Vec<StationProgress> {
    let mut stations: Vec<(&TicketLine, StationProgress)> = Vec::new();
    for line in lines.iter().filter(|line| line.state != LineState::Voided) {
        let known = stations.iter().position(|(first, _)| line.is_at(Some(name(first))));
        let at = known.unwrap_or_else(|| {
            let station = name(line).to_owned();
            stations.push((line, StationProgress { station, pending: 0, done: 0 }));
            stations.len() - 1
        });
        match line.state {
            LineState::Done => stations[at].1.done += 1,
            LineState::Pending | LineState::Voided => stations[at].1.pending += 1,
        }
    }
    stations.into_iter().map(|(_, progress)| progress).collect()
}

fn name(line: &TicketLine) -> &str {
    line.station.as_deref().unwrap_or(NO_STATION).trim()
}
