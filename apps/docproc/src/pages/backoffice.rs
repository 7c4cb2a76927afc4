//! The back office: my next task, the queue, my numbers; and the station where tasks are answered.

use askama::Template;
use jiff::Timestamp;
use web::{Page, Tone};

use super::words::{self, Countdown};
use crate::{
    model::{Item, Status, TaskState},
    routes::escaped,
    store::{desk::Numbers, reviews::TaskRow},
    wire::people::OperatorView,
};

/// `/backoffice`: what waits for me and for everybody.
#[derive(Template)]
#[template(path = "backoffice.html")]
pub struct BackofficePage {
    pub page: Page,
    /// Absent on open loopback until somebody says who they are.
    pub operator: Option<String>,
    /// Whether names travel in addresses: nobody signed in.
    pub open: bool,
    /// The task to go on with once somebody said who they are; empty: none.
    pub wanted: String,
    pub mine: Vec<TaskLine>,
    /// The most urgent of those that nobody has, and how many there are.
    pub queue: Vec<TaskLine>,
    pub waiting: usize,
    pub others: Vec<TaskLine>,
    pub numbers: Numbers,
    /// Registered operators, to choose a name from.
    pub known: Vec<(String, String)>,
    /// Queues of teams, by their keys.
    pub teams: Vec<String>,
    /// The one that is looked at; absent: all.
    pub team: Option<String>,
}

/// The name of a team by the key of its queue.
pub fn team_title(key: &str) -> &str {
    key.strip_prefix("task.").unwrap_or(key)
}

/// A task in a list.
#[derive(Clone, Debug)]
pub struct TaskLine {
    pub id: String,
    pub title: String,
    pub file: String,
    pub request: String,
    pub workflow: String,
    pub countdown: Countdown,
    pub created: Timestamp,
    pub deadline: Timestamp,
    pub state: TaskState,
    pub who: Option<String>,
    pub claimed: bool,
    pub urgent: bool,
    /// Fields that want a look.
    pub flagged: usize,
    pub postponed_until: Option<Timestamp>,
}

/// Priorities at or above this one were raised on purpose.
const URGENT: i64 = 1;

impl TaskLine {
    pub fn new(page: &Page, task: &TaskRow, file: Option<String>) -> Self {
        let fields = task.input_data["fields"].as_array().into_iter().flatten();
        let flagged = fields.filter(|field| field["needs_review"] == true).count();
        let title = match &task.item {
            Item::Document(_) => {
                let word = task.input_data["doc_type"].as_str().unwrap_or_default();
                format!("{} {}", page.t("Completar", "Complete"), words::doc_type(page, word))
            }
            Item::Page(n) => format!("{} {}", page.t("Clasificar página", "Classify page"), n + 1),
            Item::Request => page.t("Clasificar", "Classify").to_owned(),
        };
        let span = (task.created_at, task.deadline);
        Self {
            id: task.id.clone(),
            title,
            file: file.unwrap_or_default(),
            request: task.request_id.clone(),
            workflow: task.workflow_name.clone(),
            countdown: Countdown::new(page, Status::Processing, span, page.now),
            created: task.created_at,
            deadline: task.deadline,
            state: task.status,
            who: task.assigned_to.clone(),
            claimed: task.claimed,
            urgent: task.priority <= URGENT,
            flagged,
            postponed_until: task.postponed_until.filter(|until| *until > page.now),
        }
    }

    fn status(&self, page: &Page) -> &'static str {
        match self.state {
            TaskState::Pending if self.postponed_until.is_some() => page.t("aplazada", "put off"),
            TaskState::Pending => page.t("libre", "free"),
            TaskState::Timeout => page.t("libre: su turno venció", "free: its turn lapsed"),
            TaskState::Assigned if self.claimed => page.t("en curso", "in hand"),
            TaskState::Assigned => page.t("asignada", "assigned"),
            TaskState::Completed => page.t("terminada", "done"),
            TaskState::Cancelled => page.t("retirada", "withdrawn"),
        }
    }

    fn tone(&self) -> Tone {
        match self.state {
            TaskState::Pending | TaskState::Cancelled => Tone::Plain,
            TaskState::Timeout => Tone::Warn,
            TaskState::Assigned => Tone::Info,
            TaskState::Completed => Tone::Good,
        }
    }
}

impl BackofficePage {
    fn query(&self) -> String {
        match &self.operator {
            Some(operator) if self.open => crate::routes::name_in_address(Some(operator)),
            Some(_) | None => String::new(),
        }
    }

    /// The page of a team's queue, or of all.
    fn queue_link(&self, team: Option<&str>) -> String {
        let base = format!("/backoffice{}", self.query());
        let join = if base.contains('?') { '&' } else { '?' };
        team.map_or(base.clone(), |team| format!("{base}{join}queue={}", escaped(team_title(team))))
    }

    #[expect(clippy::unused_self, reason = "templates call methods")]
    fn title_of<'a>(&self, team: &'a str) -> &'a str {
        team_title(team)
    }

    fn is_shown(&self, team: &str) -> bool {
        self.team.as_deref() == Some(team)
    }

    fn task(&self, id: &str) -> String {
        format!("/backoffice/tareas/{id}{}", self.query())
    }

    fn mean(&self) -> String {
        match self.numbers.mean {
            Some(mean) => words::millis(&self.page, mean.as_secs_f64() * 1_000.0),
            None => "–".to_owned(),
        }
    }
}

/// `/backoffice/tareas/{id}`: the review station.
#[derive(Template)]
#[template(path = "station.html")]
pub struct StationPage {
    pub page: Page,
    pub operator: String,
    pub open: bool,
    /// The task to begin with; empty: whatever is next.
    pub wanted: String,
    pub today: i64,
}

impl StationPage {
    fn home(&self) -> String {
        let named = self.open.then_some(self.operator.as_str());
        format!("/backoffice{}", crate::routes::name_in_address(named))
    }
}

/// `/docproc/operadores`: who they are and what they can.
#[derive(Template)]
#[template(path = "operators.html")]
pub struct OperatorsPage {
    pub page: Page,
    pub operators: Vec<OperatorView>,
    /// Skills an operator may have: kinds of task, then types of document.
    pub skills: Vec<(String, String)>,
}

impl OperatorsPage {
    fn presence(&self, one: &OperatorView) -> (&'static str, Tone) {
        let page = &self.page;
        match (one.is_active, one.in_shift, one.presence) {
            (false, _, _) => (page.t("inactivo", "inactive"), Tone::Plain),
            (_, false, _) => (page.t("fuera de horario", "out of shift"), Tone::Plain),
            (_, _, "here") => (page.t("presente", "here"), Tone::Good),
            (_, _, "silent") => (page.t("ausente", "away"), Tone::Warn),
            (true, true, _) => (page.t("sin señales aún", "not heard of yet"), Tone::Info),
        }
    }

    fn skill<'a>(&'a self, word: &'a str) -> &'a str {
        let known = self.skills.iter().find(|(one, _)| one == word);
        known.map_or(word, |(_, title)| title.as_str())
    }

    fn shifts(&self, one: &OperatorView) -> String {
        let page = &self.page;
        if one.shifts.is_empty() {
            return page.t("siempre", "always").to_owned();
        }
        let days = |shift: &crate::rules::shift::Shift| {
            if shift.days.is_empty() || shift.days.len() == 7 {
                return page.t("todos los días", "every day").to_owned();
            }
            let names: Vec<&str> = shift.days.iter().map(|day| words::day(page, *day)).collect();
            names.join(" ")
        };
        let told = |shift: &crate::rules::shift::Shift| {
            format!("{} {}–{}", days(shift), short(shift.from), short(shift.to))
        };
        let all: Vec<String> = one.shifts.iter().map(told).collect();
        all.join(" · ")
    }

    /// The profile as the form takes it.
    fn profile(one: &OperatorView) -> String {
        let shifts: Vec<_> = one
            .shifts
            .iter()
            .map(|shift| {
                serde_json::json!({ "days": shift.days, "from": short(shift.from),
                                    "to": short(shift.to) })
            })
            .collect();
        serde_json::json!({ "username": one.username, "display_name": one.display_name,
                            "skills": one.skills, "shifts": shifts,
                            "is_active": one.is_active })
        .to_string()
    }
}

fn short(time: jiff::civil::Time) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}
