//! *Fórmulas de índice* as data (R-10, F-3.1): where an ONU hangs, from its index.
//!
//! An index that does not encode back to itself is not decoded, so that two ONUs never get the
//! same place.

use super::catalogue;
use crate::model::{Dot, Formula, Mode, SlotPort};

/// Why an index has no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexFault {
    /// Not as many numbers with dots between as the formula has.
    NotAnIndex,
    BelowBase,
    /// A slot, port or ONU that the formula does not have.
    OutOfRange,
    /// Something between two ports.
    NotAPort,
}

impl IndexFault {
    pub const fn sentence(self) -> (&'static str, &'static str) {
        match self {
            Self::NotAnIndex => ("no tiene los números de la fórmula", "is not such an index"),
            Self::BelowBase => ("está por debajo de la base", "is below the base"),
            Self::OutOfRange => ("da un lugar que no existe", "gives a place that is not there"),
            Self::NotAPort => ("cae entre dos puertos", "falls between two ports"),
        }
    }
}

/// *Huawei* MA5800, MA5608T.
pub fn huawei() -> Formula {
    linear("Huawei", 4_194_304_000, [8_192, 256], 32)
}

/// *ZTE* C300, C320: the OLT id of ZXGPON-SERVICE-MIB (type 1 in the highest four bits, slot and
/// port in bytes of their own, the last byte unused).
pub fn zte() -> Formula {
    linear("ZTE", 268_435_456, [65_536, 256], 64)
}

/// *ZTE* C600, C620, C650: the `ifIndex` of ZTE-AN-PON-BASE-MIB (type and rack in the first byte,
/// then shelf, slot and port), of rack 1 and shelf 1.
pub fn zte_an(model: &str) -> Formula {
    Formula { model: Some(model.to_owned()), ..linear("ZTE", 285_278_208, [256, 1], 64) }
}

/// What comes with Turno.
pub fn shipped() -> Vec<Formula> {
    let an = catalogue::ZTE_AN_MODELS.map(zte_an);
    [huawei(), zte()].into_iter().chain(an).collect()
}

fn linear(brand: &str, base: u64, [step_slot, step_port]: [u64; 2], ports: u32) -> Formula {
    Formula {
        brand: brand.to_owned(),
        model: None,
        mode: Mode::Linear { base, step_slot, step_port },
        dot: Dot::After,
        slots: 64,
        ports,
        onus: 128,
    }
}

/// The formula for an OLT: of its brand and model, else of its brand.
pub fn find<'a>(formulas: &'a [Formula], brand: &str, model: Option<&str>) -> Option<&'a Formula> {
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    let of_brand = || formulas.iter().filter(|formula| same(&formula.brand, brand));
    let exact = of_brand().find(|formula| match (&formula.model, model) {
        (Some(own), Some(model)) => same(own, model),
        (None, _) | (_, None) => false,
    });
    exact.or_else(|| of_brand().find(|formula| formula.model.is_none()))
}

pub fn decode(formula: &Formula, raw: &str) -> Result<SlotPort, IndexFault> {
    if formula.mode == Mode::Parts {
        return parts(formula, raw);
    }
    let (index, dotted) = match raw.split_once('.') {
        Some((index, onu)) => (number(index)?, Some(number(onu)?)),
        None => (number(raw)?, None),
    };
    let (slot, port, inside) = match formula.mode {
        Mode::Linear { base, step_slot, step_port } => {
            let rest = u64::from(index).checked_sub(base).ok_or(IndexFault::BelowBase)?;
            let (slot, rest) = divided(rest, step_slot)?;
            let (port, onu) = divided(rest, step_port)?;
            (slot, port, onu)
        }
        Mode::Bitshift { slot_shift, slot_mask, port_shift, port_mask } => {
            let bits =
                |shift: u32, mask: u64| u64::from(index).checked_shr(shift).unwrap_or(0) & mask;
            (bits(slot_shift, slot_mask), bits(port_shift, port_mask), u64::from(index) & 0xff)
        }
        Mode::Parts => return Err(IndexFault::NotAnIndex),
    };
    let logical = match formula.dot {
        Dot::After => dotted,
        Dot::Inside if dotted.is_some() => return Err(IndexFault::NotAnIndex),
        Dot::Inside => u32::try_from(inside).ok(),
    };
    let small = |number: u64| u32::try_from(number).map_err(|_| IndexFault::OutOfRange);
    let place = SlotPort { slot: small(slot)?, port: small(port)?, logical };
    if !is_within(formula, place) {
        return Err(IndexFault::OutOfRange);
    }
    let back = encode(formula, place);
    // Leading zeros are the same index.
    let same = back.as_deref() == Some(canonical(index, dotted).as_str());
    if same { Ok(place) } else { Err(IndexFault::NotAPort) }
}

fn parts(formula: &Formula, raw: &str) -> Result<SlotPort, IndexFault> {
    let numbers: Vec<u32> = raw.split('.').take(4).map(number).collect::<Result<_, _>>()?;
    let [slot, port, onu] = numbers[..] else { return Err(IndexFault::NotAnIndex) };
    let place = SlotPort { slot, port, logical: Some(onu) };
    if is_within(formula, place) { Ok(place) } else { Err(IndexFault::OutOfRange) }
}

fn divided(number: u64, step: u64) -> Result<(u64, u64), IndexFault> {
    let whole = number.checked_div(step).ok_or(IndexFault::OutOfRange)?;
    Ok((whole, number - whole * step))
}

fn number(text: &str) -> Result<u32, IndexFault> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = digits.then(|| text.parse().ok()).flatten();
    parsed.ok_or(IndexFault::NotAnIndex)
}

fn canonical(index: u32, dotted: Option<u32>) -> String {
    dotted.map_or_else(|| index.to_string(), |onu| format!("{index}.{onu}"))
}

fn is_within(formula: &Formula, place: SlotPort) -> bool {
    place.slot < formula.slots
        && place.port < formula.ports
        && place.logical.is_none_or(|logical| logical < formula.onus)
}

/// The index of a place; none if it cannot have one.
pub fn encode(formula: &Formula, place: SlotPort) -> Option<String> {
    let onu = match formula.dot {
        Dot::After => 0,
        Dot::Inside => u64::from(place.logical?),
    };
    let (slot, port) = (u64::from(place.slot), u64::from(place.port));
    let index = match formula.mode {
        Mode::Linear { base, step_slot, step_port } => base
            .checked_add(slot.checked_mul(step_slot)?)?
            .checked_add(port.checked_mul(step_port)?)?
            .checked_add(onu)?,
        Mode::Bitshift { slot_shift, port_shift, .. } => {
            let up = |number: u64, shift: u32| {
                number.checked_shl(shift).filter(|up| up.checked_shr(shift) == Some(number))
            };
            up(slot, slot_shift)? | up(port, port_shift)? | onu
        }
        Mode::Parts => return Some(format!("{slot}.{port}.{}", place.logical?)),
    };
    let dotted = match formula.dot {
        Dot::After => place.logical,
        Dot::Inside => None,
    };
    Some(canonical(u32::try_from(index).ok()?, dotted))
}

/// A place that the formula confuses with another, or that has no index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    pub place: SlotPort,
    pub raw: Option<String>,
    pub read_as: Option<SlotPort>,
}

/// So many are checked one by one when a formula is made.
const MOST: u32 = 1024;

/// A formula that does not lead back to where it came from is refused, with the place where it
/// goes wrong. Per port the first, the last and every power of two among its ONUs stand for all:
/// steps overlap at the ends, bits one by one.
pub fn check(formula: &Formula) -> Result<(), Counterexample> {
    let last = formula.onus.saturating_sub(1);
    let mut onus: Vec<u32> = (0..32).map(|bit| 1 << bit).filter(|onu| *onu < last).collect();
    onus.extend([0, last]);
    for slot in 0..formula.slots.min(MOST) {
        for port in 0..formula.ports.min(MOST) {
            for onu in &onus {
                let place = SlotPort { slot, port, logical: Some(*onu) };
                let raw = encode(formula, place);
                let read_as = raw.as_deref().and_then(|raw| decode(formula, raw).ok());
                if read_as != Some(place) {
                    return Err(Counterexample { place, raw, read_as });
                }
            }
        }
    }
    let place = SlotPort { slot: formula.slots, port: formula.ports, logical: None };
    let counted = [formula.slots, formula.ports].iter().all(|count| (1..=MOST).contains(count));
    if counted && formula.onus > 0 {
        Ok(())
    } else {
        Err(Counterexample { place, raw: None, read_as: None })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scenario_23_the_table_decodes() {
        let rows = [
            (huawei(), "4194312448.2", "1/1/2"),
            (huawei(), "4194316032.10", "1/15/10"),
            (huawei(), "4194338304.1", "4/6/1"),
            (huawei(), "4194312192.2", "1/0/2"),
            (zte(), "268566784", "2/1"),
            (zte(), "268632320", "3/1"),
            (zte(), "268570624", "2/16"),
            (zte(), "269225984", "12/16"),
        ];
        for (formula, raw, place) in rows {
            let decoded = decode(&formula, raw).unwrap();
            assert_eq!(decoded.to_string(), place, "{raw}");
            assert_eq!(encode(&formula, decoded).as_deref(), Some(raw));
        }
        let zte_onu = decode(&zte(), "268566784.7").unwrap();
        assert_eq!(zte_onu.to_string(), "2/1/7", "the ONU is not lost");
    }

    #[test]
    fn scenario_23_every_index_round_trips_and_below_the_base_is_an_error() {
        for (formula, slots) in [(huawei(), 18), (zte(), 18)] {
            assert_eq!(check(&formula), Ok(()));
            for slot in 0..slots {
                for port in 0..16 {
                    for onu in 0..128 {
                        let place = SlotPort { slot, port, logical: Some(onu) };
                        let raw = encode(&formula, place).unwrap();
                        assert_eq!(decode(&formula, &raw), Ok(place));
                    }
                }
            }
        }
        assert_eq!(decode(&huawei(), "4194303999.1"), Err(IndexFault::BelowBase));
        assert_eq!(decode(&huawei(), "4194312449.1"), Err(IndexFault::NotAPort));
        for raw in ["", ".", "1.2.3", "x", "4294967296", "+1"] {
            assert_eq!(decode(&huawei(), raw), Err(IndexFault::NotAnIndex), "{raw}");
        }
    }

    #[test]
    fn a_formula_that_confuses_two_places_is_refused_with_them() {
        let wide = Formula { ports: 64, ..huawei() };
        let found = check(&wide).unwrap_err();
        assert_eq!(found.place, SlotPort { slot: 0, port: 32, logical: Some(1) });
        assert_eq!(found.read_as, Some(SlotPort { slot: 1, port: 0, logical: Some(1) }));
        let inside = Formula { dot: Dot::Inside, onus: 300, ports: 8, ..zte() };
        assert!(check(&inside).is_err());
        assert_eq!(check(&Formula { onus: 256, ports: 8, ..inside }), Ok(()));
        let zero = Mode::Linear { base: 0, step_slot: 0, step_port: 0 };
        assert!(check(&Formula { mode: zero, ..huawei() }).is_err());
        assert!(check(&Formula { slots: 0, ..huawei() }).is_err());
    }

    #[test]
    fn three_parts_are_slot_port_and_onu() {
        let parts = Formula { mode: Mode::Parts, slots: 18, ports: 16, ..huawei() };
        assert_eq!(check(&parts), Ok(()));
        assert_eq!(decode(&parts, "3.12.7").unwrap().to_string(), "3/12/7");
        assert_eq!(decode(&parts, "3.16.7"), Err(IndexFault::OutOfRange));
        for raw in ["3.12", "3.12.7.1", "3..7"] {
            assert_eq!(decode(&parts, raw), Err(IndexFault::NotAnIndex), "{raw}");
        }
    }

    #[test]
    fn the_interface_index_of_a_c600_names_its_port() {
        let c600 = zte_an("C600");
        assert_eq!(check(&c600), Ok(()));
        assert_eq!(decode(&c600, "285278465.5").unwrap().to_string(), "1/1/5");
        assert_eq!(find(&shipped(), "zte", Some("c600")), Some(&c600));
        assert_eq!(find(&shipped(), "zte", Some("C320")), Some(&zte()));
    }

    #[test]
    fn bits_of_their_own() {
        let mode =
            Mode::Bitshift { slot_shift: 16, slot_mask: 0xff, port_shift: 8, port_mask: 0xff };
        let bits = Formula { mode, dot: Dot::Inside, slots: 16, ports: 16, ..huawei() };
        assert_eq!(check(&bits), Ok(()));
        assert_eq!(decode(&bits, "131337").unwrap().to_string(), "2/1/9");
        let mode =
            Mode::Bitshift { slot_shift: 9, slot_mask: 0xff, port_shift: 8, port_mask: 0xff };
        assert!(check(&Formula { mode, ..bits }).is_err(), "overlapping bits");
    }

    #[test]
    fn the_model_wins_over_the_brand() {
        let own = Formula { model: Some("MA5800".into()), ..huawei() };
        let all = [huawei(), own.clone(), zte()];
        assert_eq!(find(&all, "HUAWEI", Some("ma5800")), Some(&own));
        assert_eq!(find(&all, "Huawei", Some("MA5608T")), Some(&all[0]));
        assert_eq!(find(&all, "ZTE", None), Some(&all[2]));
        assert_eq!(find(&all, "Nokia", None), None);
    }

    proptest! {
        #[test]
        fn what_decodes_encodes_back(index in any::<u32>(), onu in prop::option::of(0_u32..200)) {
            let raw = canonical(index, onu);
            for formula in [huawei(), zte()] {
                if let Ok(place) = decode(&formula, &raw) {
                    prop_assert_eq!(encode(&formula, place), Some(raw.clone()));
                }
            }
        }
    }
}
