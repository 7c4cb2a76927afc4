//! What a page says about the document it belongs to: its number, its owner, whether it opens.

use page::{Line, PageText};
use serde::{Deserialize, Serialize};

use super::features::fold;

/// What grouping needs to know of a page, whatever its type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// "Page 2 of 3", "2/3", "- 2 -".
    pub page_number: Option<(u32, Option<u32>)>,
    /// What names this document: an invoice number, the number in a machine readable zone, the
    /// identity number of a holder. Capital letters and digits only.
    pub identity: Option<String>,
    /// Whether that is the document's own number: a holder may have many documents.
    pub numbered: bool,
    /// What may be its number: it stands behind the name of the document without a word that says
    /// so ("Factura 7").
    pub maybe: Option<String>,
    /// The digits of the last total on the page.
    pub total: Option<String>,
    /// The name of a kind of document stands where documents begin.
    pub heading: bool,
    /// The page looks like the first of a document.
    pub starts: bool,
}

const LINE_LIMIT: usize = 400;

/// Reads the evidence of a page.
pub fn first_page_evidence(page: &PageText) -> Evidence {
    let lines: Vec<Printed> =
        page.lines().iter().take(LINE_LIMIT).map(|line| Printed::of(page, line)).collect();
    let page_number = lines.iter().find_map(numbered).or_else(|| bare_number(page, &lines));
    let (sure, maybe) = own_number(&lines);
    let number = mrz_number(page).or(sure);
    let numbered = number.is_some();
    let identity = number.or_else(|| holder_number(&lines));
    let heading = opens(page, &lines);
    let starts = match page_number {
        Some((number, _)) => number == 1,
        None => heading,
    };
    let total = total(&lines);
    Evidence { page_number, identity, numbered, maybe, total, heading, starts }
}

/// Whether the line belongs to a machine readable zone: long, capitals, digits and fillers.
pub(super) fn mrz_like(page: &PageText, line: &Line) -> bool {
    let text: String = line.words.iter().map(|word| page.words[*word].text.as_str()).collect();
    let fillers = text.bytes().filter(|b| *b == b'<').count();
    let fitting = text.bytes().filter(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
    (24..=48).contains(&text.len()) && fillers >= 2 && fillers + fitting + 2 >= text.len()
}

struct Printed {
    /// Lower case without accents, one word each.
    plain: Vec<String>,
    words: Vec<String>,
    y: f32,
    height: f32,
}

impl Printed {
    fn of(page: &PageText, line: &Line) -> Self {
        let words: Vec<String> = line.words.iter().map(|w| page.words[*w].text.clone()).collect();
        let plain = |word: &String| {
            let folded: String = word.chars().map(fold).flat_map(char::to_lowercase).collect();
            folded.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
        };
        Self {
            plain: words.iter().map(plain).collect(),
            words,
            y: line.place.y,
            height: line.place.h,
        }
    }
}

fn numbered(line: &Printed) -> Option<(u32, Option<u32>)> {
    const NAMES: [&str; 9] =
        ["pagina", "pag", "page", "hoja", "p", "folio", "sheet", "pg", "pages"];
    for (n, word) in line.plain.iter().enumerate() {
        if !NAMES.contains(&word.as_str()) {
            continue;
        }
        let rest: Vec<&str> = line.plain[n + 1..].iter().map(String::as_str).take(4).collect();
        let rest: Vec<&str> = rest.into_iter().filter(|w| !w.is_empty()).collect();
        if let Some(found) = pair_of(&rest)
            && (word.len() > 1 || found.1.is_some())
        {
            return Some(found);
        }
    }
    None
}

/// `2 de 3`, `2/3`, `2 3` (a lone slash is trimmed away), `2`.
fn pair_of(words: &[&str]) -> Option<(u32, Option<u32>)> {
    let first = words.first()?;
    if let Some((number, total)) = first.split_once(['/', '-']) {
        return sane(small(number)?, small(total));
    }
    let number = small(first)?;
    let total = match words.get(1..) {
        Some(["de" | "of" | "sur" | "from", total, ..] | [total, ..]) => small(total),
        _ => None,
    };
    sane(number, total)
}

fn sane(number: u32, total: Option<u32>) -> Option<(u32, Option<u32>)> {
    (number >= 1).then_some((number, total.filter(|total| *total >= number)))
}

fn small(text: &str) -> Option<u32> {
    (text.len() <= 3).then(|| text.parse().ok()).flatten()
}

/// A number by itself at the very foot or head of the page.
fn bare_number(page: &PageText, lines: &[Printed]) -> Option<(u32, Option<u32>)> {
    let edge = |line: &&Printed| line.y > 0.9 * page.height || line.y < 0.05 * page.height;
    lines.iter().rev().filter(edge).find_map(|line| {
        let words: Vec<&str> =
            line.plain.iter().map(String::as_str).filter(|w| !w.is_empty()).collect();
        match words.as_slice() {
            [only] => {
                let found = pair_of(&[only])?;
                (found.1.is_some() || found.0 < 100).then_some(found)
            }
            [number, "de" | "of" | "sur", total] => sane(small(number)?, Some(small(total)?)),
            _ => None,
        }
    })
}

/// The document number of the lower zone of an identity card or passport.
fn mrz_number(page: &PageText) -> Option<String> {
    let lines = page.lines();
    let zone: Vec<String> = lines
        .iter()
        .filter(|line| mrz_like(page, line))
        .map(|line| line.words.iter().map(|word| page.words[*word].text.as_str()).collect())
        .collect();
    let number = match zone.as_slice() {
        [first, ..] if first.len() <= 32 => first.get(5..14)?,
        [_, second, ..] => second.get(0..9)?,
        _ => return None,
    };
    let number = number.trim_matches('<').to_owned();
    (number.len() >= 5).then_some(number)
}

const SUBJECTS: [&str; 9] =
    ["factura", "invoice", "facture", "inv", "fra", "receipt", "ticket", "bill", "document"];
/// What may stand between the name of a document and its number.
const MARKS: [&str; 12] =
    ["n", "no", "num", "numero", "number", "nº", "º", "ref", "de", "la", "nr", "id"];
/// Those that say that a number follows: behind them one digit is enough.
const SAYS_NUMBER: [&str; 8] = ["n", "no", "num", "numero", "number", "nº", "º", "nr"];
/// The same, written in one with the number.
const GLUED: [&str; 9] = ["n.º", "nº:", "nº", "n.°", "n°", "num.", "no.", "no:", "#"];
/// How far below a heading its number is looked for.
const BELOW: usize = 3;

/// The number of a document, and what may be it.
fn own_number(lines: &[Printed]) -> (Option<String>, Option<String>) {
    let mut maybe = None;
    for (at, line) in lines.iter().enumerate() {
        let Some(subject) = line.plain.iter().position(|w| SUBJECTS.contains(&w.as_str())) else {
            continue;
        };
        let marked = |w: &String| w.is_empty() || MARKS.contains(&bare(w).as_str());
        let after = line.plain[subject + 1..].iter().take_while(|w| marked(w)).count();
        let value = subject + 1 + after;
        let label = &line.plain[subject.saturating_sub(2)..value];
        let told = label.iter().any(|w| says_number(w))
            || line.words[subject..value].iter().any(|w| w.contains('#'));
        match line.words.get(value).and_then(|word| judged(word, told, line.plain.get(value + 1))) {
            Some(Number::Sure(found)) => return (Some(found), None),
            Some(Number::Maybe(found)) => maybe = maybe.or(Some(found)),
            None => {}
        }
        // A table: "Nº factura · Fecha" above "7 · 3/4/2024".
        let column = told && line.plain[..subject].iter().all(marked);
        let first = lines.get(at + 1).filter(|_| column).and_then(|next| next.words.first());
        if let Some(found) = first.and_then(|word| numberlike(word).or_else(|| short(word))) {
            return (Some(found), None);
        }
        if value < line.words.len() {
            continue;
        }
        // The label stands above its value.
        let labelled = after > 0 || subject > 0 && marked(&line.plain[subject - 1]);
        let below = lines
            .get(at + 1)
            .filter(|_| labelled)
            .and_then(|next| next.words.iter().find_map(|word| numberlike(word)));
        let behind = lines.get(at + 1..).unwrap_or_default();
        let below = below.or_else(|| behind.iter().take(BELOW).find_map(numbered_line));
        if below.is_some() {
            return (below, None);
        }
    }
    (None, maybe)
}

/// "Nº 7" at the beginning of a line.
fn numbered_line(line: &Printed) -> Option<String> {
    let marks = line.plain.iter().take_while(|w| w.is_empty() || says_number(w)).count();
    let told = line.plain[..marks].iter().any(|w| says_number(w));
    let word = line.words.get(marks)?;
    match judged(word, told, line.plain.get(marks + 1))? {
        Number::Sure(found) if told || glued(word).is_some() => Some(found),
        Number::Sure(_) | Number::Maybe(_) => None,
    }
}

/// A word without the points inside: "n.º".
fn bare(word: &str) -> String {
    word.chars().filter(|c| *c != '.').collect()
}

fn says_number(word: &str) -> bool {
    SAYS_NUMBER.contains(&bare(word).as_str())
}

fn glued(word: &str) -> Option<&str> {
    let head =
        |mark: &&str| word.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark));
    let mark = GLUED.iter().find(|mark| head(mark))?;
    word.get(mark.len()..).filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

enum Number {
    Sure(String),
    Maybe(String),
}

/// What a word says that stands where a number is expected. A short one is a number when something
/// says so, or when it is a letter with a number ("A-1"); "7" by itself may be anything, and in
/// "7 de 9" it is a place among others.
fn judged(word: &str, told: bool, follower: Option<&String>) -> Option<Number> {
    let (word, told) = glued(word).map_or((word, told), |rest| (rest, true));
    if let Some(found) = numberlike(word) {
        return Some(Number::Sure(found));
    }
    let plain = short(word)?;
    let series = plain.starts_with(|c: char| c.is_ascii_alphabetic())
        && plain.ends_with(|c: char| c.is_ascii_digit());
    if told || series {
        return Some(Number::Sure(plain));
    }
    let counts = follower.is_some_and(|w| matches!(w.as_str(), "de" | "of" | "sur" | "x"));
    (!counts).then_some(Number::Maybe(plain))
}

/// Capital letters and digits of a word that may number a document, however short.
fn short(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '_');
    let plain: String =
        word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let number = (1..=3).contains(&plain.len()) && digits >= 1 && word.chars().all(fits);
    number.then_some(plain)
}

/// Whether a word ends like an amount of money.
fn is_amount(word: &str) -> bool {
    let Some(tail) = word.len().checked_sub(3).and_then(|at| word.as_bytes().get(at..)) else {
        return false;
    };
    word.len() > 3 && matches!(tail[0], b'.' | b',') && tail[1..].iter().all(u8::is_ascii_digit)
}

/// Capital letters and digits of a word that numbers a document: not a date, not an amount.
fn numberlike(word: &str) -> Option<String> {
    let plain: String =
        word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let parts: Vec<&str> = word.split(['/', '-', '.']).collect();
    let date = parts.len() == 3
        && parts
            .iter()
            .all(|p| matches!(p.len(), 1 | 2 | 4) && p.bytes().all(|b| b.is_ascii_digit()));
    let fits = digits >= 2 && plain.len() >= 3 && plain.len() <= 30;
    (fits && !is_amount(word) && !date).then_some(plain)
}

/// The digits of the last total: of two documents each has its own.
fn total(lines: &[Printed]) -> Option<String> {
    lines.iter().rev().find_map(|line| {
        line.plain.iter().position(|w| w == "total")?;
        let mut words = line.words.iter().rev().map(|word| word.trim_end_matches(['€', '$']));
        let amount = words.find(|word| is_amount(word))?;
        Some(amount.chars().filter(char::is_ascii_digit).collect())
    })
}

/// A Spanish identity number that stands by itself: eight digits and a letter, or X, Y, Z.
fn holder_number(lines: &[Printed]) -> Option<String> {
    let words = lines.iter().flat_map(|line| &line.words);
    words.into_iter().find_map(|word| {
        let plain: String =
            word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
        let bytes = plain.as_bytes();
        let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        let person = bytes.len() == 9
            && bytes[8].is_ascii_uppercase()
            && digits(&bytes[1..8])
            && (bytes[0].is_ascii_digit() || matches!(bytes[0], b'X' | b'Y' | b'Z'));
        person.then_some(plain)
    })
}

/// A heading that opens a document stands in the upper part of the page.
fn opens(page: &PageText, lines: &[Printed]) -> bool {
    const HEADINGS: [&str; 22] = [
        "factura",
        "invoice",
        "facture",
        "nomina",
        "payslip",
        "contrato",
        "contract",
        "agreement",
        "recibo",
        "receipt",
        "ticket",
        "passport",
        "pasaporte",
        "documento",
        "dni",
        "identity",
        "albaran",
        "presupuesto",
        "curriculum",
        "resume",
        "extracto",
        "statement",
    ];
    let mut heights: Vec<f32> = lines.iter().map(|line| line.height).collect();
    heights.sort_by(f32::total_cmp);
    let usual = heights.get(heights.len() / 2).copied().unwrap_or_default();
    lines.iter().filter(|line| line.y < 0.45 * page.height).any(|line| {
        let short = line.plain.len() <= 6;
        let heading = line.plain.iter().any(|w| HEADINGS.contains(&w.as_str()));
        heading && (short || line.height > 1.25 * usual)
    })
}
