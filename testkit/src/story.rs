//! Scenarios that an operator can read: one line after the other, each must hold.
//!
//! A line is what someone does (`cashier start A`, `at 20:05:00`), what it is answered with
//! (`=> 409 CODE`) or what must be so (`expect A LISTO`); lines indented under it belong to it. The
//! words are the application's own, see [`Story`]. Times are those of its clock on the wall. A line
//! that does not hold is reported as `file:line` with what was found instead.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt::Display,
};

use jiff::{
    Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};
use serde_json::Value as Json;

use crate::{Answer, TestDb};

/// Why a line did not hold.
pub type Outcome<T = ()> = Result<T, String>;

/// An application to which scenarios are told.
#[allow(async_fn_in_trait, reason = "a test awaits it where it stands")]
pub trait Story: Sized {
    /// The zone of the clock on the wall.
    fn zone() -> TimeZone {
        TimeZone::UTC
    }

    /// Opens at the first `day` and `at` of the story.
    async fn open(db: &TestDb, at: Timestamp) -> Self;

    /// The clock goes to this instant, and everything due until then happens.
    async fn at(&mut self, instant: Timestamp) -> Outcome;

    /// Any other line.
    async fn line(&mut self, step: Step) -> Outcome;

    async fn close(self);
}

/// Tells the story `tests/scenarios/<name>.txt` of a crate; panics with the line that does not hold.
pub async fn tell<S: Story>(crate_dir: &str, db: &TestDb, name: &str) {
    let file = format!("{crate_dir}/tests/scenarios/{name}.txt");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let told = lines(&text);
    let zone = S::zone();
    let (mut story, mut today) = (None, None);
    for Line { number, text, under } in told {
        let step = async {
            let mut step = Step::of(&text, today.unwrap_or(Date::MIN), under)?;
            if step.words.takes("day") {
                let day = step.words.word("a date")?;
                today = Some(day.parse().map_err(|_| format!("{day} is not a date"))?);
                return step.words.end();
            }
            if step.words.takes("at") {
                let instant = step.words.instant(step.today, &zone)?;
                step.words.end()?;
                match &mut story {
                    None => story = Some(S::open(db, instant).await),
                    Some(story) => story.at(instant).await?,
                }
                return Ok(());
            }
            let story = story.as_mut().ok_or("a story begins with `day` and `at`")?;
            S::line(story, step).await
        };
        if let Err(reason) = step.await {
            panic!("tests/scenarios/{name}.txt:{number}: {text}\n    {reason}");
        }
    }
    story.expect("a story has lines").close().await;
}

/// Every file of `tests/scenarios` is told, and every number up to `last` by one of them, except those
/// that are shown in another way.
pub fn all_are_told(crate_dir: &str, told: &[&str], last: usize, elsewhere: &[usize]) {
    let files = std::fs::read_dir(format!("{crate_dir}/tests/scenarios")).expect("a folder");
    let written: BTreeSet<String> = files
        .map(|file| file.expect("a file").file_name().into_string().expect("a name"))
        .map(|name| name.trim_end_matches(".txt").to_owned())
        .collect();
    let told: BTreeSet<String> = told.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(written, told);
    for number in (1..=last).filter(|number| !elsewhere.contains(number)) {
        let mentions = |name: &String| name.split('_').any(|word| word == format!("s{number:02}"));
        assert!(told.iter().any(mentions), "nobody tells S-{number}");
    }
}

/// A test of each story on each database.
#[macro_export]
macro_rules! scenarios {
    ($story:ty: $($name:ident),+ $(,)?) => {
        const TOLD: &[&str] = &[$(stringify!($name)),+];

        async fn tell(db: &testkit::TestDb, name: &str) {
            testkit::story::tell::<$story>(env!("CARGO_MANIFEST_DIR"), db, name).await;
        }

        mod sqlite {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                testkit::on_sqlite(async |db| super::tell(db, stringify!($name)).await).await;
            }
        )+}

        mod postgres {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                testkit::on_postgres(async |db| super::tell(db, stringify!($name)).await).await;
            }
        )+}
    };
}

/// One line of a story, with the lines indented under it.
#[derive(Clone, Debug)]
struct Line {
    number: usize,
    text: String,
    under: Vec<String>,
}

/// The story without comments and empty lines.
fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let text = raw.split_once(" # ").map_or(raw, |(before, _)| before).trim_end();
        if text.trim().is_empty() || text.trim().starts_with('#') {
            continue;
        }
        let line = text.trim().to_owned();
        match found.last_mut() {
            Some(above) if text.starts_with(' ') => above.under.push(line),
            _ => found.push(Line { number: index + 1, text: line, under: Vec::new() }),
        }
    }
    found
}

/// A line that is about to be carried out.
#[derive(Clone, Debug)]
pub struct Step {
    pub words: Words,
    /// The day that its times belong to.
    pub today: Date,
    /// The lines indented under it.
    pub under: Vec<String>,
    refusal: Option<Refusal>,
}

/// `=> 409 PEDIDO_YA_PROCESADO`, and `or done` when both ways are right.
#[derive(Clone, Debug)]
struct Refusal {
    status: u16,
    code: String,
    or_done: bool,
}

impl Step {
    fn of(text: &str, today: Date, under: Vec<String>) -> Outcome<Self> {
        let (text, refusal) = match text.split_once("=>") {
            Some((text, refusal)) => (text.trim(), Some(Refusal::of(refusal)?)),
            None => (text, None),
        };
        Ok(Self { words: Words::of(text), today, under, refusal })
    }

    /// The lines indented under it as steps of their own.
    pub fn parts(&self) -> Outcome<Vec<Self>> {
        self.under.iter().map(|text| Self::of(text, self.today, Vec::new())).collect()
    }

    /// Whether a request was answered as the line says. Gives its body, or null when it was refused as
    /// expected.
    pub fn answered(&self, answer: &Answer) -> Outcome<Json> {
        let refused = answer.status >= 400;
        match &self.refusal {
            Some(Refusal { status, code, or_done }) => {
                let found = answer.json();
                let as_told = answer.status == *status && found["code"] == code.as_str();
                match (as_told, refused) {
                    (true, _) => Ok(Json::Null),
                    (false, false) if *or_done => Ok(found),
                    _ => Err(format!(
                        "expected {status} {code}, got {} {}",
                        answer.status, answer.text
                    )),
                }
            }
            None if refused => Err(format!("refused with {} {}", answer.status, answer.text)),
            None if answer.text.is_empty() => Ok(Json::Null),
            None => Ok(answer.json()),
        }
    }
}

impl Refusal {
    fn of(text: &str) -> Outcome<Self> {
        let mut words = Words::of(text);
        let status = words.number("a status")?;
        let code = words.word("a code")?;
        let or_done = words.takes("or") && words.takes("done");
        words.end()?;
        Ok(Self { status: u16::try_from(status).unwrap_or_default(), code, or_done })
    }
}

/// The words of a line, taken one by one. Quotes hold words together; a comma is a word.
#[derive(Clone, Debug)]
pub struct Words {
    rest: VecDeque<String>,
}

impl Words {
    pub fn of(text: &str) -> Self {
        let mut rest = VecDeque::new();
        for (index, part) in text.split('"').enumerate() {
            if index % 2 == 1 {
                rest.push_back(part.to_owned());
            } else {
                let spaced = part.replace(',', " , ");
                rest.extend(spaced.split_whitespace().map(str::to_owned));
            }
        }
        Self { rest }
    }

    pub fn take(&mut self) -> Option<String> {
        self.rest.pop_front()
    }

    pub fn word(&mut self, what: &str) -> Outcome<String> {
        self.take().ok_or_else(|| format!("{what} is missing"))
    }

    pub fn number(&mut self, what: &str) -> Outcome<i64> {
        let word = self.word(what)?;
        word.parse().map_err(|_| format!("{what}: {word} is not a number"))
    }

    /// Takes the next word if it is this one.
    pub fn takes(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        if found {
            self.rest.pop_front();
        }
        found
    }

    pub fn peek(&self) -> Option<&str> {
        self.rest.front().map(String::as_str)
    }

    /// Everything that is left.
    pub fn all(&mut self) -> Vec<String> {
        self.rest.drain(..).collect()
    }

    pub fn end(&mut self) -> Outcome {
        match self.take() {
            None => Ok(()),
            Some(word) => Err(format!("the word {word} is not understood here")),
        }
    }

    /// `20:15`, `20:15:30`, `tomorrow 20:15` or `2026-03-03 20:15`, on the clock of a zone.
    pub fn instant(&mut self, today: Date, zone: &TimeZone) -> Outcome<Timestamp> {
        let mut date = today;
        if self.takes("tomorrow") {
            date = today.tomorrow().map_err(|error| error.to_string())?;
        } else if let Some(named) = self.peek().and_then(|word| word.parse().ok()) {
            self.rest.pop_front();
            date = named;
        }
        let word = self.word("a time")?;
        let time: Time = word.parse().map_err(|_| format!("{word} is not a time"))?;
        let zoned = zone.to_ambiguous_zoned(date.to_datetime(time)).compatible();
        zoned.map(|zoned| zoned.timestamp()).map_err(|error| error.to_string())
    }
}

#[allow(clippy::needless_pass_by_value, reason = "words and numbers alike")]
pub fn same<T: PartialEq + Display>(what: &str, expected: T, got: T) -> Outcome {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected}, got {got}")) }
}
