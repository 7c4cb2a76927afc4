//! Papers about money that bill nothing: statements, reminders, transfers, tables of figures.

use super::{from_whom, reference};
use crate::{
    Lang,
    draft::{A4, Draft},
    ids,
    kinds::table::{self, Grid, Table},
    prose, words,
};

fn holder(draft: &mut Draft) {
    let x = draft.left();
    let name = words::person(draft.lang, &mut draft.dice).full();
    draft.fact(x, "account holder", &name);
    let country = if draft.lang == Lang::Es { "ES" } else { "GB" };
    let iban = ids::grouped(&ids::iban(country, &mut draft.dice));
    draft.fact(x, "account", &iban);
}

fn movements(draft: &mut Draft, kinds: &str) {
    let mut balance = draft.dice.between(10_000, 900_000);
    let mut rows = Vec::new();
    for _ in 0..draft.dice.between(6, 30) {
        let amount = draft.dice.between(-60_000, 70_000);
        balance += amount;
        let name = draft.say(kinds);
        let whom = words::brand(&mut draft.dice);
        rows.push(vec![
            format!("{:02}/{:02}", draft.dice.between(1, 28), draft.dice.between(1, 12)),
            format!("{name} {whom}"),
            draft.style.amount(amount),
            draft.style.amount(balance),
        ]);
    }
    let titles = [
        draft.say("date in money"),
        draft.say("description in money"),
        draft.say("amount in money"),
        draft.say("balance"),
    ];
    let titles = titles.iter().map(|title| (*title).to_owned()).collect();
    let grid = Grid::of(draft.dice.below(4));
    let table = Table { titles, shares: vec![0.1, 0.55, 0.17, 0.17], rows, grid };
    table::print(draft, &table, &mut |draft| draft.new_page(A4));
}

pub(super) fn bank_statement(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let bank = words::brand(&mut draft.dice);
    let title = draft.say("bank statement");
    draft.title(x, 1.4, &format!("Banco {bank}"));
    draft.title(x, 1.2, title);
    holder(draft);
    let label = draft.say("opening balance");
    let value = draft.style.money(draft.dice.between(10_000, 900_000));
    draft.pair(x, label, &value);
    draft.down(1.0);
    movements(draft, "movement of an account");
    let label = draft.say("closing balance");
    let value = draft.style.money(draft.dice.between(10_000, 900_000));
    draft.pair(x, label, &value);
}

/// What a customer owes, invoice by invoice: full of the word and no invoice.
pub(super) fn account_statement(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let firm = words::firm(draft.lang, &mut draft.dice);
    draft.title(x, 1.3, &firm);
    draft.say_title(x, 1.4, "statement of account");
    let client = words::firm(draft.lang, &mut draft.dice);
    draft.line(&client);
    draft.down(1.0);
    movements(draft, "movement of a customer");
    let label = draft.say("balance outstanding");
    let value = draft.style.money(draft.dice.between(10_000, 900_000));
    draft.pair(x, label, &value);
}

pub(super) fn reminder(draft: &mut Draft) {
    draft.new_page(A4);
    let lang = draft.lang;
    let x = draft.left();
    let firm = words::firm(lang, &mut draft.dice);
    draft.line_at(x, draft.style.face.bold(), &firm);
    for line in words::address(lang, &mut draft.dice) {
        draft.line(&line);
    }
    draft.down(1.5);
    let day = draft.day_text();
    draft.line(&day);
    draft.say_line("dear customer");
    let (number, amount) =
        (reference(&mut draft.dice), draft.style.money(draft.dice.between(5_000, 400_000)));
    let body = match lang {
        Lang::Es => format!(
            "Le recordamos que a fecha de hoy no hemos recibido el pago de la factura {number}, por importe de \
             {amount}. Le rogamos que regularice esta situación a la mayor brevedad posible."
        ),
        Lang::En => format!(
            "Our records show that payment of invoice {number} for {amount} has not yet reached us. Please \
             arrange settlement at your earliest convenience or contact us if you have any questions."
        ),
        Lang::Pt => format!(
            "Verificámos que a fatura {number}, no valor de {amount}, continua por liquidar. \
             Agradecemos a regularização com a maior brevidade."
        ),
        Lang::Fr => format!(
            "Sauf erreur de notre part, la facture {number} d'un montant de {amount} reste impayée à ce jour."
        ),
    };
    let width = draft.right() - x;
    draft.down(0.5);
    draft.paragraph(x, width, &body);
    let more = prose::paragraph(lang, 2, &mut draft.dice);
    draft.paragraph(x, width, &more);
    draft.down(1.0);
    draft.say_line("yours faithfully");
}

/// A report of numbers: budgets, results, measurements.
pub(super) fn figures(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.4, "balance sheet");
    let count = draft.dice.between(8, 30);
    let mut rows = Vec::new();
    for _ in 0..count {
        let name = prose::heading(draft.lang, &mut draft.dice);
        let mut row = vec![name];
        for _ in 0..3 {
            row.push(draft.style.amount(draft.dice.between(-900_000, 9_000_000)));
        }
        rows.push(row);
    }
    let year = draft.dice.between(2012, 2025);
    let titles = vec![String::new(), year.to_string(), (year - 1).to_string(), "%".to_owned()];
    let grid = Grid::of(draft.dice.below(4));
    let table = Table { titles, shares: vec![0.5, 0.16, 0.16, 0.16], rows, grid };
    table::print(draft, &table, &mut |draft| draft.new_page(A4));
}

/// Taxes declared to the authority: bases, rates and amounts, and nothing sold or earned.
pub(super) fn tax_return(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.4, "tax return");
    let who = from_whom(draft);
    draft.fact(x, "taxpayer", &who);
    let (label, year) = (draft.say("tax year"), draft.dice.between(2012, 2025).to_string());
    draft.pair(x, label, &year);
    draft.down(1.0);
    let count = draft.dice.between(5, 12) as usize;
    let labels = draft.some("tax line", count);
    let (right, size, face) = (draft.right(), draft.style.size, draft.style.face);
    for label in labels {
        let code = draft.dice.digits(2);
        let (y, value) = (draft.y, draft.style.amount(draft.dice.between(0, 9_000_000)));
        draft.page().put_right(right, y, size, face, &value);
        draft.line(&format!("{code}  {label}"));
    }
}

pub(super) fn transfer(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.4, "transfer confirmation");
    holder(draft);
    let whom = words::firm(draft.lang, &mut draft.dice);
    draft.fact(x, "beneficiary", &whom);
    let amount = draft.style.money(draft.dice.between(5_000, 900_000));
    draft.fact(x, "amount in money 2", &amount);
    let (label, day) = (draft.say("value date"), draft.day_text());
    draft.pair(x, label, &day);
    let code = reference(&mut draft.dice);
    draft.fact(x, "reference", &code);
    draft.down(1.0);
    let (width, text) = (draft.right() - x, prose::paragraph(draft.lang, 3, &mut draft.dice));
    draft.paragraph(x, width, &text);
}
