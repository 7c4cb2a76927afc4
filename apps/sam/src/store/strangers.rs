//! Bots on runners of ours that somebody else started.

use std::collections::BTreeMap;

use db::{Error, Tx};
use jiff::Timestamp;

use crate::{model::RunnerId, rules::reconcile::Stranger};

pub async fn all(tx: &mut Tx) -> Result<BTreeMap<RunnerId, Stranger>, Error> {
    let rows = tx.all("SELECT runner_id, deployment_id, bot FROM strangers", &[]).await?;
    rows.iter()
        .map(|row| {
            let (deployment, bot) = (row.get("deployment_id")?, row.get("bot")?);
            Ok((RunnerId(row.get("runner_id")?), Stranger { deployment, bot }))
        })
        .collect()
}

pub async fn put(
    tx: &mut Tx,
    runner: RunnerId,
    one: &Stranger,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO strangers (runner_id, deployment_id, bot, since) VALUES ($1, $2, $3, $4)
               ON CONFLICT (runner_id) DO UPDATE SET deployment_id = excluded.deployment_id,
                 bot = excluded.bot, since = excluded.since";
    let args = [runner.into(), one.deployment.as_str().into(), one.bot.as_str().into(), now.into()];
    tx.execute(sql, &args).await.map(drop)
}

pub async fn gone(tx: &mut Tx, runner: RunnerId) -> Result<(), Error> {
    tx.execute("DELETE FROM strangers WHERE runner_id = $1", &[runner.into()]).await.map(drop)
}
