//! Reads what the first page shows: what runs, what waits and why.

use std::collections::HashMap;

use axum::response::Response;
use engine::Sentence;
use host::{Console, Failure, TickHealth};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use web::{Lang, Page, Query, Tone};

use super::{Scene, render, scene};
use crate::{
    Context, Desk,
    decisions::{balance as balancer, launch as launcher, reconcile, sync},
    model::{PoolId, RunId, RunState, RunnerId},
    pages::{
        OverviewPage,
        gantt::{Bar, Gantt, Row},
        overview::{Counts, Part, PoolCard, Share, Trouble, Waiting},
        words::{self, Sign},
    },
    policy::{Action, can},
    rules::{
        analysis::{self, Critical, Delay, RunFact},
        balance::{self, Arithmetic, Balance},
        calendar, launch,
        reason::{Held, Reason},
        world::World,
    },
    store::{circuit, facts, runs},
};

/// Runners in the drawing, people in the queue, troubles of each kind.
const ROWS: usize = 60;
const WAITING: usize = 50;
const TROUBLES: usize = 8;
/// Letters of what was said of a failure.
const NOTE: usize = 160;
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// What teaches how long a robot takes.
const HISTORY: SignedDuration = SignedDuration::from_hours(24 * 15);
const RUNS: i64 = 20_000;
const SLOTS: usize = 40;

#[derive(Debug, Deserialize)]
pub(super) struct Looked {
    horas: Option<i64>,
}

pub(super) async fn show(
    desk: Desk,
    console: Console,
    Query(looked): Query<Looked>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Robots en marcha", "Robots at work"));
    let hours = looked.horas.unwrap_or(6).clamp(1, 24);
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let now = desk.now;
    let since = now.checked_sub(HISTORY).unwrap_or(Timestamp::MIN);
    let history = facts::between(&mut tx, since, Timestamp::MAX, RUNS).await?;
    let (synced, sync_error) = circuit::sync_state(&mut tx).await?;
    let failed = failures(&history, now);
    let shown = failed.iter().take(TROUBLES).map(|one| RunId(one.run));
    let said = runs::said(&mut tx, shown).await?;
    drop(tx);
    let world = &scene.snapshot.world;
    let plan = launch::plan(world, now);
    let troubles = troubles(&page, &scene, &history, (failed.as_slice(), &said), now);
    let (rows, hidden) = rows(&page, &scene, &history, hours, now);
    let (from, to) = Gantt::around(now, hours);
    let label = page.t("Equipos en el tiempo", "Runners over time").to_owned();
    let held: Vec<&Held> = plan.held.iter().filter(|held| waits(held)).collect();
    let shared = balance::plan(&scene.snapshot, now);
    let mut queue: Vec<Waiting> = held.iter().map(|held| waiting(&page, &scene, held)).collect();
    queue.extend(shared.robots.iter().filter_map(|sum| wanting(&page, &scene, sum, now)));
    let queued = queue.len();
    queue.truncate(WAITING);
    let view = OverviewPage {
        first: world.robots.is_empty() && world.runners.is_empty(),
        parts_of_sam: parts(&desk.context, &page, synced, sync_error.as_deref()),
        alarms: alarms(&page, world, now),
        resting: world.circuit.opened.as_ref().is_some_and(|opened| now < opened.until),
        counts: Counts {
            runners: world.runners.len() as i64,
            busy: world.live.len() as i64,
            maintenance: world.runners.values().filter(|one| !one.active).count() as i64,
            robots: world.robots.len() as i64,
            due: queued as i64,
            failures: failed.len() as i64,
        },
        gantt: Gantt { label, rows, from, to, now, zone: desk.context.zone.clone() },
        hours,
        hidden,
        queue,
        queued,
        pools: pools(&page, &scene, &shared, now),
        troubles,
        may_operate: can(desk.role, Action::Operate),
        page,
    };
    render(&desk, &view)
}

/// What holds everybody: a Control Room that is not set or fails, a pause.
fn alarms(page: &Page, world: &World, now: Timestamp) -> Vec<String> {
    let mut held = Vec::new();
    if !world.circuit.configured {
        held.push(Reason::NotConfigured);
    }
    if let Some(until) = world.policy.pause.holds_until(now, &world.policy.zone) {
        held.push(Reason::Paused { until });
    }
    if let Some(opened) = &world.circuit.opened {
        let (code, detail) = (opened.code.clone(), opened.detail.clone());
        held.push(Reason::CircuitOpen { code, detail, until: opened.until });
    }
    let told = held
        .into_iter()
        .map(|reason| page.lang.say(&reason.sentence(&world.policy.zone)).to_owned());
    told.collect()
}

fn parts(
    context: &Context,
    page: &Page,
    synced: Option<Timestamp>,
    sync_error: Option<&str>,
) -> Vec<Part> {
    let ticks = [
        (launcher::TICK, page.t("Lanzador", "Launcher")),
        (balancer::TICK, page.t("Balanceador", "Balancer")),
        (reconcile::TICK, page.t("Conciliador", "Reconciler")),
        (sync::TICK, page.t("Sincronización", "Sync")),
    ];
    ticks
        .into_iter()
        .map(|(tick, name)| {
            let health = context.tick_health(tick).unwrap_or_default();
            let own = sync_error.filter(|_| tick == sync::TICK);
            let error = health.last_error.as_deref().or(own);
            Part {
                name,
                sign: well(page, &health, error.is_some()),
                last: if tick == sync::TICK { synced } else { health.last_run },
                note: error.map(|error| page.lang.told(error)).unwrap_or_default(),
            }
        })
        .collect()
}

fn well(page: &Page, health: &TickHealth, failed: bool) -> Sign {
    match (failed, health.is_silent(page.now), health.last_run) {
        (true, ..) => Sign::new(page.t("falla", "failing"), Tone::Bad),
        (false, true, _) => Sign::new(page.t("en silencio", "silent"), Tone::Warn),
        (false, false, Some(_)) => Sign::new(page.t("bien", "well"), Tone::Good),
        (false, false, None) => Sign::new(page.t("aún no corrió", "not run yet"), Tone::Plain),
    }
}

/// Whoever runs on that very runner is not waiting for it.
fn waits(held: &Held) -> bool {
    !matches!(held.reason, Reason::Busy { robot, .. } if robot == held.robot)
}

fn waiting(page: &Page, scene: &Scene, held: &Held) -> Waiting {
    let told = held.reason.sentence(&scene.snapshot.world.policy.zone);
    Waiting {
        robot: held.robot.0,
        robot_name: scene.names.robot(held.robot),
        runner: Some((held.runner.0, scene.names.runner(held.runner))),
        code: held.reason.code(),
        sentence: page.lang.say(&told).to_owned(),
        until: held.reason.until(),
    }
}

/// A robot whose tickets ask for more runners than it has: what keeps them from it.
fn wanting(page: &Page, scene: &Scene, sum: &Arithmetic, now: Timestamp) -> Option<Waiting> {
    let (held, target) = (sum.before + sum.reserved, sum.target);
    let resting = balance::cooling(&scene.snapshot, sum.pool, now);
    let reason = match (sum.tickets, resting) {
        (None, _) => Reason::DemandUnknown,
        (Some(_), _) if held >= target => return None,
        (Some(_), Some(until)) => Reason::Cooling { until },
        (Some(_), None) => Reason::PoolFull { target, held: sum.after + sum.reserved },
    };
    let given = sum.after - sum.before;
    let sentence = match (sum.missing(), page.lang) {
        (0, _) if given == 1 => page
            .t(
                "El balanceador le da un equipo en su próxima pasada.",
                "The balancer gives it a runner when it looks next.",
            )
            .to_owned(),
        (0, Lang::Es) if given > 0 => {
            format!("El balanceador le da {given} equipos en su próxima pasada.")
        }
        (0, Lang::En) if given > 0 => {
            format!("The balancer gives it {given} runners when it looks next.")
        }
        _ => page.lang.say(&reason.sentence(&scene.snapshot.world.policy.zone)).to_owned(),
    };
    Some(Waiting {
        robot: sum.robot.0,
        robot_name: scene.names.robot(sum.robot),
        runner: None,
        code: if sum.missing() == 0 && given > 0 { "PROXIMO_BALANCEO" } else { reason.code() },
        sentence,
        until: reason.until(),
    })
}

fn rows(
    page: &Page,
    scene: &Scene,
    history: &[RunFact],
    hours: i64,
    now: Timestamp,
) -> (Vec<Row>, usize) {
    let (from, to) = Gantt::around(now, hours);
    let world = &scene.snapshot.world;
    let mut bars: HashMap<RunnerId, Vec<Bar>> = HashMap::new();
    for run in history.iter().filter(|run| run.finished_at.is_none_or(|end| end >= from)) {
        bars.entry(run.runner).or_default().push(bar(page, scene, run, now));
    }
    for (runner, bar) in ahead(page, scene, now, to) {
        bars.entry(runner).or_default().push(bar);
    }
    let mut runners: Vec<_> = world.runners.values().collect();
    // Those that do something come first when not all fit.
    runners.sort_by_key(|one| (!bars.contains_key(&one.id), one.name.clone()));
    let hidden = runners.len().saturating_sub(ROWS);
    runners.truncate(ROWS);
    runners.sort_by(|a, b| a.name.cmp(&b.name));
    let rows = runners.into_iter().map(|one| {
        let mut bars = bars.remove(&one.id).unwrap_or_default();
        bars.sort_by_key(|bar| bar.from);
        Row { name: one.name.clone(), href: format!("/sam/equipos/{}", one.id), bars }
    });
    (rows.collect(), hidden)
}

fn bar(page: &Page, scene: &Scene, run: &RunFact, now: Timestamp) -> Bar {
    let sign = words::state(page, run.state);
    let (from, to) = (run.claimed_at, run.finished_at.unwrap_or(now));
    let name = scene.names.robot(run.robot);
    let took = words::lapse(page, from, to);
    Bar {
        from,
        to,
        title: format!("{name}, {}, {}, {took}", sign.text, page.clock(from)),
        href: format!("/sam/ejecuciones/{}", run.run),
        tone: match run.state {
            RunState::Inferred => Tone::Warn,
            _ => sign.tone,
        },
        ahead: false,
    }
}

/// Slots that are still to come.
fn ahead(page: &Page, scene: &Scene, now: Timestamp, to: Timestamp) -> Vec<(RunnerId, Bar)> {
    let world = &scene.snapshot.world;
    let zone = &world.policy.zone;
    let mut found = Vec::new();
    for one in &world.assignments {
        let Some(schedule) = one.schedule.and_then(|id| world.schedules.get(&id)) else { continue };
        if !schedule.active {
            continue;
        }
        let slots = calendar::occurrences(schedule, world.holidays(schedule), zone, now, to);
        for slot in slots.into_iter().take(SLOTS) {
            let name = scene.names.robot(one.robot);
            let bar = Bar {
                from: slot.start,
                to: slot.until,
                title: format!("{name}, {}–{}", page.clock(slot.start), page.clock(slot.until)),
                href: format!("/sam/programaciones/{}", schedule.id),
                tone: Tone::Plain,
                ahead: true,
            };
            found.push((one.runner, bar));
        }
    }
    found
}

fn pools(page: &Page, scene: &Scene, plan: &Balance, now: Timestamp) -> Vec<PoolCard> {
    let own = scene.pools.iter().map(|pool| (Some(pool.id), pool.name.clone(), pool.active));
    let mut cards: Vec<PoolCard> =
        own.map(|(id, name, active)| card(scene, plan, (id, name, active), now)).collect();
    let apart = card(scene, plan, (None, page.t("Sin pool", "No pool").to_owned(), true), now);
    if !cards.is_empty() && (apart.runners > 0 || !apart.robots.is_empty()) {
        cards.push(apart);
    }
    cards
}

fn card(
    scene: &Scene,
    plan: &Balance,
    (id, name, active): (Option<PoolId>, String, bool),
    now: Timestamp,
) -> PoolCard {
    let world = &scene.snapshot.world;
    let runners: Vec<_> = world.runners.values().filter(|one| one.pool == id).collect();
    let robots = world.robots.values().filter(|one| one.pool == id).map(|robot| {
        let sum = plan.robots.iter().find(|sum| sum.robot == robot.id);
        Share {
            id: robot.id.0,
            name: robot.name.clone(),
            held: sum.map_or(0, |sum| sum.before + sum.reserved),
            target: sum.map_or(0, |sum| sum.target),
            tickets: match sum {
                Some(sum) => sum.tickets,
                None if robot.online => Some(0),
                None => None,
            },
            online: robot.online,
            active: robot.active,
        }
    });
    PoolCard {
        name,
        href: id.map_or_else(|| "/sam/pools".to_owned(), |id| format!("/sam/pools#pool-{id}")),
        active,
        runners: runners.len() as i64,
        busy: runners.iter().filter(|one| world.live.contains_key(&one.id)).count() as i64,
        cooling: balance::cooling(&scene.snapshot, id, now),
        robots: robots.collect(),
    }
}

fn failures(history: &[RunFact], now: Timestamp) -> Vec<Critical> {
    let since = now.checked_sub(DAY).unwrap_or(Timestamp::MIN);
    let lately = |run: &&RunFact| run.finished_at.is_some_and(|end| end >= since);
    let lately: Vec<RunFact> = history.iter().filter(lately).cloned().collect();
    analysis::failed(&lately, usize::MAX)
}

/// What ended badly comes with what was said of its end, by run.
fn troubles(
    page: &Page,
    scene: &Scene,
    history: &[RunFact],
    (failed, said): (&[Critical], &HashMap<RunId, String>),
    now: Timestamp,
) -> Vec<Trouble> {
    let live: Vec<RunFact> =
        history.iter().filter(|run| run.finished_at.is_none()).cloned().collect();
    let delayed = analysis::delayed(&live, history, &Delay::default(), now, TROUBLES);
    let orphaned = analysis::orphaned(&live, now, TROUBLES);
    let told = |one: &Critical, kind: Sign| Trouble {
        run: one.run,
        kind,
        robot: scene.names.robot(crate::model::RobotId(one.robot)),
        runner: scene.names.runner(RunnerId(one.runner)),
        since: one.since,
        note: match one.limit {
            None => words::state_word(page, one.state).text,
            Some(limit) => {
                let most = page.minutes(limit);
                format!("{} ({} {most})", page.minutes(one.minutes), page.t("máx.", "max."))
            }
        },
    };
    let late = || Sign::new(page.t("Demorada", "Delayed"), Tone::Warn);
    let orphan = || Sign::new(page.t("Huérfana", "Orphaned"), Tone::Warn);
    // The badge says how it ended; what A360 told of it, or why we think so, stands below.
    let fault = |one: &Critical| Trouble {
        note: said.get(&RunId(one.run)).map(|text| brief(page, text)).unwrap_or_default(),
        ..told(one, Sign::new(words::state_word(page, one.state).text, Tone::Bad))
    };
    let delayed = delayed.iter().map(|one| told(one, late()));
    let orphaned = orphaned.iter().map(|one| told(one, orphan()));
    let failed = failed.iter().take(TROUBLES).map(fault);
    delayed.chain(orphaned).chain(failed).collect()
}

/// As much of a message as a row of the list takes. What the Control Room said is in its language, and
/// says whose words they are.
fn brief(page: &Page, text: &str) -> String {
    let both = Sentence::told(text);
    let text = match page.lang.say(&both) {
        own if both.es != both.en => own.to_owned(),
        heard => format!("A360: {heard}"),
    };
    let mut shown: String = text.chars().take(NOTE).collect();
    if text.chars().nth(NOTE).is_some() {
        shown.push('…');
    }
    shown
}
