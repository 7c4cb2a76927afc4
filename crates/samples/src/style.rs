//! How one printer writes: typeface, sizes, amounts and dates.

use std::fmt::Write as _;

use jiff::civil::Date;

use crate::{Lang, dice::Dice, metrics::Face, wordings};

#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) face: Face,
    pub(crate) size: f32,
    pub(crate) margin: f32,
    pub(crate) leading: f32,
    pub(crate) money: Money,
    pub(crate) dates: Dates,
    /// What stands between a label and its value.
    pub(crate) colon: &'static str,
    pub(crate) capitals: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Money {
    pub(crate) thousands: &'static str,
    pub(crate) decimal: char,
    pub(crate) mark: &'static str,
    pub(crate) code: &'static str,
    pub(crate) before: bool,
    pub(crate) gap: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dates {
    /// Day, month, year with the separator.
    Numbers(&'static str),
    /// Two-digit year.
    Short(&'static str),
    Iso,
    /// 5 March 2024; 5 de marzo de 2024.
    Words,
    /// 05 MAR 2024
    Stamp,
    /// March 5, 2024, or 03/25/2024 where the day cannot be taken for a month.
    American,
    /// 03/05/2024: which is which only the rest of the page tells, if anything does.
    MonthFirst,
}

impl Style {
    pub(crate) fn roll(lang: Lang, dice: &mut Dice) -> Self {
        let face = *dice.of(&[&Face::Sans, &Face::Sans, &Face::Sans, &Face::Serif, &Face::Mono]);
        let size = if face == Face::Mono { dice.span(7.0, 8.5) } else { dice.span(8.0, 10.5) };
        let money = Money::roll(lang, dice);
        Self {
            face,
            size,
            margin: dice.span(34.0, 66.0),
            leading: dice.span(1.25, 1.6),
            dates: Dates::roll(lang, money.code, dice),
            money,
            colon: dice.of(&[":", ":", ":", " :", "", "."]),
            capitals: dice.chance(25),
        }
    }

    pub(crate) fn amount(&self, cents: i64) -> String {
        self.money.digits(cents)
    }

    /// With the mark of the currency.
    pub(crate) fn money(&self, cents: i64) -> String {
        let Money { mark, before, gap, .. } = &self.money;
        let digits = self.money.digits(cents);
        if *before { format!("{mark}{gap}{digits}") } else { format!("{digits}{gap}{mark}") }
    }

    pub(crate) fn date(&self, lang: Lang, date: Date) -> String {
        self.dates.print(lang, date)
    }

    pub(crate) fn label(&self, text: &str) -> String {
        if self.capitals { text.to_uppercase() } else { text.to_owned() }
    }
}

/// Mark, code, whether it stands before the digits, what stands between.
type Mark = (&'static str, &'static str, bool, &'static str);

impl Money {
    fn roll(lang: Lang, dice: &mut Dice) -> Self {
        let (marks, thousands, decimal): (&[Mark], &[&str], char) = match lang {
            Lang::Es => (
                &[("€", "EUR", false, " "), ("€", "EUR", false, ""), ("EUR", "EUR", false, " ")],
                &[".", ".", ".", ""],
                ',',
            ),
            Lang::Fr => (
                &[("€", "EUR", false, " "), ("€", "EUR", false, " "), ("EUR", "EUR", false, " ")],
                &[" ", " ", ""],
                ',',
            ),
            Lang::Pt => (
                &[("€", "EUR", false, " "), ("€", "EUR", false, ""), ("R$", "BRL", true, " ")],
                &[".", " ", ""],
                ',',
            ),
            Lang::En => (
                &[
                    ("£", "GBP", true, ""),
                    ("$", "USD", true, ""),
                    ("€", "EUR", true, ""),
                    ("RM", "MYR", true, ""),
                    ("RM", "MYR", true, " "),
                    ("S$", "SGD", true, ""),
                    ("GBP", "GBP", true, " "),
                    ("USD", "USD", false, " "),
                    ("A$", "AUD", true, ""),
                ],
                &[",", ",", ",", ""],
                '.',
            ),
        };
        let (mark, code, before, gap) = marks[dice.below(marks.len())];
        Self { thousands: dice.of(thousands), decimal, mark, code, before, gap }
    }

    fn digits(&self, cents: i64) -> String {
        let whole = (cents.abs() / 100).to_string();
        let mut text = String::new();
        if cents < 0 {
            text.push('-');
        }
        for (n, digit) in whole.chars().enumerate() {
            if n > 0 && (whole.len() - n).is_multiple_of(3) {
                text.push_str(self.thousands);
            }
            text.push(digit);
        }
        text.push(self.decimal);
        let _ = write!(text, "{:02}", cents.abs() % 100);
        text
    }
}

/// As truth writes an amount: `1234.56`.
pub(crate) fn normal(cents: i64) -> String {
    format!("{}{}.{:02}", if cents < 0 { "-" } else { "" }, cents.abs() / 100, cents.abs() % 100)
}

impl Dates {
    fn roll(lang: Lang, currency: &str, dice: &mut Dice) -> Self {
        let common = [
            &Self::Numbers("/"),
            &Self::Numbers("/"),
            &Self::Numbers("-"),
            &Self::Numbers("."),
            &Self::Short("/"),
            &Self::Iso,
            &Self::Words,
            &Self::Words,
        ];
        match lang {
            Lang::En if currency == "USD" => {
                *dice.of(&[&Self::American, &Self::MonthFirst, &Self::Iso, &Self::Words])
            }
            Lang::En if dice.chance(25) => Self::Stamp,
            Lang::Es | Lang::En | Lang::Fr | Lang::Pt => *dice.of(&common),
        }
    }

    pub(crate) fn print(self, lang: Lang, date: Date) -> String {
        let (day, month, year) = (date.day(), date.month(), date.year());
        let name = month_name(lang, date);
        match self {
            Self::Numbers(sep) => format!("{day:02}{sep}{month:02}{sep}{year}"),
            Self::Short(sep) => format!("{day:02}{sep}{month:02}{sep}{:02}", year % 100),
            Self::Iso => date.to_string(),
            Self::Stamp => format!("{day:02} {} {year}", name[..3].to_uppercase()),
            Self::MonthFirst => format!("{month:02}/{day:02}/{year}"),
            Self::American if day > 12 => format!("{month:02}/{day:02}/{year}"),
            Self::American => format!("{name} {day}, {year}"),
            Self::Words => match lang {
                Lang::Es | Lang::Pt => format!("{day} de {name} de {year}"),
                Lang::En | Lang::Fr => format!("{day} {name} {year}"),
            },
        }
    }
}

pub(crate) fn month_name(lang: Lang, date: Date) -> &'static str {
    wordings::of("month", lang)[date.month() as usize - 1]
}
