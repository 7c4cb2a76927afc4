//! A file of robots, runners or schedules is taken whole or not at all.

use db::Decision;
use host::{
    Failure,
    edit::{self, At, Editable},
    of_json,
};
use serde_json::{Map, Value as Json};

use crate::{
    Desk,
    decisions::{robots::Robots, runners::Runners, schedules::Schedules},
    rules::import::{Row, Sheet},
    store,
};

/// How many were new, and how many were changed.
#[derive(Debug, Default)]
pub struct Taken {
    pub created: usize,
    pub changed: usize,
}

/// Rows with a known id change it, others create. One bad row and nothing is taken.
pub async fn take(desk: &Desk, sheet: Sheet, rows: Vec<Row>) -> Result<Taken, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let mut taken = Taken::default();
    for row in rows {
        let (line, id) = (row.line, row.id().unwrap_or(0));
        let mut fields = row.fields;
        let saved = match sheet {
            Sheet::Robots => put::<Robots>(desk, &mut decision, id, fields).await,
            Sheet::Runners => put::<Runners>(desk, &mut decision, id, fields).await,
            Sheet::Schedules => {
                fields.remove("id");
                put::<Schedules>(desk, &mut decision, id, fields).await
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
