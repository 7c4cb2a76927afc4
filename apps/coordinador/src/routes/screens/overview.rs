//! Gathers what the page of what is at work shows.

use engine::Word as _;
use std::{cmp::Reverse, collections::HashMap};

use axum::response::Response;
use host::{Console, Failure};
use jiff::{SignedDuration, Timestamp};
use web::{
    Page, Tone,
    svg::{Bar, Bars, Meter, Unit},
};

use super::{Desk, event, names_of, render};
use crate::{
    model::{JobType, Run, RunState},
    pages::{
        overview::{Counts, OverviewPage},
        words,
    },
    policy::{Action, Limits, TestMode},
    routes::plan,
    store::{
        journal::{self, Level},
        nodes, olts, policy, runs,
        world::{self, Used},
    },
};

/// Lines of each list.
const SHOWN: usize = 10;
const MINUTES: i64 = 60;
const HOUR: SignedDuration = SignedDuration::from_hours(1);

pub(super) async fn show(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Coordinador en marcha", "Coordinador at work"));
    let now = desk.now;
    let fit = plan::fit(&desk.context).await?;
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    let ahead = plan::soon(&mut tx, &policy, MINUTES, now).await?;
    let overflow = world::overflowing(&mut tx).await?;
    let quotas = world::used_quotas(&mut tx, &policy.quota, now).await?;
    let live = runs::live(&mut tx).await?;
    let hour_ago = now.checked_sub(HOUR).unwrap_or(Timestamp::MIN);
    let started = runs::starts_since(&mut tx, hour_ago).await?;
    let late = lateness(runs::lateness_since(&mut tx, hour_ago).await?);
    let (dead, slow) = olts::troubled(&mut tx, SHOWN as i64).await?;
    let told = journal::latest(&mut tx, Level::Debug, SHOWN as i64).await?;
    let (nodes, first) = (nodes::masters(&mut tx).await?, !olts::any(&mut tx).await?);
    let near = near(quotas.clone());
    let about = near.iter().map(|quota| quota.node);
    let about = about.chain(told.iter().filter_map(|kept| kept.node)).collect();
    let names = names_of(&mut tx, about, told.iter().filter_map(|kept| kept.olt)).await?;
    drop(tx);
    let full = near.iter().map(|quota| {
        let used = words::used(&page, quota.usage, &policy.quota, quota.pressed);
        (quota.node.0, names.node(quota.node), used)
    });
    let pressed =
        |percent: u32| quotas.iter().any(|quota| quota.pressed && quota.usage.percent() >= percent);
    let cap = ahead.maximo_por_minuto;
    let over = ahead.minutos.iter().filter(|minute| minute.ejecuciones > cap as usize);
    let response = |us: i64| format!("{}\u{a0}ms", page.decimal(us as f64 / 1_000.0, 1));
    let view = OverviewPage {
        first,
        rehearsal: match policy.test_mode {
            TestMode::Off => None,
            TestMode::On { duration, success_percent } => Some((duration, success_percent)),
        },
        counts: Counts {
            started: started.len() as i64,
            nodes,
            warned: at_least(&quotas, 80),
            full: at_least(&quotas, 100),
            pressed: [pressed(80), pressed(100)],
            pending: of_state(&live, RunState::Pending),
            running: of_state(&live, RunState::Running),
            late,
        },
        starts: starts(&page, &started, cap, now),
        running: running(&page, &live, &policy.limits),
        fit,
        collisions: over.map(|one| (page.clock(one.minuto), one.ejecuciones)).collect(),
        overflow: usize::try_from(overflow).unwrap_or(0),
        full: full.collect(),
        slow: slow.into_iter().map(|(olt, us)| (olt, response(us))).collect(),
        dead: dead.into_iter().filter_map(|olt| Some((olt.backoff?, olt))).collect(),
        events: told.iter().map(|kept| event(&page, &names, kept)).collect(),
        page,
    };
    render(&desk, &view)
}

fn at_least(quotas: &[Used], percent: u32) -> i64 {
    quotas.iter().filter(|quota| quota.usage.percent() >= percent).count() as i64
}

fn of_state(live: &[Run], state: RunState) -> i64 {
    live.iter().filter(|run| run.state == state).count() as i64
}

/// Half begin no later than the first, 99 of 100 no later than the second.
fn lateness(mut late: Vec<SignedDuration>) -> Option<(SignedDuration, SignedDuration)> {
    late.sort_unstable();
    let at = |percent: usize| late.get(((late.len() * percent).div_ceil(100)).saturating_sub(1));
    Some((*at(50)?, *at(99)?))
}

/// Starts of the last sixty clock minutes, this one included.
fn starts(page: &Page, started: &[Timestamp], cap: u32, now: Timestamp) -> Bars {
    let mut counts: HashMap<i64, u32> = HashMap::new();
    for at in started {
        *counts.entry(at.as_second().div_euclid(60)).or_default() += 1;
    }
    let last = now.as_second().div_euclid(60);
    let bars = (last - MINUTES + 1..=last).map(|minute| {
        let count = counts.get(&minute).copied().unwrap_or(0);
        Bar {
            label: page.clock(Timestamp::from_second(minute * 60).unwrap_or(now)),
            value: f64::from(count),
            text: count.to_string(),
            tone: match count {
                count if count > cap => Tone::Bad,
                count if count == cap => Tone::Warn,
                _ => Tone::Info,
            },
        }
    });
    let label = page.t("Ejecuciones por minuto", "Runs per minute");
    let most = format!("{} {cap}", page.t("máximo", "at most"));
    Bars::new(label, Unit::Count, bars.collect()).limit(f64::from(cap), most)
}

fn running(page: &Page, live: &[Run], limits: &Limits) -> Vec<Meter> {
    let on = live.iter().filter(|run| run.state == RunState::Running);
    let of = |job: JobType| on.clone().filter(|run| run.job == job).count() as i64;
    let mut meters: Vec<Meter> = JobType::ALL
        .iter()
        .map(|job| Meter {
            label: words::job(page, *job).to_owned(),
            used: of(*job),
            limit: i64::from(limits.of(*job)),
        })
        .collect();
    meters.push(Meter {
        label: page.t("Total", "Total").to_owned(),
        used: on.count() as i64,
        limit: i64::from(limits.total),
    });
    meters
}

/// Those that used the most; who goes faster than its pace before all others.
fn near(mut quotas: Vec<Used>) -> Vec<Used> {
    quotas.retain(|quota| quota.usage.percent() >= 80);
    quotas.sort_by_key(|quota| (!quota.pressed, Reverse(quota.usage.percent()), quota.node));
    quotas.truncate(SHOWN);
    quotas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_taken_from_what_was_measured() {
        assert_eq!(lateness(Vec::new()), None);
        let seconds = |n| SignedDuration::from_secs(n);
        assert_eq!(lateness(vec![seconds(3)]), Some((seconds(3), seconds(3))));
        let hundred = (1..=100).rev().map(seconds).collect();
        assert_eq!(lateness(hundred), Some((seconds(50), seconds(99))));
    }
}
