//! Schedules are created, changed and removed, together with their runners.

use std::collections::{HashMap, HashSet};

use db::{Decision, Error, Tx};
use host::{Failure, check, conflict, edit::Editable};
use jiff::Timestamp;
use serde_json::{Map, Value as Json};
use web::Problem;

use super::{calendars::Calendars, robots::Robots, wake_all};
use crate::{
    Desk,
    model::{Calendar, CalendarId, Hold, Robot, RobotId, RunnerId, Schedule, ScheduleId},
    rules::calendar::{self, check::Wrong},
    store::{assignments, calendars, robots, runners, runs, schedules, world},
    wire::{ScheduleRequest, ScheduleView},
};

/// Runners of one schedule.
const RUNNERS: usize = 1000;

/// Which pairs of a robot and a runner run, and when the others last did.
#[derive(Debug)]
pub struct Rests {
    busy: HashSet<(RobotId, RunnerId)>,
    ended: HashMap<(RobotId, RunnerId), Timestamp>,
}

impl Rests {
    pub async fn load(tx: &mut Tx) -> Result<Self, Error> {
        let busy = runs::live(tx).await?.iter().map(|run| (run.robot, run.runner)).collect();
        Ok(Self { busy, ended: world::ended(tx).await? })
    }

    /// When the next turn of a cyclic schedule may begin on one of its runners.
    pub fn over(
        &self,
        schedule: &Schedule,
        runners: impl Iterator<Item = RunnerId>,
        now: Timestamp,
    ) -> Timestamp {
        let busy = |runner: RunnerId| self.busy.contains(&(schedule.robot, runner));
        let ended = |runner: RunnerId| self.ended.get(&(schedule.robot, runner)).copied();
        calendar::rested(schedule, runners, busy, ended, now)
    }
}

/// How schedules are edited.
#[derive(Debug)]
pub struct Schedules;

impl Editable for Schedules {
    editable! {
        schedules: Schedule, ScheduleId, ScheduleRequest => ScheduleView, "programacion",
        "PROGRAMACION_INEXISTENTE", "No existe esa programación.", "There is no such schedule."
    }

    async fn view(schedule: &Schedule, desk: &Desk, tx: &mut Tx) -> Result<ScheduleView, Error> {
        let named = assignments::of_schedule(tx, schedule.id).await?;
        let holidays = match schedule.calendar {
            Some(id) => calendars::find(tx, id).await?,
            None => None,
        };
        let rests = Rests::load(tx).await?;
        let rested = rests.over(schedule, named.iter().map(|one| one.runner), desk.now);
        let zone = &desk.context.zone;
        let next = calendar::next_run(schedule, holidays.as_ref(), zone, rested, desk.now);
        let runners = named.iter().map(|one| one.runner.0).collect();
        Ok(ScheduleView::new(schedule, runners, next, desk.lang))
    }

    async fn standing(
        schedule: &Schedule,
        tx: &mut Tx,
        change: &Map<String, Json>,
    ) -> Result<ScheduleRequest, Error> {
        let named = assignments::of_schedule(tx, schedule.id).await?;
        let named: Vec<_> = named.iter().map(|one| one.runner).collect();
        Ok(ScheduleRequest::under(schedule, &named, change))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Schedule>,
        request: &ScheduleRequest,
    ) -> Result<Schedule, Failure> {
        let tx = &mut decision.tx;
        let mut schedule = typed(desk, tx, request, before).await?;
        same_robot(desk, before, &schedule)?;
        let named = runners_of(desk, tx, request).await?;
        if request.permitir_solapamiento != Some(true)
            && let Some(problem) = clash(desk, tx, &schedule, &named).await?
        {
            return Err(problem.into());
        }
        if before.is_some() {
            schedules::update(tx, &schedule).await?;
            schedule.version += 1;
        } else {
            schedule.id = schedules::insert(tx, &schedule).await?;
        }
        assign(decision, &schedule, &named, &desk.actor.name).await?;
        wake_all(decision);
        Ok(schedule)
    }

    /// With its assignments. Its runners are balanced again as the operator had set, once no other
    /// schedule names them.
    async fn remove(schedule: &Schedule, _: &Desk, decision: &mut Decision) -> Result<(), Failure> {
        schedules::remove(&mut decision.tx, schedule.id).await?;
        wake_all(decision);
        Ok(())
    }
}

/// The schedule that is asked for, checked against what exists.
pub async fn typed(
    desk: &Desk,
    tx: &mut Tx,
    request: &ScheduleRequest,
    before: Option<&Schedule>,
) -> Result<Schedule, Failure> {
    let robot = robots::find(tx, RobotId(request.robot_id)).await?;
    let holidays = match request.calendario_id {
        None => None,
        Some(id) => Some(calendars::find(tx, CalendarId(id)).await?),
    };
    let holidays = holidays.as_ref().map(Option::as_ref);
    checked(desk, request, before, robot.as_ref(), holidays)
}

/// The same of what was found already; `holidays` is nothing where none is named.
pub fn checked(
    desk: &Desk,
    request: &ScheduleRequest,
    before: Option<&Schedule>,
    robot: Option<&Robot>,
    holidays: Option<Option<&Calendar>>,
) -> Result<Schedule, Failure> {
    let robot = robot.ok_or_else(|| Robots::missing(desk))?;
    if robot.online && before.is_none() {
        let (es, en) = (
            "El robot es online: corre por tickets, no por programación.",
            "The robot is online: it runs by tickets, not by schedule.",
        );
        return Err(conflict(desk.lang, "ROBOT_ONLINE", es, en).into());
    }
    let holidays = match holidays {
        None => None,
        Some(found) => Some(found.ok_or_else(|| Calendars::missing(desk))?),
    };
    let timing = calendar::check::check(&request.wanted(), holidays).map_err(|wrong| {
        let told = |one: Wrong| (one.path.to_owned(), desk.lang.t(&one.es, &one.en).to_owned());
        check::invalid(desk.lang, wrong.into_iter().map(told).collect())
    })?;
    let (id, created) =
        before.map_or((ScheduleId(0), desk.now), |before| (before.id, before.created_at));
    let schedule = Schedule {
        active: request.activo.unwrap_or(true),
        calendar: holidays.map(|one| one.id),
        version: before.map_or(1, |before| before.version),
        ..timing.schedule(id, robot.id, created)
    };
    Ok(match before {
        Some(before) => schedule.retimed(before, desk.now),
        None => schedule,
    })
}

pub fn same_robot(
    desk: &Desk,
    before: Option<&Schedule>,
    schedule: &Schedule,
) -> Result<(), Failure> {
    if before.is_none_or(|before| before.robot == schedule.robot) {
        return Ok(());
    }
    let (es, en) = (
        "El robot de una programación no cambia: hay que crear otra.",
        "The robot of a schedule does not change: create another.",
    );
    Err(conflict(desk.lang, "ROBOT_FIJO", es, en).into())
}

/// The runners a schedule names: they exist, once each.
pub async fn runners_of(
    desk: &Desk,
    tx: &mut Tx,
    request: &ScheduleRequest,
) -> Result<Vec<RunnerId>, Failure> {
    let mut known = HashSet::new();
    for id in request.equipos.iter().take(RUNNERS) {
        if runners::find(tx, RunnerId(*id)).await?.is_some() {
            known.insert(RunnerId(*id));
        }
    }
    named(desk, request, |runner| known.contains(&runner))
}

/// The same of what was found already.
pub fn named(
    desk: &Desk,
    request: &ScheduleRequest,
    exists: impl Fn(RunnerId) -> bool,
) -> Result<Vec<RunnerId>, Failure> {
    let mut check = check::Check::new(desk.lang);
    if request.equipos.len() > RUNNERS {
        check.wrong("equipos", "son demasiados", "are too many");
    }
    let mut named = Vec::new();
    for (n, id) in request.equipos.iter().take(RUNNERS).enumerate() {
        let runner = RunnerId(*id);
        if !exists(runner) {
            let (es, en) = (format!("no existe {id}"), format!("there is no {id}"));
            check.wrong(&format!("equipos[{n}]"), &es, &en);
        } else if !named.contains(&runner) {
            named.push(runner);
        }
    }
    check.finish()?;
    Ok(named)
}

/// Makes these the runners of a schedule. Each becomes fixed: what the balancer had assigned to it
/// is taken back (§4.1.4).
async fn assign(
    decision: &mut Decision,
    schedule: &Schedule,
    named: &[RunnerId],
    by: &str,
) -> Result<(), Error> {
    let standing = assignments::of_schedule(&mut decision.tx, schedule.id).await?;
    for gone in standing.iter().filter(|one| !named.contains(&one.runner)) {
        assignments::remove(&mut decision.tx, gone.id).await?;
    }
    let now = decision.now;
    for runner in named {
        if standing.iter().any(|one| one.runner == *runner) {
            continue;
        }
        for other in assignments::of_runner(&mut decision.tx, *runner).await? {
            if other.hold == Hold::Dynamic {
                assignments::remove(&mut decision.tx, other.id).await?;
            }
        }
        let new = assignments::New {
            robot: schedule.robot,
            runner: *runner,
            hold: Hold::Scheduled,
            schedule: Some(schedule.id),
            by,
        };
        assignments::insert(&mut decision.tx, &new, now).await?;
    }
    Ok(())
}

/// All the active schedules by runner.
pub async fn by_runner(tx: &mut Tx) -> Result<HashMap<RunnerId, Vec<Schedule>>, Error> {
    let all: HashMap<_, _> =
        schedules::all(tx).await?.into_iter().map(|one| (one.id, one)).collect();
    let mut named: HashMap<RunnerId, Vec<Schedule>> = HashMap::new();
    for one in assignments::all(tx).await? {
        if let Some(schedule) = one.schedule.and_then(|id| all.get(&id)).filter(|one| one.active) {
            named.entry(one.runner).or_default().push(schedule.clone());
        }
    }
    Ok(named)
}

pub async fn all_calendars(tx: &mut Tx) -> Result<HashMap<CalendarId, Calendar>, Error> {
    Ok(calendars::all(tx).await?.into_iter().map(|one| (one.id, one)).collect())
}

/// When two schedules next want the same runner.
pub(crate) fn meet(
    desk: &Desk,
    calendars: &HashMap<CalendarId, Calendar>,
    a: &Schedule,
    b: &Schedule,
) -> Option<(Timestamp, Timestamp)> {
    if calendar::are_apart(a, b) {
        return None;
    }
    let holidays = |one: &Schedule| one.calendar.and_then(|id| calendars.get(&id));
    let (first, second) =
        calendar::overlap((a, holidays(a)), (b, holidays(b)), &desk.context.zone, desk.now)?;
    Some((first.start.max(second.start), first.until.min(second.until)))
}

/// The first other schedule that wants one of these runners at the same time.
async fn clash(
    desk: &Desk,
    tx: &mut Tx,
    schedule: &Schedule,
    named: &[RunnerId],
) -> Result<Option<Problem>, Error> {
    if !schedule.active {
        return Ok(None);
    }
    let (others, calendars) = (by_runner(tx).await?, all_calendars(tx).await?);
    let met = named.iter().find_map(|runner| {
        let others: Vec<&Schedule> = others.get(runner).into_iter().flatten().collect();
        overlapping(desk, &calendars, schedule, *runner, &others)
    });
    Ok(met)
}

/// Says which of these wants the runner at the same time.
pub(crate) fn overlapping(
    desk: &Desk,
    calendars: &HashMap<CalendarId, Calendar>,
    schedule: &Schedule,
    runner: RunnerId,
    others: &[&Schedule],
) -> Option<Problem> {
    let mut others = others.iter().filter(|one| one.id != schedule.id || one.id.0 == 0);
    let (other, from) = others
        .find_map(|other| meet(desk, calendars, schedule, other).map(|(from, _)| (other, from)))?;
    let at = from.to_zoned(desk.context.zone.clone()).strftime("%d/%m/%Y %H:%M");
    let (es, en) = match other.id.0 {
        0 => (
            format!("Se solapa con otra línea en el equipo {runner} el {at}."),
            format!("Overlaps with another line on runner {runner} on {at}."),
        ),
        id => (
            format!("Se solapa con la programación {id} en el equipo {runner} el {at}."),
            format!("Overlaps with schedule {id} on runner {runner} on {at}."),
        ),
    };
    let hint = desk.lang.t(
        "Cambiar la hora o la tolerancia, o enviar permitir_solapamiento: true.",
        "Change its time or tolerance, or send permitir_solapamiento: true.",
    );
    let detail = desk.lang.t(&es, &en).to_owned();
    Some(Problem::conflict("SOLAPAMIENTO").lang(desk.lang).detail(detail).hint(hint))
}
