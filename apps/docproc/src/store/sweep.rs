//! What sweeps look at and write: messages that expire, messages that were left behind, contents
//! whose time is over.

use std::collections::BTreeSet;

use db::{Decision, Error, Row, Rows, Slice, Tx, audit::Entry};
use host::By;
use jiff::Timestamp;
use serde_json::json;

use super::{events, messages, requests};
use crate::{
    model::Status,
    rules::sweep::{Freed, InHand, Lasting},
};

/// The messages of a request that wait for a worker.
pub struct Waiting<'a> {
    pub request: &'a str,
    /// What is said of the one that expires.
    pub error: &'a str,
}

impl Slice for Waiting<'_> {
    type Snapshot = Vec<Lasting<i64>>;
    type Change = i64;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let sql = "SELECT id, due_at FROM messages WHERE request_id = $1 AND state = 'READY'
                   ORDER BY due_at, id LIMIT 10000";
        let rows = tx.all(sql, &[self.request.into()]).await?;
        let message = |row: &Row| Ok(Lasting { id: row.get("id")?, since: row.get("due_at")? });
        rows.iter().map(message).collect()
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Self::Snapshot,
        id: &i64,
    ) -> Result<(), Error> {
        let (request, code) = (self.request, "MESSAGE_EXPIRED");
        tracing::error!(
            request_id = request,
            message = id,
            code,
            reason = self.error,
            "stage_buried"
        );
        messages::bury(decision, *id, request, code, self.error).await?;
        requests::fail(decision, request, Status::Failed, code, self.error).await?;
        events::failed(decision, request, code, self.error);
        Ok(())
    }
}

/// The messages that workers hold, and who lives.
pub struct InHands;

impl Slice for InHands {
    type Snapshot = (Vec<InHand>, BTreeSet<String>);
    type Change = Freed;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let sql = "SELECT id, worker, attempt, lease_until FROM messages WHERE state = 'CLAIMED'
                   ORDER BY id LIMIT 100000";
        let claim = |row: &Row| {
            let until = row.maybe("lease_until")?;
            let (message, worker) = (row.get("id")?, row.get("worker")?);
            Ok(InHand { message, worker, attempt: row.get("attempt")?, until })
        };
        let claims = tx.all(sql, &[]).await?.iter().map(claim).collect::<Result<_, Error>>()?;
        let living = db::processes::all(tx).await?.into_iter().map(|one| one.name).collect();
        Ok((claims, living))
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Self::Snapshot,
        Freed { message: id, due }: &Freed,
    ) -> Result<(), Error> {
        let sql = "UPDATE messages SET state = 'READY', worker = NULL, lease_until = NULL,
                   due_at = CASE WHEN due_at < $3 THEN $3 ELSE due_at END,
                   error = CASE WHEN outside = 1 THEN $2 ELSE error END,
                   error_code = CASE WHEN outside = 1 THEN 'LEASE_EXPIRED' ELSE error_code END
                   WHERE id = $1 AND state = 'CLAIMED'";
        let said = "no result came within the time of the stage";
        decision.wake(messages::OUTSIDE);
        decision.tx.execute(sql, &[(*id).into(), said.into(), (*due).into()]).await?;
        decision.note(messages::WAITS, id.to_string());
        Ok(())
    }
}

/// Requests of a workflow that ended, with contents.
pub struct Ended<'a> {
    pub ids: &'a [String],
    /// How long contents of the workflow are kept.
    pub days: u32,
}

impl Slice for Ended<'_> {
    type Snapshot = Vec<Lasting<String>>;
    type Change = String;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let sql = "SELECT id, completed_at FROM requests WHERE id IN (SELECT id FROM ROWS)
                   AND completed_at IS NOT NULL AND cleared_at IS NULL
                   AND status IN ('completed', 'failed', 'cancelled') ORDER BY completed_at";
        let rows = tx.all_of(sql, &[], &Rows::of(&["id"], self.ids)).await?;
        let request =
            |row: &Row| Ok(Lasting { id: row.get("id")?, since: row.get("completed_at")? });
        rows.iter().map(request).collect()
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Self::Snapshot,
        id: &String,
    ) -> Result<(), Error> {
        for sql in [
            "UPDATE pages SET words = NULL, ocr_text = NULL, scores = NULL, evidence = NULL
             WHERE request_id = $1",
            "UPDATE documents SET extracted_data = NULL, fields = NULL WHERE request_id = $1",
            "UPDATE review_tasks SET input_data = '{}', output_data = NULL WHERE request_id = $1",
            "UPDATE answers SET body = '{}' WHERE request_id = $1",
            "DELETE FROM stage_replies WHERE request_id = $1",
            "UPDATE request_files SET name = '', password = NULL, content = NULL,
             set_aside = NULL
             WHERE request_id = $1",
        ] {
            decision.tx.execute(sql, &[id.as_str().into()]).await?;
        }
        let sql = "UPDATE requests SET result = NULL, metadata = '{}', external_id = NULL,
                   callback_url = NULL, cleared_at = $2 WHERE id = $1 AND cleared_at IS NULL";
        decision.tx.guarded("request", sql, &[id.as_str().into(), decision.now.into()]).await?;
        let by = By { app: crate::NAME, name: "retention".to_owned(), role: String::new() };
        let after = Some(json!({ "days": self.days }));
        decision.audit(Entry { after, ..by.did("request.clear", format!("request/{id}")) });
        Ok(())
    }
}
