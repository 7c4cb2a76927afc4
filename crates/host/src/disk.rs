//! Free space on the disk: told before it is gone, and kept for what was already accepted.
//!
//! Uploads are the first to be refused, while the database can still write: an order taken, a result
//! found, a state changed need little room, and everything acknowledged has to be kept.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{Method, StatusCode, header::CONTENT_LENGTH},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use engine::Sentence;
use futures::StreamExt as _;
use web::{Lang, Problem};

use crate::{Alert, Context, Severity};

const ALERT: &str = "host/disk";
/// How `/ready` calls what is missing.
const SHORTAGE: &str = "disk";
/// A body up to this size is a command, not an upload.
const COMMAND: u64 = 64 << 10;
const MEGABYTE: u64 = 1 << 20;
/// Of a refused upload so much is let by, for so long.
const FLOWS_BY: usize = 256 << 20;
const FLOWS_FOR: Duration = Duration::from_secs(10);

/// What is kept free, and when people are told.
#[derive(Clone, Debug)]
pub struct DiskLimits {
    reserve: u64,
    /// Told below so many hundredths of the disk.
    percent: u64,
    /// The disks that count: where each of these is.
    places: Arc<[PathBuf]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Space {
    free: u64,
    total: u64,
}

/// How a disk stands to its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Fine,
    /// People should make room.
    Scarce,
    /// What is left is kept for what was accepted.
    Reserved,
}

impl DiskLimits {
    pub fn new(reserve: u64, percent: u64, place: PathBuf) -> Self {
        Self { reserve, percent, places: [place].into() }
    }

    /// The same limits on one more disk.
    #[must_use]
    pub fn and(&self, place: &Path) -> Self {
        let places = self.places.iter().cloned().chain([place.to_owned()]).collect();
        Self { places, ..self.clone() }
    }

    /// Why so many bytes more are not taken, if they are not.
    pub fn refuses(&self, bytes: u64) -> Option<String> {
        let full = |place: &&PathBuf| {
            space(place).is_some_and(|space| space.free < self.reserve.saturating_add(bytes))
        };
        self.places.iter().find(full).map(|place| self.sentence(place))
    }

    fn sentence(&self, place: &Path) -> String {
        self.told(place).en
    }

    fn told(&self, place: &Path) -> Sentence {
        let free = space(place).map_or(0, |space| space.free) / MEGABYTE;
        let (place, reserve) = (place.display(), self.reserve / MEGABYTE);
        Sentence::new(
            format!(
                "Quedan {free} MB en el disco de {place}; {reserve} MB se guardan para lo aceptado"
            ),
            format!(
                "{free} MB are left on the disk of {place}; {reserve} MB are kept for what was \
                 accepted"
            ),
        )
    }

    fn standing(&self, space: Space) -> Standing {
        if space.free < self.reserve {
            Standing::Reserved
        } else if space.free < space.total / 100 * self.percent {
            Standing::Scarce
        } else {
            Standing::Fine
        }
    }
}

/// What is left where this is, or will be made.
fn space(place: &Path) -> Option<Space> {
    let there = place.ancestors().find(|part| part.exists() && !part.as_os_str().is_empty());
    let found = rustix::fs::statvfs(there.unwrap_or(Path::new("."))).ok()?;
    let size = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Some(Space { free: size(found.f_bavail), total: size(found.f_blocks) })
}

/// Tells how much room is left: an alert, and what `/ready` lists.
pub(crate) async fn look(context: &Context) -> Result<(), db::Error> {
    let room = &context.options.room;
    let worst = room.places.iter().filter_map(|place| {
        let space = space(place)?;
        let free = space.free as f64;
        metrics::gauge!("turno_disk_free_bytes", "place" => place.display().to_string()).set(free);
        Some((room.standing(space), place))
    });
    let Some((standing, place)) = worst.max_by_key(|(standing, _)| *standing as u8) else {
        return Ok(());
    };
    let severity = match standing {
        Standing::Fine => {
            context.shortages.set(SHORTAGE, None);
            return context.resolve(ALERT).await;
        }
        Standing::Scarce => Severity::Warning,
        Standing::Reserved => Severity::Critical,
    };
    let detail = room.sentence(place);
    let short = (standing == Standing::Reserved).then(|| detail.clone());
    if context.shortages.set(SHORTAGE, short) && standing == Standing::Reserved {
        tracing::error!(detail, "uploads are refused until there is room again");
    }
    let title = Sentence::new("Queda poco disco", "Little disk is left");
    let alert = Alert::new("host", ALERT, severity, title, room.told(place));
    context.raise(alert.shown_at("/sistema", "")).await
}

/// Refuses what is larger than a command while the room that is left is kept.
pub(crate) async fn spare(
    State(context): State<Context>,
    lang: Lang,
    request: Request,
    next: Next,
) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    let length =
        request.headers().get(CONTENT_LENGTH).and_then(|text| text.to_str().ok()?.parse().ok());
    let chunked = request.headers().contains_key("transfer-encoding");
    let refused = match length {
        Some(length) if length <= COMMAND => None,
        Some(length) => context.options.room.refuses(length),
        None if chunked => context.options.room.refuses(COMMAND),
        None => None,
    };
    match refused {
        None => next.run(request).await,
        Some(why) => {
            tracing::warn!(why, path = request.uri().path(), "an upload was refused");
            let_flow(request.into_body()).await;
            full(lang).into_response()
        }
    }
}

/// Lets what is still being sent flow by, up to a bound: whoever sends reads no answer before that.
async fn let_flow(body: Body) {
    let mut pieces = body.into_data_stream();
    let flow = async {
        let mut left = FLOWS_BY;
        while let Some(Ok(piece)) = pieces.next().await {
            left = left.saturating_sub(piece.len());
            if left == 0 {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(FLOWS_FOR, flow).await;
}

/// 507: nothing was taken, and nothing of what was taken before is lost.
pub fn full(lang: Lang) -> Problem {
    Problem::new(StatusCode::INSUFFICIENT_STORAGE, "SIN_ESPACIO").lang(lang).detail(lang.t(
        "No queda espacio para archivos en el servidor; no se aceptó nada. Avisar a quien lo \
         administra e intentar de nuevo.",
        "The server has no room for files; nothing was accepted. Tell whoever runs it and try again.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(reserve: u64) -> DiskLimits {
        DiskLimits::new(reserve, 10, std::env::temp_dir().join("not/there/yet"))
    }

    #[test]
    fn a_disk_is_scarce_below_a_tenth_and_reserved_below_the_reserve() {
        let room = room(50);
        let at = |free| room.standing(Space { free, total: 1000 });
        assert_eq!([at(100), at(99), at(50), at(49)].map(|standing| standing as u8), [0, 1, 1, 2]);
    }

    #[test]
    fn what_would_eat_the_reserve_is_refused_before_it_does() {
        assert_eq!(room(0).refuses(1), None);
        let said = room(u64::MAX).refuses(1).unwrap();
        assert!(said.contains("are kept for what was accepted"), "{said}");
        assert!(room(0).refuses(u64::MAX).is_some(), "it would not fit at all");
    }
}
