//! Reads what the page of a week shows.

use axum::response::Response;
use host::{Console, Failure};
use jiff::{Timestamp, ToSpan as _, civil::Date};
use serde::Deserialize;
use web::{Page, Query};

use super::{Desk, Scene, render, scene};
use crate::{
    model::Schedule,
    pages::{
        self, WeekPage,
        week::{Day, Event, Week},
    },
    policy::Action,
    rules::calendar::{self, Slot},
};

/// Slots of one schedule in a week that are drawn.
const MOST: usize = 14;
const PATH: &str = "/sam/programaciones/semana";

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    semana: Option<String>,
    robot_id: Option<String>,
}

pub(super) async fn show(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Semana", "Week"));
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    drop(tx);
    let today = desk.now.to_zoned(page.zone.clone()).date();
    let asked = wanted.semana.and_then(|text| text.parse::<Date>().ok());
    // Beyond these years no calendar is drawn, and none overflows.
    let asked = asked.filter(|date| (1971..=8999).contains(&date.year())).unwrap_or(today);
    let monday = asked.saturating_sub(i64::from(asked.weekday().to_monday_zero_offset()).days());
    let robot = wanted.robot_id.unwrap_or_default();
    let mut days: Vec<Day> = (0..7)
        .map(|n| monday.saturating_add(n.days()))
        .map(|date| Day {
            title: Week::title(&page, date),
            today: date == today,
            events: Vec::new(),
        })
        .collect();
    for schedule in scene.snapshot.world.schedules.values().filter(|one| one.active) {
        if robot.is_empty() || schedule.robot.to_string() == robot {
            draw(&page, &scene, schedule, monday, &mut days);
        }
    }
    days.iter_mut().for_each(Day::arrange);
    let label = page.t("Turnos de la semana", "Slots of the week").to_owned();
    let other =
        |date: Date| pages::address(PATH, &[("semana", &date.to_string()), ("robot_id", &robot)]);
    let view = WeekPage {
        week: Week { label, days },
        monday: monday.to_string(),
        before: other(monday.saturating_sub(7.days())),
        after: other(monday.saturating_add(7.days())),
        names: scene.names,
        robot,
        page,
    };
    render(&desk, &view)
}

fn midnight(page: &Page, date: Date) -> Timestamp {
    date.to_zoned(page.zone.clone()).map_or(page.now, |start| start.timestamp())
}

fn draw(page: &Page, scene: &Scene, schedule: &Schedule, monday: Date, days: &mut [Day]) {
    let world = &scene.snapshot.world;
    let from = midnight(page, monday);
    let to = midnight(page, monday.saturating_add(7.days()));
    let holidays = world.holidays(schedule);
    let slots = calendar::occurrences(schedule, holidays, &page.zone, from, to);
    let named = world.assignments.iter().filter(|one| one.schedule == Some(schedule.id));
    let runners: Vec<String> = named.map(|one| scene.names.runner(one.runner)).collect();
    let name = scene.names.robot(schedule.robot);
    for slot in slots.iter().take(MOST) {
        let told = (name.as_str(), runners.join(", "));
        place(page, schedule, slot, &told, (monday, days));
    }
}

/// A slot on its day; one that goes on after midnight continues on the next.
fn place(
    page: &Page,
    schedule: &Schedule,
    slot: &Slot,
    (name, runners): &(&str, String),
    (monday, days): (Date, &mut [Day]),
) {
    let (start, until) =
        (slot.start.to_zoned(page.zone.clone()), slot.until.to_zoned(page.zone.clone()));
    let minute = |at: &jiff::Zoned| i64::from(at.hour()) * 60 + i64::from(at.minute());
    let time = start.strftime("%H:%M").to_string();
    let title = format!("{time}–{} {name} → {runners}", until.strftime("%H:%M"));
    let mut put = |date: Date, from: i64, to: i64| {
        let index = (date - monday).get_days();
        if let Some(day) = usize::try_from(index).ok().and_then(|index| days.get_mut(index)) {
            day.events.push(Event {
                from,
                to: to.max(from),
                time: time.clone(),
                name: (*name).to_owned(),
                title: title.clone(),
                href: format!("/sam/programaciones/{}", schedule.id),
                lane: 0,
                lanes: 1,
            });
        }
    };
    if start.date() == until.date() {
        put(start.date(), minute(&start), minute(&until));
    } else {
        put(start.date(), minute(&start), 1440);
        if minute(&until) > 0 {
            put(until.date(), 0, minute(&until));
        }
    }
}
