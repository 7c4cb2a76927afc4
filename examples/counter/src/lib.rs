//! A queue at a counter: people take tickets, windows open, the oldest is called to each free window.
//! A whole application, as small as one can be; `docs/adding-an-application.md` walks through it.

pub mod routes;
pub mod rules;
pub mod store;

use db::{Decided, Error, Slice as _};
use engine::Planned as _;
use host::{App, Context, Next, Role, Tick};
use jiff::Timestamp;

pub const NAME: &str = "counter";
const TICK: &str = "counter.calls";

/// Every change of state: `change` first, then whoever can be called is called, in one commit.
pub(crate) async fn decide<T>(
    context: &Context,
    change: impl AsyncFnOnce(&mut db::Tx) -> Result<T, Error>,
) -> Result<T, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let done = change(&mut decision.tx).await?;
    let Decided { plan, .. } =
        decision.plan(&store::Counter, |snapshot| rules::plan(snapshot, now)).await?;
    if !plan.changes().is_empty() {
        decision.wake(TICK);
    }
    decision.commit().await?;
    Ok(done)
}

/// Looks first and decides only when somebody did not come; says when to look again.
async fn tick(context: Context, now: Timestamp) -> Next {
    let look = async || store::Counter.load(&mut context.store.read().await?, now).await;
    if !rules::plan(&look().await?, now).is_settled() {
        decide(&context, async |_| Ok(())).await?;
    }
    Ok(rules::next(&look().await?))
}

/// The application, ready to plug into the host.
pub fn app() -> App {
    App {
        name: NAME,
        title: ("Ventanilla", "Counter"),
        migrations: store::MIGRATIONS,
        roles: &[Role { word: "ADMIN", title: ("Administración", "Administrator") }],
        routes: Box::new(|_| routes::all()),
        ticks: vec![Tick::new(TICK, tick)],
        ..App::default()
    }
}
