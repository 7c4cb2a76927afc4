//! Comparing printed words as a reader does: without case, accents or the slips of OCR.

/// Lower-case letters and digits without accents; everything else is dropped.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' => folded.push(letter),
            'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => folded.push('a'),
            'é' | 'è' | 'ê' | 'ë' => folded.push('e'),
            'í' | 'ì' | 'î' | 'ï' => folded.push('i'),
            'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'º' | '°' => folded.push('o'),
            'ú' | 'ù' | 'û' | 'ü' => folded.push('u'),
            'ñ' => folded.push('n'),
            'ç' => folded.push('c'),
            '#' | '№' => folded.push_str("no"),
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            _ => {}
        }
    }
    folded
}

/// The folded text with look-alikes made one letter, so that `T0TAL` and `TOTAl` are `TOTAL`.
pub(crate) fn shape(folded: &str) -> String {
    let alike = |letter| match letter {
        '0' | 'q' => 'o',
        '1' | 'i' | 'j' => 'l',
        '5' => 's',
        '8' => 'b',
        '6' => 'g',
        '2' => 'z',
        other => other,
    };
    folded.replace("rn", "m").chars().map(alike).collect()
}

/// A phrase as its words are shaped one by one, and as one word if a reader ran them together.
pub(crate) fn shapes(phrase: &str) -> Vec<String> {
    let apart: String = phrase.split_whitespace().map(|word| shape(&fold(word))).collect();
    let mut shapes = vec![apart, shape(&fold(phrase))];
    shapes.dedup();
    shapes
}

/// How alike two shaped texts are: 1 is equal, 0 is too far to be a misreading.
pub(super) fn likeness(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let longest = a.len().max(b.len());
    let allowed = match longest {
        0..=3 => return 0.0,
        4..=7 => 1,
        8..=13 => 2,
        _ => 3,
    };
    let apart = (letters(a) ^ letters(b)).count_ones();
    if a.len().abs_diff(b.len()) > allowed || apart > 2 * allowed as u32 {
        return 0.0;
    }
    let distance = strsim::levenshtein(a, b);
    if distance > allowed { 0.0 } else { 1.0 - 1.5 * distance as f32 / longest as f32 }
}

/// The set of letters of a text: those in only one of two sets are a lower bound of their distance.
pub(super) fn letters(text: &str) -> u64 {
    text.bytes().fold(0, |set, byte| set | 1 << (byte & 63))
}

/// Digits where OCR saw letters that look like them, at unchanged length.
pub(super) fn digits_for_lookalikes(letter: char) -> char {
    match letter {
        'O' | 'o' | 'D' | 'Q' => '0',
        'I' | 'l' | '|' | 'i' => '1',
        'Z' | 'z' => '2',
        'S' | 's' => '5',
        'G' => '6',
        'B' => '8',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slips_of_the_reader_are_forgiven() {
        assert_eq!(fold("Nº Factura:"), "nofactura");
        assert_eq!(shape(&fold("T0TAl")), shape(&fold("TOTAL")));
        let like = |a: &str, b: &str| likeness(&shape(&fold(a)), &shape(&fold(b)));
        assert!(like("Base imponlble", "base imponible") > 0.8);
        assert!(like("lmporte totai", "importe total") > 0.8);
        assert!(like("change", "charge") < 0.8);
        assert!(like("net", "not") < 0.1);
    }

    proptest! {
        #[test]
        fn likeness_is_bounded_and_symmetric(a in "\\PC{0,20}", b in "\\PC{0,20}") {
            let (a, b) = (shape(&fold(&a)), shape(&fold(&b)));
            let alike = likeness(&a, &b);
            prop_assert!((0.0..=1.0).contains(&alike));
            prop_assert!((alike - likeness(&b, &a)).abs() < f32::EPSILON);
        }
    }
}
