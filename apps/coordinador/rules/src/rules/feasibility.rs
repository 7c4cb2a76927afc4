//! *Factibilidad* (R-6, F-2.5): whether what is planned fits at all. Above the
//! capacity lateness grows without bound, so it is said before a template is enabled.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::{
    model::{Interval, OltId},
    policy::Limits,
};

/// A master, with the members of its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    pub interval: Interval,
    pub chained: u32,
    /// Of a get: where and when. Short ones that agree are one run (§6.4b).
    pub together: Option<(OltId, Timestamp)>,
}

impl Demand {
    /// Starts per hour; of one that joins another only those of its chain.
    fn rate(self, joins: bool) -> f64 {
        let own = if joins { 0.0 } else { 1.0 };
        3600.0 / self.interval.seconds() as f64 * (own + f64::from(self.chained))
    }
}

/// Runs per hour, wanted and possible.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Forecast {
    pub demand: f64,
    pub capacity: f64,
    pub short_demand: f64,
    pub short_capacity: f64,
}

/// Sums of thirds do not add up to a whole exactly.
const SLACK: f64 = 1e-6;

impl Forecast {
    pub fn fits(&self) -> bool {
        self.demand <= self.capacity + SLACK
    }

    /// Whether the short ones fit their part.
    pub fn short_fits(&self) -> bool {
        self.short_demand <= self.short_capacity + SLACK
    }

    pub fn percent(&self) -> f64 {
        if self.capacity > 0.0 { 100.0 * self.demand / self.capacity } else { 100.0 }
    }
}

pub fn forecast(demands: impl IntoIterator<Item = Demand>, limits: &Limits) -> Forecast {
    let mut sum = Forecast {
        capacity: f64::from(limits.per_minute) * 60.0,
        short_capacity: f64::from(limits.short_per_minute.min(limits.per_minute)) * 60.0,
        ..Forecast::default()
    };
    let mut known = HashSet::new();
    for demand in demands {
        let short = limits.is_short(demand.interval);
        let group = demand.together.filter(|_| short).map(|place| (demand.interval, place));
        let rate = demand.rate(group.is_some_and(|group| !known.insert(group)));
        sum.demand += rate;
        if short {
            sum.short_demand += rate;
        }
    }
    sum
}

/// Before and after something is added, as a template would on all its OLTs.
pub fn what_if(present: &[Demand], added: &[Demand], limits: &Limits) -> (Forecast, Forecast) {
    let both = present.iter().chain(added).copied();
    (forecast(present.iter().copied(), limits), forecast(both, limits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::samples::every;

    fn demands(count: usize, seconds: i64, chained: u32) -> Vec<Demand> {
        vec![Demand { interval: every(seconds), chained, together: None }; count]
    }

    #[test]
    fn scenario_13_forty_nodes_of_five_minutes_are_too_many() {
        let (before, after) = what_if(&[], &demands(40, 300, 0), &Limits::default());
        assert!(before.fits() && !after.fits());
        assert!((after.demand - 480.0).abs() < 1e-9 && (after.capacity - 360.0).abs() < 1e-9);
    }

    #[test]
    fn scenario_21_short_nodes_have_a_part_of_their_own() {
        let short = demands(12, 120, 0);
        let sum = forecast(short.into_iter().chain(demands(4, 900, 0)), &Limits::default());
        assert!((sum.demand - 376.0).abs() < 1e-9 && !sum.fits());
        assert!((sum.short_demand - 360.0).abs() < 1e-9 && !sum.short_fits());
    }

    #[test]
    fn short_gets_of_an_olt_that_start_together_are_one() {
        let place = Some((OltId(1), Timestamp::UNIX_EPOCH));
        let of = |seconds| Demand { interval: every(seconds), chained: 0, together: place };
        let limits = Limits::default();
        let sum = |all: [Demand; 3]| forecast(all, &limits).demand;
        assert!((sum([of(120), of(120), of(120)]) - 30.0).abs() < 1e-9);
        assert!((sum([of(120), of(240), of(900)]) - 49.0).abs() < 1e-9, "other grids");
        assert!((sum([of(900), of(900), of(900)]) - 12.0).abs() < 1e-9, "not short");
    }

    #[test]
    fn ninety_quarters_fit_exactly_and_chains_count() {
        let limits = Limits::default();
        assert!(forecast(demands(90, 900, 0), &limits).fits());
        assert!(!forecast(demands(91, 900, 0), &limits).fits());
        assert!(forecast(demands(30, 900, 2), &limits).fits());
        assert!(forecast(demands(70, 700, 0), &limits).fits(), "no rounding up");
    }
}
