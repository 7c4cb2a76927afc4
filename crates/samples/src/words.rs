//! Names of people, firms, places and goods, all invented or common.

use crate::{Lang, dice::Dice, wordings};

/// One of the words of a language.
fn any(of: &str, lang: Lang, dice: &mut Dice) -> &'static str {
    dice.of(wordings::of(of, lang))
}

pub(crate) struct Person {
    pub(crate) given: String,
    pub(crate) family: String,
}

impl Person {
    pub(crate) fn full(&self) -> String {
        format!("{} {}", self.given, self.family)
    }

    /// The family name first, as registers print it.
    pub(crate) fn listed(&self) -> String {
        format!("{}, {}", self.family, self.given)
    }
}

pub(crate) fn person(lang: Lang, dice: &mut Dice) -> Person {
    match lang {
        Lang::Es => {
            let given = any("given name", lang, dice).to_owned();
            let second = dice.chance(20).then(|| any("given name", lang, dice));
            let given = second.map_or(given.clone(), |second| format!("{given} {second}"));
            let (first, second) = (any("family name", lang, dice), any("family name", lang, dice));
            Person { given, family: format!("{first} {second}") }
        }
        Lang::En | Lang::Fr | Lang::Pt => {
            let given = any("given name", lang, dice).into();
            Person { given, family: any("family name", lang, dice).into() }
        }
    }
}

/// A pronounceable word of no language: what a model must learn to pay no attention to.
pub(crate) fn nonsense(dice: &mut Dice) -> String {
    let syllables = dice.between(1, 4);
    let mut word = String::new();
    for _ in 0..syllables {
        word.push_str(dice.of(&[
            "b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "br", "tr", "pl",
            "st", "ch", "h", "k", "w", "z", "gr", "sh", "",
        ]));
        word.push_str(dice.of(&["a", "e", "i", "o", "u", "ia", "ei", "ou", "a", "e", "o"]));
        word.push_str(dice.of(&["", "", "", "n", "r", "s", "l", "t", "m", "x", "ng", "ck"]));
    }
    word
}

pub(crate) fn brand(dice: &mut Dice) -> String {
    let [first, last] =
        ["begin of a brand", "end of a brand"].map(|part| wordings::of(part, Lang::Es));
    match dice.below(4) {
        0 => {
            let word = nonsense(dice) + dice.of(last);
            capital(&word)
        }
        1 => format!("{} {}", dice.of(first), dice.of(first)),
        _ => format!("{}{}", dice.of(first), dice.of(last)),
    }
}

pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

pub(crate) fn firm(lang: Lang, dice: &mut Dice) -> String {
    let brand = brand(dice);
    let owner = person(lang, dice);
    let family = owner.family.split(' ').next().unwrap_or_default().to_owned();
    let (form, trade) = (any("form of a firm", lang, dice), any("trade", lang, dice));
    match lang {
        Lang::Es => match dice.below(5) {
            0 => format!("{brand}, {form}"),
            1 => format!("{trade} {family} {form}"),
            2 => format!("{trade} {brand}, {form}"),
            3 => format!("{brand} {trade} {form}"),
            _ => format!("{trade} {brand} {form}"),
        },
        Lang::En => match dice.below(4) {
            0 => format!("{brand} {form}"),
            1 => format!("{family} {trade} {form}"),
            _ => format!("{brand} {trade} {form}"),
        },
        Lang::Fr | Lang::Pt => {
            if dice.chance(50) {
                format!("{trade} {brand} {form}")
            } else {
                format!("{brand} {form}")
            }
        }
    }
}

/// The name over a door, without its legal form.
pub(crate) fn house(lang: Lang, dice: &mut Dice) -> String {
    format!("{} {}", brand(dice), any("trade", lang, dice))
}

/// One or two lines.
pub(crate) fn address(lang: Lang, dice: &mut Dice) -> Vec<String> {
    let number = dice.between(1, 190);
    match lang {
        Lang::Es => {
            let way = any("kind of street", lang, dice);
            let door = match dice.below(4) {
                0 => format!(", {}º {}", dice.between(1, 8), dice.letters(1)),
                1 => ", bajo".to_owned(),
                _ => String::new(),
            };
            let code = format!("{:02}{}", dice.between(1, 52), dice.digits(3));
            vec![
                format!("{way} {}, {number}{door}", any("street", lang, dice)),
                format!("{code} {}", town(lang, dice)),
            ]
        }
        Lang::En => {
            let lot = dice.of(&["", "", "", "No. ", "Unit 4, ", "Lot ", "Suite 210, "]);
            let code = match dice.below(3) {
                1 => format!(
                    "{}{} {}{}",
                    dice.letters(2),
                    dice.below(20),
                    dice.below(10),
                    dice.letters(2)
                ),
                _ => dice.digits(5),
            };
            let town = town(lang, dice);
            let second =
                if dice.chance(50) { format!("{code} {town}") } else { format!("{town} {code}") };
            vec![format!("{lot}{number} {}", any("street", lang, dice)), second]
        }
        Lang::Fr => vec![
            format!("{number}, {}", any("street", lang, dice)),
            format!("{:02}{} {}", dice.between(1, 95), dice.digits(3), town(lang, dice)),
        ],
        Lang::Pt => vec![
            format!(
                "{} {}, {number}",
                dice.of(&["Rua", "Avenida", "Largo", "R."]),
                any("street", lang, dice)
            ),
            format!(
                "{}{}-{} {}",
                dice.between(1, 9),
                dice.digits(3),
                dice.digits(3),
                town(lang, dice)
            ),
        ],
    }
}

pub(crate) fn town(lang: Lang, dice: &mut Dice) -> &'static str {
    any("town", lang, dice)
}

pub(crate) fn phone(lang: Lang, dice: &mut Dice) -> String {
    match lang {
        Lang::Es => {
            format!("9{} {} {} {}", dice.digits(1), dice.digits(3), dice.digits(2), dice.digits(2))
        }
        Lang::En => match dice.below(3) {
            0 => format!("0{}-{} {}", dice.between(3, 9), dice.digits(4), dice.digits(4)),
            1 => format!("+44 20 {} {}", dice.digits(4), dice.digits(4)),
            _ => format!("({}) {}-{}", dice.digits(3), dice.digits(3), dice.digits(4)),
        },
        Lang::Pt => {
            format!("2{} {} {}", dice.digits(2), dice.digits(3), dice.digits(3))
        }
        Lang::Fr => format!(
            "0{} {} {} {} {}",
            dice.between(1, 9),
            dice.digits(2),
            dice.digits(2),
            dice.digits(2),
            dice.digits(2)
        ),
    }
}

pub(crate) fn site(firm: &str) -> String {
    let name: String = firm
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(14)
        .collect::<String>()
        .to_lowercase();
    format!("{name}.example")
}
