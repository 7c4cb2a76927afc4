//! What a file is, by its content.

/// The kinds of file that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pdf,
    Tiff,
    Jpeg,
    Png,
    Zip,
    /// Plain text, pages separated by form feeds.
    Text,
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
        Some(Kind::Zip)
    } else if head.windows(5).any(|window| window == b"%PDF-") {
        Some(Kind::Pdf)
    } else if looks_like_text(first_bytes) {
        Some(Kind::Text)
    } else {
        None
    }
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

    use super::{Kind, sniff};

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
        assert_eq!(sniff(b"MZ\x90\0\x03"), None);
        assert_eq!(sniff(b"\x7fELF\x02\x01\x01"), None);
        assert_eq!(sniff(b""), None);
        assert_eq!(sniff(b"  \n "), None);
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = sniff(&bytes);
        }
    }
}
