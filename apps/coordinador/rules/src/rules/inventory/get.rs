//! After a get: a value per ONU, or why there is none.

use engine::Planned;

use super::value::{Raw, read, written};
use crate::model::{Column, Ending, OnuId, RunState};
use crate::rules::unit;

/// What a get reads, and how it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The column of the inventory that it fills in, if any.
    pub column: Option<Column>,
    pub keep_previous: bool,
    pub format_mac: bool,
    /// What its numbers measure.
    pub unit: Option<&'static str>,
}

/// An ONU that was asked for, what was known, and what came after the last retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub onu: OnuId,
    /// Of the column.
    pub previous: Option<String>,
    pub got: Got,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    Value(Raw),
    /// noSuchInstance or noSuchObject. One column that is missing does not make a customer gone.
    NoSuch,
    Failed(Ending),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What every ONU said that answered: kept under the OID, with its time.
    pub values: Vec<(OnuId, Option<String>)>,
    /// Where the column of the inventory changes.
    pub changed: Vec<(OnuId, Option<String>)>,
    pub absent: Vec<OnuId>,
    pub errors: Vec<Fault>,
    pub state: RunState,
    pub ending: Option<Ending>,
}

impl Planned for Written {
    type Change = (OnuId, Option<String>);
    type Held = Fault;

    fn changes(&self) -> &[Self::Change] {
        &self.changed
    }

    fn held(&self) -> &[Fault] {
        &self.errors
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub onu: OnuId,
    pub ending: Ending,
}

/// SUCCESS, with a remark if some could not be read; FAILED only if none could, or no ONU at all has
/// the object: that is an OID the device does not know, not a reading.
pub fn after_get(target: Target, answers: &[Answer]) -> Written {
    let mut all = Written {
        values: Vec::with_capacity(answers.len()),
        changed: Vec::new(),
        absent: Vec::new(),
        errors: Vec::new(),
        state: RunState::Success,
        ending: None,
    };
    for answer in answers {
        let onu = answer.onu;
        match &answer.got {
            Got::Value(raw) => {
                let Target { column, keep_previous, format_mac, unit } = target;
                let value = read(column, raw, format_mac).filter(|value| is_possible(unit, value));
                all.values.push((onu, value));
                let Some(column) = column else { continue };
                let previous = answer.previous.as_deref();
                let value = written(column, raw, previous, keep_previous, format_mac);
                if value != answer.previous {
                    all.changed.push((onu, value));
                }
            }
            Got::NoSuch => all.absent.push(onu),
            Got::Failed(ending) => all.errors.push(Fault { onu, ending: *ending }),
        }
    }
    match all.errors.first() {
        None if all.values.is_empty() && !all.absent.is_empty() => {
            (all.state, all.ending) = (RunState::Failed, Some(Ending::NoSuch));
        }
        None => {}
        Some(first) if all.values.is_empty() => {
            (all.state, all.ending) = (RunState::Failed, Some(first.ending));
        }
        Some(_) => all.ending = Some(Ending::Partial),
    }
    all
}

/// Whether a device can have measured it. A text, and a number of nothing known, may be anything.
fn is_possible(unit: Option<&str>, value: &str) -> bool {
    let scale = unit.and_then(unit::scale);
    scale.zip(value.parse().ok()).is_none_or(|(scale, wire)| scale.is_possible(wire))
}

/// What the numbers among some values were, for a chart of many readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    pub least: f64,
    /// To two decimals.
    pub mean: f64,
    pub most: f64,
}

/// None: not one is a number.
pub fn numbers(values: &[(OnuId, Option<String>)]) -> Option<Numbers> {
    let known = values.iter().filter_map(|(_, value)| value.as_deref()?.parse::<f64>().ok());
    let known: Vec<f64> = known.filter(|value| value.is_finite()).collect();
    let first = *known.first()?;
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    Some(Numbers {
        least: known.iter().copied().fold(first, f64::min),
        mean: (mean * 100.0).round() / 100.0,
        most: known.iter().copied().fold(first, f64::max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Target = Target {
        column: Some(Column::Description),
        keep_previous: false,
        format_mac: false,
        unit: None,
    };

    fn answer(onu: i64, got: Got) -> Answer {
        Answer { onu: OnuId(onu), previous: Some("antes".into()), got }
    }

    #[test]
    fn numbers_are_what_can_be_counted_with() {
        let value = |text: &str| (OnuId(1), Some(text.to_owned()));
        let read = [value("-2100"), value("-1500"), value("abierta"), (OnuId(2), None)];
        let all = numbers(&read);
        assert_eq!(all, Some(Numbers { least: -2100.0, mean: -1800.0, most: -1500.0 }));
        assert_eq!((numbers(&[value("NaN")]), numbers(&[])), (None, None));
    }

    #[test]
    fn scenario_25_what_could_be_read_is_kept_and_the_rest_is_listed() {
        let answers: Vec<Answer> = (0..400)
            .map(|onu| {
                let got = match onu {
                    0..3 => Got::NoSuch,
                    3..5 => Got::Failed(Ending::Timeout),
                    _ => Got::Value(Raw::Text(format!("casa {onu}"))),
                };
                answer(onu, got)
            })
            .collect();
        let all = after_get(NAMES, &answers);
        assert_eq!((all.values.len(), all.absent.len(), all.errors.len()), (395, 3, 2));
        assert_eq!((all.state, all.ending), (RunState::Success, Some(Ending::Partial)));
        assert_eq!(all.values[0], (OnuId(5), Some("casa 5".into())));
    }

    #[test]
    fn scenario_25_nobody_to_ask_is_a_success_and_nobody_who_answers_is_not() {
        let nobody = after_get(NAMES, &[]);
        assert_eq!((nobody.state, nobody.ending), (RunState::Success, None));
        let silent = after_get(NAMES, &[answer(1, Got::Failed(Ending::Timeout))]);
        assert_eq!((silent.state, silent.ending), (RunState::Failed, Some(Ending::Timeout)));
    }

    #[test]
    fn an_object_that_no_onu_has_is_no_success() {
        let absent = after_get(NAMES, &[answer(1, Got::NoSuch), answer(2, Got::NoSuch)]);
        assert_eq!((absent.state, absent.ending), (RunState::Failed, Some(Ending::NoSuch)));
        let mixed = [answer(1, Got::NoSuch), answer(2, Got::Failed(Ending::Timeout))];
        let mixed = after_get(NAMES, &mixed);
        assert_eq!((mixed.state, mixed.ending), (RunState::Failed, Some(Ending::Timeout)));
    }

    #[test]
    fn a_reading_without_a_column_is_kept_all_the_same() {
        let target = Target { column: None, ..NAMES };
        let power = answer(7, Got::Value(Raw::Integer(-2145)));
        let all = after_get(target, &[power]);
        assert_eq!(all.values, [(OnuId(7), Some("-2145".into()))]);
        assert!(all.changed.is_empty(), "no column of the inventory");
    }

    /// An OLT answers for an ONU without light too, with a number that no light has.
    #[test]
    fn what_nothing_can_have_measured_is_no_value_and_spoils_no_mean() {
        let target = Target { column: None, unit: Some("0.01 dBm"), ..NAMES };
        let power = |onu, wire| answer(onu, Got::Value(Raw::Integer(wire)));
        let all = after_get(target, &[power(1, -2145), power(2, 2_147_483_647)]);
        assert_eq!(all.values, [(OnuId(1), Some("-2145".into())), (OnuId(2), None)]);
        let all = numbers(&all.values).unwrap();
        assert_eq!((all.least, all.mean, all.most), (-2145.0, -2145.0, -2145.0));
    }
}
