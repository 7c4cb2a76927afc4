//! Reading a whole column of a table.

use std::time::{Duration, Instant};

use async_snmp::VarBind;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::fleet::{Fleet, Manner, Talk, unless};
use crate::oid::Oid;
use crate::target::Target;
use crate::value::{Kind, Missing, Read, Value};

/// What no answer could hold.
const MOST_REPETITIONS: u32 = 1000;

/// What to walk, and how patiently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The column.
    pub root: Oid,
    /// Rows wanted per answer at the start; 1 asks row by row. Best the value of the last
    /// [`Walked::repetitions`] of the same device.
    pub repetitions: u32,
    /// Below this many rows per answer, one at a time is as good.
    pub least: u32,
    /// How long to wait for one answer.
    pub timeout: Duration,
    /// How often to ask the same again before asking for less.
    pub retries: u32,
    /// How long the whole walk may take.
    pub time_limit: Duration,
    pub max_rows: usize,
    /// What every row must hold; another kind is a [`Fault::Decode`].
    pub expect: Option<Kind>,
}

impl Walk {
    pub fn new(root: Oid) -> Self {
        Self {
            root,
            repetitions: 25,
            least: 5,
            timeout: Duration::from_secs(5),
            retries: 1,
            time_limit: Duration::from_mins(2),
            max_rows: 200_000,
            expect: None,
        }
    }
}

/// A walk that saw the end of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    pub rows: Vec<Row>,
    /// What the device was able to answer: start there the next time.
    pub repetitions: u32,
    pub requests: u32,
    pub took: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What comes after the column's name (`4194312192.2`).
    pub index: Oid,
    pub value: Value,
}

impl Fleet {
    pub async fn walk(
        &self,
        target: &Target,
        walk: &Walk,
        cancel: &CancellationToken,
    ) -> Result<Walked, Fault> {
        let since = Instant::now();
        let Walk { timeout, retries, .. } = *walk;
        let manner = Manner { timeout, retries, per_packet: 1, in_flight: None };
        let mut reading = Reading::new(walk);
        let work = async {
            let talk = self.reach(target, manner, cancel).await?;
            let read = tokio::time::timeout(walk.time_limit, read(&talk, &mut reading)).await;
            let fault = match read {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(fault)) => fault,
                Err(_) => Fault::Timeout,
            };
            Err(self.note(talk.client.peer_addr(), fault))
        };
        match unless(cancel, work).await {
            Ok(()) => Ok(Walked {
                repetitions: reading.pace,
                requests: reading.requests,
                rows: reading.rows,
                took: since.elapsed(),
            }),
            Err(Fault::Timeout) if !reading.rows.is_empty() => {
                Err(Fault::Partial { rows: reading.rows.len() })
            }
            Err(fault) => Err(fault),
        }
    }
}

async fn read(talk: &Talk, reading: &mut Reading<'_>) -> Result<(), Fault> {
    if talk.v1 {
        reading.pace = 1;
    }
    loop {
        reading.requests = reading.requests.saturating_add(1);
        let answer = {
            let _lane = talk.lane.enter().await;
            ask(talk, reading).await
        };
        match answer {
            Ok(bindings) => {
                if reading.absorb(bindings)? == Progress::End {
                    return Ok(());
                }
            }
            Err(Fault::NoSuch) if talk.v1 => return Ok(()),
            Err(fault @ (Fault::Timeout | Fault::TooBig | Fault::Decode)) => {
                reading.slow_down().ok_or(fault)?;
            }
            Err(fault) => return Err(fault),
        }
    }
}

async fn ask(talk: &Talk, reading: &Reading<'_>) -> Result<Vec<VarBind>, Fault> {
    let from = reading.cursor.clone();
    if reading.pace > 1 {
        let answer = talk.client.get_bulk_with_metadata(&[from], 0, reading.pace).await;
        return answer.map(|answer| answer.varbinds).map_err(|error| talk.fault(&error));
    }
    let mut answers =
        talk.client.get_next_many_chunks(&[from]).map_err(|error| Fault::from(&*error))?;
    match answers.next().await {
        Some(Ok(answer)) => Ok(answer.response.varbinds),
        Some(Err(broken)) => Err(talk.fault(&broken.source)),
        None => Err(Fault::Decode),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Progress {
    More,
    End,
}

/// How far a walk has come: pure, so that every way a device can mislead us has a test.
struct Reading<'w> {
    walk: &'w Walk,
    root: async_snmp::Oid,
    cursor: async_snmp::Oid,
    rows: Vec<Row>,
    pace: u32,
    requests: u32,
}

impl<'w> Reading<'w> {
    fn new(walk: &'w Walk) -> Self {
        let root = walk.root.wire();
        let pace = walk.repetitions.clamp(1, MOST_REPETITIONS);
        let pace = if pace < walk.least { 1 } else { pace };
        Self { walk, cursor: root.clone(), root, rows: Vec::new(), pace, requests: 0 }
    }

    /// Asks for half as many rows, then for one at a time; `None` when nothing smaller is left.
    fn slow_down(&mut self) -> Option<()> {
        let least = self.walk.least.max(1);
        self.pace = match self.pace {
            0 | 1 => return None,
            pace if pace <= least => 1,
            pace => (pace / 2).max(least),
        };
        Some(())
    }

    fn absorb(&mut self, bindings: Vec<VarBind>) -> Result<Progress, Fault> {
        if bindings.is_empty() || bindings.len() > self.pace as usize {
            return Err(Fault::Decode);
        }
        for VarBind { oid, value, .. } in bindings {
            let value = match Read::from(value) {
                Read::Missing(Missing::EndOfView) => return Ok(Progress::End),
                Read::Missing(Missing::Object | Missing::Instance) | Read::Unreadable => {
                    return Err(Fault::Decode);
                }
                Read::Value(value) => value,
            };
            if oid <= self.cursor {
                return Err(Fault::NotIncreasing);
            }
            if !oid.starts_with(&self.root) {
                return Ok(Progress::End);
            }
            if self.walk.expect.is_some_and(|kind| !value.is(kind)) {
                return Err(Fault::Decode);
            }
            if self.rows.len() >= self.walk.max_rows {
                return Err(Fault::TooMany { rows: self.walk.max_rows });
            }
            self.rows.push(Row { index: Oid::new(&oid.arcs()[self.root.len()..]), value });
            self.cursor = oid;
        }
        Ok(Progress::More)
    }
}

#[cfg(test)]
mod tests;
