//! The kitchen's printer: ESC/POS over a raw TCP connection, as such printers listen on 9100.

use std::time::Duration;

use db::effects::Claimed;
use engine::Sentence;
use host::{Alert, Outcome, Severity};
use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use crate::{
    Context, decisions,
    model::{KitchenTicket, LineState, Mode, Order, TicketLine},
    rules::slip::{Mark, Slip, SlipLang, SlipLine, escpos},
    store::{orders, policy, tickets},
};

/// The kind of effect that prints a ticket.
pub const KIND: &str = "pedidos.imprimir";
/// The name of its silence among the alerts.
const SILENT: &str = "pedidos/impresora";
/// A printer that does not take a slip by then is off or out of paper.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Prints one slip. What is over by the time the printer answers is not printed any more.
pub async fn perform(context: Context, effect: Claimed) -> Outcome {
    let (Some(id), Some(copy)) =
        (effect.payload["comanda"].as_i64(), effect.payload["copia"].as_bool())
    else {
        return Outcome::Refused("the effect names no ticket".to_owned());
    };
    match print(&context, id, copy).await {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn print(context: &Context, id: i64, copy: bool) -> Result<Outcome, db::Error> {
    let mut tx = context.store.read().await?;
    let printer = policy::printer(&context.settings, &mut tx).await?;
    let Some((ticket, lines)) = tickets::find(&mut tx, id).await? else {
        return Ok(Outcome::Refused(format!("there is no ticket {id}")));
    };
    let Some(order) = orders::find(&mut tx, ticket.order).await? else {
        return Ok(Outcome::Refused(format!("ticket {id} has no order")));
    };
    drop(tx);
    let Some(address) = printer.address else {
        return Ok(Outcome::Refused("no printer is set".to_owned()));
    };
    if order.state.is_final() {
        return Ok(Outcome::Refused("the order is over".to_owned()));
    }
    let slip = slip(&ticket, &lines, &order, &context.zone, printer.lang, copy);
    let bytes = escpos(&slip, printer.columns);
    match tokio::time::timeout(TIMEOUT, send(&address, &bytes)).await {
        Ok(Ok(())) => {
            decisions::printed(context, id).await?;
            context.resolve(SILENT).await?;
            Ok(Outcome::Done)
        }
        Ok(Err(error)) => silent(context, &address, &error.to_string()).await,
        Err(_) => silent(context, &address, "no answer in time").await,
    }
}

/// Nobody cooks what was not printed: people are told at the first time, while it is tried again.
async fn silent(context: &Context, address: &str, why: &str) -> Result<Outcome, db::Error> {
    let title =
        Sentence::new("La impresora de cocina no imprime", "The kitchen's printer does not print");
    let detail = Sentence::new(
        format!("{address} no recibe las comandas; se sigue probando. En /cocina están todas."),
        format!("{address} takes no tickets; it is tried again. All of them are on /cocina."),
    );
    let alert = Alert::new(crate::NAME, SILENT, Severity::Critical, title, detail);
    context.raise(alert.shown_at("/cocina", "/ajustes/pedidos#impresora_comandas")).await?;
    Ok(Outcome::Failed(format!("{address}: {why}")))
}

async fn send(address: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut printer = TcpStream::connect(address).await?;
    printer.write_all(bytes).await?;
    // The printer has it all once it has seen the end.
    printer.shutdown().await
}

/// What stands on the paper of a ticket.
pub fn slip(
    ticket: &KitchenTicket,
    lines: &[TicketLine],
    order: &Order,
    zone: &TimeZone,
    lang: SlipLang,
    copy: bool,
) -> Slip {
    let clock = |at| zone.to_datetime(at).strftime("%H:%M").to_string();
    // What was voided long ago is no news; what this revision voided is.
    let shown = |line: &&TicketLine| {
        line.state != LineState::Voided || (ticket.revision > 1 && line.revision == ticket.revision)
    };
    Slip {
        order: order.id.0,
        lang,
        delivery: order.mode == Mode::Delivery,
        due: order.due.instant().map(clock),
        started: order.started_at.map(clock),
        revision: ticket.revision,
        copy,
        note: order.note.clone(),
        lines: lines.iter().filter(shown).map(|line| item(line, ticket.revision)).collect(),
    }
}

fn item(line: &TicketLine, revision: i64) -> SlipLine {
    SlipLine {
        quantity: line.quantity,
        name: line.name.clone(),
        extras: extras(line.extras.as_deref()),
        note: line.note.clone(),
        station: line.station.clone(),
        mark: Mark::of(line, revision),
    }
}

/// `Panceta x2`, of what clients send as *personalizaciones*.
fn extras(text: Option<&str>) -> Vec<String> {
    let parsed: Json = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let list = parsed["extras"].as_array().cloned().unwrap_or_default();
    let named = list.iter().filter_map(|extra| {
        let name = extra["nombre"].as_str()?;
        Some(match extra["cantidad"].as_i64() {
            Some(units) if units > 1 => format!("{name} x{units}"),
            _ => name.to_owned(),
        })
    });
    named.collect()
}

/// What an effect of this kind carries.
pub fn payload(ticket: i64, copy: bool) -> Json {
    json!({ "comanda": ticket, "copia": copy })
}
