//! What a file is, by its content.

use serde::{Deserialize, Serialize};

use crate::foreign;

/// The kinds of file that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Pdf,
    Tiff,
    Jpeg,
    Png,
    Zip,
    /// Plain text, pages separated by form feeds.
    Text,
    /// An e-mail with what is attached to it.
    Mail,
}

/// PDF readers accept junk before the header, within this distance.
const PDF_HEADER_WITHIN: usize = 1024;

/// Tells the kind by the first bytes of a file (4 KiB are plenty); `None` when it is none of ours.
pub fn sniff(first_bytes: &[u8]) -> Option<Kind> {
    let starts = |magic: &[u8]| first_bytes.starts_with(magic);
    let head = &first_bytes[..first_bytes.len().min(PDF_HEADER_WITHIN)];
    if starts(b"\x89PNG\r\n\x1a\n") {
        Some(Kind::Png)
    } else if starts(b"\xff\xd8\xff") {
        Some(Kind::Jpeg)
    } else if starts(b"II*\0") || starts(b"MM\0*") || starts(b"II+\0") || starts(b"MM\0+") {
        Some(Kind::Tiff)
    } else if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
        (!is_office(first_bytes)).then_some(Kind::Zip)
    } else if head.windows(5).any(|window| window == b"%PDF-") {
        Some(Kind::Pdf)
    } else if is_mail(first_bytes) {
        Some(Kind::Mail)
    } else if looks_like_text(first_bytes) && !foreign::is_foreign(first_bytes) {
        Some(Kind::Text)
    } else {
        None
    }
}

/// The same for a file with a name. What is text by its content is not read as text when the name
/// says that it is data or markup; a name never makes something of a file that it is not.
pub fn recognise(name: &str, first_bytes: &[u8]) -> Option<Kind> {
    let kind = sniff(first_bytes)?;
    let foreign = kind == Kind::Text && foreign::is_foreign_name(name);
    (!foreign).then_some(kind)
}

/// The first file of what office programs and e-books call a document.
fn is_office(first_bytes: &[u8]) -> bool {
    let name = first_bytes.get(30..).unwrap_or_default();
    let first = ["[Content_Types].xml", "mimetype", "_rels/", "docProps/", "word/", "xl/", "ppt/"];
    first.iter().any(|first| name.starts_with(first.as_bytes()))
}

/// Whether it begins as a message does: lines with names, one of which only a mail program writes.
/// From whom it is may stand far behind what the servers on its way wrote.
fn is_mail(first_bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first_bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start_matches(['\r', '\n']);
    let mut head = text.lines().take_while(|line| !line.is_empty()).peekable();
    // Mail boxes put a line before each message.
    let boxed = head.next_if(|line| line.starts_with("From ") && line.contains('@'));
    for line in head {
        // A long line goes on in the next one.
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((name, value)) = line.split_once(':') else { return false };
        let value = value.trim_start();
        match name.to_ascii_lowercase().as_str() {
            "mime-version" | "message-id" | "return-path" | "delivered-to" | "dkim-signature"
            | "arc-seal" => return true,
            "received" if value.starts_with("from ") || value.starts_with("by ") => return true,
            "content-type" if value.starts_with("multipart/") => return true,
            "from" if boxed.is_some() => return true,
            name if name.is_empty() || name.contains(' ') => return false,
            _ => {}
        }
    }
    false
}

/// Text is what has no control characters but those of a printer. Bytes above 0x9f are letters in
/// Latin-1 and parts of letters in UTF-8; 0x80 to 0x9f are letters only inside UTF-8.
fn looks_like_text(bytes: &[u8]) -> bool {
    let printable = |byte: &u8| matches!(byte, 0x09..=0x0d | 0x1b | 0x20..=0x7e | 0xa0..);
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().all(|c| !c.is_control() || printable(&(c as u8))),
        // The first bytes may end in the middle of a letter.
        Err(error) if error.error_len().is_none() => {
            bytes[..error.valid_up_to()].iter().all(|byte| printable(byte) || *byte >= 0x80)
        }
        Err(_) => bytes.iter().all(printable),
    };
    valid && bytes.iter().any(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Kind, recognise, sniff};

    #[test]
    fn the_content_decides() {
        assert_eq!(sniff(b"junk before\n%PDF-1.7\n"), Some(Kind::Pdf));
        assert_eq!(sniff(b"MM\0*\0\0\0\x08"), Some(Kind::Tiff));
        assert_eq!(sniff("Señor García\n\u{c}página 2".as_bytes()), Some(Kind::Text));
        assert_eq!(sniff(b"Se\xf1or Garc\xeda"), Some(Kind::Text));
        assert_eq!(
            sniff("cut in a letter: ñ".as_bytes().split_last().unwrap().1),
            Some(Kind::Text)
        );
        assert_eq!(
            sniff(b"From: ana@example.com\r\nTo: b\r\nMIME-Version: 1.0\r\n"),
            Some(Kind::Mail)
        );
        assert_eq!(sniff(b"From: Ana\nTo: Luis\nPages: 3\n\nFAX"), Some(Kind::Text));
        for mail in [
            "From ana@example.com Mon May  4 12:00:00 2026\nFrom: Ana\nTo: Luis\n\nHola",
            "\r\nSubject: fwd\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n",
            "Received: from a.example by b.example\n\twith SMTP\nX-Long: what servers wrote",
        ] {
            assert_eq!(sniff(mail.as_bytes()), Some(Kind::Mail), "{mail}");
        }
        for text in ["Date: today\nFrom our house\nto yours", "Received: 12 boxes\nBy: Ana\n"] {
            assert_eq!(sniff(text.as_bytes()), Some(Kind::Text), "{text}");
        }
        assert_eq!(recognise("nota.eml", b"uno dos"), None, "no message");
        assert_eq!(sniff(b"MZ\x90\0\x03"), None);
        assert_eq!(sniff(b"\x7fELF\x02\x01\x01"), None);
        assert_eq!(sniff(b""), None);
        assert_eq!(sniff(b"  \n "), None);
    }

    #[test]
    fn data_and_markup_are_no_pages() {
        for foreign in [
            "<!DOCTYPE html><html><body>Factura</body></html>",
            "\u{feff}<?xml version=\"1.0\"?><Factura/>",
            "{\"total\": 12}",
            "[{\"total\": 12}]",
            "{\\rtf1 Factura}",
            "BEGIN:VCALENDAR\nEND:VCALENDAR",
            "%!PS-Adobe-3.0",
            "fecha;total;cliente\n2024-01-01;12,50;Ana\n2024-01-02;1,00;Luis\n",
            "a\tb\tc\n1\t2\t3\n4\t5\t6\n",
            "a,b,c\n1,2,3\n4,5,6\n",
        ] {
            assert_eq!(sniff(foreign.as_bytes()), None, "{foreign}");
        }
        for text in [
            "Factura, cliente, total\nuno, dos, tres\ncuatro, cinco, seis",
            "TOTAL 1.512,50\nIVA 262,50\nBASE 1.250,00",
            "<3 de mayo",
            "[1] Nota al pie",
        ] {
            assert_eq!(sniff(text.as_bytes()), Some(Kind::Text), "{text}");
        }
        assert_eq!(recognise("lista.CSV", b"uno dos"), None);
        assert_eq!(recognise("lista.csv", b"%PDF-1.7"), Some(Kind::Pdf));
        assert_eq!(recognise("nota.txt", b"uno dos"), Some(Kind::Text));
        let docx = b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\x13\0\0\0[Content_Types].xml";
        assert_eq!(sniff(docx), None);
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = sniff(&bytes);
        }
    }
}
