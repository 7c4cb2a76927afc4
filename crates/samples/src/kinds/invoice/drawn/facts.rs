//! The number and the days of an invoice: how each stands to its label.

use page::Rect;

use super::Bill;
use crate::draft::Draft;

/// How labels stand to their values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Facts {
    Inline,
    Stops,
    Columns,
    Stacked,
    InTitle,
    Grid,
    Sentence,
}

impl Facts {
    pub(super) fn of(number: u32) -> Self {
        [
            Self::Inline,
            Self::Stops,
            Self::Columns,
            Self::Stacked,
            Self::InTitle,
            Self::Grid,
            Self::Sentence,
        ][number as usize % 7]
    }

    /// Whether it takes the whole width of the paper.
    pub(super) fn needs_width(self) -> bool {
        matches!(self, Self::Columns | Self::Grid)
    }
}

/// Title, number, days and what else is told about the paper.
pub(super) fn facts(draft: &mut Draft, bill: &Bill, way: Facts, x: f32, all: bool) {
    if all {
        title(draft, bill, way, x);
        body(draft, bill, way, x);
    } else if way.needs_width() {
        title(draft, bill, way, x);
    } else {
        body(draft, bill, way, x);
    }
}

/// The title, in one family with the number behind it.
pub(super) fn title(draft: &mut Draft, bill: &Bill, way: Facts, x: f32) {
    let scale = *draft.dice.of(&[&1.1, &1.4, &1.8, &2.4]);
    let text = match way {
        Facts::InTitle => {
            let sign = draft.dice.of(&["", "Nº ", "No. ", "# ", "N° "]);
            let sign = if bill.number_label.len() > 9 { sign } else { "" };
            format!("{} {sign}{}", bill.title, bill.number)
        }
        _ if draft.dice.chance(8) => return,
        _ => bill.title.to_owned(),
    };
    draft.title(x, scale, &text);
}

type Pair = (String, String);

fn pairs(draft: &mut Draft, bill: &Bill, way: Facts) -> Vec<Pair> {
    let own = |(label, value): &(&'static str, String)| ((*label).to_owned(), value.clone());
    let mut pairs = vec![own(&bill.issued)];
    if way != Facts::InTitle {
        let number = (bill.number_label.to_owned(), bill.number.clone());
        let at = usize::from(draft.dice.chance(25));
        pairs.insert(at, number);
    }
    pairs.extend(bill.due.as_ref().map(own));
    for extra in &bill.extras {
        pairs.push(own(extra));
    }
    for _ in 0..draft.dice.below(3) {
        let label = draft.say("noise in invoice").to_owned();
        let digits = draft.dice.between(3, 8) as usize;
        let at = draft.dice.below(pairs.len() + 1);
        pairs.insert(at, (label, draft.dice.digits(digits)));
    }
    if draft.dice.chance(15) {
        let pair = (draft.say("delivery date").to_owned(), draft.day_text());
        let at = 1 + draft.dice.below(pairs.len());
        pairs.insert(at, pair);
    }
    if draft.dice.chance(12) {
        let total = draft.style.money(bill.net + bill.tax);
        pairs.push((draft.say("total").to_owned(), total));
    }
    pairs
}

/// Everything but the title.
pub(super) fn body(draft: &mut Draft, bill: &Bill, way: Facts, x: f32) {
    let pairs = pairs(draft, bill, way);
    match way {
        Facts::Inline | Facts::InTitle => {
            for (label, value) in &pairs {
                draft.pair(x, label, value);
            }
        }
        Facts::Stops => stops(draft, x, &pairs),
        Facts::Columns => columns(draft, &pairs),
        Facts::Stacked => {
            let bold = draft.style.face.bold();
            for (label, value) in pairs.iter().take(4) {
                let label = draft.style.label(label);
                draft.line_at(x, bold, &label);
                draft.line_at(x, draft.style.face, value);
                draft.down(0.3);
            }
        }
        Facts::Grid => {
            let half = draft.page().width * 0.5;
            for two in pairs.chunks(2) {
                let y = draft.y;
                for ((label, value), x) in two.iter().zip([x, half]) {
                    draft.y = y;
                    draft.pair(x, label, value);
                }
            }
        }
        Facts::Sentence => sentence(draft, bill, x, &pairs),
    }
}

/// Values that end, or begin, at one stop.
fn stops(draft: &mut Draft, x: f32, pairs: &[Pair]) {
    let ends = draft.dice.chance(50);
    let (size, face) = (draft.style.size, draft.style.face);
    for (label, value) in pairs {
        if !ends {
            draft.pair_at(x, x + 110.0, label, value);
            continue;
        }
        let label = format!("{}{}", draft.style.label(label), draft.style.colon);
        let width = face.width(&format!("{label} {value}"), size) + size;
        let (y, right) = (draft.y, (x + width.max(200.0)).min(draft.right()));
        draft.page().put(x, y, size, face, &label);
        draft.page().put_right(right, y, size, face, value);
        draft.down(1.0);
    }
}

/// Labels in one row, values in the next; what does not fit goes into a second table.
fn columns(draft: &mut Draft, pairs: &[Pair]) {
    let framed = draft.dice.chance(60);
    for few in pairs.chunks(4) {
        let (left, width) = (draft.left(), draft.right() - draft.left());
        let cell = width / few.len() as f32;
        let (y, size, step, face) = (draft.y, draft.style.size, draft.step(), draft.style.face);
        for (n, (label, value)) in few.iter().enumerate() {
            let x = left + n as f32 * cell + 3.0;
            let label = draft.style.label(label);
            draft.page().put(x, y, size * 0.9, face.bold(), &label);
            draft.page().put(x, y + step, size, face, value);
        }
        if framed {
            draft.page().frame(Rect { x: left, y: y - size, w: width, h: step * 2.2 });
        }
        draft.down(2.6);
    }
}

/// Number and day on one line, the rest below.
fn sentence(draft: &mut Draft, bill: &Bill, x: f32, pairs: &[Pair]) {
    let colon = draft.style.colon;
    let dash = draft.dice.of(&["   ", " - ", " | ", ", "]);
    let first = format!("{}{colon} {}", draft.style.label(bill.number_label), bill.number);
    let second = format!("{}{colon} {}", draft.style.label(bill.issued.0), bill.issued.1);
    draft.line_at(x, draft.style.face, &format!("{first}{dash}{second}"));
    let told = [&bill.number, &bill.issued.1];
    for (label, value) in pairs.iter().filter(|(_, value)| !told.contains(&value)) {
        draft.pair(x, label, value);
    }
}
