//! Getting many values of one device.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use async_snmp::{Error, ErrorStatus, VarBind};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::fleet::{Fleet, Manner, Talk, unless};
use crate::lanes::PER_DEVICE;
use crate::oid::Oid;
use crate::target::Target;
use crate::value::{Missing, Read, Value};

/// A device that left this many requests in a row unanswered is not asked the rest.
const SILENCES: u32 = 8;

/// What to get, and how patiently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Get {
    pub oids: Vec<Oid>,
    pub per_packet: usize,
    /// Requests on the way at once, of all jobs of the device together.
    pub in_flight: usize,
    /// How long to wait for one answer.
    pub timeout: Duration,
    /// How often to ask the same again; what stays without answer is then asked in halves, so that
    /// one value nobody answers about costs only itself.
    pub retries: u32,
    /// How often a value that stayed without answer when it was asked alone is asked once more,
    /// after all others.
    pub value_retries: u32,
    /// How long all of it may take.
    pub time_limit: Duration,
}

impl Get {
    pub fn new(oids: Vec<Oid>) -> Self {
        Self {
            oids,
            per_packet: 20,
            in_flight: PER_DEVICE,
            timeout: Duration::from_secs(5),
            retries: 2,
            value_retries: 0,
            time_limit: Duration::from_mins(4),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Value(Value),
    Missing(Missing),
    Fault(Fault),
}

/// One answer for each OID, in the order they were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Got {
    pub answers: Vec<Answer>,
}

impl Fleet {
    /// Fails as a whole only when nothing could be asked: the device cannot be reached, does not
    /// let us in, or it was called off.
    pub async fn get(
        &self,
        target: &Target,
        get: &Get,
        cancel: &CancellationToken,
    ) -> Result<Got, Fault> {
        let per_packet = get.per_packet.max(1);
        let Get { timeout, retries, in_flight, .. } = *get;
        let manner = Manner { timeout, retries, per_packet, in_flight: Some(in_flight) };
        let mut asking = Asking::new(get.oids.len(), per_packet, get.value_retries);
        let work = async {
            let talk = self.reach(target, manner, cancel).await?;
            match tokio::time::timeout(get.time_limit, ask_all(&talk, get, &mut asking)).await {
                // What was not reached in time says so value by value.
                Ok(Ok(())) | Err(_) => Ok(()),
                Ok(Err(fault)) => Err(self.note(talk.client.peer_addr(), fault)),
            }
        };
        unless(cancel, work).await?;
        Ok(Got { answers: asking.answers })
    }
}

async fn ask_all(talk: &Talk, get: &Get, asking: &mut Asking) -> Result<(), Fault> {
    let mut under_way = FuturesUnordered::new();
    loop {
        while under_way.len() < get.in_flight.max(1)
            && let Some(wanted) = asking.queue.pop_front()
        {
            under_way.push(ask(talk, &get.oids, wanted));
        }
        let Some(leaf) = under_way.next().await else { return Ok(()) };
        asking.take(leaf)?;
        if asking.silences >= SILENCES {
            return Ok(());
        }
    }
}

/// What one packet brought.
struct Leaf {
    answered: Vec<(usize, Answer)>,
    /// What it left open, and why.
    open: Vec<usize>,
    fault: Option<Fault>,
}

async fn ask(talk: &Talk, oids: &[Oid], wanted: Vec<usize>) -> Leaf {
    let _lane = talk.lane.enter().await;
    let names: Vec<_> = wanted.iter().map(|place| oids[*place].wire()).collect();
    let mut leaf = Leaf { answered: Vec::new(), open: Vec::new(), fault: None };
    match talk.client.get_many_chunks(&names) {
        Err(error) => leaf.fault = Some(Fault::from(&*error)),
        Ok(mut answers) => {
            while let Some(answer) = answers.next().await {
                match answer {
                    Ok(part) => {
                        let range = part.request_range;
                        let bindings = part.response.varbinds;
                        leaf.match_up(&wanted[range.clone()], &names[range], bindings);
                    }
                    Err(broken) => {
                        let blamed = blamed(&broken.source).and_then(|index| {
                            wanted.get(broken.failed_request_range.start + index)
                        });
                        if let Some(place) = blamed {
                            leaf.answered.push((*place, Answer::Missing(Missing::Object)));
                        }
                        leaf.fault = Some(talk.fault(&broken.source));
                    }
                }
            }
        }
    }
    let done: Vec<usize> = leaf.answered.iter().map(|(place, _)| *place).collect();
    leaf.open = wanted.into_iter().filter(|place| !done.contains(place)).collect();
    leaf
}

/// v1 answers nothing when one of many does not exist, and says which.
fn blamed(error: &Error) -> Option<usize> {
    match error.exchange_source() {
        Error::Snmp { status: ErrorStatus::NoSuchName, index, .. } => {
            usize::try_from(*index).ok()?.checked_sub(1)
        }
        _ => None,
    }
}

impl Leaf {
    /// By name, not by place: a device may answer in another order, or leave some out.
    fn match_up(&mut self, places: &[usize], names: &[async_snmp::Oid], bindings: Vec<VarBind>) {
        let mut taken = vec![false; names.len()];
        for (at, VarBind { oid, value, .. }) in bindings.into_iter().enumerate() {
            let same = |place: &usize| !taken[*place] && names[*place] == oid;
            let place = Some(at).filter(|at| *at < names.len() && same(at));
            let Some(place) = place.or_else(|| (0..names.len()).find(same)) else { continue };
            taken[place] = true;
            let answer = match Read::from(value) {
                Read::Value(value) => Answer::Value(value),
                Read::Missing(missing) => Answer::Missing(missing),
                Read::Unreadable => Answer::Fault(Fault::Decode),
            };
            self.answered.push((places[place], answer));
        }
    }
}

/// What is known and what is still to be asked.
struct Asking {
    answers: Vec<Answer>,
    queue: VecDeque<Vec<usize>>,
    silences: u32,
    value_retries: u32,
    /// How often a value was asked again alone.
    tries: HashMap<usize, u32>,
}

impl Asking {
    fn new(count: usize, per_packet: usize, value_retries: u32) -> Self {
        let places: Vec<usize> = (0..count).collect();
        Self {
            // What nobody comes to ask about was not answered in time.
            answers: vec![Answer::Fault(Fault::Timeout); count],
            queue: places.chunks(per_packet).map(<[usize]>::to_vec).collect(),
            silences: 0,
            value_retries,
            tries: HashMap::new(),
        }
    }

    /// Every round either answers something or asks about fewer values at once: it ends.
    fn take(&mut self, leaf: Leaf) -> Result<(), Fault> {
        let progress = !leaf.answered.is_empty();
        for (place, answer) in leaf.answered {
            self.answers[place] = answer;
        }
        let fault = leaf.fault.unwrap_or(Fault::Decode);
        match fault {
            Fault::Unreachable | Fault::Auth | Fault::Cancelled | Fault::Invalid
                if !leaf.open.is_empty() =>
            {
                return Err(fault);
            }
            // A value that was silent before says nothing about the device.
            Fault::Timeout if matches!(&leaf.open[..], [at] if self.tries.contains_key(at)) => {}
            Fault::Timeout if !progress && !leaf.open.is_empty() => self.silences += 1,
            _ => self.silences = 0,
        }
        match leaf.open.as_slice() {
            [] => {}
            [place] if !progress => {
                self.answers[*place] = Answer::Fault(fault);
                let tries = self.tries.entry(*place).or_default();
                let again = matches!(fault, Fault::Timeout | Fault::Decode | Fault::Refused { .. });
                if again && *tries < self.value_retries {
                    *tries += 1;
                    self.queue.push_back(vec![*place]);
                }
            }
            open if progress && fault == Fault::NoSuch => self.queue.push_back(open.to_vec()),
            [place] => self.queue.push_back(vec![*place]),
            open => {
                let (first, second) = open.split_at(open.len() / 2);
                self.queue.push_back(first.to_vec());
                self.queue.push_back(second.to_vec());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
