//! A backup holds the files that rows speak of, whole and checked, in little memory.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    sync::{Arc, Mutex},
};

use db::{
    Tx,
    backup::{self, BackupError, Contents, Files, Incoming, Owed},
    sha256_hex,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use futures::future::BoxFuture;
use sha2::Digest as _;

use crate::{
    deciding::kitchen,
    test_db::{DEMO, TestDb, count, now},
};

type Papers = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A place of files that is not ours: a shelf that can lose and damage them.
#[derive(Clone, Debug, Default)]
struct Shelf {
    owed: Vec<Owed>,
    papers: Papers,
    /// Made on the way instead of kept: so many zeros.
    zeros: u64,
}

impl Shelf {
    fn of(sizes: &[usize]) -> Self {
        let mut shelf = Self::default();
        for (n, size) in sizes.iter().enumerate() {
            let bytes: Vec<u8> = (0..*size).map(|i| (i * 31 + n) as u8).collect();
            shelf.owe(&format!("deep/{n:02}"), Some(sha256(&bytes)), false);
            shelf.papers.lock().unwrap().insert(format!("deep/{n:02}"), bytes);
        }
        shelf
    }

    fn owe(&mut self, name: &str, sha256: Option<String>, optional: bool) {
        let (name, position) = (name.to_owned(), name.to_owned());
        self.owed.push(Owed { name, sha256, optional, position });
    }

    fn contents(&self) -> Contents {
        Contents { files: vec![Arc::new(self.clone())], ..Contents::default() }
    }
}

fn sha256(bytes: &[u8]) -> String {
    db::hex(&sha2::Sha256::digest(bytes))
}

impl Files for Shelf {
    fn owner(&self) -> &'static str {
        "demo"
    }

    fn address(&self) -> String {
        "the shelf".to_owned()
    }

    /// Two at a time, so that pages are turned.
    fn owed<'a>(
        &'a self,
        _: &'a mut Tx,
        after: Option<&'a Owed>,
    ) -> BoxFuture<'a, Result<Vec<Owed>, BackupError>> {
        let after = after.map_or("", |owed| owed.position.as_str());
        let rest = self.owed.iter().filter(|owed| owed.position.as_str() > after);
        let page = rest.take(2).cloned().collect();
        Box::pin(std::future::ready(Ok(page)))
    }

    fn size<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<u64>, String>> {
        let zeros = (name == "zeros" && self.zeros > 0).then_some(self.zeros);
        let size = self.papers.lock().unwrap().get(name).map(|bytes| bytes.len() as u64);
        Box::pin(std::future::ready(Ok(zeros.or(size))))
    }

    fn part<'a>(
        &'a self,
        name: &'a str,
        from: u64,
        until: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        let part = if name == "zeros" {
            vec![0; (until - from) as usize]
        } else {
            self.papers.lock().unwrap()[name][from as usize..until as usize].to_vec()
        };
        Box::pin(std::future::ready(Ok(part)))
    }

    fn begin(&self, name: &str) -> Box<dyn Incoming> {
        Box::new(Paper { name: name.to_owned(), bytes: Vec::new(), papers: self.papers.clone() })
    }
}

struct Paper {
    name: String,
    bytes: Vec<u8>,
    papers: Papers,
}

impl Incoming for Paper {
    fn write<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, Result<(), String>> {
        // What nobody keeps costs no memory.
        if self.name != "zeros" {
            self.bytes.extend_from_slice(piece);
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn finish(self: Box<Self>) -> BoxFuture<'static, Result<(), String>> {
        self.papers.lock().unwrap().insert(self.name, self.bytes);
        Box::pin(std::future::ready(Ok(())))
    }
}

const SIZES: [usize; 6] = [0, 1, 64 << 10, 256 << 10, (256 << 10) + 1, 1_000_000];

pub(crate) async fn files_come_back_byte_by_byte(test_db: &TestDb) {
    let source = test_db.store().await;
    kitchen(&source, "norte", 9).await;
    let shelf = Shelf::of(&SIZES);
    let file = test_db.file("backup.gz");
    let written = backup::write(&source, &file, &shelf.contents(), now()).await.unwrap();
    assert_eq!((written.files, written.bytes), (6, SIZES.iter().sum::<usize>() as u64));
    let (_, checked) = backup::check(&file).await.unwrap();
    assert_eq!((checked.files, checked.bytes), (written.files, written.bytes));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let copy = TestDb::sqlite();
    let (target, empty) = (copy.store().await, Shelf::default());
    let places: [Arc<dyn Files>; 1] = [Arc::new(empty.clone())];
    // Once into an empty place, and once where the same files are already.
    backup::restore(&target, &file, Some(&places), &[DEMO], now()).await.unwrap();
    assert_eq!(*empty.papers.lock().unwrap(), *shelf.papers.lock().unwrap());
    let again = TestDb::sqlite();
    let there = backup::restore(&again.store().await, &file, Some(&places), &[DEMO], now()).await;
    assert_eq!(there.unwrap().files, 6);
    for test_db in [copy, again] {
        test_db.remove().await;
    }
}

pub(crate) async fn what_is_not_in_it_is_told(test_db: &TestDb) {
    let source = test_db.store().await;
    let mut shelf = Shelf::of(&[10, 20, 30]);
    shelf.owe("zz/gone", Some(sha256_hex("gone")), false);
    shelf.owe("zz/maybe", None, true);
    shelf.papers.lock().unwrap().get_mut("deep/01").unwrap()[3] ^= 1;
    let file = test_db.file("backup.gz");
    let written = backup::write(&source, &file, &shelf.contents(), now()).await.unwrap();
    assert_eq!((written.files, written.missing, written.damaged), (3, 1, 1));
    assert_eq!(written.named, ["demo/deep/01", "demo/zz/gone"]);
    let (_, checked) = backup::check(&file).await.unwrap();
    assert_eq!(checked.named, written.named, "and again when it is verified");

    let without = Contents { left_out: vec!["demo".to_owned()], ..Contents::default() };
    backup::write(&source, &file, &without, now()).await.unwrap();
    let (manifest, checked) = backup::check(&file).await.unwrap();
    assert_eq!((manifest.left_out, checked.files), (vec!["demo".to_owned()], 0));
}

pub(crate) async fn another_file_is_not_written_over(test_db: &TestDb) {
    let source = test_db.store().await;
    kitchen(&source, "norte", 9).await;
    let shelf = Shelf::of(&[10, 20, 300_000]);
    let file = test_db.file("backup.gz");
    backup::write(&source, &file, &shelf.contents(), now()).await.unwrap();
    for other in [vec![7; 300_000], vec![7; 5], vec![]] {
        let copy = TestDb::sqlite();
        let (target, occupied) = (copy.store().await, Shelf::default());
        occupied.papers.lock().unwrap().insert("deep/02".to_owned(), other.clone());
        let places: [Arc<dyn Files>; 1] = [Arc::new(occupied.clone())];
        let refused = backup::restore(&target, &file, Some(&places), &[DEMO], now()).await;
        let said = refused.unwrap_err().to_string();
        assert!(said.contains("deep/02 is there already"), "{said}");
        assert_eq!(occupied.papers.lock().unwrap()["deep/02"], other);
        assert_eq!(count(&target, "SELECT COUNT(*) AS n FROM kitchens").await, 0, "no rows either");
        copy.remove().await;
    }
}

pub(crate) async fn a_damaged_piece_is_noticed(test_db: &TestDb) {
    let source = test_db.store().await;
    let file = test_db.file("backup.gz");
    backup::write(&source, &file, &Shelf::of(&[70_000]).contents(), now()).await.unwrap();
    let mut plain = Vec::new();
    GzDecoder::new(fs::File::open(&file).unwrap()).read_to_end(&mut plain).unwrap();
    let middle = plain.len() - 40_000;
    plain[middle] ^= 1;
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&plain).unwrap();
    fs::write(&file, packed.finish().unwrap()).unwrap();
    let said = backup::check(&file).await.unwrap_err().to_string();
    assert!(said.contains("the checksum of demo/deep/00"), "{said}");
}

/// A file of 96 MB passes through a few: on `SQLite` only, and in a process of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_file_passes_through_little_memory() {
    let peak = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let (home, copy) = (TestDb::sqlite(), TestDb::sqlite());
    let mut shelf = Shelf { zeros: 96 << 20, ..Shelf::default() };
    shelf.owe("zeros", None, false);
    let (source, target) = (home.store().await, copy.store().await);
    let file = home.file("backup.gz");
    let before = peak();
    let written = backup::write(&source, &file, &shelf.contents(), now()).await.unwrap();
    let places: [Arc<dyn Files>; 1] = [Arc::new(Shelf::default())];
    backup::restore(&target, &file, Some(&places), &[DEMO], now()).await.unwrap();
    let grown = peak() - before;
    assert_eq!(written.bytes, 96 << 20);
    assert!(grown < 48 << 10, "{grown} kB more than before");
    for test_db in [home, copy] {
        test_db.remove().await;
    }
}
