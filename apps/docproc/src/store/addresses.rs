//! What is on the outside of messages, for whoever carries them.

use std::collections::BTreeMap;

use db::{Error, Rows, Tx};

use super::{catalogue::Workflows, messages::BY_PERSON};
use crate::{
    model::Item,
    wire::message::{Address, key, source},
};

/// The addresses of these messages, by id; one that is gone is left out.
pub async fn of_messages(
    tx: &mut Tx,
    ids: &[i64],
    workflows: &Workflows,
) -> Result<BTreeMap<i64, Address>, Error> {
    let sql = format!(
        "SELECT messages.id, messages.attempt, messages.request_id, messages.stage_at,
         messages.stage, messages.component, messages.item, messages.deadline_utc,
         messages.state, messages.due_at, messages.outside, {BY_PERSON},
         requests.trace_id, requests.workflow_name, requests.workflow_id
         FROM messages JOIN requests ON requests.id = messages.request_id
         WHERE messages.id IN (SELECT id FROM ROWS)"
    );
    let mut found = BTreeMap::new();
    for row in tx.all_of(&sql, &[], &Rows::of(&["id"], ids.iter().copied())).await? {
        let workflow = workflows.version(tx, row.get("workflow_id")?).await?;
        let item: String = row.get("item")?;
        let (id, at) = (row.get("id")?, row.get::<i64>("stage_at")? as i32);
        let address = Address {
            id,
            attempt: row.get("attempt")?,
            request: row.get("request_id")?,
            trace: row.get("trace_id")?,
            workflow: row.get("workflow_name")?,
            stage: row.get("stage")?,
            component: row.get("component")?,
            source: source(&workflow, at, row.get::<i64>("by_person")? != 0).to_owned(),
            key: key(&workflow, at).to_owned(),
            ready: row.get::<String>("state")? == "READY",
            due: row.get("due_at")?,
            outside: row.get::<i64>("outside")? == 1,
            item: Item::from_key(&item),
            deadline: row.get("deadline_utc")?,
        };
        found.insert(id, address);
    }
    Ok(found)
}
