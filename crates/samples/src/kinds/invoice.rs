//! Invoices on A4 or letter paper, one to three pages.

mod bill;
mod drawn;
mod print;

use bill::{bill, rows};
use print::{banner, closing, columns, supply, title_first, totals, vendor_left, vendor_right};

use super::table;
use crate::draft::{A4, Draft, LETTER};

/// Arrangements written out here; those after them are drawn.
const TEMPLATES: u32 = 12;
pub(super) const LAYOUTS: u32 = TEMPLATES + drawn::FAMILIES;

/// Another paper of trade, laid out as an invoice might be: only what it calls itself tells.
pub(super) fn impostor(draft: &mut Draft, title: &'static str, number_label: &'static str) {
    draft.new_page(A4);
    let (rows, net) = rows(draft);
    let bill = Bill { title, number_label, due: None, ..bill(draft, net) };
    let family = draft.dice.below(drawn::FAMILIES as usize) as u32;
    drawn::write(draft, &bill, rows, family);
    draft.truth.clear();
    draft.lines.clear();
}

struct Bill {
    title: &'static str,
    number: String,
    number_label: &'static str,
    vendor: String,
    vendor_lines: Vec<String>,
    client_lines: Vec<String>,
    issued: (&'static str, String),
    due: Option<(&'static str, String)>,
    extras: Vec<(&'static str, String)>,
    net: i64,
    tax: i64,
    rate: String,
}

pub(super) fn write(draft: &mut Draft) {
    let paper = if draft.style.money.code == "USD" { LETTER } else { A4 };
    draft.new_page(paper);
    let (rows, net) = rows(draft);
    let bill = bill(draft, net);
    if let Some(family) = draft.layout.checked_sub(TEMPLATES) {
        return drawn::write(draft, &bill, rows, family);
    }
    match draft.layout % 4 {
        0 => vendor_left(draft, &bill),
        1 => title_first(draft, &bill),
        2 => vendor_right(draft, &bill),
        _ => banner(draft, &bill),
    }
    if draft.dice.chance(15) {
        supply(draft);
    }
    draft.down(1.5);
    let table = columns(draft, rows);
    let heading = format!("{} {}", bill.number_label, bill.number);
    let vendor = bill.vendor.clone();
    let repeat = draft.dice.chance(70);
    table::print(draft, &table, &mut |draft| {
        draft.new_page(paper);
        if repeat {
            draft.line(&vendor);
            draft.line(&heading);
        }
        draft.down(1.0);
    });
    if draft.y > draft.bottom() - 110.0 {
        draft.new_page(paper);
        draft.line(&format!("{} {}", bill.number_label, bill.number));
    }
    totals(draft, &bill);
    closing(draft, &bill);
    number_pages(draft);
}

/// Page numbers: always on long documents that have them at all.
pub(super) fn number_pages(draft: &mut Draft) {
    let total = draft.pages().len();
    if total == 1 && draft.dice.chance(75) || draft.dice.chance(15) {
        return;
    }
    let word = draft.say("page");
    let of = draft.say("of");
    let (size, face) = (draft.style.size * 0.85, draft.style.face);
    for (n, page) in draft.pages().iter_mut().enumerate() {
        let (right, y) = (page.width - 40.0, page.height - 14.0);
        page.put_right(right, y, size, face, &format!("{word} {} {of} {total}", n + 1));
    }
}
