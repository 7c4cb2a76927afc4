//! Between people: letters, e-mails, lives, forms, minutes, certificates.

use std::fmt::Write as _;

use super::{from_whom, reference};
use crate::{
    draft::{A4, Draft},
    prose, words,
};

fn text(draft: &mut Draft, paragraphs: i64, sentences: i64) {
    let (x, width) = (draft.left(), draft.right() - draft.left());
    for _ in 0..paragraphs {
        if draft.y > draft.bottom() {
            return;
        }
        let count = draft.dice.between(1, sentences) as usize;
        let paragraph = prose::paragraph(draft.lang, count, &mut draft.dice);
        draft.paragraph(x, width, &paragraph);
        draft.down(0.6);
    }
}

pub(super) fn letter(draft: &mut Draft) {
    draft.new_page(A4);
    let lang = draft.lang;
    let (left, half) = (draft.left(), draft.page().width * 0.55);
    let sender = from_whom(draft);
    draft.line_at(left, draft.style.face.bold(), &sender);
    for line in words::address(lang, &mut draft.dice) {
        draft.line(&line);
    }
    draft.down(1.5);
    let to = words::person(lang, &mut draft.dice).full();
    draft.line_at(half, draft.style.face, &to);
    for line in words::address(lang, &mut draft.dice) {
        draft.line_at(half, draft.style.face, &line);
    }
    draft.down(1.5);
    let town = words::town(lang, &mut draft.dice);
    let day = draft.day_text();
    draft.line(&format!("{town}, {day}"));
    if draft.dice.chance(40) {
        let subject = prose::heading(lang, &mut draft.dice);
        draft.fact(left, "subject", &subject);
    }
    draft.down(1.0);
    draft.say_line("dear sir or madam");
    draft.down(0.6);
    let count = draft.dice.between(2, 5);
    text(draft, count, 4);
    draft.down(1.0);
    draft.say_line("yours faithfully in people");
    draft.down(2.0);
    let name = words::person(lang, &mut draft.dice).full();
    draft.line(&name);
}

pub(super) fn email(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let (from, to) = (from_whom(draft), from_whom(draft));
    let day = draft.day_text();
    let subject = prose::heading(draft.lang, &mut draft.dice);
    let from_label = draft.say("from");
    let address = format!("{}@{}", words::nonsense(&mut draft.dice), words::site(&from));
    draft.pair(x, from_label, &format!("{from} <{address}>"));
    draft.fact(x, "to", &format!("{to} <info@{}>", words::site(&to)));
    draft.fact(x, "sent", &day);
    draft.fact(x, "subject in people", &subject);
    if draft.dice.chance(35) {
        let label = draft.say("attachments");
        let file = format!("{}.pdf", words::nonsense(&mut draft.dice));
        draft.pair(x, label, &file);
    }
    draft.down(1.0);
    draft.say_line("hi");
    let count = draft.dice.between(1, 6);
    text(draft, count, 3);
    draft.say_line("best");
}

pub(super) fn cv(draft: &mut Draft) {
    draft.new_page(A4);
    let lang = draft.lang;
    let x = draft.left();
    let name = words::person(lang, &mut draft.dice).full();
    if draft.dice.chance(50) {
        draft.say_title(x, 1.2, "curriculum vitae");
    }
    draft.title(x, 1.8, &name);
    let address = words::address(lang, &mut draft.dice).join(", ");
    let phone = words::phone(lang, &mut draft.dice);
    let mail = words::nonsense(&mut draft.dice);
    draft.line(&format!("{address} - {phone} - {mail}@mail.example"));
    let sections = [
        draft.say("work experience"),
        draft.say("education"),
        draft.say("languages"),
        draft.say("interests"),
    ];
    for section in sections {
        draft.down(0.8);
        draft.line_at(x, draft.style.face.bold(), section);
        for _ in 0..draft.dice.between(1, 4) {
            let year = draft.dice.between(1995, 2024);
            let place = words::firm(lang, &mut draft.dice);
            let what = prose::heading(lang, &mut draft.dice);
            let until = year + draft.dice.between(1, 5);
            draft.line(&format!("{year} - {until}  {place}: {what}"));
            if draft.dice.chance(50) {
                let width = draft.right() - x - 20.0;
                let more = prose::paragraph(lang, 1, &mut draft.dice);
                draft.paragraph(x + 20.0, width, &more);
            }
        }
    }
}

pub(super) fn form(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.5, "application form");
    text(draft, 1, 2);
    let count = draft.dice.between(6, 13) as usize;
    let labels = draft.some("field of a form", count);
    let filled = draft.dice.chance(50);
    for label in labels {
        let value = match draft.dice.below(3) {
            _ if !filled => "........................................".to_owned(),
            0 => words::person(draft.lang, &mut draft.dice).full(),
            1 => draft.dice.digits(9),
            _ => words::town(draft.lang, &mut draft.dice).to_owned(),
        };
        draft.pair(x, label, &value);
        draft.down(0.5);
    }
    for _ in 0..draft.dice.below(6) {
        let line = prose::heading(draft.lang, &mut draft.dice);
        draft.line(&format!("[ ] {line}"));
    }
    text(draft, 1, 2);
}

pub(super) fn minutes(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.4, "minutes of the meeting");
    let (day, present) = (draft.day_text(), draft.say("present"));
    draft.line(&day);
    let names: Vec<String> = (0..draft.dice.between(2, 7))
        .map(|_| words::person(draft.lang, &mut draft.dice).full())
        .collect();
    let width = draft.right() - x;
    draft.paragraph(x, width, &format!("{present}: {}", names.join(", ")));
    for n in 1..=draft.dice.between(3, 7) {
        draft.down(0.5);
        let head = prose::heading(draft.lang, &mut draft.dice);
        draft.line_at(x, draft.style.face.bold(), &format!("{n}. {head}"));
        text(draft, 1, 3);
    }
}

pub(super) fn certificate(draft: &mut Draft) {
    let paper = if draft.dice.chance(40) { (A4.1, A4.0) } else { A4 };
    draft.new_page(paper);
    let (middle, face) = (draft.page().width / 2.0, draft.style.face);
    let title = draft.say("certificate");
    let who = words::person(draft.lang, &mut draft.dice).full();
    let that = draft.say("this is to certify that");
    let by = words::firm(draft.lang, &mut draft.dice);
    let day = draft.day_text();
    draft.y = 140.0;
    for (scale, line) in [(2.6, title), (1.0, by.as_str()), (1.0, that), (1.9, who.as_str())] {
        let (y, size) = (draft.y, draft.style.size * scale);
        draft.page().put_centre(middle, y, size, face, line);
        draft.y += size * 2.2;
    }
    text(draft, 1, 3);
    draft.line(&day);
}

pub(super) fn medical(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.4, "medical report");
    let who = words::person(draft.lang, &mut draft.dice).full();
    draft.fact(x, "patient", &who);
    let (label, day) = (draft.say("date of birth in people"), draft.day_text());
    draft.pair(x, label, &day);
    let (label, number) = (draft.say("record no"), draft.dice.digits(8));
    draft.pair(x, label, &number);
    text(draft, 3, 3);
    for _ in 0..draft.dice.below(9) {
        let name = words::capital(&words::nonsense(&mut draft.dice));
        let value = format!("{},{}", draft.dice.between(1, 300), draft.dice.below(10));
        let unit = draft.dice.of(&["mg/dL", "g/L", "U/L", "mmol/L", "%"]);
        draft.pair_at(x, x + 170.0, &name, &format!("{value} {unit}"));
    }
}

pub(super) fn timetable(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.4, "timetable");
    let code = reference(&mut draft.dice);
    draft.line(&code);
    for _ in 0..draft.dice.between(6, 25) {
        let name = words::person(draft.lang, &mut draft.dice).full();
        let mut line = name;
        for _ in 0..5 {
            let (from, to) = (draft.dice.between(6, 13), draft.dice.between(14, 22));
            let _ = write!(line, "  {from:02}:00-{to:02}:00");
        }
        draft.line(&line);
    }
}
