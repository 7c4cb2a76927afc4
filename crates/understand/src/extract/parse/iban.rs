//! Reads bank accounts (IBAN) and checks their digits.

use std::ops::Range;

use iban::{Iban, IbanLike as _};

use crate::extract::text::digits_for_lookalikes;

/// The longest IBAN of any country.
const MAX_LENGTH: usize = 34;

/// Reads the whole text as an IBAN; the result is without spaces.
pub(in crate::extract) fn parse(text: &str) -> Option<String> {
    let compact: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let compact = compact.to_ascii_uppercase();
    compact.parse::<Iban>().ok().map(|iban| iban.electronic_str().to_owned())
}

/// Every IBAN in the text with its bytes; groups may be separated by spaces.
pub(in crate::extract) fn find(text: &str) -> Vec<(Range<usize>, String, bool)> {
    let bytes = text.as_bytes();
    let mut found: Vec<(Range<usize>, String, bool)> = Vec::new();
    for start in 0..bytes.len() {
        let free = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
        let country = bytes[start..].iter().take(2).filter(|b| b.is_ascii_uppercase()).count() == 2;
        let taken = found.last().is_some_and(|(range, ..)| range.end > start);
        if free
            && country
            && !taken
            && let Some((end, iban, repaired)) = longest_from(bytes, start)
        {
            found.push((start..end, iban, repaired));
        }
    }
    found
}

/// The IBAN that starts here, if any stretch of letters and digits from here on is one.
fn longest_from(bytes: &[u8], start: usize) -> Option<(usize, String, bool)> {
    let mut compact = String::new();
    let mut ends = Vec::new();
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b' ' | b'-' | b'.' => {}
            byte if byte.is_ascii_alphanumeric() && compact.len() < MAX_LENGTH => {
                compact.push(char::from(byte.to_ascii_uppercase()));
                let free = bytes.get(at + 1).is_none_or(|next| !next.is_ascii_alphanumeric());
                if free && compact.len() >= 15 {
                    ends.push((at + 1, compact.len()));
                }
            }
            _ => break,
        }
    }
    for (end, length) in ends.into_iter().rev() {
        let text = &compact[..length];
        if let Some(iban) = parse(text) {
            return Some((end, iban, false));
        }
        let repaired: String = text[2..].chars().map(digits_for_lookalikes).collect();
        if let Some(iban) = parse(&format!("{}{repaired}", &text[..2])) {
            return Some((end, iban, true));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn groups_and_slips() {
        let clean = "ES9121000418450200051332";
        assert_eq!(parse("ES91 2100 0418 4502 0005 1332").as_deref(), Some(clean));
        assert_eq!(parse("ES92 2100 0418 4502 0005 1332"), None);
        let found = find("IBAN: ES91 2100 0418 4502 0005 1332 BIC CAIXESBB");
        assert_eq!((found[0].1.as_str(), found[0].2), (clean, false));
        let found = find("ES91 21OO O418 45O2 0005 I332");
        assert_eq!((found[0].1.as_str(), found[0].2), (clean, true));
        assert_eq!(find("GB29 NWBK 6016 1331 9268 19")[0].1, "GB29NWBK60161331926819");
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,60}", near in "[A-Z0-9 é]{0,60}") {
            let _ = (find(&text), find(&near), parse(&text));
        }
    }
}
