//! Reading a scenario: lines, words, times.

use jiff::{
    Timestamp,
    civil::{Date, Time},
};

use crate::shop::zone;

/// Why a line did not hold.
pub(super) type Outcome<T = ()> = Result<T, String>;

/// One line of the story, with the lines indented under it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) under: Vec<Line>,
}

/// The story without comments and empty lines.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let text = raw.split_once(" # ").map_or(raw, |(before, _)| before).trim_end();
        if text.trim().is_empty() || text.trim().starts_with('#') {
            continue;
        }
        let line = Line { number: index + 1, text: text.trim().to_owned(), under: Vec::new() };
        match found.last_mut() {
            Some(above) if text.starts_with(' ') => above.under.push(line),
            _ => found.push(line),
        }
    }
    found
}

/// The words of a line, taken one by one. Quotes hold words together; a comma is a word.
#[derive(Clone, Debug)]
pub(super) struct Words {
    rest: std::collections::VecDeque<String>,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut rest = std::collections::VecDeque::new();
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

    pub(super) fn next(&mut self) -> Option<String> {
        self.rest.pop_front()
    }

    pub(super) fn word(&mut self, what: &str) -> Outcome<String> {
        self.next().ok_or_else(|| format!("{what} is missing"))
    }

    pub(super) fn number(&mut self, what: &str) -> Outcome<i64> {
        let word = self.word(what)?;
        word.parse().map_err(|_| format!("{what}: {word} is not a number"))
    }

    /// Takes the next word if it is this one.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let found = self.rest.front().is_some_and(|next| next == word);
        if found {
            self.rest.pop_front();
        }
        found
    }

    pub(super) fn peek(&self) -> Option<&str> {
        self.rest.front().map(String::as_str)
    }

    /// Everything that is left.
    pub(super) fn all(&mut self) -> Vec<String> {
        self.rest.drain(..).collect()
    }

    pub(super) fn end(&mut self) -> Outcome {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(format!("the word {word} is not understood here")),
        }
    }

    /// `20:15`, `20:15:30` or `tomorrow 20:15`, on the local clock.
    pub(super) fn instant(&mut self, today: Date) -> Outcome<Timestamp> {
        let mut date = today;
        if self.takes("tomorrow") {
            date = today.tomorrow().map_err(|error| error.to_string())?;
        }
        let word = self.word("a time")?;
        let time: Time = word.parse().map_err(|_| format!("{word} is not a time"))?;
        let zoned = zone().to_ambiguous_zoned(date.to_datetime(time)).compatible();
        zoned.map(|zoned| zoned.timestamp()).map_err(|error| error.to_string())
    }
}

/// How a person of the shop would say it.
pub(super) fn local(instant: Timestamp) -> String {
    zone().to_datetime(instant).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[allow(clippy::needless_pass_by_value, reason = "words and numbers alike")]
pub(super) fn same<T: PartialEq + std::fmt::Display>(what: &str, expected: T, got: T) -> Outcome {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected}, got {got}")) }
}
