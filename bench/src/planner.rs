//! The pure rules over a queue nobody has ever seen.

use std::{hint::black_box, time::Instant};

use anyhow::{Context as _, Result};
use engine::Capacity;
use jiff::{SignedDuration, Timestamp, civil::time, tz::TimeZone};
use pedidos::{
    model::{Channel, Due, Intake, OrderId, PaymentState},
    policy::{PriorityPolicy, Unit},
    rules::{
        business_day::BusinessDay,
        intake::{Snapshot, Waiting, plan},
        projection::{Cooking, project},
    },
};

use crate::{
    report::{Limit, Report},
    sample::Sample,
};

const WAITING: i64 = 10_000;
const TIMES: usize = 100;

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let now: Timestamp = "2026-06-19T23:30:00Z".parse()?;
    let snapshot = snapshot(now)?;
    let cooking: Vec<_> = (1..=8)
        .map(|minute| Cooking {
            expected_finish: now + SignedDuration::from_mins(minute),
            effort: minute,
        })
        .collect();
    let sorting = sample(|| {
        let mut ids: Vec<_> =
            snapshot.waiting.iter().map(|waiting| (waiting.received_at, waiting.id)).collect();
        ids.sort_unstable();
        drop(black_box(ids));
    });
    let planned = sample(|| drop(black_box(plan(black_box(&snapshot), now))));
    let projected = sample(|| drop(black_box(project(black_box(&snapshot), &cooking, now))));
    // The median: a loop that only other programs interrupt has no tail of its own.
    for (what, sample, most) in [("plan over", &planned, 5.0), ("projection of", &projected, 50.0)]
    {
        let (figure, sorted) = (sample.percentile(50), sorting.percentile(50));
        let (ratio, tail) = (figure / sorted, sample.percentile(99));
        let note = format!("{ratio:.1} times sorting them ({sorted:.2} ms); p99 {tail:.2} ms");
        let what = format!("{what} {WAITING} waiting p50");
        report.line(what, figure, "ms", Limit::AtMost(most), note);
    }
    Ok(())
}

fn sample(mut work: impl FnMut()) -> Sample {
    let mut sample = Sample::default();
    for _ in 0..TIMES {
        let began = Instant::now();
        work();
        sample.push(began.elapsed());
    }
    sample
}

/// Seven of eight places taken; every third order scheduled, some held, some unpaid, in no order.
fn snapshot(now: Timestamp) -> Result<Snapshot> {
    let zone = TimeZone::get("America/Argentina/Buenos_Aires").context("the zone is known")?;
    let waiting = (0..WAITING).map(|number| {
        let age = number * 7_919 % WAITING;
        let promised = now + SignedDuration::from_mins(number % 120);
        Waiting {
            id: OrderId(number + 1),
            received_at: now - SignedDuration::from_secs(age),
            due: if number % 3 == 0 { Due::At(promised) } else { Due::AsSoonAsPossible },
            estimate_minutes: 10 + number % 4 * 5,
            intake: Intake::from_flag(number % 17 != 0),
            hold_reason: None,
            channel: if number % 5 == 0 { Channel::Web } else { Channel::Counter },
            payment_method: None,
            payment_state: PaymentState::Pending,
            effort: 1 + number % 9,
        }
    });
    Ok(Snapshot {
        capacity: Capacity::new(8, 7),
        unit: Unit::Orders,
        priority: PriorityPolicy::Strict,
        ageing_minutes: 15,
        paused: None,
        today: BusinessDay::containing(now, &zone, time(4, 0, 0, 0)),
        waiting: waiting.collect(),
    })
}
