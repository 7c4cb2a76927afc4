//! Pages to read: articles, manuals, lists of contents, stories, pages in other languages.

use crate::{
    draft::{A4, Draft, LETTER},
    layout::wrap,
    prose, words,
};

fn fill(draft: &mut Draft, x: f32, width: f32, until: f32) {
    while draft.y < until {
        let count = draft.dice.between(2, 6) as usize;
        let paragraph = prose::paragraph(draft.lang, count, &mut draft.dice);
        draft.paragraph(x, width, &paragraph);
        draft.down(0.5);
    }
}

fn page_number(draft: &mut Draft) {
    let number = draft.dice.between(1, 280).to_string();
    let (middle, y, size, face) =
        (draft.page().width / 2.0, draft.page().height - 24.0, draft.style.size, draft.style.face);
    draft.page().put_centre(middle, y, size, face, &number);
}

pub(super) fn article(draft: &mut Draft) {
    draft.new_page(A4);
    let (x, scale) = (draft.left(), draft.dice.span(1.5, 2.8));
    let title = prose::heading(draft.lang, &mut draft.dice);
    draft.title(x, scale, &title);
    let by = words::person(draft.lang, &mut draft.dice).full();
    let day = draft.day_text();
    draft.line(&format!("{by} - {day}"));
    draft.down(0.8);
    let (width, top) = (draft.right() - x, draft.y);
    let columns = draft.dice.between(1, 3);
    let column = width / columns as f32;
    let low = draft.bottom() - draft.dice.span(0.0, 300.0);
    for n in 0..columns {
        draft.y = top;
        fill(draft, x + n as f32 * column, column - 12.0, low);
    }
    page_number(draft);
}

pub(super) fn manual(draft: &mut Draft) {
    let paper = if draft.dice.chance(50) { A4 } else { LETTER };
    draft.new_page(paper);
    let x = draft.left();
    let chapter = draft.dice.between(1, 9);
    for section in 1..=draft.dice.between(2, 4) {
        let head = prose::heading(draft.lang, &mut draft.dice);
        draft.title(x, 1.3, &format!("{chapter}.{section} {head}"));
        for step in 1..=draft.dice.between(2, 6) {
            let width = draft.right() - x - 16.0;
            let text = prose::paragraph(draft.lang, 1, &mut draft.dice);
            draft.paragraph(x + 16.0, width, &format!("{step}. {text}"));
        }
        if draft.dice.chance(40) {
            for _ in 0..draft.dice.between(2, 7) {
                let label = words::capital(&words::nonsense(&mut draft.dice));
                let value = format!(
                    "{} {}",
                    draft.dice.between(1, 900),
                    draft.dice.of(&["mm", "kg", "V", "W", "°C", "bar"])
                );
                draft.pair_at(x, x + 150.0, &label, &value);
            }
        }
        draft.down(1.0);
    }
    page_number(draft);
}

pub(super) fn contents(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.8, "contents");
    let (right, size, face) = (draft.right(), draft.style.size, draft.style.face);
    let mut number = 1;
    for n in 1..=draft.dice.between(10, 30) {
        number += draft.dice.between(1, 12);
        let head = prose::heading(draft.lang, &mut draft.dice);
        let y = draft.y;
        draft.page().put_right(right, y, size, face, &number.to_string());
        draft.line(&format!("{n}. {head} .............."));
    }
}

pub(super) fn paper(draft: &mut Draft) {
    draft.new_page(LETTER);
    let x = draft.left();
    let title = prose::heading(draft.lang, &mut draft.dice);
    draft.title(x, 1.7, &title);
    let names: Vec<String> = (0..draft.dice.between(1, 4))
        .map(|_| words::person(draft.lang, &mut draft.dice).full())
        .collect();
    draft.line(&names.join(", "));
    let head = draft.say("abstract");
    draft.line_at(x, draft.style.face.bold(), head);
    let (width, low) = (draft.right() - x, draft.bottom());
    let stop = draft.y + 90.0;
    fill(draft, x + 20.0, width - 40.0, stop);
    let head = draft.say("1 introduction");
    draft.line_at(x, draft.style.face.bold(), head);
    fill(draft, x, width, low - 90.0);
    let head = draft.say("references");
    draft.line_at(x, draft.style.face.bold(), head);
    for n in 1..=draft.dice.between(2, 6) {
        let (who, year) =
            (words::person(draft.lang, &mut draft.dice).listed(), draft.dice.between(1970, 2025));
        let what = prose::heading(draft.lang, &mut draft.dice);
        draft.line(&format!("[{n}] {who} ({year}). {what}."));
    }
}

pub(super) fn slides(draft: &mut Draft) {
    draft.new_page((720.0, 405.0));
    let (x, size) = (draft.left(), draft.style.size);
    draft.style.size = size * 1.7;
    let title = prose::heading(draft.lang, &mut draft.dice);
    draft.title(x, 1.7, &title);
    for _ in 0..draft.dice.between(1, 7) {
        let point = prose::heading(draft.lang, &mut draft.dice);
        draft.line(&format!("• {point}"));
    }
    draft.style.size = size;
}

pub(super) fn story(draft: &mut Draft) {
    draft.new_page((420.0, 595.0));
    let (x, width, low) = (draft.left(), draft.right() - draft.left(), draft.bottom());
    fill(draft, x, width, low);
    page_number(draft);
}

/// A page in a language the model was never taught: no word of it should decide anything.
pub(super) fn foreign(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let known: Vec<String> = (0..150).map(|_| words::nonsense(&mut draft.dice)).collect();
    let pick = |draft: &mut Draft| known[draft.dice.below(known.len())].clone();
    let title = format!("{} {}", words::capital(&pick(draft)), pick(draft));
    draft.title(x, 1.6, &title);
    let (size, face, width) = (draft.style.size, draft.style.face, draft.right() - x);
    for _ in 0..draft.dice.between(2, 9) {
        let mut text = Vec::new();
        for _ in 0..draft.dice.between(8, 60) {
            let word = if draft.dice.chance(6) { draft.dice.digits(3) } else { pick(draft) };
            text.push(word);
        }
        let text = words::capital(&text.join(" "));
        for line in wrap(&text, width, size, face) {
            if draft.y < draft.bottom() {
                draft.line(&line);
            }
        }
        draft.down(0.6);
    }
}

/// Rules about papers: speaks of payslips, invoices, cards and contracts, and is none of them.
pub(super) fn handbook(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.5, "employee handbook");
    for section in 1..=draft.dice.between(1, 5) {
        let head = prose::heading(draft.lang, &mut draft.dice);
        draft.line_at(x, draft.style.face.bold(), &format!("{section}. {head}"));
        let count = draft.dice.between(2, 6) as usize;
        let text = prose::rules(draft.lang, count, &mut draft.dice);
        let width = draft.right() - x;
        draft.paragraph(x, width, &text);
        draft.down(0.6);
    }
}

pub(super) fn questionnaire(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    draft.say_title(x, 1.5, "satisfaction survey");
    for n in 1..=draft.dice.between(4, 9) {
        let question = prose::paragraph(draft.lang, 1, &mut draft.dice);
        let width = draft.right() - x;
        draft.paragraph(x, width, &format!("{n}. {}?", question.trim_end_matches('.')));
        for letter in ["a)", "b)", "c)"] {
            let answer = prose::heading(draft.lang, &mut draft.dice);
            draft.line_at(x + 16.0, draft.style.face, &format!("{letter} {answer}"));
        }
        draft.down(0.5);
    }
}
