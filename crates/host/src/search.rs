//! What Ctrl K finds in an application, and what it offers to do there.

use futures::future::BoxFuture;
use web::Lang;

use crate::{Actor, Context, Draw};

/// What one application answers to one search, at most.
pub const HITS: usize = 6;

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// What it is, in Spanish and English: a robot, a request.
    pub kind: (&'static str, &'static str),
    /// A symbol of `icons.svg`.
    pub icon: &'static str,
    pub title: String,
    /// What tells it from others of its name.
    pub detail: String,
    pub href: String,
}

/// What somebody looks for: at least one character, in small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    pub text: String,
    /// The language of who looks.
    pub lang: Lang,
}

impl Sought {
    pub fn new(typed: &str, lang: Lang) -> Option<Self> {
        let text: String = typed.trim().chars().take(100).collect::<String>().to_lowercase();
        (!text.is_empty() && !text.contains('\0')).then_some(Self { text, lang })
    }

    /// `#12` and `12` name the thing of that number.
    pub fn number(&self) -> Option<i64> {
        self.text.trim_start_matches('#').parse().ok()
    }

    /// Anywhere in a text, for `LIKE … ESCAPE '\'`.
    pub fn anywhere(&self) -> String {
        format!("%{}%", self.escaped())
    }

    /// SQLite knows no capitals outside ASCII (`Á` is not `á` to it): such a letter is any letter.
    fn escaped(&self) -> String {
        let mut pattern = String::with_capacity(self.text.len());
        for letter in self.text.chars() {
            match letter {
                '\\' | '%' | '_' => pattern.extend(['\\', letter]),
                letter if letter.is_ascii() => pattern.push(letter),
                _ => pattern.push('_'),
            }
        }
        pattern
    }
}

/// What an application finds for an actor, whose role it looks at.
pub type Search =
    for<'a> fn(&'a Context, &'a Actor, &'a Sought) -> BoxFuture<'a, Result<Vec<Hit>, db::Error>>;

/// Something to do, found by its words.
#[derive(Clone, Copy, Debug)]
pub struct Shortcut {
    pub label: (&'static str, &'static str),
    pub href: &'static str,
    /// A symbol of `icons.svg`.
    pub icon: &'static str,
    pub draw: Draw,
}

impl Shortcut {
    pub const fn new(
        label: (&'static str, &'static str),
        href: &'static str,
        icon: &'static str,
        draw: Draw,
    ) -> Self {
        Self { label, href, icon, draw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_text_and_not_a_pattern() {
        let new = |typed| Sought::new(typed, Lang::Es);
        assert_eq!(new("  "), None);
        let sought = new(" #12 ").unwrap();
        assert_eq!((sought.number(), sought.anywhere().as_str()), (Some(12), "%#12%"));
        assert_eq!(new("100%_a\\").unwrap().anywhere(), "%100\\%\\_a\\\\%");
        assert_eq!(new("Ángela").unwrap().anywhere(), "%_ngela%");
    }
}
