//! After a get: a value per ONU, or why there is none.

use engine::Planned;

use super::value::{Raw, written};
use crate::model::{Column, Ending, OnuId, RunState};

/// What a get reads, and how it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub column: Column,
    pub keep_previous: bool,
    pub format_mac: bool,
}

/// An ONU that was asked for, what was known, and what came after the last retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub onu: OnuId,
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
    /// Every ONU that answered, changed or not.
    pub values: Vec<(OnuId, Option<String>)>,
    /// Those of them that differ from what was known.
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

/// SUCCESS, with a remark if some could not be read; FAILED only if none could.
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
                let Target { column, keep_previous, format_mac } = target;
                let previous = answer.previous.as_deref();
                let value = written(column, raw, previous, keep_previous, format_mac);
                if value != answer.previous {
                    all.changed.push((onu, value.clone()));
                }
                all.values.push((onu, value));
            }
            Got::NoSuch => all.absent.push(onu),
            Got::Failed(ending) => all.errors.push(Fault { onu, ending: *ending }),
        }
    }
    match all.errors.first() {
        None => {}
        Some(first) if all.values.is_empty() && all.absent.is_empty() => {
            (all.state, all.ending) = (RunState::Failed, Some(first.ending));
        }
        Some(_) => all.ending = Some(Ending::Partial),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Target =
        Target { column: Column::Description, keep_previous: false, format_mac: false };

    fn answer(onu: i64, got: Got) -> Answer {
        Answer { onu: OnuId(onu), previous: Some("antes".into()), got }
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
        let absent = after_get(NAMES, &[answer(1, Got::NoSuch)]);
        assert_eq!(absent.state, RunState::Success);
    }
}
