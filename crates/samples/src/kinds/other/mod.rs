//! Everything that is none of the other kinds, much of it close to one of them.

mod money;
mod people;
mod reading;
mod trade;

use crate::{dice::Dice, draft::Draft, words};

/// What kind of page it is counts as its layout.
const PAGES: [fn(&mut Draft); 28] = [
    people::letter,
    people::email,
    people::cv,
    people::form,
    people::minutes,
    people::certificate,
    people::medical,
    people::timetable,
    reading::article,
    reading::manual,
    reading::contents,
    reading::paper,
    reading::slides,
    reading::story,
    reading::foreign,
    reading::questionnaire,
    trade::delivery_note,
    trade::quote,
    trade::purchase_order,
    trade::price_list,
    trade::packing_label,
    money::bank_statement,
    money::account_statement,
    money::reminder,
    money::figures,
    money::transfer,
    money::tax_return,
    reading::handbook,
];

pub(super) const LAYOUTS: u32 = PAGES.len() as u32;

pub(super) fn write(draft: &mut Draft) {
    PAGES[draft.layout as usize](draft);
}

fn from_whom(draft: &mut Draft) -> String {
    if draft.dice.chance(60) {
        words::firm(draft.lang, &mut draft.dice)
    } else {
        words::person(draft.lang, &mut draft.dice).full()
    }
}

fn reference(dice: &mut Dice) -> String {
    let letters = dice.between(1, 3) as usize;
    let letters = dice.letters(letters);
    format!("{letters}-{}", dice.digits(5))
}
