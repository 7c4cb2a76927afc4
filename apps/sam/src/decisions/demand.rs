//! Pending tickets are written down: those that were asked for, and those that were pushed.

use std::collections::BTreeMap;

use db::{Error, settings::Values};
use host::Failure;
use jiff::Timestamp;
use web::{Lang, Problem};

use super::alarms;
use crate::{
    Context, Desk,
    drivers::tickets::{self, Answer},
    model::RobotId,
    store::{self, demand, demand::Told, mappings},
};

/// Asks every provider that is configured and writes down what each said.
pub async fn sample(context: &Context, values: &Values, now: Timestamp) -> Result<(), Error> {
    for (provider, answer) in tickets::ask(values).await? {
        take(context, provider, answer, now).await?;
    }
    Ok(())
}

async fn take(
    context: &Context,
    provider: &str,
    answer: Answer,
    now: Timestamp,
) -> Result<(), Error> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(reason) => {
            tracing::warn!(provider, reason, "a ticket provider failed: its demand is unknown");
            let mut decision = context.store.decide(&store::scope(), now).await?;
            demand::failed(&mut decision.tx, provider, now).await?;
            decision.commit().await?;
            return alarms::provider_failed(context, provider, &reason).await;
        }
    };
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let mut told: BTreeMap<RobotId, i64> = BTreeMap::new();
    for (name, pending) in answer {
        if let Some(robot) = mappings::resolve(&mut decision.tx, provider, &name).await? {
            *told.entry(robot).or_default() += pending;
        } else {
            tracing::warn!(provider, name, "tickets of a robot that nobody knows");
        }
    }
    let told: Vec<Told> = told
        .into_iter()
        .map(|(robot, pending)| Told { provider: provider.into(), robot, pending: Some(pending) })
        .collect();
    demand::replace(&mut decision.tx, provider, &told, now).await?;
    decision.commit().await?;
    alarms::provider_well(context, provider).await
}

/// One line of a push: provider, robot by its name or the provider's, and pending tickets.
#[derive(Debug)]
pub struct Pushed<'a> {
    pub provider: &'a str,
    pub robot: &'a str,
    pub pending: Option<i64>,
}

/// Takes what a provider pushed: all of it, or nothing.
pub async fn push(desk: &Desk, pushed: &[Pushed<'_>]) -> Result<(), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    // Said twice in one push: the last word counts.
    let mut told: BTreeMap<(&str, RobotId), Option<i64>> = BTreeMap::new();
    for one in pushed {
        let robot = mappings::resolve(&mut decision.tx, one.provider, one.robot).await?;
        let robot = robot.ok_or_else(|| unmapped(desk, one.robot))?;
        told.insert((one.provider, robot), one.pending);
    }
    let told: Vec<_> = told
        .into_iter()
        .map(|((provider, robot), pending)| Told { provider: provider.into(), robot, pending })
        .collect();
    demand::put(&mut decision.tx, &told, desk.now).await?;
    decision.commit().await?;
    Ok(())
}

fn unmapped(desk: &Desk, name: &str) -> Problem {
    Problem::not_found("ROBOT_SIN_MAPEO").lang(desk.lang).detail(match desk.lang {
        Lang::Es => format!("Nadie conoce al robot «{name}»; no se tomó nada."),
        Lang::En => format!("Nobody knows the robot “{name}”; nothing was taken."),
    })
}
