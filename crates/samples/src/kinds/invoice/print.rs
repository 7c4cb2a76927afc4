//! Where an invoice says it.

use page::Rect;

use super::Bill;
use crate::{
    Lang,
    draft::Draft,
    ids,
    kinds::table::{Grid, Table},
    prose, words,
};

/// The columns differ with the layout: code or not, unit price or not, tax per line.
pub(super) fn columns(draft: &mut Draft, rows: Vec<Vec<String>>) -> Table {
    let titles = [
        draft.say("item"),
        draft.say("description"),
        draft.say("qty"),
        draft.say("price"),
        draft.say("amount"),
    ];
    let (keep, shares): (&[usize], &[f32]) = match draft.layout / 3 {
        0 => (&[0, 1, 2, 3, 4], &[0.1, 0.45, 0.12, 0.16, 0.17]),
        1 => (&[1, 2, 3, 4], &[0.52, 0.13, 0.17, 0.18]),
        2 => (&[1, 4], &[0.8, 0.19]),
        _ => (&[2, 1, 3, 4], &[0.1, 0.55, 0.17, 0.18]),
    };
    let printed = |name: &&str| {
        let columns = ["", "description", "quantity", "unit_price", "amount"];
        keep.iter().any(|n| columns[*n] == *name)
    };
    for line in &mut draft.lines {
        line.retain(|name, _| printed(name));
    }
    let pick = |row: Vec<String>| keep.iter().map(|n| row[*n].clone()).collect::<Vec<_>>();
    Table {
        titles: keep.iter().map(|n| draft.style.label(titles[*n])).collect(),
        shares: shares.to_vec(),
        rows: rows.into_iter().map(pick).collect(),
        grid: Grid::of(draft.dice.below(4)),
    }
}

fn pairs(bill: &Bill) -> Vec<(&'static str, String)> {
    let mut pairs = vec![(bill.number_label, bill.number.clone()), bill.issued.clone()];
    pairs.extend(bill.due.clone());
    pairs.extend(bill.extras.iter().cloned());
    pairs
}

/// The block with number and dates: beside each other, in a boxed row, or spread out.
fn meta(draft: &mut Draft, bill: &Bill, x: f32) {
    let pairs = pairs(bill);
    match draft.layout % 3 {
        0 => {
            for (label, value) in &pairs {
                draft.pair(x, label, value);
            }
        }
        1 => {
            for (label, value) in &pairs {
                draft.pair_at(x, x + 95.0, label, value);
            }
        }
        _ => {
            let (left, width) = (draft.left(), draft.right() - draft.left());
            let cell = width / pairs.len() as f32;
            let (y, size, step) = (draft.y, draft.style.size, draft.step());
            let face = draft.style.face;
            for (n, (label, value)) in pairs.iter().enumerate() {
                let x = left + n as f32 * cell;
                let label = draft.style.label(label);
                draft.page().put(x + 3.0, y, size * 0.9, face.bold(), &label);
                draft.page().put(x + 3.0, y + step, size, face, value);
            }
            draft.page().frame(Rect { x: left, y: y - size, w: width, h: step * 2.2 });
            draft.down(2.4);
        }
    }
}

/// Electricity, water and telephone bills tell what was consumed, where and when.
pub(super) fn supply(draft: &mut Draft) {
    draft.down(1.0);
    let x = draft.left();
    let address = words::address(draft.lang, &mut draft.dice).join(", ");
    let (from, to) = (draft.day_text(), draft.day_text());
    let lines = [
        (draft.say("billing period"), format!("{from} - {to}")),
        (draft.say("supply address"), address),
        (
            draft.say("meter reading"),
            format!("{} {}", draft.dice.digits(5), draft.dice.of(&["kWh", "m3", "GB", "min"])),
        ),
        (draft.say("direct debit date"), draft.day_text()),
    ];
    for (label, value) in lines {
        draft.pair(x, label, &value);
    }
}

fn block(draft: &mut Draft, x: f32, lines: &[String]) {
    for line in lines {
        draft.line_at(x, draft.style.face, line);
    }
}

pub(super) fn vendor_left(draft: &mut Draft, bill: &Bill) {
    let (left, half, top) = (draft.left(), draft.page().width * 0.56, draft.y);
    draft.title(left, 1.4, &bill.vendor);
    block(draft, left, &bill.vendor_lines);
    let low = draft.y;
    draft.y = top;
    draft.title(half, 1.9, bill.title);
    let stacked = draft.layout % 3 != 2;
    if stacked {
        meta(draft, bill, half);
    }
    draft.y = draft.y.max(low);
    draft.down(1.0);
    let x = if draft.dice.chance(50) { left } else { half };
    block(draft, x, &bill.client_lines);
    if !stacked {
        draft.down(0.8);
        meta(draft, bill, left);
    }
}

pub(super) fn title_first(draft: &mut Draft, bill: &Bill) {
    let (left, half) = (draft.left(), draft.page().width * 0.54);
    draft.title(left, 2.2, bill.title);
    draft.down(0.5);
    let top = draft.y;
    draft.line_at(left, draft.style.face.bold(), &bill.vendor);
    block(draft, left, &bill.vendor_lines);
    let low = draft.y;
    draft.y = top;
    block(draft, half, &bill.client_lines);
    draft.y = draft.y.max(low);
    draft.down(1.0);
    meta(draft, bill, left);
}

pub(super) fn vendor_right(draft: &mut Draft, bill: &Bill) {
    let (left, half, top) = (draft.left(), draft.page().width * 0.6, draft.y);
    draft.line_at(half, draft.style.face.bold(), &bill.vendor);
    block(draft, half, &bill.vendor_lines);
    let low = draft.y;
    draft.y = top + draft.step();
    block(draft, left, &bill.client_lines);
    draft.y = draft.y.max(low);
    draft.down(1.5);
    draft.title(left, 1.7, bill.title);
    meta(draft, bill, left);
}

pub(super) fn banner(draft: &mut Draft, bill: &Bill) {
    let (width, size) = (draft.page().width, draft.style.size);
    let face = draft.style.face.bold();
    let band = Rect { x: 0.0, y: 0.0, w: width, h: draft.style.margin + 26.0 };
    draft.page().fill(band, 225);
    let (y, middle) = (draft.y, width / 2.0);
    draft.page().put_centre(middle, y, size * 1.7, face, &bill.vendor);
    draft.y += size * 2.0;
    let line = bill.vendor_lines.join(" - ");
    let (y, face) = (draft.y, draft.style.face);
    draft.page().put_centre(middle, y, size * 0.75, face, &line);
    draft.down(3.0);
    let (left, top) = (draft.left(), draft.y);
    block(draft, left, &bill.client_lines);
    let low = draft.y;
    draft.y = top;
    let half = width * 0.58;
    draft.title(half, 1.5, bill.title);
    if draft.layout % 3 == 2 {
        draft.y = draft.y.max(low);
        draft.down(0.8);
    }
    meta(draft, bill, half);
    draft.y = draft.y.max(low);
}

pub(super) fn totals(draft: &mut Draft, bill: &Bill) {
    let net = draft.say("subtotal");
    let total = draft.say("total");
    let tax = match (draft.lang, draft.dice.below(3)) {
        (Lang::Es, 0) => "Cuota IVA".to_owned(),
        (Lang::Fr, 0) => "Taxes".to_owned(),
        (Lang::Pt, 0) => "IVA".to_owned(),
        (Lang::En, 0) => "Tax".to_owned(),
        _ => bill.rate.clone(),
    };
    draft.down(1.0);
    let lines =
        [(net.to_owned(), bill.net), (tax, bill.tax), (total.to_owned(), bill.net + bill.tax)];
    let (size, right) = (draft.style.size, draft.right());
    if draft.layout % 5 == 4 {
        let (left, width) = (draft.left(), right - draft.left());
        for (n, (label, cents)) in lines.iter().enumerate() {
            let x = left + n as f32 * width / 3.0;
            let (y, face) = (draft.y, draft.style.face);
            draft.page().put(x, y, size, face.bold(), label);
            let value = draft.style.money(*cents);
            draft.page().put(x, y + size * 1.5, size * 1.1, face, &value);
        }
        draft.down(3.0);
        return;
    }
    let x = right - 190.0;
    for (n, (label, cents)) in lines.iter().enumerate() {
        let face = if n == 2 { draft.style.face.bold() } else { draft.style.face };
        let y = draft.y;
        let label = format!("{}{}", draft.style.label(label), draft.style.colon);
        draft.page().put(x, y, size, face, &label);
        let value = draft.style.money(*cents);
        draft.page().put_right(right - 3.0, y, size, face, &value);
        draft.down(1.15);
    }
}

pub(super) fn closing(draft: &mut Draft, bill: &Bill) {
    draft.down(1.5);
    if draft.dice.chance(55) {
        let country = match draft.lang {
            Lang::Es => "ES",
            Lang::Fr => "FR",
            Lang::Pt => "PT",
            Lang::En => draft.dice.of(&["GB", "DE"]),
        };
        let iban = ids::iban(country, &mut draft.dice);
        let label = draft.say("iban");
        draft.know("iban", iban.clone());
        let x = draft.left();
        draft.pair(x, label, &ids::grouped(&iban));
    }
    if draft.dice.chance(50) {
        draft.say_line("thank you for your business");
    }
    if draft.dice.chance(25) {
        let text = prose::paragraph(draft.lang, 2, &mut draft.dice);
        let (x, width) = (draft.left(), draft.right() - draft.left());
        draft.paragraph(x, width, &text);
    }
    if draft.dice.chance(30) {
        let (x, y) = (draft.left(), draft.page().height - 26.0);
        let (size, face) = (draft.style.size * 0.75, draft.style.face);
        let text = format!("{} - {}", bill.vendor, bill.vendor_lines.join(" - "));
        draft.page().put(x, y, size, face, &text);
    }
}
