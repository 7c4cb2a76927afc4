//! *Alertas automáticas* (§9.3): the five conditions, with their numbers, and a second reader that is
//! asked and does not answer.

use engine::Sentence;
use jiff::{SignedDuration, Timestamp};

/// Manual classifications that may wait.
const MOST_WAITING: i64 = 50;
/// How much slower than usual reading may get.
const SLOWER: f64 = 2.0;
/// How far above the usual the volume of an hour may be: a share of it, or so many requests where
/// that is more. Arrivals scatter by the root of their number: two where one is usual is chance,
/// 141 where 100 are is not. Either way it takes four deviations at least, at any volume.
const BUSIER: f64 = 0.4;
const BUSIER_BY: f64 = 40.0;

/// So many times in a row a second reader may fail.
const MOST_SILENT: i64 = 2;

/// What is looked at, at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Open questions about types.
    pub classification_waiting: i64,
    /// Seconds per page lately, and as a rule; absent when there are too few to tell.
    pub reading: Option<f64>,
    pub usual_reading: Option<f64>,
    /// People who could take a task now; absent when nobody keeps count.
    pub operators_free: Option<i64>,
    /// Tasks nobody has, of requests that run out of time.
    pub urgent_tasks: i64,
    /// Requests at work with less than a fifth of their time left.
    pub at_risk: i64,
    /// Requests of this hour, and of the same hour of the same weekday as a rule.
    pub volume: i64,
    pub usual_volume: Option<f64>,
    /// Documents of the last hour that a second reader was asked about, and those without an answer.
    pub second_asked: i64,
    pub second_failed: i64,
}

/// Something a person has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// *Capacidad*: too many manual classifications wait.
    Capacity,
    /// *Degradación*: reading takes twice as long as usual.
    SlowReading,
    /// *Recursos humanos*: fewer people than urgent tasks.
    People,
    /// *Escalado automático*: little time left.
    AtRisk,
    /// *Escalado de recursos*: an unusual volume.
    Volume,
    /// The second reader is asked and never answers: its documents go to people instead.
    SecondReader,
}

impl Alarm {
    pub const ALL: [Self; 6] = [
        Self::Capacity,
        Self::SlowReading,
        Self::People,
        Self::AtRisk,
        Self::Volume,
        Self::SecondReader,
    ];

    /// The same for the same trouble.
    pub const fn fingerprint(self) -> &'static str {
        match self {
            Self::Capacity => "docproc/cola-clasificacion",
            Self::SlowReading => "docproc/ocr-lento",
            Self::People => "docproc/faltan-operadores",
            Self::AtRisk => "docproc/sla-en-riesgo",
            Self::Volume => "docproc/volumen",
            Self::SecondReader => "docproc/segundo-lector",
        }
    }

    pub fn title(self) -> Sentence {
        let (es, en) = match self {
            Self::Capacity => ("Cola de clasificación manual", "Queue of manual classification"),
            Self::SlowReading => ("OCR más lento de lo habitual", "OCR slower than usual"),
            Self::People => ("Faltan operadores", "Not enough operators"),
            Self::AtRisk => {
                ("Solicitudes a punto de vencer", "Requests about to miss the deadline")
            }
            Self::Volume => ("Volumen por encima de lo habitual", "Volume above the usual"),
            Self::SecondReader => {
                ("El segundo lector no responde", "The second reader does not answer")
            }
        };
        Sentence::new(es.to_owned(), en.to_owned())
    }

    /// Why it rings, if it does.
    pub fn rings(self, figures: &Figures) -> Option<Sentence> {
        let Figures { classification_waiting, operators_free, urgent_tasks, .. } = *figures;
        let Figures { at_risk, volume, usual_volume, reading, usual_reading, .. } = *figures;
        match self {
            Self::Capacity => (classification_waiting > MOST_WAITING).then(|| {
                let n = classification_waiting;
                Sentence::new(
                    format!("{n} tareas; el límite es {MOST_WAITING}"),
                    format!("{n} tasks; the limit is {MOST_WAITING}"),
                )
            }),
            Self::SlowReading => {
                let (now, usual) = (reading?, usual_reading?);
                (usual > 0.0 && now >= usual * SLOWER).then(|| {
                    let usual = format!("{usual:.2}");
                    let are = if usual == "1.00" { "es" } else { "son" };
                    Sentence::new(
                        format!("{now:.2} s por página; lo habitual {are} {usual} s"),
                        format!("{now:.2} s a page; {usual} s is usual"),
                    )
                })
            }
            Self::People => {
                let free = operators_free?;
                (free < urgent_tasks).then(|| people(free, urgent_tasks))
            }
            Self::AtRisk => (at_risk > 0).then(|| {
                Sentence::new(
                    format!("{at_risk} con menos del 20 % del plazo"),
                    format!("{at_risk} with less than 20% of their time left"),
                )
            }),
            Self::Volume => {
                let usual = usual_volume?;
                let more = (usual * BUSIER).max(BUSIER_BY);
                (usual > 0.0 && volume as f64 > usual + more).then(|| busier(volume, usual))
            }
            Self::SecondReader => {
                let Figures { second_asked: asked, second_failed: failed, .. } = *figures;
                (failed > MOST_SILENT && failed == asked).then(|| {
                    Sentence::new(
                        format!("{failed} documentos en una hora, ninguno respondido"),
                        format!("{failed} documents in an hour, none answered"),
                    )
                })
            }
        }
    }
}

fn people(free: i64, urgent: i64) -> Sentence {
    let (operators, tasks) = (
        if free == 1 { ("operador libre", "operator") } else { ("operadores libres", "operators") },
        if urgent == 1 { ("tarea urgente", "task") } else { ("tareas urgentes", "tasks") },
    );
    Sentence::new(
        format!("{free} {} y {urgent} {}", operators.0, tasks.0),
        format!("{free} {} free and {urgent} urgent {}", operators.1, tasks.1),
    )
}

fn busier(volume: i64, usual: f64) -> Sentence {
    let (es, en) = match usual.round() as i64 {
        0 => ("es menos de 1".to_owned(), "less than 1 is".to_owned()),
        1 => ("es 1".to_owned(), "1 is".to_owned()),
        n => (format!("son {n}"), format!("{n} are")),
    };
    Sentence::new(
        format!("{volume} en esta hora; lo habitual {es}"),
        format!("{volume} in this hour; {en} usual"),
    )
}

/// What waits for a component that perhaps nobody serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnservedQueue {
    pub component: String,
    pub waiting: i64,
    /// Since when the first of them could have been taken.
    pub since: Option<Timestamp>,
    pub by: Server,
}

/// Who would serve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// A worker outside, who last gave a sign then.
    Outside { seen: Option<Timestamp> },
    /// A process of ours, of which none lives.
    Process,
}

/// Without a sign for so long, nobody is there.
const SILENT: SignedDuration = SignedDuration::from_secs(60);

/// Whether a worker that gave a sign then is still there.
pub fn is_there(seen: Timestamp, now: Timestamp) -> bool {
    now.duration_since(seen) < SILENT
}

impl UnservedQueue {
    pub fn fingerprint(&self) -> String {
        format!("docproc/componente/{}", self.component)
    }

    pub fn title(&self) -> Sentence {
        let name = &self.component;
        Sentence::new(
            format!("Nadie atiende el componente {name}"),
            format!("Nobody serves component {name}"),
        )
    }

    /// Why it rings, if it does: something has waited for a minute in which nobody came.
    pub fn rings(&self, now: Timestamp) -> Option<Sentence> {
        let since = self.since.filter(|_| self.waiting > 0)?;
        let last = match self.by {
            Server::Outside { seen: Some(seen) } => seen.max(since),
            Server::Outside { seen: None } | Server::Process => since,
        };
        (!is_there(last, now)).then(|| {
            let name = &self.component;
            let (es, en) = match self.waiting {
                1 => (format!("1 mensaje espera a {name}"), format!("1 message waits for {name}")),
                n => (
                    format!("{n} mensajes esperan a {name}"),
                    format!("{n} messages wait for {name}"),
                ),
            };
            match self.by {
                Server::Process => Sentence::new(
                    format!("{es}, y ningún proceso lo atiende"),
                    format!("{en}, and no process serves it"),
                ),
                Server::Outside { seen: Some(seen) } => Sentence::new(
                    format!("{es}, visto por última vez a las {seen}"),
                    format!("{en}, last seen at {seen}"),
                ),
                Server::Outside { seen: None } => Sentence::new(
                    format!("{es}, que nunca se ha conectado"),
                    format!("{en}, which was never there"),
                ),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ringing(figures: Figures) -> Vec<Alarm> {
        Alarm::ALL.into_iter().filter(|alarm| alarm.rings(&figures).is_some()).collect()
    }

    /// S-27, to the unit.
    #[test]
    fn each_alarm_rings_at_its_number() {
        let none = Figures::default();
        assert_eq!(ringing(none), []);
        let waiting = |n| Figures { classification_waiting: n, ..none };
        assert_eq!((ringing(waiting(50)), ringing(waiting(51))), (vec![], vec![Alarm::Capacity]));
        let reading = |s| Figures { reading: Some(s), usual_reading: Some(1.5), ..none };
        assert_eq!(
            (ringing(reading(2.9)), ringing(reading(3.0))),
            (vec![], vec![Alarm::SlowReading])
        );
        let people = |free| Figures { operators_free: Some(free), urgent_tasks: 3, ..none };
        assert_eq!((ringing(people(3)), ringing(people(2))), (vec![], vec![Alarm::People]));
        assert_eq!(ringing(Figures { urgent_tasks: 3, ..none }), [], "nobody keeps count");
        assert_eq!(ringing(Figures { at_risk: 1, ..none }), [Alarm::AtRisk]);
        let volume = |n| Figures { volume: n, usual_volume: Some(100.0), ..none };
        assert_eq!(
            (ringing(volume(139)), ringing(volume(140)), ringing(volume(141))),
            (vec![], vec![], vec![Alarm::Volume])
        );
        assert_eq!(ringing(Figures { volume: 500, ..none }), [], "no history, no comparison");
        let second = |asked, failed| Figures { second_asked: asked, second_failed: failed, ..none };
        assert_eq!(
            (ringing(second(2, 2)), ringing(second(3, 3)), ringing(second(9, 8))),
            (vec![], vec![Alarm::SecondReader], vec![])
        );
    }

    /// Where little is usual, a little more is chance: a volume rings when it is forty above.
    #[test]
    fn a_sparse_hour_needs_more_than_a_few_requests_to_ring() {
        let rings = |volume, usual: f64| {
            let figures = Figures { volume, usual_volume: Some(usual), ..Figures::default() };
            Alarm::Volume.rings(&figures)
        };
        assert_eq!((rings(2, 1.0), rings(21, 1.0), rings(41, 1.0)), (None, None, None));
        assert!(rings(42, 1.0).is_some());
        assert_eq!(rings(90, 50.0), None);
        assert!(rings(91, 50.0).is_some());
        assert_eq!(rings(1_400, 1_000.0), None);
        assert!(rings(1_401, 1_000.0).is_some());
    }

    #[test]
    fn one_is_said_as_one() {
        let usual = |n| busier(60, n);
        assert_eq!(usual(1.2).es, "60 en esta hora; lo habitual es 1");
        assert_eq!(usual(1.2).en, "60 in this hour; 1 is usual");
        assert_eq!(usual(12.0).es, "60 en esta hora; lo habitual son 12");
        assert_eq!(usual(12.0).en, "60 in this hour; 12 are usual");
        assert_eq!(usual(0.25).es, "60 en esta hora; lo habitual es menos de 1");
        assert_eq!(people(0, 1).es, "0 operadores libres y 1 tarea urgente");
        assert_eq!(people(1, 2).en, "1 operator free and 2 urgent tasks");
    }

    #[test]
    fn a_component_that_nobody_serves_rings_after_a_minute() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let queue = |waiting, since: i64, seen: Option<i64>| UnservedQueue {
            component: "mi_ocr".to_owned(),
            waiting,
            since: Some(at(since)),
            by: Server::Outside { seen: seen.map(at) },
        };
        let ours = UnservedQueue { by: Server::Process, ..queue(3, 0, None) };
        assert_eq!(ours.rings(at(59)), None);
        assert!(ours.rings(at(60)).is_some_and(|said| said.en.contains("no process")));
        assert_eq!(queue(1, 0, None).rings(at(59)), None);
        assert!(queue(1, 0, None).rings(at(60)).is_some());
        assert_eq!(queue(1, 0, Some(30)).rings(at(89)), None, "somebody came in between");
        assert!(queue(1, 0, Some(30)).rings(at(90)).is_some());
        assert_eq!(queue(0, 0, None).rings(at(1000)), None, "nothing waits");
        assert!(queue(1, 100, Some(0)).rings(at(159)).is_none(), "it has not waited long");
    }

    proptest! {
        /// What rings keeps ringing while it gets worse.
        #[test]
        fn worse_is_not_better(waiting in 0_i64..200, risk in 0_i64..5, volume in 0_i64..300) {
            let figures = |more| Figures {
                classification_waiting: waiting + more,
                at_risk: risk + more,
                volume: volume + more,
                usual_volume: Some(100.0),
                ..Figures::default()
            };
            let before = ringing(figures(0));
            let after = ringing(figures(1));
            prop_assert!(before.iter().all(|alarm| after.contains(alarm)));
        }

        /// What scatters by chance does not ring, however much or little is usual.
        #[test]
        fn four_deviations_above_the_usual_do_not_ring(usual in 0.01_f64..10_000.0) {
            let volume = (usual + 4.0 * usual.sqrt()).floor() as i64;
            let figures = Figures { volume, usual_volume: Some(usual), ..Figures::default() };
            prop_assert_eq!(Alarm::Volume.rings(&figures), None);
        }
    }
}
