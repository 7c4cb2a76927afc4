//! The lower half of a receipt: sums, payment, taxes, thanks.

use super::{Roll, Sale};
use crate::{Lang, draft::Draft};

pub(super) fn totals(draft: &mut Draft, roll: &mut Roll, sale: &Sale) {
    let bold = roll.face.bold();
    if draft.dice.chance(50) {
        let label = draft.say("subtotal in end");
        let cents = if draft.dice.chance(50) { sale.total } else { sale.total - sale.tax };
        roll.ends(label, &draft.style.amount(cents), roll.face);
    }
    if draft.dice.chance(35) {
        roll.ends(&sale.rate, &draft.style.amount(sale.tax), roll.face);
    }
    if draft.lang == Lang::En && draft.dice.chance(30) {
        let label = draft.say("adjustment");
        roll.ends(label, &draft.style.amount(0), roll.face);
    }
    let label = draft.say("total in end");
    let size = roll.size;
    if draft.dice.chance(45) {
        roll.size *= draft.dice.span(1.1, 1.5);
    }
    draft.know_amount("total", sale.total);
    let total = if draft.dice.chance(55) {
        draft.style.money(sale.total)
    } else {
        draft.style.amount(sale.total)
    };
    let label = format!("{label}{}", draft.dice.of(&["", ":", " :", ""]));
    roll.ends(&label, &total, bold);
    roll.size = size;
    payment(draft, roll, sale);
}

fn payment(draft: &mut Draft, roll: &mut Roll, sale: &Sale) {
    if draft.dice.chance(15) {
        return;
    }
    if draft.dice.chance(55) {
        let label = draft.say("cash");
        let given = (sale.total / 1000 + 1) * 1000;
        roll.ends(label, &draft.style.amount(given), roll.face);
        let label = draft.say("change");
        roll.ends(label, &draft.style.amount(given - sale.total), roll.face);
        return;
    }
    let label = draft.say("visa");
    roll.ends(label, &draft.style.amount(sale.total), roll.face);
    let digits = draft.dice.digits(4);
    roll.line(&format!("**** **** **** {digits}"));
    if draft.dice.chance(50) {
        let label = draft.say("auth code");
        roll.line(&format!("{label} {}", draft.dice.digits(6)));
    }
}

pub(super) fn tax_summary(draft: &mut Draft, roll: &mut Roll, sale: &Sale) {
    let (net, tax) = (draft.style.amount(sale.total - sale.tax), draft.style.amount(sale.tax));
    let title = draft.say("gst summary");
    roll.line(title);
    roll.ends(&format!("{}  {net}", sale.rate), &tax, roll.face);
}

pub(super) fn farewell(draft: &mut Draft, roll: &mut Roll) {
    roll.step();
    let lines = draft.dice.below(4);
    for line in draft.some("thanks", lines) {
        roll.centre(line);
    }
    if draft.dice.chance(25) {
        let code = draft.dice.digits(20);
        roll.centre(&code);
    }
}
