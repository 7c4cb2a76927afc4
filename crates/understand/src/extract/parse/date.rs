//! Dates as people print them: `12/03/2018`, `2018-03-12`, `12 MAR 2018`, `12 de marzo de 2018`.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Captures, Regex};

use crate::extract::text::{digits_for_lookalikes, fold, likeness, shape};

/// A day found in a text.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::extract) struct Day {
    pub(in crate::extract) bytes: Range<usize>,
    /// Read with the day before the month where both orders are possible.
    pub(in crate::extract) date: Date,
    /// The other reading, when day and month can change places.
    pub(in crate::extract) swapped: Option<Date>,
    /// Whether the form itself tells which order its writer uses.
    pub(in crate::extract) order: Option<Order>,
    pub(in crate::extract) certainty: f32,
}

/// Which comes first in the all-digit dates of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extract) enum Order {
    DayFirst,
    MonthFirst,
}

const MONTHS: [&[&str]; 12] = [
    &["january", "enero", "janvier", "gener", "janeiro", "jan", "ene", "janv", "gen"],
    &["february", "febrero", "fevrier", "febrer", "fevereiro", "feb", "fev", "fevr", "febr"],
    &["march", "marzo", "mars", "marco", "marc", "mar"],
    &["april", "abril", "avril", "apr", "abr", "avr"],
    &["may", "mayo", "mai", "maig", "maio"],
    &["june", "junio", "juin", "juny", "junho", "jun"],
    &["july", "julio", "juillet", "juliol", "julho", "jul", "juil"],
    &["august", "agosto", "aout", "agost", "aug", "ago"],
    &[
        "september",
        "septiembre",
        "setiembre",
        "septembre",
        "setembre",
        "setembro",
        "sep",
        "sept",
        "set",
    ],
    &["october", "octubre", "octobre", "outubro", "oct", "out"],
    &["november", "noviembre", "novembre", "novembro", "nov"],
    &["december", "diciembre", "decembre", "desembre", "dezembro", "dec", "dic", "des", "dez"],
];

/// The month a word names, in Spanish, English, French, Catalan or Portuguese.
pub(in crate::extract) fn month(word: &str) -> Option<i8> {
    let folded = fold(word);
    let shaped = shape(&folded);
    let exact = |names: &[&str]| names.contains(&folded.as_str());
    let near = |names: &[&str]| {
        names.iter().any(|name| name.len() > 4 && likeness(&shape(name), &shaped) > 0.75)
    };
    let found = MONTHS.iter().position(|names| exact(names));
    found.or_else(|| MONTHS.iter().position(|names| near(names))).map(|at| at as i8 + 1)
}

static NUMERIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<a>\d{1,2}) ?(?P<s>[/.\-]) ?(?P<b>\d{1,2}) ?(?P<t>[/.\-]) ?(?P<y>(?:19|20)\d\d|\d\d)",
    )
});
static ISO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?P<y>(?:19|20)\d\d) ?[-/.] ?(?P<b>\d{1,2}) ?[-/.] ?(?P<a>\d{1,2})")
});
static SPACED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<a>\d{2}) (?P<b>\d{2}) (?P<y>(?:19|20)\d\d)"));
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?P<a>\d{1,2})(?:st|nd|rd|th|er|º)?[ \-/.,]{0,2}(?:d(?:e |['’]))?",
        r"(?P<m>\pL{3,10})\.?[ \-/.,'’]{0,2}(?:del? )?(?:año )?",
        r"(?P<y>(?:19|20)\d\d|\d\d)",
    ))
});
static MONTH_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?P<m>\pL{3,10})\.?[ \-]{0,2}(?P<a>\d{1,2})(?:st|nd|rd|th)?[ ,\-.]{1,3}",
        r"(?P<y>(?:19|20)\d\d)",
    ))
});
static COMPACT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<y>20\d\d)(?P<b>\d\d)(?P<a>\d\d)"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns are constants covered by tests")
}

/// Every day in the text, left to right. `today` places years of two digits in a century.
pub(in crate::extract) fn find(text: &str, today: Date) -> Vec<Day> {
    if !text.contains(|letter: char| letter.is_ascii_digit()) {
        return Vec::new();
    }
    let text = &repaired(text);
    let mut days: Vec<Day> = Vec::new();
    let forms: [(&Regex, f32); 6] = [
        (&ISO, 1.0),
        (&NAMED, 1.0),
        (&MONTH_FIRST, 0.95),
        (&NUMERIC, 1.0),
        (&SPACED, 0.8),
        (&COMPACT, 0.5),
    ];
    for (form, certainty) in forms {
        let mut from = 0;
        while let Some(found) = form.captures_at(text, from) {
            let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
            let day = day_of(text, &found, certainty, today).filter(|day| {
                stands_alone(text, day, &days)
                    && !days.iter().any(|other| overlap(&other.bytes, &day.bytes))
            });
            // What is no date may hide one that starts a little later: `3. 23-12-1964`.
            from = if day.is_some() { whole.end } else { next_letter(text, whole.start) };
            days.extend(day);
        }
    }
    days.sort_by_key(|day| day.bytes.start);
    days
}

fn next_letter(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Reads the whole text as one date.
pub(in crate::extract) fn parse(text: &str, today: Date) -> Option<Day> {
    let text = text.trim();
    let mut days = find(text, today);
    let whole = |day: &Day| day.bytes == (0..text.len());
    if days.len() == 1 && whole(&days[0]) { days.pop() } else { None }
}

/// Whether no number runs into the day from the left; another day may, as in `01/03/24-31/03/24`.
fn stands_alone(text: &str, day: &Day, before: &[Day]) -> bool {
    let head = &text.as_bytes()[..day.bytes.start];
    match head {
        [.., b'0'..=b'9'] => before.iter().any(|other| other.bytes.end == day.bytes.start),
        [.., b'0'..=b'9', b'.' | b',' | b'/' | b'-'] => {
            before.iter().any(|other| other.bytes.end + 1 == day.bytes.start)
        }
        _ => true,
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn day_of(text: &str, found: &Captures<'_>, certainty: f32, today: Date) -> Option<Day> {
    let number = |name| found.name(name).and_then(|part| part.as_str().parse::<i16>().ok());
    let year_text = found.name("y")?;
    let mut certainty = certainty;
    let end = found.get(0)?.end();
    match text.as_bytes()[end..] {
        // `201809:44` is a year with the time glued to it; two digits before more are no year.
        [b'0'..=b'9', ..] if end == year_text.end() && year_text.len() == 4 => certainty *= 0.7,
        // `2017-04-152017-05-30`: two dates run together.
        [b'1', b'9', ..] | [b'2', b'0', ..] if end != year_text.end() => certainty *= 0.8,
        [b'0'..=b'9', ..] => return None,
        // `24/07/20 17`: a year torn in two.
        [b' ', decade @ b'0'..=b'9', b'0'..=b'9', ref rest @ ..]
            if year_text.len() == 2
                && matches!(rest, [] | [b' ', ..])
                && matches!((year_text.as_str(), decade), ("19", b'9') | ("20", b'0'..=b'2')) =>
        {
            return None;
        }
        [b'.' | b',' | b'/' | b'-', b'0'..=b'9', ..] if year_text.len() < 4 => {
            // Only another date may follow two digits of a year.
            NUMERIC.find_at(text, end + 1).filter(|next| next.start() == end + 1)?;
        }
        _ => {}
    }
    if let (Some(first), Some(second)) = (found.name("s"), found.name("t"))
        && first.as_str() != second.as_str()
    {
        certainty *= 0.6;
    }
    let (year, guessed) = full_year(number("y")?, year_text.len(), today);
    if guessed {
        certainty *= 0.97;
    }
    let a = number("a")? as i8;
    let (date, swapped, order) = if let Some(name) = found.name("m") {
        (date_of(year, month(name.as_str())?, a)?, None, None)
    } else {
        let b = number("b")? as i8;
        let numeric = found.name("s").is_some();
        let (day_first, month_first) = (date_of(year, b, a), date_of(year, a, b));
        match (day_first, month_first) {
            (Some(date), Some(other)) if numeric && a != b => (date, Some(other), None),
            (Some(date), None) if numeric => (date, None, Some(Order::DayFirst)),
            (None, Some(date)) if numeric => (date, None, Some(Order::MonthFirst)),
            (Some(date), _) => (date, None, None),
            _ => return None,
        }
    };
    let start = found.name("a")?.start().min(year_text.start());
    let start = found.name("m").map_or(start, |name| start.min(name.start()));
    let end = found.name("a")?.end().max(year_text.end());
    Some(Day { bytes: start..end, date, swapped, order, certainty })
}

fn date_of(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

/// Two digits are the year nearest below ten years from today.
fn full_year(year: i16, digits: usize, today: Date) -> (i16, bool) {
    if digits > 2 {
        return (year, false);
    }
    let limit = today.year() + 10;
    let year = limit - limit.rem_euclid(100) + year;
    (if year > limit { year - 100 } else { year }, true)
}

/// Digits for look-alikes inside words that are mostly digits; length in bytes is kept.
fn repaired(text: &str) -> String {
    let fix = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
        if digits >= 2 * letters && letters > 0 && letters <= 2 {
            word.chars().map(digits_for_lookalikes).collect()
        } else {
            word.to_owned()
        }
    };
    let words: Vec<String> = text.split(' ').map(fix).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const TODAY: Date = date(2026, 2, 1);

    fn read(text: &str) -> Vec<String> {
        find(text, TODAY).iter().map(|day| day.date.to_string()).collect()
    }

    #[test]
    fn every_common_form_is_read() {
        for (text, day) in [
            ("11/01/2019", "2019-01-11"),
            ("DATE: 14-03-18 10:22", "2018-03-14"),
            ("2018-03-14T10:00", "2018-03-14"),
            ("05 MAR 2018", "2018-03-05"),
            ("24-MAR-2018", "2018-03-24"),
            ("14/JUN/2017", "2017-06-14"),
            ("a 12 de marzo de 2024.", "2024-03-12"),
            ("12 de marzo del 2024", "2024-03-12"),
            ("1er août 2020", "2020-08-01"),
            ("March 3rd, 2021", "2021-03-03"),
            ("27MAR2018", "2018-03-27"),
            ("O7/O7/17", "2017-07-07"),
            ("03/18/2015", "2015-03-18"),
            ("15.07.1985", "1985-07-15"),
            ("11/01/201909:44", "2019-01-11"),
            ("01 02 1990", "1990-02-01"),
            ("9/2/2017", "2017-02-09"),
            ("12 de rnarzo de 2024", "2024-03-12"),
            ("01-01-85", "1985-01-01"),
            ("3. 23-12-1964 Vigo", "1964-12-23"),
        ] {
            assert_eq!(read(text), [day], "{text}");
        }
    }

    #[test]
    fn days_that_touch_are_told_apart() {
        assert_eq!(read("2017-04-152017-05-30"), ["2017-04-15", "2017-05-30"]);
        assert_eq!(read("01/03/24-31/03/24"), ["2024-03-01", "2024-03-31"]);
        assert_eq!(read("del 01/03/2024 al 31/03/2024"), ["2024-03-01", "2024-03-31"]);
    }

    #[test]
    fn other_numbers_are_not_dates() {
        for text in [
            "12.50",
            "1.234,56",
            "192.168.1.100",
            "31/02/2018",
            "00/00/00",
            "TEL 07-5547360",
            "12-13-14-15",
            "12/2018",
            "LOT 1851-A",
            "3 x 10.00 2018",
        ] {
            assert_eq!(read(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn order_is_told_or_left_open() {
        assert_eq!(find("03/18/2015", TODAY)[0].order, Some(Order::MonthFirst));
        assert_eq!(find("18/03/2015", TODAY)[0].order, Some(Order::DayFirst));
        let open = &find("03/04/2015", TODAY)[0];
        assert_eq!((open.date, open.swapped), (date(2015, 4, 3), Some(date(2015, 3, 4))));
        assert_eq!(find("03/03/2015", TODAY)[0].swapped, None);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,60}") { let _ = find(&text, TODAY); }

        #[test]
        fn date_like_noise_does_not_panic(text in "[-0-9/. OlSmarYde]{0,40}") {
            for day in find(&text, TODAY) {
                prop_assert!(day.bytes.end <= text.len() && text.is_char_boundary(day.bytes.start));
            }
        }

        #[test]
        fn printed_days_read_back(days in 0i32..20_000) {
            let day = date(1975, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
            for form in ["%d/%m/%Y", "%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y"] {
                let text = day.strftime(form).to_string();
                let read = find(&text, date(2029, 12, 31));
                prop_assert_eq!(read.first().map(|day| day.date), Some(day), "{}", text);
            }
        }
    }
}
