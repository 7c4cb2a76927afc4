//! *Factibilidad* (R-6, F-2.5): whether what is planned fits at all. Above the
//! capacity lateness grows without bound, so it is said before a template is enabled.

use crate::{model::Interval, policy::Limits};

/// The masters of one interval, with the members of their chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    pub interval: Interval,
    pub masters: u32,
    pub chained: u32,
    /// Gets among them that start with another of their OLT: short ones are one run (§6.4b).
    pub joining: u32,
}

impl Demand {
    /// Starts per hour; of one that joins another only those of its chain.
    fn rate(self, short: bool) -> f64 {
        let joining = if short { self.joining } else { 0 };
        let own = f64::from(self.masters) - f64::from(joining);
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
    for demand in demands {
        let short = limits.is_short(demand.interval);
        let rate = demand.rate(short);
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

    fn demands(masters: u32, seconds: i64, each: u32) -> Vec<Demand> {
        let chained = masters * each;
        vec![Demand { interval: every(seconds), masters, chained, joining: 0 }]
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
        let of = |seconds, masters, joining| {
            let demand = Demand { interval: every(seconds), masters, chained: 0, joining };
            forecast([demand], &Limits::default()).demand
        };
        assert!((of(120, 3, 2) - 30.0).abs() < 1e-9);
        assert!((of(900, 3, 2) - 12.0).abs() < 1e-9, "not short");
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
