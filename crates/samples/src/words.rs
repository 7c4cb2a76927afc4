//! Names of people, firms, places and goods, all invented or common.

#[rustfmt::skip]
mod lists;

use lists::{
    FAMILY_EN, FAMILY_ES, FAMILY_FR, FIRST, GIVEN_EN, GIVEN_ES, GIVEN_FR, LAST, STREETS_EN,
    STREETS_ES, STREETS_FR, TOWNS_EN, TOWNS_ES, TOWNS_FR, TRADE_EN, TRADE_ES, TRADE_FR,
};

use crate::{Lang, dice::Dice};

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
            let given = dice.of(&GIVEN_ES).to_owned();
            let second = dice.chance(20).then(|| dice.of(&GIVEN_ES));
            let given = second.map_or(given.clone(), |second| format!("{given} {second}"));
            Person { given, family: format!("{} {}", dice.of(&FAMILY_ES), dice.of(&FAMILY_ES)) }
        }
        Lang::En => Person { given: dice.of(&GIVEN_EN).into(), family: dice.of(&FAMILY_EN).into() },
        Lang::Fr => Person { given: dice.of(&GIVEN_FR).into(), family: dice.of(&FAMILY_FR).into() },
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
    match dice.below(4) {
        0 => {
            let word = nonsense(dice) + dice.of(&LAST);
            capital(&word)
        }
        1 => format!("{} {}", dice.of(&FIRST), dice.of(&FIRST)),
        _ => format!("{}{}", dice.of(&FIRST), dice.of(&LAST)),
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
    match lang {
        Lang::Es => {
            let form = dice.of(&["S.L.", "S.A.", "S.L.U.", "SL", "SA", "S. Coop.", "C.B."]);
            let trade = dice.of(&TRADE_ES);
            match dice.below(5) {
                0 => format!("{brand}, {form}"),
                1 => format!("{trade} {family} {form}"),
                2 => format!("{trade} {brand}, {form}"),
                3 => format!("{brand} {trade} {form}"),
                _ => format!("{trade} {brand} {form}"),
            }
        }
        Lang::En => {
            let form = dice.of(&[
                "Ltd",
                "Limited",
                "Inc.",
                "LLC",
                "Sdn Bhd",
                "Pte Ltd",
                "Pty Ltd",
                "PLC",
                "Sdn. Bhd.",
                "& Sons Ltd",
            ]);
            let trade = dice.of(&TRADE_EN);
            match dice.below(4) {
                0 => format!("{brand} {form}"),
                1 => format!("{family} {trade} {form}"),
                _ => format!("{brand} {trade} {form}"),
            }
        }
        Lang::Fr => {
            let form = dice.of(&["SARL", "SAS", "SA", "EURL", "& Fils"]);
            let trade = dice.of(&TRADE_FR);
            if dice.chance(50) {
                format!("{trade} {brand} {form}")
            } else {
                format!("{brand} {form}")
            }
        }
    }
}

/// One or two lines.
pub(crate) fn address(lang: Lang, dice: &mut Dice) -> Vec<String> {
    let number = dice.between(1, 190);
    match lang {
        Lang::Es => {
            let way = dice.of(&[
                "Calle",
                "C/",
                "Avda.",
                "Avenida",
                "Plaza",
                "Paseo",
                "Pol. Ind.",
                "Ctra.",
            ]);
            let door = match dice.below(4) {
                0 => format!(", {}º {}", dice.between(1, 8), dice.letters(1)),
                1 => ", bajo".to_owned(),
                _ => String::new(),
            };
            let code = format!("{:02}{}", dice.between(1, 52), dice.digits(3));
            vec![
                format!("{way} {}, {number}{door}", dice.of(&STREETS_ES)),
                format!("{code} {}", dice.of(&TOWNS_ES)),
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
            let town = dice.of(&TOWNS_EN);
            let second =
                if dice.chance(50) { format!("{code} {town}") } else { format!("{town} {code}") };
            vec![format!("{lot}{number} {}", dice.of(&STREETS_EN)), second]
        }
        Lang::Fr => vec![
            format!("{number}, {}", dice.of(&STREETS_FR)),
            format!("{:02}{} {}", dice.between(1, 95), dice.digits(3), dice.of(&TOWNS_FR)),
        ],
    }
}

pub(crate) fn town(lang: Lang, dice: &mut Dice) -> &'static str {
    match lang {
        Lang::Es => dice.of(&TOWNS_ES),
        Lang::En => dice.of(&TOWNS_EN),
        Lang::Fr => dice.of(&TOWNS_FR),
    }
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
