//! Holiday calendars are created, changed and removed.

use db::{Decision, Error, Tx};
use host::{Failure, conflict, edit::Editable};
use serde_json::{Map, Value as Json};

use super::launch;
use crate::{
    Desk,
    model::{Calendar, CalendarId},
    store::calendars,
    wire::{CalendarRequest, CalendarView},
};

/// How holiday calendars are edited.
#[derive(Debug)]
pub struct Calendars;

impl Editable for Calendars {
    editable! {
        calendars: Calendar, CalendarId, CalendarRequest => CalendarView, "calendario",
        "CALENDARIO_INEXISTENTE", "No existe ese calendario.", "There is no such calendar."
    }

    async fn view(calendar: &Calendar, _: &Desk, _: &mut Tx) -> Result<CalendarView, Error> {
        Ok(CalendarView::new(calendar))
    }

    async fn standing(
        calendar: &Calendar,
        _: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<CalendarRequest, Error> {
        Ok(CalendarRequest::new(calendar))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Calendar>,
        request: &CalendarRequest,
    ) -> Result<Calendar, Failure> {
        let mut calendar = request.typed(desk.lang)?;
        let other = calendars::by_name(&mut decision.tx, &calendar.name).await?;
        if other.is_some_and(|other| Some(other.id) != before.map(|before| before.id)) {
            let (es, en) =
                ("Ya hay un calendario con ese nombre.", "There is a calendar with that name.");
            return Err(conflict(desk.lang, "NOMBRE_REPETIDO", es, en).into());
        }
        if let Some(before) = before {
            (calendar.id, calendar.version) = (before.id, before.version);
            calendars::update(&mut decision.tx, &calendar).await?;
            calendar.version += 1;
            decision.wake(launch::TICK);
        } else {
            calendar.id = calendars::insert(&mut decision.tx, &calendar).await?;
        }
        Ok(calendar)
    }

    async fn remove(
        calendar: &Calendar,
        desk: &Desk,
        decision: &mut Decision,
    ) -> Result<(), Failure> {
        if calendars::in_use(&mut decision.tx, calendar.id).await? {
            let (es, en) = ("Hay programaciones que lo usan.", "There are schedules that use it.");
            return Err(conflict(desk.lang, "EN_USO", es, en).into());
        }
        Ok(calendars::remove(&mut decision.tx, calendar.id).await?)
    }
}
