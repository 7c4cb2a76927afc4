//! Takes messages from the queue, hands them out, records what came of them.
//!
//! One transaction does both: what finished is recorded and what follows is taken, so a busy
//! process commits once per batch, and an idle one not at all.

mod capacity;

use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use db::{Decision, Error};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{
    WORK, call,
    calls::Calls,
    job_queue::{JobQueue, Load},
    pace::Pace,
    read::Engines,
    worker::Worker,
};
use crate::{
    Context,
    decisions::{course, queue},
    drivers::broker::Permits,
    store::{
        jobs::{self, Job},
        messages::{self, Claim, Wanted},
        policy, queue_scope, scope,
    },
};

/// Woken after every round, for a manual clock that waits.
const ROUND: &str = "docproc.round";
/// The queue is polled at least this often: other processes put messages there too.
const POLL: Duration = Duration::from_secs(5);
/// Clocks of several machines differ: a message that is due so soon was meant by its delivery.
const SKEW: SignedDuration = SignedDuration::from_secs(5);
/// More finished jobs than this wait for the next transaction.
const BATCH: usize = 256;
/// How long a round that failed waits before the next one.
const RETRY_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause between two rounds.
const MAX_PAUSE: Duration = Duration::from_millis(10);
/// With so many messages in hand the pause is as long as the round took.
const FULL_PAUSE_AT: usize = 8;

/// Runs from start to shutdown.
pub async fn run(context: Context) {
    let takes = context.runtime.config.part.takes();
    if takes.as_ref().is_some_and(Vec::is_empty) {
        // Joins and gateways need no workers; the planner joins wherever findings arrive.
        context.stopping.cancelled().await;
        return;
    }
    let dispatcher = Dispatcher::new(&context, takes.unwrap_or_default());
    dispatcher.run().await;
}

/// A component, the messages of it that were taken, and how many deliveries found none.
type Spent = (&'static str, Vec<i64>, usize);

/// What a round took.
#[derive(Default)]
struct Taken {
    claims: Vec<Claim>,
    spent: Vec<Spent>,
    /// Whether there may be more messages to take.
    full: bool,
}

/// Whether a message of a component is due very soon by this machine's clock.
async fn soon(decision: &mut Decision, component: &str) -> Result<bool, Error> {
    let due = messages::next_due(&mut decision.tx, &[component]).await?;
    Ok(due.is_some_and(|due| due > decision.now && due <= decision.now + SKEW))
}

struct Dispatcher {
    context: Context,
    worker: String,
    /// Components whose messages are taken; empty: all.
    components: Vec<&'static str>,
    queue: Arc<JobQueue>,
    /// Jobs that workers and calls are through with.
    results: (UnboundedSender<Job>, UnboundedReceiver<Job>),
    threads: Vec<std::thread::JoinHandle<()>>,
    /// Messages that this process holds, by load.
    held: [usize; 3],
    /// The numbers of those messages.
    in_hand: HashSet<i64>,
    /// A commit was not answered: this process may be said to hold what it does not.
    unsure: bool,
    pace: Pace,
    calls: Calls,
    /// With a broker, its deliveries say what may be taken.
    permits: Option<Permits>,
}

impl Dispatcher {
    fn new(context: &Context, components: Vec<&'static str>) -> Self {
        let worker = context.process.name.clone();
        let (queue, results) = (Arc::new(JobQueue::default()), unbounded_channel());
        let config = &context.runtime.config;
        let mut dispatcher = Self {
            context: context.clone(),
            worker,
            components,
            queue,
            results,
            threads: Vec::new(),
            held: [0; 3],
            in_hand: HashSet::new(),
            unsure: false,
            pace: Pace::new(config.threads, config.prefetch),
            calls: Calls::default(),
            permits: None,
        };
        dispatcher.permits = Permits::open(context, &dispatcher.prefetch());
        dispatcher.start_workers();
        dispatcher
    }

    fn start_workers(&mut self) {
        // One more than the readers: routing, splitting and extracting never wait behind pictures.
        for n in 0..=self.context.runtime.config.threads.max(1) {
            let worker = Worker {
                context: self.context.clone(),
                queue: self.queue.clone(),
                results: self.results.0.clone(),
                engines: Engines::default(),
                quick_only: n == 0,
            };
            let hired = std::thread::Builder::new()
                .name(format!("docproc-{n}"))
                .spawn(move || worker.work());
            match hired {
                Ok(thread) => self.threads.push(thread),
                Err(error) => tracing::error!(%error, "no thread for a worker"),
            }
        }
    }

    async fn run(mut self) {
        let mut finished = Vec::new();
        let mut wakes = self.context.listen(WORK);
        let mut waits = false;
        loop {
            let began = Instant::now();
            let again = match self.round(&mut finished).await {
                Ok(full) => {
                    if std::mem::take(&mut waits) {
                        tracing::info!("messages go on: the database answers");
                    }
                    let now = self.context.clock.real().as_second();
                    self.context.runtime.status.looked.store(now, Ordering::Relaxed);
                    full
                }
                Err(error) => {
                    // Once per outage: until it is over there is nothing new to say.
                    if !std::mem::replace(&mut waits, true) {
                        tracing::warn!(%error, "messages wait: the database does not answer");
                    }
                    self.unsure |= matches!(error, Error::Unanswered(_));
                    tokio::time::sleep(RETRY_PAUSE).await;
                    true
                }
            };
            if self.context.clock.is_manual() {
                self.context.wake(ROUND);
            }
            // What a round costs hardly depends on how much it carries: after a pause as long as it
            // took, the next one finds more. With little to do nobody has to wait for that.
            let held = self.held.iter().sum::<usize>().min(FULL_PAUSE_AT) as u32;
            if held > 1 {
                let pause = began.elapsed().min(MAX_PAUSE) * held / FULL_PAUSE_AT as u32;
                tokio::time::sleep(pause).await;
            }
            if again && !self.context.stopping.is_cancelled() {
                continue;
            }
            let due = if finished.is_empty() { self.until_due().await } else { Duration::ZERO };
            let hangs = self.calls.until_hangs(self.pace.call_timeout());
            let wait = hangs.map_or(due, |hangs| due.min(hangs));
            let carried = self.is_carried();
            let arrival = async {
                match &mut self.permits {
                    Some(permits) => permits.arrive().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.context.stopping.cancelled() => break,
                // What the broker carries is also what wakes.
                Some(_) = wakes.next(), if !carried => {}
                () = arrival => {}
                () = tokio::time::sleep(wait) => {}
                job = self.results.1.recv() => finished.extend(job),
            }
        }
        self.leave(finished).await;
    }

    /// Records what finished and takes as much as there is room for. Answers whether there may be
    /// more to do at once.
    async fn round(&mut self, finished: &mut Vec<Job>) -> Result<bool, Error> {
        while finished.len() < BATCH
            && let Ok(job) = self.results.1.try_recv()
        {
            finished.push(job);
        }
        let mut held = self.held;
        for job in &*finished {
            held[Load::of(job) as usize] -= 1;
        }
        let carried = self.is_carried();
        self.make_way().await;
        self.hold_permits(carried);
        let wanted = if carried { self.permitted(held) } else { self.wanted(held) };
        let space: usize = wanted.iter().map(|(_, limit)| limit).sum();
        let (now, began) = (self.context.clock.now(), Instant::now());
        let idle = finished.is_empty() && !self.unsure;
        if idle && (space == 0 || !(carried || self.is_due(now).await?)) {
            return Ok(false);
        }
        let mut scopes: Vec<_> = finished.iter().map(|job| scope(&job.claim.request)).collect();
        scopes.dedup();
        let mut decision = self.context.store.decide_all(&scopes, now).await?;
        let policy = policy::load(&self.context.settings, &mut decision.tx).await?;
        let dead =
            course::record(&self.context, &mut decision, &self.worker, finished, &policy).await?;
        if self.context.clock.is_manual() && !finished.is_empty() {
            decision.wake(queue::TICK);
        }
        self.hold_queue(&mut decision, &wanted, finished.is_empty()).await?;
        let Taken { claims, full, spent } = self.take(&mut decision, wanted).await?;
        let jobs = jobs::load(
            &mut decision.tx,
            claims,
            &self.context.runtime.workflows,
            policy.thresholds,
        );
        let jobs = jobs.await?;
        if !jobs.is_empty() {
            self.context.runtime.memories.take_up(&mut decision.tx).await?;
        }
        decision.commit().await?;
        self.unsure = false;
        tracing::debug!(
            finished = finished.len(),
            taken = jobs.len(),
            took_ms = began.elapsed().as_secs_f64() * 1000.0,
            "round"
        );
        self.acknowledge(spent, finished, &dead).await;
        self.account(finished);
        self.follow_pace().await;
        for job in jobs {
            self.assign(job);
        }
        Ok(full)
    }

    /// Takes what is wanted and there. The caller holds the queue.
    async fn take(
        &self,
        decision: &mut Decision,
        wanted: Vec<(Wanted, usize)>,
    ) -> Result<Taken, Error> {
        if self.unsure {
            let held = self.in_hand.iter().copied();
            let messages = messages::disown(decision, &self.worker, held).await?;
            tracing::warn!(messages, "taken by a commit that was not answered; they are free");
        }
        let mut all = Taken::default();
        for (wanted, limit) in wanted {
            let taken = messages::claim(decision, &self.worker, wanted, limit).await?;
            all.full |= limit > 0 && taken.len() == limit;
            if let Wanted::Only(component) = wanted
                && limit > 0
            {
                let vain = limit - taken.len();
                let soon = vain > 0 && self.permits.is_some() && soon(decision, component).await?;
                let ids: Vec<i64> = taken.iter().map(|claim| claim.id).collect();
                all.spent.push((component, ids, if soon { 0 } else { vain }));
            }
            all.claims.extend(taken);
        }
        Ok(all)
    }

    fn account(&mut self, finished: &mut Vec<Job>) {
        for job in finished.drain(..) {
            let load = Load::of(&job);
            self.held[load as usize] -= 1;
            self.in_hand.remove(&job.claim.id);
            self.calls.end(job.claim.id);
            let took: Duration =
                job.findings.iter().filter_map(|one| one.ran).map(|ran| ran.took).sum();
            // A call without an answer says nothing of how long answers take.
            if load != Load::Call || job.trouble.is_none() {
                self.pace.took(load, took);
            }
        }
        self.context.runtime.status.in_hand.store(self.held.iter().sum(), Ordering::Relaxed);
    }

    fn assign(&mut self, mut job: Job) {
        let load = Load::of(&job);
        self.held[load as usize] += 1;
        self.in_hand.insert(job.claim.id);
        self.context.runtime.status.in_hand.store(self.held.iter().sum(), Ordering::Relaxed);
        let attempts = job.request.workflow.retry.attempts;
        if let Some(trouble) = course::deadly(&job.claim, attempts) {
            job.trouble = Some(trouble);
            let _ = self.results.0.send(job);
            return;
        }
        if load == Load::Call {
            let context = self.context.clone();
            let results = self.results.0.clone();
            self.calls.begin(job.claim.id);
            tokio::spawn(async move {
                let _ = results.send(call::perform(context, job).await);
            });
            return;
        }
        self.queue.put(job);
    }

    async fn is_due(&self, now: Timestamp) -> Result<bool, Error> {
        let mut tx = self.context.store.read().await?;
        let due = messages::next_due(&mut tx, &self.components).await?;
        Ok(due.is_some_and(|due| due <= now))
    }

    /// How long until a retry falls due; a look is taken before that anyway.
    async fn until_due(&self) -> Duration {
        let carried = self.is_carried();
        if carried && !self.permits.as_ref().is_some_and(Permits::any) {
            return POLL;
        }
        let Ok(mut tx) = self.context.store.read().await else { return POLL };
        let due = messages::next_due(&mut tx, &self.components).await.ok().flatten();
        let now = self.context.clock.now();
        let wait =
            due.map_or(POLL, |due| Duration::try_from(now.duration_until(due)).unwrap_or_default());
        if !wait.is_zero() {
            return wait.min(POLL);
        }
        // One that fell due while the round waited for its lock is looked at when its clock says
        // so; one that waits for a worker, when there is one.
        let kept = carried && !self.permitted(self.held).is_empty();
        if kept { MAX_PAUSE } else { POLL }
    }

    /// What is under way is finished and recorded; what nobody began goes back.
    async fn leave(mut self, mut finished: Vec<Job>) {
        let unbegun = self.queue.close().len();
        let held: usize = self.held.iter().sum();
        let mut under_way = held.saturating_sub(finished.len() + unbegun);
        while under_way > 0
            && let Some(job) = self.results.1.recv().await
        {
            finished.push(job);
            under_way -= 1;
        }
        let scopes: Vec<_> = finished.iter().map(|job| scope(&job.claim.request)).collect();
        let now = self.context.clock.now();
        let recorded = async {
            let mut decision = self.context.store.decide_all(&scopes, now).await?;
            let policy = policy::load(&self.context.settings, &mut decision.tx).await?;
            let worker = &self.worker;
            course::record(&self.context, &mut decision, worker, &finished, &policy).await?;
            decision.hold(&queue_scope()).await?;
            // What nobody began is free at once.
            messages::give_back(&mut decision, worker).await?;
            decision.wake(WORK);
            decision.commit().await.map(drop)
        };
        if let Err(error) = recorded.await {
            tracing::warn!(%error, "the last results were not recorded; they will be done again");
        }
        if let Some(mut permits) = self.permits {
            for job in &finished {
                permits.settle(job.claim.id, false).await;
            }
            permits.give_back().await;
        }
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

/// Waits until nothing is left to do at this instant of the business clock, in this process.
pub async fn idle(context: &Context) -> Result<(), Error> {
    if context.runtime.config.part.takes().is_some_and(|takes| takes.is_empty()) {
        return Ok(());
    }
    let mut rounds = context.listen(ROUND);
    loop {
        let mut tx = context.store.read().await?;
        let left = messages::left(&mut tx, context.clock.now(), &context.process.name).await?;
        drop(tx);
        if left == 0 {
            return Ok(());
        }
        context.wake(WORK);
        rounds.next().await;
    }
}
