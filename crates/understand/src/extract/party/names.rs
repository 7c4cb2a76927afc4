//! What names of organisations look like: legal forms, trades, and what is no name at all.

use super::super::text::fold;

pub(super) const LEGAL: &str = "\
    sl sa slu sau sll slp scoop coop cb sdnbhd bhd sb ltd limited plc llp llc inc corp gmbh \
    ag sarl sas sasu eurl lda bv nv srl spa ptyltd pteltd oy ab ltda unipessoallda coltd slne scp \
    kg ohg snc eirl sadecv gmbhcokg gmbhco";
pub(super) const TRADES: &str = "\
    enterprise trading restaurant restoran restaurante cafe cafeteria shop store market mart \
    supermercado mercado bakery panaderia stationery hardware florist pharmacy farmacia \
    clinic hotel holdings company group grupo bar kedai tienda papeleria ferreteria libreria \
    bookstore centre center services servicios solutions industries international house maker \
    boutique salon bodega asador taller motors foods logistics consulting asesores hermanos \
    brothers hijos furniture supermarket minimarket grocery deli bistro pizzeria gasolinera \
    estacion syarikat perniagaan perusahaan pasaraya runcit restauran butik klinik farmasi stesen \
    kilang gerai kopitiam seafood steakhouse handel baustoffe \
    backerei apotheke boulangerie pharmacie pastelaria farmacia mercearia talho padaria";
const ADDRESS: &str = "\
    jalan jln lot taman tmn lorong kawasan street st road rd avenue ave calle c cl avda av \
    avenida plaza paseo pza rue boulevard bd kuala selangor johor floor flr level no poligono \
    ctra carretera suite lane drive way unit block seksyen bandar ground ronda camino place \
    allee chemin blvd square estate via travessera rambla strasse platz weg rua largo travessa \
    praca quai impasse cours pol ind parc zone edificio planta piso urb \
    france espana spain portugal italia italy deutschland germany osterreich schweiz suisse \
    belgique etats unis usa uk england ireland kingdom states malaysia singapore mexico";
pub(super) const OTHER: &str = "\
    invoice factura facture receipt recibo ticket tax cash bill tel fax gst vat nif cif date \
    fecha www http email thank welcome bienvenido gracias original copy copia page pagina \
    nomina payslip simplificada simplified reg roc phone telefono hours invois table cashier \
    total tva siret payroll statement salario salarios pay slip individual justificativo \
    customer cliente no id credit quotation presupuesto albaran description descripcion qty \
    data fatura recibo emissao vencimento contribuinte nipc siren iban bic rcs capital swift \
    telefone telef tfno tlf mail web reference referencia \
    goods sold return returned returnable refundable refund exchange exchangeable allowed note \
    please again amt amount qty uom change paid operator code item summary payment balance \
    quantite quantidade cantidad prix precio preco importe montant montante unites unidades \
    time hora owned guest duplicate reprint sale sales official contract contrato agreement";

/// Ends of German words that name a street or a square.
const STREETS: [&str; 6] = ["strasse", "str", "platz", "gasse", "allee", "weg"];

/// Whether a word is one of addresses.
pub(super) fn of_address(word: &str) -> bool {
    let ends = |end: &str| word.len() > end.len() + 2 && word.ends_with(end);
    listed(ADDRESS, word) || STREETS.iter().any(|end| ends(end))
}

pub(super) fn listed(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|known| known == word)
}

/// Words that go on with a name from the row above and are none alone: `CO. (M) SDN BHD`.
const TAILS: &str =
    "co company cie hijos sons fils hermanos brothers associates asociados and y et e";

/// Whether the text ends in a legal form of companies.
pub(in crate::extract) fn legal_form(text: &str) -> bool {
    let bare = outside_brackets(text);
    let initials =
        bare.split_whitespace().next().is_some_and(|first| !first.contains(char::is_lowercase));
    let words: Vec<String> = bare.split_whitespace().map(fold).collect();
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    let tail = |count: usize| words[words.len().saturating_sub(count)..].concat();
    if words.len() < 2 {
        return words.first().is_some_and(|word| word.len() > 8 && word.ends_with("sdnbhd"));
    }
    let named = |count: usize| {
        let (head, _) = words.split_at(words.len() - count);
        head.iter().any(|word| !listed(LEGAL, word) && !listed("sdn pte pty", word))
            && (!head.iter().all(|word| is_mute(word)) || head.len() == 1 && initials)
    };
    [1, 2, 3]
        .into_iter()
        .any(|count| words.len() > count && listed(LEGAL, &tail(count)) && named(count))
        || words.last().is_some_and(|last| last.len() > 6 && last.ends_with("sdnbhd"))
}

/// Nobody could say it: one such word in capitals may be a name, `KPMG`; others are noise.
fn is_mute(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_alphabetic() && !"aeiouy".contains(letter))
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

/// Whether nothing but a legal form and words that go on with a name is there.
pub(super) fn is_tail(text: &str) -> bool {
    let bare = outside_brackets(text);
    let words: Vec<String> = bare.split_whitespace().map(fold).filter(|w| !w.is_empty()).collect();
    let first = words.iter().take_while(|word| listed(TAILS, word)).count();
    first > 0 && (first == words.len() || listed(LEGAL, &words[first..].concat()))
}

/// Words between a name and its legal form.
const BETWEEN: &str = "sdn pte pty unipessoal co company cie and y et e und the de";

/// Whether a word is one of many names: a trade, a legal form.
pub(super) fn is_common(word: &str) -> bool {
    [LEGAL, TRADES, BETWEEN].iter().any(|list| listed(list, word))
}

/// Whether a trade and a legal form are all there is: `STATIONERY SDN BHD` goes on with a name.
pub(super) fn is_generic(text: &str) -> bool {
    let bare = outside_brackets(text);
    let mut words = bare.split_whitespace().map(fold).filter(|word| !word.is_empty());
    legal_form(text) && words.all(|word| is_common(&word))
}

/// `SDN BHD` or `S.L.` alone on its row.
pub(super) fn lone_form(text: &str) -> bool {
    listed(LEGAL, &fold(&outside_brackets(text)))
}

/// Whether the words are those of a sentence: several begin small and others large.
pub(super) fn running_text(text: &str) -> bool {
    const LINKS: [&str; 16] = [
        "de", "del", "la", "el", "los", "las", "y", "and", "of", "the", "et", "du", "des", "da",
        "do", "und",
    ];
    let small = |word: &&str| word.starts_with(char::is_lowercase) && !LINKS.contains(word);
    let count = text.split_whitespace().filter(small).count();
    count >= 2 && text.contains(char::is_uppercase)
}

/// The name without registration numbers; whether there was one.
pub(super) fn tidy(text: &str) -> (String, bool) {
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
    let name = with_form(&name);
    let keep = |letter: char| letter.is_whitespace() || "*:-_=~.,;'\"|<>".contains(letter);
    let front = name.trim_start_matches(keep);
    let end = front.trim_end_matches(|letter: char| keep(letter) && letter != '.');
    (end.split_whitespace().collect::<Vec<_>>().join(" "), registered)
}

/// Legal forms of several letters that readers of pictures get wrong by one that looks like it.
const MISREAD: [&str; 5] = ["sdnbhd", "ptyltd", "pteltd", "limited", "unipessoallda"];

/// The name with its legal form as it is written: `SON. BHD.` is `SDN. BHD.`.
fn with_form(name: &str) -> String {
    let alike = |letter: char| match letter.to_ascii_lowercase() {
        '0' | 'o' | 'd' | 'q' => 'o',
        '1' | 'i' | 'l' | 'j' => 'l',
        '5' => 's',
        '8' => 'b',
        other => other,
    };
    let mut letters: Vec<char> = name.chars().collect();
    let places: Vec<usize> =
        letters.iter().enumerate().filter(|(_, c)| c.is_alphanumeric()).map(|(at, _)| at).collect();
    let misread = |form: &&&str| {
        let Some(first) = places.len().checked_sub(form.len()) else { return false };
        let tail = places[first..].iter().map(|at| letters[*at]);
        let begins = first > 2 && letters[places[first] - 1].is_whitespace();
        begins && tail.map(alike).eq(form.chars().map(alike))
    };
    if let Some(form) = MISREAD.iter().find(misread) {
        let shouted = letters[*places.last().unwrap_or(&0)].is_uppercase();
        for (at, meant) in places[places.len() - form.len()..].iter().zip(form.chars()) {
            if letters[*at].to_ascii_lowercase() != meant {
                letters[*at] = if shouted { meant.to_ascii_uppercase() } else { meant };
            }
        }
    }
    let name: String = letters.into_iter().collect();
    let bare = name.trim_end_matches([' ', '.', ',']);
    bare.strip_suffix(" 5/B").map_or(name.clone(), |rest| format!("{rest} S/B"))
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
            "MERANTI (KL) SDN. BHD.",
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
    fn a_legal_form_is_known_by_letters_that_look_like_its_own() {
        let told = |text: &str| tidy(text).0;
        assert_eq!(told("MERANTI (KL) SON. BHD."), "MERANTI (KL) SDN. BHD.");
        assert_eq!(told("KERTAS BIRU SON BHD"), "KERTAS BIRU SDN BHD");
        assert_eq!(told("44 LAMPU JALAN 5/B"), "44 LAMPU JALAN S/B");
        assert_eq!(told("44 LAMPU JALAN 5/B (123456-X)"), "44 LAMPU JALAN S/B");
        assert_eq!(told("Harbour Lights Pty Ltd"), "Harbour Lights Pty Ltd");
        assert_eq!(told("SON BHD"), "SON BHD");
    }

    #[test]
    fn a_trade_and_a_form_go_on_with_a_name() {
        assert!(is_generic("STATIONERY SDN BHD") && is_generic("ENTERPRISE (NORTH) SDN BHD"));
        assert!(!is_generic("KERTAS STATIONERY SDN BHD") && !is_generic("STATIONERY"));
    }

    #[test]
    fn german_streets_are_words_of_one_piece() {
        assert!(of_address("rosenstrasse") && of_address("musterstr") && of_address("calle"));
        assert!(!of_address("orchestra") && !of_address("str"));
    }

    #[test]
    fn registration_numbers_are_not_part_of_a_name() {
        assert_eq!(tidy("AEON CO. (M) BHD (126926-H)"), ("AEON CO. (M) BHD".into(), true));
        assert_eq!(tidy("* SIN THYE & COMPANY -"), ("SIN THYE & COMPANY".into(), false));
    }
}
