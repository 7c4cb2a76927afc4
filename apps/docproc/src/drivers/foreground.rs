//! Work in the foreground, opened and drawn while somebody waits for it: files that are sent, pages
//! for a screen. A few at a time, so that readers of pages keep their place, and each page once,
//! however many look at it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use engine::Sentence;
use paper::Broken;
use tokio::sync::{Mutex as Lane, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use super::{runtime::Runtime, storage::Fault};
use crate::store::requests::FileRow;

/// So many are opened or drawn at once.
pub const PLACES: usize = 3;
/// Pages that could not be drawn are remembered, so many of them, and not tried at every look.
const REMEMBERED: usize = 1000;

pub struct Foreground {
    places: Arc<Semaphore>,
    lanes: Mutex<HashMap<String, Arc<Lane<()>>>>,
    failed: Mutex<HashMap<String, Sentence>>,
}

impl Default for Foreground {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(PLACES)),
            lanes: Mutex::default(),
            failed: Mutex::default(),
        }
    }
}

/// A picture of a page, wanted by somebody.
#[derive(Debug)]
pub struct Wanted {
    pub file: FileRow,
    pub page: usize,
    pub dpi: f32,
    /// No side is longer.
    pub side: u32,
    /// Where it is kept.
    pub place: String,
}

/// Why there is no picture.
pub enum Unseen {
    Broken(Sentence),
    Storage(Fault),
}

impl Foreground {
    /// A place, if one is free in time.
    pub async fn place(&self, within: Duration) -> Option<OwnedSemaphorePermit> {
        let place = self.places.clone().acquire_owned();
        tokio::time::timeout(within, place).await.ok()?.ok()
    }

    /// Nobody else is at this page until the answer is dropped.
    async fn alone(&self, place: &str) -> OwnedMutexGuard<()> {
        let lane = {
            let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
            lanes.entry(place.to_owned()).or_default().clone()
        };
        lane.lock_owned().await
    }

    fn failure(&self, place: &str) -> Option<Sentence> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get(place).cloned()
    }

    fn remember(&self, place: String, sentence: Sentence) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.len() >= REMEMBERED {
            failed.clear();
        }
        failed.insert(place, sentence);
    }
}

/// A page as a picture: kept, or made now and kept. It is made to its end even when whoever asked
/// is gone: the next one finds it.
pub async fn picture(
    runtime: Arc<Runtime>,
    wanted: Wanted,
    encode: impl FnOnce(image::RgbImage) -> Bytes + Send + 'static,
) -> Result<Bytes, Unseen> {
    let made = tokio::spawn(async move {
        let foreground = &runtime.foreground;
        let _alone = foreground.alone(&wanted.place).await;
        match runtime.storage.get(&wanted.place).await {
            Ok(kept) => return Ok(kept),
            Err(Fault::Missing { .. }) => {}
            Err(fault) => return Err(Unseen::Storage(fault)),
        }
        if let Some(sentence) = foreground.failure(&wanted.place) {
            return Err(Unseen::Broken(sentence));
        }
        let place = foreground.places.clone().acquire_owned().await;
        let (drawing, on) = (runtime.clone(), wanted.place.clone());
        let drawn = tokio::task::spawn_blocking(move || {
            let _place = place;
            let document = drawing.document(&wanted.file, &drawing.limits())?;
            document.draw(wanted.page, wanted.dpi, wanted.side).map(encode)
        });
        let bytes = match drawn.await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(broken)) => {
                let sentence = said(&broken);
                if !matches!(broken, Broken::Io(_)) {
                    foreground.remember(on, sentence.clone());
                }
                return Err(Unseen::Broken(sentence));
            }
            Err(_) => return Err(Unseen::Broken(said(&Broken::Died))),
        };
        if let Err(error) = runtime.storage.put(&on, bytes.clone()).await {
            tracing::warn!(%error, "a picture was made but not kept");
        }
        Ok(bytes)
    });
    made.await.unwrap_or_else(|_| Err(Unseen::Broken(said(&Broken::Died))))
}

fn said(broken: &Broken) -> Sentence {
    Sentence::new(broken.sentence_es(), broken.to_string())
}
