//! Plays a history on every database and holds the tales against each other and against the model.

use std::{any::Any, fmt::Write as _, panic::AssertUnwindSafe, time::Instant};

use db::{Line, Tx};
use engine::Chance;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use reqwest::RequestBuilder;
use serde_json::Value as Json;
use testkit::{Client, LocalServer, Setup};

use crate::{
    house::{Ground, House},
    step::{Step, as_code},
    story,
};

/// How histories of one application are made and judged.
pub(crate) struct Play {
    pub(crate) name: &'static str,
    pub(crate) tables: Line,
    pub(crate) open: fn(Setup) -> BoxFuture<'static, LocalServer>,
    /// Names and roles.
    pub(crate) people: &'static [(&'static str, &'static str)],
    /// What is asked for before any history, by ADMIN.
    pub(crate) prepared: fn() -> Vec<(&'static str, Json)>,
    /// What is asked for at the beginning of each.
    pub(crate) opening: fn() -> Vec<Step>,
    pub(crate) draw: fn(&mut Chance) -> Step,
    /// Systems outside, of one house.
    pub(crate) world: fn() -> BoxFuture<'static, World>,
    pub(crate) send: fn(RequestBuilder, &Json) -> RequestBuilder,
    /// Fields under which answers give random ids, and how those are called: `@r`, then a number.
    pub(crate) ids: &'static [(&'static str, &'static str)],
    /// What is read at the end besides the rows, and by whom.
    pub(crate) reads: fn(&House<'_>) -> Vec<(&'static str, String)>,
    /// Columns that may differ, by table; `*` is every one.
    pub(crate) left_out: &'static [(&'static str, &'static str)],
    /// Whether much is done at once, see [`AT_ONCE`].
    pub(crate) at_once: bool,
    /// Tables whose numbers may have gaps.
    pub(crate) ranked: &'static [&'static str],
    pub(crate) model: fn() -> Box<dyn Model>,
    /// The longest history.
    pub(crate) steps: i64,
}

/// Systems outside a house.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) people: Vec<(&'static str, Client)>,
    /// Those with a clock of their own.
    pub(crate) clocks: Vec<Client>,
    /// Where they are, by name.
    pub(crate) names: Vec<(&'static str, Json)>,
    pub(crate) _kept: Option<Box<dyn Any + Send>>,
}

/// What is done at the same instant is done at once, and in which order it commits is chance.
pub(crate) const AT_ONCE: [(&str, &str); 6] = [
    ("events", "seq"),
    ("effects", "id"),
    ("audit", "id"),
    ("node_events", "id"),
    ("run_steps", "id"),
    ("messages", "id"),
];

/// What must be so, whatever the database.
pub(crate) trait Model {
    /// Hears a step as it was carried out, and what it was answered with.
    fn hear(&mut self, step: &Step, now: Timestamp, answer: Option<u16>) -> Result<(), String>;

    /// Holds what is kept against what it should be.
    fn look<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> BoxFuture<'a, Result<(), String>>;
}

/// What must never be so: each counts nothing.
pub(crate) struct Never(pub(crate) &'static [(&'static str, &'static str)]);

impl Model for Never {
    fn hear(&mut self, _: &Step, _: Timestamp, answer: Option<u16>) -> Result<(), String> {
        let failed = answer.is_some_and(|status| status >= 500);
        if failed { Err("nobody is told that the house failed".to_owned()) } else { Ok(()) }
    }

    fn look<'a>(&'a self, tx: &'a mut Tx, _: Timestamp) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async {
            for (what, sql) in self.0 {
                let row = tx.one(*sql, &[]).await.map_err(|error| error.to_string())?;
                let count: i64 = row.get("n").map_err(|error| error.to_string())?;
                if count > 0 {
                    return Err(format!("{count} times {what}"));
                }
            }
            Ok(())
        })
    }
}

pub(crate) fn as_json(request: RequestBuilder, body: &Json) -> RequestBuilder {
    if body.is_null() { request } else { request.json(body) }
}

/// The histories of some seeds: `TURNO_SEED` alone, or so many.
pub(crate) fn histories(play: &'static Play) {
    let ground = Ground::of(play);
    let soak = std::env::var_os("TURNO_SOAK").is_some();
    let given = std::env::var("TURNO_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    let seeds = match given {
        Some(seed) => seed..seed + 1,
        None if soak => 0..2_500,
        None => 0..50,
    };
    let (began, count, mut steps) = (Instant::now(), seeds.end - seeds.start, 0);
    for seed in seeds {
        let history = of_seed(play, seed);
        steps += history.len();
        if let Err(reason) = judge(&ground, &history) {
            let (shrunk, reason) = shrink(&ground, history, reason);
            panic!("TURNO_SEED={seed} of {}: {reason}\n{}", play.name, as_code(&shrunk));
        }
    }
    let (name, databases) = (play.name, ground.dialects().len());
    println!(
        "{count} histories of {name}, {steps} steps, on the model and {databases} databases: \
         {:.1?}",
        began.elapsed()
    );
}

/// One history that has a name.
pub(crate) fn named(play: &'static Play, steps: &[Step]) {
    let ground = Ground::of(play);
    if let Err(reason) = judge(&ground, steps) {
        panic!("{reason}\n{}", as_code(steps));
    }
}

fn of_seed(play: &Play, seed: u64) -> Vec<Step> {
    let mut chance = Chance::of(&[seed]);
    let length = chance.between(play.steps / 3, play.steps);
    (0..length)
        .map(|_| match chance.below(100) {
            0..5 => Step::Crash,
            5..7 => Step::Restore,
            _ => (play.draw)(&mut chance),
        })
        .collect()
}

const STARVED: &str = "the machine is too busy: a tick was kept from its database";
/// How often a history is played on such a machine.
const PLAYED: usize = 4;

/// Whether the model and every database tell the same.
fn judge(ground: &Ground, steps: &[Step]) -> Result<(), String> {
    for _ in 1..PLAYED {
        match compare(ground, steps) {
            Err(reason) if reason.ends_with(STARVED) => println!("once more: {reason}"),
            judged => return judged,
        }
    }
    compare(ground, steps)
}

fn compare(ground: &Ground, steps: &[Step]) -> Result<(), String> {
    let dialects = ground.dialects();
    let tales: Vec<Result<Vec<String>, String>> = std::thread::scope(|scope| {
        let playing: Vec<_> = dialects
            .iter()
            .map(|dialect| {
                scope.spawn(|| tell(&mut House::open(ground, *dialect), ground.play, steps))
            })
            .collect();
        playing
            .into_iter()
            .map(|one| one.join().unwrap_or_else(|panic| Err(said(&*panic))))
            .collect()
    });
    let mut told = Vec::new();
    for (dialect, tale) in dialects.iter().zip(tales) {
        told.push(tale.map_err(|reason| format!("{dialect:?}: {reason}"))?);
    }
    let parted = told.windows(2).find_map(|two| story::difference(&two[0], &two[1]));
    parted.map_or(Ok(()), Err)
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked").to_owned()
}

/// Plays a history in a house: every answer, then what can be read, then every row.
fn tell(house: &mut House<'_>, play: &Play, steps: &[Step]) -> Result<Vec<String>, String> {
    let mut model = (play.model)();
    let mut told = Vec::new();
    let opening = (play.opening)();
    let aloud = std::env::var_os("TURNO_SEED").is_some();
    for (n, step) in opening.iter().chain(steps).enumerate() {
        let step = resolved(house, step);
        let began = Instant::now();
        let answer = house.take(&step);
        if aloud {
            println!("{:?} {:.0?} {step:?}", house.dialect, began.elapsed());
        }
        let now = house.now();
        let status = answer.as_ref().map(|(status, _)| *status);
        let mut line = format!("{n} at {now}");
        // What systems outside answer is not of this house.
        if let Some((status, said)) = answer.as_ref().filter(|_| house.is_asked(&step)) {
            let _ = write!(line, " {status} {}", story::told(house, &story::answer(said)));
        }
        told.push(line);
        if n < opening.len() && status.is_none_or(|status| status >= 300) {
            return Err(format!("the opening {step:?} was answered {answer:?}"));
        }
        let judged = model.hear(&step, now, status).and_then(|()| {
            house.wait(async {
                let mut tx = house.context().store.read().await.map_err(|e| e.to_string())?;
                model.look(&mut tx, now).await
            })
        });
        if house.is_starved() {
            return Err(STARVED.to_owned());
        }
        judged.map_err(|reason| format!("step {n}, {step:?}, answered {answer:?}: {reason}"))?;
    }
    for (who, path) in (play.reads)(house) {
        let (status, said) = house.ask(who, &format!("GET {path}"), &Json::Null);
        let path = story::told(house, &path);
        told.push(format!("{path} {status} {}", story::told(house, &story::answer(&said))));
    }
    told.extend(story::rows(house, play));
    Ok(told)
}

/// A step with ids, times and places filled in.
fn resolved(house: &House<'_>, step: &Step) -> Step {
    match step {
        Step::Ask { who, what, body } => {
            // The last first: `@r1` is also how `@r10` begins.
            let ids = house.ids.iter().rev();
            let what = ids.fold(what.clone(), |what, (name, id)| what.replace(name.as_str(), id));
            Step::Ask { who, what, body: filled(house, body) }
        }
        Step::Refusing { table, ask } => {
            Step::Refusing { table, ask: Box::new(resolved(house, ask)) }
        }
        other => other.clone(),
    }
}

fn filled(house: &House<'_>, value: &Json) -> Json {
    match value {
        Json::String(text) => {
            let place = house.world.names.iter().find(|(name, _)| name == text);
            let minutes = text.strip_prefix('+').and_then(|minutes| minutes.parse().ok());
            let id = house.ids.iter().find(|(name, _)| name == text);
            match (place, minutes, id) {
                (Some((_, place)), ..) => place.clone(),
                (_, Some(minutes), _) => {
                    (house.now() + SignedDuration::from_mins(minutes)).to_string().into()
                }
                (.., Some((_, id))) => id.as_str().into(),
                _ => value.clone(),
            }
        }
        Json::Array(values) => values.iter().map(|value| filled(house, value)).collect(),
        Json::Object(fields) => {
            let filled = fields.iter().map(|(key, value)| (key.clone(), filled(house, value)));
            Json::Object(filled.collect())
        }
        other => other.clone(),
    }
}

/// Leaves out what is not needed for the failure, larger parts first.
fn shrink(ground: &Ground, mut steps: Vec<Step>, mut reason: String) -> (Vec<Step>, String) {
    let mut part = steps.len().div_ceil(2);
    while part > 0 {
        let mut from = 0;
        while from < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(from..(from + part).min(fewer.len()));
            let judged = std::panic::catch_unwind(AssertUnwindSafe(|| judge(ground, &fewer)));
            match judged.unwrap_or_else(|panic| Err(said(&*panic))) {
                Err(still) => (steps, reason) = (fewer, still),
                Ok(()) => from += part,
            }
        }
        part /= 2;
    }
    (steps, reason)
}
