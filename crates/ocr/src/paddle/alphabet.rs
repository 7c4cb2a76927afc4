//! The characters the recogniser may answer.

/// Class 0 of the network means "no character here".
pub(crate) const BLANK: usize = 0;

/// The Latin part of the recogniser's dictionary.
pub(crate) struct Alphabet {
    /// How many classes the network was published with.
    pub(crate) classes: usize,
    /// Which of them we keep: blank first, the space last.
    pub(crate) kept: Vec<usize>,
    /// What each kept class is written as; blank is never written.
    pub(crate) letters: Vec<char>,
}

impl Alphabet {
    /// From the dictionary beside the model: one character per line, in the order of its classes.
    pub(crate) fn parse(dictionary: &str) -> Self {
        let mut alphabet = Self { classes: 1, kept: vec![BLANK], letters: vec!['\0'] };
        for line in dictionary.lines() {
            let mut chars = line.chars();
            if let (Some(letter), None) = (chars.next(), chars.next())
                && is_latin(letter)
            {
                alphabet.kept.push(alphabet.classes);
                alphabet.letters.push(letter);
            }
            alphabet.classes += 1;
        }
        // The space is no line of the dictionary; the network has it as its last class.
        alphabet.kept.push(alphabet.classes);
        alphabet.letters.push(' ');
        alphabet.classes += 1;
        alphabet
    }
}

/// Letters of European languages, digits, and the signs that business papers use.
fn is_latin(letter: char) -> bool {
    matches!(letter,
        '!'..='~' | '\u{a1}'..='\u{17f}' | '\u{218}'..='\u{21b}' | '\u{1e9e}'
        | '\u{2010}'..='\u{2026}' | '\u{2030}' | '\u{2039}' | '\u{203a}'
        | '\u{20a0}'..='\u{20bf}' | '\u{2116}' | '\u{2122}' | '\u{2190}'..='\u{2193}'
        | '\u{2212}' | '\u{2610}'..='\u{2612}' | '\u{2713}' | '\u{25a0}' | '\u{25cf}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_count_every_line_and_keep_the_latin_ones() {
        let alphabet = Alphabet::parse("a\n中\nñ\n");
        assert_eq!(alphabet.classes, 5);
        assert_eq!(alphabet.kept, [0, 1, 3, 4]);
        assert_eq!(alphabet.letters, ['\0', 'a', 'ñ', ' ']);
    }
}
