//! Contracts: employment first, also leases, services and confidentiality.

use super::{clauses, invoice::number_pages};
use crate::{
    Lang,
    draft::{A4, Draft},
    ids,
    style::Dates,
    words,
};

pub(super) const LAYOUTS: u32 = 10;

/// What is agreed, which decides wording and clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deal {
    Work,
    Lease,
    Services,
    Secrecy,
}

struct Terms {
    deal: Deal,
    company: String,
    person: String,
    kind: &'static str,
    start: String,
}

pub(super) fn write(draft: &mut Draft) {
    draft.new_page(A4);
    if draft.style.dates == Dates::Short("/") {
        draft.style.dates = Dates::Words;
    }
    let deal = match draft.layout % 10 {
        6 | 7 => Deal::Services,
        8 => Deal::Lease,
        9 => Deal::Secrecy,
        _ => Deal::Work,
    };
    let terms = terms(draft, deal);
    heading(draft, &terms);
    if deal == Deal::Work && draft.layout % 2 == 1 {
        form(draft, &terms);
    } else {
        preamble(draft, &terms);
    }
    body(draft, &terms);
    signatures(draft, &terms);
    number_pages(draft);
}

fn terms(draft: &mut Draft, deal: Deal) -> Terms {
    let company = words::firm(draft.lang, &mut draft.dice);
    let person = words::person(draft.lang, &mut draft.dice).full();
    let start = draft.day(2012, 2026);
    let start = draft.know_date("start_date", start);
    let kind = match deal {
        Deal::Work => draft.say("permanent"),
        Deal::Lease => draft.say("lease"),
        Deal::Services => draft.say("services"),
        Deal::Secrecy => draft.say("confidentiality"),
    };
    draft.know("company", company.clone());
    draft.know("employee", person.clone());
    draft.know("type", kind);
    Terms { deal, company, person, kind, start }
}

fn heading(draft: &mut Draft, terms: &Terms) {
    let x = draft.left();
    if draft.dice.chance(25) {
        draft.line(&terms.company);
        draft.down(1.0);
    }
    let kind = terms.kind;
    let title = match (draft.lang, terms.deal) {
        (Lang::Es, Deal::Work) => match draft.dice.below(3) {
            0 => format!("CONTRATO DE TRABAJO {}", kind.to_uppercase()),
            1 => format!("Contrato de trabajo {kind}"),
            _ => format!("CONTRATO {}", kind.to_uppercase()),
        },
        (Lang::Es, Deal::Secrecy) => "ACUERDO DE CONFIDENCIALIDAD".to_owned(),
        (Lang::Es, Deal::Lease | Deal::Services) => format!("CONTRATO DE {}", kind.to_uppercase()),
        (_, Deal::Work) => match draft.dice.below(3) {
            0 => "EMPLOYMENT CONTRACT".to_owned(),
            1 => format!("{} Employment Agreement", words::capital(kind)),
            _ => "CONTRACT OF EMPLOYMENT".to_owned(),
        },
        (_, Deal::Lease | Deal::Secrecy) => format!("{} AGREEMENT", kind.to_uppercase()),
        (_, Deal::Services) => format!("{} Agreement", words::capital(kind)),
    };
    draft.title(x, 1.5, &title);
    draft.down(0.8);
}

/// Official forms name the parties in labelled fields.
fn form(draft: &mut Draft, terms: &Terms) {
    let x = draft.left();
    let lang = draft.lang;
    let head = draft.say("the employer");
    draft.line_at(x, draft.style.face.bold(), head);
    draft.fact(x, "company", &terms.company);
    if lang == Lang::Es {
        let cif = ids::cif(&mut draft.dice);
        draft.pair(x, "CIF/NIF", &cif);
    }
    let address = words::address(lang, &mut draft.dice).join(", ");
    draft.fact(x, "registered office", &address);
    let boss = words::person(lang, &mut draft.dice).full();
    draft.fact(x, "represented by", &boss);
    draft.down(0.7);
    let head = draft.say("the employee");
    draft.line_at(x, draft.style.face.bold(), head);
    draft.fact(x, "employee", &terms.person);
    if lang == Lang::Es {
        let dni = ids::dni(&mut draft.dice);
        draft.pair(x, "NIF/NIE", &dni);
    }
    draft.fact(x, "start date", &terms.start);
    draft.fact(x, "type of contract", terms.kind);
    if lang == Lang::Es && draft.dice.chance(60) {
        official(draft);
    }
    draft.down(0.7);
}

/// What the public forms ask besides.
fn official(draft: &mut Draft) {
    let x = draft.left();
    let count = draft.dice.between(3, 9) as usize;
    for label in draft.some("field of a public form", count) {
        let value = draft.dice.digits(4);
        draft.pair(x, label, &value);
    }
    let width = draft.right() - x;
    let text = draft.say("declaration of the parties");
    draft.paragraph(x, width, text);
}

fn preamble(draft: &mut Draft, terms: &Terms) {
    let lang = draft.lang;
    let town = words::town(lang, &mut draft.dice);
    let day = draft.day_text();
    let (dni, cif) = (ids::dni(&mut draft.dice), ids::cif(&mut draft.dice));
    let address = words::address(lang, &mut draft.dice).join(", ");
    let Terms { company, person, start, kind, .. } = terms;
    let (first, second) = clauses::roles(terms.deal, lang);
    let text = match lang {
        Lang::Es => format!(
            "En {town}, a {day}. REUNIDOS. De una parte, la mercantil {company}, con CIF {cif} y domicilio en \
             {address}, en adelante «{first}». De otra parte, D./Dña. {person}, con DNI {dni}, mayor de edad, \
             en adelante «{second}». Ambas partes se reconocen capacidad legal suficiente para obligarse y \
             EXPONEN que han convenido suscribir el presente contrato, de tipo {kind}, que surtirá efectos \
             desde el {start} y se regirá por las siguientes CLÁUSULAS."
        ),
        Lang::En | Lang::Fr | Lang::Pt => format!(
            "This agreement is made on {day} between {company}, whose registered office is at {address} (the \
             \"{first}\"), and {person} (the \"{second}\"). The parties have agreed to enter into this {kind} \
             agreement, which shall commence on {start} and be governed by the following terms and conditions."
        ),
    };
    let (x, width) = (draft.left(), draft.right() - draft.left());
    draft.paragraph(x, width, &text);
    draft.down(0.6);
}

fn body(draft: &mut Draft, terms: &Terms) {
    let count = draft.dice.between(5, 16) as usize;
    let chosen = clauses::choose(terms.deal, draft.lang, count, &mut draft.dice);
    let (x, width) = (draft.left(), draft.right() - draft.left());
    let repeat = draft.dice.chance(30);
    for (n, (title, text)) in chosen.iter().enumerate() {
        if draft.y > draft.bottom() - 5.0 * draft.step() {
            draft.new_page(A4);
            if repeat {
                draft.line(&terms.company);
                draft.down(0.5);
            }
        }
        let head = clauses::numbered(draft.lang, n, title, draft.layout);
        draft.line_at(x, draft.style.face.bold(), &head);
        draft.paragraph(x, width, text);
        draft.down(0.5);
    }
}

fn signatures(draft: &mut Draft, terms: &Terms) {
    if draft.y > draft.bottom() - 6.0 * draft.step() {
        draft.new_page(A4);
    }
    let (x, half) = (draft.left(), draft.page().width / 2.0);
    draft.say_line("in witness whereof the parties have signed this agreement");
    draft.down(3.0);
    let (first, second) = clauses::roles(terms.deal, draft.lang);
    let (y, size, face) = (draft.y, draft.style.size, draft.style.face);
    let by = draft.say("signed");
    draft.page().put(x, y, size, face, &format!("{by} {first}"));
    draft.page().put(half, y, size, face, &format!("{by} {second}"));
    draft.down(1.3);
    let y = draft.y;
    draft.page().put(x, y, size, face, &terms.company);
    draft.page().put(half, y, size, face, &terms.person);
}
