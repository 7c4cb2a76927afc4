//! How tickets and windows are kept: the only SQL of the application.

use db::{Decision, Error, Line, Scope, Slice, Tx, events::NewEvent};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::json;

use crate::{
    NAME,
    rules::{Call, Change, Snapshot, State, TicketId},
};

pub const MIGRATIONS: Line = db::migrations!(NAME; "0001_counter");

pub fn scope() -> Scope {
    Scope::new(NAME)
}

pub struct Counter;

impl Slice for Counter {
    type Snapshot = Snapshot;
    type Change = Change;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Snapshot, Error> {
        let mut snapshot = Snapshot::default();
        for row in tx.all("SELECT number FROM windows ORDER BY number", &[]).await? {
            snapshot.open.push(row.get("number")?);
        }
        let sql = "SELECT * FROM tickets WHERE state IN ('WAITING', 'CALLED') ORDER BY id";
        for row in tx.all(sql, &[]).await? {
            let ticket = TicketId(row.get("id")?);
            match row.word("state", State::from_word)? {
                State::Waiting => snapshot.waiting.push(ticket),
                _ => snapshot.called.push(Call {
                    ticket,
                    window: row.get("window")?,
                    at: row.get("called_at")?,
                }),
            }
        }
        Ok(snapshot)
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Snapshot,
        change: &Change,
    ) -> Result<(), Error> {
        let (ticket, name, data) = match *change {
            Change::Call { ticket, window } => {
                let sql = "UPDATE tickets SET state = 'CALLED', \"window\" = $2, called_at = $3
                           WHERE id = $1 AND state = 'WAITING'";
                let args = [ticket.into(), window.into(), decision.now.into()];
                decision.tx.execute(sql, &args).await?;
                (ticket, "counter:called", json!({ "ticket": ticket, "window": window }))
            }
            Change::Miss { ticket } => {
                close(&mut decision.tx, ticket, State::Missed).await?;
                (ticket, "counter:missed", json!({ "ticket": ticket }))
            }
        };
        let subject = Some(ticket.to_string());
        decision.emit(NewEvent { app: NAME, name, subject, data });
        Ok(())
    }
}

pub async fn add(tx: &mut Tx) -> Result<TicketId, Error> {
    let sql = "INSERT INTO tickets (state) VALUES ('WAITING') RETURNING id";
    Ok(TicketId(tx.one(sql, &[]).await?.get("id")?))
}

/// Whether somebody had been called with that ticket.
pub async fn close(tx: &mut Tx, ticket: TicketId, state: State) -> Result<bool, Error> {
    let sql = "UPDATE tickets SET state = $2 WHERE id = $1 AND state = 'CALLED'";
    Ok(tx.execute(sql, &[ticket.into(), state.word().into()]).await? == 1)
}

pub async fn open(tx: &mut Tx, window: i64) -> Result<(), Error> {
    let sql = "INSERT INTO windows (number) VALUES ($1) ON CONFLICT (number) DO NOTHING";
    tx.execute(sql, &[window.into()]).await.map(drop)
}
