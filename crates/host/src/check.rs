//! Fields that came from outside, checked one by one so that a form is mended in one go.

use axum::http::StatusCode;
use engine::Word;
use jiff::civil::Date;
use serde_json::Value as Json;
use web::{Lang, Problem, bounds::Answer};

use crate::Failure;

/// How the house answers values out of range, unless an application's contract fixes another way.
pub const OUT_OF_RANGE: Answer = (StatusCode::UNPROCESSABLE_ENTITY, "DATOS_INVALIDOS");

/// Collects what is wrong.
#[derive(Debug)]
pub struct Check {
    lang: Lang,
    answer: Answer,
    wrong: Vec<(String, String)>,
}

impl Check {
    pub fn new(lang: Lang) -> Self {
        Self::answering(lang, OUT_OF_RANGE)
    }

    /// Where the contract of an application fixes another status and code.
    pub fn answering(lang: Lang, answer: Answer) -> Self {
        Self { lang, answer, wrong: Vec::new() }
    }

    pub fn wrong(&mut self, path: &str, es: &str, en: &str) {
        self.wrong.push((path.to_owned(), self.lang.t(es, en).to_owned()));
    }

    /// Text that must say something and fit.
    pub fn name(&mut self, path: &str, text: &str, most: usize) -> String {
        let text = text.trim();
        if text.is_empty() {
            self.wrong(path, "falta", "is missing");
        }
        self.fits(path, text, most);
        text.to_owned()
    }

    /// Text that may be absent; empty means absent.
    pub fn text(&mut self, path: &str, text: Option<&str>, most: usize) -> Option<String> {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        self.fits(path, text, most);
        Some(text.to_owned())
    }

    fn fits(&mut self, path: &str, text: &str, most: usize) {
        if text.chars().count() > most {
            let (es, en) = (
                format!("admite hasta {most} caracteres"),
                format!("takes at most {most} characters"),
            );
            self.wrong(path, &es, &en);
        }
        if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            self.wrong(
                path,
                "tiene un carácter no permitido",
                "has a character that is not allowed",
            );
        }
    }

    /// An address that a message may reach: something, one @, and a domain with a dot.
    pub fn email(&mut self, path: &str, text: Option<&str>, most: usize) -> Option<String> {
        let text = self.text(path, text, most)?;
        let plain = |part: &str| {
            !part.is_empty() && !part.chars().any(|c| c.is_whitespace() || "@,;<>()".contains(c))
        };
        let domain = |part: &str| part.contains('.') && part.split('.').all(plain);
        if !text.split_once('@').is_some_and(|(name, host)| plain(name) && domain(host)) {
            self.wrong(path, "no es una dirección de correo", "is not an e-mail address");
        }
        Some(text)
    }

    pub fn within(&mut self, path: &str, value: i64, least: i64, most: i64) -> i64 {
        if !(least..=most).contains(&value) {
            let told = web::wording::range(least, most);
            self.wrong(path, &told.es, &told.en);
        }
        value
    }

    /// A word of a closed list.
    pub fn word<T: Word>(&mut self, path: &str, word: Option<&str>) -> Option<T> {
        let word = word?;
        let found = T::from_word(word);
        if found.is_none() {
            let words: Vec<_> = T::ALL.iter().map(|one| one.word()).collect();
            let words = words.join(", ");
            let (es, en) = (format!("debe ser uno de {words}"), format!("must be one of {words}"));
            self.wrong(path, &es, &en);
        }
        found
    }

    /// A calendar date of this age: beyond it databases disagree about what an instant is.
    pub fn date(&mut self, path: &str, text: Option<&str>) -> Option<Date> {
        let date = text?.parse::<Date>().ok().filter(|date| (2000..3000).contains(&date.year()));
        if date.is_none() {
            self.wrong(path, "debe ser una fecha AAAA-MM-DD", "must be a date YYYY-MM-DD");
        }
        date
    }

    /// JSON that both databases can keep, not deeper or larger than is useful.
    pub fn json(&mut self, path: &str, value: Option<&Json>) -> Option<Json> {
        let value = value.filter(|value| !value.is_null())?;
        if !value.is_object() {
            self.wrong(path, "debe ser un objeto JSON", "must be a JSON object");
            return None;
        }
        let text = value.to_string();
        if text.len() > 20_000 || text.contains("\\u0000") {
            self.wrong(
                path,
                "es demasiado grande o tiene un carácter no permitido",
                "is too large or has a character that is not allowed",
            );
            return None;
        }
        Some(value.clone())
    }

    /// Everything that was wrong, in one problem.
    pub fn finish(self) -> Result<(), Failure> {
        if self.wrong.is_empty() {
            return Ok(());
        }
        Err(Problem::invalid(self.lang, self.answer, self.wrong).into())
    }
}

/// 422 that names every field at fault.
pub fn invalid(lang: Lang, wrong: Vec<(String, String)>) -> Problem {
    Problem::invalid(lang, OUT_OF_RANGE, wrong)
}
