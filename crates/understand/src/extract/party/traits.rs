//! What is seen of a name that may be the issuer's, as numbers for the ranker.

use super::block::{
    follows_name, follows_street, heads_address, in_customer_block, postal, reached,
};
use super::names::{LEGAL, OTHER, TRADES, legal_form, listed, of_address};
use super::{Named, ROWS};
use crate::extract::reading::Reading;
use crate::extract::sheet::Span;
use crate::extract::text::fold;

/// Numbers per name: see [`Seen::traits`].
pub const TRAITS: usize = 30;

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// A cell of the letterhead or the footer.
    Top,
    /// The first part of a line that goes on with an address.
    Line,
    /// Behind a label, which announces it so strongly.
    Label(f32),
    /// Inside running text.
    Mention,
    /// The first in the running text of a contract.
    FirstParty,
}

/// What the whole document says, looked up once.
pub(super) struct Seen<'r> {
    reading: &'r Reading,
    prose: bool,
    rows: Vec<String>,
    /// Addresses of mail and of the web, folded.
    sites: Vec<String>,
    /// Places that head an address and are not the customer's.
    heads: Vec<Span>,
    /// The row of the first name, and how large the largest is printed.
    first: usize,
    largest: f32,
}

impl<'r> Seen<'r> {
    pub(super) fn new(reading: &'r Reading, found: &[Named], prose: bool) -> Self {
        let tokens = reading.sheet.rows.iter().flat_map(|row| &row.tokens);
        let site = |text: &str| {
            let text = text.to_ascii_lowercase();
            text.contains('@') || text.contains("www") || text.contains("http")
        };
        let sites = tokens.filter(|token| site(&token.text)).map(|token| token.folded.clone());
        let mut heads: Vec<Span> = Vec::new();
        for named in found {
            let first = named.spans[0];
            let own = !in_customer_block(reading, first) && !follows_street(reading, first);
            let last = *named.spans.last().unwrap_or(&first);
            if own && !heads.contains(&first) && heads_address(reading, last) {
                heads.push(first);
            }
        }
        let rows = reading.sheet.rows.iter().map(|row| fold(&row.text)).collect();
        let plain = || found.iter().filter(|named| named.source == Source::Top);
        let first = plain().map(|named| named.spans[0].row).min().unwrap_or_default();
        let heights = plain().map(|named| reading.sheet.place(named.spans[0]).h);
        let largest = heights.fold(0.0, f32::max);
        Self { reading, prose, rows, sites: sites.collect(), heads, first, largest }
    }

    pub(super) fn traits(&self, named: &Named) -> [f32; TRAITS] {
        let sheet = &self.reading.sheet;
        let first = named.spans[0];
        let last = *named.spans.last().unwrap_or(&first);
        let name = &named.name;
        let words: Vec<String> =
            name.split_whitespace().map(fold).filter(|word| !word.is_empty()).collect();
        let share_of = |met: &dyn Fn(&str) -> bool| {
            let count = words.iter().filter(|word| met(word)).count() as f32;
            (count / words.len().max(1) as f32 * 2.0).min(1.0)
        };
        let share = |list: &str| share_of(&|word| listed(list, word));
        let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
        let digits = name.chars().filter(char::is_ascii_digit).count();
        let legal = legal_form(name);
        let inside = follows_street(self.reading, first);
        let heads = !inside && heads_address(self.reading, last);
        let customer = in_customer_block(self.reading, first);
        let top = first.row < ROWS;
        let size = sheet.place(first).h / sheet.letter(first.row).max(1e-3);
        let (label, mention) = match named.source {
            Source::Label(strength) => (strength, 0.0),
            Source::Mention | Source::FirstParty => (0.0, 1.0),
            Source::Top | Source::Line => (0.0, 0.0),
        };
        let yes = |it: bool| f32::from(u8::from(it));
        let mixed = words.iter().any(|word| {
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            digits > 0 && digits < word.len()
        });
        [
            1.0,
            yes(legal),
            yes(!legal && share(TRADES) > 0.0),
            (size - 1.0).clamp(-0.5, 1.5),
            if top { 1.0 - first.row as f32 / ROWS as f32 } else { 0.0 },
            (1.0 - 2.0 * sheet.depth(first.row)).clamp(-1.0, 1.0),
            yes(heads),
            self.contacts(last),
            yes(self.has_site(&words)),
            yes(self.repeated(named)),
            yes(customer),
            share_of(&of_address),
            share(OTHER),
            (digits as f32 / letters.max(1) as f32 * 3.0).min(1.0),
            yes(inside),
            label,
            mention,
            yes(named.source == Source::FirstParty),
            yes(legal && named.spans.len() == 1 && follows_name(self.reading, first)),
            yes(named.spans.len() > 1),
            yes(named.registered),
            yes(!top && mention == 0.0),
            yes(heads && !customer && self.heads.len() == 1),
            yes(postal(name) || mixed),
            yes(self.prose && !legal),
            yes(named.source == Source::Line),
            yes(named.source == Source::Top && first.row == self.first),
            yes(top && sheet.place(first).h >= 0.95 * self.largest),
            yes(self.registered_below(last)),
            yes(!name.contains(char::is_uppercase)),
        ]
    }

    /// Ways to reach somebody in the rows below, in the same column: who sends an invoice says how
    /// to reach him, who gets it does not.
    fn contacts(&self, span: Span) -> f32 {
        let sheet = &self.reading.sheet;
        let place = sheet.place(span);
        let letter = sheet.letter(span.row);
        let mut count = 0;
        for (at, row) in sheet.rows.iter().enumerate().skip(span.row).take(8) {
            if row.page != sheet.row(span).page || row.place.y - place.bottom() > 9.0 * letter {
                break;
            }
            for (from, to) in row.cells() {
                let cell = Span { row: at, from, to };
                let under = sheet.place(cell);
                let column = under.x < place.right() && place.x < under.right();
                count += usize::from(column && reached(self.reading, cell));
            }
        }
        count.min(3) as f32 / 3.0
    }

    /// Whether the row below is the number under which somebody is registered.
    fn registered_below(&self, span: Span) -> bool {
        let Some(below) = self.rows.get(span.row + 1) else { return false };
        let digits = below.bytes().filter(u8::is_ascii_digit).count();
        let named = ["reg", "roc", "company", "gst", "cif", "nif", "siret", "vat", "abn", "rfc"];
        (5..=16).contains(&digits)
            && (below.len() <= digits + 2 || named.iter().any(|word| below.contains(word)))
    }

    /// Whether the address of a site or of mail carries the name.
    fn has_site(&self, words: &[String]) -> bool {
        let plain = |word: &&String| {
            word.len() > 3 && ![TRADES, OTHER, LEGAL].iter().any(|l| listed(l, word))
        };
        words.iter().find(plain).is_some_and(|word| self.sites.iter().any(|s| s.contains(word)))
    }

    /// Whether the name is printed again elsewhere.
    fn repeated(&self, named: &Named) -> bool {
        let key = fold(&named.name);
        let own = |at: usize| named.spans.iter().any(|span| span.row == at);
        let mut others = self.rows.iter().enumerate().filter(|(at, _)| !own(*at));
        key.len() > 5 && others.any(|(_, text)| text.contains(&key))
    }
}

/// Independent facts for a name, from its traits.
pub(super) fn support(traits: &[f32; TRAITS]) -> f32 {
    0.6 * (traits[6] + traits[7] + traits[8] + traits[9]) + 1.2 * traits[15]
}

/// Facts against a name, from its traits.
pub(super) fn against(traits: &[f32; TRAITS]) -> f32 {
    traits[10] + 0.6 * traits[23]
}
