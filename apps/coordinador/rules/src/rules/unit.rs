//! What a number on the wire measures: how people write it, and which numbers no device can have
//! measured. An ONU that is off has no light, and its OLT answers with a number all the same: Huawei with
//! 2147483647, ZTE with 65535000 or -80000.

use std::ops::RangeInclusive;

/// From the number on the wire to the unit that people know.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    pub unit: &'static str,
    /// What is taken away first.
    offset: f64,
    factor: f64,
    pub decimals: usize,
    possible: RangeInclusive<f64>,
}

/// Light in a fibre, from far below what a receiver notices to more than any laser sends.
const LIGHT: RangeInclusive<f64> = -60.0..=30.0;

/// Of the units that the catalogue names. None: the number stands as it is.
pub fn scale(unit: &str) -> Option<Scale> {
    let of = |unit, [offset, factor]: [f64; 2], decimals, possible| Scale {
        unit,
        offset,
        factor,
        decimals,
        possible,
    };
    match unit {
        "0.01 dBm" => Some(of("dBm", [0.0, 0.01], 2, LIGHT)),
        "0.01 dBm + 10000" => Some(of("dBm", [10_000.0, 0.01], 2, LIGHT)),
        "0.001 dBm" => Some(of("dBm", [0.0, 0.001], 2, LIGHT)),
        "°C" => Some(of("°C", [0.0, 1.0], 0, -100.0..=200.0)),
        "m" => Some(of("m", [0.0, 1.0], 0, 0.0..=100_000.0)),
        _ => None,
    }
}

impl Scale {
    pub fn measured(&self, wire: f64) -> f64 {
        (wire - self.offset) * self.factor
    }

    pub fn is_possible(&self, wire: f64) -> bool {
        self.possible.contains(&self.measured(wire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::catalogue;

    #[test]
    fn light_is_told_in_dbm_and_no_light_is_no_number() {
        let told = |unit: &str, wire| {
            let scale = scale(unit).unwrap();
            scale.is_possible(wire).then(|| (scale.measured(wire) * 100.0).round() / 100.0)
        };
        assert_eq!(told("0.01 dBm", -2145.0), Some(-21.45));
        assert_eq!(told("0.01 dBm", f64::from(i32::MAX)), None);
        assert_eq!(told("0.01 dBm + 10000", 7_912.0), Some(-20.88));
        assert_eq!(told("0.01 dBm + 10000", f64::from(i32::MAX)), None);
        assert_eq!(told("0.001 dBm", -23_456.0), Some(-23.46));
        assert_eq!(told("0.001 dBm", 65_535_000.0), None);
        assert_eq!(told("0.001 dBm", -80_000.0), None);
        assert_eq!(told("°C", 45.0), Some(45.0));
        assert_eq!(told("m", -1.0), None, "HUAWEI-XPON-MIB: the query failed");
    }

    #[test]
    fn every_unit_of_the_catalogue_has_its_scale() {
        for entry in catalogue::shipped() {
            assert!(entry.unit.is_none_or(|unit| scale(unit).is_some()), "{entry:?}");
        }
    }
}
