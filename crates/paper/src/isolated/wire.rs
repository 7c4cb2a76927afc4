//! What is said between this process and its children: a header, and bytes behind it.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::broken::Told;
use crate::{Kind, Layer, Limits};

/// What a child is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// Opens the file that follows, and lets go of these.
    Open {
        id: u64,
        kind: Kind,
        password: Option<String>,
        limits: Limits,
        forget: Vec<u64>,
    },
    Text {
        id: u64,
        page: u64,
    },
    Draw {
        id: u64,
        page: u64,
        dpi: f32,
        side: u32,
    },
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The size of every page, where it has one.
    Opened(Vec<Result<(f32, f32), Told>>),
    Text(Option<Layer>),
    /// The picture follows, three bytes to a pixel.
    Drawn {
        width: u32,
        height: u32,
    },
    Broken(Told),
}

/// Half a million words are less.
const LONGEST_HEADER: usize = 64 << 20;
const PREFIX: usize = 12;

/// Sends a header and what follows it.
pub(super) fn send(to: &mut impl Write, header: &impl Serialize, rest: &[u8]) -> io::Result<()> {
    let header = postcard::to_stdvec(header).map_err(io::Error::other)?;
    let mut head = Vec::with_capacity(PREFIX + header.len());
    head.extend((header.len() as u32).to_le_bytes());
    head.extend((rest.len() as u64).to_le_bytes());
    head.extend(header);
    to.write_all(&head)?;
    to.write_all(rest)
}

/// Reads a header and what follows it, which may be `most` bytes.
pub(super) fn receive<T: DeserializeOwned>(
    from: &mut impl Read,
    most: u64,
) -> io::Result<(T, Vec<u8>)> {
    let mut prefix = [0; PREFIX];
    from.read_exact(&mut prefix)?;
    let [a, b, c, d, rest @ ..] = prefix;
    let header = u32::from_le_bytes([a, b, c, d]) as usize;
    let rest = u64::from_le_bytes(rest);
    if header > LONGEST_HEADER || rest > most {
        return Err(io::Error::other("longer than was agreed"));
    }
    let mut bytes = vec![0; header];
    from.read_exact(&mut bytes)?;
    let header = postcard::from_bytes(&bytes).map_err(io::Error::other)?;
    let mut bytes = vec![0; usize::try_from(rest).map_err(io::Error::other)?];
    from.read_exact(&mut bytes)?;
    Ok((header, bytes))
}

#[cfg(test)]
mod tests {
    use super::{Ask, receive, send};

    #[test]
    fn what_is_sent_arrives_and_too_much_is_refused() {
        let mut sent = Vec::new();
        send(&mut sent, &Ask::Text { id: 7, page: 3 }, b"rest").unwrap();
        let (ask, rest): (Ask, _) = receive(&mut sent.as_slice(), 4).unwrap();
        assert!(matches!(ask, Ask::Text { id: 7, page: 3 }));
        assert_eq!(rest, b"rest");
        assert!(receive::<Ask>(&mut sent.as_slice(), 3).is_err());
        for cut in 0..sent.len() {
            assert!(receive::<Ask>(&mut &sent[..cut], 4).is_err());
        }
    }
}
