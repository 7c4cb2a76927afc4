//! A backup holds every row and restores into either database.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
};

use db::{
    Line, Step, Store, Value, audit,
    backup::{self, BackupError, Contents, Summary},
    effects::Outcome,
    events, idempotency,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use crate::{
    deciding::{Kitchen, ask, bell, entry, kitchen, taken, used},
    test_db::{DEMO, ME, TestDb, count, now, scope},
};

/// Rows of every table, with every kind of value, and numbers whose rows are gone.
async fn fill(store: &Store) {
    kitchen(store, "norte", 9).await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.command(&Kitchen("norte"), ask("Ñandú 🍕")).await.unwrap().unwrap();
    decision.emit(events::NewEvent { data: Json::Null, ..taken("a JSON null") });
    decision.emit(events::NewEvent { data: json!("null"), subject: None, ..taken("") });
    for key in ["a", "b", "c"] {
        decision.effect(bell(key));
    }
    decision.audit(entry("ana"));
    decision.audit(entry("bea"));
    let answer = json!({ "z": 0.1 + 0.2, "a": [1, null] });
    idempotency::remember(&mut decision, "orders", "k", "f", &answer).await.unwrap();
    let sql = "INSERT INTO settings (app, key, value, updated_at, updated_by)
               VALUES ('demo', 'OPEN', $1, $2, 'ana')";
    decision.tx.execute(sql, &[json!(false).into(), now().into()]).await.unwrap();
    let sql = "INSERT INTO samples (flag, whole, ratio, words, moment, document)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let early: Timestamp = "1969-07-20T20:17:40.000001Z".parse().unwrap();
    for args in [
        [
            true.into(),
            i64::MIN.into(),
            (0.1 + 0.2).into(),
            "".into(),
            early.into(),
            json!({}).into(),
        ],
        [
            false.into(),
            i64::MAX.into(),
            f64::MAX.into(),
            "\r\n\"".into(),
            now().into(),
            Json::Null.into(),
        ],
        [
            Value::Bool(None),
            Value::Int(None),
            Value::Real(None),
            Value::Text(None),
            Value::Time(None),
            Value::Json(None),
        ],
    ] {
        decision.tx.execute(sql, &args).await.unwrap();
    }
    decision.commit().await.unwrap();
    let claimed = store.claim_effects(ME, now(), SignedDuration::from_secs(9), 2).await.unwrap();
    let dead = Outcome::Dead { error: "no".into() };
    store.finish_effect(&claimed[0], &dead, now()).await.unwrap();
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.tx.execute("DELETE FROM spendings WHERE who = 'nobody'", &[]).await.unwrap();
    decision.emit(taken("to be forgotten"));
    decision.commit().await.unwrap();
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    let newest = "DELETE FROM events WHERE seq = (SELECT MAX(seq) FROM events)";
    decision.tx.execute(newest, &[]).await.unwrap();
    decision.commit().await.unwrap();
}

/// Every row as the types of the house show it, which is what must survive a journey.
async fn picture(store: &Store) -> Vec<String> {
    let mut tx = store.read().await.unwrap();
    let mut lines = Vec::new();
    let found = events::since(&mut tx, 0).await.unwrap();
    lines.extend(found.iter().map(|event| format!("{event:?}")));
    let found = audit::latest(&mut tx, i64::MAX, None, None, 500).await.unwrap();
    lines.extend(found.iter().map(|record| format!("{record:?}")));
    assert_eq!(audit::verify(&mut tx).await.unwrap(), None);
    for row in tx.all("SELECT * FROM samples ORDER BY id", &[]).await.unwrap() {
        lines.push(format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            row.get::<i64>("id"),
            row.maybe::<bool>("flag"),
            row.maybe::<i64>("whole"),
            row.maybe::<f64>("ratio"),
            row.maybe::<String>("words"),
            row.maybe::<Timestamp>("moment"),
            row.maybe::<Json>("document"),
        ));
    }
    for row in tx.all("SELECT * FROM effects ORDER BY id", &[]).await.unwrap() {
        lines.push(format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            row.get::<String>("key"),
            row.get::<String>("state"),
            row.get::<i64>("attempts"),
            row.get::<Timestamp>("due_at"),
            row.maybe::<Timestamp>("claimed_until"),
            row.maybe::<Timestamp>("finished_at"),
            row.get::<Json>("payload"),
        ));
    }
    for row in tx.all("SELECT id, kitchen, who FROM spendings ORDER BY id", &[]).await.unwrap() {
        lines.push(format!("{:?} {:?}", row.get::<i64>("id"), row.get::<String>("who")));
    }
    let sql = "SELECT answer, created_at FROM idempotency UNION ALL
               SELECT value, updated_at FROM settings";
    for row in tx.all(sql, &[]).await.unwrap() {
        let at = row.get::<Timestamp>("created_at");
        lines.push(format!("{:?} {at:?}", row.get::<Json>("answer")));
    }
    lines
}

/// Rows alone.
fn rows() -> Contents {
    Contents::default()
}

async fn into(store: &Store, file: &Path) -> Result<Summary, BackupError> {
    backup::restore(store, file, None, &[DEMO], now()).await
}

async fn carry(from: &Store, to: &Store, file: &Path) {
    let written = backup::write(from, file, &rows(), now()).await.unwrap();
    assert_eq!(backup::check(file).await.unwrap().1.rows, written.rows);
    assert_eq!(into(to, file).await.unwrap().rows, written.rows);
}

/// A second, empty database of the same kind as this one.
async fn twin(test_db: &TestDb) -> TestDb {
    if test_db.url.starts_with("postgres") {
        TestDb::postgres().await.expect("the server that gave the first")
    } else {
        TestDb::sqlite()
    }
}

pub(crate) async fn a_backup_fills_an_empty_database(test_db: &TestDb) {
    let (source, copy) = (test_db.store().await, twin(test_db).await);
    fill(&source).await;
    let mut decision = source.decide(&scope("norte"), now()).await.unwrap();
    // More than two pages of one table.
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4100)
                INSERT INTO samples (whole) SELECT i FROM n";
    decision.tx.execute(many, &[]).await.unwrap();
    decision.commit().await.unwrap();
    let target = copy.store().await;
    carry(&source, &target, &test_db.file("backup.gz")).await;
    assert_eq!(picture(&target).await, picture(&source).await);
    assert!(!test_db.file("backup.partial").exists());
    copy.remove().await;
}

pub(crate) async fn a_backup_taken_under_load_is_one_moment(test_db: &TestDb) {
    let (source, copy) = (test_db.store().await, twin(test_db).await);
    kitchen(&source, "norte", 1_000).await;
    let writer = source.clone();
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let (started, first) = tokio::sync::oneshot::channel();
    let mut started = Some(started);
    let spending = tokio::spawn(async move {
        while stopped.try_recv().is_err() {
            let mut decision = writer.decide(&scope("norte"), now()).await.unwrap();
            decision.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
            decision.commit().await.unwrap();
            started.take().map(|started| started.send(()));
        }
    });
    first.await.unwrap();
    let file = test_db.file("backup.gz");
    for _ in 0..3 {
        backup::write(&source, &file, &rows(), now()).await.unwrap();
    }
    stop.send(()).unwrap();
    spending.await.unwrap();
    let target = copy.store().await;
    into(&target, &file).await.unwrap();
    let spent = count(&target, crate::deciding::SPENDINGS).await;
    assert!(spent > 0);
    assert_eq!(used(&target, "norte").await, spent);
    assert_eq!(count(&target, "SELECT COUNT(*) AS n FROM events").await, spent);
    copy.remove().await;
}

pub(crate) async fn a_damaged_file_is_refused(test_db: &TestDb) {
    let source = test_db.store().await;
    fill(&source).await;
    let file = test_db.file("backup.gz");
    backup::write(&source, &file, &rows(), now()).await.unwrap();
    let whole = fs::read(&file).unwrap();
    let mut text = String::new();
    GzDecoder::new(whole.as_slice()).read_to_string(&mut text).unwrap();
    let gzip = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let lines: Vec<_> = text.lines().collect();
    let without = |gone: usize| {
        let kept = lines.iter().enumerate().filter(|(n, _)| *n != gone);
        gzip(&kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n"))
    };
    let mut damaged = vec![
        Vec::new(),
        b"not a backup".to_vec(),
        gzip(""),
        gzip(&text.replace("Ñandú", "Pato")),
        gzip(&text.replacen("\"turno_backup\":2", "\"turno_backup\":3", 1)),
        without(0),
        without(3),
        without(lines.len() - 1),
    ];
    damaged.extend((1..8).map(|eighth| whole[..whole.len() * eighth / 8].to_vec()));
    damaged.extend((1..8).map(|eighth| {
        let mut flipped = whole.clone();
        flipped[whole.len() * eighth / 8] ^= 0x55;
        flipped
    }));
    let copy = twin(test_db).await;
    let target = copy.store().await;
    for (n, bytes) in damaged.iter().enumerate() {
        fs::write(&file, bytes).unwrap();
        let refused = into(&target, &file).await;
        assert!(matches!(refused, Err(BackupError::Unusable(_))), "{n}: {refused:?}");
        assert!(backup::check(&file).await.is_err(), "{n}");
    }
    let missing = into(&target, &test_db.file("missing.gz")).await;
    assert!(matches!(missing, Err(BackupError::File(_))), "{missing:?}");
    fs::write(&file, &whole).unwrap();
    into(&target, &file).await.expect("nothing was left behind");
    copy.remove().await;
}

pub(crate) async fn an_occupied_target_is_refused(test_db: &TestDb) {
    let (source, copy) = (test_db.store().await, twin(test_db).await);
    let (full, empty) = (test_db.file("full.gz"), test_db.file("empty.gz"));
    backup::write(&source, &empty, &rows(), now()).await.unwrap();
    fill(&source).await;
    backup::write(&source, &full, &rows(), now()).await.unwrap();
    let before = picture(&source).await;
    for file in [&full, &empty] {
        let refused = into(&source, file).await;
        assert!(matches!(refused, Err(BackupError::Unusable(_))), "{refused:?}");
    }
    assert_eq!(picture(&source).await, before);
    let target = copy.store().await;
    into(&target, &empty).await.expect("nothing into nothing is fine");
    into(&target, &full).await.expect("it is still empty");
    copy.remove().await;
}

pub(crate) async fn other_migrations_are_refused(test_db: &TestDb) {
    const MORE: Line = Line {
        name: "more",
        steps: &[Step {
            name: "0001_more",
            sqlite: "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT",
            postgres: "CREATE TABLE more (id BIGINT PRIMARY KEY)",
        }],
    };
    let (source, copy) = (test_db.store().await, twin(test_db).await);
    fill(&source).await;
    let file = test_db.file("backup.gz");
    backup::write(&source, &file, &rows(), now()).await.unwrap();
    let target = copy.open().await;
    target.migrate(&[DEMO, MORE], now()).await.unwrap();
    let refused = into(&target, &file).await;
    assert!(matches!(refused, Err(BackupError::Unusable(_))), "{refused:?}");
    assert_eq!(crate::deciding::traces(&target).await, [0; 4]);
    copy.remove().await;
}

pub(crate) async fn numbers_go_on_after_a_restore(test_db: &TestDb) {
    let (source, copy) = (test_db.store().await, twin(test_db).await);
    fill(&source).await;
    let target = copy.store().await;
    carry(&source, &target, &test_db.file("backup.gz")).await;
    let next = async |store: &Store| {
        let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
        decision.emit(taken("next"));
        decision.effect(bell("next"));
        decision.audit(entry("next"));
        decision.commit().await.unwrap()
    };
    let there = next(&target).await;
    assert_eq!(there.events, next(&source).await.events, "also past a number whose row is gone");
    assert_eq!(there.effects.len(), 1);
    let mut tx = target.read().await.unwrap();
    assert_eq!(audit::verify(&mut tx).await.unwrap(), None);
    copy.remove().await;
}

/// A shop moves to a server and back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_travel_between_dialects() {
    let Some(server) = TestDb::postgres().await else {
        return;
    };
    let (home, back) = (TestDb::sqlite(), TestDb::sqlite());
    let source = home.store().await;
    fill(&source).await;
    let before = picture(&source).await;
    let there = server.store().await;
    carry(&source, &there, &home.file("there.gz")).await;
    assert_eq!(picture(&there).await, before);
    let again = back.store().await;
    carry(&there, &again, &home.file("back.gz")).await;
    assert_eq!(picture(&again).await, before);
    for store in [&source, &there, &again] {
        let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
        decision.emit(taken("next"));
        let next = decision.commit().await.unwrap().events;
        let last = before.iter().filter(|line| line.starts_with("Event")).count() as i64;
        assert_eq!(next, [last + 2], "the forgotten event keeps its number");
    }
    for test_db in [server, home, back] {
        test_db.remove().await;
    }
}

/// The version after this one: a table more, and a column that every row gets.
const DEMO_LATER: Line = Line {
    name: "demo",
    steps: &[
        DEMO.steps[0],
        Step {
            name: "0002_later",
            sqlite: "ALTER TABLE kitchens ADD COLUMN stars INTEGER NOT NULL DEFAULT 3;
                     CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;",
            postgres: "ALTER TABLE kitchens ADD COLUMN stars BIGINT NOT NULL DEFAULT 3;
                       CREATE TABLE later (id BIGINT PRIMARY KEY);",
        },
    ],
};

pub(crate) async fn a_backup_outlives_the_version_that_wrote_it(test_db: &TestDb) {
    let (source, copy) = (test_db.store().await, twin(test_db).await);
    fill(&source).await;
    let file = test_db.file("backup.gz");
    backup::write(&source, &file, &rows(), now()).await.unwrap();
    let target = copy.open().await;
    backup::restore(&target, &file, None, &[DEMO_LATER], now()).await.unwrap();
    assert_eq!(picture(&target).await, picture(&source).await);
    let stars = "SELECT stars AS n FROM kitchens WHERE name = 'norte'";
    assert_eq!(count(&target, stars).await, 3, "brought up afterwards");
    backup::write(&target, &file, &rows(), now()).await.unwrap();
    let older = twin(test_db).await;
    let refused = into(&older.open().await, &file).await;
    let newer = "a later version of turno made this database: demo/0002_later";
    assert_eq!(refused.unwrap_err().to_string(), newer);
    let refused = target.migrate(&[DEMO], now()).await.unwrap_err();
    assert_eq!(refused.to_string(), newer, "the same sentence for a database");
    copy.remove().await;
    older.remove().await;
}
