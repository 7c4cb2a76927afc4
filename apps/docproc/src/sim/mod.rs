//! An office's post: generated documents sent through the real reception. Here over HTTP and as fast as
//! wanted (`turno sim docproc`), in [`demo`] by the house's clock.

pub(crate) mod demo;

use std::{collections::BTreeMap, path::Path, time::Duration};

use reqwest::{
    Client,
    multipart::{Form, Part},
};
use samples::{CorpusError, Kind, Lang, Sample, ScanError, Wear, write_corpus};
use serde_json::{Value as Json, json};

/// In what state documents come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Born digital.
    Clean,
    Scanned,
    Degraded,
    /// Some of each.
    Mixed,
}

impl Look {
    /// What the nth document suffered. Of a mixed post, half was never on paper; every eight
    /// documents the turns shift, so that no kind always comes in the same state.
    fn wear(self, n: u64) -> Wear {
        match (self, (n ^ (n >> 3)) % 4) {
            (Self::Clean, _) | (Self::Mixed, 0 | 2) => Wear::None,
            (Self::Scanned, _) | (Self::Mixed, 1) => Wear::Scanned,
            (Self::Degraded | Self::Mixed, _) => Wear::Degraded,
        }
    }
}

/// What to send, and how fast.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub count: u64,
    pub seed: u64,
    pub look: Look,
    pub per_minute: f64,
}

/// A file ready to be sent.
#[derive(Clone, Debug)]
pub struct Letter {
    pub name: String,
    pub bytes: Vec<u8>,
    pub metadata: Json,
    /// Type and values of each document in it.
    pub printed: Vec<(&'static str, BTreeMap<String, String>)>,
}

/// Why no more documents are sent.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    #[error("a document could not be made: {0}")]
    Making(#[from] ScanError),
    #[error("{url} does not answer: {reason}")]
    Unreachable { url: String, reason: reqwest::Error },
    #[error("the server wants a token: set TURNO_TOKEN")]
    Unauthorised,
    #[error("the server took no document and said {status}: {answer}")]
    Refused { status: u16, answer: String },
}

/// The nth document of a post: mostly one per file, now and then an envelope of several.
pub fn letter(n: u64, seed: u64, look: Look) -> Result<Letter, ScanError> {
    let kinds: &[Kind] = match n % 8 {
        0 | 5 => &[Kind::Invoice],
        1 => &[Kind::Receipt],
        2 => &[Kind::IdCard],
        3 => &[Kind::Payslip],
        4 => &[Kind::Contract],
        6 => &[Kind::Invoice, Kind::IdCard, Kind::Payslip],
        _ => &[Kind::Other],
    };
    let lang = if n % 3 == 2 { Lang::En } else { Lang::Es };
    let seed = seed.wrapping_add(n.wrapping_mul(101));
    let made: Vec<Sample> =
        (0..).zip(kinds).map(|(at, kind)| samples::generate(*kind, lang, seed + at)).collect();
    let printed = made.iter().map(|one| (one.kind.label(), one.truth.clone())).collect();
    let made: Vec<&Sample> = made.iter().collect();
    let bytes = match look.wear(n) {
        Wear::None => samples::pdf(&made),
        worn @ (Wear::Clean | Wear::Scanned | Wear::Degraded) => {
            samples::scanned_pdf(&made, worn, seed)?
        }
    };
    let name = format!("{}-{n:04}.pdf", called(kinds, lang));
    let metadata = if lang == Lang::Es {
        json!({ "expediente": format!("E-{n:05}") })
    } else {
        json!({ "case": format!("C-{n:05}") })
    };
    Ok(Letter { name, bytes, metadata, printed })
}

/// What whoever scanned it called it, in the language of the paper.
fn called(kinds: &[Kind], lang: Lang) -> &'static str {
    let (es, en) = match kinds {
        [Kind::Invoice] => ("factura", "invoice"),
        [Kind::Receipt] => ("recibo", "receipt"),
        [Kind::IdCard] => ("documento", "id"),
        [Kind::Payslip] => ("nomina", "payslip"),
        [Kind::Contract] => ("contrato", "contract"),
        [Kind::Other] => ("carta", "letter"),
        _ => ("sobre", "envelope"),
    };
    if lang == Lang::Es { es } else { en }
}

/// Writes documents with their truth; a mixed post has a directory for each look.
pub fn write(dir: &Path, count: usize, seed: u64, look: Look) -> Result<usize, CorpusError> {
    let plain = |wear| write_corpus(dir, count, seed, wear).map(|files| files.len());
    match look {
        Look::Clean => plain(Wear::None),
        Look::Scanned => plain(Wear::Scanned),
        Look::Degraded => plain(Wear::Degraded),
        Look::Mixed => {
            let parts = [
                ("clean", Wear::None, count - count / 4 - count / 4),
                ("scanned", Wear::Scanned, count / 4),
                ("degraded", Wear::Degraded, count / 4),
            ];
            let mut written = 0;
            for (name, wear, count) in parts {
                let seed = seed.wrapping_add(written as u64);
                written += write_corpus(&dir.join(name), count, seed, wear)?.len();
            }
            Ok(written)
        }
    }
}

/// Sends documents to the server at `url`; `sent` hears the name and the request of each.
pub async fn run(
    url: &str,
    token: Option<&str>,
    options: Options,
    mut sent: impl FnMut(&str, &str),
) -> Result<(), Stopped> {
    let client = http_client::client();
    let pause = Duration::from_secs_f64((60.0 / options.per_minute).clamp(0.0, 86_400.0));
    let mut ticker = tokio::time::interval(pause.max(Duration::from_micros(1)));
    // A slow server is not punished with everything it missed.
    ticker.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for n in 0..options.count {
        let Options { seed, look, .. } = options;
        let made = tokio::task::spawn_blocking(move || letter(n, seed, look)).await;
        let made = made.expect("making a document does not panic")?;
        ticker.tick().await;
        let name = made.name.clone();
        let id = send(&client, url, token, made).await?;
        sent(&name, &id);
    }
    Ok(())
}

async fn send(
    client: &Client,
    url: &str,
    token: Option<&str>,
    letter: Letter,
) -> Result<String, Stopped> {
    let file = Part::bytes(letter.bytes).file_name(letter.name);
    let form = Form::new().part("file", file).text("metadata", letter.metadata.to_string());
    let mut request = client.post(format!("{}/process", url.trim_end_matches('/')));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let unreachable = |reason| Stopped::Unreachable { url: url.to_owned(), reason };
    let answer = request.multipart(form).send().await.map_err(unreachable)?;
    let status = answer.status().as_u16();
    let text = answer.text().await.map_err(unreachable)?;
    let told: Json = serde_json::from_str(&text).unwrap_or_default();
    match (status, told["request_id"].as_str()) {
        (200, Some(id)) => Ok(id.to_owned()),
        (401 | 403, _) => Err(Stopped::Unauthorised),
        _ => Err(Stopped::Refused { status, answer: text.chars().take(300).collect() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_has_every_look_and_the_same_seed_gives_the_same_post() {
        let worn: Vec<Wear> = (0..4).map(|n| Look::Mixed.wear(n)).collect();
        assert_eq!(worn, [Wear::None, Wear::Scanned, Wear::None, Wear::Degraded]);
        for n in 0..8 {
            let one = letter(n, 7, Look::Clean).unwrap();
            assert_eq!(one.bytes, letter(n, 7, Look::Clean).unwrap().bytes);
            assert_eq!(paper::sniff(&one.bytes), Some(paper::Kind::Pdf));
        }
        let envelope = letter(6, 7, Look::Clean).unwrap();
        let limits = paper::Limits::default();
        let open = paper::Document::open(envelope.bytes, paper::Kind::Pdf, None, &limits).unwrap();
        assert!(open.page_count() >= 3);
    }
}
