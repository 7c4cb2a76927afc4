//! R-15c: files on a shared volume or in S3, and a storage that is not the others'.

use std::{
    io::{Cursor, Write as _},
    net::SocketAddr,
    time::{Duration, Instant},
};

use docproc::{
    Part,
    decisions::storage::{self as decisions, Unsettled},
    drivers::{
        runtime::Secret,
        storage::{Address, Bucket, Fault, Keys, Storage},
    },
    store::requests::FileRow,
};
use host::By;
use testkit::S3Server;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    office::{self, Office, Setup, TestDb, noon, on_both, on_sqlite},
    outside::Outside,
    wire::Wire,
};

/// A flow without people: nothing waits, whatever the confidence.
const FLOW: &str = "
name: unattended
sla: {deadline_seconds: 600}
stages:
  - {name: split, component: splitter}
  - {name: ocr, component: ocr}
  - {name: classify, component: classifier}
  - {name: group, component: classification_aggregator}
  - {name: extract, component: extractor}
  - {name: join, component: extraction_aggregator}
  - {name: consolidate, component: consolidator}
extraction_schemas:
  receipt:
    fields: [{name: total, type: decimal}]
other_types: [other]
";
const UNATTENDED: &[(&str, &str)] = &[("workflow", "unattended")];

fn bucket(server: &S3Server, prefix: &str) -> Bucket {
    let secret = Secret::new(server.secret.clone());
    Bucket {
        name: server.bucket.clone(),
        prefix: prefix.to_owned(),
        endpoint: Some(server.endpoint.clone()),
        region: Some("us-east-1".to_owned()),
        keys: Some(Keys { id: server.key_id.clone(), secret, token: None }),
    }
}

fn open(address: impl Into<Address>) -> Storage {
    Storage::open(&address.into()).unwrap()
}

fn folder(db: &TestDb, name: &str) -> Storage {
    open(db.dir.join(name))
}

async fn settle(context: &host::Context, storage: &Storage) -> Result<(), Unsettled> {
    decisions::settle(&context.store, storage, noon()).await
}

/// A document of so many bytes: what is added is a remark that no reader looks at.
fn pdf(bytes: usize) -> Vec<u8> {
    let receipt = samples::generate(samples::Kind::Receipt, samples::Lang::Es, 7);
    let mut pdf = samples::pdf(&[&receipt]);
    let end = pdf.windows(9).rposition(|word| word == b"startxref").unwrap();
    let tail = pdf.split_off(end);
    while pdf.len() + tail.len() < bytes {
        let n = (bytes - pdf.len() - tail.len()).clamp(2, 80);
        pdf.push(b'%');
        pdf.extend((2..n).map(|n| b'a' + (n % 26) as u8));
        pdf.push(b'\n');
    }
    pdf.extend(tail);
    pdf
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in files {
        zip.start_file(*name, stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn row(place: &str, bytes: u64) -> FileRow {
    FileRow {
        n: 0,
        name: String::new(),
        kind: "pdf".to_owned(),
        bytes,
        sha256: String::new(),
        place: place.to_owned(),
        content: None,
        packed_in: None,
        password: None,
        pages: None,
    }
}

/// What every storage has to do, whatever it is.
async fn keeps_files(storage: Storage) {
    for bytes in [1, 64 << 10, (64 << 10) + 1, (5 << 20) + 1, 17 << 20] {
        let content: Vec<u8> = (0..bytes).map(|n| (n * 31 % 251) as u8).collect();
        let place = Storage::place("r1", bytes as u32);
        let mut writer = storage.writer(&place);
        for chunk in content.chunks(100_000) {
            writer.write(chunk).await.unwrap();
        }
        let stored = writer.finish().await.unwrap();
        assert_eq!((stored.bytes, stored.sha256), (bytes, db::sha256_hex(&content)));
        assert_eq!(stored.content.is_some(), bytes <= 64 << 10, "the small are the caller's");
        let blocking = storage.clone();
        tokio::task::spawn_blocking(move || {
            let copy = Storage::case_place("c1", bytes as u32);
            let wrote = blocking.write(&copy, &mut Cursor::new(&content)).unwrap();
            assert_eq!((wrote.bytes, wrote.content), (bytes, None));
            let file = row(&copy, bytes);
            assert_eq!(blocking.read(&file).unwrap(), content);
            let mut reader = blocking.reader(&file).unwrap();
            let (middle, mut rest) = (bytes / 2, Vec::new());
            reader
                .seek(std::io::SeekFrom::End(middle.cast_signed() - bytes.cast_signed()))
                .unwrap();
            reader.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, content[middle as usize..]);
        })
        .await
        .unwrap();
    }
    let old = storage.owners_older_than(Duration::ZERO).await;
    assert!(old.is_empty() || old == ["r1"], "{old:?}");
    assert!(storage.owners_older_than(Duration::from_hours(24)).await.is_empty());
    storage.remove("r1").await.unwrap();
    storage.remove("r1").await.unwrap();
    let gone = storage.get(&Storage::place("r1", 17 << 20)).await;
    assert!(matches!(gone, Err(Fault::Missing { .. })), "{gone:?}");
    assert!(storage.version(&Storage::case_place("c1", 1)).await.unwrap().is_some());
    storage.remove_case("c1").await.unwrap();
    assert_eq!(storage.version(&Storage::case_place("c1", 1)).await.unwrap(), None);
}

#[tokio::test]
async fn files_of_any_size_are_kept_in_a_directory() {
    on_sqlite(async |db| keeps_files(folder(db, "files")).await).await;
}

#[tokio::test]
async fn files_of_any_size_are_kept_in_a_bucket() {
    let Some(server) = S3Server::start().await else { return };
    keeps_files(open(Address::Bucket(bucket(&server, "")))).await;
    keeps_files(open(Address::Bucket(bucket(&server, "house/files")))).await;
}

#[tokio::test]
async fn documents_in_a_bucket_are_read_shown_and_removed() {
    let Some(server) = S3Server::start().await else { return };
    on_both(async |db| {
        let prefix = db.dir.file_name().unwrap().to_str().unwrap();
        let mut setup = Setup::of(db);
        setup.house.body_bytes = 30 << 20;
        setup.storage = Address::Bucket(bucket(&server, prefix));
        let office = Office::with(setup).await;
        let (large, small) = (pdf(6 << 20), pdf(70 << 10));
        let packed = zip(&[("large.pdf", &large), ("small.pdf", &small)]);
        let files = [("l.pdf", large), ("s.pdf", pdf(0)), ("all.zip", packed)];
        office.workflow("unattended", FLOW).await;
        let (status, body) = office.send(&files, UNATTENDED).await;
        assert_eq!(status, 200, "{body}");
        let id = body["request_id"].as_str().unwrap();
        let ended = office.finished(id).await;
        assert_eq!((&ended["status"], &ended["page_count"]), (&"completed".into(), &4.into()));
        for _ in 0..2 {
            let path = format!("/api/docproc/requests/{id}/pages/0/image");
            let picture = office.client.request(reqwest::Method::GET, &path).send().await.unwrap();
            assert_eq!(picture.status(), 200);
            assert!(picture.bytes().await.unwrap().starts_with(&[0xff, 0xd8]), "a JPEG");
        }
        let storage = open(Address::Bucket(bucket(&server, prefix)));
        assert!(storage.get(&Storage::picture(id, 0, "screen")).await.is_ok(), "it was kept");
        assert!(!db.dir.join("files").exists(), "nothing is kept here");
        office.context().runtime.storage.remove(id).await.unwrap();
        assert!(storage.get(&Storage::place(id, 0)).await.is_err());
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_is_wrong_with_a_bucket_is_named() {
    let Some(server) = S3Server::start().await else { return };
    let right = bucket(&server, "named");
    let keys = |id: &str, secret: &str| {
        let secret = Secret::new(secret.to_owned());
        Some(Keys { id: id.to_owned(), secret, token: None })
    };
    let nobody = "http://127.0.0.1:1".to_owned();
    for (wrong, parts) in [
        (Bucket { name: "nowhere".to_owned(), ..right.clone() }, ["no bucket", "nowhere"]),
        (Bucket { keys: keys("AKIAWRONG", "x"), ..right.clone() }, ["AWS_ACCESS_KEY_ID", "know"]),
        (
            Bucket { keys: keys(&server.key_id, "not the secret"), ..right.clone() },
            ["AWS_SECRET_ACCESS_KEY", "belong"],
        ),
        (Bucket { endpoint: Some(nobody), ..right.clone() }, ["nothing answers", "127.0.0.1:1"]),
    ] {
        let began = Instant::now();
        let Err(Fault::Away(said)) = open(Address::Bucket(wrong)).mark().await else {
            panic!("{parts:?} is an outage");
        };
        for part in parts {
            assert!(said.contains(part), "{said}");
        }
        assert!(!said.contains("not the secret") && !said.contains(&server.secret), "{said}");
        assert!(began.elapsed() < Duration::from_secs(20), "{said}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_not_waited_for_long() {
    let Some(server) = S3Server::start().await else { return };
    on_sqlite(async |db| {
        let (prepared, _) = office::prepared(&Setup::of(db)).await;
        let storage = open(Address::Bucket(bucket(&server, "silent")));
        server.freeze().await;
        let began = Instant::now();
        let said = settle(&prepared.context, &storage).await.unwrap_err().to_string();
        assert!(said.contains("does not answer within"), "{said}");
        assert!(began.elapsed() < Duration::from_secs(25));
        server.wake().await;
    })
    .await;
}

/// Somebody takes a request while another, who is to work on it, cannot reach the files.
#[tokio::test]
async fn work_waits_for_a_storage_that_is_away_and_goes_on_when_it_is_back() {
    let Some(server) = S3Server::start().await else { return };
    let Some(db) = TestDb::postgres().await else { return };
    let to: SocketAddr = server.endpoint.strip_prefix("http://").unwrap().parse().unwrap();
    let mut wire = Wire::lay(to).await;
    let mut setup = Setup::of(&db);
    setup.house.body_bytes = 30 << 20;
    setup.storage = Address::Bucket(bucket(&server, "away"));
    let worker = Setup {
        storage: Address::Bucket(Bucket {
            endpoint: Some(format!("http://{}", wire.address)),
            ..bucket(&server, "away")
        }),
        ..setup.clone()
    };
    let door = Office::with(Setup { part: Part::Gateway, ..setup }).await;
    let (prepared, context) = office::prepared(&worker).await;
    let worker = Office::start(worker, prepared, context, Outside::start().await).await;
    door.workflow("unattended", FLOW).await;
    wire.cut();
    let (status, body) = door.send(&[("l.pdf", pdf(6 << 20))], UNATTENDED).await;
    assert_eq!(status, 200, "{body}");
    let id = body["request_id"].as_str().unwrap();
    let path = format!("/api/docproc/requests/{id}/why");
    let told = |why: &serde_json::Value| why.to_string().contains("nothing answers at");
    door.poll(&path, told).await;
    let ready = worker.client.get("/ready").await.expect(200);
    assert_eq!(ready["degraded"], serde_json::json!(["storage"]), "{ready}");
    assert!(ready["why"].as_str().unwrap().contains("papers"), "{ready}");
    let counted = "SELECT MAX(attempt) AS n FROM messages";
    assert!(door.count(counted).await <= 1, "such a try does not count");
    wire.mend().await;
    let ended = door.finished(id).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let ready = worker.client.get("/ready").await.expect(200);
    assert_eq!(ready, serde_json::json!({ "ready": true }));
    worker.close().await;
    door.close().await;
}

#[tokio::test]
async fn a_storage_that_is_not_the_others_is_refused_until_it_is_adopted() {
    on_both(async |db| {
        // This process made `files` its storage.
        let (prepared, context) = office::prepared(&Setup::of(db)).await;
        let (ours, other) = (folder(db, "files"), folder(db, "elsewhere"));
        settle(&prepared.context, &ours).await.unwrap();
        let said = settle(&prepared.context, &other).await.unwrap_err().to_string();
        for part in ["elsewhere", "no mark", "files"] {
            assert!(said.contains(part), "{said}");
        }
        let by = By::system(docproc::NAME);
        // Somebody who works with it would go on, and find nothing of what comes.
        let office = Office::open(db).await;
        let adopted = decisions::adopt(&context.store, &other, &by, "moved", noon()).await;
        let said = adopted.unwrap_err().to_string();
        assert!(said.contains(&office.context().process.name), "{said}");
        office.close().await;
        decisions::adopt(&context.store, &other, &by, "moved", noon()).await.unwrap();
        settle(&prepared.context, &other).await.unwrap();
        let said = settle(&prepared.context, &ours).await.unwrap_err().to_string();
        for part in ["files", "is not the one", "elsewhere"] {
            assert!(said.contains(part), "{said}");
        }
        let audited = "SELECT COUNT(*) AS n FROM audit WHERE action = 'storage.adopt'";
        let mut tx = context.store.read().await.unwrap();
        assert_eq!(tx.one(audited, &[]).await.unwrap().get::<i64>("n").unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn the_files_of_another_database_are_left_alone() {
    on_sqlite(async |db| {
        office::prepared(&Setup::of(db)).await;
        let stranger = TestDb::sqlite();
        let (prepared, _) = office::prepared(&Setup::of(&stranger)).await;
        let theirs = folder(db, "files");
        let said = settle(&prepared.context, &theirs).await.unwrap_err().to_string();
        assert!(said.contains("no mark") || said.contains("another database"), "{said}");
    })
    .await;
}

/// Files from before there were marks: their storage is known by them, and an empty one is not it.
#[tokio::test]
async fn a_new_storage_does_not_take_the_place_of_one_that_has_files() {
    on_both(async |db| {
        let mut setup = Setup::of(db);
        setup.house.body_bytes = 1 << 20;
        let office = Office::with(setup).await;
        office.workflow("unattended", FLOW).await;
        let (status, body) = office.send(&[("l.pdf", pdf(70 << 10))], UNATTENDED).await;
        assert_eq!(status, 200, "{body}");
        office.finished(body["request_id"].as_str().unwrap()).await;
        let store = office.context().store.clone();
        let mut decision = store.decide(&docproc::store::storage::scope(), noon()).await.unwrap();
        decision.tx.execute("DELETE FROM file_storage", &[]).await.unwrap();
        decision.commit().await.unwrap();
        std::fs::remove_file(db.dir.join("files/turno-storage.json")).unwrap();
        let empty = folder(db, "empty");
        let said = decisions::settle(&store, &empty, noon()).await.unwrap_err().to_string();
        assert!(said.contains("empty") && said.contains("none of the files"), "{said}");
        decisions::settle(&store, &folder(db, "files"), noon()).await.unwrap();
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn of_many_first_starts_at_once_one_storage_is_the_one() {
    on_both(async |db| {
        let house = testkit::Setup::at(noon(), db);
        let prepared = house.prepare(docproc::app_in(std::sync::Arc::default())).await;
        let storages = [folder(db, "one"), folder(db, "two")];
        let mut starts = tokio::task::JoinSet::new();
        for n in 0..8 {
            let (context, storage) = (prepared.context.clone(), storages[n % 2].clone());
            starts.spawn(async move { (n % 2, settle(&context, &storage).await.is_ok()) });
        }
        let mut begun = [0, 0];
        while let Some(ended) = starts.join_next().await {
            let (which, ok) = ended.unwrap();
            begun[which] += usize::from(ok);
        }
        assert!(begun == [4, 0] || begun == [0, 4], "{begun:?}");
    })
    .await;
}
