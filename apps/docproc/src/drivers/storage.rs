//! Where files are kept. Names from outside never become paths: a file lives under its request's
//! id and a number.

use std::{
    io::{BufReader, Cursor, Read, Seek, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use object_store::{
    ObjectStore, ObjectStoreExt as _, WriteMultipart, local::LocalFileSystem, memory::InMemory,
    path::Path as Key,
};
use sha2::{Digest as _, Sha256};

use crate::store::requests::FileRow;

/// A file up to this size is kept in the database, in the commit of its request: there it costs no
/// sync of its own, and every process that shares the database has it.
const SMALL: usize = 64 << 10;
/// What is held in memory of an upload at most: a few of these.
const PART: usize = 1 << 20;
const PARTS: usize = 2;
const REQUESTS: &str = "requests";
const CASES: &str = "golden";

/// The files of all requests.
#[derive(Clone, Debug)]
pub struct Storage {
    root: PathBuf,
    objects: Arc<dyn ObjectStore>,
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
        Self { root: PathBuf::new(), objects: Arc::new(InMemory::new()) }
    }
}

impl Storage {
    pub fn open(root: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(root)?;
        let root = root.canonicalize()?;
        let files = LocalFileSystem::new_with_prefix(&root)?
            // An accepted request is on disk with its files.
            .with_fsync(true)
            .with_automatic_cleanup(true);
        Ok(Self { root, objects: Arc::new(files) })
    }

    /// The place of a request's file.
    pub fn place(request: &str, n: u32) -> String {
        format!("{REQUESTS}/{request}/{n}")
    }

    /// The place of a golden case's file.
    pub fn case_place(case: &str, n: u32) -> String {
        format!("{CASES}/{case}/{n}")
    }

    /// Copies a file to another place. Blocking.
    pub fn copy(&self, file: &FileRow, place: &str) -> std::io::Result<()> {
        if file.content.is_none() {
            self.write(place, &mut self.reader(file)?)?;
        }
        Ok(())
    }

    /// The place of a page's picture, made when first looked at.
    pub fn picture(request: &str, page: u32, size: &str) -> String {
        format!("{REQUESTS}/{request}/pages/{page}-{size}.jpg")
    }

    /// Takes a file in as it comes.
    pub fn writer(&self, place: &str) -> Writer {
        Writer {
            objects: self.objects.clone(),
            place: Key::from(place),
            small: Vec::new(),
            large: None,
            digest: Sha256::new(),
            bytes: 0,
        }
    }

    pub async fn put(&self, place: &str, bytes: Bytes) -> Result<(), object_store::Error> {
        self.objects.put(&Key::from(place), bytes.into()).await.map(drop)
    }

    pub async fn get(&self, place: &str) -> Result<Bytes, object_store::Error> {
        self.objects.get(&Key::from(place)).await?.bytes().await
    }

    /// Removes everything of a request; what is not there is removed already.
    pub async fn remove(&self, request: &str) -> std::io::Result<()> {
        self.remove_all(REQUESTS, request).await
    }

    /// The same of a golden case.
    pub async fn remove_case(&self, case: &str) -> std::io::Result<()> {
        self.remove_all(CASES, case).await
    }

    async fn remove_all(&self, kind: &str, owner: &str) -> std::io::Result<()> {
        let dir = self.root.join(kind).join(owner);
        match tokio::fs::remove_dir_all(dir).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// A file for readers that jump about in it.
    pub fn reader(&self, file: &FileRow) -> std::io::Result<Box<dyn ReadSeek>> {
        Ok(match &file.content {
            Some(content) => Box::new(Cursor::new(content.clone())),
            None => Box::new(BufReader::new(std::fs::File::open(self.local(&file.place))?)),
        })
    }

    /// Where a file is on disk.
    pub fn local(&self, place: &str) -> PathBuf {
        self.root.join(place)
    }

    /// Writes a file from a blocking thread, whole or not at all.
    pub fn write(&self, place: &str, content: &mut dyn Read) -> std::io::Result<Stored> {
        let path = self.local(place);
        let dir = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(dir)?;
        let half = path.with_extension("half");
        let mut file = std::fs::File::create(&half)?;
        let (mut digest, mut bytes) = (Sha256::new(), 0);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let n = content.read(&mut buffer)?;
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

    /// Requests whose files have not changed for so long, for the sweep of what no request owns.
    /// Reads the directory, so it blocks.
    pub fn owners_older_than(&self, age: Duration) -> Vec<String> {
        self.older_than(REQUESTS, age)
    }

    /// The same of golden cases.
    pub fn cases_older_than(&self, age: Duration) -> Vec<String> {
        self.older_than(CASES, age)
    }

    fn older_than(&self, kind: &str, age: Duration) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.root.join(kind)) else {
            return Vec::new();
        };
        let old = |entry: std::io::Result<std::fs::DirEntry>| {
            let entry = entry.ok()?;
            let modified = entry.metadata().ok()?.modified().ok()?;
            let is_old = modified.elapsed().is_ok_and(|elapsed| elapsed >= age);
            is_old.then_some(entry.file_name().into_string().ok()?)
        };
        entries.filter_map(old).collect()
    }
}

/// What archives are read from.
pub trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// A file on its way in: held until it is too large to be small, then written as it comes.
pub struct Writer {
    objects: Arc<dyn ObjectStore>,
    place: Key,
    small: Vec<u8>,
    large: Option<WriteMultipart>,
    digest: Sha256,
    bytes: u64,
}

impl Writer {
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), object_store::Error> {
        self.digest.update(chunk);
        self.bytes += chunk.len() as u64;
        if self.large.is_none() {
            self.small.extend_from_slice(chunk);
            if self.small.len() <= SMALL {
                return Ok(());
            }
            let upload = self.objects.put_multipart(&self.place).await?;
            let mut large = WriteMultipart::new_with_chunk_size(upload, PART);
            large.write(&std::mem::take(&mut self.small));
            self.large = Some(large);
        } else if let Some(large) = &mut self.large {
            large.wait_for_capacity(PARTS).await?;
            large.write(chunk);
        }
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub async fn finish(self) -> Result<Stored, object_store::Error> {
        let content = match self.large {
            Some(large) => {
                large.finish().await?;
                None
            }
            None => Some(Bytes::from(self.small)),
        };
        Ok(Stored { bytes: self.bytes, sha256: db::hex(&self.digest.finalize()), content })
    }

    pub async fn give_up(self) {
        if let Some(large) = self.large {
            // What stays behind is swept with everything that no request owns.
            let _ = large.abort().await;
        }
    }
}
