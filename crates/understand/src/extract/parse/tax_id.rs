//! Tax and identity numbers, with the check characters their countries define.

/// A number that identifies somebody before a tax office.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::extract) struct TaxId {
    /// Without separators, upper case.
    pub(in crate::extract) text: String,
    pub(in crate::extract) form: Form,
    /// The check character holds; forms without one that we know are never checked.
    pub(in crate::extract) checked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extract) enum Form {
    /// Spanish citizen: eight digits and a letter.
    Dni,
    /// Foreigner in Spain: X, Y or Z, seven digits and a letter.
    Nie,
    /// Spanish organisation.
    Cif,
    /// VAT number of another country, with its prefix.
    Vat,
}

const DNI_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// Reads a tax id; a Spanish one only with its right check character.
pub(in crate::extract) fn parse(text: &str) -> Option<TaxId> {
    let text = compact(text)?;
    let national = text.strip_prefix("ES").unwrap_or(&text);
    if let Some(form) = spanish(national) {
        return Some(TaxId { text: national.to_owned(), form, checked: true });
    }
    let checked = foreign(&text)?;
    Some(TaxId { text, form: Form::Vat, checked })
}

/// A number of a country whose form we do not know, without its separators; never checked.
pub(in crate::extract) fn of_unknown_form(text: &str) -> Option<String> {
    let text = compact(text)?;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    // What looks like a form we know has failed its check.
    let national = text.strip_prefix("ES").unwrap_or(&text);
    let spanish = national.len() == 9 && national.bytes().any(|byte| byte.is_ascii_alphabetic());
    let checked = spanish || ["ES", "FR", "PT"].iter().any(|country| text.starts_with(country));
    (digits >= 7 && text.len() <= digits + 3 && !checked).then_some(text)
}

/// Reads one after undoing letters and digits that OCR takes for each other.
pub(in crate::extract) fn parse_repaired(text: &str) -> Option<(TaxId, bool)> {
    if let Some(id) = parse(text) {
        return Some((id, false));
    }
    let text = compact(text)?;
    let national = text.strip_prefix("ES").unwrap_or(&text);
    if national.len() != 9 || !national.is_ascii() {
        return None;
    }
    // A word that is nothing but letters was never a number.
    if national.bytes().filter(u8::is_ascii_digit).count() < 4 {
        return None;
    }
    let middle: String = national[1..8].chars().map(digit).collect();
    let (first, last) = (&national[..1], &national[8..]);
    let as_digit = |text: &str| text.chars().map(digit).collect::<String>();
    let as_letter = |text: &str| text.chars().map(letter).collect::<String>();
    let firsts = [first.to_owned(), as_digit(first), as_letter(first)];
    let lasts = [last.to_owned(), as_letter(last), as_digit(last)];
    let mut tried = firsts.iter().flat_map(|a| lasts.iter().map(move |b| (a, b)));
    tried.find_map(|(a, b)| parse(&format!("{a}{middle}{b}"))).map(|id| (id, true))
}

fn digit(letter: char) -> char {
    crate::extract::text::digits_for_lookalikes(letter)
}

fn letter(digit: char) -> char {
    match digit {
        '0' => 'O',
        '1' => 'I',
        '2' => 'Z',
        '5' => 'S',
        '6' => 'G',
        '8' => 'B',
        other => other,
    }
}

/// Upper case without the separators people put in; nothing when other signs are inside.
fn compact(text: &str) -> Option<String> {
    let mut compact = String::new();
    for letter in text.trim().trim_end_matches(['.', ',', ';']).chars() {
        match letter {
            'A'..='Z' | '0'..='9' => compact.push(letter),
            'a'..='z' => compact.push(letter.to_ascii_uppercase()),
            ' ' | '-' | '.' | '/' | '·' => {}
            _ => return None,
        }
    }
    (8..=14).contains(&compact.len()).then_some(compact)
}

fn spanish(text: &str) -> Option<Form> {
    let bytes = text.as_bytes();
    if bytes.len() != 9 || !bytes[1..8].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = text[1..8].parse::<usize>().ok()?;
    let (first, last) = (bytes[0], bytes[8]);
    match first {
        b'0'..=b'9' => {
            let number = number + usize::from(first - b'0') * 10_000_000;
            (DNI_LETTERS[number % 23] == last).then_some(Form::Dni)
        }
        b'X' | b'Y' | b'Z' => {
            let number = number + usize::from(first - b'X') * 10_000_000;
            (DNI_LETTERS[number % 23] == last).then_some(Form::Nie)
        }
        // K, L and M are people without a DNI; they take the letter of one.
        b'K' | b'L' | b'M' => (DNI_LETTERS[number % 23] == last).then_some(Form::Dni),
        b'A'..=b'H' | b'J' | b'N' | b'P'..=b'S' | b'U'..=b'W' => {
            cif_control(&bytes[1..8], first, last).then_some(Form::Cif)
        }
        _ => None,
    }
}

fn cif_control(digits: &[u8], kind: u8, control: u8) -> bool {
    let sum: u32 = digits
        .iter()
        .enumerate()
        .map(|(at, digit)| {
            let digit = u32::from(digit - b'0');
            if at % 2 == 0 {
                let twice = digit * 2;
                twice / 10 + twice % 10
            } else {
                digit
            }
        })
        .sum();
    let expected = ((10 - sum % 10) % 10) as u8;
    let as_digit = control == b'0' + expected;
    let as_letter = control == b"JABCDEFGHI"[usize::from(expected)];
    match kind {
        b'P' | b'Q' | b'R' | b'S' | b'N' | b'W' => as_letter,
        b'A' | b'B' | b'E' | b'H' => as_digit,
        _ => as_digit || as_letter,
    }
}

/// Whether a number with a country prefix has its country's form; `Some(true)` when checked too.
fn foreign(text: &str) -> Option<bool> {
    let (country, number) = text.split_at_checked(2)?;
    let digits = |count: usize| number.len() == count && number.bytes().all(|b| b.is_ascii_digit());
    match country {
        "FR" if number.len() == 11 && number.bytes().skip(2).all(|b| b.is_ascii_digit()) => {
            let siren = number[2..].parse::<u64>().ok()?;
            let Ok(key) = number[..2].parse::<u64>() else { return Some(false) };
            ((12 + 3 * (siren % 97)) % 97 == key).then_some(true)
        }
        "PT" if digits(9) => {
            let weigh = |(at, digit): (usize, u8)| u32::from(digit - b'0') * (9 - at as u32);
            let sum: u32 = number.bytes().take(8).enumerate().map(weigh).sum();
            let expected = match 11 - sum % 11 {
                10 | 11 => 0,
                other => other,
            };
            (u32::from(number.as_bytes()[8] - b'0') == expected).then_some(true)
        }
        "DE" | "EL" | "EE" if digits(9) => Some(false),
        "IT" | "HR" | "LV" if digits(11) => Some(false),
        "DK" | "FI" | "HU" | "LU" | "MT" | "SI" if digits(8) => Some(false),
        "BE" | "PL" | "SK" if digits(10) => Some(false),
        "GB" if digits(9) || digits(12) => Some(false),
        "AT" if number.len() == 9 && number.starts_with('U') => Some(false),
        "NL" if number.len() == 12 && number.as_bytes()[9] == b'B' => Some(false),
        "SE" if digits(12) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(text: &str) -> Option<Form> {
        parse(text).map(|id| id.form)
    }

    #[test]
    fn check_characters_decide() {
        assert_eq!(form("12345678Z"), Some(Form::Dni));
        assert_eq!(form("12.345.678-Z"), Some(Form::Dni));
        assert_eq!(form("12345678A"), None);
        assert_eq!(form("X1234567L"), Some(Form::Nie));
        assert_eq!(form("A58818501"), Some(Form::Cif));
        assert_eq!(form("ESA58818501"), Some(Form::Cif));
        assert_eq!(form("A58818502"), None);
        assert_eq!(form("P2800000B"), None);
        assert_eq!(form("FR40303265045"), Some(Form::Vat));
        assert_eq!(form("FR41303265045"), None);
        assert_eq!(form("PT502757191"), Some(Form::Vat));
        assert_eq!(form("DE123456789"), Some(Form::Vat));
        assert_eq!(form("hello"), None);
        assert_eq!(of_unknown_form("89 256 809 898").as_deref(), Some("89256809898"));
        assert_eq!(of_unknown_form("12345678A"), None);
    }

    #[test]
    fn slips_are_repaired_only_when_the_check_agrees() {
        let (id, repaired) = parse_repaired("I2345678Z").unwrap();
        assert_eq!((id.text.as_str(), repaired), ("12345678Z", true));
        assert_eq!(parse_repaired("123456782").unwrap().0.text, "12345678Z");
        assert_eq!(parse_repaired("I2345678A"), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,20}", near in "[A-Za-z0-9ÑO. -]{7,14}") {
            let _ = (parse_repaired(&text), parse_repaired(&near));
        }

        #[test]
        fn one_letter_fits_a_dni(number in 0usize..100_000_000) {
            let fits = DNI_LETTERS.iter().filter(|letter| {
                form(&format!("{number:08}{}", char::from(**letter))) == Some(Form::Dni)
            });
            prop_assert_eq!(fits.count(), 1);
        }
    }
}
