//! The machine-readable zone of identity documents (ICAO 9303): TD1, TD2 and TD3.

use jiff::civil::Date;

use crate::extract::text::digits_for_lookalikes;

/// What the zone says. Every check digit held, if need be after undoing misread characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::extract) struct Mrz {
    /// `P`, `ID`, …
    pub(in crate::extract) document: String,
    pub(in crate::extract) issuer: String,
    pub(in crate::extract) number: String,
    /// The optional data; in Spain it holds the DNI.
    pub(in crate::extract) personal: String,
    pub(in crate::extract) surnames: String,
    pub(in crate::extract) given_names: String,
    pub(in crate::extract) nationality: String,
    pub(in crate::extract) sex: char,
    pub(in crate::extract) birth: Date,
    pub(in crate::extract) expiry: Date,
    /// Characters that had to be corrected.
    pub(in crate::extract) repaired: usize,
}

/// Where the parts of a layout stand: line and range of characters.
struct Layout {
    lines: usize,
    width: usize,
    number: (usize, usize),
    birth: (usize, usize),
    sex: (usize, usize),
    expiry: (usize, usize),
    nationality: (usize, usize),
    personal: (usize, usize, usize),
    names: (usize, usize),
    /// Pieces of the composite check digit, which is the character after the last line's end.
    composite: &'static [(usize, usize, usize)],
    composite_digit: (usize, usize),
}

const TD1: Layout = Layout {
    lines: 3,
    width: 30,
    number: (0, 5),
    birth: (1, 0),
    sex: (1, 7),
    expiry: (1, 8),
    nationality: (1, 15),
    personal: (0, 15, 30),
    names: (2, 0),
    composite: &[(0, 5, 30), (1, 0, 7), (1, 8, 15), (1, 18, 29)],
    composite_digit: (1, 29),
};
const TD2: Layout = Layout {
    lines: 2,
    width: 36,
    number: (1, 0),
    birth: (1, 13),
    sex: (1, 20),
    expiry: (1, 21),
    nationality: (1, 10),
    personal: (1, 28, 35),
    names: (0, 5),
    composite: &[(1, 0, 10), (1, 13, 20), (1, 21, 35)],
    composite_digit: (1, 35),
};
const TD3: Layout = Layout {
    lines: 2,
    width: 44,
    number: (1, 0),
    birth: (1, 13),
    sex: (1, 20),
    expiry: (1, 21),
    nationality: (1, 10),
    personal: (1, 28, 42),
    names: (0, 5),
    composite: &[(1, 0, 10), (1, 13, 20), (1, 21, 43)],
    composite_digit: (1, 43),
};

/// The text as a line of the zone: upper case, fillers unified; nothing when it cannot be one.
pub(in crate::extract) fn line(text: &str) -> Option<String> {
    let mut line = String::new();
    for letter in text.chars() {
        match letter {
            'A'..='Z' | '0'..='9' | '<' => line.push(letter),
            'a'..='z' => line.push(letter.to_ascii_uppercase()),
            '«' => line.push_str("<<"),
            '‹' | '＜' => line.push('<'),
            ' ' | '.' | '-' | '\u{a0}' => {}
            _ => return None,
        }
    }
    let fillers = line.bytes().filter(|byte| *byte == b'<').count();
    let digits = line.bytes().filter(u8::is_ascii_digit).count();
    ((26..=48).contains(&line.len()) && (fillers >= 2 || digits >= 14)).then_some(line)
}

/// Reads consecutive lines that [`line`] accepted. `today` places the two-digit years.
pub(in crate::extract) fn parse(lines: &[String], today: Date) -> Option<Mrz> {
    [&TD1, &TD3, &TD2].into_iter().find_map(|layout| {
        let window = lines.get(..layout.lines)?;
        let fitted: Option<Vec<Vec<u8>>> =
            window.iter().map(|line| fit(line, layout.width)).collect();
        read(layout, fitted?, today)
    })
}

/// Makes a line exactly as long as its layout: OCR drops or doubles fillers at the end.
fn fit(line: &str, width: usize) -> Option<Vec<u8>> {
    let mut bytes = line.as_bytes().to_vec();
    if bytes.len().abs_diff(width) > 3 {
        return None;
    }
    while bytes.len() > width {
        let run = bytes.windows(2).rposition(|pair| pair == b"<<")?;
        bytes.remove(run);
    }
    while bytes.len() < width {
        let run = bytes.windows(2).rposition(|pair| pair == b"<<")?;
        bytes.insert(run, b'<');
    }
    Some(bytes)
}

fn read(layout: &Layout, mut lines: Vec<Vec<u8>>, today: Date) -> Option<Mrz> {
    let before = lines.clone();
    let (l, at) = layout.birth;
    make_digits(&mut lines[l][at..at + 7]);
    let (l, at) = layout.expiry;
    make_digits(&mut lines[l][at..at + 7]);
    let (l, at) = layout.composite_digit;
    make_digits(&mut lines[l][at..=at]);
    let (l, at) = layout.nationality;
    make_letters(&mut lines[l][at..at + 3]);
    let (l, at) = layout.names;
    make_letters(&mut lines[l][at..]);
    make_letters(&mut lines[0][..5]);

    for (l, at) in [layout.birth, layout.expiry] {
        holds(&lines[l][at..at + 6], lines[l][at + 6])?;
    }
    let (l, at) = layout.number;
    repair_number(&mut lines[l][at..at + 10])?;
    let (l, at) = layout.composite_digit;
    let composite: Vec<u8> =
        layout.composite.iter().flat_map(|(l, a, b)| lines[*l][*a..*b].to_vec()).collect();
    holds(&composite, lines[l][at])?;

    let changed = before.iter().flatten().zip(lines.iter().flatten());
    let repaired = changed.filter(|(before, after)| before != after).count();
    let text = |l: usize, a: usize, b: usize| field(&lines[l][a..b]);
    let (l, at) = layout.names;
    let names = String::from_utf8_lossy(&lines[l][at..]).into_owned();
    let (surnames, given) = names.split_once("<<").unwrap_or((&names, ""));
    let (birth_line, birth_at) = layout.birth;
    let (expiry_line, expiry_at) = layout.expiry;
    Some(Mrz {
        document: text(0, 0, 2),
        issuer: text(0, 2, 5),
        number: text(layout.number.0, layout.number.1, layout.number.1 + 9),
        personal: text(layout.personal.0, layout.personal.1, layout.personal.2),
        surnames: words(surnames),
        given_names: words(given),
        nationality: text(layout.nationality.0, layout.nationality.1, layout.nationality.1 + 3),
        sex: char::from(lines[layout.sex.0][layout.sex.1]),
        birth: date(&lines[birth_line][birth_at..], today.year())?,
        expiry: date(&lines[expiry_line][expiry_at..], today.year() + 50)?,
        repaired,
    })
}

/// Two-digit years are the latest that do not pass `limit`.
fn date(bytes: &[u8], limit: i16) -> Option<Date> {
    let two = |at: usize| {
        Some(
            i16::from(bytes.get(at)?.checked_sub(b'0')?) * 10
                + i16::from(bytes.get(at + 1)?.checked_sub(b'0')?),
        )
    };
    let year = limit - limit.rem_euclid(100) + two(0)?;
    let year = if year > limit { year - 100 } else { year };
    Date::new(year, two(2)? as i8, two(4)? as i8).ok()
}

/// The document number may hold letters anywhere: misreadings are undone one at a time.
fn repair_number(number: &mut [u8]) -> Option<()> {
    make_digits(&mut number[9..]);
    if holds(&number[..9], number[9]).is_some() {
        return Some(());
    }
    for at in 0..9 {
        let original = number[at];
        for other in lookalikes(original) {
            number[at] = *other;
            if holds(&number[..9], number[9]).is_some() {
                return Some(());
            }
        }
        number[at] = original;
    }
    None
}

fn lookalikes(byte: u8) -> &'static [u8] {
    match byte {
        b'0' => b"OD",
        b'O' | b'D' | b'Q' => b"0",
        b'1' => b"I",
        b'I' | b'L' => b"1",
        b'2' => b"Z",
        b'Z' => b"2",
        b'5' => b"S",
        b'S' => b"5",
        b'6' => b"G",
        b'G' => b"6",
        b'8' => b"B",
        b'B' => b"8",
        b'K' | b'C' => b"<",
        _ => b"",
    }
}

fn make_digits(bytes: &mut [u8]) {
    for byte in bytes {
        let digit = digits_for_lookalikes(char::from(*byte));
        *byte = u8::try_from(digit).unwrap_or(*byte);
    }
}

fn make_letters(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = match *byte {
            b'0' => b'O',
            b'1' => b'I',
            b'2' => b'Z',
            b'5' => b'S',
            b'6' => b'G',
            b'8' => b'B',
            other => other,
        };
    }
}

/// The check digit: characters weighted 7, 3, 1, modulo 10.
fn holds(bytes: &[u8], digit: u8) -> Option<()> {
    let worth = |byte: u8| match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A'..=b'Z' => u32::from(byte - b'A') + 10,
        _ => 0,
    };
    let weighted = bytes.iter().zip([7, 3, 1].into_iter().cycle());
    let sum: u32 = weighted.map(|(byte, weight)| worth(*byte) * weight).sum();
    // A missing optional check digit is a filler and counts as zero.
    (sum % 10 == worth(digit) && (digit.is_ascii_digit() || digit == b'<')).then_some(())
}

fn field(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('<', " ").trim().to_owned()
}

fn words(names: &str) -> String {
    names.split('<').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const TODAY: Date = date(2026, 2, 1);

    fn read(lines: &[&str]) -> Option<Mrz> {
        let lines: Option<Vec<String>> = lines.iter().map(|text| line(text)).collect();
        parse(&lines?, TODAY)
    }

    const PASSPORT: [&str; 2] = [
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
        "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
    ];
    const CARD: [&str; 3] = [
        "I<UTOD231458907<<<<<<<<<<<<<<<",
        "7408122F1204159UTO<<<<<<<<<<<6",
        "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
    ];

    #[test]
    fn the_specimens_of_the_standard_are_read() {
        let passport = read(&PASSPORT).unwrap();
        assert_eq!(passport.surnames, "ERIKSSON");
        assert_eq!(passport.given_names, "ANNA MARIA");
        assert_eq!((passport.number.as_str(), passport.sex), ("L898902C3", 'F'));
        assert_eq!((passport.birth, passport.expiry), (date(1974, 8, 12), date(2012, 4, 15)));
        assert_eq!(passport.repaired, 0);
        let card = read(&CARD).unwrap();
        assert_eq!((card.number.as_str(), card.nationality.as_str()), ("D23145890", "UTO"));
        let td2 =
            read(&["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"])
                .unwrap();
        assert_eq!(td2.number, "D23145890");
    }

    #[test]
    fn misread_characters_are_undone_where_the_position_demands() {
        let card = read(&[
            "I<UT0D23I458907<<<<<<<<<<<<<<",
            "74O8I22F12O4I59UT0<<<<<<<<<<<6",
            "ER1KSS0N<<ANNA<MARIA<<<<<<<<<<<<",
        ])
        .unwrap();
        assert_eq!(card.number, "D23145890");
        assert_eq!(card.surnames, "ERIKSSON");
        assert_eq!(card.birth, date(1974, 8, 12));
        assert!(card.repaired >= 6);
    }

    #[test]
    fn a_wrong_check_digit_is_not_accepted() {
        let mut lines = CARD;
        lines[1] = "7408123F1204159UTO<<<<<<<<<<<6";
        assert_eq!(read(&lines), None);
        lines[1] = "7408122F1204159UTO<<<<<<<<<<<5";
        assert_eq!(read(&lines), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(lines in prop::collection::vec("[A-Z0-9<a-z«Ñ ]{0,50}", 0..4)) {
            let lines: Vec<String> = lines.iter().filter_map(|text| line(text)).collect();
            let _ = parse(&lines, TODAY);
        }

        #[test]
        fn one_changed_digit_never_passes_silently(at in 0usize..15, to in 0u8..10) {
            let mut second = CARD[1].as_bytes().to_vec();
            prop_assume!(second[at].is_ascii_digit() && second[at] != b'0' + to);
            second[at] = b'0' + to;
            let second = String::from_utf8(second).unwrap();
            prop_assert_eq!(read(&[CARD[0], &second, CARD[2]]), None);
        }
    }
}
