//! The organisation that issued a document: printed at its top, large, with its legal form.

use super::labels::Label;
use super::lexicon::Concept;
use super::reading::{Candidate, Reading};
use super::sheet::{Row, Span};
use super::text::fold;
use super::value::Normalised;
use super::words::{self, Wanted};

/// Rows from the top of the first page that may hold the name.
const ROWS: usize = 14;
/// Rows in which running text may introduce it.
const MENTION_ROWS: usize = 60;

const LEGAL: &str = "\
    sl sa slu sau sll slp scoop coop cb sdnbhd bhd sb ltd limited plc llp llc inc corp gmbh \
    ag sarl sas sasu eurl lda bv nv srl spa ptyltd pteltd oy ab";
const TRADES: &str = "\
    enterprise trading restaurant restoran restaurante cafe cafeteria shop store market mart \
    supermercado mercado bakery panaderia stationery hardware florist pharmacy farmacia \
    clinic hotel holdings company group grupo bar kedai tienda papeleria ferreteria libreria \
    bookstore centre center services servicios solutions industries international house maker \
    boutique salon bodega asador taller motors foods logistics consulting asesores hermanos \
    brothers hijos furniture supermarket minimarket grocery deli bistro pizzeria gasolinera \
    estacion";
const ADDRESS: &str = "\
    jalan jln lot taman tmn lorong kawasan street st road rd avenue ave calle c cl avda av \
    avenida plaza paseo pza rue boulevard bd kuala selangor johor floor flr level no poligono \
    ctra carretera suite lane drive way unit block seksyen bandar ground ronda camino place \
    allee chemin blvd square estate via travessera rambla strasse platz weg \
    france espana spain portugal italia italy deutschland germany osterreich schweiz suisse \
    belgique etats unis usa uk england ireland kingdom states malaysia singapore mexico";
const OTHER: &str = "\
    invoice factura facture receipt recibo ticket tax cash bill tel fax gst vat nif cif date \
    fecha www http email thank welcome bienvenido gracias original copy copia page pagina \
    nomina payslip simplificada simplified reg roc phone telefono hours invois table cashier \
    total tva siret payroll statement salario salarios pay slip individual justificativo \
    customer cliente no id credit quotation presupuesto albaran description descripcion qty \
    time hora owned guest duplicate reprint sale sales official contract contrato agreement";

fn listed(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|known| known == word)
}

/// Words that go on with a name from the row above and are none alone: `CO. (M) SDN BHD`.
const TAILS: &str =
    "co company cie hijos sons fils hermanos brothers associates asociados and y et e";

/// Whether the text ends in a legal form of companies.
pub(super) fn legal_form(text: &str) -> bool {
    let words: Vec<String> = outside_brackets(text).split_whitespace().map(fold).collect();
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    let tail = |count: usize| words[words.len().saturating_sub(count)..].concat();
    if words.len() < 2 {
        return words.first().is_some_and(|word| word.len() > 8 && word.ends_with("sdnbhd"));
    }
    let named = |count: usize| {
        let (head, _) = words.split_at(words.len() - count);
        head.iter().any(|word| !listed(LEGAL, word) && !listed("sdn pte pty", word))
    };
    [1, 2, 3]
        .into_iter()
        .any(|count| words.len() > count && listed(LEGAL, &tail(count)) && named(count))
        || words.last().is_some_and(|last| last.len() > 6 && last.ends_with("sdnbhd"))
}

fn outside_brackets(text: &str) -> String {
    let mut depth = 0;
    let keep = |letter: &char| {
        match letter {
            '(' => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    text.chars().filter(keep).collect()
}

/// The candidates for the issuer.
pub(super) fn candidates(reading: &Reading) -> Vec<Candidate> {
    let mut found = labelled(reading);
    let first_page = reading.sheet.rows.iter().take_while(|row| row.page == 0).count();
    for at in 0..first_page.min(ROWS) {
        for (from, to) in reading.sheet.rows[at].cells() {
            let span = Span { row: at, from, to };
            found.extend(at_the_top(reading, span));
        }
    }
    let prose = is_prose(reading);
    for title in found.iter_mut().filter(|one| prose && !legal_form(&one.printed)) {
        title.score -= 1.2;
        title.signs.against += 0.6;
    }
    // The second half of a name is no name.
    let halves: Vec<Span> = found.iter().flat_map(|one| one.spans[1..].to_vec()).collect();
    found.retain(|one| one.spans.len() > 1 || !halves.contains(&one.spans[0]));
    found.extend(mentions(reading, prose));
    repeat_supports(reading, &mut found);
    found
}

/// Names with a legal form inside running text, as contracts introduce their parties.
fn mentions(reading: &Reading, prose: bool) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
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
            let known = found.iter().any(|known| known.printed == name);
            if legal_form(&name) && !known {
                let score = 1.2 - 0.1 * found.len() as f32 - 0.4 * reading.sheet.depth(at);
                let mut candidate = reading.candidate(Normalised::Text(name.clone()), span, score);
                candidate.printed = name;
                // The first party of a contract is the company.
                let first = prose && found.is_empty();
                candidate.score += if first { 0.4 } else { 0.0 };
                candidate.signs.label = if first { 0.9 } else { 0.6 };
                candidate.signs.certainty = if first { 0.9 } else { 0.6 };
                found.push(candidate);
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

fn labelled(reading: &Reading) -> Vec<Candidate> {
    let mut found = words::candidates(reading, &[Concept::Vendor], Wanted::Organisation);
    for candidate in &mut found {
        let (name, _) = tidy(&candidate.printed);
        candidate.value = Normalised::Text(name.clone());
        candidate.printed = name;
        candidate.score += 0.6;
        // The label and the legal form each say that it is a company.
        candidate.signs.support += if legal_form(&candidate.printed) { 0.7 } else { 0.0 };
    }
    found
}

/// Whether the document is running text: a contract or a letter names its parties inside it.
fn is_prose(reading: &Reading) -> bool {
    let rows = || reading.sheet.rows.iter().take(MENTION_ROWS);
    let long = rows().filter(|row| row.tokens.len() >= 9).count();
    long >= 4 && long * 3 >= rows().count()
}

fn at_the_top(reading: &Reading, span: Span) -> Option<Candidate> {
    let sheet = &reading.sheet;
    let led = |label: &Label| {
        label.span.row == span.row
            && label.span.from == span.from
            && label.span.to < span.to
            && label.announces(Concept::Vendor) > 0.0
    };
    // What follows its own label is found by it, and a label is no name.
    if reading.labels.iter().any(led) || words::labelled(reading, span) {
        return None;
    }
    let (spans, text) = with_continuation(reading, span);
    let (name, registered) = tidy(&text);
    let words: Vec<String> = name.split_whitespace().map(fold).filter(|w| !w.is_empty()).collect();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = name.chars().filter(char::is_ascii_digit).count();
    if letters < 3 || digits > letters || words.len() > 12 || running_text(&name) {
        return None;
    }
    let of = |list: &str| words.iter().filter(|word| listed(list, word)).count() as f32;
    let legal = legal_form(&name);
    let trade = of(TRADES) > 0.0;
    let customer = in_customer_block(reading, span);
    let inside = follows_street(reading, span);
    let heads = !inside && heads_address(reading, *spans.last().unwrap_or(&span));
    let size = sheet.place(span).h / sheet.letter(span.row);
    let high = 1.0 - sheet.depth(span.row) * 2.0;
    let order = 1.0 - span.row as f32 / ROWS as f32;
    let share = words.len().max(1) as f32;
    let mut score = 0.6 * order + 0.5 * high + 0.5 * (size - 1.0).clamp(-0.5, 1.0);
    score += if legal {
        1.6
    } else if trade {
        0.7
    } else {
        0.0
    };
    score += if registered { 0.5 } else { 0.0 } + if heads { 0.5 } else { 0.0 };
    score -= if postal(&text) { 1.2 } else { 0.0 } + if inside { 0.8 } else { 0.0 };
    score -= 1.2 * (of(ADDRESS) / share * 2.0).min(1.0);
    score -= if legal { 0.5 } else { 1.5 } * (of(OTHER) / share * 2.0).min(1.0);
    score -= 0.6 * (digits as f32 / letters as f32 * 3.0).min(1.0);
    score -= if customer { 2.0 } else { 0.0 };
    score -= if letters < 5 { 0.3 } else { 0.0 };
    let mut candidate = reading.candidate(Normalised::Text(name.clone()), span, score);
    candidate.printed = name;
    candidate.signs.label = if legal {
        0.9
    } else if trade {
        0.5
    } else {
        0.2
    };
    candidate.signs.certainty = (0.5 * order + 0.5 * high).clamp(0.0, 1.0);
    candidate.signs.legible = spans.iter().map(|s| sheet.confidence(*s)).fold(1.0, f32::min);
    candidate.signs.support = if registered { 0.6 } else { 0.0 } + if heads { 0.6 } else { 0.0 };
    candidate.signs.against = if customer { 1.0 } else { 0.0 };
    // The row above may be its first half or another name of the same shop.
    let parted = legal && spans.len() == 1 && follows_name(reading, span);
    let mixed = words.iter().any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        digits > 0 && digits < word.len()
    });
    candidate.signs.against += if parted { 0.8 } else { 0.0 } + if mixed { 0.6 } else { 0.0 };
    candidate.spans = spans;
    Some(candidate)
}

/// Whether the words are those of a sentence: several begin small and others large.
fn running_text(text: &str) -> bool {
    const LINKS: [&str; 16] = [
        "de", "del", "la", "el", "los", "las", "y", "and", "of", "the", "et", "du", "des", "da",
        "do", "und",
    ];
    let small = |word: &&str| word.starts_with(char::is_lowercase) && !LINKS.contains(word);
    let count = text.split_whitespace().filter(small).count();
    count >= 2 && text.contains(char::is_uppercase)
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
        if !alike || !near || busy(row, cell) || words::labelled(reading, cell) {
            break;
        }
        let unfinished = text.trim_end().ends_with(['&', '+']);
        spans.push(cell);
        text = format!("{text} {piece}");
        last = place;
        let open = piece.matches(')').count() > piece.matches('(').count();
        if lone_form(&piece) || is_tail(&piece) || legal_form(&piece) && (open || unfinished) {
            return (spans, text);
        }
        if unfinished {
            return (spans, text);
        }
    }
    (vec![span], sheet.text(span))
}

/// Whether what stands right below is where somebody is reached: an address, a telephone, a tax id.
fn heads_address(reading: &Reading, span: Span) -> bool {
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
fn street(reading: &Reading, cell: Span) -> bool {
    let tokens = reading.sheet.tokens(cell);
    let number = tokens.iter().any(|token| token.text.bytes().any(|byte| byte.is_ascii_digit()));
    let word = tokens.iter().any(|token| listed(ADDRESS, &token.folded));
    tokens.len() < 10 && (number && word || postal(&reading.sheet.text(cell)))
}

/// Whether a line of an address stands right above: then it goes on here.
fn follows_street(reading: &Reading, span: Span) -> bool {
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
fn postal(text: &str) -> bool {
    let five = |word: &str| {
        let word = word.trim_matches([',', '.']);
        word.len() == 5 && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let name = |word: &str| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    text.split_whitespace().any(five) && text.split_whitespace().any(name)
}

/// Whether nothing but a legal form and words that go on with a name is there.
fn is_tail(text: &str) -> bool {
    let bare = outside_brackets(text);
    let words: Vec<String> = bare.split_whitespace().map(fold).filter(|w| !w.is_empty()).collect();
    let first = words.iter().take_while(|word| listed(TAILS, word)).count();
    first > 0 && (first == words.len() || listed(LEGAL, &words[first..].concat()))
}

/// Whether a row of bare words of the same size stands right above.
fn follows_name(reading: &Reading, span: Span) -> bool {
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

/// `SDN BHD` or `S.L.` alone on its row.
fn lone_form(text: &str) -> bool {
    listed(LEGAL, &fold(&outside_brackets(text)))
}

fn busy(row: &Row, cell: Span) -> bool {
    row.tokens[cell.from..cell.to].iter().any(|token| {
        let digits = token.text.bytes().filter(u8::is_ascii_digit).count();
        listed(ADDRESS, &token.folded) || listed(OTHER, &token.folded) || digits > 2
    })
}

/// Whether a label for the customer governs this place.
fn in_customer_block(reading: &Reading, span: Span) -> bool {
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

/// The name without registration numbers; whether there was one.
fn tidy(text: &str) -> (String, bool) {
    let mut name = text.to_owned();
    let mut registered = false;
    // Behind the legal form and a number nothing belongs to the name.
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbered = |word: &str| word.bytes().filter(u8::is_ascii_digit).count() >= 4;
    let cut = (2..words.len()).find(|at| {
        numbered(words[*at]) && !words[*at].starts_with('(') && legal_form(&words[..*at].join(" "))
    });
    if let Some(at) = cut {
        name = words[..at].join(" ");
        registered = true;
    }
    while let Some(open) = name.rfind('(') {
        let inside = &name[open..];
        let digits = inside.bytes().filter(u8::is_ascii_digit).count();
        if digits < 4 {
            break;
        }
        registered = true;
        name.truncate(open);
    }
    // A registration number without brackets; five digits alone are a postal code.
    let number = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        digits >= 4 && !(digits == 5 && word.len() == 5)
    };
    while let Some((rest, _)) = name.trim_end().rsplit_once(' ').filter(|(_, last)| number(last)) {
        registered = true;
        name = rest.to_owned();
    }
    let keep = |letter: char| letter.is_whitespace() || "*:-_=~.,;'\"|<>".contains(letter);
    let front = name.trim_start_matches(keep);
    let end = front.trim_end_matches(|letter: char| keep(letter) && letter != '.');
    (end.split_whitespace().collect::<Vec<_>>().join(" "), registered)
}

/// A name that is printed again, or is inside an e-mail or web address, is the issuer's.
fn repeat_supports(reading: &Reading, found: &mut [Candidate]) {
    let rows: Vec<String> = reading.sheet.rows.iter().map(|row| fold(&row.text)).collect();
    for candidate in found {
        let key = fold(&candidate.printed);
        let first: String = candidate.printed.split_whitespace().take(2).map(fold).collect();
        let own = candidate.spans[0].row;
        let mut others = rows.iter().enumerate().filter(|(at, _)| *at > own).map(|(_, text)| text);
        if key.len() > 5 && others.clone().any(|text| text.contains(&key)) {
            candidate.signs.support += 0.7;
            candidate.score += 0.3;
        } else if first.len() > 6 && others.any(|text| text.contains(&first)) {
            candidate.signs.support += 0.3;
            candidate.score += 0.15;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_forms_end_a_name() {
        for name in [
            "Acme S.L.",
            "MR. D.I.Y. (M) SDN BHD",
            "Panificadora del Sur, S.A.U.",
            "99 SPEED MART S/B (519537-X)",
            "BEMED (SP) SDN. BHD.",
            "Widgets GmbH",
            "ALAM)SDN BHD",
        ] {
            assert!(legal_form(name), "{name}");
        }
        for name in ["Calle Mayor", "SDN BHD", "", "Invoice", "S.L."] {
            assert!(!legal_form(name), "{name}");
        }
    }

    #[test]
    fn registration_numbers_are_not_part_of_a_name() {
        assert_eq!(tidy("AEON CO. (M) BHD (126926-H)"), ("AEON CO. (M) BHD".into(), true));
        assert_eq!(tidy("* SIN THYE & COMPANY -"), ("SIN THYE & COMPANY".into(), false));
    }
}
