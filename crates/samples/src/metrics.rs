//! How wide the letters of the standard PDF typefaces are, in thousandths of the size.

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
        let table = match self {
            Self::Sans => &SANS,
            Self::SansBold => &SANS_BOLD,
            Self::Serif => &SERIF,
            Self::SerifBold => &SERIF_BOLD,
            Self::Mono | Self::MonoBold => {
                return text.chars().count() as f32 * 0.6 * size;
            }
        };
        let thousandths: u32 = text.chars().map(|letter| width_of(letter, table)).sum();
        thousandths as f32 / 1000.0 * size
    }
}

fn width_of(letter: char, table: &[u16; 95]) -> u32 {
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
    u32::from(table[plain as usize - 32])
}

#[rustfmt::skip]
const SANS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
#[rustfmt::skip]
const SANS_BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];
#[rustfmt::skip]
const SERIF: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
    921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
    556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
    333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
    500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];
#[rustfmt::skip]
const SERIF_BOLD: [u16; 95] = [
    250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278,
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500,
    930, 722, 667, 722, 722, 667, 611, 778, 778, 389, 500, 778, 667, 944, 722, 778,
    611, 778, 722, 556, 667, 722, 722, 1000, 722, 722, 667, 333, 278, 333, 581, 500,
    333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556, 278, 833, 556, 500,
    556, 556, 444, 389, 333, 556, 500, 722, 500, 500, 444, 394, 220, 394, 520,
];

#[cfg(test)]
mod tests {
    use super::Face;

    #[test]
    fn a_line_is_as_wide_as_its_letters() {
        assert!((Face::Sans.width("Total", 10.0) - 22.23).abs() < 0.01);
        assert!((Face::Mono.width("Año", 10.0) - 18.0).abs() < 0.01);
    }
}
