//! The text that a document carries, and whether it may be believed.

use page::{PageText, Word};
use serde::{Deserialize, Serialize};

/// The text layer of a page, with what is needed to judge it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Layer {
    pub text: PageText,
    /// Share of the page covered by pictures, 0 to 1.
    pub pictures: f32,
    /// Share of the glyphs that are drawn invisibly: the OCR of whoever scanned the page.
    pub invisible: f32,
    /// Share of the glyphs whose font does not say which letter they are.
    pub unmapped: f32,
}

/// Why a page should be read by OCR although it carries text.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Doubt {
    #[error("there is no text")]
    NoText,
    #[error("only {words} words beside pictures that cover {percent} % of the page")]
    Scan { words: usize, percent: u8 },
    #[error("{percent} % of the letters are not readable characters")]
    Garbage { percent: u8 },
    #[error("{percent} % of the words do not look like words")]
    Unlikely { percent: u8 },
}

/// From here on pictures are the page and not an ornament.
const PICTURE_PAGE: f32 = 0.6;
/// A scan carries a stamp, a header, a signature line: fewer words than this.
const STAMP: usize = 40;
/// An OCR layer under a scan is short only when the page is.
const STAMP_INVISIBLE: usize = 15;
const GARBAGE: f32 = 0.05;
const UNLIKELY: f32 = 0.3;
/// With fewer words the share says nothing.
const ENOUGH_WORDS: usize = 8;

impl Layer {
    /// Whether the text may be used as it is, without OCR.
    pub fn reliable(&self) -> Result<(), Doubt> {
        let words = &self.text.words;
        if words.is_empty() {
            return Err(Doubt::NoText);
        }
        let garbage = garbage(words).max(self.unmapped);
        if garbage > GARBAGE {
            return Err(Doubt::Garbage { percent: percent(garbage) });
        }
        let stamp = if self.invisible > 0.5 { STAMP_INVISIBLE } else { STAMP };
        if self.pictures >= PICTURE_PAGE && words.len() < stamp {
            return Err(Doubt::Scan { words: words.len(), percent: percent(self.pictures) });
        }
        let unlikely = unlikely(words);
        if unlikely > UNLIKELY {
            return Err(Doubt::Unlikely { percent: percent(unlikely) });
        }
        Ok(())
    }
}

fn percent(share: f32) -> u8 {
    (share * 100.0).round().clamp(0.0, 100.0) as u8
}

/// Share of characters that no reader can mean.
fn garbage(words: &[Word]) -> f32 {
    let letters = || words.iter().flat_map(|word| word.text.chars());
    let bad = |c: &char| {
        matches!(c, '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..) || c.is_control()
    };
    letters().filter(bad).count() as f32 / letters().count().max(1) as f32
}

/// Share of the longer Latin words that nobody could pronounce; or of lonely letters, when letters
/// were not joined to words.
fn unlikely(words: &[Word]) -> f32 {
    let judged: Vec<&str> = words.iter().map(|word| word.text.as_str()).filter(is_long).collect();
    let odd = judged.iter().filter(|word| !pronounceable(word)).count();
    let lonely = words.iter().filter(|word| is_lonely(&word.text)).count();
    let share = |count: usize, of: usize| {
        if of < ENOUGH_WORDS { 0.0 } else { count as f32 / of as f32 }
    };
    // Half of the words of an honest table may be single letters.
    share(odd, judged.len()).max(share(lonely, words.len()) - 0.4)
}

fn is_long(word: &&str) -> bool {
    word.chars().count() >= 4 && word.chars().all(is_latin)
}

fn is_lonely(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

fn is_latin(c: char) -> bool {
    c.is_alphabetic() && c < '\u{250}'
}

/// A vowel at least every five letters, no letter three times in a row, and capitals only in
/// front or throughout.
fn pronounceable(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let consonants = letters.split(|c| is_vowel(*c)).map(<[char]>::len).max().unwrap_or(0);
    let repeated = letters.windows(3).any(|three| three.iter().all(|c| *c == three[0]));
    let switches = letters.windows(2).filter(|two| two[0].is_lowercase() && two[1].is_uppercase());
    consonants <= 5 && consonants < letters.len() && !repeated && switches.count() <= 1
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'A' | 'E' | 'I' | 'O' | 'U' | 'Y')
        || matches!(c, 'À'..='Æ' | 'È'..='Ï' | 'Ò'..='Ö' | 'Ù'..='Ý')
        || matches!(c, 'à'..='æ' | 'è'..='ï' | 'ò'..='ö' | 'ù'..='ÿ' | 'ø' | 'Ø' | 'œ' | 'Œ')
}

#[cfg(test)]
mod tests {
    use page::{PageText, Rect, Source, Word};

    use super::{Doubt, Layer};

    fn layer(text: &str) -> Layer {
        let word =
            |text: &str| Word { text: text.to_owned(), place: Rect::default(), confidence: 1.0 };
        let words = text.split(' ').filter(|word| !word.is_empty()).map(word).collect();
        let (width, height) = (595.0, 842.0);
        let text = PageText { width, height, source: Source::TextLayer, turned: 0, words };
        Layer { text, pictures: 0.0, invisible: 0.0, unmapped: 0.0 }
    }

    const INVOICE: &str = "Factura Nº 2024/113 Fecha 12/03/2024 Cliente Construcciones Gómez S.L. \
        CIF B12345678 Base imponible 1.250,00 IVA 21 % 262,50 Total factura 1.512,50 € Transferencia";

    #[test]
    fn an_invoice_is_believed() {
        assert_eq!(layer(INVOICE).reliable(), Ok(()));
        assert_eq!(layer("").reliable(), Err(Doubt::NoText));
    }

    #[test]
    fn a_stamp_on_a_scan_is_not_the_page() {
        let scan = Layer { pictures: 0.97, ..layer(INVOICE) };
        assert_eq!(scan.reliable(), Err(Doubt::Scan { words: 23, percent: 97 }));
        let searchable = Layer { invisible: 1.0, ..scan };
        assert_eq!(searchable.reliable(), Ok(()));
    }

    #[test]
    fn letters_without_names_are_garbage() {
        let private = layer("\u{e012}\u{e013}\u{e014} Total \u{fffd}\u{fffd}");
        assert_eq!(private.reliable(), Err(Doubt::Garbage { percent: 50 }));
        let unmapped = Layer { unmapped: 0.8, ..layer(INVOICE) };
        assert_eq!(unmapped.reliable(), Err(Doubt::Garbage { percent: 80 }));
    }

    #[test]
    fn a_shifted_alphabet_is_found() {
        // Every letter three further, as fonts with a false encoding give.
        let shift = |c: char| {
            if c.is_ascii_alphabetic() { char::from(c as u8 + 3) } else { c }
        };
        let prose = "Mediante este contrato las partes acuerdan ceder derechos sobre todas \
            estas obras durante cinco años contados desde aquella firma";
        let shifted: String = prose.chars().map(shift).collect();
        assert_eq!(layer(prose).reliable(), Ok(()));
        assert!(matches!(layer(&shifted).reliable(), Err(Doubt::Unlikely { .. })));
    }
}
