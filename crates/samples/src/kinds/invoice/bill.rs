//! What an invoice says.

use std::collections::BTreeMap;

use jiff::{ToSpan as _, civil::Date};

use super::{Bill, TEMPLATES};
use crate::{Lang, draft::Draft, goods, ids, style::normal, words};

pub(super) fn bill(draft: &mut Draft, net: i64) -> Bill {
    let lang = draft.lang;
    // Many trade under a name without a legal form.
    let plain = draft.layout >= TEMPLATES && draft.dice.chance(25);
    let vendor = if plain {
        words::house(lang, &mut draft.dice)
    } else {
        words::firm(lang, &mut draft.dice)
    };
    let day = draft.day(2015, 2026);
    let number = number(draft, day);
    let (percent, rate) = rate(draft);
    let tax = (net * percent + 5_000) / 10_000;
    draft.know("invoice_number", number.clone());
    draft.know("vendor_name", vendor.clone());
    draft.know("currency", draft.style.money.code);
    draft.know_amount("net_amount", net);
    draft.know_amount("tax_amount", tax);
    draft.know_amount("total_amount", net + tax);
    let number_label = draft.say("invoice no");
    let date_label = draft.say("date");
    let due = draft.dice.chance(65).then(|| {
        let label = draft.say("due date");
        let days = draft.dice.of(&[&15, &30, &45, &60]);
        let due = day.checked_add(days.days()).unwrap_or(day);
        (label, draft.know_date("due_date", due))
    });
    Bill {
        title: draft.say("invoice"),
        number,
        number_label,
        vendor_lines: vendor_lines(draft, &vendor),
        client_lines: client_lines(draft),
        vendor,
        issued: (date_label, draft.know_date("date", day)),
        due,
        extras: extras(draft),
        net,
        tax,
        rate,
    }
}

fn number(draft: &mut Draft, day: Date) -> String {
    let (year, serial) = (day.year(), draft.dice.between(1, 9999));
    let letter = draft.dice.letters(1);
    match draft.dice.below(10) {
        0 => format!("{year}/{serial:05}"),
        1 => format!("F-{:02}-{serial:04}", year % 100),
        2 => format!("{letter}{year}-{serial}"),
        3 => format!("INV-{serial:05}"),
        4 => format!("{:02}{serial:06}", year % 100),
        5 => format!("FV{:02}/{serial:04}", year % 100),
        6 => format!("INV/{:02}/{year}/{serial:06}", day.month()),
        7 => format!("{letter}/{serial}"),
        8 => draft.dice.digits(8),
        _ => format!("FA-{year}-{serial:03}"),
    }
}

/// In hundredths of a percent, and as printed.
fn rate(draft: &mut Draft) -> (i64, String) {
    match (draft.lang, draft.style.money.code) {
        (Lang::Es, _) => {
            let percent = *draft.dice.of(&[&21, &21, &21, &10, &4]);
            (percent * 100, format!("IVA {percent}%"))
        }
        (Lang::Pt, _) => {
            let percent = *draft.dice.of(&[&23, &23, &13, &6]);
            (percent * 100, format!("IVA {percent}%"))
        }
        (Lang::Fr, _) => {
            let (percent, text) = if draft.dice.chance(75) { (2000, "20") } else { (550, "5,5") };
            (percent, format!("TVA {text}%"))
        }
        (Lang::En, "MYR" | "SGD") => {
            let percent = *draft.dice.of(&[&6, &8, &9]);
            (percent * 100, format!("GST {percent}%"))
        }
        (Lang::En, "AUD") => (1000, "GST 10%".into()),
        (Lang::En, "USD") => (825, "Sales tax 8.25%".into()),
        (Lang::En, _) => (2000, "VAT 20%".into()),
    }
}

fn vendor_lines(draft: &mut Draft, vendor: &str) -> Vec<String> {
    let lang = draft.lang;
    let mut lines = words::address(lang, &mut draft.dice);
    let (label, id) = match lang {
        Lang::Es => {
            let label = draft.dice.of(&["CIF", "NIF", "C.I.F.", "N.I.F."]);
            (label, ids::cif(&mut draft.dice))
        }
        Lang::Fr => ("TVA intracom.", format!("FR{}", draft.dice.digits(11))),
        Lang::Pt => {
            let label = draft.dice.of(&["NIF", "NIPC", "Contribuinte"]);
            (label, format!("5{}", draft.dice.digits(8)))
        }
        Lang::En => match draft.style.money.code {
            "MYR" | "SGD" => ("GST Reg No", draft.dice.digits(12)),
            "AUD" => ("ABN", draft.dice.digits(11)),
            "USD" => ("EIN", format!("{}-{}", draft.dice.digits(2), draft.dice.digits(7))),
            _ => ("VAT Reg No", format!("GB{}", draft.dice.digits(9))),
        },
    };
    draft.know("tax_id", id.clone());
    lines.push(format!("{label}: {id}"));
    if draft.dice.chance(60) {
        let phone = words::phone(lang, &mut draft.dice);
        let label = draft.say("tel");
        lines.push(format!("{label} {phone}"));
    }
    if draft.dice.chance(50) {
        lines.push(format!("info@{}", words::site(vendor)));
    }
    lines
}

fn client_lines(draft: &mut Draft) -> Vec<String> {
    let lang = draft.lang;
    let label = draft.say("bill to");
    let mut lines = vec![draft.style.label(label)];
    let name = if draft.dice.chance(70) {
        words::firm(lang, &mut draft.dice)
    } else {
        words::person(lang, &mut draft.dice).full()
    };
    lines.push(name);
    lines.extend(words::address(lang, &mut draft.dice));
    if lang == Lang::Es && draft.dice.chance(70) {
        let id = ids::cif(&mut draft.dice);
        lines.push(format!("NIF: {id}"));
    }
    lines
}

fn extras(draft: &mut Draft) -> Vec<(&'static str, String)> {
    let mut extras = Vec::new();
    if draft.dice.chance(45) {
        let label = draft.say("po number");
        let value = format!("{}{}", draft.dice.letters(2), draft.dice.digits(5));
        extras.push((label, value));
    }
    if draft.dice.chance(40) {
        let label = draft.say("payment terms");
        let value = draft.say("net 30");
        extras.push((label, value.to_owned()));
    }
    extras
}

pub(super) fn rows(draft: &mut Draft) -> (Vec<Vec<String>>, i64) {
    let count = match draft.dice.below(10) {
        0 => draft.dice.between(30, 75),
        1 | 2 => draft.dice.between(10, 25),
        _ => draft.dice.between(1, 8),
    };
    let mut net = 0;
    let mut rows = Vec::new();
    for n in 0..count {
        let quantity = *draft.dice.of(&[&1, &1, &2, &3, &5, &8, &10, &12, &25, &40]);
        let price = draft.dice.between(2, 900) * draft.dice.of(&[&5, &10, &50, &100]);
        net += quantity * price;
        let description = goods::billed(draft.lang, &mut draft.dice);
        draft.lines.push(BTreeMap::from([
            ("description", description.clone()),
            ("quantity", quantity.to_string()),
            ("unit_price", normal(price)),
            ("amount", normal(quantity * price)),
        ]));
        rows.push(vec![
            format!("{:03}", n + 1),
            description,
            draft.style.amount(quantity * 100).split(['.', ',']).next().unwrap_or("1").to_owned(),
            draft.style.amount(price),
            draft.style.amount(quantity * price),
        ]);
    }
    (rows, net)
}
