//! A ticket on paper: asked for in a decision, printed by an effect after its commit.

use db::{Decision, Error, effects::NewEffect};
use host::Context;

use super::Done;
use crate::{
    drivers::printer,
    model::OrderId,
    rules::{commands::Change, intake::Start},
    store::{self, policy, tickets},
};

/// There is no printer to send it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPrinter;

/// Sends a ticket to the kitchen's printer.
pub async fn print(context: &Context, ticket: i64) -> Result<Done<(), NoPrinter>, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    if policy::printer(&context.settings, &mut decision.tx).await?.address.is_none() {
        return Ok(Done::Refused(NoPrinter));
    }
    if tickets::find(&mut decision.tx, ticket).await?.is_none() {
        return Ok(Done::Missing);
    }
    queue(&mut decision, ticket).await?;
    decision.commit().await?;
    Ok(Done::Saved(()))
}

/// The printer took a ticket.
pub async fn printed(context: &Context, ticket: i64) -> Result<(), Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    tickets::printed(&mut decision, ticket).await?;
    decision.commit().await?;
    Ok(())
}

/// Whose ticket was opened or changed by what people asked for.
pub(super) fn opened(changes: &[Change]) -> Vec<OrderId> {
    let of = |change: &Change| match change {
        Change::OpenTicket { order } | Change::ReviseTicket { order, .. } => Some(*order),
        _ => None,
    };
    changes.iter().filter_map(of).collect()
}

/// Whose ticket was opened by the automation.
pub(super) fn started(starts: &[Start]) -> Vec<OrderId> {
    starts.iter().map(|start| start.order).collect()
}

/// Prints what was opened or changed, where the kitchen wants that.
pub(super) async fn by_itself(
    context: &Context,
    decision: &mut Decision,
    orders: &[OrderId],
) -> Result<(), Error> {
    if orders.is_empty() {
        return Ok(());
    }
    let printer = policy::printer(&context.settings, &mut decision.tx).await?;
    if !printer.by_itself || printer.address.is_none() {
        return Ok(());
    }
    for order in orders {
        if let Some((ticket, _)) = tickets::of_order(&mut decision.tx, *order).await? {
            queue(decision, ticket.id).await?;
        }
    }
    Ok(())
}

async fn queue(decision: &mut Decision, ticket: i64) -> Result<(), Error> {
    let (found, n) = (
        tickets::find(&mut decision.tx, ticket).await?,
        tickets::count_print(decision, ticket).await?,
    );
    // A change is news, not a copy.
    let copy = found.is_some_and(|(ticket, _)| ticket.prints >= ticket.revision);
    decision.effect(NewEffect {
        app: crate::NAME,
        kind: printer::KIND,
        key: format!("pedidos/imprimir/{ticket}/{n}"),
        payload: printer::payload(ticket, copy),
    });
    Ok(())
}
