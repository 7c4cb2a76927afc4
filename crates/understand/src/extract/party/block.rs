//! What stands around a name: an address below it, a customer's heading above it, ways to reach it.

use super::super::labels::Label;
use super::super::lexicon::Concept;
use super::super::reading::Reading;
use super::super::sheet::{Row, Span};
use super::names::{OTHER, listed, of_address};

/// Whether what stands right below is where somebody is reached: an address, a telephone, a tax id.
pub(super) fn heads_address(reading: &Reading, span: Span) -> bool {
    let sheet = &reading.sheet;
    let place = sheet.place(span);
    let below = sheet.rows.iter().enumerate().skip(span.row + 1).take(2);
    let cells = below.flat_map(|(at, row)| {
        row.cells().into_iter().map(move |(from, to)| Span { row: at, from, to })
    });
    let near = |cell: &Span| {
        let under = sheet.place(*cell);
        let column = under.x < place.right() && place.x < under.right();
        column && under.y - place.bottom() < 2.0 * place.h.max(sheet.letter(span.row))
    };
    let reached = |cell: Span| {
        let named = |label: &Label| {
            label.span.overlaps(cell)
                && (label.announces(Concept::TaxId) > 0.0
                    || label.announces(Concept::Address) > 0.0)
        };
        street(reading, cell) || reading.labels.iter().any(named)
    };
    cells.filter(near).take(2).any(reached)
}

/// Whether a cell is a line of an address.
pub(super) fn street(reading: &Reading, cell: Span) -> bool {
    let tokens = reading.sheet.tokens(cell);
    let number = tokens.iter().any(|token| token.text.bytes().any(|byte| byte.is_ascii_digit()));
    let word = tokens.iter().any(|token| of_address(&token.folded));
    tokens.len() < 10 && (number && word || postal(&reading.sheet.text(cell)))
}

/// Whether a line of an address stands right above: then it goes on here.
pub(super) fn follows_street(reading: &Reading, span: Span) -> bool {
    let sheet = &reading.sheet;
    let Some(above) = span.row.checked_sub(1) else { return false };
    let place = sheet.place(span);
    let cells = sheet.rows[above].cells().into_iter();
    cells.map(|(from, to)| Span { row: above, from, to }).any(|cell| {
        let over = sheet.place(cell);
        let column = over.x < place.right() && place.x < over.right();
        column && place.y - over.bottom() < 1.5 * place.h && street(reading, cell)
    })
}

/// Whether a text holds a postal code: five digits with a name beside them.
pub(super) fn postal(text: &str) -> bool {
    let five = |word: &str| {
        let word = word.trim_matches([',', '.']);
        let digits = |part: &str, count: usize| {
            part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let parted = word.split_once('-').is_some_and(|(a, b)| digits(a, 4) && digits(b, 3));
        digits(word, 5) || parted
    };
    let name = |word: &str| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    text.split_whitespace().any(five) && text.split_whitespace().any(name)
}

/// Whether a row of bare words of the same size stands right above.
pub(super) fn follows_name(reading: &Reading, span: Span) -> bool {
    let sheet = &reading.sheet;
    let Some(above) = span.row.checked_sub(1) else { return false };
    let place = sheet.place(span);
    let mut cells = sheet.rows[above].cells().into_iter();
    cells.any(|(from, to)| {
        let cell = Span { row: above, from, to };
        let over = sheet.place(cell);
        let alike = (over.h / place.h.max(1e-3) - 1.0).abs() < 0.35;
        let near = place.y - over.bottom() < 1.5 * place.h;
        let letters = sheet.text(cell).chars().filter(|letter| letter.is_alphabetic()).count();
        let column = over.x < place.right() && place.x < over.right();
        alike && near && column && letters > 3 && !busy(&sheet.rows[above], cell)
    })
}

pub(super) fn busy(row: &Row, cell: Span) -> bool {
    row.tokens[cell.from..cell.to].iter().any(|token| {
        let digits = token.text.bytes().filter(u8::is_ascii_digit).count();
        of_address(&token.folded) || listed(OTHER, &token.folded) || digits > 2
    })
}

/// Whether a label for the customer governs this place.
pub(super) fn in_customer_block(reading: &Reading, span: Span) -> bool {
    let place = reading.sheet.place(span);
    let letter = reading.sheet.letter(span.row);
    let governs = |label: &Label| {
        let strength = label.announces(Concept::Customer);
        let head = reading.sheet.place(label.span);
        let same = label.span.row == span.row && label.span.from <= span.from;
        let above = label.span.row < span.row
            && reading.sheet.row(label.span).page == reading.sheet.row(span).page
            && place.y - head.bottom() < 6.0 * letter
            && place.x < head.right() + 2.0 * letter
            && head.x < place.right();
        strength > 0.5 && (same || above)
    };
    reading.labels.iter().any(governs)
}

/// Whether a cell says how to reach somebody: a tax id, a telephone, mail, a site, an account.
pub(super) fn reached(reading: &Reading, cell: Span) -> bool {
    const WAYS: &str = "\
        tel telf tlf tfno telefono telefone telef phone fax mobile movil email mail web registro \
        rcs iban bic siret siren capital ape";
    let tokens = reading.sheet.tokens(cell);
    let way = |text: &str, folded: &str| {
        let lower = text.to_ascii_lowercase();
        listed(WAYS, folded)
            || lower.contains('@')
            || lower.contains("www")
            || lower.contains("http")
    };
    let taxed = |label: &Label| label.span.overlaps(cell) && label.announces(Concept::TaxId) > 0.0;
    tokens.iter().any(|token| way(&token.text, &token.folded)) || reading.labels.iter().any(taxed)
}
