//! Which of the printed days is the one that is asked for.

use jiff::civil::Date;

use super::lexicon::Concept;
use super::money::{Money, Sense};
use super::order;
use super::reading::{Candidate, Reading};
use super::value::Normalised;

/// The candidates for a date announced by any of the concepts, one per day.
pub(super) fn candidates(reading: &Reading, wanted: &[Concept]) -> Vec<Candidate> {
    let mut found: Vec<(Date, Candidate)> = Vec::new();
    let issue = wanted.contains(&Concept::IssueDate);
    for (span, day) in &reading.days {
        let (label, other) = reading.contest(*span, wanted, Concept::is_day);
        let told = issue && other <= 0.3 && behind_number(reading, *span);
        let label = if told { label.max(0.85) } else { label };
        let timed = issue && beside_time(reading, *span);
        let plausible = plausible(day.date, reading.today, wanted);
        let contested = (other - label).max(0.0);
        // A nearer label for another day takes the value away from this one.
        let claimed = contested > 0.05;
        let label = if claimed { 0.3 * label } else { label };
        let top = if issue { 0.2 * (1.0 - reading.sheet.depth(span.row)) } else { 0.0 };
        let score = 1.5 * label - 1.2 * contested - if claimed { 0.8 } else { 0.0 }
            + if timed { 0.5 } else { 0.0 }
            + if plausible { 0.3 } else { -1.0 }
            + top
            + 0.5 * day.certainty;
        let mut candidate = reading.candidate(Normalised::Date(day.date), *span, score);
        let text = &reading.sheet.row(*span).text;
        text[day.bytes.clone()].clone_into(&mut candidate.printed);
        candidate.signs.label = label;
        candidate.signs.certainty = day.certainty;
        candidate.signs.support = if timed { 0.7 } else { 0.0 };
        let open = if day.swapped.is_some() { reading.order_doubt } else { 0.0 };
        candidate.signs.against = contested.min(1.0) + open + if plausible { 0.0 } else { 1.0 };
        match found.iter_mut().find(|(date, _)| *date == day.date) {
            Some((_, known)) => agree(known, candidate),
            None => found.push((day.date, candidate)),
        }
    }
    if issue && found.len() == 1 {
        // A till prints the day of the sale and hardly ever another.
        let paid = |money: &Money| matches!(money.sense, Sense::Cash | Sense::Change | Sense::Card);
        let till = reading.money.iter().any(paid);
        found[0].1.signs.support += if till { 1.0 } else { 0.7 };
    }
    if issue {
        let due: Vec<Date> = announced(reading, Concept::DueDate);
        for (date, candidate) in &mut found {
            let payable = due.iter().any(|due| due != date && order::usual(*date, *due));
            candidate.signs.support += if payable { 0.5 } else { 0.0 };
            let carried = order::carried(&reading.sheet, *date);
            candidate.signs.support += if carried { 0.5 } else { 0.0 };
        }
    }
    let keep = |candidate: &Candidate| issue || candidate.signs.label > 0.2;
    found.into_iter().map(|(_, candidate)| candidate).filter(keep).collect()
}

/// The days that a label plainly announces.
fn announced(reading: &Reading, concept: Concept) -> Vec<Date> {
    let told = |span| reading.contest(span, &[concept], Concept::is_day).0 > 0.6;
    reading.days.iter().filter(|(span, _)| told(*span)).map(|(_, day)| day.date).collect()
}

/// The same day printed again: the better place speaks, the other supports.
fn agree(known: &mut Candidate, again: Candidate) {
    let support = known.signs.support.max(again.signs.support) + 0.7;
    let mut spans = known.spans.clone();
    spans.extend(&again.spans);
    if again.score > known.score {
        *known = again;
    }
    known.score += 0.3;
    known.signs.support = support.min(2.0);
    spans.dedup();
    spans.truncate(4);
    known.spans = spans;
}

/// `Factura 2024-17 de 5 de marzo de 2024`: the day that follows the number of the document, with at
/// most a short word between.
fn behind_number(reading: &Reading, span: super::sheet::Span) -> bool {
    let row = reading.sheet.row(span);
    reading.labels.iter().any(|label| {
        let before = label.span.row == span.row && label.span.to < span.from;
        if !before || label.announces(Concept::Number) < 0.55 {
            return false;
        }
        let between = &row.tokens[label.span.to..span.from];
        let code = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        let codes = between.iter().filter(|token| code(&token.text)).count();
        let words = between.iter().filter(|token| !code(&token.text) && token.folded.len() > 5);
        codes == 1 && between.len() <= 5 && words.count() == 0
    })
}

fn plausible(date: Date, today: Date, wanted: &[Concept]) -> bool {
    let (past, future) = if wanted.contains(&Concept::BirthDate) {
        (120, 0)
    } else if wanted.contains(&Concept::IssueDate) {
        (20, 0)
    } else {
        (60, 60)
    };
    let years = i32::from(date.year()) - i32::from(today.year());
    // Clocks of tills and time zones differ: a day of grace.
    let tomorrow = today.tomorrow().unwrap_or(today);
    years >= -past && (years <= future && (future > 0 || date <= tomorrow))
}

/// Whether a time of day stands beside the date: then it says when something happened.
fn beside_time(reading: &Reading, span: super::sheet::Span) -> bool {
    let row = reading.sheet.row(span);
    let from = span.from.saturating_sub(2);
    let to = (span.to + 3).min(row.tokens.len());
    row.tokens[from..to].iter().any(|token| is_time(&token.text))
        || row.text.contains("TIME")
        || row.text.contains("Time")
}

/// `18:26`, `8:53:27`, also with a date or `PM` run into it.
fn is_time(text: &str) -> bool {
    let Some((hour, rest)) = text.split_once(':') else { return false };
    let tail = hour.bytes().rev().take_while(u8::is_ascii_digit).take(2).count();
    let hour = &hour.as_bytes()[hour.len() - tail..];
    let number =
        |digits: &[u8]| digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let minute: Vec<u8> = rest.bytes().take(2).filter(u8::is_ascii_digit).collect();
    tail > 0 && number(hour) < 25 && minute.len() == 2 && number(&minute) < 60
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_known() {
        for text in ["18:26", "8:53:27", "08:53PM", "201909:44"] {
            assert!(is_time(text), "{text}");
        }
        for text in ["EXPEDICIÓN", "A:B", "12:", ":30", "99:10", "12:99", "Ó:10"] {
            assert!(!is_time(text), "{text}");
        }
    }
}
