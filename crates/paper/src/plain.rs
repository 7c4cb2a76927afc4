//! Spool files: typewriter text with form feeds between pages.

use image::RgbImage;
use page::{PageText, Rect, Source, Word};

use crate::pdf::Pdf;
use crate::{Broken, Layer, Limits};

/// A character cell in points: ten characters to the inch at ten points, as line printers did.
const CELL: (f32, f32) = (6.0, 12.0);
const MARGIN: f32 = 36.0;
/// The smallest sheet, so that a short text still looks like a page: A4.
const SHEET: (f32, f32) = (595.0, 842.0);
/// Columns and rows beyond these are cut: no printer has them.
const COLUMNS: usize = 400;
const ROWS: usize = 1000;
const TAB: usize = 8;

/// Text cut into pages and lines.
pub(crate) struct Plain {
    pages: Vec<Vec<String>>,
    limits: Limits,
}

impl Plain {
    pub(crate) fn open(bytes: &[u8], limits: &Limits) -> Result<Self, Broken> {
        if bytes.contains(&0) {
            return Err(Broken::Unreadable { what: "text" });
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        };
        // A printer ejects the last page: what follows the last form feed may be nothing.
        let text = text.trim_end();
        if text.is_empty() {
            return Err(Broken::NoPages);
        }
        let found = text.matches('\u{c}').count() + 1;
        if found > limits.pages {
            return Err(Broken::TooManyPages { found, limit: limits.pages });
        }
        let lines = |page: &str| page.lines().take(ROWS).map(typed).collect();
        Ok(Self { pages: text.split('\u{c}').map(lines).collect(), limits: limits.clone() })
    }

    pub(crate) fn page_count(&self) -> usize {
        self.pages.len()
    }

    pub(crate) fn size(&self, page: usize) -> Result<(f32, f32), Broken> {
        let lines = self.lines(page)?;
        let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let width = columns as f32 * CELL.0 + 2.0 * MARGIN;
        let height = lines.len() as f32 * CELL.1 + 2.0 * MARGIN;
        Ok((width.max(SHEET.0), height.max(SHEET.1)))
    }

    pub(crate) fn text(&self, page: usize) -> Result<Layer, Broken> {
        let (width, height) = self.size(page)?;
        let mut words = Vec::new();
        for (row, line) in self.lines(page)?.iter().enumerate() {
            let mut column = 0;
            for piece in line.split(' ') {
                let letters = piece.chars().count();
                if letters > 0 {
                    words.push(Word {
                        text: piece.to_owned(),
                        place: Rect {
                            x: MARGIN + column as f32 * CELL.0,
                            y: MARGIN + row as f32 * CELL.1,
                            w: letters as f32 * CELL.0,
                            h: CELL.1,
                        },
                        confidence: 1.0,
                    });
                }
                column += letters + 1;
            }
        }
        let text = PageText { width, height, source: Source::Plain, turned: 0, words };
        Ok(Layer { text, pictures: 0.0, invisible: 0.0, unmapped: 0.0 })
    }

    /// Typed onto a PDF page, so that there is one renderer and the boxes fit the picture.
    pub(crate) fn draw(&self, page: usize, dpi: f32, side: u32) -> Result<RgbImage, Broken> {
        let sheet = typewritten(self.lines(page)?, self.size(page)?);
        Pdf::open(sheet, None, &self.limits)?.draw(0, dpi, side, &self.limits)
    }

    fn lines(&self, page: usize) -> Result<&Vec<String>, Broken> {
        self.pages.get(page).ok_or(Broken::NoSuchPage { page })
    }
}

/// One line as the printer leaves it: tabs expanded, no control characters.
fn typed(line: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for c in line.chars() {
        if column >= COLUMNS {
            break;
        }
        if c == '\t' {
            let spaces = TAB - column % TAB;
            out.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else if !c.is_control() {
            out.push(if c.is_whitespace() { ' ' } else { c });
            column += 1;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn typewritten(lines: &[String], (width, height): (f32, f32)) -> Vec<u8> {
    // The baseline stands three quarters down the cell.
    let first = height - MARGIN - CELL.1 * 0.75;
    let mut content = format!("BT /F 10 Tf {} TL {MARGIN} {first} Td\n", CELL.1).into_bytes();
    for line in lines {
        content.push(b'(');
        for c in line.chars() {
            let byte = latin(c);
            if matches!(byte, b'(' | b')' | b'\\') {
                content.push(b'\\');
            }
            content.push(byte);
        }
        content.extend_from_slice(b") Tj T*\n");
    }
    content.extend_from_slice(b"ET");
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents 5 0 R\
             /Resources<</Font<</F 4 0 R>>>>>>"
        )
        .into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>".to_vec(),
        [format!("<</Length {}>>stream\n", content.len()).as_bytes(), &content, b"\nendstream"]
            .concat(),
    ];
    bound(&objects)
}

/// Numbers the objects and adds the table of their places.
fn bound(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes();
    for (n, object) in objects.iter().enumerate() {
        table.extend_from_slice(format!("{:010} 00000 n \n", file.len()).as_bytes());
        file.extend_from_slice(format!("{} 0 obj\n", n + 1).as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let start = file.len();
    let size = objects.len() + 1;
    let trailer = format!("trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
    file.extend_from_slice(&table);
    file.extend_from_slice(trailer.as_bytes());
    file
}

/// The byte in Windows-1252; what it does not have is a question mark.
fn latin(c: char) -> u8 {
    match c {
        '€' => 0x80,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '•' => 0x95,
        '–' => 0x96,
        '—' => 0x97,
        ' '..='~' | '\u{a1}'..='\u{ff}' => c as u8,
        _ => b'?',
    }
}

#[cfg(test)]
mod tests {
    use super::Plain;
    use crate::{Broken, Limits};

    #[test]
    fn words_stand_where_they_are_typed() {
        let plain =
            Plain::open("uno\n\tdos  tres\n\u{c}otra\n\u{c}".as_bytes(), &Limits::default())
                .unwrap();
        assert_eq!(plain.page_count(), 2);
        let layer = plain.text(0).unwrap();
        assert_eq!(layer.text.text(), "uno\ndos tres");
        let tabbed = layer.text.words[1].place.x - layer.text.words[0].place.x;
        assert!((tabbed - 48.0).abs() < 0.1);
    }

    #[test]
    fn the_picture_shows_the_words_in_their_boxes() {
        let plain = Plain::open("Señor Núñez: 25 €".as_bytes(), &Limits::default()).unwrap();
        let picture = plain.draw(0, 72.0, u32::MAX).unwrap();
        for word in plain.text(0).unwrap().text.words {
            let (x, y) = (word.place.x as u32, word.place.y as u32);
            let (w, h) = (word.place.w as u32, word.place.h as u32);
            let ink = (x..x + w)
                .flat_map(|x| (y..y + h).map(move |y| (x, y)))
                .filter(|(x, y)| picture.get_pixel(*x, *y).0[0] < 128)
                .count();
            assert!(ink > 5, "{} has {ink} dark pixels", word.text);
        }
    }

    #[test]
    fn nothing_typed_is_no_page() {
        let empty = Plain::open(b" \n\x0c\n ", &Limits::default());
        assert!(matches!(empty, Err(Broken::NoPages)));
    }
}
