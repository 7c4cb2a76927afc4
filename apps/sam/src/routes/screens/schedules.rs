//! Reads what the pages of schedules show.

use std::collections::HashMap;

use axum::response::Response;
use db::{Error, Tx};
use host::{Console, Failure, edit::Editable as _};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use web::{Lang, Path, Query};

use super::{Desk, Scene, render, robots::schedules as lines, scene};
use crate::{
    decisions::schedules::{self as contract, Schedules},
    model::{RunnerId, Schedule, ScheduleId},
    pages::{
        self, HolidaysPage, MissedPage, OverlapsPage, PreviewPart, SchedulePage, SchedulesPage,
        schedules::{MissedLine, OverlapLine},
        shown::{PAGE, Shown},
    },
    policy::{Action, can},
    routes::schedules::overlapping,
    rules::calendar,
    store::{calendars, schedules, slots},
    wire::ScheduleRequest,
};

const SHOWN: usize = 8;
const YEAR: SignedDuration = SignedDuration::from_hours(24 * 366);
const MONTH: SignedDuration = SignedDuration::from_hours(24 * 31);

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    q: Option<String>,
    activo: Option<String>,
    pagina: Option<String>,
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Programaciones", "Schedules"));
    let (text, active) = (wanted.q.unwrap_or_default(), wanted.activo.unwrap_or_default());
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    drop(tx);
    let fits = |one: &Schedule| pages::passes(&active, one.active);
    let mut lines = lines(&page, &scene, fits, desk.now);
    lines.retain(|one| {
        let told = format!("{} {} {}", one.robot_name, one.sentence, one.runners.join(" "));
        pages::found(&text, &told)
    });
    // What comes next first; what never comes again, last.
    lines.sort_by_key(|one| (!one.active, one.next.is_none(), one.next, one.id));
    let shown = Shown::cut(&mut lines, &wanted.pagina.unwrap_or_default(), |number| {
        let parts = [("q", &*text), ("activo", &*active), ("pagina", number)];
        pages::address("/sam/programaciones", &parts)
    });
    let view = SchedulesPage {
        shown,
        ever: !scene.snapshot.world.schedules.is_empty(),
        may_edit: can(desk.role, Action::Edit),
        lines,
        text,
        active,
        page,
    };
    render(&desk, &view)
}

#[derive(Debug, Deserialize)]
pub(super) struct For {
    robot_id: Option<i64>,
}

pub(super) async fn new(
    desk: Desk,
    console: Console,
    Query(wanted): Query<For>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let page = console.page(console.lang.t("Nueva programación", "New schedule"));
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let offline = scene.snapshot.world.robots.values().filter(|one| !one.online);
    let view = SchedulePage {
        standing: None,
        robot: wanted.robot_id,
        robots: offline.map(|one| (one.id.0, one.name.clone())).collect(),
        calendars: calendars::all(&mut tx).await?,
        missed: Vec::new(),
        may_edit: true,
        names: scene.names,
        page,
    };
    render(&desk, &view)
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(&format!("{} {id}", console.lang.t("Programación", "Schedule")));
    let mut tx = desk.context.store.read().await?;
    let found = schedules::find(&mut tx, ScheduleId(id)).await?;
    let found = found.ok_or_else(|| Schedules::missing(&desk))?;
    let scene = scene(&desk, &mut tx).await?;
    let since = desk.now.checked_sub(MONTH).unwrap_or(Timestamp::MIN);
    let missed = slots::missed(&mut tx, Some(found.id), since, (SHOWN, 0)).await?;
    let view = SchedulePage {
        standing: Some(Schedules::view(&found, &desk, &mut tx).await?),
        robot: None,
        robots: vec![(found.robot.0, scene.names.robot(found.robot))],
        calendars: calendars::all(&mut tx).await?,
        missed: missed.into_iter().map(|one| missed_line(&scene, one)).collect(),
        may_edit: can(desk.role, Action::Edit),
        names: scene.names,
        page,
    };
    render(&desk, &view)
}

fn missed_line(scene: &Scene, one: slots::Missed) -> MissedLine {
    let schedule = scene.snapshot.world.schedules.get(&one.schedule);
    MissedLine {
        schedule: one.schedule.0,
        robot: schedule.map_or_else(|| "–".to_owned(), |known| scene.names.robot(known.robot)),
        runner: scene.names.runner(one.runner),
        starts_at: one.starts_at,
        until: one.until,
        code: one.code,
        run: one.run,
        state: one.state,
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Standing {
    id: Option<i64>,
}

/// What a form would save: its sentence, its next runs, whom it would meet. Nothing is saved.
pub(super) async fn preview(
    desk: Desk,
    console: Console,
    Query(standing): Query<Standing>,
    web::Json(request): web::Json<ScheduleRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let before = match standing.id {
        Some(id) => schedules::find(&mut tx, ScheduleId(id)).await?,
        None => None,
    };
    let schedule = contract::typed(&desk, &mut tx, &request, before.as_ref()).await?;
    let holidays = match schedule.calendar {
        Some(id) => calendars::find(&mut tx, id).await?,
        None => None,
    };
    let named = contract::runners_of(&desk, &mut tx, &request).await?;
    let overlaps = met(&desk, &mut tx, &schedule, &named).await?;
    let to = desk.now.checked_add(YEAR).unwrap_or(Timestamp::MAX);
    let zone = &desk.context.zone;
    let next = calendar::firings(&schedule, holidays.as_ref(), zone, desk.now, to, SHOWN);
    let sentence = told(desk.lang, &schedule);
    render(&desk, &PreviewPart { page: console.page(""), sentence, next, overlaps })
}

/// Whom a schedule would meet on its runners.
async fn met(
    desk: &Desk,
    tx: &mut Tx,
    schedule: &Schedule,
    runners: &[RunnerId],
) -> Result<Vec<OverlapLine>, Error> {
    let (others, calendars) = (contract::by_runner(tx).await?, contract::all_calendars(tx).await?);
    let names = super::names(tx).await?;
    let mut found = Vec::new();
    for runner in runners {
        for other in others.get(runner).into_iter().flatten().filter(|one| one.id != schedule.id) {
            if let Some((from, to)) = contract::meet(desk, &calendars, schedule, other) {
                found.push(OverlapLine {
                    runner: names.runner(*runner),
                    one: schedule.id.0,
                    one_told: told(desk.lang, schedule),
                    other: other.id.0,
                    other_told: format!("{}: {}", names.robot(other.robot), told(desk.lang, other)),
                    from,
                    to,
                });
            }
        }
    }
    found.sort_by_key(|one| one.from);
    found.truncate(SHOWN);
    Ok(found)
}

fn told(lang: Lang, schedule: &Schedule) -> String {
    lang.say(&calendar::sentence(schedule)).to_owned()
}

#[derive(Debug, Deserialize)]
pub(super) struct Part {
    pagina: Option<String>,
}

pub(super) async fn missed(
    desk: Desk,
    console: Console,
    Query(part): Query<Part>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Turnos perdidos", "Missed slots"));
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let since = desk.now.checked_sub(MONTH).unwrap_or(Timestamp::MIN);
    let total = slots::count_missed(&mut tx, since).await?;
    let (shown, before) = Shown::of(total, &part.pagina.unwrap_or_default(), |number| {
        pages::address("/sam/programaciones/perdidos", &[("pagina", number)])
    });
    let all = slots::missed(&mut tx, None, since, (PAGE, before)).await?;
    let lines = all.into_iter().map(|one| missed_line(&scene, one)).collect();
    render(&desk, &MissedPage { page, lines, shown })
}

pub(super) async fn overlaps(
    desk: Desk,
    console: Console,
    Query(part): Query<Part>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Solapamientos", "Overlaps"));
    let mut tx = desk.context.store.read().await?;
    let names = super::names(&mut tx).await?;
    let all: HashMap<i64, Schedule> =
        schedules::all(&mut tx).await?.into_iter().map(|one| (one.id.0, one)).collect();
    let mut found = overlapping(&desk, &mut tx).await?;
    let shown = Shown::cut(&mut found, &part.pagina.unwrap_or_default(), |number| {
        pages::address("/sam/programaciones/solapamientos", &[("pagina", number)])
    });
    let sentence = |id: i64| {
        all.get(&id)
            .map(|one| format!("{}: {}", names.robot(one.robot), told(desk.lang, one)))
            .unwrap_or_default()
    };
    let lines = found.into_iter().map(|one| OverlapLine {
        runner: names.runner(RunnerId(one.equipo_id)),
        one: one.programacion_id,
        one_told: sentence(one.programacion_id),
        other: one.otra_programacion_id,
        other_told: sentence(one.otra_programacion_id),
        from: one.desde,
        to: one.hasta,
    });
    render(&desk, &OverlapsPage { page, lines: lines.collect(), shown })
}

pub(super) async fn holidays(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Feriados", "Holidays"));
    let mut tx = desk.context.store.read().await?;
    let calendars = calendars::all(&mut tx).await?;
    render(&desk, &HolidaysPage { page, calendars, may_edit: can(desk.role, Action::Edit) })
}
