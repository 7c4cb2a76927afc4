//! Papers of trade that look like invoices and are none.

use super::reference;
use crate::{
    draft::{A4, Draft},
    goods, ids,
    kinds::{
        invoice,
        table::{self, Grid, Table},
    },
    words,
};

/// So many of a hundred are laid out as invoices are.
const LIKE_INVOICES: u32 = 20;

fn head(draft: &mut Draft, title: &str, number_label: &str) {
    draft.new_page(A4);
    let lang = draft.lang;
    let (left, half, top) = (draft.left(), draft.page().width * 0.56, draft.y);
    let firm = words::firm(lang, &mut draft.dice);
    draft.title(left, 1.4, &firm);
    for line in words::address(lang, &mut draft.dice) {
        draft.line(&line);
    }
    if lang == crate::Lang::Es {
        let cif = ids::cif(&mut draft.dice);
        draft.line(&format!("CIF: {cif}"));
    }
    let low = draft.y;
    if draft.dice.chance(60) {
        draft.y = top;
    }
    draft.title(half, 1.7, title);
    let code = reference(&mut draft.dice);
    draft.pair(half, number_label, &code);
    let (label, day) = (draft.say("date in trade"), draft.day_text());
    draft.pair(half, label, &day);
    draft.y = draft.y.max(low);
    draft.down(1.0);
    let client = words::firm(lang, &mut draft.dice);
    draft.fact(left, "customer", &client);
    for line in words::address(lang, &mut draft.dice) {
        draft.line(&line);
    }
    draft.down(1.0);
}

fn items(draft: &mut Draft, priced: bool) -> i64 {
    let mut sum = 0;
    let mut rows = Vec::new();
    for _ in 0..draft.dice.between(2, 16) {
        let (quantity, price) = (draft.dice.between(1, 30), draft.dice.between(100, 40_000));
        sum += quantity * price;
        let mut row = vec![goods::billed(draft.lang, &mut draft.dice), quantity.to_string()];
        if priced {
            row.push(draft.style.amount(price));
            row.push(draft.style.amount(price * quantity));
        } else {
            row.push(draft.dice.of(&["ud", "kg", "m", "caja", "pcs"]).to_owned());
            row.push(draft.dice.digits(4));
        }
        rows.push(row);
    }
    let mut titles =
        vec![draft.say("description in trade").to_owned(), draft.say("qty in trade").to_owned()];
    let (third, fourth) = if priced {
        (draft.say("price in trade"), draft.say("amount in money 2"))
    } else {
        (draft.say("unit"), draft.say("batch"))
    };
    titles.extend([third.to_owned(), fourth.to_owned()]);
    let grid = Grid::of(draft.dice.below(4));
    let table = Table { titles, shares: vec![0.55, 0.13, 0.15, 0.16], rows, grid };
    table::print(draft, &table, &mut |draft| draft.new_page(A4));
    sum
}

pub(super) fn delivery_note(draft: &mut Draft) {
    let title = draft.say("delivery note");
    let label = draft.say("delivery no");
    if draft.dice.chance(LIKE_INVOICES) {
        return invoice::impostor(draft, title, label);
    }
    head(draft, title, label);
    let priced = draft.dice.chance(20);
    items(draft, priced);
    draft.down(1.0);
    draft.say_line("received in good condition signature");
}

pub(super) fn quote(draft: &mut Draft) {
    let title = draft.say("quotation");
    let label = draft.say("quote no");
    if draft.dice.chance(LIKE_INVOICES) {
        return invoice::impostor(draft, title, label);
    }
    head(draft, title, label);
    let sum = items(draft, true);
    draft.down(1.0);
    let x = draft.right() - 190.0;
    let label = draft.say("total in trade");
    let total = draft.style.money(sum);
    draft.pair(x, label, &total);
    draft.down(1.0);
    draft.say_line("this quotation is valid for 30 days accepted by");
}

pub(super) fn purchase_order(draft: &mut Draft) {
    let title = draft.say("purchase order");
    let label = draft.say("po no");
    if draft.dice.chance(LIKE_INVOICES) {
        return invoice::impostor(draft, title, label);
    }
    head(draft, title, label);
    let sum = items(draft, true);
    draft.down(1.0);
    let x = draft.right() - 190.0;
    let label = draft.say("order total");
    let total = draft.style.money(sum);
    draft.pair(x, label, &total);
    draft.say_line("please deliver within 10 days and quote our order number");
}

pub(super) fn price_list(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.7, "price list");
    let (right, size, face) = (draft.right(), draft.style.size, draft.style.face);
    for _ in 0..draft.dice.between(10, 32) {
        let name = if draft.dice.chance(50) {
            goods::billed(draft.lang, &mut draft.dice)
        } else {
            words::capital(&goods::shelf(draft.lang, &mut draft.dice).to_lowercase())
        };
        let price = draft.dice.between(100, 20_000);
        let (y, price) = (draft.y, draft.style.money(price));
        draft.page().put_right(right, y, size, face, &price);
        draft.line(&name);
    }
}

/// A shipping label: few words, large.
pub(super) fn packing_label(draft: &mut Draft) {
    draft.new_page((288.0, 432.0));
    let size = draft.style.size;
    draft.style.size = size * 1.3;
    let lang = draft.lang;
    for label in [draft.say("from in trade"), draft.say("ship to")] {
        draft.line(label);
        let name = words::person(lang, &mut draft.dice).full();
        draft.line(&name);
        for line in words::address(lang, &mut draft.dice) {
            draft.line(&line);
        }
        draft.down(1.0);
    }
    let (label, number) = (draft.say("tracking"), draft.dice.digits(14));
    let x = draft.left();
    draft.pair(x, label, &number);
    draft.say_line("weight 24 kg parcel 1 of 1");
    draft.style.size = size;
}
