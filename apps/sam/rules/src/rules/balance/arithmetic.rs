//! The sum behind a robot's runners, kept with every decision and told in a sentence.

use engine::Sentence;
use serde::{Deserialize, Serialize};

use super::Motive;
use crate::model::{PoolId, Robot, RobotId};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Arithmetic {
    pub robot: RobotId,
    pub pool: Option<PoolId>,
    /// None: a provider failed.
    pub tickets: Option<i64>,
    pub per: i64,
    pub least: i64,
    pub most: Option<i64>,
    pub target: i64,
    pub reserved: i64,
    /// Dynamic runners before and after.
    pub before: i64,
    pub after: i64,
    pub free: i64,
    pub lent: i64,
    pub released: i64,
    pub taken: Vec<Taken>,
    pub given: Vec<Taken>,
    /// The pool rests: nothing changes.
    pub resting: bool,
}

/// Runners that came from, or went to, another robot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    pub robot: RobotId,
    pub name: String,
    pub priority: i64,
    pub runners: i64,
}

/// Counts one more runner that came from, or went to, this robot.
fn add(to: &mut Vec<Taken>, robot: &Robot) {
    match to.iter_mut().find(|known| known.robot == robot.id) {
        Some(known) => known.runners += 1,
        None => to.push(Taken {
            robot: robot.id,
            name: robot.name.clone(),
            priority: robot.priority,
            runners: 1,
        }),
    }
}

impl Arithmetic {
    pub(super) fn gained(&mut self, motive: Motive, from: Option<&Robot>) {
        self.after += 1;
        match from {
            Some(from) => add(&mut self.taken, from),
            None if motive == Motive::Loan => self.lent += 1,
            None => self.free += 1,
        }
    }

    pub(super) fn lost(&mut self, to: &Robot) {
        add(&mut self.given, to);
    }

    /// Runners it should have and has not.
    pub fn missing(&self) -> i64 {
        (self.target - self.reserved - self.after).max(0)
    }

    /// *Justificación*: «25 tickets ÷ 10 → 3 equipos; 2 libres, 1 de Robot B (prioridad 10)».
    pub fn sentence(&self) -> Sentence {
        Sentence { es: self.told(&SPANISH), en: self.told(&ENGLISH) }
    }

    fn told(&self, words: &Words) -> String {
        let mut parts = vec![self.wanted(words)];
        let mut got = Vec::new();
        if self.free > 0 {
            got.push(format!("{} {}", self.free, (words.free)(self.free)));
        }
        if self.lent > 0 {
            got.push(format!("{} {}", self.lent, (words.lent)(self.lent)));
        }
        for one in &self.taken {
            let Taken { name, priority, runners, .. } = one;
            got.push(format!("{runners} {} {name} ({} {priority})", words.from, words.priority));
        }
        for one in &self.given {
            let Taken { name, priority, runners, .. } = one;
            got.push(format!("−{runners} {} {name} ({} {priority})", words.to, words.priority));
        }
        if self.released > 0 {
            got.push(format!("−{} {}", self.released, (words.released)(self.released)));
        }
        if !got.is_empty() {
            parts.push(got.join(", "));
        }
        if self.reserved > 0 {
            parts.push(format!("{} {}", self.reserved, (words.reserved)(self.reserved)));
        }
        if self.resting && (self.missing() > 0 || self.after > self.target) {
            parts.push(words.resting.to_owned());
        } else if self.missing() > 0 && self.tickets.is_some() {
            parts.push(format!("{} {}", (words.missing)(self.missing()), self.missing()));
        }
        parts.join("; ")
    }

    fn wanted(&self, words: &Words) -> String {
        let runners = (words.runners)(self.target);
        let Some(tickets) = self.tickets else {
            return format!("{} → {} {runners}", words.unknown, self.target);
        };
        if tickets == 0 || self.target == 0 {
            return format!("{tickets} tickets → {} {runners}", self.target);
        }
        let asked = tickets / self.per + i64::from(tickets % self.per != 0);
        let bound = match (asked < self.least, self.most.is_some_and(|most| asked > most)) {
            (true, _) => format!(" (Min {})", self.least),
            (_, true) => format!(" (Max {})", self.target),
            (false, false) => String::new(),
        };
        format!("{tickets} tickets ÷ {} → {} {runners}{bound}", self.per, self.target)
    }
}

struct Words {
    runners: fn(i64) -> &'static str,
    free: fn(i64) -> &'static str,
    lent: fn(i64) -> &'static str,
    released: fn(i64) -> &'static str,
    reserved: fn(i64) -> &'static str,
    missing: fn(i64) -> &'static str,
    from: &'static str,
    to: &'static str,
    priority: &'static str,
    unknown: &'static str,
    resting: &'static str,
}

const SPANISH: Words = Words {
    runners: |n| if n == 1 { "equipo" } else { "equipos" },
    free: |n| if n == 1 { "libre" } else { "libres" },
    lent: |n| if n == 1 { "prestado" } else { "prestados" },
    released: |n| if n == 1 { "liberado" } else { "liberados" },
    reserved: |n| if n == 1 { "reservado a mano" } else { "reservados a mano" },
    missing: |n| if n == 1 { "falta" } else { "faltan" },
    from: "de",
    to: "para",
    priority: "prioridad",
    unknown: "demanda desconocida (falló un proveedor)",
    resting: "el pool se está enfriando",
};

const ENGLISH: Words = Words {
    runners: |n| if n == 1 { "runner" } else { "runners" },
    free: |_| "free",
    lent: |_| "borrowed",
    released: |_| "released",
    reserved: |_| "reserved by hand",
    missing: |_| "missing",
    from: "from",
    to: "to",
    priority: "priority",
    unknown: "demand unknown (a provider failed)",
    resting: "the pool is cooling",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::samples::robot;

    #[test]
    fn the_sentence_tells_the_sum() {
        let mut sum =
            Arithmetic { tickets: Some(25), per: 10, least: 1, target: 3, ..Arithmetic::default() };
        sum.gained(Motive::Demand, None);
        sum.gained(Motive::Demand, None);
        let other = Robot { name: "Robot B".into(), priority: 10, ..robot(2) };
        sum.gained(Motive::Preemption, Some(&other));
        assert_eq!(
            sum.sentence().es,
            "25 tickets ÷ 10 → 3 equipos; 2 libres, 1 de Robot B (prioridad 10)"
        );
        assert_eq!(
            sum.sentence().en,
            "25 tickets ÷ 10 → 3 runners; 2 free, 1 from Robot B (priority 10)"
        );
        assert_eq!([sum.after, sum.missing()], [3, 0]);
    }

    #[test]
    fn bounds_rest_and_ignorance_are_told() {
        let sum = Arithmetic {
            tickets: Some(100),
            per: 10,
            most: Some(5),
            target: 5,
            ..Arithmetic::default()
        };
        assert_eq!(sum.sentence().es, "100 tickets ÷ 10 → 5 equipos (Max 5); faltan 5");
        let sum = Arithmetic { resting: true, ..sum };
        assert_eq!(sum.sentence().en, "100 tickets ÷ 10 → 5 runners (Max 5); the pool is cooling");
        let sum = Arithmetic { tickets: None, target: 2, after: 2, before: 2, ..sum };
        assert_eq!(sum.sentence().es, "demanda desconocida (falló un proveedor) → 2 equipos");
    }
}
