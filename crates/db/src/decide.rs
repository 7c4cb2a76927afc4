//! How state changes: load, plan, apply, publish, commit.

use std::sync::Arc;

use engine::Plan;
use jiff::Timestamp;

use crate::{
    Error, Scope, Store, Tx,
    audit::{self, Entry},
    database::Bells,
    effects::{self, NewEffect},
    events::{self, NewEvent},
};

/// The part of the state that one kind of decision looks at and changes.
pub trait Slice: Sync {
    type Snapshot: Send;
    type Change: Send + Sync;

    /// Reads all that the planner may look at.
    fn load(
        &self,
        tx: &mut Tx,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self::Snapshot, Error>> + Send;

    /// Writes one change, guarded by the state the planner saw, and records its events.
    fn apply(
        &self,
        decision: &mut Decision,
        snapshot: &Self::Snapshot,
        change: &Self::Change,
    ) -> impl Future<Output = Result<(), Error>> + Send;
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
    bells: Arc<Bells>,
}

/// What a commit made public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Sequence numbers of the events, in order.
    pub events: Vec<i64>,
    pub effects: Vec<i64>,
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
            bells: self.bells.clone(),
        })
    }
}

impl Decision {
    /// Holds one more scope until the end. Whoever holds several takes them in one order; the
    /// caller knows which.
    pub async fn hold(&mut self, scope: &Scope) -> Result<(), Error> {
        self.tx.lock(std::slice::from_ref(scope)).await
    }

    /// Runs a planner on a fresh snapshot and applies what it wants. The planner is synchronous:
    /// it cannot reach a database, a broker or a socket in the middle of a decision.
    pub async fn plan<S: Slice, Held>(
        &mut self,
        slice: &S,
        planner: impl FnOnce(&S::Snapshot) -> Plan<S::Change, Held>,
    ) -> Result<Plan<S::Change, Held>, Error> {
        let snapshot = slice.load(&mut self.tx, self.now).await?;
        let plan = planner(&snapshot);
        for change in &plan.changes {
            slice.apply(self, &snapshot, change).await?;
        }
        Ok(plan)
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
        for change in &changes {
            slice.apply(self, &snapshot, change).await?;
        }
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

    /// Publishes and commits everything at once.
    ///
    /// The outbox lock is taken last and by everyone, so sequence numbers follow commit order over
    /// all scopes: a reader that has seen number 7 never meets a 6 later.
    pub async fn commit(mut self) -> Result<Committed, Error> {
        let mut committed = Committed::default();
        if !(self.events.is_empty() && self.audit.is_empty()) {
            self.tx.lock(&[Scope::new("outbox")]).await?;
        }
        committed.events = events::append(&mut self.tx, &self.events, self.now).await?;
        for effect in &self.effects {
            committed.effects.extend(effects::append(&mut self.tx, effect, self.now).await?);
        }
        for entry in &self.audit {
            audit::append(&mut self.tx, entry, self.now).await?;
        }
        self.tx.commit().await?;
        if !committed.events.is_empty() {
            self.bells.events.notify_one();
        }
        if !committed.effects.is_empty() {
            self.bells.effects.notify_one();
        }
        Ok(committed)
    }
}
