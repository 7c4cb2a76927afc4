//! Identity cards, residence permits and driving licences; passports are next door.

use page::Rect;

use super::passport;
use crate::{
    Lang,
    draft::{A4, Draft},
    ids, words,
    words::Person,
};

pub(super) const LAYOUTS: u32 = 12;

/// The size of a bank card, in points.
const CARD: (f32, f32) = (243.0, 153.0);

/// Everything a card tells about its holder.
pub(super) struct Holder {
    pub(super) person: Person,
    pub(super) number: String,
    pub(super) support: String,
    pub(super) born: jiff::civil::Date,
    pub(super) until: jiff::civil::Date,
    pub(super) sex: &'static str,
    pub(super) nation: &'static str,
}

pub(super) fn write(draft: &mut Draft) {
    let holder = holder(draft);
    if draft.layout % 4 == 3 {
        passport::write(draft, &holder);
        return;
    }
    draft.know("id_number", holder.number.clone());
    let scale = draft.dice.span(1.0, 2.0);
    let on_sheet = draft.layout >= 8;
    if on_sheet {
        // Both sides copied on one sheet.
        draft.new_page(A4);
        let (x, gap) = (draft.dice.span(60.0, 250.0), draft.dice.span(190.0, 330.0));
        front(draft, &holder, x, 90.0, 1.0);
        back(draft, &holder, x, 90.0 + gap, 1.0);
        return;
    }
    draft.new_page((CARD.0 * scale, CARD.1 * scale));
    front(draft, &holder, 0.0, 0.0, scale);
    if draft.dice.chance(70) {
        draft.new_page((CARD.0 * scale, CARD.1 * scale));
        back(draft, &holder, 0.0, 0.0, scale);
    }
}

fn holder(draft: &mut Draft) -> Holder {
    let person = words::person(draft.lang, &mut draft.dice);
    let (number, nation) = match draft.lang {
        Lang::Es => (ids::dni(&mut draft.dice), "ESP"),
        Lang::En | Lang::Fr | Lang::Pt => (
            format!("{}{}", draft.dice.letters(2), draft.dice.digits(7)),
            draft.dice.of(&["GBR", "IRL", "USA", "MYS", "SGP", "AUS", "UTO"]),
        ),
    };
    let born = draft.day(1938, 2008);
    let until = draft.day(2024, 2036);
    draft.know("date_of_birth", born.to_string());
    Holder {
        person,
        number,
        support: format!("{}{}", draft.dice.letters(3), draft.dice.digits(6)),
        born,
        until,
        sex: draft.dice.of(&["F", "M"]),
        nation,
    }
}

fn names(draft: &mut Draft, holder: &Holder) -> (String, String) {
    let (mut family, mut given) = (holder.person.family.clone(), holder.person.given.clone());
    if draft.dice.chance(75) {
        (family, given) = (family.to_uppercase(), given.to_uppercase());
    }
    draft.know("full_name", format!("{given} {family}"));
    (family, given)
}

fn numeric(draft: &mut Draft, date: jiff::civil::Date) -> String {
    let gap = draft.dice.of(&[" ", "/", "-", "."]);
    format!("{:02}{gap}{:02}{gap}{}", date.day(), date.month(), date.year())
}

fn front(draft: &mut Draft, holder: &Holder, x: f32, y: f32, scale: f32) {
    let (face, small, big) = (draft.style.face, 5.5 * scale, 8.0 * scale);
    let frame = Rect { x, y, w: CARD.0 * scale, h: CARD.1 * scale };
    draft.page().fill(frame, 240);
    draft.page().frame(frame);
    let photo = Rect { x: x + 10.0 * scale, y: y + 40.0 * scale, w: 62.0 * scale, h: 80.0 * scale };
    draft.page().fill(photo, 150);
    let (country, title) = title(draft);
    draft.page().put(x + 12.0 * scale, y + 13.0 * scale, big * 1.1, face.bold(), country);
    draft.page().put(x + 12.0 * scale, y + 23.0 * scale, small * 1.2, face, title);
    let fields = fields(draft, holder);
    let column = x + 82.0 * scale;
    let mut line = y + 36.0 * scale;
    let row = 113.0 * scale / fields.len() as f32;
    let beside = draft.layout % 4 == 2;
    for (label, value) in fields {
        if beside {
            draft.page().put(column, line, small, face, label);
            let at = column + face.width(label, small) + 5.0 * scale;
            draft.page().put(at, line, big * 0.85, face.bold(), &value);
        } else {
            draft.page().put(column, line, small * 0.9, face, label);
            draft.page().put(column, line + row * 0.45, big * 0.9, face.bold(), &value);
        }
        line += row;
    }
    if draft.dice.chance(60) {
        let at = (x + 12.0 * scale, y + 140.0 * scale);
        let label = draft.say("id no");
        let text = format!("{label} {}", holder.number);
        draft.page().put(at.0, at.1, big, face.bold(), text.trim_start());
    }
}

fn title(draft: &mut Draft) -> (&'static str, &'static str) {
    match draft.layout % 4 {
        0 => (draft.say("united kingdom"), draft.say("identity card")),
        1 => (draft.say("united kingdom in id card"), draft.say("residence permit")),
        _ => (draft.say("uk"), draft.say("driving licence")),
    }
}

fn fields(draft: &mut Draft, holder: &Holder) -> Vec<(&'static str, String)> {
    let (family, given) = names(draft, holder);
    let (born, until) = (numeric(draft, holder.born), numeric(draft, holder.until));
    if draft.layout % 4 == 2 {
        let place = words::town(draft.lang, &mut draft.dice);
        return vec![
            ("1.", family),
            ("2.", given),
            ("3.", format!("{born} {place}")),
            ("4a.", numeric(draft, holder.until)),
            ("4b.", until),
            ("5.", holder.number.clone()),
            ("9.", draft.dice.of(&["AM B", "B", "A B", "B BE"]).to_owned()),
        ];
    }
    let mut fields = vec![
        (draft.say("surname"), family),
        (draft.say("given names"), given),
        (draft.say("sex"), holder.sex.to_owned()),
        (draft.say("nationality"), holder.nation.to_owned()),
        (draft.say("date of birth"), born),
    ];
    if draft.dice.chance(60) {
        let label = draft.say("document no");
        fields.push((label, holder.support.clone()));
    }
    let label = draft.say("date of expiry");
    fields.push((label, until));
    let label = draft.say("id number");
    fields.push((label, holder.number.clone()));
    fields
}

fn back(draft: &mut Draft, holder: &Holder, x: f32, y: f32, scale: f32) {
    let (face, size) = (draft.style.face, 5.6 * scale);
    let frame = Rect { x, y, w: CARD.0 * scale, h: CARD.1 * scale };
    draft.page().frame(frame);
    let address = words::address(draft.lang, &mut draft.dice).join(" ");
    let town = words::town(draft.lang, &mut draft.dice);
    let parents = (
        words::person(draft.lang, &mut draft.dice).given,
        words::person(draft.lang, &mut draft.dice).given,
    );
    let mut lines = vec![
        format!("{} {}", draft.say("address"), address.to_uppercase()),
        format!("{} {}", draft.say("place of birth"), town.to_uppercase()),
    ];
    if draft.lang == Lang::Es && draft.dice.chance(70) {
        lines.push(format!(
            "HIJO/A DE {} / {}",
            parents.0.to_uppercase(),
            parents.1.to_uppercase()
        ));
        let team = draft.dice.digits(5);
        lines.push(format!("EQUIPO {team}L6D1"));
    }
    let mut at = y + 18.0 * scale;
    for line in lines {
        draft.page().put(x + 12.0 * scale, at, size, face, &line);
        at += 12.0 * scale;
    }
    if draft.layout % 4 == 2 && draft.dice.chance(60) {
        for (n, row) in ["AM 12.05.14", "B1 -", "B 12.05.14", "BE -", "C -"].iter().enumerate() {
            draft.page().put(x + 120.0 * scale, at + n as f32 * 9.0 * scale, size, face, row);
        }
        return;
    }
    let (mono, size) = (crate::Face::Mono, 12.0 * scale);
    for (n, line) in td1(holder).iter().enumerate() {
        let at = y + (108.0 + 15.0 * n as f32) * scale;
        draft.page().put(x + 12.0 * scale, at, size, mono, line);
    }
}

/// Three lines of thirty.
fn td1(holder: &Holder) -> [String; 3] {
    let number = if holder.nation == "ESP" { &holder.support } else { &holder.number };
    let number = ids::filled(number, 9);
    let personal = if holder.nation == "ESP" { holder.number.as_str() } else { "" };
    let first = format!(
        "ID{}{number}{}{}",
        holder.nation,
        ids::mrz_check(&number),
        ids::filled(personal, 15)
    );
    let (born, until) = (short(holder.born), short(holder.until));
    let second = format!(
        "{born}{}{}{until}{}{}<<<<<<<<<<<",
        ids::mrz_check(&born),
        holder.sex,
        ids::mrz_check(&until),
        holder.nation
    );
    let over = ids::mrz_check(&format!(
        "{}{}{}{}",
        &first[5..30],
        &second[..7],
        &second[8..15],
        &second[18..29]
    ));
    let name = format!(
        "{}<<{}",
        ids::mrz_text(&holder.person.family),
        ids::mrz_text(&holder.person.given)
    );
    [first, format!("{second}{over}"), ids::filled(&name, 30)]
}

pub(super) fn short(date: jiff::civil::Date) -> String {
    format!("{:02}{:02}{:02}", date.year() % 100, date.month(), date.day())
}
