//! The connection test: one question to a device, asked by a person. Nothing is changed.

use std::time::Duration;

use db::Error;
use snmp::{CancellationToken, Fault, Liveness};

use super::credential;
use crate::{
    Context,
    model::Olt,
    store::{olts, policy},
};

pub async fn probe(context: &Context, olt: &Olt) -> Result<Result<Liveness, Fault>, Error> {
    let mut tx = context.store.read().await?;
    let sealed = olts::sealed(&mut tx, olt.id).await?;
    let policy = policy::load(context, &mut tx).await?;
    drop(tx);
    let timeout = Duration::try_from(policy.snmp.timeout).unwrap_or_default();
    let asked = async {
        let target = credential::target(&context.options.vault, olt, &sealed);
        let target = target.ok_or(Fault::Invalid)?;
        let socket = context.runtime.socket().await;
        let socket = socket.map_err(|_| Fault::Unreachable)?;
        let cancel = CancellationToken::new();
        match socket.probe(&target, timeout, &cancel).await {
            Err(Fault::Timeout) if socket.introduces_itself(&target, timeout, &cancel).await => {
                Err(Fault::Auth)
            }
            answer => answer,
        }
    };
    let answer = asked.await;
    tracing::info!(olt = olt.id.0, answers = answer.is_ok(), "probed by hand");
    Ok(answer)
}
