//! What the document says in English, and the same in Spanish.

use std::collections::HashMap;

use axum::http::StatusCode;
use serde_json::Value as Json;
use web::{Lang, Page};

/// The same in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub en: String,
    pub es: String,
}

impl Text {
    /// What stands between backticks is written as it is on the wire: whether it does, and the words.
    pub(super) fn parts(&self, page: &Page) -> Vec<(bool, &str)> {
        let parts = page.t(&self.es, &self.en).split('`').enumerate();
        parts.map(|(at, part)| (at % 2 == 1, part)).collect()
    }
}

/// What an application says of its operations: its words in English, and under each the Spanish ones.
/// A line that begins with `#` is for whoever writes them.
#[derive(Debug)]
pub(super) struct Spanish(HashMap<String, &'static str>);

impl Spanish {
    pub(super) fn of(words: &'static str) -> Self {
        let house = include_str!("spanish.txt");
        let lines = |text: &'static str| {
            text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
        };
        let all: Vec<_> = lines(house).chain(lines(words)).collect();
        Self(all.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1])).collect())
    }

    /// A text of the document, without the line breaks of the source it was written in.
    pub(super) fn text(&self, said: &Json) -> Text {
        let words = said.as_str().unwrap_or_default().split_whitespace();
        let en = words.collect::<Vec<_>>().join(" ");
        let es = self.0.get(&en).map_or_else(|| en.clone(), |es| (*es).to_owned());
        // Names of the trade lean in the source; the page is plain.
        let plain = |text: String| text.replace('*', "");
        Text { en: plain(en), es: plain(es) }
    }

    /// What a status means: in the words of the operation, or of all refusals.
    pub(super) fn answer(&self, status: &str, said: &Json) -> Text {
        let text = self.text(&said["description"]);
        let code = status.parse().ok().and_then(|code| StatusCode::from_u16(code).ok());
        match code {
            Some(code) if text.en.is_empty() || text.en == Lang::En.status(code) => {
                let [en, es] = [Lang::En, Lang::Es].map(|lang| lang.status(code).to_owned());
                Text { en, es }
            }
            _ => text,
        }
    }
}
