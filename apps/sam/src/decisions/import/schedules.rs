//! Many schedules at once. Everything is read and checked before anything is written; then a few rows are
//! written in each commit, so that nobody else waits long. Should the world change meanwhile so that a row
//! cannot be written, what was written before is taken back.

use std::collections::{HashMap, HashSet};

use db::{Decision, Error, Tx, audit::Entry};
use host::{Failure, conflict, merged, of_json};
use serde_json::{Map, Value as Json};

use super::Taken;
use crate::{
    Desk,
    decisions::{
        schedules::{self as contract, overlapping},
        wake_all,
    },
    model::{Calendar, CalendarId, Robot, RobotId, RunnerId, Schedule, ScheduleId},
    rules::{
        calendar::{self, Face, Faces},
        import::Row,
    },
    store::{self, assignments, calendars, robots, runners, schedules},
    wire::{ScheduleRequest, ScheduleView},
};

/// Rows of one commit: whoever else wants to write waits for so many at most.
const BATCH: usize = 50;

/// Everything that rows may refer to, as one read sees it.
struct Known {
    robots: HashMap<RobotId, Robot>,
    runners: HashSet<RunnerId>,
    calendars: HashMap<CalendarId, Calendar>,
    schedules: HashMap<ScheduleId, Schedule>,
    named: HashMap<ScheduleId, Vec<RunnerId>>,
}

/// A row that may be written.
struct Planned {
    line: usize,
    before: Option<(Schedule, Vec<RunnerId>)>,
    schedule: Schedule,
    runners: Vec<RunnerId>,
}

impl Planned {
    /// The runners it named before.
    fn standing(&self) -> &[RunnerId] {
        self.before.as_ref().map_or(&[][..], |(_, runners)| runners.as_slice())
    }
}

pub(super) async fn take(desk: &Desk, rows: Vec<Row>) -> Result<Taken, Failure> {
    let known = Known::load(&mut desk.context.store.read().await?).await?;
    let mut planned = Vec::with_capacity(rows.len());
    for row in rows {
        let line = row.line;
        planned.push(known.plan(desk, row).map_err(|failure| at(desk, line, failure))?);
    }
    known.meet(desk, &planned)?;
    let changed = planned.iter().filter(|one| one.before.is_some()).count();
    let taken = Taken { created: planned.len() - changed, changed };
    let mut written = 0;
    for batch in planned.chunks_mut(BATCH) {
        let last = batch.len();
        if let Err(failure) = write(desk, batch).await {
            undo(desk, &planned[..written]).await?;
            return Err(failure);
        }
        written += last;
    }
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    wake_all(&mut decision);
    decision.commit().await?;
    Ok(taken)
}

/// The same failure, at a line of the file.
fn at(desk: &Desk, line: usize, failure: Failure) -> Failure {
    let told = web::sheet::at_line(line, failure.problem(), desk.lang);
    told.map_or(failure, Failure::from)
}

impl Known {
    async fn load(tx: &mut Tx) -> Result<Self, Error> {
        let mut named: HashMap<ScheduleId, Vec<RunnerId>> = HashMap::new();
        for one in assignments::all(tx).await? {
            if let Some(schedule) = one.schedule {
                named.entry(schedule).or_default().push(one.runner);
            }
        }
        let calendars = calendars::all(tx).await?.into_iter();
        Ok(Self {
            robots: robots::all(tx).await?.into_iter().map(|one| (one.id, one)).collect(),
            runners: runners::all(tx).await?.into_iter().map(|one| one.id).collect(),
            calendars: calendars.map(|one| (one.id, one)).collect(),
            schedules: schedules::all(tx).await?.into_iter().map(|one| (one.id, one)).collect(),
            named,
        })
    }

    /// What a row asks for, over what stands.
    fn plan(&self, desk: &Desk, row: Row) -> Result<Planned, Failure> {
        let (line, id) = (row.line, ScheduleId(row.id().unwrap_or(0)));
        let mut fields: Map<String, Json> = row.fields;
        fields.remove("id");
        let before = self
            .schedules
            .get(&id)
            .map(|standing| (standing.clone(), self.named.get(&id).cloned().unwrap_or_default()));
        let request: ScheduleRequest = match &before {
            Some((standing, runners)) => {
                let under = ScheduleRequest::under(standing, runners, &fields);
                merged(&under, fields, desk.lang)?
            }
            None => of_json(fields.into(), desk.lang)?,
        };
        let robot = self.robots.get(&RobotId(request.robot_id));
        let holidays = request.calendario_id.map(|id| self.calendars.get(&CalendarId(id)));
        let standing = before.as_ref().map(|(schedule, _)| schedule);
        let schedule = contract::checked(desk, &request, standing, robot, holidays)?;
        contract::same_robot(desk, standing, &schedule)?;
        let runners = contract::named(desk, &request, |runner| self.runners.contains(&runner))?;
        Ok(Planned { line, before, schedule, runners })
    }

    /// Refuses the first row that would meet another, of the file or not, on one of its runners.
    fn meet(&self, desk: &Desk, planned: &[Planned]) -> Result<(), Failure> {
        let changed: HashSet<ScheduleId> =
            planned.iter().filter_map(|one| one.before.as_ref()).map(|(one, _)| one.id).collect();
        // Of a runner's many schedules only those are compared whose hours of the week touch.
        let faces = Faces::new(&desk.context.zone, desk.now);
        let mut on: HashMap<RunnerId, Vec<(Face, &Schedule)>> = HashMap::new();
        for (id, runners) in &self.named {
            let stands = self.schedules.get(id).filter(|one| one.active && !changed.contains(id));
            let Some(schedule) = stands else { continue };
            for runner in runners {
                on.entry(*runner).or_default().push((faces.of(schedule), schedule));
            }
        }
        for one in planned.iter().filter(|one| one.schedule.active) {
            let own = faces.of(&one.schedule);
            for runner in &one.runners {
                let all = on.entry(*runner).or_default();
                let near = all.iter().filter(|(face, _)| face.touches(&own));
                let near: Vec<&Schedule> = near.map(|(_, other)| *other).collect();
                let met = overlapping(desk, &self.calendars, &one.schedule, *runner, &near);
                if let Some(problem) = met {
                    return Err(at(desk, one.line, problem.into()));
                }
                all.push((own.clone(), &one.schedule));
            }
        }
        Ok(())
    }
}

/// One commit. Rows get their numbers and versions.
async fn write(desk: &Desk, batch: &mut [Planned]) -> Result<(), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let new: Vec<&Schedule> =
        batch.iter().filter(|one| one.before.is_none()).map(|one| &one.schedule).collect();
    let mut ids = schedules::insert_all(&mut decision.tx, &new).await?.into_iter();
    let mut named = Vec::new();
    for one in &mut *batch {
        match &one.before {
            None => one.schedule.id = ids.next().ok_or_else(|| Error::corrupt("a number each"))?,
            Some((_, standing)) => {
                let saved = schedules::update(&mut decision.tx, &one.schedule).await;
                saved.map_err(|error| changed_meanwhile(desk, one.line, error))?;
                one.schedule.version += 1;
                leave(&mut decision, &one.schedule, standing, &one.runners).await?;
            }
        }
        named.extend(joining(&one.schedule, one.standing(), &one.runners));
    }
    let now = decision.now;
    assignments::name_all(&mut decision.tx, &named, &desk.actor.name, now).await?;
    for one in &*batch {
        decision.audit(recorded(desk, one)?);
    }
    decision.commit().await?;
    Ok(())
}

/// What became of a row, for the audit.
fn recorded(desk: &Desk, one: &Planned) -> Result<Entry, Failure> {
    let view = |schedule: &Schedule, runners: &[RunnerId]| {
        let next = calendar::next_run(schedule, None, &desk.context.zone, desk.now, desk.now);
        let runners = runners.iter().map(|runner| runner.0).collect();
        host::as_json(ScheduleView::new(schedule, runners, next, desk.lang))
    };
    let verb = if one.before.is_some() { "editar" } else { "crear" };
    let subject = format!("programacion/{}", one.schedule.id);
    let mut entry = desk.by().did(format!("programacion.{verb}"), subject);
    let before = one.before.as_ref();
    entry.before = before.map(|(schedule, runners)| view(schedule, runners)).transpose()?;
    entry.after = Some(view(&one.schedule, &one.runners)?);
    Ok(entry)
}

/// Somebody else was quicker.
fn changed_meanwhile(desk: &Desk, line: usize, error: Error) -> Failure {
    if !matches!(error, Error::Conflict(_)) {
        return error.into();
    }
    let (es, en) = (
        "La programación cambió mientras se importaba: no se tomó nada.",
        "The schedule changed while the file was taken: nothing was.",
    );
    at(desk, line, conflict(desk.lang, "VERSION_DISTINTA", es, en).into())
}

/// Runners that a schedule names no more.
async fn leave(
    decision: &mut Decision,
    schedule: &Schedule,
    standing: &[RunnerId],
    named: &[RunnerId],
) -> Result<(), Error> {
    for gone in standing.iter().filter(|one| !named.contains(one)) {
        assignments::unname(&mut decision.tx, schedule.id, *gone).await?;
    }
    Ok(())
}

/// Runners that it names anew.
fn joining(
    schedule: &Schedule,
    standing: &[RunnerId],
    named: &[RunnerId],
) -> Vec<(RobotId, RunnerId, ScheduleId)> {
    let new = named.iter().filter(|one| !standing.contains(one));
    new.map(|runner| (schedule.robot, *runner, schedule.id)).collect()
}

/// Takes back what was written, the last first.
async fn undo(desk: &Desk, written: &[Planned]) -> Result<(), Failure> {
    for batch in written.rchunks(BATCH) {
        let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
        for one in batch.iter().rev() {
            match &one.before {
                None => schedules::remove(&mut decision.tx, one.schedule.id).await?,
                Some((before, runners)) => {
                    let back = Schedule { version: one.schedule.version, ..before.clone() };
                    schedules::update(&mut decision.tx, &back).await?;
                    leave(&mut decision, &back, &one.runners, runners).await?;
                    let (named, now) = (joining(&back, &one.runners, runners), decision.now);
                    assignments::name_all(&mut decision.tx, &named, &desk.actor.name, now).await?;
                }
            }
            let subject = format!("programacion/{}", one.schedule.id);
            decision.audit(desk.by().did("programacion.deshacer", subject));
        }
        decision.commit().await?;
    }
    Ok(())
}
