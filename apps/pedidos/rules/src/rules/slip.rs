//! *Comanda* on paper: the bytes a kitchen printer understands (ESC/POS).
//!
//! Only what is printable is sent: a note that carries control characters must not drive the printer.

use crate::model::{LineState, TicketLine};

/// What stands on a slip; times are told by whoever knows the zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// The number people call.
    pub order: i64,
    pub lang: SlipLang,
    /// *Retiro* or *delivery*.
    pub delivery: bool,
    /// `21:00`, or none for as soon as possible.
    pub due: Option<String>,
    pub started: Option<String>,
    pub revision: i64,
    /// Printed before: the cook must not cook it twice.
    pub copy: bool,
    pub note: Option<String>,
    pub lines: Vec<SlipLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlipLine {
    pub quantity: i64,
    pub name: String,
    pub extras: Vec<String>,
    pub note: Option<String>,
    pub station: Option<String>,
    pub mark: Mark,
}

/// How a line stands since the slip before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Same,
    Added,
    Voided,
}

impl Mark {
    /// A revision tells what it added and voided; the first slip tells everything alike.
    pub const fn of(line: &TicketLine, revision: i64) -> Self {
        match line.state {
            LineState::Voided => Self::Voided,
            LineState::Pending | LineState::Done if revision > 1 && line.revision == revision => {
                Self::Added
            }
            LineState::Pending | LineState::Done => Self::Same,
        }
    }
}

engine::words! {
    /// The language of the kitchen's paper.
    pub enum SlipLang { Spanish = "es", English = "en" }
}

impl SlipLang {
    const fn t(self, es: &'static str, en: &'static str) -> &'static str {
        match self {
            Self::Spanish => es,
            Self::English => en,
        }
    }
}

const INIT: &[u8] = &[0x1b, b'@'];
/// Code page 850, the one every such printer has with Spanish letters.
const LATIN: &[u8] = &[0x1b, b't', 2];
const LARGE: &[u8] = &[0x1d, b'!', 0x11];
const TALL: &[u8] = &[0x1d, b'!', 0x01];
const NORMAL: &[u8] = &[0x1d, b'!', 0x00];
const BOLD: &[u8] = &[0x1b, b'E', 1];
const PLAIN: &[u8] = &[0x1b, b'E', 0];
/// Four lines of paper, then a partial cut.
const CUT: &[u8] = &[0x1b, b'd', 4, 0x1d, b'V', 66, 0];

/// The whole slip for a paper of so many columns.
pub fn escpos(slip: &Slip, columns: usize) -> Vec<u8> {
    let mut paper = Paper { bytes: [INIT, LATIN].concat(), columns: columns.clamp(16, 80) };
    let t = |es, en| slip.lang.t(es, en);
    paper.styled(LARGE, 2, &format!("#{}", slip.order));
    let due = slip.due.as_deref().map_or_else(
        || t("CUANTO ANTES", "AS SOON AS POSSIBLE").to_owned(),
        |due| format!("{} {due}", t("PARA", "FOR")),
    );
    paper.styled(TALL, 1, &due);
    paper.line(if slip.delivery { "DELIVERY" } else { t("RETIRO", "PICK-UP") });
    if let Some(started) = &slip.started {
        paper.line(&format!("{} {started}", t("Entró", "In at")));
    }
    if slip.revision > 1 {
        paper.bold(&format!("{} {}", t("CAMBIO", "CHANGE"), slip.revision));
    }
    if slip.copy {
        paper.bold(t("COPIA", "COPY"));
    }
    paper.rule();
    for line in &slip.lines {
        paper.item(line, slip.lang);
    }
    if let Some(note) = &slip.note {
        paper.rule();
        paper.bold(note);
    }
    paper.bytes.extend(CUT);
    paper.bytes
}

struct Paper {
    bytes: Vec<u8>,
    columns: usize,
}

impl Paper {
    fn item(&mut self, line: &SlipLine, lang: SlipLang) {
        let mark = match line.mark {
            Mark::Same => String::new(),
            Mark::Added => format!("+ {} ", lang.t("AGREGADO", "ADDED")),
            Mark::Voided => format!("- {} ", lang.t("ANULADO", "VOIDED")),
        };
        self.styled(TALL, 1, &format!("{mark}{} x {}", line.quantity, line.name));
        for extra in &line.extras {
            self.line(&format!("   + {extra}"));
        }
        if let Some(note) = &line.note {
            self.bold(&format!("   {note}"));
        }
        if let Some(station) = &line.station {
            self.line(&format!("   ({station})"));
        }
    }

    fn rule(&mut self) {
        self.line(&"-".repeat(self.columns));
    }

    fn bold(&mut self, text: &str) {
        self.bytes.extend(BOLD);
        self.line(text);
        self.bytes.extend(PLAIN);
    }

    /// Letters of another size, of which fewer fit.
    fn styled(&mut self, style: &[u8], width: usize, text: &str) {
        self.bytes.extend(style);
        self.wrapped(text, self.columns / width);
        self.bytes.extend(NORMAL);
    }

    fn line(&mut self, text: &str) {
        self.wrapped(text, self.columns);
    }

    fn wrapped(&mut self, text: &str, columns: usize) {
        let bytes: Vec<u8> = text.chars().map(latin).collect();
        for piece in bytes.chunks(columns.max(1)) {
            self.bytes.extend(piece);
            self.bytes.push(b'\n');
        }
    }
}

/// A character in code page 850; a space for what drives printers, a question mark for the rest.
fn latin(c: char) -> u8 {
    match c {
        ' '..='~' => c as u8,
        'Ç' => 0x80,
        'ü' => 0x81,
        'é' => 0x82,
        'â' => 0x83,
        'ä' => 0x84,
        'à' => 0x85,
        'ç' => 0x87,
        'ê' => 0x88,
        'è' => 0x8a,
        'É' => 0x90,
        'ô' => 0x93,
        'ö' => 0x94,
        'Ö' => 0x99,
        'Ü' => 0x9a,
        'á' => 0xa0,
        'í' => 0xa1,
        'ó' => 0xa2,
        'ú' => 0xa3,
        'ñ' => 0xa4,
        'Ñ' => 0xa5,
        'ª' => 0xa6,
        'º' | '°' => 0xa7,
        '¿' => 0xa8,
        '½' => 0xab,
        '¼' => 0xac,
        '¡' => 0xad,
        '«' => 0xae,
        '»' => 0xaf,
        'Á' => 0xb5,
        'ã' => 0xc6,
        'Í' => 0xd6,
        'Ó' => 0xe0,
        'Ú' => 0xe9,
        '×' => b'x',
        '–' | '—' | '−' => b'-',
        '“' | '”' => b'"',
        '‘' | '’' => b'\'',
        c if c.is_control() || c.is_whitespace() => b' ',
        _ => b'?',
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(name: &str, mark: Mark) -> SlipLine {
        SlipLine {
            quantity: 2,
            name: name.to_owned(),
            extras: vec!["Cheddar".to_owned()],
            note: Some("sin cebolla".to_owned()),
            station: Some("Plancha".to_owned()),
            mark,
        }
    }

    fn slip(lines: Vec<SlipLine>) -> Slip {
        Slip {
            order: 12,
            lang: SlipLang::Spanish,
            delivery: false,
            due: Some("21:00".to_owned()),
            started: Some("20:45".to_owned()),
            revision: 1,
            copy: false,
            note: None,
            lines,
        }
    }

    fn contains(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn a_slip_is_initialised_written_and_cut() {
        let bytes = escpos(&slip(vec![line("Ñoquis al ají", Mark::Same)]), 32);
        assert!(bytes.starts_with(&[0x1b, b'@', 0x1b, b't', 2]));
        assert!(bytes.ends_with(CUT));
        assert!(contains(&bytes, b"#12\n") && contains(&bytes, b"PARA 21:00\n"));
        assert!(contains(&bytes, b"2 x \xa5oquis al aj\xa1\n"), "letters of the code page");
        assert!(contains(&bytes, b"   + Cheddar\n") && contains(&bytes, b"   (Plancha)\n"));
    }

    #[test]
    fn a_change_and_a_copy_say_so() {
        let mut slip = slip(vec![line("Flan", Mark::Added), line("Sopa", Mark::Voided)]);
        (slip.revision, slip.copy, slip.due) = (2, true, None);
        let bytes = escpos(&slip, 48);
        for part in ["CAMBIO 2\n", "COPIA\n", "+ AGREGADO 2 x Flan", "- ANULADO 2 x Sopa", "CUANTO"]
        {
            assert!(contains(&bytes, part.as_bytes()), "{part}");
        }
        slip.lang = SlipLang::English;
        assert!(contains(&escpos(&slip, 48), b"AS SOON AS POSSIBLE\n"));
    }

    proptest! {
        /// Whatever people write, no byte of theirs is a command and no line is wider than the paper.
        #[test]
        fn text_never_drives_the_printer(name in "\\PC*|[\\x00-\\x1f]{0,20}", columns in 0_usize..100) {
            let mut one = line(&name, Mark::Same);
            one.note = Some(name.clone());
            let with = escpos(&slip(vec![one]), columns);
            let commands = |bytes: &[u8]| {
                bytes.iter().filter(|byte| **byte < 0x20 && **byte != b'\n').count()
            };
            let plain = escpos(&slip(vec![line("x", Mark::Same)]), columns);
            prop_assert_eq!(commands(&with), commands(&plain));
        }
    }
}
