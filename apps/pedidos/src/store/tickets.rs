//! *Comandas* in the database: their lines, revisions and what the cook has bumped.

use db::{Decision, Error, Row, Tx};
use engine::Word as _;

use super::{events, orders};
use crate::{
    model::{KitchenTicket, LineState, OrderId, OrderState, TicketLine},
    rules::{
        commands::Bump,
        revise::{self, Revision},
    },
};

pub async fn of_order(
    tx: &mut Tx,
    order: OrderId,
) -> Result<Option<(KitchenTicket, Vec<TicketLine>)>, Error> {
    let sql = "SELECT * FROM tickets WHERE order_id = $1";
    let Some(row) = tx.optional(sql, &[order.0.into()]).await? else { return Ok(None) };
    with_lines(tx, &row).await.map(Some)
}

pub async fn find(tx: &mut Tx, id: i64) -> Result<Option<(KitchenTicket, Vec<TicketLine>)>, Error> {
    let sql = "SELECT * FROM tickets WHERE id = $1";
    let Some(row) = tx.optional(sql, &[id.into()]).await? else { return Ok(None) };
    with_lines(tx, &row).await.map(Some)
}

/// The tickets whose order is in `state`, from after `cursor` on. In preparation, the first to be due
/// first; otherwise the latest first, because those are the ones a cook wants back.
pub async fn in_state(
    tx: &mut Tx,
    state: OrderState,
    cursor: Option<i64>,
    limit: i64,
) -> Result<Vec<(KitchenTicket, Vec<TicketLine>)>, Error> {
    let sql = match state {
        OrderState::Preparing => {
            "SELECT t.* FROM tickets t JOIN orders o ON o.id = t.order_id WHERE o.state = $1
             AND ($2 IS NULL OR (o.expected_finish, t.id) >
                 (SELECT c.expected_finish, d.id FROM tickets d JOIN orders c ON c.id = d.order_id
                  WHERE d.id = $2))
             ORDER BY o.expected_finish, t.id LIMIT $3"
        }
        _ => {
            "SELECT t.* FROM tickets t JOIN orders o ON o.id = t.order_id WHERE o.state = $1
             AND ($2 IS NULL OR (COALESCE(o.ready_at, t.opened_at), t.id) <
                 (SELECT COALESCE(c.ready_at, d.opened_at), d.id FROM tickets d
                  JOIN orders c ON c.id = d.order_id WHERE d.id = $2))
             ORDER BY COALESCE(o.ready_at, t.opened_at) DESC, t.id DESC LIMIT $3"
        }
    };
    let mut found = Vec::new();
    for row in tx.all(sql, &[state.word().into(), cursor.into(), limit.into()]).await? {
        found.push(with_lines(tx, &row).await?);
    }
    Ok(found)
}

async fn with_lines(tx: &mut Tx, row: &Row) -> Result<(KitchenTicket, Vec<TicketLine>), Error> {
    let ticket = KitchenTicket {
        id: row.get("id")?,
        order: OrderId(row.get("order_id")?),
        revision: row.get("revision")?,
        acknowledged_revision: row.get("acknowledged_revision")?,
        prints: row.get("prints")?,
        printed_at: row.maybe("printed_at")?,
    };
    let sql = "SELECT * FROM ticket_lines WHERE ticket_id = $1 ORDER BY n";
    let rows = tx.all(sql, &[ticket.id.into()]).await?;
    Ok((ticket, rows.iter().map(line).collect::<Result<_, _>>()?))
}

/// Opens the ticket from the order's lines. An order that comes back to the kitchen finds the one
/// it has.
pub async fn open(decision: &mut Decision, order: OrderId) -> Result<(), Error> {
    let sql = "INSERT INTO tickets (id, order_id, opened_at)
               VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM tickets), $1, $2)
               ON CONFLICT (order_id) DO NOTHING RETURNING id";
    let args = [order.0.into(), decision.now.into()];
    let Some(row) = decision.tx.optional(sql, &args).await? else { return Ok(()) };
    let lines = revise::open(&orders::lines(&mut decision.tx, order).await?);
    insert_lines(&mut decision.tx, row.get("id")?, &lines).await
}

/// Counts one more print; which one it is.
pub async fn count_print(decision: &mut Decision, ticket: i64) -> Result<i64, Error> {
    let sql = "UPDATE tickets SET prints = prints + 1 WHERE id = $1 RETURNING prints";
    decision.tx.one(sql, &[ticket.into()]).await?.get("prints")
}

/// The printer took it.
pub async fn printed(decision: &mut Decision, ticket: i64) -> Result<(), Error> {
    let sql = "UPDATE tickets SET printed_at = $2 WHERE id = $1 RETURNING order_id";
    let row = decision.tx.one(sql, &[ticket.into(), decision.now.into()]).await?;
    events::ticket_changed(decision, OrderId(row.get("order_id")?)).await
}

pub async fn revise(
    decision: &mut Decision,
    order: OrderId,
    revision: &Revision,
) -> Result<(), Error> {
    let sql = "UPDATE tickets SET revision = revision + 1 WHERE order_id = $1
               RETURNING id, revision";
    let row = decision.tx.one(sql, &[order.0.into()]).await?;
    let (ticket, number): (i64, i64) = (row.get("id")?, row.get("revision")?);
    let added: Vec<_> =
        revision.added.iter().map(|line| TicketLine { revision: number, ..line.clone() }).collect();
    insert_lines(&mut decision.tx, ticket, &added).await?;
    for n in &revision.voided {
        let sql = "UPDATE ticket_lines SET state = 'ANULADA', revision = $3
                   WHERE ticket_id = $1 AND n = $2 AND state IN ('PENDIENTE', 'LISTA')";
        let args = [ticket.into(), (*n).into(), number.into()];
        decision.tx.guarded("ticket line", sql, &args).await?;
    }
    Ok(())
}

pub async fn acknowledge(decision: &mut Decision, ticket: i64, revision: i64) -> Result<(), Error> {
    let sql = "UPDATE tickets SET acknowledged_revision = $2 WHERE id = $1 RETURNING order_id";
    let row = decision.tx.one(sql, &[ticket.into(), revision.into()]).await?;
    events::ticket_changed(decision, OrderId(row.get("order_id")?)).await
}

/// Marks lines as one press.
pub async fn mark_lines(
    decision: &mut Decision,
    ticket: i64,
    lines: &[i64],
    from: LineState,
    to: LineState,
) -> Result<(), Error> {
    let batch = next_batch(&mut decision.tx, ticket).await?;
    for n in lines {
        let sql =
            "UPDATE ticket_lines SET state = $4 WHERE ticket_id = $1 AND n = $2 AND state = $3";
        let args = [ticket.into(), (*n).into(), from.word().into(), to.word().into()];
        decision.tx.guarded("ticket line", sql, &args).await?;
        if to == LineState::Done {
            push_bump(decision, ticket, batch, Some(*n), false).await?;
        } else {
            let sql = "DELETE FROM bumps WHERE ticket_id = $1 AND line = $2";
            decision.tx.execute(sql, &[ticket.into(), (*n).into()]).await?;
        }
    }
    let row =
        decision.tx.one("SELECT order_id FROM tickets WHERE id = $1", &[ticket.into()]).await?;
    events::ticket_changed(decision, OrderId(row.get("order_id")?)).await
}

/// The order became ready: by the line bumped in this very decision, or as a whole.
pub async fn bumped_order(decision: &mut Decision, order: OrderId) -> Result<(), Error> {
    let sql = "SELECT id FROM tickets WHERE order_id = $1";
    let Some(row) = decision.tx.optional(sql, &[order.0.into()]).await? else { return Ok(()) };
    let ticket: i64 = row.get("id")?;
    let sql = "UPDATE bumps SET made_ready = TRUE WHERE id =
               (SELECT MAX(id) FROM bumps WHERE ticket_id = $1) AND at = $2 AND line IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM ticket_lines WHERE ticket_id = $1
                               AND state = 'PENDIENTE')";
    let by_line = decision.tx.execute(sql, &[ticket.into(), decision.now.into()]).await?;
    if by_line == 0 {
        let batch = next_batch(&mut decision.tx, ticket).await?;
        push_bump(decision, ticket, batch, None, true).await?;
    }
    Ok(())
}

/// An order that left the ready state has nothing of that bump to undo any more.
pub async fn forget_ready_bump(decision: &mut Decision, order: OrderId) -> Result<(), Error> {
    let ticket = "ticket_id = (SELECT id FROM tickets WHERE order_id = $1)";
    let whole = format!("DELETE FROM bumps WHERE {ticket} AND line IS NULL");
    decision.tx.execute(db::trusted(whole), &[order.0.into()]).await?;
    let lines = format!("UPDATE bumps SET made_ready = FALSE WHERE {ticket}");
    decision.tx.execute(db::trusted(lines), &[order.0.into()]).await?;
    Ok(())
}

async fn next_batch(tx: &mut Tx, ticket: i64) -> Result<i64, Error> {
    let sql = "SELECT COALESCE(MAX(batch), 0) + 1 AS batch FROM bumps WHERE ticket_id = $1";
    tx.one(sql, &[ticket.into()]).await?.get("batch")
}

async fn push_bump(
    decision: &mut Decision,
    ticket: i64,
    batch: i64,
    line: Option<i64>,
    made_ready: bool,
) -> Result<(), Error> {
    let sql = "INSERT INTO bumps (ticket_id, batch, line, made_ready, at)
               VALUES ($1, $2, $3, $4, $5)";
    let now = decision.now.into();
    let args = [ticket.into(), batch.into(), line.into(), made_ready.into(), now];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// What was pressed on a ticket and not taken back, in order.
pub async fn bumps(tx: &mut Tx, ticket: i64) -> Result<Vec<Bump>, Error> {
    let sql = "SELECT batch, line FROM bumps WHERE ticket_id = $1 ORDER BY id";
    let rows = tx.all(sql, &[ticket.into()]).await?;
    rows.iter().map(|row| Ok(Bump { batch: row.get("batch")?, line: row.maybe("line")? })).collect()
}

async fn insert_lines(tx: &mut Tx, ticket: i64, lines: &[TicketLine]) -> Result<(), Error> {
    let sql = "INSERT INTO ticket_lines (ticket_id, n, name, quantity, note, extras, station,
               revision, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    for line in lines {
        let args = [
            ticket.into(),
            line.n.into(),
            line.name.as_str().into(),
            line.quantity.into(),
            line.note.clone().into(),
            line.extras.clone().into(),
            line.station.clone().into(),
            line.revision.into(),
            line.state.word().into(),
        ];
        tx.execute(sql, &args).await?;
    }
    Ok(())
}

fn line(row: &Row) -> Result<TicketLine, Error> {
    Ok(TicketLine {
        n: row.get("n")?,
        name: row.get("name")?,
        quantity: row.get("quantity")?,
        note: row.maybe("note")?,
        extras: row.maybe("extras")?,
        station: row.maybe("station")?,
        revision: row.get("revision")?,
        state: row.word("state", LineState::from_word)?,
    })
}
