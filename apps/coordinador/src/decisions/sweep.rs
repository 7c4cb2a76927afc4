//! Forgets what ended long ago.

use db::{Decision, Error, Slice, Tx};
use engine::Planned as _;
use host::Next;
use jiff::Timestamp;

use crate::{
    Context,
    rules::sweep::{self, Kept},
    store::{self, journal, olts, policy, runs},
};

pub const TICK: &str = "coordinador.limpieza";

struct History<'a>(&'a Context);

impl Slice for History<'_> {
    type Snapshot = Kept;
    type Change = Timestamp;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Kept, Error> {
        let ended = runs::oldest(tx).await?;
        let told = journal::oldest(tx).await?;
        Ok(Kept {
            oldest: ended.into_iter().chain(told).min(),
            works: olts::any(tx).await?,
            history: policy::load(self.0, tx).await?.history,
        })
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Kept,
        before: &Timestamp,
    ) -> Result<(), Error> {
        runs::forget(&mut decision.tx, *before).await?;
        journal::forget(&mut decision.tx, *before).await.map(drop)
    }
}

pub async fn tick(context: Context, now: Timestamp) -> Next {
    let history = History(&context);
    let kept = history.load(&mut context.store.read().await?, now).await?;
    let mut plan = sweep::plan(&kept, now);
    if !plan.changes().is_empty() {
        let mut decision = context.store.decide(&store::scope(), now).await?;
        plan = decision.plan(&history, |kept| sweep::plan(kept, now)).await?.plan;
        decision.commit().await?;
    }
    Ok(plan.next)
}
