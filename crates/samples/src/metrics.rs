//! How wide the letters of the standard PDF typefaces are, in thousandths of the size.

use std::sync::LazyLock;

use serde::Serialize;

/// The typefaces that every PDF reader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    Sans,
    SansBold,
    Serif,
    SerifBold,
    Mono,
    MonoBold,
}

impl Face {
    pub const ALL: [Self; 6] =
        [Self::Sans, Self::SansBold, Self::Serif, Self::SerifBold, Self::Mono, Self::MonoBold];

    /// Its name in a PDF.
    pub fn base_font(self) -> &'static str {
        match self {
            Self::Sans => "Helvetica",
            Self::SansBold => "Helvetica-Bold",
            Self::Serif => "Times-Roman",
            Self::SerifBold => "Times-Bold",
            Self::Mono => "Courier",
            Self::MonoBold => "Courier-Bold",
        }
    }

    #[must_use]
    pub fn bold(self) -> Self {
        match self {
            Self::Sans | Self::SansBold => Self::SansBold,
            Self::Serif | Self::SerifBold => Self::SerifBold,
            Self::Mono | Self::MonoBold => Self::MonoBold,
        }
    }

    /// The width of a text printed at `size` points.
    pub fn width(self, text: &str, size: f32) -> f32 {
        let Some(table) = WIDTHS.get(self as usize) else {
            return text.chars().count() as f32 * 0.6 * size;
        };
        let thousandths: u32 = text.chars().map(|letter| width_of(letter, table)).sum();
        thousandths as f32 / 1000.0 * size
    }
}

/// A line per typeface in the order of [`Face`], but for those whose letters are all alike; letters
/// from the blank to the tilde.
static WIDTHS: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let line = |line: &str| line.split(' ').map(|n| n.parse().expect("a number")).collect();
    include_str!("../text/widths.txt").lines().map(line).collect()
});

fn width_of(letter: char, table: &[u32]) -> u32 {
    let plain = match letter {
        'á' | 'à' | 'â' | 'ä' | 'ã' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' | 'Í' => 'I',
        'ó' | 'ò' | 'ô' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' | 'ñ' => 'n',
        'ç' => 'c',
        'Á' | 'À' | 'Â' => 'A',
        'É' | 'È' | 'Ê' => 'E',
        'Ó' | 'Ô' => 'O',
        'Ú' | 'Ñ' => 'N',
        'Ç' => 'C',
        'º' | 'ª' | '°' => '*',
        '\u{2019}' => '\'',
        '·' | '•' => '(',
        '—' => 'M',
        other if (' '..='~').contains(&other) => other,
        _ => '0',
    };
    table[plain as usize - 32]
}

#[cfg(test)]
mod tests {
    use super::Face;

    #[test]
    fn a_line_is_as_wide_as_its_letters() {
        assert!((Face::Sans.width("Total", 10.0) - 22.23).abs() < 0.01);
        assert!((Face::Mono.width("Año", 10.0) - 18.0).abs() < 0.01);
    }
}
