//! Holiday calendars are created, changed and removed.

use db::{Decision, Error, Scope, Tx};
use host::{Failure, conflict, edit::Editable, unknown};
use serde_json::{Map, Value as Json};
use web::Problem;

use super::launch;
use crate::{
    Context, Desk,
    model::{Calendar, CalendarId},
    policy::Role,
    store::{self, calendars},
    wire::{CalendarRequest, CalendarView},
};

/// How holiday calendars are edited.
#[derive(Debug)]
pub struct Calendars;

impl Editable for Calendars {
    type Item = Calendar;
    type Role = Role;
    type Context = Context;
    type Request = CalendarRequest;
    type View = CalendarView;
    const NOUN: &'static str = "calendario";

    fn scope() -> Scope {
        store::scope()
    }

    fn id(calendar: &Calendar) -> i64 {
        calendar.id.0
    }

    fn version(calendar: &Calendar) -> Option<i64> {
        Some(calendar.version)
    }

    fn missing(desk: &Desk) -> Problem {
        let (es, en) = ("No existe ese calendario.", "There is no such calendar.");
        unknown(desk.lang, "CALENDARIO_INEXISTENTE", es, en)
    }

    async fn find(tx: &mut Tx, id: i64) -> Result<Option<Calendar>, Error> {
        calendars::find(tx, CalendarId(id)).await
    }

    async fn view(calendar: &Calendar, _: &Desk, _: &mut Tx) -> Result<CalendarView, Error> {
        Ok(CalendarView::from(calendar))
    }

    async fn standing(
        calendar: &Calendar,
        _: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<CalendarRequest, Error> {
        Ok(CalendarRequest::from(calendar))
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
