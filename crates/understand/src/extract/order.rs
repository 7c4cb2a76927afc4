//! Whether the all-digit dates of a document have the day or the month first.

use jiff::civil::Date;

use super::money::Money;
use super::parse::amount::{self, Currency};
use super::parse::date::{Day, Order};
use super::sheet::{Row, Sheet, Span};

/// Taxes of countries that write the day first.
const DAY_FIRST_TAXES: [&str; 10] =
    ["iva", "tva", "vat", "gst", "sst", "igic", "mwst", "ust", "btw", "igv"];
/// Days an invoice is usually payable in.
const TERMS: [i32; 16] = [0, 7, 10, 14, 15, 20, 21, 28, 29, 30, 31, 45, 60, 61, 90, 91];

/// Puts the dates that can be read both ways into the order the document speaks for, and says how
/// doubtful that order is, 0 to 2.
pub(super) fn settle(
    days: &mut [(Span, Day)],
    sheet: &Sheet,
    money: &[Money],
    currency: Option<Currency>,
    today: Date,
) -> f32 {
    let votes = |order| days.iter().filter(|(_, day)| day.order == Some(order)).count();
    let (day_first, month_first) = (votes(Order::DayFirst), votes(Order::MonthFirst));
    let told = (day_first > 0) != (month_first > 0);
    let sum = if told || day_first != month_first {
        4.0 * (day_first as f32 - month_first as f32)
    } else {
        // What the document says itself outweighs where it seems to come from.
        let dates = by_dates(days, sheet, today);
        if dates.abs() >= 2.0 { 2.0 * dates } else { dates + by_world(sheet, money, currency) }
    };
    for (_, day) in days.iter_mut() {
        let Some(swapped) = day.swapped else { continue };
        // Half the world writes the day first; the other order has to be spoken for.
        if sum <= -1.5 {
            day.date = swapped;
        }
        if told {
            day.swapped = None;
        }
    }
    match sum {
        2.0.. | ..=-2.0 => 0.0,
        1.0.. => 0.6,
        // Nothing tells: enough to deny it.
        _ => 2.0,
    }
}

/// What the dates say about each other, about codes that carry a month, and about today.
fn by_dates(days: &[(Span, Day)], sheet: &Sheet, today: Date) -> f32 {
    let open: Vec<(Date, Date)> =
        days.iter().filter_map(|(_, day)| Some((day.date, day.swapped?))).collect();
    if open.is_empty() {
        return 0.0;
    }
    let sure = |date: Date| {
        days.iter().any(|(_, day)| day.swapped.is_none() && day.order.is_none() && day.date == date)
    };
    let carried = |date: Date| carried(sheet, date);
    let mut sum = 0.0;
    let mut speak = |first: bool, second: bool, weight: f32| {
        if first != second {
            sum += if first { weight } else { -weight };
        }
    };
    for (first, second) in &open {
        speak(sure(*first), sure(*second), 2.0);
        speak(carried(*first), carried(*second), 3.5);
    }
    let tomorrow = today.tomorrow().unwrap_or(today);
    let past = |pick: fn(&(Date, Date)) -> Date| open.iter().any(|pair| pick(pair) <= tomorrow);
    speak(past(|pair| pair.0), past(|pair| pair.1), 2.0);
    if let [a, b, ..] = open[..] {
        speak(usual(a.0, b.0), usual(a.1, b.1), 2.0);
    }
    sum
}

/// Whether a date is payable so many days after another as is usual.
pub(super) fn usual(first: Date, second: Date) -> bool {
    let days = first.until(second).map_or(-1, |span| span.get_days());
    TERMS.contains(&days)
}

/// Whether a code on the page, as numbers of documents do, carries the month and year of a date.
pub(super) fn carried(sheet: &Sheet, date: Date) -> bool {
    let (year, month) = (date.year(), date.month());
    let forms = [
        format!("{month:02}/{year}"),
        format!("{month:02}-{year}"),
        format!("{year}{month:02}"),
        format!("{year}/{month:02}"),
        format!("{year}-{month:02}"),
    ];
    let tokens = sheet.rows.iter().flat_map(|row| &row.tokens).map(|token| token.text.as_str());
    let mut codes = tokens.filter(|text| (7..40).contains(&text.len()));
    // A date itself carries both its numbers.
    codes.any(|text| {
        forms.iter().any(|form| {
            text.find(form.as_str())
                .is_some_and(|at| !touches_digits_and_sign(text, at, form.len()))
        })
    })
}

/// Whether a piece of a text is part of an all-digit date: a digit and a sign stand beside it.
fn touches_digits_and_sign(text: &str, at: usize, length: usize) -> bool {
    let sign = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'-' | b'.'));
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let before = at >= 2 && sign(bytes.get(at - 1)) && digit(bytes.get(at - 2));
    let after = sign(bytes.get(at + length)) && digit(bytes.get(at + length + 1));
    let short = bytes.iter().filter(|byte| byte.is_ascii_digit()).count() <= 8;
    short && (before || after)
}

/// What currency, decimal signs, taxes and addresses say about where it was written.
fn by_world(sheet: &Sheet, money: &[Money], currency: Option<Currency>) -> f32 {
    let mut named = sheet.rows.iter().flat_map(|row| &row.tokens);
    let named = || named.find_map(|token| amount::currency(&token.text));
    let mut sum = match currency.or_else(named) {
        Some(Currency::Ringgit | Currency::Pound) => 2.0,
        Some(Currency::Euro) => 1.0,
        Some(Currency::Dollar) => -1.0,
        Some(Currency::Other) | None => 0.0,
    };
    let comma = |money: &&Money| {
        let text = sheet.text(money.span);
        let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        money.amount.decimals == 2 && digits.chars().rev().nth(2) == Some(',')
    };
    let commas = money.iter().filter(comma).count();
    if commas > 0 && commas * 2 >= money.iter().filter(|money| money.priced()).count() {
        sum += 1.0;
    }
    let taxed =
        |row: &Row| row.tokens.iter().any(|token| DAY_FIRST_TAXES.contains(&token.folded.as_str()));
    if sheet.rows.iter().any(taxed) {
        sum += 2.0;
    }
    if written_day_first(sheet) {
        sum += 2.0;
    }
    if sheet.rows.iter().any(american_address) {
        sum -= 1.5;
    }
    sum
}

/// Whether the small words are those of languages whose countries write the day first.
fn written_day_first(sheet: &Sheet) -> bool {
    const SMALL: [&str; 24] = [
        "de", "del", "la", "el", "los", "las", "y", "por", "para", "con", "en", "le", "les", "et",
        "du", "des", "pour", "da", "do", "dos", "und", "der", "die", "het",
    ];
    const ENGLISH: [&str; 8] = ["the", "of", "and", "for", "to", "by", "with", "your"];
    let tokens = || sheet.rows.iter().flat_map(|row| &row.tokens);
    let count = |list: &[&str]| tokens().filter(|token| list.contains(&&*token.folded)).count();
    let (small, english) = (count(&SMALL), count(&ENGLISH));
    small >= 4 && small > 2 * english
}

/// `Fremont, CA 94538`: two capitals and five digits behind a name.
fn american_address(row: &Row) -> bool {
    row.tokens.windows(3).any(|three| {
        let [name, state, zip] = three else { return false };
        let state = state.text.trim_matches([',', '.']);
        let zip = zip.text.split('-').next().unwrap_or_default().trim_matches([',', '.']);
        name.text.starts_with(char::is_uppercase)
            && state.len() == 2
            && state.bytes().all(|byte| byte.is_ascii_uppercase())
            && zip.len() == 5
            && zip.bytes().all(|byte| byte.is_ascii_digit())
    })
}
