//! Learning: what a person confirmed becomes places and marks.

use jiff::civil::Date;
use page::{PageText, Rect};

use super::super::schema::{FieldSpec, Kind, Schema};
use super::super::{parse::date, role::Role, sheet::Span, value::Normalised};
use super::recall::{self, agrees};
use super::scene::{Scene, Seen, Sort, form, pieces};
use super::{Anchor, Answer, DayOrder, Layout, MOST_ANCHORS, MOST_MARKS, MOST_PLACES, Mark, Place};

/// How far above a value its column's head may stand, in page widths.
const HEAD_REACH: f32 = 0.12;
/// Examples are counted up to here: what a vendor does now outweighs what it did.
const MOST_EXAMPLES: u32 = 20;

/// What is remembered after a person answered: the layout as it was known, judged by the answer and
/// grown by it. Nothing, when the document does not say whose it is.
pub fn remember(
    known: Option<&Layout>,
    doc_type: &str,
    schema: &Schema,
    pages: &[&PageText],
    answers: &[Answer<'_>],
    today: Date,
) -> Option<Layout> {
    let scene = Scene::new(pages, today);
    let named = |role: &Role| {
        let spec = schema.fields.iter().find(|spec| Role::of(doc_type, spec) == *role)?;
        answers.iter().find(|one| one.field == spec.name).map(|one| one.value.to_owned())
    };
    let vendor = named(&Role::Issuer).filter(|name| !name.trim().is_empty());
    let tax_id = named(&Role::TaxId).or_else(|| scene.tax_ids().into_iter().next());
    let mut layout = known.cloned().unwrap_or_else(|| Layout {
        doc_type: doc_type.to_owned(),
        vendor: None,
        tax_id: None,
        marks: Vec::new(),
        places: Vec::new(),
        order: None,
        currency: None,
        examples: 0,
    });
    judge(&mut layout, doc_type, schema, &scene, answers, today);
    layout.vendor = vendor.or(layout.vendor);
    layout.tax_id = tax_id.or(layout.tax_id);
    layout.currency = named(&Role::Currency).or(layout.currency);
    layout.key()?;
    let mut taken: Vec<Span> = Vec::new();
    let alone = super::super::extract(doc_type, schema, pages, today);
    for answer in answers {
        let Some(spec) = asked(schema, answer) else { continue };
        let sort = Sort::of(doc_type, spec);
        let printed = scene.printed(spec, sort, answer.value, today);
        let chosen = chosen(&scene, printed, answer, sort);
        let own = alone.fields.iter().find(|field| field.name == answer.field);
        let overrules = own.is_some_and(|own| {
            own.normalised.as_deref().is_some_and(|own| !recall::same(own, answer.value))
        });
        for seen in &chosen {
            taken.push(seen.span);
            if sort == Sort::Day {
                layout.order = order_of(seen, answer.value, today).or(layout.order);
            }
            let place = place(&scene, answer.field, seen);
            keep(&mut layout, Place { overrules, ..place });
        }
    }
    mark(&mut layout, &scene, &taken);
    layout.examples = (layout.examples + 1).min(MOST_EXAMPLES);
    Some(layout)
}

/// The field that was answered. Of a table nothing is remembered: its rows are never the same.
fn asked<'s>(schema: &'s Schema, answer: &Answer<'_>) -> Option<&'s FieldSpec> {
    let of_place = |spec: &&FieldSpec| spec.name == answer.field && spec.kind != Kind::Table;
    schema.fields.iter().find(of_place)
}

/// The layout after a person answered for a document that was read by it.
pub fn judged(
    layout: &Layout,
    doc_type: &str,
    schema: &Schema,
    pages: &[&PageText],
    answers: &[Answer<'_>],
    today: Date,
) -> Layout {
    let mut layout = layout.clone();
    judge(&mut layout, doc_type, schema, &Scene::new(pages, today), answers, today);
    layout
}

/// What the layout would have said, against what the person said.
fn judge(
    layout: &mut Layout,
    doc_type: &str,
    schema: &Schema,
    scene: &Scene,
    answers: &[Answer<'_>],
    today: Date,
) {
    let mut verdicts: Vec<(usize, bool)> = Vec::new();
    for answer in answers {
        let Some(spec) = asked(schema, answer) else { continue };
        let sort = Sort::of(doc_type, spec);
        for (at, place) in layout.places.iter().enumerate() {
            if place.field != answer.field {
                continue;
            }
            if let Some(told) = recall::at_place(scene, spec, sort, place, layout.order, today) {
                let said = told.seen.value.to_string();
                verdicts.push((at, recall::same(&said, answer.value)));
            }
        }
    }
    for (at, right) in verdicts {
        let place = &mut layout.places[at];
        if right {
            place.right = (place.right + 1).min(50);
        } else {
            place.wrong = (place.wrong + 1).min(50);
        }
    }
    layout.places.retain(|place| place.wrong < place.seen + place.right);
}

/// The places to remember a value by: where the person picked it, else where it stands with something
/// beside it, twice at most.
fn chosen(scene: &Scene, printed: Vec<Seen>, answer: &Answer<'_>, sort: Sort) -> Vec<Seen> {
    let picked = |seen: &Seen| {
        let place = scene.evidence(seen.span);
        answer.boxes.iter().any(|one| one.page == place.page && touches(&one.place, &place.place))
    };
    let (at_box, mut elsewhere): (Vec<Seen>, Vec<Seen>) = printed.into_iter().partition(picked);
    // A name is spelt in many places; what a person pointed at is the one.
    if sort == Sort::Words && !at_box.is_empty() {
        elsewhere.clear();
    }
    let (announced, bare): (Vec<Seen>, Vec<Seen>) =
        elsewhere.into_iter().partition(|seen| !anchors(scene, seen.span).is_empty());
    let mut all = at_box;
    all.extend(announced);
    // A letterhead has nothing beside it; where it stands must do.
    if all.is_empty() {
        all.extend(bare);
        all.truncate(1);
    }
    all.truncate(2);
    all
}

fn touches(a: &Rect, b: &Rect) -> bool {
    let across = a.right().min(b.right()) - a.x.max(b.x);
    let down = a.bottom().min(b.bottom()) - a.y.max(b.y);
    across > 0.3 * a.w.min(b.w) && down > 0.3 * a.h.min(b.h)
}

fn place(scene: &Scene, field: &str, seen: &Seen) -> Place {
    let row = scene.reading.sheet.row(seen.span);
    let spot = (scene.page(seen.span) == 0).then(|| scene.spot(seen.span));
    Place {
        field: field.to_owned(),
        anchors: anchors(scene, seen.span),
        spot,
        form: form(&seen.printed),
        ends: pieces(row).iter().any(|(_, end)| *end == seen.span.to),
        overrules: false,
        sums: matches!(seen.value, Normalised::Decimal(amount) if scene.adds_up(amount)),
        seen: 1,
        right: 0,
        wrong: 0,
    }
}

/// The words right before a value, those of the cell before it, and the head of its column.
fn anchors(scene: &Scene, span: Span) -> Vec<Anchor> {
    let sheet = &scene.reading.sheet;
    let row = sheet.row(span);
    let worded = |at: usize| {
        let token = &row.tokens[at];
        token.folded.chars().any(char::is_alphabetic)
            && !token.folded.chars().any(|letter| letter.is_ascii_digit())
    };
    let mut found: Vec<Span> = Vec::new();
    // Signs between a label and its value belong to neither.
    let mut end = span.from;
    while end > 0 && row.tokens[end - 1].folded.is_empty() {
        end -= 1;
    }
    if end > 0 && worded(end - 1) {
        let mut from = end - 1;
        while from > 0 && end - from < 4 && worded(from - 1) && row.gap_before(from) <= 1.3 {
            from -= 1;
        }
        found.push(Span { row: span.row, from, to: end });
    }
    found.extend(head(scene, span));
    let own = scene.spot(span);
    let anchor = |from: Span| {
        let at = scene.spot(from);
        Anchor {
            text: scene.shaped(from),
            left: own.left - at.left,
            right: own.right - at.left,
            down: own.y - at.y,
        }
    };
    let mut anchors: Vec<Anchor> = found.into_iter().map(anchor).collect();
    anchors.retain(|one| one.text.len() > 1 && one.text.len() <= 40);
    anchors.truncate(MOST_ANCHORS);
    anchors
}

/// The nearest piece of text above that shares the value's column and is made of words.
fn head(scene: &Scene, span: Span) -> Option<Span> {
    let sheet = &scene.reading.sheet;
    let own = scene.spot(span);
    for at in (0..span.row).rev() {
        let row = &sheet.rows[at];
        if row.page != scene.page(span) {
            return None;
        }
        for (from, to) in row.cells() {
            let cell = Span { row: at, from, to: to.min(from + 5) };
            let spot = scene.spot(cell);
            let shared = spot.right.min(own.right) - spot.left.max(own.left);
            let letter = scene.letter(row.page);
            if shared <= 0.0 && (spot.left - own.left).abs() > letter {
                continue;
            }
            if own.y - spot.y > HEAD_REACH {
                return None;
            }
            let text = scene.shaped(cell);
            let words = sheet
                .tokens(cell)
                .iter()
                .all(|token| !token.text.chars().any(|letter| letter.is_ascii_digit()));
            // The nearest above decides: a value there is no head, nor is what stands beyond it.
            return (words && text.len() > 2).then_some(cell);
        }
    }
    None
}

/// Which order the writer has, when the printed day can be read in two ways.
fn order_of(seen: &Seen, value: &str, today: Date) -> Option<DayOrder> {
    let day = date::parse(&seen.printed, today)?;
    let swapped = day.swapped?;
    if day.date.to_string() == value {
        Some(DayOrder::DayFirst)
    } else {
        (swapped.to_string() == value).then_some(DayOrder::MonthFirst)
    }
}

/// Adds a place, or counts the one that is the same.
fn keep(layout: &mut Layout, new: Place) {
    if new.anchors.is_empty() && new.spot.is_none() {
        return;
    }
    let same = |old: &&mut Place| old.field == new.field && is_same(old, &new);
    if let Some(old) = layout.places.iter_mut().find(same) {
        old.seen = (old.seen + 1).min(50);
        (old.form, old.ends, old.overrules) = (new.form, new.ends, new.overrules);
        old.sums &= new.sums;
        // What did not recur beside the value is not what announces it.
        let again: Vec<Anchor> = new.anchors.iter().filter(|a| has(old, a)).cloned().collect();
        old.anchors = if again.is_empty() { new.anchors } else { again };
        old.spot = new.spot;
        return;
    }
    layout.places.push(new);
    let field = layout.places[layout.places.len() - 1].field.clone();
    let of_field = layout.places.iter().enumerate().filter(|(_, one)| one.field == field);
    let worth = |one: &Place| (one.trust() * (one.seen + one.right) as f32 * 100.0) as i64;
    let of_field: Vec<(usize, i64)> = of_field.map(|(at, one)| (at, worth(one))).collect();
    if of_field.len() > MOST_PLACES
        && let Some((at, _)) = of_field.iter().rev().skip(1).min_by_key(|(_, worth)| *worth)
    {
        layout.places.remove(*at);
    }
}

fn has(place: &Place, anchor: &Anchor) -> bool {
    place.anchors.iter().any(|one| one.text == anchor.text && agrees(one, anchor))
}

fn is_same(old: &Place, new: &Place) -> bool {
    if new.anchors.iter().any(|anchor| has(old, anchor)) {
        return true;
    }
    let bare = old.anchors.is_empty() && new.anchors.is_empty();
    let near =
        |a: super::Spot, b: super::Spot| (a.left - b.left).abs() < 0.02 && (a.y - b.y).abs() < 0.02;
    bare && old.spot.zip(new.spot).is_some_and(|(a, b)| near(a, b))
}

/// Words of the first page that are no values and no lines of a table.
fn mark(layout: &mut Layout, scene: &Scene, taken: &[Span]) {
    let sheet = &scene.reading.sheet;
    let mut seen: Vec<(String, f32)> = Vec::new();
    for (at, row) in sheet.rows.iter().enumerate().filter(|(_, row)| row.page == 0) {
        let amounts = scene.reading.money.iter().filter(|one| one.span.row == at && one.priced());
        if amounts.count() > 1 {
            continue;
        }
        for (from, to) in row.cells() {
            let span = Span { row: at, from, to };
            let digits = row.tokens[from..to]
                .iter()
                .any(|token| token.folded.chars().any(|letter| letter.is_ascii_digit()));
            let text = scene.shaped(span);
            let fits = to - from <= 5 && (5..=40).contains(&text.len()) && !digits;
            if fits && !taken.iter().any(|one| one.overlaps(span)) {
                seen.push((text, scene.spot(span).left));
            }
        }
    }
    for known in &mut layout.marks {
        let again = scene.sightings(&known.text).into_iter().any(|(span, _)| {
            scene.page(span) == 0 && (scene.spot(span).left - known.x).abs() < 0.03
        });
        if again {
            known.seen = (known.seen + 1).min(50);
        } else {
            known.missed = (known.missed + 1).min(50);
        }
    }
    layout.marks.retain(|one| one.missed <= one.seen);
    for (text, x) in seen {
        let known = layout.marks.iter().any(|one| one.text == text && (one.x - x).abs() < 0.03);
        // Later on, what is new is a line or a customer more often than not.
        if !known && layout.examples == 0 && layout.marks.len() < MOST_MARKS {
            layout.marks.push(Mark { text, x, seen: 1, missed: 0 });
        }
    }
}
