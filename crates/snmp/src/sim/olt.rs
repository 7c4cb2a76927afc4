//! One OLT: what it hears, and what it says to that.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::Serialize;

use super::dice::happens;
use super::packet::{self, Fact, GEN_ERR, NO_SUCH_NAME, Question, TOO_BIG, Version, Wish};
use super::settings::{OverLimit, Settings};
use super::tables::{Found, Position, Tables};

/// What an answer carries besides its bindings.
const ENVELOPE: usize = 64;
/// How long a giant answer is: as much as a datagram holds.
const GIANT: usize = 60_000;
/// Rows in one answer, whatever is asked.
const MOST_ROWS: usize = 10_000;

pub(super) struct Olt {
    pub number: u64,
    seed: u64,
    born: Instant,
    settings: Mutex<Arc<Settings>>,
    first: Settings,
    received: AtomicU64,
    answered: AtomicU64,
    last: AtomicI64,
}

/// Datagrams since the start or the last reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counters {
    pub received: u64,
    pub answered: u64,
    pub last_packet_at: Option<Timestamp>,
}

/// What to do with a datagram that came.
pub(super) enum Heard {
    Nothing,
    Answer {
        datagram: Vec<u8>,
        after: Duration,
    },
    /// v3: the library's agent answers, then the same fate befalls its answer.
    Secure,
}

impl Olt {
    pub(super) fn new(number: u64, seed: u64, settings: Settings) -> Self {
        Self {
            number,
            seed,
            born: Instant::now(),
            settings: Mutex::new(Arc::new(settings.clone())),
            first: settings,
            received: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            last: AtomicI64::new(0),
        }
    }

    pub(super) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, settings: Settings) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    pub(super) fn reset(&self) {
        self.set(self.first.clone());
        self.received.store(0, Ordering::Relaxed);
        self.answered.store(0, Ordering::Relaxed);
        self.last.store(0, Ordering::Relaxed);
    }

    pub(super) fn counters(&self) -> Counters {
        let last = self.last.load(Ordering::Relaxed);
        Counters {
            received: self.received.load(Ordering::Relaxed),
            answered: self.answered.load(Ordering::Relaxed),
            last_packet_at: Timestamp::from_microsecond(last).ok().filter(|_| last != 0),
        }
    }

    pub(super) fn tables<'a>(&self, settings: &'a Settings) -> Tables<'a> {
        let uptime = (self.born.elapsed().as_millis() / 10) as u32;
        Tables { settings, seed: self.seed, number: self.number, uptime }
    }

    pub(super) fn hear(&self, datagram: &[u8]) -> Heard {
        let turn = self.received.fetch_add(1, Ordering::Relaxed);
        self.last.store(Timestamp::now().as_microsecond(), Ordering::Relaxed);
        let settings = self.settings();
        if !settings.alive || self.lost(&settings, turn, 3) {
            return Heard::Nothing;
        }
        if packet::version(datagram) == Some(3) {
            return Heard::Secure;
        }
        let answer = Question::read(datagram)
            .filter(|question| question.community == settings.community.as_bytes())
            .and_then(|question| self.answer(&settings, &question));
        answer.map_or(Heard::Nothing, |answer| self.send(answer))
    }

    /// What happens to an answer on its way.
    pub(super) fn send(&self, mut datagram: Vec<u8>) -> Heard {
        let settings = self.settings();
        let turn = self.answered.fetch_add(1, Ordering::Relaxed);
        if !settings.alive || self.lost(&settings, turn, 4) {
            return Heard::Nothing;
        }
        if settings.garbled {
            datagram.truncate(datagram.len() / 2);
        }
        let late = if turn % 10 == 9 { settings.late_ms } else { 0 };
        let after = Duration::from_millis(u64::from(settings.latency_ms) + u64::from(late));
        Heard::Answer { datagram, after }
    }

    fn lost(&self, settings: &Settings, turn: u64, way: u64) -> bool {
        happens(settings.loss_pct, &[self.seed, self.number, turn, way])
    }

    fn answer(&self, settings: &Settings, question: &Question) -> Option<Vec<u8>> {
        let tables = self.tables(settings);
        let row =
            |name: &Vec<u32>| !matches!(tables.find(name), Found::Position(Position::System(_)));
        if settings.gen_err && question.names.iter().any(row) {
            return Some(question.answer(GEN_ERR, 1, &question.echo()));
        }
        let room = settings.max_bytes as usize - ENVELOPE - question.community.len().min(255);
        match question.wish {
            Wish::Get => get(&tables, question, room),
            Wish::Next => next(&tables, question, room),
            Wish::Bulk { non_repeaters, repetitions } => {
                let limit = settings.max_repetitions_limit;
                if limit > 0 && repetitions > limit {
                    return match settings.over_limit {
                        OverLimit::TooBig => Some(question.answer(TOO_BIG, 0, &[])),
                        OverLimit::Silent => None,
                    };
                }
                let rows = if settings.giant { MOST_ROWS } else { repetitions as usize };
                let room = if settings.giant { GIANT } else { room };
                bulk(&tables, question, non_repeaters, rows.min(MOST_ROWS), room)
            }
        }
    }
}

fn get(tables: &Tables<'_>, question: &Question, room: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for (at, name) in question.names.iter().enumerate() {
        let fact = match tables.find(name) {
            Found::Position(Position::Row { row, .. })
                if tables.settings.mute_onus.contains(&row) =>
            {
                return None;
            }
            Found::Position(place) => Fact::Datum(tables.datum(place)),
            Found::NoInstance => Fact::NoInstance,
            Found::NoObject => Fact::NoObject,
        };
        if question.version == Version::V1 && !matches!(fact, Fact::Datum(_)) {
            return Some(question.answer(NO_SUCH_NAME, at + 1, &question.echo()));
        }
        packet::bind(&mut out, name, &fact);
    }
    Some(fitting(question, &out, room))
}

fn next(tables: &Tables<'_>, question: &Question, room: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for (at, name) in question.names.iter().enumerate() {
        match tables.after(name) {
            Some(place) if silent(tables, place) => return None,
            Some(place) => give(&mut out, tables, place),
            None if question.version == Version::V1 => {
                return Some(question.answer(NO_SUCH_NAME, at + 1, &question.echo()));
            }
            None => packet::bind(&mut out, name, &Fact::EndOfView),
        }
    }
    Some(fitting(question, &out, room))
}

fn bulk(
    tables: &Tables<'_>,
    question: &Question,
    non_repeaters: usize,
    rows: usize,
    room: usize,
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (once, many) = question.names.split_at(non_repeaters.min(question.names.len()));
    let mut cursors: Vec<_> = many.iter().map(|name| (name, tables.after(name))).collect();
    let first = once.iter().map(|name| (name, tables.after(name)));
    for (name, place) in first {
        match place {
            Some(place) if silent(tables, place) => return None,
            Some(place) => give(&mut out, tables, place),
            None => packet::bind(&mut out, name, &Fact::EndOfView),
        }
    }
    'rows: for _ in 0..rows {
        let mut ended = true;
        for (name, place) in &mut cursors {
            let before = out.len();
            match *place {
                // Silence begins with the first row nobody speaks about.
                Some(here) if silent(tables, here) && before == 0 => return None,
                Some(here) if silent(tables, here) => break 'rows,
                Some(here) => {
                    give(&mut out, tables, here);
                    *place = tables.step(here);
                    ended = false;
                }
                None => packet::bind(&mut out, name, &Fact::EndOfView),
            }
            if out.len() > room {
                if before == 0 {
                    return Some(question.answer(TOO_BIG, 0, &[]));
                }
                out.truncate(before);
                break 'rows;
            }
        }
        if ended {
            break;
        }
    }
    Some(question.answer(0, 0, &out))
}

fn fitting(question: &Question, bindings: &[u8], room: usize) -> Vec<u8> {
    if bindings.len() <= room {
        return question.answer(0, 0, bindings);
    }
    match question.version {
        // RFC 1157 sends the question back; later ones send nothing.
        Version::V1 => question.answer(TOO_BIG, 0, &question.echo()),
        Version::V2c => question.answer(TOO_BIG, 0, &[]),
    }
}

fn silent(tables: &Tables<'_>, place: Position) -> bool {
    match (place, tables.settings.truncate_after) {
        (Position::Row { row, .. }, Some(after)) => row >= after,
        (Position::System(_), _) | (_, None) => false,
    }
}

fn give(out: &mut Vec<u8>, tables: &Tables<'_>, place: Position) {
    let named = match place {
        Position::Row { column, row }
            if tables.settings.not_increasing && row > tables.settings.onus / 2 =>
        {
            Position::Row { column, row: 0 }
        }
        Position::Row { .. } | Position::System(_) => place,
    };
    packet::bind(out, &tables.name(named), &Fact::Datum(tables.datum(place)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ber;
    use super::*;

    fn question(tag: u8, first: i64, second: i64, names: &[Vec<u32>]) -> Vec<u8> {
        let mut out = Vec::new();
        ber::wrap(&mut out, ber::SEQUENCE, |out| {
            ber::integer(out, ber::INTEGER, 1);
            ber::bytes(out, b"public");
            ber::wrap(out, tag, |out| {
                ber::integer(out, ber::INTEGER, 7);
                ber::integer(out, ber::INTEGER, first);
                ber::integer(out, ber::INTEGER, second);
                ber::wrap(out, ber::SEQUENCE, |out| {
                    for name in names {
                        packet::bind(out, name, &Fact::Null);
                    }
                });
            });
        });
        out
    }

    fn names() -> impl Strategy<Value = Vec<Vec<u32>>> {
        let tail = proptest::collection::vec(prop_oneof![0_u32..50, any::<u32>()], 0..20);
        let name = tail.prop_map(|tail| [vec![1, 3, 6, 1], tail].concat());
        proptest::collection::vec(name, 0..30)
    }

    proptest! {
        #[test]
        fn any_question_has_an_answer_that_fits(
            tag in 0xa0_u8..0xa9,
            first in -5_i64..40,
            second in -5_i64..20_000,
            names in names(),
            giant: bool,
            not_increasing: bool,
            truncate_after in proptest::option::of(0_u32..50),
        ) {
            let settings = Settings {
                onus: 40, giant, not_increasing, truncate_after, ..Settings::default()
            };
            let olt = Olt::new(0, 0, settings);
            if let Heard::Answer { datagram, .. } = olt.hear(&question(tag, first, second, &names)) {
                let longest = if giant { 65_507 } else { 1472 };
                prop_assert!(datagram.len() <= longest);
            }
        }

        #[test]
        fn noise_does_no_harm(
            noise: Vec<u8>,
            flips in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..6),
        ) {
            let olt = Olt::new(0, 0, Settings { onus: 40, ..Settings::default() });
            let _ = olt.hear(&noise);
            let mut datagram = question(0xa5, 0, 25, &[vec![1, 3, 6, 1, 4, 1]]);
            for (at, mask) in flips {
                let at = at % datagram.len();
                datagram[at] ^= mask;
            }
            let _ = olt.hear(&datagram);
        }
    }
}
