//! The page of a passport that identifies its holder.

use page::Rect;

use super::id_card::{Holder, short};
use crate::{Face, draft::Draft, ids, words};

pub(super) fn write(draft: &mut Draft, holder: &Holder) {
    let number = format!("{}{}", draft.dice.letters(3), draft.dice.digits(6));
    draft.know("id_number", number.clone());
    let page = (354.0, 250.0);
    draft.new_page(page);
    let face = draft.style.face;
    draft.page().fill(Rect { x: 20.0, y: 55.0, w: 95.0, h: 120.0 }, 160);
    let title = draft.say("passport");
    let country = draft.say("united kingdom in passport");
    draft.page().put(20.0, 30.0, 12.0, face.bold(), title);
    draft.page().put(150.0, 30.0, 10.0, face, country);
    let (family, given) = (holder.person.family.to_uppercase(), holder.person.given.to_uppercase());
    draft.know("full_name", format!("{given} {family}"));
    let place = words::town(draft.lang, &mut draft.dice).to_uppercase();
    let stamp =
        |date: jiff::civil::Date| format!("{:02} {:02} {}", date.day(), date.month(), date.year());
    let fields = [
        (draft.say("type"), "P".to_owned()),
        (draft.say("passport no"), number.clone()),
        (draft.say("surname in passport"), family),
        (draft.say("given names in passport"), given),
        (draft.say("nationality in passport"), holder.nation.to_owned()),
        (draft.say("date of birth in passport"), stamp(holder.born)),
        (draft.say("sex in passport"), holder.sex.to_owned()),
        (draft.say("place of birth in passport"), place),
        (draft.say("date of expiry in passport"), stamp(holder.until)),
        (draft.say("authority"), draft.dice.letters(4)),
    ];
    let mut y = 46.0;
    for (label, value) in fields {
        draft.page().put(125.0, y, 5.5, face, label);
        draft.page().put(125.0, y + 7.5, 8.0, face.bold(), &value);
        y += 15.6;
    }
    for (n, line) in td3(holder, &number).iter().enumerate() {
        draft.page().put(18.0, 220.0 + 16.0 * n as f32, 12.0, Face::Mono, line);
    }
}

/// Two lines of forty-four.
fn td3(holder: &Holder, number: &str) -> [String; 2] {
    let name = format!(
        "P<{}{}<<{}",
        holder.nation,
        ids::mrz_text(&holder.person.family),
        ids::mrz_text(&holder.person.given)
    );
    let number = ids::filled(number, 9);
    let (born, until) = (short(holder.born), short(holder.until));
    let personal = "<".repeat(14);
    let digit = ids::mrz_check;
    let second = format!(
        "{number}{}{}{born}{}{}{until}{}{personal}<",
        digit(&number),
        holder.nation,
        digit(&born),
        holder.sex,
        digit(&until)
    );
    let over = digit(&format!("{}{}{}", &second[..10], &second[13..20], &second[21..43]));
    [ids::filled(&name, 44), format!("{second}{over}")]
}
