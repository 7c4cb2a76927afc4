//! Numbers that carry their own proof: identity numbers, tax numbers, accounts, MRZ lines.

use crate::dice::Dice;

const DNI_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// Eight digits and the letter that follows from them; sometimes a foreigner's number.
pub(crate) fn dni(dice: &mut Dice) -> String {
    if dice.chance(20) {
        let prefix = dice.below(3);
        let digits = dice.digits(7);
        let number: usize = format!("{prefix}{digits}").parse().unwrap_or_default();
        return format!("{}{digits}{}", ["X", "Y", "Z"][prefix], dni_letter(number));
    }
    let digits = dice.digits(8);
    let number: usize = digits.parse().unwrap_or_default();
    format!("{digits}{}", dni_letter(number))
}

fn dni_letter(number: usize) -> char {
    char::from(DNI_LETTERS[number % 23])
}

/// The tax number of a Spanish company.
pub(crate) fn cif(dice: &mut Dice) -> String {
    let kind = dice.of(&["A", "B", "B", "B", "E", "H"]);
    let digits = dice.digits(7);
    let mut sum = 0;
    for (n, digit) in digits.bytes().map(|b| u32::from(b - b'0')).enumerate() {
        sum += if n % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { digit };
    }
    let control = (10 - sum % 10) % 10;
    format!("{kind}{digits}{control}")
}

/// An account number of the country, with its check digits.
pub(crate) fn iban(country: &str, dice: &mut Dice) -> String {
    let account = match country {
        "GB" => format!("{}{}", dice.letters(4), dice.digits(14)),
        "FR" => dice.digits(23),
        "PT" => dice.digits(21),
        "DE" => dice.digits(18),
        _ => spanish_account(dice),
    };
    let check = 98 - mod97(&format!("{account}{country}00"));
    format!("{country}{check:02}{account}")
}

/// Bank, branch, two control digits over both halves, account.
fn spanish_account(dice: &mut Dice) -> String {
    let (bank, account) = (dice.digits(8), dice.digits(10));
    let control = |digits: &str| {
        let weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6];
        let sum: u32 =
            digits.bytes().map(|b| u32::from(b - b'0')).zip(weights).map(|(d, w)| d * w).sum();
        match 11 - sum % 11 {
            10 => 1,
            11 => 0,
            digit => digit,
        }
    };
    format!("{bank}{}{}{account}", control(&format!("00{bank}")), control(&account))
}

fn mod97(text: &str) -> u64 {
    text.chars().fold(0, |rest, letter| {
        let value = u64::from(letter.to_digit(36).unwrap_or_default());
        (rest * if value > 9 { 100 } else { 10 } + value) % 97
    })
}

/// In groups of four, as printed.
pub(crate) fn grouped(iban: &str) -> String {
    let groups: Vec<&str> =
        (0..iban.len()).step_by(4).map(|at| &iban[at..(at + 4).min(iban.len())]).collect();
    groups.join(" ")
}

/// The check digit of a field in a machine readable zone (ICAO 9303).
pub(crate) fn mrz_check(field: &str) -> char {
    let value = |letter: char| match letter {
        '<' => 0,
        other => other.to_digit(36).unwrap_or_default(),
    };
    let sum: u32 =
        field.chars().zip([7, 3, 1].into_iter().cycle()).map(|(l, w)| value(l) * w).sum();
    char::from_digit(sum % 10, 10).expect("a remainder of ten is a digit")
}

/// Capitals without accents, spaces as fillers.
pub(crate) fn mrz_text(text: &str) -> String {
    text.chars()
        .map(|letter| match letter.to_uppercase().next().unwrap_or('<') {
            'Á' => 'A',
            'É' => 'E',
            'Í' => 'I',
            'Ó' => 'O',
            'Ú' | 'Ü' => 'U',
            'Ñ' => 'N',
            plain if plain.is_ascii_alphanumeric() => plain,
            _ => '<',
        })
        .collect()
}

pub(crate) fn filled(text: &str, length: usize) -> String {
    let mut text: String = text.chars().take(length).collect();
    while text.len() < length {
        text.push('<');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{dni_letter, filled, grouped, iban, mod97, mrz_check, mrz_text};
    use crate::dice::Dice;

    #[test]
    fn check_digits_are_those_of_the_standards() {
        assert_eq!(dni_letter(12_345_678), 'Z');
        assert_eq!(mrz_check("520727"), '3');
        assert_eq!(mrz_check("D23145890"), '7');
    }

    #[test]
    fn accounts_leave_one_modulo_97() {
        let mut dice = Dice::new(7);
        for country in ["ES", "GB", "FR", "DE"] {
            let iban = iban(country, &mut dice);
            assert_eq!(mod97(&format!("{}{}", &iban[4..], &iban[..4])), 1, "{iban}");
        }
        assert_eq!(grouped("ES1234567"), "ES12 3456 7");
    }

    #[test]
    fn machine_readable_text_has_no_accents() {
        assert_eq!(filled(&mrz_text("Núñez Peña"), 12), "NUNEZ<PENA<<");
    }
}
