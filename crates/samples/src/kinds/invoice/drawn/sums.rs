//! What an invoice adds up to: how net, tax and total stand.

use super::Bill;
use crate::draft::Draft;

pub(super) const WAYS: u32 = 6;

struct Sums {
    net: (String, i64),
    tax: (String, i64),
    total: (String, i64),
}

pub(super) fn print(draft: &mut Draft, bill: &Bill, way: u32) {
    let tax =
        if draft.dice.chance(40) { draft.say("tax column").to_owned() } else { bill.rate.clone() };
    let sums = Sums {
        net: (draft.say("subtotal").to_owned(), bill.net),
        tax: (tax, bill.tax),
        total: (draft.say("total").to_owned(), bill.net + bill.tax),
    };
    match way {
        0 => at_right(draft, &sums, 190.0, false),
        1 => across(draft, &sums),
        2 => by_rate(draft, bill, &sums),
        3 => at_right(draft, &sums, 260.0, true),
        4 => only_total(draft, &sums),
        _ => at_left(draft, &sums),
    }
}

impl Sums {
    fn all(&self) -> [&(String, i64); 3] {
        [&self.net, &self.tax, &self.total]
    }
}

fn at_right(draft: &mut Draft, sums: &Sums, width: f32, ruled: bool) {
    let (size, right) = (draft.style.size, draft.right());
    let bare = draft.dice.chance(30);
    for (n, (label, cents)) in sums.all().into_iter().enumerate() {
        let face = if n == 2 { draft.style.face.bold() } else { draft.style.face };
        let size = if n == 2 && ruled { size * 1.2 } else { size };
        let label = format!("{}{}", draft.style.label(label), draft.style.colon);
        let value =
            if bare && n < 2 { draft.style.amount(*cents) } else { draft.style.money(*cents) };
        let y = draft.y;
        draft.page().put(right - width, y, size, face, &label);
        draft.page().put_right(right - 3.0, y, size, face, &value);
        if ruled {
            draft.page().rule(right - width, y + size * 0.4, width);
        }
        draft.down(1.3);
    }
}

fn across(draft: &mut Draft, sums: &Sums) {
    let (left, width) = (draft.left(), draft.right() - draft.left());
    let (y, size, face) = (draft.y, draft.style.size, draft.style.face);
    for (n, (label, cents)) in sums.all().into_iter().enumerate() {
        let x = left + n as f32 * width / 3.0;
        let label = draft.style.label(label);
        draft.page().put(x, y, size, face.bold(), &label);
        let value = draft.style.money(*cents);
        draft.page().put(x, y + size * 1.6, size, face, &value);
    }
    draft.down(3.2);
}

/// A table of rates, then the total.
fn by_rate(draft: &mut Draft, bill: &Bill, sums: &Sums) {
    let (left, size, face) = (draft.left(), draft.style.size, draft.style.face);
    let rate: String = bill.rate.split(' ').next_back().unwrap_or_default().to_owned();
    let titles =
        [sums.net.0.clone(), draft.say("rate column").into(), draft.say("tax column").into()];
    let values = [draft.style.amount(bill.net), rate, draft.style.amount(bill.tax)];
    let y = draft.y;
    for (n, (title, value)) in titles.iter().zip(&values).enumerate() {
        let right = left + 110.0 + n as f32 * 90.0;
        let title = draft.style.label(title);
        draft.page().put_right(right, y, size * 0.9, face.bold(), &title);
        draft.page().put_right(right, y + size * 1.5, size, face, value);
    }
    draft.down(3.0);
    let (label, cents) = &sums.total;
    let label = format!("{}{}", draft.style.label(label), draft.style.colon);
    let value = draft.style.money(*cents);
    let (y, right) = (draft.y, draft.right());
    draft.page().put(right - 230.0, y, size * 1.3, face.bold(), &label);
    draft.page().put_right(right - 3.0, y, size * 1.3, face.bold(), &value);
    draft.down(1.6);
}

fn only_total(draft: &mut Draft, sums: &Sums) {
    let (size, face, right) = (draft.style.size, draft.style.face.bold(), draft.right());
    let (label, cents) = &sums.total;
    let label = format!("{}{}", draft.style.label(label), draft.style.colon);
    let value = draft.style.money(*cents);
    let y = draft.y;
    draft.page().put(right - 260.0, y, size * 1.5, face, &label);
    draft.page().put_right(right - 3.0, y, size * 1.5, face, &value);
    draft.down(2.0);
    let small = [("included tax", sums.tax.1), ("subtotal", sums.net.1)];
    for (what, cents) in small {
        let (label, value) = (draft.say(what), draft.style.money(cents));
        let x = right - 260.0;
        draft.pair(x, label, &value);
    }
}

fn at_left(draft: &mut Draft, sums: &Sums) {
    let x = draft.left();
    for (label, cents) in sums.all() {
        let value = draft.style.money(*cents);
        draft.pair(x, label, &value);
    }
}
