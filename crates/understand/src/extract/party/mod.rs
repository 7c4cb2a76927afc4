//! The organisation that issued a document: every name that may be it, and what stands around each.
//!
//! Names come from the letterhead, the footer, the line above the window of an envelope, behind
//! labels and out of running text; [`traits`] says what is seen of each, and weights learnt from
//! documents with known issuers rank them.

mod block;
mod names;
mod traits;

use block::busy;
pub(super) use names::legal_form;
use names::{is_common, is_generic, is_tail, lone_form, running_text, tidy};
pub use traits::TRAITS;
use traits::{Seen, Source};

use super::calibrate::Weights;
use super::labels::Label;
use super::lexicon::Concept;
use super::reading::{Candidate, Reading};
use super::sheet::{Sheet, Span};
use super::text::fold;
use super::value::Normalised;
use super::words::{self, Wanted};

/// Rows from the top of the first page, and from its foot, that may hold the name.
const ROWS: usize = 16;
const FOOT: usize = 7;
/// Rows in which running text may introduce it.
const MENTION_ROWS: usize = 60;
/// Candidates at most; a page of small print must not cost a second.
const MOST: usize = 80;

/// A name that may be the issuer's.
struct Named {
    name: String,
    spans: Vec<Span>,
    source: Source,
    /// A registration number stood behind it.
    registered: bool,
}

/// The candidates for the issuer, ranked. What each is given is a share: they and none of them make
/// one.
pub(super) fn candidates(reading: &Reading, weights: &Weights) -> Vec<Candidate> {
    let scored: Vec<(Named, [f32; TRAITS], f32)> = observed(reading)
        .into_iter()
        .map(|(named, traits)| {
            let score = weights.issuer.iter().zip(&traits).map(|(w, x)| w * x).sum();
            (named, traits, score)
        })
        .collect();
    let all: f32 = 1.0 + scored.iter().map(|(_, _, score)| score.exp()).sum::<f32>();
    let mut found: Vec<Candidate> = Vec::new();
    for (named, traits, score) in scored {
        let mut candidate =
            reading.candidate(Normalised::Text(named.name.clone()), named.spans[0], score);
        candidate.signs.label = score.exp() / all;
        candidate.signs.legible = legible(&reading.sheet, &named.spans);
        candidate.signs.certainty = if legal_form(&named.name) { 1.0 } else { 0.6 };
        candidate.signs.support = traits::support(&traits);
        candidate.signs.against = traits::against(&traits);
        candidate.printed = named.name;
        candidate.spans = named.spans;
        let key = fold(&candidate.printed);
        match found.iter_mut().find(|known| fold(&known.printed) == key) {
            Some(known) => {
                let share = known.signs.label + candidate.signs.label;
                if candidate.score > known.score {
                    *known = candidate;
                }
                known.signs.label = share;
            }
            None => found.push(candidate),
        }
    }
    found
}

/// How surely the least legible word was read, of those that no list vouches for: `SDN` or `Bakery`
/// as they are written are nobody's slip.
fn legible(sheet: &Sheet, spans: &[Span]) -> f32 {
    let tokens = || spans.iter().flat_map(|span| sheet.tokens(*span));
    let least = |own: bool| {
        let asked = tokens().filter(|token| own || !is_common(&token.folded));
        asked.map(|token| token.confidence).fold(1.0, f32::min)
    };
    least(tokens().all(|token| is_common(&token.folded)))
}

/// What is seen of every name that may be the issuer's, to rank them and to learn how.
pub(super) fn seen(reading: &Reading) -> Vec<(String, [f32; TRAITS])> {
    observed(reading).into_iter().map(|(named, traits)| (named.name, traits)).collect()
}

fn observed(reading: &Reading) -> Vec<(Named, [f32; TRAITS])> {
    let prose = is_prose(reading);
    let mut found = labelled(reading);
    let page = reading.sheet.rows.iter().take_while(|row| row.page == 0).count();
    let rows = (0..page.min(ROWS)).chain(page.saturating_sub(FOOT).max(ROWS)..page);
    // A line of goods names what is sold, not who sells it.
    let sold = |at: &usize| !reading.money.iter().any(|one| one.span.row == *at && one.priced());
    for at in rows.filter(sold) {
        for (from, to) in reading.sheet.rows[at].cells() {
            found.extend(in_cell(reading, Span { row: at, from, to }));
        }
    }
    // The second half of a name is no name.
    let halves: Vec<Span> = found.iter().flat_map(|one| one.spans[1..].to_vec()).collect();
    found.retain(|one| one.spans.len() > 1 || !halves.contains(&one.spans[0]));
    found.extend(mentions(reading, prose));
    found.truncate(MOST);
    let seen = Seen::new(reading, &found, prose);
    let traits: Vec<_> = found.iter().map(|named| seen.traits(named)).collect();
    found.into_iter().zip(traits).collect()
}

/// The names of a cell: its text, continued below if it goes on, and what stands before an address
/// that follows on the same line.
fn in_cell(reading: &Reading, span: Span) -> Vec<Named> {
    let row = reading.sheet.row(span);
    let led = |label: &&Label| {
        label.span.row == span.row
            && label.span.from == span.from
            && label.span.to < span.to
            && label.announces(Concept::Vendor) > 0.0
    };
    // What follows its own label is found by it, and a label is no name.
    if reading.labels.iter().any(|label| led(&label)) || words::labelled(reading, span) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (spans, text) = with_continuation(reading, span);
    if spans.len() > 1 && !legal_form(&text) {
        found.extend(named(&reading.sheet.text(span), vec![span], Source::Top));
    }
    found.extend(named(&text, spans, Source::Top));
    let mark =
        |token: &usize| matches!(row.tokens[*token].text.as_str(), "-" | "–" | "·" | "|" | "•");
    let number = |from: usize| {
        let rest = row.tokens[from..span.to].iter();
        rest.flat_map(|token| token.text.bytes()).any(|byte| byte.is_ascii_digit())
    };
    let dash = (span.from + 1..span.to.saturating_sub(1)).find(mark);
    let comma = (span.from + 2..span.to).find(|to| {
        row.tokens[to - 1].text.ends_with(',')
            && legal_form(&reading.sheet.text(Span { to: *to, ..span }))
    });
    if let Some(to) = dash.or(comma).filter(|to| number(*to)) {
        let part = Span { to, ..span };
        found.extend(named(&reading.sheet.text(part), vec![part], Source::Line));
    }
    found
}

fn named(text: &str, spans: Vec<Span>, source: Source) -> Option<Named> {
    let (name, registered) = tidy(text);
    let words = name.split_whitespace().filter(|word| !fold(word).is_empty()).count();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = name.chars().filter(char::is_ascii_digit).count();
    if letters < 3 || digits > letters || words > 12 || running_text(&name) || lone_form(&name) {
        return None;
    }
    Some(Named { name, spans, source, registered })
}

/// Names with a legal form inside running text, as contracts introduce their parties.
fn mentions(reading: &Reading, prose: bool) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for (at, row) in reading.sheet.rows.iter().enumerate().take(MENTION_ROWS) {
        for to in 2..=row.tokens.len() {
            let capital = |token: usize| {
                let text = &row.tokens[token].text;
                text.starts_with(char::is_uppercase) || matches!(text.as_str(), "&" | "de" | "y")
            };
            let stop = |token: usize| row.tokens[token].text.ends_with([':', ';', ')']);
            let mut from = to;
            while from > 0 && to - from < 7 && capital(from - 1) && (from == to || !stop(from - 1))
            {
                from -= 1;
            }
            // A label without a colon is no part of the name behind it.
            let led = reading.labels.iter().find(|label| {
                label.span.row == at && label.span.from == from && label.span.to < to
            });
            from = led
                .filter(|label| label.announces(Concept::Vendor) > 0.0)
                .map_or(from, |label| label.span.to);
            let begins = from < to && row.tokens[from].text.starts_with(char::is_uppercase);
            let whole = from == 0 && to == row.tokens.len() || !begins;
            if whole || found.len() >= 12 {
                continue;
            }
            let span = Span { row: at, from, to };
            let (mut name, _) = tidy(&reading.sheet.text(span));
            let before = if from == 0 { name_above(reading, at) } else { String::new() };
            if !before.is_empty() {
                name = format!("{before} {name}");
            }
            let known = found.iter().any(|known| known.name == name);
            if legal_form(&name) && !known {
                // The first party of a contract is the company.
                let first = prose && found.is_empty();
                let source = if first { Source::FirstParty } else { Source::Mention };
                found.push(Named { name, spans: vec![span], source, registered: false });
            }
        }
    }
    found
}

/// The capitals that end the row above: the first part of a name broken over two rows.
fn name_above(reading: &Reading, at: usize) -> String {
    let Some(above) = at.checked_sub(1).map(|above| &reading.sheet.rows[above]) else {
        return String::new();
    };
    let capital = |text: &str| text.starts_with(char::is_uppercase) && !text.ends_with([',', '.']);
    let words = above.tokens.iter().rev().take(4).map(|token| token.text.as_str());
    let mut words: Vec<&str> = words.take_while(|text| capital(text)).collect();
    words.reverse();
    if above.tokens.len() < 9 { String::new() } else { words.join(" ") }
}

/// What stands behind a label that announces the issuer.
fn labelled(reading: &Reading) -> Vec<Named> {
    let found = words::candidates(reading, &[Concept::Vendor], Wanted::Organisation);
    let name = |candidate: Candidate| {
        let (mut name, registered) = tidy(&candidate.printed);
        let mut spans = candidate.spans;
        // `Supplier Ltd`: a form of companies alone goes with the word before it.
        if lone_form(&name) && spans[0].from > 0 {
            let from = spans[0].from - 1;
            spans[0].from = from;
            name = tidy(&reading.sheet.text(spans[0])).0;
        }
        let source = Source::Label(candidate.signs.label);
        Named { name, spans, source, registered }
    };
    found.into_iter().map(name).filter(|named| !named.name.is_empty()).collect()
}

/// Whether the document is running text: a contract or a letter names its parties inside it.
fn is_prose(reading: &Reading) -> bool {
    let rows = || reading.sheet.rows.iter().take(MENTION_ROWS);
    let long = rows().filter(|row| row.tokens.len() >= 9).count();
    long >= 4 && long * 3 >= rows().count()
}

/// A name broken over rows of the same size, up to the one with the legal form.
fn with_continuation(reading: &Reading, span: Span) -> (Vec<Span>, String) {
    let sheet = &reading.sheet;
    let mut spans = vec![span];
    let mut text = sheet.text(span);
    let first = sheet.place(span);
    if legal_form(&text) || text.contains(|letter: char| letter.is_ascii_digit()) {
        return (spans, text);
    }
    let mut last = first;
    for down in span.row + 1..(span.row + 3).min(sheet.rows.len()) {
        let row = &sheet.rows[down];
        let column = row.cells().into_iter().map(|(from, to)| Span { row: down, from, to });
        let under = column.into_iter().find(|cell| {
            let place = sheet.place(*cell);
            place.x < last.right() && last.x < place.right()
        });
        let Some(cell) = under.filter(|_| row.page == sheet.row(span).page) else { break };
        let place = sheet.place(cell);
        let alike = (place.h / first.h.max(1e-3) - 1.0).abs() < 0.3;
        let near = place.y - last.bottom() < 1.2 * first.h;
        let piece = sheet.text(cell);
        let shouted = |text: &str| !text.contains(char::is_lowercase);
        let form = shouted(&text) == shouted(&piece) || lone_form(&piece) || is_tail(&piece);
        if !alike || !near || !form || busy(row, cell) || words::labelled(reading, cell) {
            break;
        }
        let unfinished = text.trim_end().ends_with(['&', '+']) || wrapped(sheet, last, cell);
        spans.push(cell);
        text = format!("{text} {piece}");
        last = place;
        let open = piece.matches(')').count() > piece.matches('(').count();
        let tail = lone_form(&piece) || is_tail(&piece) || is_generic(&piece);
        if tail || legal_form(&piece) && (open || unfinished) {
            return (spans, text);
        }
        if unfinished {
            return (spans, text);
        }
    }
    (vec![span], sheet.text(span))
}

/// Whether the first word of a cell would not have fitted behind the row above: then it goes on.
fn wrapped(sheet: &Sheet, above: page::Rect, cell: Span) -> bool {
    let page = sheet.row(cell).page;
    let rows = sheet.rows.iter().filter(|row| row.page == page);
    let (left, right) = rows.fold((f32::MAX, f32::MIN), |(left, right), row| {
        (left.min(row.place.x), right.max(row.place.right()))
    });
    let word = sheet.tokens(cell)[0].place;
    above.w + 0.4 * word.h + word.w > 0.97 * (right - left)
}
