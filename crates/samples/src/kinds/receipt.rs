//! Till receipts on a roll of paper, sometimes copied in the middle of a larger sheet.

mod end;
mod roll;

use end::{farewell, tax_summary, totals};
use roll::Roll;

use crate::{
    Lang,
    draft::{A4, Draft},
    goods, ids,
    layout::Layout,
    metrics::Face,
    style::Dates,
    words,
};

pub(super) const LAYOUTS: u32 = 12;

struct Sale {
    items: Vec<(String, i64, i64)>,
    total: i64,
    /// Tax contained in the total, and its name.
    tax: i64,
    rate: String,
}

pub(super) fn write(draft: &mut Draft) {
    let mut roll = roll(draft);
    let sale = sale(draft);
    let title = head(draft, &mut roll);
    let mark = draft.dice.of(&["-", "=", "", "*", "_"]);
    let early = draft.layout % 3 != 2;
    if !title.is_empty() && early {
        roll.centre(title);
    }
    if early {
        stamp(draft, &mut roll);
    }
    if draft.dice.chance(15) {
        customer(draft, &mut roll);
    }
    roll.dashes(mark);
    items(draft, &mut roll, &sale);
    roll.dashes(mark);
    totals(draft, &mut roll, &sale);
    if draft.dice.chance(60) {
        tax_summary(draft, &mut roll, &sale);
    }
    if !early {
        roll.dashes(mark);
        stamp(draft, &mut roll);
        roll.centre(title);
    }
    farewell(draft, &mut roll);
    finish(draft, roll);
}

fn roll(draft: &mut Draft) -> Roll {
    let face =
        *draft.dice.of(&[&Face::Mono, &Face::Mono, &Face::Sans, &Face::Sans, &Face::SansBold]);
    let size = draft.dice.span(6.5, 9.0);
    // Letters per line: 28 to 46, the common printers.
    let width = draft.dice.span(28.0, 46.0) * 0.6 * size;
    let (left, top) = match draft.dice.below(4) {
        0 => (draft.dice.span(30.0, 300.0), draft.dice.span(30.0, 160.0)),
        _ => (draft.dice.span(4.0, 16.0), draft.dice.span(8.0, 40.0)),
    };
    let page = Layout::new(width + 2.0 * left, 0.0);
    Roll { face, size, width, left, top, page, y: top + size * 2.0 }
}

fn sale(draft: &mut Draft) -> Sale {
    let count = match draft.dice.below(6) {
        0 => 1,
        5 => draft.dice.between(9, 28),
        _ => draft.dice.between(2, 8),
    };
    let mut items = Vec::new();
    let mut total = 0;
    for _ in 0..count {
        let quantity = *draft.dice.of(&[&1, &1, &1, &1, &2, &3, &4]);
        let price = draft.dice.between(12, 400) * draft.dice.of(&[&5, &5, &10, &1]);
        total += quantity * price;
        items.push((goods::shelf(draft.lang, &mut draft.dice), quantity, price));
    }
    let percent = match draft.lang {
        Lang::Es => *draft.dice.of(&[&10, &21, &4]),
        Lang::Pt => *draft.dice.of(&[&23, &13, &6]),
        Lang::Fr => *draft.dice.of(&[&20, &10]),
        Lang::En => match draft.style.money.code {
            "MYR" | "SGD" => 6,
            "AUD" => 10,
            "USD" => 8,
            _ => 20,
        },
    };
    let tax = total - (total * 100 + i64::midpoint(100, percent)) / (100 + percent);
    let name = match (draft.lang, draft.style.money.code) {
        (Lang::Es | Lang::Pt, _) => "IVA",
        (Lang::Fr, _) => "TVA",
        (_, "MYR" | "SGD" | "AUD") => "GST",
        (_, "USD") => "TAX",
        _ => "VAT",
    };
    Sale { items, total, tax, rate: format!("{name} {percent}%") }
}

/// The merchant, where it is, its numbers. Returns what kind of paper this is called.
fn head(draft: &mut Draft, roll: &mut Roll) -> &'static str {
    let lang = draft.lang;
    // Many trade under a name without a legal form.
    let plain = draft.dice.chance(30);
    let mut merchant = if plain {
        words::house(lang, &mut draft.dice)
    } else {
        words::firm(lang, &mut draft.dice)
    };
    if draft.dice.chance(60) {
        merchant = merchant.to_uppercase();
    }
    let (size, face) = (roll.size, roll.face);
    if draft.dice.chance(6) {
        // Whoever files it writes on it.
        let note = words::person(lang, &mut draft.dice).full().to_lowercase();
        roll.line(&note);
    }
    if draft.dice.chance(50) {
        roll.size *= draft.dice.span(1.1, 1.7);
        roll.face = face.bold();
    }
    if !plain && draft.dice.chance(15) {
        let brand = words::brand(&mut draft.dice);
        roll.centre(&brand);
    }
    let merchant = clip(&merchant, roll);
    draft.know("merchant", merchant.clone());
    roll.centre(&merchant);
    (roll.size, roll.face) = (size, face);
    if lang == Lang::En && draft.dice.chance(45) {
        let number = format!("{}-{}", draft.dice.digits(6), draft.dice.letters(1));
        let label =
            draft.dice.of(&["Co. Reg No", "Company No", "ROC NO", "Reg. No.", "(Co Reg", ""]);
        let line =
            if label.is_empty() { format!("({number})") } else { format!("{label}: {number}") };
        roll.centre(&line);
    }
    for line in words::address(lang, &mut draft.dice) {
        let line = if draft.dice.chance(50) { line.to_uppercase() } else { line };
        roll.centre(&line);
    }
    if draft.dice.chance(70) {
        let phone = words::phone(lang, &mut draft.dice);
        let label = draft.say("tel in receipt");
        roll.centre(&format!("{label} {phone}"));
    }
    tax_number(draft, roll);
    draft.say("tax invoice")
}

/// A name longer than the paper is printed over two lines; truth keeps it whole.
fn clip(name: &str, roll: &Roll) -> String {
    let widest = roll.width * 2.0;
    let mut name = name.to_owned();
    while roll.face.width(&name, roll.size) > widest {
        name.pop();
    }
    name.trim().to_owned()
}

fn tax_number(draft: &mut Draft, roll: &mut Roll) {
    match draft.lang {
        Lang::Es => {
            let label = draft.dice.of(&["CIF", "NIF", "C.I.F.", "N.I.F.:", "CIF:"]);
            roll.centre(&format!("{label} {}", ids::cif(&mut draft.dice)));
        }
        Lang::Pt => roll.centre(&format!("NIF 5{}", draft.dice.digits(8))),
        Lang::Fr => roll.centre(&format!("SIRET {}", draft.dice.digits(14))),
        Lang::En if draft.dice.chance(70) => {
            let (labels, digits): (&[&str], usize) = match draft.style.money.code {
                "MYR" | "SGD" => (&["GST ID", "GST REG NO", "GST No :", "GST ID NO:"], 12),
                "AUD" => (&["ABN"], 11),
                "USD" => (&["Store #", "STORE"], 4),
                _ => (&["VAT No", "VAT REG NO", "VAT Number"], 9),
            };
            let label = draft.dice.of(labels);
            roll.centre(&format!("{label} {}", draft.dice.digits(digits)));
        }
        Lang::En => {}
    }
}

/// Date, time, numbers of ticket and till, who served.
fn stamp(draft: &mut Draft, roll: &mut Roll) {
    let day = draft.day(2014, 2026);
    if draft.style.dates == Dates::Words {
        draft.style.dates = Dates::Numbers("/");
    }
    let date = draft.know_date("date", day);
    let time = format!("{:02}:{:02}", draft.dice.between(7, 22), draft.dice.below(60));
    let time =
        if draft.dice.chance(40) { format!("{time}:{}", draft.dice.digits(2)) } else { time };
    let label = draft.say("date in receipt");
    let hour = draft.say("time");
    let first = format!("{label} {date}");
    if draft.dice.chance(22) {
        // Some tills have no clock.
        roll.line(first.trim());
    } else if draft.dice.chance(60) {
        roll.ends(first.trim(), format!("{hour} {time}").trim(), roll.face);
    } else {
        roll.line(format!("{first} {time}").trim());
    }
    let number = draft.dice.digits(6);
    let label = draft.say("receipt no");
    roll.line(&format!("{label} {number}"));
    let mut details: Vec<String> = Vec::new();
    let name = words::person(draft.lang, &mut draft.dice).given;
    for (es, en) in [
        ("Caja: 02", "Till 02"),
        ("Mesa 12", "Table 12"),
        ("Terminal 1", "Counter: T1"),
        ("Comensales 2", "Pax: 2"),
        ("Turno 1", "Shift: 1"),
    ] {
        if draft.dice.chance(22) {
            let es_or_pt = matches!(draft.lang, Lang::Es | Lang::Pt);
            details.push(if es_or_pt { es } else { en }.to_owned());
        }
    }
    if draft.dice.chance(60) {
        let label = draft.say("cashier");
        details.push(format!("{label}: {name}"));
    }
    for detail in details {
        roll.line(&detail);
    }
}

/// Sales on a round of customers print who bought.
fn customer(draft: &mut Draft, roll: &mut Roll) {
    let label = draft.say("customer in receipt");
    let name = words::firm(draft.lang, &mut draft.dice);
    roll.line(format!("{label} {name}").trim());
    for line in words::address(draft.lang, &mut draft.dice) {
        roll.line(&line);
    }
}

fn items(draft: &mut Draft, roll: &mut Roll, sale: &Sale) {
    if draft.dice.chance(65) {
        let (left, right) = (draft.say("item in receipt"), draft.say("amount in receipt"));
        roll.ends(left, right, roll.face);
    }
    let way = draft.dice.below(4);
    let code = draft.dice.of(&["", "", "", " SR", " S", " A", " T", " *", " ZRL"]);
    for (name, quantity, price) in &sale.items {
        let amount = format!("{}{code}", draft.style.amount(quantity * price));
        let each = draft.style.amount(*price);
        match way {
            0 => roll.ends(&format!("{quantity} {name}"), &amount, roll.face),
            1 => {
                roll.line(name);
                let bar = draft.dice.digits(13);
                roll.ends(&format!("{bar} {quantity} x {each}"), &amount, roll.face);
            }
            2 => {
                roll.line(name);
                roll.ends(&format!("  {quantity} X {each}"), &amount, roll.face);
            }
            _ => {
                roll.ends(name, &amount, roll.face);
                if *quantity > 1 {
                    roll.line(&format!("  {quantity} @ {each}"));
                }
            }
        }
    }
    let count: i64 = sale.items.iter().map(|item| item.1).sum();
    if draft.dice.chance(35) {
        let label = draft.say("items");
        roll.line(&format!("{label}: {count}"));
    }
}

fn finish(draft: &mut Draft, roll: Roll) {
    let Roll { page, y, top, left, .. } = roll;
    let copied = left > 24.0;
    let size =
        if copied { (A4.0.max(page.width), A4.1.max(y + top)) } else { (page.width, y + top) };
    draft.new_page(size);
    *draft.page() = Layout { width: size.0, height: size.1, ..page };
}
