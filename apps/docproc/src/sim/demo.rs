//! The demonstration's office (`turno serve --demo`): post that comes by the hour of the day, two
//! operators who answer what was doubtful, and a workflow whose deadline people can meet.
//!
//! While time is moved the post is born digital: nobody waits for pictures to be read. Whoever
//! watches gets paper too.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use axum::http::{HeaderValue, Method, header};
use engine::Chance;
use host::{Actor, Doors, Next, Tick, person};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value as Json, json};
use tokio::sync::Mutex;

use super::{Letter, Look, letter};
use crate::rules::workflow::DEFAULT;

const TICK: &str = "docproc.demo";
/// Letters whose truth the operators still have in mind.
const REMEMBERED: usize = 400;
const BOUNDARY: &str = "turno-demo-5f1c";
/// Who answers, and of how many tasks in a hundred: some are left for whoever watches.
const OPERATORS: [(&str, &str); 2] = [("ana", "Ana Ferreyra"), ("luis", "Luis Quiroga")];
const ANSWERED: f64 = 85.0;
/// How many tasks they leave for whoever watches, and how long before its deadline they take one all the
/// same.
const LEFT: u64 = 3;
const PRESSING: SignedDuration = SignedDuration::from_hours(1);
/// The last of the past.
const RECENT: SignedDuration = SignedDuration::from_mins(40);

/// The default flow with four hours instead of a minute, and fewer values taken for sure: people are
/// asked. What somebody uploads on the page comes here too: in a minute nobody has found the station.
pub(crate) fn workflow() -> String {
    DEFAULT
        .replacen("name: default", "name: oficina", 1)
        .replacen("Standard document processing workflow", "The office's post: four hours", 1)
        .replacen("deadline_seconds: 60", "deadline_seconds: 14400", 1)
        .replacen("confidence_threshold: 0.75", "confidence_threshold: 0.99", 1)
        .replacen("\nstages:", "\nroutes:\n  - channel: web\n\nstages:", 1)
}

/// The tick that plays the office.
pub(crate) fn tick() -> Tick {
    let office = Arc::new(Mutex::new(Office::default()));
    let run = move |context: host::Context, now: Timestamp| {
        let office = office.clone();
        async move { office.lock().await.live(&context, now).await }
    };
    Tick::new(TICK, run).without_net()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Post,
    /// An operator, by number, looks for a task.
    Work(usize),
    /// And answers it.
    Answer(usize),
}

/// How fast the post comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Past,
    /// A clock that is moved by hand.
    Moved,
    Watched,
}

#[derive(Default)]
struct Office {
    open: bool,
    pace: Option<Pace>,
    agenda: BTreeMap<(Timestamp, u64), Act>,
    count: u64,
    letters: u64,
    seed: u64,
    /// What is printed on the letters, by request.
    truth: HashMap<String, Vec<Printed>>,
    order: VecDeque<String>,
    in_hand: [Option<Json>; OPERATORS.len()],
}

/// A document's type and values.
type Printed = (&'static str, BTreeMap<String, String>);

impl Office {
    async fn live(&mut self, context: &host::Context, now: Timestamp) -> Next {
        let doors = context.doors();
        if !self.open {
            self.open(&doors, now).await;
        }
        let pace = match (context.is_past(), context.clock.is_manual()) {
            (true, _) => Pace::Past,
            (false, true) => Pace::Moved,
            (false, false) => Pace::Watched,
        };
        if self.pace.replace(pace).is_some_and(|before| before != pace) {
            self.agenda.retain(|_, act| matches!(act, Act::Answer(_)));
            self.arrange(now, Act::Post);
            for n in (0..OPERATORS.len()).filter(|n| self.in_hand[*n].is_none()).collect::<Vec<_>>()
            {
                self.arrange(now + SignedDuration::from_mins(1), Act::Work(n));
            }
        }
        while self.agenda.first_key_value().is_some_and(|((at, _), _)| *at <= now) {
            let Some((_, act)) = self.agenda.pop_first() else { break };
            match act {
                Act::Post => {
                    let too_little = is_recent(context, now) && waiting(&doors, 0).await.0 < LEFT;
                    self.send(&doors, pace).await;
                    self.arrange(
                        next_letter(context, pace, too_little, self.letters, now),
                        Act::Post,
                    );
                    if pace == Pace::Past && !is_recent(context, now) {
                        self.call_operators(now);
                    }
                }
                Act::Work(n) => {
                    let next = next_look(context, pace, n, now);
                    let leaves = pace != Pace::Past || is_recent(context, now);
                    self.work(&doors, n, leaves, now, next).await;
                }
                Act::Answer(n) => self.answer(&doors, n, now).await,
            }
        }
        Ok(self.agenda.first_key_value().map(|((at, _), _)| *at))
    }

    async fn open(&mut self, doors: &Doors, now: Timestamp) {
        let boss = person(crate::NAME, "silvia", "ADMIN");
        for (n, (username, display_name)) in OPERATORS.iter().enumerate() {
            let body = json!({ "username": username, "display_name": display_name,
                               "skills": crate::rules::assign::KINDS });
            // Registered by an earlier start, it is refused.
            doors.call(&boss, Method::POST, "/api/docproc/operators", &body).await;
            self.arrange(now + SignedDuration::from_mins(2 + n as i64), Act::Work(n));
        }
        self.arrange(now, Act::Post);
        // Each start brings other documents.
        self.seed = now.as_second().unsigned_abs();
        self.open = true;
    }

    /// In the past what was doubtful was answered within minutes, at any hour: a task that waits is
    /// offered again and again, and a week would take as long as its nights.
    fn call_operators(&mut self, now: Timestamp) {
        self.agenda.retain(|_, act| !matches!(act, Act::Work(_)));
        for n in 0..OPERATORS.len() {
            if self.in_hand[n].is_none() {
                self.arrange(now + SignedDuration::from_mins(2), Act::Work(n));
            }
        }
    }

    fn arrange(&mut self, at: Timestamp, act: Act) {
        self.count += 1;
        self.agenda.insert((at, self.count), act);
    }

    async fn send(&mut self, doors: &Doors, pace: Pace) {
        let (n, seed) = (self.letters, self.seed);
        self.letters += 1;
        let look = if pace == Pace::Watched { Look::Mixed } else { Look::Clean };
        let made = tokio::task::spawn_blocking(move || letter(n, seed, look)).await;
        let made = match made {
            Ok(Ok(made)) => made,
            Ok(Err(error)) => return tracing::warn!(%error, "a letter of the demonstration"),
            Err(error) => return tracing::warn!(%error, "a letter of the demonstration"),
        };
        let who = person(crate::NAME, "recepcion", "EMISOR");
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let Ok(kind) = HeaderValue::from_str(&kind) else { return };
        let body = form(&made);
        let content = (header::CONTENT_TYPE, kind);
        let heard = doors.send(&who, Method::POST, "/process", content, body).await;
        if let Some(id) = heard.body["request_id"].as_str() {
            self.truth.insert(id.to_owned(), made.printed);
            self.order.push_back(id.to_owned());
            if self.order.len() > REMEMBERED
                && let Some(old) = self.order.pop_front()
            {
                self.truth.remove(&old);
            }
        }
    }

    /// Takes the next task, if one waits and the operator is in the mood.
    async fn work(
        &mut self,
        doors: &Doors,
        n: usize,
        leaves: bool,
        now: Timestamp,
        next: Timestamp,
    ) {
        let mut chance = Chance::of(&[n as u64, now.as_second().unsigned_abs()]);
        let here = "/api/docproc/desk/heartbeat";
        doors.call(&operator(n), Method::POST, here, &json!({})).await;
        let (waiting, nearest) = waiting(doors, n).await;
        let pressing = nearest.is_some_and(|deadline| deadline.duration_since(now) < PRESSING);
        if !chance.percent(ANSWERED) || (leaves && waiting <= LEFT && !pressing) {
            return self.arrange(next, Act::Work(n));
        }
        let path = "/api/docproc/desk/next";
        let task = doors.call(&operator(n), Method::POST, path, &json!({})).await.body;
        if task["id"].is_string() {
            self.in_hand[n] = Some(task);
            let takes = SignedDuration::from_secs(chance.between(20, 90));
            self.arrange(now + takes, Act::Answer(n));
        } else {
            self.arrange(next, Act::Work(n));
        }
    }

    async fn answer(&mut self, doors: &Doors, n: usize, now: Timestamp) {
        if let Some(task) = self.in_hand[n].take() {
            let id = task["id"].as_str().unwrap_or_default();
            let request = task["request_id"].as_str().unwrap_or_default();
            let answer =
                reply(&task, self.truth.get(request).map(Vec::as_slice).unwrap_or_default());
            let path = format!("/tasks/{id}/submit");
            let heard = doors.call(&operator(n), Method::POST, &path, &answer).await;
            if !heard.status.is_success() {
                // What is refused is left to whoever watches.
                let path = format!("/tasks/{id}/release");
                doors.call(&operator(n), Method::POST, &path, &json!({})).await;
                return self.arrange(now + SignedDuration::from_hours(1), Act::Work(n));
            }
        }
        self.arrange(now + SignedDuration::from_secs(5), Act::Work(n));
    }
}

/// How many tasks an operator could take, and the deadline that comes first.
async fn waiting(doors: &Doors, n: usize) -> (u64, Option<Timestamp>) {
    let heard = doors.call(&operator(n), Method::GET, "/api/docproc/desk", &Json::Null).await.body;
    let nearest = heard["nearest_deadline"].as_str().and_then(|at| at.parse().ok());
    (heard["waiting"].as_u64().unwrap_or_default(), nearest)
}

fn operator(n: usize) -> Actor {
    person(crate::NAME, OPERATORS[n].0, "OPERADOR")
}

/// What an operator says who has the paper before their eyes; without it, what was read is believed.
fn reply(task: &Json, printed: &[Printed]) -> Json {
    let doc_type = task["doc_type"].as_str();
    if task["task_type"].as_str().is_some_and(|kind| kind.contains("classification")) {
        let likely = task["scores"][0]["word"].as_str().or(doc_type).unwrap_or("other");
        let known = if printed.len() == 1 { printed[0].0 } else { likely };
        return json!({ "doc_type": known });
    }
    let truth = printed.iter().find(|(kind, _)| Some(*kind) == doc_type).map(|(_, values)| values);
    let (mut data, mut absent) = (Map::new(), Vec::new());
    for field in task["fields"].as_array().into_iter().flatten() {
        let Some(name) = field["name"].as_str() else { continue };
        let known = truth.and_then(|truth| truth.get(name)).map(String::as_str);
        match known.or(field["value"].as_str()) {
            Some(value) => {
                data.insert(name.to_owned(), value.into());
            }
            None if field["required"] == true => absent.push(name),
            None => {}
        }
    }
    json!({ "extracted_data": data, "absent": absent })
}

/// The letter as a browser sends it.
fn form(letter: &Letter) -> Vec<u8> {
    let mut body = Vec::new();
    let part = |name: &str, text: &str| {
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    body.extend(part("metadata", &letter.metadata.to_string()).into_bytes());
    body.extend(part("workflow", "oficina").into_bytes());
    body.extend(part("channel", "email").into_bytes());
    let name = &letter.name;
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/pdf\r\n\r\n"
    );
    body.extend(head.into_bytes());
    body.extend(&letter.bytes);
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").into_bytes());
    body
}

/// Whether the past ends soon. It leaves something to do for whoever watches then.
fn is_recent(context: &host::Context, now: Timestamp) -> bool {
    context.options.past.is_some_and(|past| (past.to - RECENT..past.to).contains(&now))
}

/// When an operator who has nothing to do looks again; in the past nobody did at night.
fn next_look(context: &host::Context, pace: Pace, n: usize, now: Timestamp) -> Timestamp {
    let mut chance = Chance::of(&[n as u64, 5, now.as_second().unsigned_abs()]);
    let (least, most) = match pace {
        Pace::Past => (30, 70),
        Pace::Moved => (15, 40),
        Pace::Watched => (3, 14),
    };
    let next = now + SignedDuration::from_mins(chance.between(least, most));
    let hour = i64::from(next.to_zoned(context.zone.clone()).hour());
    match pace {
        Pace::Past if hour < 8 => next + SignedDuration::from_hours(8 - hour),
        Pace::Past if hour >= 18 => next + SignedDuration::from_hours(32 - hour),
        _ => next,
    }
}

/// When the next letter comes; sooner while there is too little to do for whoever will watch.
fn next_letter(
    context: &host::Context,
    pace: Pace,
    too_little: bool,
    sent: u64,
    now: Timestamp,
) -> Timestamp {
    let mut chance = Chance::of(&[sent, now.as_second().unsigned_abs()]);
    let local = now.to_zoned(context.zone.clone());
    let office_hours = (8..18).contains(&local.hour());
    let minutes = match (pace, office_hours) {
        (Pace::Past, _) if too_little => 1,
        (Pace::Past, _) if is_recent(context, now) => 15,
        (Pace::Past, true) => 60,
        (Pace::Past, false) => 600,
        (Pace::Moved, true) => 10,
        (Pace::Moved, false) => 40,
        (Pace::Watched, _) => 2,
    };
    let seconds = minutes * 60;
    let next = now + SignedDuration::from_secs(chance.between(seconds / 2, seconds * 3 / 2));
    // The pause that the night or a slow hour makes does not swallow the last of the past.
    let recent = context.options.past.map(|past| past.to - RECENT);
    recent.filter(|recent| now < *recent && *recent < next).unwrap_or(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offices_flow_is_the_default_one_with_time_for_people() {
        let flow = crate::rules::workflow::parse(&workflow()).unwrap();
        assert_eq!((flow.name.as_str(), flow.sla.deadline.unwrap().as_secs()), ("oficina", 14_400));
        assert_eq!(flow.routes[0].channel.as_deref(), Some("web"), "uploads come here");
        let default = crate::rules::workflow::parse(DEFAULT).unwrap();
        assert_eq!(flow.stages.len(), default.stages.len());
    }

    #[test]
    fn an_operator_says_what_is_printed_and_believes_the_rest() {
        let field = |name: &str, value: Option<&str>| json!({ "name": name, "value": value, "required": true });
        let task = json!({ "task_type": "extraction", "doc_type": "invoice", "fields": [
            field("total_amount", Some("100.00")), field("date", Some("2026-05-04")),
            field("iban", None) ] });
        let printed = BTreeMap::from([("total_amount".to_owned(), "1000.00".to_owned())]);
        let said = reply(&task, &[("invoice", printed)]);
        assert_eq!(said["extracted_data"]["total_amount"], "1000.00");
        assert_eq!(said["extracted_data"]["date"], "2026-05-04");
        assert_eq!(said["absent"], json!(["iban"]));
    }
}
