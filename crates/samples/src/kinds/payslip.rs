//! Payslips: what was earned, what was kept back, what is paid.

use jiff::civil::Date;

use super::table::{self, Grid, Table};
use crate::{
    Lang,
    draft::{A4, Draft, LETTER},
    ids,
    style::{Dates, month_name},
    words,
};

pub(super) const LAYOUTS: u32 = 10;

struct Pay {
    company: String,
    employee: String,
    period: Date,
    printed_period: String,
    earned: Vec<(&'static str, i64)>,
    kept: Vec<(String, i64)>,
    gross: i64,
    net: i64,
}

pub(super) fn write(draft: &mut Draft) {
    let paper = if draft.style.money.code == "USD" { LETTER } else { A4 };
    draft.new_page(paper);
    let pay = pay(draft);
    if draft.layout.is_multiple_of(2) {
        title(draft, 1.5);
        parties_beside(draft, &pay);
    } else {
        parties_listed(draft, &pay);
    }
    draft.down(1.0);
    match draft.layout % 5 {
        0 | 1 => one_table(draft, &pay),
        2 | 3 => two_columns(draft, &pay),
        _ => listed(draft, &pay),
    }
    result(draft, &pay);
    bases(draft, &pay);
    farewell(draft);
}

fn title(draft: &mut Draft, scale: f32) {
    let x = draft.left();
    draft.say_title(x, scale, "payslip");
}

fn pay(draft: &mut Draft) -> Pay {
    let lang = draft.lang;
    let company = words::firm(lang, &mut draft.dice);
    let person = words::person(lang, &mut draft.dice);
    let employee = if draft.dice.chance(35) { person.listed() } else { person.full() };
    let employee = if draft.dice.chance(35) { employee.to_uppercase() } else { employee };
    let period = draft.day(2016, 2026).first_of_month();
    let printed_period = print_period(draft, period);
    let earned = earned(draft);
    let gross = earned.iter().map(|(_, cents)| cents).sum();
    let kept = kept(draft, gross);
    let net = gross - kept.iter().map(|(_, cents)| cents).sum::<i64>();
    draft.know("company_name", company.clone());
    draft.know("employee_name", employee.clone());
    draft.know("period", format!("{}-{:02}", period.year(), period.month()));
    draft.know_amount("gross_amount", gross);
    draft.know_amount("net_amount", net);
    Pay { company, employee, period, printed_period, earned, kept, gross, net }
}

fn print_period(draft: &mut Draft, first: Date) -> String {
    let last = first.last_of_month();
    let (year, name) = (first.year(), month_name(draft.lang, first));
    let dates =
        if draft.style.dates == Dates::Words { Dates::Numbers("/") } else { draft.style.dates };
    let (from, to) = (dates.print(draft.lang, first), dates.print(draft.lang, last));
    match (draft.lang, draft.dice.below(5)) {
        (Lang::Es, 0) => format!("Del {from} al {to}"),
        (Lang::Es, 1) => format!("{name} {year}"),
        (Lang::Es, 2) => format!("{} de {year}", words::capital(name)),
        (Lang::Es, 3) => format!("01 al {} de {name} de {year}", last.day()),
        (_, 0) => format!("{from} to {to}"),
        (_, 1) => format!("{from} - {to}"),
        (_, 2) => format!("{} {year}", name.to_uppercase()),
        (_, 3) => format!("{:02}/{year}", first.month()),
        _ => format!("{name} {year}"),
    }
}

fn earned(draft: &mut Draft) -> Vec<(&'static str, i64)> {
    let base = draft.dice.between(900, 3800) * 100 + draft.dice.between(0, 99);
    let label = draft.say("basic pay");
    let mut earned = vec![(label, base)];
    let count = draft.dice.below(5);
    for label in draft.some("something earned", count) {
        earned.push((label, draft.dice.between(1000, 42_000)));
    }
    earned
}

fn kept(draft: &mut Draft, gross: i64) -> Vec<(String, i64)> {
    let part = |percent_hundredths: i64| (gross * percent_hundredths + 5_000) / 10_000;
    let tax = draft.dice.between(200, 2600);
    if draft.lang == Lang::Es {
        let mut kept = vec![
            ("Contingencias comunes 4,70%".to_owned(), part(470)),
            (draft.dice.of(&["Desempleo 1,55%", "Desempleo"]).to_owned(), part(155)),
            (
                draft.dice.of(&["Formación profesional 0,10%", "Formación profesional"]).to_owned(),
                part(10),
            ),
        ];
        if draft.dice.chance(40) {
            kept.push(("MEI 0,13%".to_owned(), part(13)));
        }
        let label = draft.dice.of(&["I.R.P.F.", "IRPF", "Retención IRPF", "Tributación I.R.P.F."]);
        kept.push((format!("{label} {},{:02}%", tax / 100, tax % 100), part(tax)));
        return kept;
    }
    let labels: &[&str] = match draft.style.money.code {
        "MYR" | "SGD" => &["EPF employee", "SOCSO", "EIS", "PCB"],
        "USD" => &["Federal income tax", "Social Security", "Medicare", "State tax", "401(k)"],
        "AUD" => &["PAYG tax withheld", "Superannuation salary sacrifice"],
        _ => &["PAYE tax", "National Insurance", "Pension contribution", "Student loan"],
    };
    let count = draft.dice.between(2, labels.len() as i64) as usize;
    labels[..count]
        .iter()
        .map(|label| ((*label).to_owned(), part(draft.dice.between(40, 1500))))
        .collect()
}

fn company_pairs(draft: &mut Draft, pay: &Pay) -> Vec<(&'static str, String)> {
    let name = draft.say("employer");
    let mut pairs = vec![(name, pay.company.clone())];
    let address = words::address(draft.lang, &mut draft.dice);
    pairs.push((draft.say("address in payslip"), address.join(", ")));
    if draft.lang == Lang::Es {
        pairs.push(("CIF", ids::cif(&mut draft.dice)));
        let account =
            format!("{}/{}/{}", draft.dice.digits(2), draft.dice.digits(7), draft.dice.digits(2));
        let label =
            draft.dice.of(&["C.C.C.", "Cód. Cta. Cotización", "Nº inscripción S.S.", "CCC"]);
        pairs.push((label, account));
    } else if draft.dice.chance(60) {
        let label = draft.dice.of(&["PAYE ref", "Employer No", "Payroll No", "FEIN", "Department"]);
        pairs.push((label, format!("{}/{}", draft.dice.digits(3), draft.dice.letters(2))));
    }
    pairs
}

fn employee_pairs(draft: &mut Draft, pay: &Pay) -> Vec<(&'static str, String)> {
    let name = draft.say("employee in payslip");
    let mut pairs = vec![(name, pay.employee.clone())];
    if draft.lang == Lang::Es {
        spanish_worker(draft, &mut pairs);
    } else {
        english_worker(draft, &mut pairs);
    }
    let label = draft.say("pay period");
    pairs.push((label, pay.printed_period.clone()));
    if draft.dice.chance(40) {
        let days = pay.period.days_in_month();
        pairs.push((draft.say("days worked"), days.to_string()));
    }
    pairs
}

fn spanish_worker(draft: &mut Draft, pairs: &mut Vec<(&'static str, String)>) {
    let label = draft.dice.of(&["NIF", "N.I.F.", "DNI", "D.N.I."]);
    pairs.push((label, ids::dni(&mut draft.dice)));
    let label = draft.dice.of(&["Nº Afiliación S.S.", "NAF", "Núm. Seg. Social", "Nº S.S."]);
    pairs.push((
        label,
        format!("{}/{}/{}", draft.dice.digits(2), draft.dice.digits(8), draft.dice.digits(2)),
    ));
    let job = draft.say("job");
    pairs.push((
        draft.dice.of(&["Categoría", "Grupo profesional", "Categoría profesional", "Puesto"]),
        job.into(),
    ));
    pairs.push((
        draft.dice.of(&["Grupo cotización", "G. Cot.", "Gr. Tarifa"]),
        draft.dice.digits(2),
    ));
    if draft.dice.chance(50) {
        pairs.push((draft.dice.of(&["Antigüedad", "Fecha antigüedad"]), draft.day_text()));
    }
}

fn english_worker(draft: &mut Draft, pairs: &mut Vec<(&'static str, String)>) {
    let (label, value) = match draft.style.money.code {
        "USD" => ("SSN", format!("{0}{0}{0}-{0}{0}-{1}", 'X', draft.dice.digits(4))),
        "MYR" | "SGD" => ("EPF No", draft.dice.digits(8)),
        "AUD" => ("Employee ID", draft.dice.digits(5)),
        _ => (
            "NI number",
            format!("{}{}{}", draft.dice.letters(2), draft.dice.digits(6), draft.dice.letters(1)),
        ),
    };
    pairs.push((label, value));
    let code = draft.dice.digits(4);
    pairs.push((
        draft.dice.of(&["Tax code", "Staff No", "Employee No", "Dept", "Job title"]),
        format!("{code}L"),
    ));
}

fn parties_beside(draft: &mut Draft, pay: &Pay) {
    let (left, half, top) = (draft.left(), draft.page().width * 0.52, draft.y);
    draft.style.colon = draft.dice.of(&[":", ":", ""]);
    for (label, value) in company_pairs(draft, pay) {
        draft.pair(left, label, &clip(&value, 34));
    }
    let low = draft.y;
    draft.y = top;
    for (label, value) in employee_pairs(draft, pay) {
        draft.pair(half, label, &value);
    }
    draft.y = draft.y.max(low);
}

/// An address too long for its half of the page; names are never this long.
fn clip(text: &str, letters: usize) -> String {
    if text.contains(',') { text.chars().take(letters + 12).collect() } else { text.to_owned() }
}

fn parties_listed(draft: &mut Draft, pay: &Pay) {
    let left = draft.left();
    for (label, value) in company_pairs(draft, pay) {
        draft.pair_at(left, left + 120.0, label, &value);
    }
    title(draft, 1.3);
    for (label, value) in employee_pairs(draft, pay) {
        draft.pair_at(left, left + 120.0, label, &value);
    }
}

fn headings(draft: &mut Draft) -> (&'static str, &'static str) {
    (draft.say("earnings"), draft.say("deductions"))
}

fn one_table(draft: &mut Draft, pay: &Pay) {
    let (earnings, deductions) = headings(draft);
    let concept = draft.say("description in payslip");
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (label, cents) in &pay.earned {
        rows.push(vec![(*label).to_owned(), draft.style.amount(*cents), String::new()]);
    }
    for (label, cents) in &pay.kept {
        rows.push(vec![label.clone(), String::new(), draft.style.amount(*cents)]);
    }
    let titles = [concept, earnings, deductions].iter().map(|t| (*t).to_owned()).collect();
    let grid = Grid::of(draft.dice.below(4));
    let table = Table { titles, shares: vec![0.6, 0.19, 0.19], rows, grid };
    table::print(draft, &table, &mut |draft| draft.new_page(A4));
}

fn two_columns(draft: &mut Draft, pay: &Pay) {
    let (earnings, deductions) = headings(draft);
    let (left, right, size) = (draft.left(), draft.right(), draft.style.size);
    let (half, top, face) = (f32::midpoint(left, right) + 8.0, draft.y, draft.style.face);
    draft.line_at(left, face.bold(), earnings);
    for (label, cents) in &pay.earned {
        let (y, value) = (draft.y, draft.style.amount(*cents));
        draft.page().put_right(half - 18.0, y, size, face, &value);
        draft.line_at(left, face, label);
    }
    let low = draft.y;
    draft.y = top;
    draft.line_at(half, face.bold(), deductions);
    for (label, cents) in &pay.kept {
        let (y, value) = (draft.y, draft.style.amount(*cents));
        draft.page().put_right(right, y, size, face, &value);
        draft.line_at(half, face, label);
    }
    draft.y = draft.y.max(low);
}

fn listed(draft: &mut Draft, pay: &Pay) {
    let (earnings, deductions) = headings(draft);
    let face = draft.style.face;
    let (left, size, stop) = (draft.left(), draft.style.size, draft.right() - 60.0);
    draft.line_at(left, face.bold(), earnings);
    let lines = pay.earned.iter().map(|(label, cents)| ((*label).to_owned(), *cents));
    let lines: Vec<(String, i64)> = lines.chain(pay.kept.iter().cloned()).collect();
    for (n, (label, cents)) in lines.iter().enumerate() {
        if n == pay.earned.len() {
            draft.line_at(left, face.bold(), deductions);
        }
        let (y, value) = (draft.y, draft.style.amount(*cents));
        draft.page().put_right(stop, y, size, face, &value);
        draft.line_at(left + 12.0, face, label);
    }
}

fn result(draft: &mut Draft, pay: &Pay) {
    draft.down(0.8);
    let labels = [draft.say("gross pay"), draft.say("total deductions"), draft.say("net pay")];
    let (size, face, right) = (draft.style.size, draft.style.face, draft.right());
    let left = if draft.dice.chance(50) { draft.left() } else { right - 230.0 };
    for (n, cents) in [pay.gross, pay.gross - pay.net, pay.net].into_iter().enumerate() {
        let face = if n == 2 { face.bold() } else { face };
        let label = format!("{}{}", labels[n], draft.style.colon);
        let (y, value) = (draft.y, draft.style.money(cents));
        draft.page().put(left, y, size, face, &label);
        draft.page().put_right(left + 230.0, y, size, face, &value);
        draft.down(1.2);
    }
}

fn bases(draft: &mut Draft, pay: &Pay) {
    if draft.dice.chance(35) {
        return;
    }
    draft.down(1.0);
    let x = draft.left();
    let lines: &[&str] = if draft.lang == Lang::Es {
        &[
            "Determinación de las bases de cotización a la Seguridad Social",
            "Base de contingencias comunes",
            "Base de cotización por contingencias profesionales",
            "Base sujeta a retención del I.R.P.F.",
            "Aportación empresa",
            "Base AT y EP",
        ]
    } else {
        &[
            "Year to date",
            "Gross pay to date",
            "Taxable pay to date",
            "Tax paid to date",
            "Employer pension",
            "Holiday balance",
            "Employer contribution",
        ]
    };
    let count = draft.dice.between(2, lines.len() as i64) as usize;
    for label in &lines[..count] {
        let value = draft.style.amount(pay.gross * draft.dice.between(1, 12));
        draft.pair_at(x, x + 260.0, label, &value);
    }
}

fn farewell(draft: &mut Draft) {
    draft.down(1.5);
    let x = draft.left();
    if draft.dice.chance(60) {
        let country = if draft.lang == Lang::Es { "ES" } else { "GB" };
        let account = ids::grouped(&ids::iban(country, &mut draft.dice));
        draft.fact(x, "paid by bank transfer", &account);
    }
    if draft.dice.chance(60) {
        draft.say_line("this payslip is confidential");
    }
}
