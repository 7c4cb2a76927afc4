//! *Análisis*: figures over what ran and what was moved (F-5). Shapes carry the contract's
//! words; a figure of nothing is absent, never a division by zero.

/// Figures, each field with the contract's word for it where that is another.
macro_rules! figures {
    ($($(#[$about:meta])* pub struct $name:ident {
        $($(#[$meta:meta])* $field:ident: $type:ty $(= $word:tt)?,)+
    })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        pub struct $name {
            $($(#[$meta])* $(#[serde(rename = $word)])? pub $field: $type,)+
        }
    )+};
}

mod balancer;
mod callbacks;
mod critical;
mod dispersion;
mod latency;
mod patterns;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod samples;
mod spread;
mod success;
mod times;
mod trend;
mod utilization;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::model::{Closing, RobotId, RunId, RunState, RunnerId};

pub use balancer::{Balancing, balancer};
pub use callbacks::{Callbacks, callbacks};
pub use critical::{Critical, Delay, delayed, failed, orphaned};
pub use dispersion::{Dispersion, Gap, dispersion};
pub use latency::{Latency, latency};
pub use patterns::{Patterns, patterns};
pub use spread::Spread;
pub use success::{Success, success};
pub use times::{Times, times};
pub use trend::{Trend, trend};
pub use utilization::{Utilization, utilization};

/// One run as the reports see it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFact {
    pub run: RunId,
    pub robot: RobotId,
    pub runner: RunnerId,
    pub state: RunState,
    pub claimed_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// When we learned what it says.
    pub updated_at: Timestamp,
    pub closing: Option<Closing>,
    pub misses: i64,
    pub repetitions: i64,
}

impl RunFact {
    /// When it began, as well as it is known.
    fn began(&self) -> Timestamp {
        self.started_at.unwrap_or(self.claimed_at)
    }

    /// How long it ran. The start may be told by another clock: what ends before it begins is not
    /// measured.
    fn took(&self) -> Option<f64> {
        seconds(self.began(), self.finished_at?)
    }

    fn repeats(&self) -> f64 {
        self.repetitions.max(1) as f64
    }
}

/// One runner moved by the balancer.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveFact {
    pub at: Timestamp,
    pub robot: RobotId,
    pub runner: RunnerId,
    /// Given to the robot; otherwise taken from it.
    pub assigned: bool,
    /// Pending tickets of the robot, if they were known.
    pub tickets: Option<i64>,
    /// Taken for a more important robot.
    pub preempted: bool,
}

/// What a report is about: `[from, to)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from: Timestamp,
    pub to: Timestamp,
}

/// Seconds from one instant to another, if that is not backwards.
fn seconds(from: Timestamp, to: Timestamp) -> Option<f64> {
    let span = to.duration_since(from);
    (span >= SignedDuration::ZERO).then(|| span.as_secs_f64())
}

/// A share in percent; of nothing there is none.
fn percent(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| rounded(part / whole * 100.0))
}

fn share(part: usize, whole: usize) -> Option<f64> {
    percent(part as f64, whole as f64)
}

/// Two digits are what anybody reads.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn local_date(zone: &TimeZone, at: Timestamp) -> String {
    zone.to_datetime(at).date().to_string()
}
