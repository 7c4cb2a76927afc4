//! E-mail as it is kept in a file: what is attached to it.

use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders as _, PartType};

use crate::Broken;

/// A smaller picture inside the text of a message is a logo or a line.
const ORNAMENT: usize = 20 << 10;

/// Something that a message carries.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// It belongs to the looks of the message.
    pub(crate) ornament: bool,
}

/// What is attached to a message. Where that is nothing but ornaments, its text is what was sent;
/// else the text goes with the letter and is no document.
pub(crate) fn parts(bytes: &[u8]) -> Result<Vec<Part>, Broken> {
    let message = MessageParser::default().parse(without_front(bytes));
    let message = message.ok_or(Broken::Unreadable { what: "e-mail" })?;
    let mut parts: Vec<Part> = message.attachments().enumerate().map(attached).collect();
    if parts.iter().all(|part| part.ornament) {
        parts.extend(text(&message));
    }
    Ok(parts)
}

/// What stands before the first line of a message: blank lines, and the line that mail boxes put there.
fn without_front(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = bytes.trim_ascii_start();
    let boxed = bytes.starts_with(b"From ").then(|| bytes.iter().position(|byte| *byte == b'\n'));
    boxed.flatten().map_or(bytes, |end| &bytes[end + 1..])
}

fn attached((n, part): (usize, &MessagePart<'_>)) -> Part {
    let name = match &part.body {
        PartType::Message(inner) => format!("{}.eml", inner.subject().unwrap_or("mensaje")),
        _ => part.attachment_name().map_or_else(|| format!("adjunto-{}", n + 1), str::to_owned),
    };
    let bytes = part.contents().to_vec();
    let pictured = matches!(part.body, PartType::InlineBinary(_)) || part.content_id().is_some();
    let picture = part.content_type().is_some_and(|kind| kind.ctype() == "image");
    Part { name, ornament: pictured && picture && bytes.len() < ORNAMENT, bytes }
}

fn text(message: &Message<'_>) -> Option<Part> {
    let text = message.body_text(0).filter(|text| !text.trim().is_empty())?;
    let name = format!("{}.txt", message.subject().unwrap_or("mensaje"));
    Some(Part { name, bytes: text.into_owned().into_bytes(), ornament: false })
}
