//! The ways state changes. Each opens one decision on the runners.

/// What is the same wherever things with a number and a version are edited: how one is found, and
/// what is said when it is not there.
macro_rules! editable {
    ($store:ident: $item:ident, $id:ident, $request:ident => $view:ident, $noun:literal,
     $code:literal, $es:literal, $en:literal) => {
        type Item = $item;
        type Role = crate::policy::Role;
        type Context = crate::Context;
        type Request = $request;
        type View = $view;
        const NOUN: &'static str = $noun;

        fn scope() -> db::Scope {
            crate::store::scope()
        }

        fn id(item: &$item) -> i64 {
            item.id.0
        }

        fn version(item: &$item) -> Option<i64> {
            Some(item.version)
        }

        fn missing(desk: &crate::Desk) -> web::Problem {
            host::unknown(desk.lang, $code, $es, $en)
        }

        async fn find(tx: &mut db::Tx, id: i64) -> Result<Option<$item>, db::Error> {
            $store::find(tx, $id(id)).await
        }
    };
}

pub mod aftermath;
pub mod alarms;
pub mod assignments;
pub mod balance;
pub mod calendars;
pub mod callback;
pub mod circuit;
pub mod demand;
pub mod deploy;
pub mod import;
pub mod launch;
pub mod mappings;
pub mod pools;
pub mod reconcile;
pub mod robots;
pub mod runners;
pub mod running;
pub mod runs;
pub mod schedules;
pub mod suspensions;
pub mod sweep;
pub mod sync;

use db::{Decision, Error, events::NewEvent, settings::Values};
use serde_json::Value as Json;

use crate::Context;

/// Tells everybody who listens.
pub fn emit(decision: &mut Decision, name: &'static str, subject: String, data: Json) {
    decision.emit(NewEvent { app: crate::NAME, name, subject: Some(subject), data });
}

/// Whoever a change of robots, runners, schedules or settings may concern looks again.
pub fn wake_all(decision: &mut Decision) {
    for tick in [launch::TICK, balance::TICK, reconcile::TICK, sync::TICK, sweep::TICK] {
        decision.wake(tick);
    }
}

/// The settings as they stand.
pub(crate) async fn settings(context: &Context) -> Result<Values, Error> {
    let mut tx = context.store.read().await?;
    context.settings.load(&mut tx, crate::NAME).await
}
