//! Invoices whose arrangement is drawn: where the blocks stand, how labels stand to their values
//! and how the sums are told are chosen one by one. A family is one such choice; everything else
//! (words, sizes, noise, order) differs inside it.

mod facts;
mod sums;

use facts::{Facts, facts};

use super::{Bill, number_pages, print};
use crate::{
    draft::{A4, Draft, LETTER},
    kinds::table,
    words,
};

const HEADS: u32 = 6;
const FACTS: u32 = 7;
pub(super) const FAMILIES: u32 = HEADS * FACTS;

/// What a family has in common.
#[derive(Clone, Copy)]
struct Plan {
    head: u32,
    facts: Facts,
    sums: u32,
}

impl Plan {
    fn of(family: u32) -> Self {
        let head = family % HEADS;
        let facts = Facts::of(family / HEADS);
        Self { head, facts, sums: (family * 5 + family / HEADS) % sums::WAYS }
    }
}

pub(super) fn write(draft: &mut Draft, bill: &Bill, rows: Vec<Vec<String>>, family: u32) {
    let plan = Plan::of(family);
    let paper = if draft.style.money.code == "USD" { LETTER } else { A4 };
    match plan.head {
        0 => beside(draft, bill, plan, false),
        1 => beside(draft, bill, plan, true),
        2 => letterhead(draft, bill, plan),
        3 => window(draft, bill, plan),
        4 => parties(draft, bill, plan),
        _ => stacked(draft, bill, plan),
    }
    if draft.dice.chance(10) {
        print::supply(draft);
    }
    draft.down(1.5);
    let table = print::columns(draft, rows);
    let heading = format!("{} {}", bill.number_label, bill.number);
    table::print(draft, &table, &mut |draft| {
        draft.new_page(paper);
        draft.line(&heading);
        draft.down(1.0);
    });
    if draft.y > draft.bottom() - 130.0 {
        draft.new_page(paper);
        draft.line(&heading);
    }
    draft.down(1.0);
    sums::print(draft, bill, plan.sums);
    print::closing(draft, bill);
    if plan.head == 3 {
        imprint(draft, bill);
    }
    number_pages(draft);
}

fn block(draft: &mut Draft, x: f32, lines: &[String]) {
    for line in lines {
        draft.line_at(x, draft.style.face, line);
    }
}

/// The vendor's name in one of the sizes letterheads have, then the rest of it.
fn vendor(draft: &mut Draft, bill: &Bill, x: f32) {
    let scale = *draft.dice.of(&[&1.0, &1.2, &1.6, &2.0]);
    if draft.dice.chance(12) {
        // A mark that is not the firm's name, as logos read.
        let mark = words::brand(&mut draft.dice).to_uppercase();
        draft.title(x, scale * 1.2, &mark);
    }
    if scale > 1.0 {
        draft.title(x, scale, &bill.vendor);
    } else {
        draft.line_at(x, draft.style.face.bold(), &bill.vendor);
    }
    block(draft, x, &bill.vendor_lines);
}

fn client(draft: &mut Draft, bill: &Bill, x: f32) {
    // Envelopes with a window need no heading.
    let from = usize::from(draft.dice.chance(25));
    block(draft, x, &bill.client_lines[from..]);
}

/// Vendor and facts beside each other, the customer below.
fn beside(draft: &mut Draft, bill: &Bill, plan: Plan, swapped: bool) {
    let (left, half, top) = (draft.left(), draft.page().width * 0.55, draft.y);
    let (a, b) = if swapped { (half, left) } else { (left, half) };
    vendor(draft, bill, a);
    let low = draft.y;
    draft.y = top;
    let wide = plan.facts.needs_width();
    facts(draft, bill, plan.facts, b, !wide);
    draft.y = draft.y.max(low);
    draft.down(1.0);
    let x = if draft.dice.chance(50) { left } else { half };
    client(draft, bill, x);
    if wide {
        draft.down(1.0);
        facts::body(draft, bill, plan.facts, left);
    }
}

fn letterhead(draft: &mut Draft, bill: &Bill, plan: Plan) {
    let (middle, size, face) = (draft.page().width / 2.0, draft.style.size, draft.style.face);
    let y = draft.y;
    draft.page().put_centre(middle, y, size * 1.8, face.bold(), &bill.vendor);
    draft.y += size * 2.2;
    for line in &bill.vendor_lines {
        let y = draft.y;
        draft.page().put_centre(middle, y, size * 0.9, face, line);
        draft.down(1.0);
    }
    draft.down(1.0);
    let (left, half, top) = (draft.left(), draft.page().width * 0.56, draft.y);
    client(draft, bill, left);
    let low = draft.y;
    if plan.facts.needs_width() {
        draft.down(1.0);
        facts(draft, bill, plan.facts, left, true);
        return;
    }
    draft.y = top;
    facts(draft, bill, plan.facts, half, true);
    draft.y = draft.y.max(low);
}

/// A small line with the sender above the customer; the rest of the sender is in the footer.
fn window(draft: &mut Draft, bill: &Bill, plan: Plan) {
    draft.down(3.0);
    let (left, half, top) = (draft.left(), draft.page().width * 0.58, draft.y);
    let (y, size, face) = (draft.y, draft.style.size, draft.style.face);
    let mut sender = vec![bill.vendor.clone()];
    sender.extend(bill.vendor_lines.iter().take(2).cloned());
    let dash = draft.dice.of(&[" - ", " · ", ", ", " | "]);
    draft.page().put(left, y, size * 0.7, face, &sender.join(dash));
    draft.down(1.2);
    block(draft, left, &bill.client_lines[1..]);
    let low = draft.y;
    draft.y = top;
    if !plan.facts.needs_width() {
        facts(draft, bill, plan.facts, half, false);
    }
    draft.y = draft.y.max(low);
    draft.down(2.0);
    facts::title(draft, bill, plan.facts, left);
    if plan.facts.needs_width() {
        facts::body(draft, bill, plan.facts, left);
    }
}

/// Sender and customer in two columns, each under its heading.
fn parties(draft: &mut Draft, bill: &Bill, plan: Plan) {
    let (left, half) = (draft.left(), draft.page().width * 0.53);
    facts::title(draft, bill, plan.facts, left);
    draft.down(0.5);
    let top = draft.y;
    let heading = draft.say("seller");
    let heading = format!("{}{}", draft.style.label(heading), draft.style.colon);
    draft.line_at(left, draft.style.face.bold(), &heading);
    draft.line(&bill.vendor);
    block(draft, left, &bill.vendor_lines);
    let low = draft.y;
    draft.y = top;
    block(draft, half, &bill.client_lines);
    draft.y = draft.y.max(low);
    draft.down(1.0);
    facts::body(draft, bill, plan.facts, left);
}

/// Everything in one column.
fn stacked(draft: &mut Draft, bill: &Bill, plan: Plan) {
    let left = draft.left();
    vendor(draft, bill, left);
    draft.down(1.0);
    facts(draft, bill, plan.facts, left, true);
    draft.down(0.5);
    client(draft, bill, left);
}

/// Who sent it, small, at the foot of the first page.
fn imprint(draft: &mut Draft, bill: &Bill) {
    let (size, face) = (draft.style.size * 0.75, draft.style.face);
    let x = draft.left();
    let page = &mut draft.pages()[0];
    let y = page.height - 40.0;
    page.put(x, y, size, face, &bill.vendor);
    page.put(x, y + size * 1.3, size, face, &bill.vendor_lines.join("  "));
}
