//! What a child does: opens, reads and draws, until nobody asks.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use super::confine;
use super::wire::{Answer, Ask, receive, send};
use super::worker::Timed;
use crate::broken::Told;
use crate::{Broken, Document};

/// Without a question for so long a child leaves, and its memory with it.
const IDLE: Duration = Duration::from_mins(1);
/// The longest file that is sent: the parent knows the limit, this one only bounds the damage.
const LONGEST: u64 = 1 << 30;

/// The whole of a child's life. It talks through its standard input and output.
pub fn work() -> ExitCode {
    // Panics are caught and answered; a line for each would fill a pipe that nobody reads.
    std::panic::set_hook(Box::new(|_| {}));
    confine::memory();
    confine::jail();
    let mut documents = HashMap::new();
    let (input, mut output) = (io::stdin(), io::stdout().lock());
    loop {
        let Ok(true) = Timed::within(&input, IDLE).is_ready() else { return ExitCode::SUCCESS };
        let asked = receive(&mut Timed::within(&input, IDLE), LONGEST);
        let Ok((ask, file)) = asked else { return ExitCode::SUCCESS };
        let (answer, picture) = perform(&mut documents, ask, file);
        let sent = send(&mut output, &answer, &picture).and_then(|()| output.flush());
        if sent.is_err() {
            return ExitCode::FAILURE;
        }
    }
}

fn perform(documents: &mut HashMap<u64, Document>, ask: Ask, file: Vec<u8>) -> (Answer, Vec<u8>) {
    let done = match ask {
        Ask::Open { id, kind, password, limits, forget } => {
            for id in forget {
                documents.remove(&id);
            }
            confine::working_time(limits.open);
            Document::open(file, kind, password.as_deref(), &limits).map(|document| {
                let size = |page| document.size(page).map_err(|broken| Told::of(&broken));
                let sizes = (0..document.page_count()).map(size).collect();
                documents.insert(id, document);
                (Answer::Opened(sizes), Vec::new())
            })
        }
        Ask::Text { id, page } => opened(documents, id).and_then(|document| {
            confine::working_time(document.limits().render);
            Ok((Answer::Text(document.text(page as usize)?), Vec::new()))
        }),
        Ask::Draw { id, page, dpi, side } => opened(documents, id).and_then(|document| {
            confine::working_time(document.limits().render);
            let picture = document.draw(page as usize, dpi, side)?;
            let (width, height) = picture.dimensions();
            Ok((Answer::Drawn { width, height }, picture.into_raw()))
        }),
    };
    done.unwrap_or_else(|broken| {
        // There are no files here: what the system refused was memory.
        let broken = if matches!(broken, Broken::Io(_)) { Broken::Greedy } else { broken };
        (Answer::Broken(Told::of(&broken)), Vec::new())
    })
}

fn opened(documents: &HashMap<u64, Document>, id: u64) -> Result<&Document, Broken> {
    documents.get(&id).ok_or(Broken::Unreadable { what: "a document" })
}
