//! Where files are kept: a directory or a bucket. Names from outside never become paths: a file
//! lives under its request's id and a number.

mod address;
pub mod backup;
mod fault;
mod ranged;
mod s3;
mod sweep;
mod writer;

use std::{
    io::{BufReader, Cursor, Read, Seek, Write as _},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use bytes::{Bytes, BytesMut};
use object_store::{
    ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, local::LocalFileSystem,
    memory::InMemory, path::Path as Key,
};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;

pub use address::{Address, Bucket, Keys};
pub use fault::Fault;
pub use writer::Writer;

use crate::{rules::storage::Mark, store::requests::FileRow};
use ranged::Ranged;
use writer::Small;

/// How `/ready` calls what is missing.
pub const SHORTAGE: &str = "storage";
/// What is uploaded at a time. A server takes no smaller parts of a larger file.
const PART_LOCAL: usize = 1 << 20;
const PART_S3: usize = 5 << 20;
/// What is asked of a server at a time of a file that is read whole.
const READ: u64 = 8 << 20;
const REQUESTS: &str = "requests";
const CASES: &str = "golden";
/// Says which storage this is, so that two are not taken for one.
const MARK: &str = "turno-storage.json";
/// The classifier that was trained here.
const CLASSIFIER: &str = "classifier.model";

/// All files of the application; cheap to clone.
#[derive(Clone, Debug)]
pub struct Storage {
    address: Address,
    /// The directory, where it is one of this machine.
    root: Option<PathBuf>,
    objects: Arc<dyn ObjectStore>,
    /// On which blocking threads wait for a server.
    handle: Option<Handle>,
    state: Arc<State>,
}

/// What was last heard of the storage.
#[derive(Debug, Default)]
struct State {
    away: Mutex<Option<String>>,
    shortages: OnceLock<host::Shortages>,
    /// What is kept free on the disks of this machine.
    room: OnceLock<host::DiskLimits>,
}

/// A file that was stored.
#[derive(Clone, Debug)]
pub struct Stored {
    pub bytes: u64,
    pub sha256: String,
    /// The file itself if it is small; then it is nowhere else.
    pub content: Option<Bytes>,
}

impl Default for Storage {
    /// Keeps nothing: for a process in which the application does not run.
    fn default() -> Self {
        Self {
            address: Address::default(),
            root: None,
            objects: Arc::new(InMemory::new()),
            handle: None,
            state: Arc::default(),
        }
    }
}

impl Storage {
    pub fn open(address: &Address) -> Result<Self, Fault> {
        let io = |error: std::io::Error| match Fault::of_io(address, "", &error) {
            Fault::Missing { .. } => Fault::Failed(format!("{address}: {error}")),
            other => other,
        };
        let other = |error: object_store::Error| Fault::of(address, "", &error);
        let (root, objects): (_, Arc<dyn ObjectStore>) = match address {
            Address::Folder(root) => {
                std::fs::create_dir_all(root).map_err(io)?;
                let root = root.canonicalize().map_err(io)?;
                let files = LocalFileSystem::new_with_prefix(&root).map_err(other)?;
                // An accepted request is on disk with its files.
                let files = files.with_fsync(true).with_automatic_cleanup(true);
                (Some(root), Arc::new(files))
            }
            Address::Bucket(bucket) => (None, s3::objects(bucket).map_err(other)?),
        };
        let handle = Handle::try_current().ok();
        Ok(Self { address: address.clone(), root, objects, handle, state: Arc::default() })
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// From now on, what is away is told there.
    pub fn report_to(&self, shortages: &host::Shortages) {
        let _ = self.state.shortages.set(shortages.clone());
    }

    /// From now on, uploads leave this much free.
    pub fn leave(&self, room: &host::DiskLimits) {
        let room = self.root.as_ref().map_or_else(|| room.clone(), |root| room.and(root));
        let _ = self.state.room.set(room);
    }

    /// Refuses what would eat into what is kept free.
    fn room_for(&self, bytes: u64) -> Result<(), Fault> {
        let room = self.state.room.get();
        room.and_then(|room| room.refuses(bytes)).map_or(Ok(()), |why| Err(Fault::Full(why)))
    }

    /// Why nothing can be had, as was last heard.
    pub fn away(&self) -> Option<String> {
        self.state.away.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The place of a request's file.
    pub fn place(request: &str, n: u32) -> String {
        format!("{REQUESTS}/{request}/{n}")
    }

    /// The place of a golden case's file.
    pub fn case_place(case: &str, n: u32) -> String {
        format!("{CASES}/{case}/{n}")
    }

    /// The place of a page's picture, made when first looked at.
    pub fn picture(request: &str, page: u32, size: &str) -> String {
        format!("{REQUESTS}/{request}/pages/{page}-{size}.jpg")
    }

    /// Takes a file in as it comes.
    pub fn writer(&self, place: &str) -> Writer {
        Writer::new(self.clone(), place, Small::Returned)
    }

    pub async fn put(&self, place: &str, bytes: Bytes) -> Result<(), Fault> {
        let put = self.objects.put(&Key::from(place), bytes.into()).await;
        self.noted(place, put.map(drop))
    }

    /// A whole file, part by part: a request lasts no longer than a part takes.
    pub async fn get(&self, place: &str) -> Result<Bytes, Fault> {
        let key = Key::from(place);
        let size = match self.objects.head(&key).await {
            Ok(about) => about.size,
            Err(error) => return Err(self.found_out(place, &error).await),
        };
        if size <= READ {
            return self.part(place, 0..size).await;
        }
        let mut whole = BytesMut::with_capacity(usize::try_from(size).unwrap_or(usize::MAX));
        let mut from = 0;
        while from < size {
            let until = (from + READ).min(size);
            whole.extend_from_slice(&self.part(place, from..until).await?);
            from = until;
        }
        Ok(whole.freeze())
    }

    async fn part(&self, place: &str, range: Range<u64>) -> Result<Bytes, Fault> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        match self.objects.get_range(&Key::from(place), range).await {
            Ok(bytes) => self.noted(place, Ok(bytes)),
            Err(error) => Err(self.found_out(place, &error).await),
        }
    }

    /// Which writing of a file this is: it changes when the file does. `None`: there is no file.
    pub async fn version(&self, place: &str) -> Result<Option<String>, Fault> {
        match self.objects.head(&Key::from(place)).await {
            Ok(about) => {
                let version = about.e_tag.unwrap_or_else(|| about.last_modified.to_string());
                self.noted(place, Ok(Some(version)))
            }
            Err(error) => match self.found_out(place, &error).await {
                Fault::Missing { .. } => Ok(None),
                other => Err(other),
            },
        }
    }

    /// A file for readers that jump about in it, on a blocking thread.
    pub fn reader(&self, file: &FileRow) -> std::io::Result<Box<dyn ReadSeek>> {
        Ok(match (&file.content, &self.root) {
            (Some(content), _) => Box::new(Cursor::new(content.clone())),
            (None, Some(root)) => Box::new(BufReader::new(self.local(root, &file.place)?)),
            (None, None) => Box::new(Ranged::new(self.clone(), file.place.clone(), file.bytes)),
        })
    }

    /// A whole file, on a blocking thread.
    pub fn read(&self, file: &FileRow) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(file.bytes).unwrap_or_default());
        match (&file.content, &self.root) {
            (Some(content), _) => return Ok(content.to_vec()),
            (None, Some(root)) => {
                self.local(root, &file.place)?.read_to_end(&mut bytes)?;
            }
            (None, None) => return Ok(self.wait(self.get(&file.place))?.into()),
        }
        Ok(bytes)
    }

    fn local(&self, root: &Path, place: &str) -> Result<std::fs::File, Fault> {
        std::fs::File::open(root.join(place)).map_err(|error| {
            let fault = Fault::of_io(&self.address, place, &error);
            let marked = root.join(MARK).exists();
            self.heard(if marked { fault } else { self.unmounted(fault) })
        })
    }

    /// Copies a file to another place, on a blocking thread.
    pub fn copy(&self, file: &FileRow, place: &str) -> std::io::Result<()> {
        if file.content.is_none() {
            self.write(place, &mut self.reader(file)?)?;
        }
        Ok(())
    }

    /// Writes a file from a blocking thread, whole or not at all.
    pub fn write(&self, place: &str, content: &mut dyn Read) -> std::io::Result<Stored> {
        let mut buffer = vec![0; 64 * 1024];
        if let Some(root) = &self.root {
            return write_local(root, place, content, &mut buffer);
        }
        let mut writer = Writer::new(self.clone(), place, Small::Stored);
        loop {
            match content.read(&mut buffer) {
                Ok(0) => return Ok(self.wait(writer.finish())?),
                Ok(n) => self.wait(writer.write(&buffer[..n]))?,
                Err(error) => {
                    self.wait_for(writer.give_up());
                    return Err(error);
                }
            }
        }
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        self.wait_for(work)
            .unwrap_or_else(|| Err(Fault::Failed("the storage has no runtime".to_owned())))
    }

    fn wait_for<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.handle.as_ref().map(|handle| handle.block_on(work))
    }

    /// The mark of this storage, if it has one.
    pub async fn mark(&self) -> Result<Option<Mark>, Fault> {
        let answer = match self.objects.get(&Key::from(MARK)).await {
            Ok(answer) => answer.bytes().await,
            Err(error) => Err(error),
        };
        let fault = match answer {
            Ok(bytes) => {
                return serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                    Fault::Failed(format!("{MARK} in {} is no mark: {error}", self.address))
                });
            }
            Err(error) => Fault::of(&self.address, MARK, &error),
        };
        match fault {
            Fault::Missing { .. } => Ok(None),
            other => Err(self.heard(other)),
        }
    }

    /// Marks this storage. Of several who do that at once, one does.
    pub async fn put_mark(&self, mark: &Mark, mode: Marking) -> Result<(), Fault> {
        let text = serde_json::to_vec(mark).map_err(|error| Fault::Failed(error.to_string()))?;
        let mode = match mode {
            Marking::First => PutMode::Create,
            Marking::Again => PutMode::Overwrite,
        };
        let options = PutOptions { mode, ..PutOptions::default() };
        let put = self.objects.put_opts(&Key::from(MARK), text.into(), options).await;
        match put {
            Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            put => self.noted(MARK, put.map(drop)),
        }
    }

    /// Where a classifier trained here is kept.
    pub fn classifier() -> &'static str {
        CLASSIFIER
    }

    fn part_size(&self) -> usize {
        if self.root.is_some() { PART_LOCAL } else { PART_S3 }
    }

    /// Up to this size a file is sent in one go.
    fn whole_up_to(&self) -> usize {
        if self.root.is_some() { 0 } else { PART_S3 }
    }

    /// What an error means. That a file is not there is said only by a storage that is.
    async fn found_out(&self, place: &str, error: &object_store::Error) -> Fault {
        let fault = Fault::of(&self.address, place, error);
        if !matches!(fault, Fault::Missing { .. }) {
            return self.heard(fault);
        }
        match self.mark().await {
            Ok(Some(_)) => self.heard(fault),
            Ok(None) => self.heard(self.unmounted(fault)),
            Err(fault) => fault,
        }
    }

    fn unmounted(&self, fault: Fault) -> Fault {
        let known = self.state.shortages.get().is_some();
        match fault {
            // Before the start is over, it may be a new storage.
            Fault::Missing { .. } if known => Fault::Away(format!(
                "the storage {} has lost its mark {MARK}: is it mounted, and the right one?",
                self.address
            )),
            other => other,
        }
    }

    fn fault(&self, place: &str, error: &object_store::Error) -> Fault {
        self.heard(Fault::of(&self.address, place, error))
    }

    fn noted<T>(&self, place: &str, did: Result<T, object_store::Error>) -> Result<T, Fault> {
        match did {
            Ok(done) => {
                self.state.tell(None);
                Ok(done)
            }
            Err(error) => Err(self.fault(place, &error)),
        }
    }

    fn heard(&self, fault: Fault) -> Fault {
        match &fault {
            Fault::Away(why) => self.state.tell(Some(why)),
            Fault::Missing { .. } => self.state.tell(None),
            Fault::Full(_) | Fault::Failed(_) => {}
        }
        fault
    }
}

/// Whether a storage may have had a mark before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    First,
    Again,
}

impl State {
    fn tell(&self, why: Option<&str>) {
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        if away.as_deref() == why {
            return;
        }
        *away = why.map(str::to_owned);
        let Some(shortages) = self.shortages.get() else { return };
        metrics::gauge!("docproc_storage_up").set(if why.is_some() { 0.0 } else { 1.0 });
        if shortages.set(SHORTAGE, why.map(str::to_owned)) {
            if let Some(why) = why {
                tracing::error!(why, "the storage is away; what needs it waits");
            } else {
                tracing::info!("the storage is back");
            }
        }
    }
}

fn write_local(
    root: &Path,
    place: &str,
    content: &mut dyn Read,
    buffer: &mut [u8],
) -> std::io::Result<Stored> {
    let path = root.join(place);
    let dir = path.parent().unwrap_or(root);
    std::fs::create_dir_all(dir)?;
    let half = path.with_extension("half");
    let mut file = std::fs::File::create(&half)?;
    let (mut digest, mut bytes) = (Sha256::new(), 0);
    loop {
        let n = content.read(buffer)?;
        if n == 0 {
            break;
        }
        digest.update(&buffer[..n]);
        bytes += n as u64;
        file.write_all(&buffer[..n])?;
    }
    file.sync_all()?;
    std::fs::rename(&half, &path)?;
    std::fs::File::open(dir)?.sync_all()?;
    Ok(Stored { bytes, sha256: db::hex(&digest.finalize()), content: None })
}

/// What archives are read from.
pub trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}
