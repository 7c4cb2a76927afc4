//! Amounts of money: `1.234,56`, `1,234.56`, `1 234,56`, `RM 12.00`, `€12,50`, `12.50-`.

use rust_decimal::Decimal;

use crate::extract::text::{digits_for_lookalikes, fold};

/// Longer than any amount anybody prints; keeps the arithmetic exact.
const MAX_DIGITS: usize = 15;
const MINUS: [char; 3] = ['-', '−', '–'];

/// An amount and how sure its reading is.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::extract) struct Amount {
    pub(in crate::extract) value: Decimal,
    /// Digits after the decimal sign.
    pub(in crate::extract) decimals: u32,
    pub(in crate::extract) currency: Option<Currency>,
    pub(in crate::extract) certainty: f32,
}

/// The currencies whose sign changes how a document is read; the rest are `Other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extract) enum Currency {
    Euro,
    Dollar,
    Pound,
    Ringgit,
    Other,
}

/// The currency a word names, if it names nothing else.
pub(in crate::extract) fn currency(word: &str) -> Option<Currency> {
    match word.trim_matches([':', '.', ')', '(']) {
        "€" => return Some(Currency::Euro),
        "$" | "US$" => return Some(Currency::Dollar),
        "A$" | "S$" | "C$" | "R$" | "HK$" | "NZ$" | "AU$" | "CA$" | "MX$" => {
            return Some(Currency::Other);
        }
        "£" => return Some(Currency::Pound),
        _ => {}
    }
    match fold(word).as_str() {
        "eur" | "euro" | "euros" => Some(Currency::Euro),
        "usd" => Some(Currency::Dollar),
        "gbp" => Some(Currency::Pound),
        "rm" | "myr" => Some(Currency::Ringgit),
        "chf" | "mxn" | "cop" | "ars" | "clp" | "sgd" | "cad" | "aud" | "inr" | "brl" | "pen"
        | "kr" | "rs" | "sek" | "nok" | "dkk" | "pln" => Some(Currency::Other),
        _ => None,
    }
}

/// Reads the whole text as one amount, possibly with a currency before or after it.
pub(in crate::extract) fn parse(text: &str) -> Option<Amount> {
    let mut rest = text.trim().trim_start_matches([':', '=', '*', '#', '~']).trim();
    let mut negative = false;
    if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (rest, negative) = (inner.trim(), true);
    }
    // A sign may stand on either side of the currency.
    let (rest, before) = strip_sign(rest.trim_end_matches('*'));
    let (rest, found) = strip_currency(rest);
    let (rest, after) = strip_sign(rest);
    let (body, second) = strip_currency(rest);
    negative |= before || after;
    let (digits, repaired) = digits_of(body)?;
    let (value, decimals, certainty) = separate(&digits)?;
    let value = if negative { -value } else { value };
    let certainty = certainty * 0.85f32.powi(repaired as i32);
    Some(Amount { value, decimals, currency: found.or(second), certainty })
}

fn strip_sign(text: &str) -> (&str, bool) {
    let text = text.trim().trim_start_matches('+');
    let inner = text.strip_prefix(MINUS).or_else(|| text.strip_suffix(MINUS));
    inner.map_or((text, false), |inner| (inner.trim(), true))
}

/// Takes a currency off either end.
fn strip_currency(text: &str) -> (&str, Option<Currency>) {
    let start = text.find(|letter: char| letter.is_ascii_digit()).unwrap_or(text.len());
    let sign = |letter: char| MINUS.contains(&letter) || "+( :.,".contains(letter);
    let head = &text[..start];
    let word = head.trim_end_matches(sign);
    if let Some(found) = currency(word) {
        return (&text[word.len()..], Some(found));
    }
    let end = text.rfind(|letter: char| letter.is_ascii_digit()).map_or(0, |at| at + 1);
    let tail = text[end..].trim_start_matches([' ', '.', ',']);
    let word = tail.trim_end_matches('-');
    if let Some(found) = currency(word) {
        let cut = text.len() - tail.len();
        return (text[..cut].trim_end(), Some(found));
    }
    (text, None)
}

/// The digits and separators alone, repairing letters that look like digits beside real ones.
fn digits_of(body: &str) -> Option<(String, usize)> {
    let mut kept = String::with_capacity(body.len());
    let (mut real, mut repaired) = (0, 0);
    for letter in body.trim_end_matches(['.', ',']).chars() {
        match letter {
            '0'..='9' => {
                real += 1;
                kept.push(letter);
            }
            '.' | ',' | '\'' | ' ' => kept.push(letter),
            '’' | '´' | '`' => kept.push('\''),
            '\u{a0}' | '\u{202f}' => kept.push(' '),
            other => {
                let digit = digits_for_lookalikes(other);
                if !digit.is_ascii_digit() {
                    return None;
                }
                repaired += 1;
                kept.push(digit);
            }
        }
    }
    let enough = real >= repaired && real + repaired <= MAX_DIGITS;
    (enough && kept.starts_with(|first: char| first.is_ascii_digit())).then_some((kept, repaired))
}

/// Tells the decimal sign from those that group thousands.
fn separate(digits: &str) -> Option<(Decimal, u32, f32)> {
    let pieces: Vec<&str> = digits.split(['.', ',', '\'', ' ']).collect();
    let signs: Vec<char> = digits.chars().filter(|sign| !sign.is_ascii_digit()).collect();
    // Empty pieces come from doubled separators: `12,.50`, `1 . 5`.
    if pieces.iter().any(|piece| piece.is_empty()) {
        return None;
    }
    let last = *pieces.last()?;
    let Some(sign) = signs.last().copied() else {
        return whole(last, 0.5);
    };
    let grouped =
        |pieces: &[&str]| pieces[0].len() <= 3 && pieces[1..].iter().all(|piece| piece.len() == 3);
    let others = &signs[..signs.len() - 1];
    let same_others = others.iter().all(|other| Some(other) == others.first());
    let decimal_sign = matches!(sign, '.' | ',');
    if decimal_sign && last.len() != 3 {
        let body = &pieces[..pieces.len() - 1];
        let clean = body.len() == 1 || grouped(body);
        let distinct = same_others && !others.contains(&sign);
        let certainty = match (last.len(), clean, distinct) {
            (2, true, true) => 1.0,
            (2, true, false) => 0.7,
            (1, true, true) => 0.75,
            (4.., true, true) => 0.5,
            _ => return None,
        };
        let value = format!("{}.{last}", body.concat()).parse().ok()?;
        return Some((value, last.len() as u32, certainty));
    }
    if !grouped(&pieces) || !same_others && others.contains(&sign) {
        return None;
    }
    match others.first() {
        // `1.234` may be a thousand and something or a weight with three decimals.
        None if sign == ' ' => whole(&pieces.concat(), 0.4),
        None if pieces[0] == "0" => Some((format!("0.{last}").parse().ok()?, 3, 0.6)),
        None => whole(&pieces.concat(), 0.55),
        Some(other) if *other == sign => whole(&pieces.concat(), 0.8),
        // `1.234,567`: three decimals.
        Some(_) if decimal_sign => {
            let body = pieces[..pieces.len() - 1].concat();
            Some((format!("{body}.{last}").parse().ok()?, 3, 0.7))
        }
        Some(_) => None,
    }
}

fn whole(digits: &str, certainty: f32) -> Option<(Decimal, u32, f32)> {
    Some((digits.parse().ok()?, 0, certainty))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<String> {
        parse(text).map(|amount| amount.value.to_string())
    }

    #[test]
    fn local_forms_are_read() {
        for (text, value) in [
            ("1.234,56", "1234.56"),
            ("1,234.56", "1234.56"),
            ("1 234,56 €", "1234.56"),
            ("1'234.50", "1234.50"),
            ("RM 12.00", "12.00"),
            ("RM12.00", "12.00"),
            ("€12,50", "12.50"),
            ("$8.20", "8.20"),
            ("-RM5.10", "-5.10"),
            ("RM-5.10", "-5.10"),
            ("12.50-", "-12.50"),
            ("(12.50)", "-12.50"),
            ("12,50EUR", "12.50"),
            ("1.234.567,89", "1234567.89"),
            ("78070", "78070"),
            ("1.234", "1234"),
            ("0.125", "0.125"),
            ("1O.5O", "10.50"),
            (":9.00", "9.00"),
            ("1,234,567", "1234567"),
            ("12,5", "12.5"),
            ("S$1,036.00", "1036.00"),
            ("A$27054.50", "27054.50"),
        ] {
            assert_eq!(read(text).as_deref(), Some(value), "{text}");
        }
    }

    #[test]
    fn other_things_are_not_amounts() {
        for text in [
            "",
            "-",
            "RM",
            "12/03/2018",
            "12:30",
            "abc",
            "1.2.3.4",
            "A12",
            "12,.5",
            "002116837376123456",
            "SOS",
            "1,23,45",
            "12.34.56",
            "€",
            "...",
            "- -",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn doubt_is_told() {
        let certainty = |text| parse(text).unwrap().certainty;
        assert!(certainty("12.50") > certainty("12.5"));
        assert!(certainty("1.234,50") > certainty("1.234"));
        assert!(certainty("12.50") > certainty("l2.50"));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,30}") { let _ = parse(&text); }

        #[test]
        fn money_like_noise_does_not_panic(text in "[-(RM€$ 0-9.,'OlS)]{0,24}") {
            let _ = parse(&text);
        }

        #[test]
        fn printed_amounts_read_back(cents in 0i64..100_000_000_000) {
            let value = Decimal::new(cents, 2);
            let (whole, cent) = (cents / 100, cents % 100);
            let digits = whole.to_string();
            for (group, sign) in [(".", ","), (",", "."), (" ", ","), ("", "."), ("'", ".")] {
                let mut text = String::new();
                for (n, digit) in digits.chars().enumerate() {
                    if n > 0 && (digits.len() - n) % 3 == 0 { text.push_str(group); }
                    text.push(digit);
                }
                let text = format!("{text}{sign}{cent:02}");
                prop_assert_eq!(parse(&text).map(|amount| amount.value), Some(value), "{}", text);
            }
        }
    }
}
