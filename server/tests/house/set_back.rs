//! A clock that is set back two hours stops no tick of any application.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use host::{Clock, Context};
use jiff::{SignedDuration, Timestamp};
use testkit::{Setup, on_sqlite};

/// By the real clock a tick runs at least every thirty seconds; the rest is for a busy machine.
const AGAIN_WITHIN: Duration = Duration::from_secs(45);

fn runs(context: &Context) -> BTreeMap<&'static str, u64> {
    let ticks = context.apps.iter().flat_map(|app| app.ticks.iter());
    let ran = |name| context.tick_health(name).map_or(0, |health| health.runs);
    ticks.map(|tick| (tick.name, ran(tick.name))).collect()
}

/// Those that ran once more before long.
async fn run_again(context: &Context, wanted: usize) -> BTreeSet<&'static str> {
    let (began, before) = (Instant::now(), runs(context));
    let mut poll = tokio::time::interval(Duration::from_millis(100));
    loop {
        poll.tick().await;
        let now = runs(context);
        let ran: BTreeSet<_> =
            before.keys().copied().filter(|one| now[one] > before[one]).collect();
        if ran.len() >= wanted || began.elapsed() > AGAIN_WITHIN {
            return ran;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_set_back_two_hours_stops_no_tick_of_the_four() {
    on_sqlite(async |db| {
        let clock = Clock::wrong();
        let setup = Setup { clock: clock.clone(), ..Setup::at(Timestamp::now(), db) };
        let apps = vec![coordinador::app(), pedidos::app(), sam::app(), docproc::app()];
        let server = setup.prepare_all(apps).await.start().await;
        let context = server.context();
        // A few run only when they are woken, whatever the clock says.
        let usual = run_again(context, runs(context).len()).await;
        for app in ["coordinador", "pedidos", "sam", "docproc"] {
            assert!(usual.iter().any(|name| name.starts_with(app)), "{app} has ticks: {usual:?}");
        }
        clock.set_wrong(SignedDuration::from_hours(-2));
        let after = run_again(context, usual.len()).await;
        let stopped: Vec<_> = usual.difference(&after).collect();
        assert!(stopped.is_empty(), "stopped by a clock that was set back: {stopped:?}");
        server.stop().await;
    })
    .await;
}
