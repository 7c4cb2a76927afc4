//! A file that is open in another process, asked through its pipes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use image::RgbImage;

use super::pool::{Pool, Taken};
use super::wire::{Answer, Ask};
use super::worker::Lost;
use crate::broken::Told;
use crate::{Broken, Kind, Layer, Limits};

/// A child may be kept from the cores by others: by the clock on the wall it has so many times its
/// working time. Only one that sleeps gets there.
const ON_THE_WALL: u32 = 6;
/// A document that killed so many children is broken.
const DEATHS: u32 = 2;
/// Children that had left when they were asked; there are never more.
const LEFT: u32 = 64;

/// The bytes of a file, and what was found when it was first opened. Any child can open it again.
pub(crate) struct Remote {
    pool: Arc<Pool>,
    id: u64,
    bytes: Vec<u8>,
    kind: Kind,
    password: Option<String>,
    limits: Limits,
    sizes: Sizes,
}

/// Those of all pages, where they have one.
type Sizes = Vec<Result<(f32, f32), Told>>;

/// What a question came to: an answer, a refusal of the file, or the loss of whom was asked.
enum Failed {
    Broken(Broken),
    Lost(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

impl Remote {
    pub(super) fn open(
        pool: Arc<Pool>,
        bytes: Vec<u8>,
        kind: Kind,
        password: Option<&str>,
        limits: &Limits,
    ) -> Result<Self, Broken> {
        crate::document::check_length(bytes.len() as u64, limits)?;
        let (password, limits) = (password.map(str::to_owned), limits.clone());
        let id = pool.name();
        let mut remote = Self { pool, id, bytes, kind, password, limits, sizes: Vec::new() };
        remote.sizes = remote.on_a_child(remote.limits.open, Self::opened)?;
        if remote.sizes.is_empty() {
            return Err(Broken::NoPages);
        }
        Ok(remote)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn page_count(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn size(&self, page: usize) -> Result<(f32, f32), Broken> {
        match self.sizes.get(page) {
            Some(Ok(size)) => Ok(*size),
            Some(Err(told)) => Err(told.broken()),
            None => Err(Broken::NoSuchPage { page }),
        }
    }

    pub(crate) fn text(&self, page: usize) -> Result<Option<Layer>, Broken> {
        let ask = Ask::Text { id: self.id, page: page as u64 };
        match self.ask(&ask)? {
            (Answer::Text(layer), _) => Ok(layer),
            _ => Err(Broken::Died),
        }
    }

    pub(crate) fn draw(&self, page: usize, dpi: f32, side: u32) -> Result<RgbImage, Broken> {
        let ask = Ask::Draw { id: self.id, page: page as u64, dpi, side };
        match self.ask(&ask)? {
            (Answer::Drawn { width, height }, pixels) => {
                RgbImage::from_raw(width, height, pixels).ok_or(Broken::Died)
            }
            _ => Err(Broken::Died),
        }
    }

    fn ask(&self, ask: &Ask) -> Result<(Answer, Vec<u8>), Broken> {
        let time = self.limits.render;
        self.on_a_child(time, |remote, child| {
            if !child.worker()?.holds(remote.id) {
                remote.opened(child)?;
            }
            remote.tell(child, ask, &[], time)
        })
    }

    /// Has the file opened by a child that does not have it.
    fn opened(&self, child: &mut Taken<'_>) -> Result<Sizes, Failed> {
        let worker = child.worker()?;
        let forget = worker.hold(self.id, self.bytes.len() as u64);
        let ask = Ask::Open {
            id: self.id,
            kind: self.kind,
            password: self.password.clone(),
            limits: self.limits.clone(),
            forget,
        };
        match self.tell(child, &ask, &self.bytes, self.limits.open) {
            Ok((Answer::Opened(sizes), _)) if sizes.len() <= self.limits.pages => Ok(sizes),
            Ok(_) => Err(Failed::Lost(io::Error::other("this is no answer"))),
            Err(failed) => {
                child.worker()?.release(self.id);
                Err(failed)
            }
        }
    }

    fn tell(
        &self,
        child: &mut Taken<'_>,
        ask: &Ask,
        file: &[u8],
        time: Duration,
    ) -> Result<(Answer, Vec<u8>), Failed> {
        let most = self.limits.drawn.saturating_mul(3);
        match child.worker()?.ask(ask, file, time * ON_THE_WALL, most)? {
            (Answer::Broken(told), _) => Err(Failed::Broken(told.broken())),
            answered => Ok(answered),
        }
    }

    /// Does something on a child, and on a fresh one should that die: it may have died of what it
    /// had seen before. A second death is the file's own doing.
    fn on_a_child<T>(
        &self,
        time: Duration,
        work: impl Fn(&Self, &mut Taken<'_>) -> Result<T, Failed>,
    ) -> Result<T, Broken> {
        let (mut deaths, mut left) = (0, 0);
        loop {
            let mut child = self.pool.take(self.id, deaths > 0)?;
            let error = match work(self, &mut child) {
                Ok(done) => {
                    child.give_back();
                    return Ok(done);
                }
                Err(Failed::Broken(broken)) => {
                    child.give_back();
                    return Err(broken);
                }
                Err(Failed::Lost(error)) => error,
            };
            let lost = child.gone().map_or(Lost::Died, |worker| worker.end(&error));
            match lost {
                Lost::Left if left < LEFT => left += 1,
                Lost::Stopped => return Err(io::Error::from(io::ErrorKind::Interrupted).into()),
                Lost::Slow => return Err(Broken::Slow { seconds: time.as_secs() }),
                Lost::Greedy | Lost::Died | Lost::Left => {
                    deaths += 1;
                    if deaths >= DEATHS {
                        return Err(if lost == Lost::Greedy {
                            Broken::Greedy
                        } else {
                            Broken::Died
                        });
                    }
                }
            }
        }
    }
}
