//! How what people type finds what is written: without accents, without case, word by word.

/// What was asked for, ready to be held against many texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought(Vec<String>);

impl Sought {
    pub fn new(typed: &str) -> Self {
        Self(plain(typed).split_whitespace().map(str::to_owned).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether each of its words is somewhere in the text.
    pub fn finds(&self, text: &str) -> bool {
        let text = plain(text);
        self.0.iter().all(|word| text.contains(word))
    }
}

/// Without accents or case.
pub fn plain(text: &str) -> String {
    let letters = text.chars().flat_map(char::to_lowercase);
    letters
        .map(|letter| match letter {
            'á' | 'à' | 'ä' | 'â' | 'ã' => 'a',
            'é' | 'è' | 'ë' | 'ê' => 'e',
            'í' | 'ì' | 'ï' | 'î' => 'i',
            'ó' | 'ò' | 'ö' | 'ô' | 'õ' => 'o',
            'ú' | 'ù' | 'ü' | 'û' => 'u',
            'ñ' => 'n',
            'ç' => 'c',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_whatever_its_accents() {
        let sought = Sought::new(" CAPACIDAD  maxima");
        assert!(sought.finds("La máxima capacidad de la cocina"));
        assert!(!sought.finds("La capacidad de la cocina"));
        assert!(Sought::new("").finds("") && Sought::new("  ").is_empty());
    }
}
