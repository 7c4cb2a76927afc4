//! How state changes: load, plan, apply, publish, commit.

use std::fmt;

use engine::Planned;
use jiff::Timestamp;

use crate::{
    Error, Hold, Scope, Store, Tx,
    audit::{self, Entry},
    database::Told,
    effects::{self, NewEffect},
    events::{self, NewEvent},
};

/// The part of the state that one kind of decision looks at and changes.
pub trait Slice: Sync {
    type Snapshot: Send + Sync;
    type Change: Send + Sync;

    /// Reads all that the planner may look at.
    fn load(
        &self,
        tx: &mut Tx,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self::Snapshot, Error>> + Send;

    /// Writes one change, guarded by the state the planner saw, and records its events. A slice that
    /// writes many at once has [`Slice::apply_all`] instead.
    fn apply(
        &self,
        _decision: &mut Decision,
        _snapshot: &Self::Snapshot,
        _change: &Self::Change,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        async { Err(Error::corrupt("this slice does not write its changes one by one")) }
    }

    /// Writes all changes of a plan: one after another, unless the slice can write many at once.
    fn apply_all(
        &self,
        decision: &mut Decision,
        snapshot: &Self::Snapshot,
        changes: &[Self::Change],
    ) -> impl Future<Output = Result<(), Error>> + Send {
        async move {
            for change in changes {
                self.apply(decision, snapshot, change).await?;
            }
            Ok(())
        }
    }
}

/// What was decided, and the state it was decided on, both read under the lock.
#[derive(Debug)]
pub struct Decided<Snapshot, Plan> {
    pub snapshot: Snapshot,
    pub plan: Plan,
}

/// An open decision: it holds its scope, and nothing of it is visible until [`Decision::commit`].
/// Dropped, it leaves no trace.
#[derive(Debug)]
pub struct Decision {
    pub tx: Tx,
    pub now: Timestamp,
    events: Vec<NewEvent>,
    effects: Vec<NewEffect>,
    audit: Vec<Entry>,
    wakes: Vec<&'static str>,
    notes: Vec<Note>,
    told: Told,
    then: Then,
}

/// What this process does once a decision is committed.
#[derive(Default)]
struct Then(Vec<Box<dyn FnOnce() + Send + Sync>>);

impl fmt::Debug for Then {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Then({})", self.0.len())
    }
}

/// What a commit made public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Sequence numbers of the events, in order.
    pub events: Vec<i64>,
    pub effects: Vec<i64>,
    /// Who is to be woken: ticks and workers by name, each once.
    pub wakes: Vec<&'static str>,
    /// What only this process is told.
    pub notes: Vec<Note>,
}

/// A word to whoever in this process has to go on with what was committed. It is lost with the
/// process: what must not be lost is also found in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub topic: &'static str,
    /// What the listener knows it by.
    pub text: String,
}

impl Store {
    /// Opens a write transaction that holds `scope`.
    pub async fn decide(&self, scope: &Scope, now: Timestamp) -> Result<Decision, Error> {
        self.decide_all(std::slice::from_ref(scope), now).await
    }

    /// Opens a write transaction that holds several scopes. Everyone takes them in one order, so
    /// two decisions that share some of them wait for each other instead of dying together.
    pub async fn decide_all(&self, scopes: &[Scope], now: Timestamp) -> Result<Decision, Error> {
        Ok(Decision {
            tx: self.write(scopes).await?,
            now,
            events: Vec::new(),
            effects: Vec::new(),
            audit: Vec::new(),
            wakes: Vec::new(),
            notes: Vec::new(),
            told: self.told.clone(),
            then: Then::default(),
        })
    }
}

impl Decision {
    /// Holds one more scope until the end. Whoever holds several takes them in one order; the
    /// caller knows which.
    pub async fn hold(&mut self, scope: &Scope) -> Result<(), Error> {
        self.tx.lock(std::slice::from_ref(scope)).await
    }

    /// The same for a part of a scope, or for a decision that may be lost.
    pub async fn hold_as(&mut self, hold: Hold<'_>) -> Result<(), Error> {
        self.tx.hold(hold).await
    }

    /// Runs a planner on a fresh snapshot and applies what it wants. The planner is synchronous:
    /// it cannot reach a database, a broker or a socket in the middle of a decision.
    ///
    /// The snapshot comes back with the plan, so that nothing afterwards is computed from what was
    /// read before the lock.
    pub async fn plan<S: Slice, P: Planned<Change = S::Change>>(
        &mut self,
        slice: &S,
        planner: impl FnOnce(&S::Snapshot) -> P,
    ) -> Result<Decided<S::Snapshot, P>, Error> {
        let snapshot = slice.load(&mut self.tx, self.now).await?;
        let plan = planner(&snapshot);
        slice.apply_all(self, &snapshot, plan.changes()).await?;
        Ok(Decided { snapshot, plan })
    }

    /// Runs a person's command, which the rules may refuse. A refusal changes nothing.
    pub async fn command<S: Slice, Refusal>(
        &mut self,
        slice: &S,
        planner: impl FnOnce(&S::Snapshot) -> Result<Vec<S::Change>, Refusal>,
    ) -> Result<Result<Vec<S::Change>, Refusal>, Error> {
        let snapshot = slice.load(&mut self.tx, self.now).await?;
        let changes = match planner(&snapshot) {
            Ok(changes) => changes,
            Err(refusal) => return Ok(Err(refusal)),
        };
        slice.apply_all(self, &snapshot, &changes).await?;
        Ok(Ok(changes))
    }

    pub fn emit(&mut self, event: NewEvent) {
        self.events.push(event);
    }

    pub fn effect(&mut self, effect: NewEffect) {
        self.effects.push(effect);
    }

    pub fn audit(&mut self, entry: Entry) {
        self.audit.push(entry);
    }

    /// Wakes a tick or a worker, here and in other processes, once this is committed.
    pub fn wake(&mut self, whom: &'static str) {
        if !self.wakes.contains(&whom) {
            self.wakes.push(whom);
        }
    }

    /// Tells whoever in this process listens to commits, once this is one.
    pub fn note(&mut self, topic: &'static str, text: String) {
        self.notes.push(Note { topic, text });
    }

    /// Does something in this process once this is committed, such as letting go of what it ended.
    pub fn then(&mut self, act: impl FnOnce() + Send + Sync + 'static) {
        self.then.0.push(Box::new(act));
    }

    /// Publishes and commits everything at once.
    ///
    /// The outbox lock is taken last and by everyone, so sequence numbers follow commit order over
    /// all scopes: a reader that has seen number 7 never meets a 6 later.
    pub async fn commit(mut self) -> Result<Committed, Error> {
        let mut committed =
            Committed { wakes: self.wakes, notes: self.notes, ..Committed::default() };
        if !(self.events.is_empty() && self.audit.is_empty()) {
            self.tx.lock(&[Scope::new("outbox")]).await?;
        }
        committed.events = events::append(&mut self.tx, &self.events, self.now).await?;
        for effect in &self.effects {
            committed.effects.extend(effects::append(&mut self.tx, effect, self.now).await?);
        }
        audit::append(&mut self.tx, &self.audit, self.now).await?;
        self.tx.commit().await?;
        self.then.0.into_iter().for_each(|act| act());
        self.told.tell(&committed);
        Ok(committed)
    }
}
