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
    /// The page looks like the first of a document.
    pub starts: bool,
}

const LINE_LIMIT: usize = 400;

/// Reads the evidence of a page.
pub fn first_page_evidence(page: &PageText) -> Evidence {
    let lines: Vec<Printed> =
        page.lines().iter().take(LINE_LIMIT).map(|line| Printed::of(page, line)).collect();
    let page_number = lines.iter().find_map(numbered).or_else(|| bare_number(page, &lines));
    let identity =
        mrz_number(page).or_else(|| invoice_number(&lines)).or_else(|| holder_number(&lines));
    let starts = match page_number {
        Some((number, _)) => number == 1,
        None => opens(page, &lines),
    };
    Evidence { page_number, identity, starts }
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

fn invoice_number(lines: &[Printed]) -> Option<String> {
    const SUBJECTS: [&str; 9] =
        ["factura", "invoice", "facture", "inv", "fra", "receipt", "ticket", "bill", "document"];
    const MARKS: [&str; 13] =
        ["n", "no", "num", "numero", "number", "nº", "n°", "ref", "de", "la", "nr", "#", "id"];
    for (at, line) in lines.iter().enumerate() {
        let Some(subject) = line.plain.iter().position(|w| SUBJECTS.contains(&w.as_str())) else {
            continue;
        };
        let marked = |w: &String| w.is_empty() || MARKS.contains(&w.as_str());
        let after = line.plain[subject + 1..].iter().take_while(|w| marked(w)).count();
        let value = subject + 1 + after;
        if let Some(found) = line.words.get(value).and_then(|word| numberlike(word)) {
            return Some(found);
        }
        // The label stands above its value: look at the same word of the next line.
        let labelled = after > 0 || subject > 0 && marked(&line.plain[subject - 1]);
        if labelled
            && value >= line.words.len()
            && let Some(found) = lines
                .get(at + 1)
                .and_then(|next| next.words.iter().find_map(|word| numberlike(word)))
        {
            return Some(found);
        }
    }
    None
}

/// Capital letters and digits of a word that numbers a document: not a date, not an amount.
fn numberlike(word: &str) -> Option<String> {
    let plain: String =
        word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let amount = word.len() > 3
        && word.as_bytes()[word.len() - 3..]
            .iter()
            .enumerate()
            .all(|(n, b)| if n == 0 { matches!(b, b'.' | b',') } else { b.is_ascii_digit() });
    let parts: Vec<&str> = word.split(['/', '-', '.']).collect();
    let date = parts.len() == 3
        && parts
            .iter()
            .all(|p| matches!(p.len(), 1 | 2 | 4) && p.bytes().all(|b| b.is_ascii_digit()));
    (digits >= 2 && plain.len() >= 3 && plain.len() <= 30 && !amount && !date).then_some(plain)
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
