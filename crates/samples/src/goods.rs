//! What is sold, over the counter and on account.

use crate::{Lang, dice::Dice, wordings, words};

/// Something rung up at a till.
pub(crate) fn shelf(lang: Lang, dice: &mut Dice) -> String {
    let known = dice.of(wordings::of("on the shelf", lang));
    match dice.below(5) {
        0 => format!(
            "{} {}",
            words::nonsense(dice).to_uppercase(),
            words::nonsense(dice).to_uppercase()
        ),
        1 => format!("{} {known}", words::nonsense(dice).to_uppercase()),
        2 => words::capital(&known.to_lowercase()),
        _ => known.to_owned(),
    }
}

/// Something billed to a customer.
pub(crate) fn billed(lang: Lang, dice: &mut Dice) -> String {
    let known = dice.of(wordings::of("billed work", lang));
    match dice.below(6) {
        0 => format!("{known} {}", words::capital(&words::nonsense(dice))),
        1 => {
            let model = format!("{}-{}", dice.letters(2), dice.digits(3));
            format!("{} {model}", words::capital(&words::nonsense(dice)))
        }
        2 => format!("[{}{}] {known}", dice.letters(2), dice.digits(4)),
        _ => known.to_owned(),
    }
}
