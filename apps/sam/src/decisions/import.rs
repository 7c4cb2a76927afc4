//! A file of robots, runners or schedules is taken whole or not at all.

mod schedules;

use db::{Decision, Error};
use host::{
    Failure,
    edit::{self, At, Editable},
    of_json,
};
use serde_json::{Map, Value as Json};
use tokio::sync::oneshot;

use crate::{
    Desk,
    decisions::{robots::Robots, runners::Runners},
    rules::import::{Row, Sheet},
    store,
};

/// How many were new, and how many were changed.
#[derive(Debug, Default)]
pub struct Taken {
    pub created: usize,
    pub changed: usize,
}

/// Takes a file to its end, also when whoever sent it hangs up meanwhile.
pub async fn take_whole(desk: Desk, sheet: Sheet, rows: Vec<Row>) -> Result<Taken, Failure> {
    let (tell, told) = oneshot::channel();
    let context = desk.context.clone();
    context.carry_on(async move {
        // Nobody may be listening any more.
        drop(tell.send(take(&desk, sheet, rows).await));
    });
    told.await.map_err(|_| Error::corrupt("a file was not taken to its end"))?
}

/// Rows with a known id change it, others create. One bad row and nothing is taken.
async fn take(desk: &Desk, sheet: Sheet, rows: Vec<Row>) -> Result<Taken, Failure> {
    if sheet == Sheet::Schedules {
        return schedules::take(desk, rows).await;
    }
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let mut taken = Taken::default();
    for row in rows {
        let (line, id) = (row.line, row.id().unwrap_or(0));
        let saved = match sheet {
            Sheet::Runners => put::<Runners>(desk, &mut decision, id, row.fields).await,
            Sheet::Robots | Sheet::Schedules => {
                put::<Robots>(desk, &mut decision, id, row.fields).await
            }
        };
        let known = saved.map_err(|failure| {
            let told = web::sheet::at_line(line, failure.problem(), desk.lang);
            told.map_or(failure, Failure::from)
        })?;
        if known {
            taken.changed += 1;
        } else {
            taken.created += 1;
        }
    }
    decision.commit().await?;
    Ok(taken)
}

/// Whether it was there before.
async fn put<T: Editable>(
    desk: &At<T>,
    decision: &mut Decision,
    id: i64,
    fields: Map<String, Json>,
) -> Result<bool, Failure> {
    let before = T::find(&mut decision.tx, id).await?;
    match &before {
        Some(before) => edit::change_to::<T>(desk, decision, before, fields).await?,
        None => edit::put::<T>(desk, decision, None, &of_json(fields.into(), desk.lang)?).await?,
    };
    Ok(before.is_some())
}
