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

    /// Anywhere in a column that is read with [`folded!`](crate::folded), for `LIKE … ESCAPE '\'`.
    pub fn anywhere(&self) -> String {
        let mut pattern = String::from("%");
        for letter in self.text.chars().map(unaccented) {
            match letter {
                '\\' | '%' | '_' => pattern.extend(['\\', letter]),
                letter if letter.is_ascii() => pattern.push(letter),
                // SQLite knows no capitals outside ASCII (`Ä` is not `ä` to it): any letter.
                _ => pattern.push('_'),
            }
        }
        pattern.push('%');
        pattern
    }
}

/// A letter without its accent, as [`folded!`](crate::folded) writes it.
const fn unaccented(letter: char) -> char {
    match letter {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        'ñ' => 'n',
        letter => letter,
    }
}

/// A column of text in small letters without accents, in both databases' SQL: «García» is found by
/// `garcia`.
#[macro_export]
macro_rules! folded {
    ($column:literal) => {
        $crate::folded!(@ ("LOWER(", $column, ")")
            "á" "a", "Á" "a", "é" "e", "É" "e", "í" "i", "Í" "i", "ó" "o", "Ó" "o", "ú" "u", "Ú" "u",
            "ü" "u", "Ü" "u", "ñ" "n", "Ñ" "n")
    };
    (@ ($($sql:tt)*) $from:literal $to:literal $(, $more:literal $plain:literal)*) => {
        $crate::folded!(@ ("REPLACE(", $($sql)*, ", '", $from, "', '", $to, "')")
            $($more $plain),*)
    };
    (@ ($($sql:tt)*)) => { concat!($($sql)*) };
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
        assert_eq!(new("Ángela Núñez Bäcker").unwrap().anywhere(), "%angela nunez b_cker%");
    }

    #[test]
    fn a_column_is_folded_letter_by_letter() {
        let sql = crate::folded!("name");
        assert!(sql.starts_with("REPLACE(REPLACE("), "{sql}");
        assert!(sql.contains("(LOWER(name), 'á', 'a')") && sql.ends_with(", 'Ñ', 'n')"), "{sql}");
    }
}
