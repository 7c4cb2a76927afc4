//! The kitchen as the intake planner sees it.

use db::{Decision, Error, Row, Slice, Tx};
use engine::Capacity;
use host::{By, Context};
use jiff::Timestamp;

use super::{
    changes,
    kitchen::{self, KitchenRow},
    orders, policy, rules,
};
use crate::{
    model::{Order, OrderState},
    policy::{Pause, Policy, PriorityPolicy},
    rules::{
        business_day::BusinessDay,
        commands::Kitchen,
        exceptions::is_leftover,
        intake::{Snapshot, Start, Waiting, bound},
        projection::Cooking,
        timetable::{self, Effective},
        used,
    },
};

/// The longest queue that a full look (why, projection) takes in.
const QUEUE: i64 = 10_000;

/// Everything about the kitchen except its queue, read in one transaction.
#[derive(Clone, Debug)]
pub struct KitchenView {
    pub policy: Policy,
    pub effective: Effective,
    pub capacity: Capacity,
    pub today: BusinessDay,
    /// The pause in force.
    pub pause: Option<Pause>,
    /// What stops automatic entry: the pause, or the setting.
    stopped: Option<Pause>,
    pub preparing: Vec<Order>,
    pub row: KitchenRow,
}

impl KitchenView {
    pub async fn load(context: &Context, tx: &mut Tx, now: Timestamp) -> Result<Self, Error> {
        let policy = policy::load(&context.settings, &context.zone, tx).await?;
        let base = super::advice::base_capacity(tx, &policy, now).await?;
        let timetable = rules::all(tx).await?;
        let effective = timetable::effective(&timetable, base, &policy.zone, now, policy.staff);
        let today = BusinessDay::containing(now, &policy.zone, policy.cutoff);
        let preparing = orders::in_state(tx, OrderState::Preparing).await?;
        let in_use = used::in_use(&preparing, policy.unit, &today, policy.stale_hours, now);
        let capacity = Capacity::new(effective.capacity, in_use);
        let row = kitchen::load(tx).await?;
        let pause = row.pause.clone().filter(|pause| pause.holds(now));
        let stopped = policy.stopped(row.pause.clone(), now);
        Ok(Self { policy, effective, capacity, today, pause, stopped, preparing, row })
    }

    /// After changes to orders: who cooks is read again, the rest cannot have changed. Unless the
    /// capacity follows the evidence, of which there may be more now.
    pub async fn refresh(
        &mut self,
        context: &Context,
        tx: &mut Tx,
        now: Timestamp,
    ) -> Result<(), Error> {
        if self.policy.apply_adaptive {
            *self = Self::load(context, tx, now).await?;
            return Ok(());
        }
        self.preparing = orders::in_state(tx, OrderState::Preparing).await?;
        let Policy { unit, stale_hours, .. } = self.policy;
        let in_use = used::in_use(&self.preparing, unit, &self.today, stale_hours, now);
        self.capacity = Capacity::new(self.effective.capacity, in_use);
        Ok(())
    }

    /// Who cooks, as far as they take a place: a leftover that somebody forgot does not.
    pub fn cooking(&self, now: Timestamp) -> Vec<Cooking> {
        let Policy { stale_hours, .. } = self.policy;
        let inside = |order: &&Order| used::occupies(order, &self.today, stale_hours, now);
        self.preparing.iter().filter(inside).filter_map(Cooking::of).collect()
    }

    /// The room in the kitchen, for commands.
    pub fn room(&self) -> Kitchen {
        Kitchen { capacity: self.capacity, unit: self.policy.unit }
    }

    /// A pause whose end has come and that nobody has taken away yet.
    pub fn expired(&self, now: Timestamp) -> Option<&Pause> {
        self.row.pause.as_ref().filter(|pause| !pause.holds(now))
    }

    /// Whether an order is a leftover of an earlier day, which has a list of its own.
    pub fn is_leftover(&self, order: &Order, now: Timestamp) -> bool {
        is_leftover(order, &self.today, self.policy.stale_hours, now)
    }

    /// Orders of this day that may be late.
    pub async fn overdue(&self, tx: &mut Tx, now: Timestamp) -> Result<Vec<Order>, Error> {
        let mut overdue = orders::overdue(tx, now).await?;
        overdue.retain(|order| !self.is_leftover(order, now));
        Ok(overdue)
    }

    fn snapshot(&self, waiting: Vec<Waiting>) -> Snapshot {
        Snapshot {
            capacity: self.capacity,
            unit: self.policy.unit,
            priority: self.policy.priority,
            ageing_minutes: self.policy.ageing_minutes,
            paused: self.stopped.clone(),
            today: self.today,
            waiting,
        }
    }

    /// With the whole queue, for those who ask why and when.
    pub async fn with_queue(&self, tx: &mut Tx) -> Result<Snapshot, Error> {
        let sql = "SELECT * FROM orders WHERE state = 'RECIBIDO' ORDER BY received_at, id LIMIT $1";
        let rows = tx.all(sql, &[QUEUE.into()]).await?;
        Ok(self.snapshot(rows.iter().map(waiting).collect::<Result<_, _>>()?))
    }
}

/// Which orders enter now. Loads only as much of the queue as could enter: see
/// [`crate::rules::intake::bound`].
#[derive(Debug)]
pub struct IntakeSlice<'a> {
    /// Read in the same transaction, after its last change.
    pub view: &'a KitchenView,
}

impl Slice for IntakeSlice<'_> {
    type Snapshot = Snapshot;
    type Change = Start;

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<Snapshot, Error> {
        let view = self.view;
        let limit = i64::from(bound(view.capacity));
        if limit == 0 || view.stopped.is_some() {
            return Ok(view.snapshot(Vec::new()));
        }
        let scheduled = match view.policy.priority {
            PriorityPolicy::Strict => SCHEDULED_BY_AGE,
            PriorityPolicy::Promise => SCHEDULED_BY_START,
        };
        let begins = view.today.begins;
        let mut rows = tx.all(WANTED_NOW, &[begins.into(), limit.into()]).await?;
        rows.extend(tx.all(scheduled, &[begins.into(), limit.into(), now.into()]).await?);
        Ok(view.snapshot(rows.iter().map(waiting).collect::<Result<_, _>>()?))
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Snapshot,
        start: &Start,
    ) -> Result<(), Error> {
        for change in start.changes() {
            changes::apply(decision, &By::system(crate::NAME), &change).await?;
        }
        Ok(())
    }
}

/// The gates of the planner that do not depend on time, in SQL, so that the head of the queue is made
/// of orders that can start. The planner checks them again.
macro_rules! startable {
    ($rest:literal) => {
        concat!(
            "SELECT * FROM orders WHERE state = 'RECIBIDO' AND automatic = TRUE
             AND NOT (channel = 'WEB' AND payment_state <> 'PAGADO'
             AND COALESCE(payment_method, '') IN ('MERCADOPAGO', 'TRANSFERENCIA')) AND ",
            $rest,
            " LIMIT $2"
        )
    };
}

const WANTED_NOW: &str =
    startable!("due_at IS NULL AND received_at >= $1 ORDER BY received_at, id");
const SCHEDULED_BY_AGE: &str =
    startable!("due_at >= $1 AND planned_start <= $3 ORDER BY received_at, id");
const SCHEDULED_BY_START: &str =
    startable!("due_at >= $1 AND planned_start <= $3 ORDER BY planned_start, received_at, id");

fn waiting(row: &Row) -> Result<Waiting, Error> {
    Ok(Waiting::from(&orders::order(row)?))
}

/// The next instant at which time alone may let someone in: a planned start or the end of a pause,
/// a change of the timetable, the end of the day.
pub async fn next_entry(
    tx: &mut Tx,
    view: &KitchenView,
    now: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(planned_start) AS at FROM orders
               WHERE state = 'RECIBIDO' AND automatic = TRUE AND planned_start > $1";
    let planned: Option<Timestamp> = tx.one(sql, &[now.into()]).await?.maybe("at")?;
    let timetable = rules::all(tx).await?;
    let staff = view.policy.staff;
    let zone = &view.policy.zone;
    let capacity = timetable::next_change(&timetable, view.policy.capacity, zone, now, staff);
    let resumes = view.pause.as_ref().and_then(|pause| pause.until);
    let candidates = [planned, capacity, resumes, Some(view.today.ends)];
    Ok(candidates.into_iter().flatten().filter(|at| *at > now).min())
}
