//! A value from the wire as it is kept.

use std::fmt::Write;

use crate::model::Column;

/// What a device answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raw {
    Text(String),
    Bytes(Vec<u8>),
    Integer(i64),
}

/// Longer texts are cut: no column of an inventory is an essay.
const MOST: usize = 255;

/// What a column holds afterwards. An empty answer keeps the old value where that is wanted; a
/// plan, a model and a distance that were never known have words of their own.
pub fn written(
    column: Column,
    raw: &Raw,
    previous: Option<&str>,
    keep_previous: bool,
    format_mac: bool,
) -> Option<String> {
    let kept = || previous.map(str::to_owned);
    match column {
        Column::Distance => distance(raw).or_else(kept).or_else(|| Some("No Distancia".to_owned())),
        Column::Plan => text(raw).or_else(kept).or_else(|| Some("No Plan".to_owned())),
        Column::Model => text(raw).or_else(kept).or_else(|| Some("No Modelo".to_owned())),
        Column::Description | Column::Mac | Column::Serial | Column::Subscriber => {
            let new = read(Some(column), raw, format_mac);
            if keep_previous { new.or_else(kept) } else { new }
        }
    }
}

/// An answer in the one form that its kind has; none if it was empty.
pub fn read(column: Option<Column>, raw: &Raw, format_mac: bool) -> Option<String> {
    match column {
        Some(Column::Serial) => serial(raw),
        Some(_) | None if format_mac => mac(raw),
        Some(_) | None => text(raw),
    }
}

/// The serial number of G.984.3: the maker's four letters and eight digits (`HWTC1A2B3C4D`),
/// whether it came as eight bytes, printable or not, as sixteen digits or written out. Some devices
/// put their way of registering before it (`1,ZTEG…`). What is none of these stays as it is.
fn serial(raw: &Raw) -> Option<String> {
    let known = match raw {
        Raw::Bytes(bytes) => of_bytes(bytes).or_else(|| of_text(str::from_utf8(bytes).ok()?)),
        Raw::Text(text) => of_text(text),
        Raw::Integer(_) => None,
    };
    known.or_else(|| text(raw))
}

fn of_bytes(bytes: &[u8]) -> Option<String> {
    let (maker, number) = bytes.split_first_chunk::<4>()?;
    if number.len() != 4 {
        return None;
    }
    let maker = if maker.iter().all(u8::is_ascii_alphanumeric) {
        maker.iter().map(|byte| char::from(byte.to_ascii_uppercase())).collect()
    } else {
        hex(maker)
    };
    Some(maker + &hex(number))
}

fn of_text(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let text = text.strip_prefix("Hex-STRING:").unwrap_or(text);
    let text =
        text.split_once(',').filter(|(way, _)| way.len() == 1).map_or(text, |(_, rest)| rest);
    let bare: String = text.chars().filter(|c| !matches!(c, ' ' | ':' | '-')).collect();
    if !bare.is_ascii() {
        return None;
    }
    if bare.len() == 16 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let byte = |at: usize| u8::from_str_radix(bare.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..16).step_by(2).map(byte).collect();
        return of_bytes(&bytes?);
    }
    let (maker, number) = bare.split_at_checked(4)?;
    let written = number.len() == 8
        && number.bytes().all(|byte| byte.is_ascii_hexdigit())
        && maker.bytes().all(|byte| byte.is_ascii_alphanumeric());
    written.then(|| bare.to_ascii_uppercase())
}

/// Printable, trimmed, not empty; other bytes as hexadecimal.
fn text(raw: &Raw) -> Option<String> {
    let text = match raw {
        Raw::Text(text) => text.clone(),
        Raw::Integer(number) => number.to_string(),
        Raw::Bytes(bytes) => match str::from_utf8(bytes) {
            Ok(text) if text.trim_matches('\0').chars().all(|c| !c.is_control()) => text.to_owned(),
            Ok(_) | Err(_) => hex(bytes),
        },
    };
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    let clean: String = clean.trim().chars().take(MOST).collect();
    (!clean.is_empty()).then_some(clean)
}

/// *`format_mac`*: hexadecimal digits alone, in capitals.
fn mac(raw: &Raw) -> Option<String> {
    let digits = match raw {
        Raw::Bytes(bytes) => match str::from_utf8(bytes).ok().and_then(digits) {
            // Twelve digits in ASCII are a MAC already written out.
            Some(digits) if digits.len() == 12 => digits,
            Some(_) | None => hex(bytes),
        },
        Raw::Text(text) => {
            let bare = text.trim();
            let bare = bare.strip_prefix("Hex-STRING:").unwrap_or(bare);
            digits(bare).unwrap_or_else(|| hex(text.as_bytes()))
        }
        Raw::Integer(number) => number.to_string(),
    };
    let short: String = digits.chars().take(MOST).collect();
    (!short.is_empty()).then_some(short)
}

fn digits(text: &str) -> Option<String> {
    let bare: String = text.chars().filter(|c| !matches!(c, ' ' | ':' | '-')).collect();
    bare.chars().all(|c| c.is_ascii_hexdigit()).then(|| bare.to_uppercase())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// Metres on the wire, kilometres with three decimals here; a negative one is unknown.
fn distance(raw: &Raw) -> Option<String> {
    let metres = match raw {
        Raw::Integer(metres) => *metres,
        Raw::Text(_) | Raw::Bytes(_) => text(raw)?.parse().ok()?,
    };
    (metres >= 0).then(|| format!("{}.{:03}", metres / 1000, metres % 1000))
}

#[cfg(test)]
mod tests {
    use engine::Word as _;
    use proptest::prelude::*;

    use super::*;

    fn wrote(column: Column, raw: &Raw, previous: Option<&str>) -> String {
        written(column, raw, previous, false, false).unwrap_or_default()
    }

    #[test]
    fn distances_are_kilometres_and_follow_the_fibre() {
        let metres = |metres, previous| wrote(Column::Distance, &Raw::Integer(metres), previous);
        assert_eq!(metres(1234, None), "1.234");
        assert_eq!(metres(15, Some("1.234")), "0.015");
        assert_eq!(metres(-1, Some("1.234")), "1.234");
        assert_eq!(metres(-1, None), "No Distancia");
        assert_eq!(wrote(Column::Distance, &Raw::Text("77".into()), None), "0.077");
    }

    #[test]
    fn empty_answers_keep_what_is_to_be_kept() {
        let empty = Raw::Text(" \0".into());
        assert_eq!(wrote(Column::Description, &empty, Some("Ana")), "");
        let kept = written(Column::Description, &empty, Some("Ana"), true, false);
        assert_eq!(kept.as_deref(), Some("Ana"));
        assert_eq!(wrote(Column::Plan, &empty, Some("100M")), "100M");
        assert_eq!(wrote(Column::Plan, &empty, None), "No Plan");
        assert_eq!(wrote(Column::Model, &empty, None), "No Modelo");
        assert_eq!(wrote(Column::Serial, &Raw::Bytes(vec![72, 87, 0xff]), None), "4857FF");
        assert_eq!(wrote(Column::Description, &Raw::Bytes(b"Casa 1\0".into()), None), "Casa 1");
    }

    #[test]
    fn a_mac_is_twelve_digits_however_it_came() {
        for raw in [
            Raw::Bytes(vec![0x00, 0x1a, 0x2b, 0x3c, 0x4d, 0x5e]),
            Raw::Text("Hex-STRING: 00 1a 2B 3c 4d 5e".into()),
            Raw::Text("00:1a:2b:3c:4d:5e".into()),
            Raw::Bytes(b"00-1A-2B-3C-4D-5E".into()),
        ] {
            let mac = written(Column::Mac, &raw, None, false, true);
            assert_eq!(mac.as_deref(), Some("001A2B3C4D5E"), "{raw:?}");
        }
    }

    #[test]
    fn a_serial_has_one_form_whatever_its_bytes() {
        let hidden = Raw::Bytes(vec![b'H', b'W', b'T', b'C', 0x1a, 0x2b, 0x3c, 0x4d]);
        let forms = [
            hidden,
            Raw::Text("485754431A2B3C4D".into()),
            Raw::Bytes(b"48 57 54 43 1a 2b 3c 4d".into()),
            Raw::Text("hwtc1a2b3c4d".into()),
            Raw::Bytes(b"HWTC1A2B3C4D".into()),
            Raw::Text("1,HWTC1A2B3C4D".into()),
            Raw::Text("Hex-STRING: 48 57 54 43 1A 2B 3C 4D ".into()),
        ];
        for raw in forms {
            assert_eq!(wrote(Column::Serial, &raw, None), "HWTC1A2B3C4D", "{raw:?}");
        }
        // All eight bytes can be printed: still a serial, not a text of eight letters.
        let printable = Raw::Bytes(b"HWTCabcd".into());
        assert_eq!(wrote(Column::Serial, &printable, None), "HWTC61626364");
        let nameless = Raw::Bytes(vec![0, 1, 2, 3, 4, 5, 6, 0xff]);
        assert_eq!(wrote(Column::Serial, &nameless, None), "00010203040506FF");
        assert_eq!(wrote(Column::Serial, &Raw::Text("sn 77".into()), None), "sn 77");
    }

    proptest! {
        #[test]
        fn eight_bytes_are_a_serial_that_reads_back(bytes in prop::array::uniform8(any::<u8>())) {
            let first = wrote(Column::Serial, &Raw::Bytes(bytes.to_vec()), None);
            prop_assert!([12, 16].contains(&first.len()), "{}", first);
            let digits = Raw::Text(hex(&bytes));
            prop_assert_eq!(wrote(Column::Serial, &digits, None), first.clone());
            prop_assert_eq!(wrote(Column::Serial, &Raw::Text(first.clone()), None), first);
        }

        #[test]
        fn no_bytes_are_too_strange(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            text in any::<String>(),
            number in any::<i64>(),
            format_mac in any::<bool>(),
        ) {
            for raw in [Raw::Bytes(bytes), Raw::Text(text), Raw::Integer(number)] {
                for column in Column::ALL {
                    let value = written(*column, &raw, None, true, format_mac).unwrap_or_default();
                    prop_assert!(value.chars().count() <= MOST && !value.contains('\0'));
                }
            }
        }
    }
}
