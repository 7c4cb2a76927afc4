//! Where files are kept. Names from outside never become paths: a file lives under its request's
//! id and a number.

use std::{
    io::{Read, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use object_store::{
    ObjectStore, ObjectStoreExt as _, WriteMultipart, local::LocalFileSystem, path::Path as Key,
};
use sha2::{Digest as _, Sha256};

/// What is held in memory of an upload at most: a few of these.
const PART: usize = 1 << 20;
const PARTS: usize = 2;

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
        format!("requests/{request}/{n}")
    }

    /// The place of a page's picture, made when first looked at.
    pub fn picture(request: &str, page: u32, size: &str) -> String {
        format!("requests/{request}/pages/{page}-{size}.jpg")
    }

    /// Takes a file in as it comes.
    pub async fn writer(&self, place: &str) -> Result<Writer, object_store::Error> {
        let upload = self.objects.put_multipart(&Key::from(place)).await?;
        Ok(Writer {
            inner: WriteMultipart::new_with_chunk_size(upload, PART),
            digest: Sha256::new(),
            bytes: 0,
        })
    }

    pub async fn put(&self, place: &str, bytes: Bytes) -> Result<(), object_store::Error> {
        self.objects.put(&Key::from(place), bytes.into()).await.map(drop)
    }

    pub async fn get(&self, place: &str) -> Result<Bytes, object_store::Error> {
        self.objects.get(&Key::from(place)).await?.bytes().await
    }

    /// Removes everything of a request; what is not there is removed already.
    pub async fn remove(&self, request: &str) -> std::io::Result<()> {
        let dir = self.root.join("requests").join(request);
        match tokio::fs::remove_dir_all(dir).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// A file for readers that jump about in it.
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
        Ok(Stored { bytes, sha256: ::store::hex(&digest.finalize()) })
    }

    /// Requests whose files have not changed for so long, for the sweep of what no request owns.
    /// Blocking.
    pub fn owners_older_than(&self, age: Duration) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.root.join("requests")) else {
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

/// A file on its way in.
pub struct Writer {
    inner: WriteMultipart,
    digest: Sha256,
    bytes: u64,
}

impl Writer {
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), object_store::Error> {
        self.inner.wait_for_capacity(PARTS).await?;
        self.digest.update(chunk);
        self.bytes += chunk.len() as u64;
        self.inner.write(chunk);
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub async fn finish(self) -> Result<Stored, object_store::Error> {
        self.inner.finish().await?;
        Ok(Stored { bytes: self.bytes, sha256: ::store::hex(&self.digest.finalize()) })
    }

    pub async fn give_up(self) {
        // What stays behind is swept with everything that no request owns.
        let _ = self.inner.abort().await;
    }
}
