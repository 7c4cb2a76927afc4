//! Migrations are applied once, all or nothing.

use db::{ENGINE, Error, Line, Step, Store};

use crate::test_db::{DEMO, TestDb, count, now};

const SECOND: &str = "ALTER TABLE later ADD COLUMN note TEXT; INSERT INTO later (id) VALUES (1)";

const LATER: Line = Line {
    name: "later",
    steps: &[
        Step {
            name: "0001_first",
            sqlite: "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT",
            postgres: "CREATE TABLE later (id BIGINT PRIMARY KEY)",
        },
        Step { name: "0002_second", sqlite: SECOND, postgres: SECOND },
    ],
};

const LEDGER: &str = "SELECT COUNT(*) AS n FROM migrations";

pub(crate) async fn every_step_is_applied_once(test_db: &TestDb) {
    let store = test_db.open().await;
    let first = store.migrate(&[DEMO], now()).await.unwrap();
    let names: Vec<_> = first.iter().map(|step| step.name.as_str()).collect();
    let steps = ENGINE.steps.iter().chain(DEMO.steps).map(|step| step.name);
    assert_eq!(names, steps.collect::<Vec<_>>());
    assert_eq!(store.migrate(&[DEMO], now()).await.unwrap(), []);
    let again = test_db.open().await;
    assert_eq!(again.migrate(&[DEMO], now()).await.unwrap(), []);
    assert_eq!(count(&again, LEDGER).await, names.len() as i64);
}

pub(crate) async fn lines_are_added_later(test_db: &TestDb) {
    let store = test_db.store().await;
    let applied = store.migrate(&[DEMO, LATER], now()).await.unwrap();
    let names: Vec<_> = applied.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["0001_first", "0002_second"]);
    assert_eq!(count(&store, "SELECT COUNT(*) AS n FROM later").await, 1);
}

pub(crate) async fn processes_that_start_together_take_turns(test_db: &TestDb) {
    let start = || async {
        let store = Store::open(&test_db.url).await?;
        store.migrate(&[DEMO, LATER], now()).await
    };
    let (a, b, c, d) = tokio::join!(start(), start(), start(), start());
    let applied: usize = [a, b, c, d].map(|run| run.unwrap().len()).iter().sum();
    let steps = ENGINE.steps.len() + DEMO.steps.len() + LATER.steps.len();
    assert_eq!(applied, steps, "every step ran in exactly one process");
    assert_eq!(count(&test_db.open().await, LEDGER).await, steps as i64);
}

pub(crate) async fn a_changed_step_is_refused(test_db: &TestDb) {
    const CHANGED: Line = Line {
        name: "later",
        steps: &[
            Step {
                name: "0001_first",
                sqlite: "CREATE TABLE later (id INTEGER PRIMARY KEY, extra TEXT) STRICT",
                postgres: "CREATE TABLE later (id BIGINT PRIMARY KEY, extra TEXT)",
            },
            Step { name: "0002_second", sqlite: SECOND, postgres: SECOND },
        ],
    };
    let store = test_db.store().await;
    store.migrate(&[LATER], now()).await.unwrap();
    let refused = store.migrate(&[CHANGED], now()).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Migration { line, name, .. }
            if line == "later" && name == "0001_first"),
        "{refused}"
    );
    assert_eq!(store.migrate(&[LATER], now()).await.unwrap(), []);
}

pub(crate) async fn a_failing_step_leaves_nothing(test_db: &TestDb) {
    const BROKEN: Line = Line {
        name: "later",
        steps: &[
            LATER.steps[0],
            Step {
                name: "0002_broken",
                sqlite: "CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)",
                postgres: "CREATE TABLE half (id BIGINT); INSERT INTO nowhere VALUES (1)",
            },
        ],
    };
    let store = test_db.store().await;
    let failed = store.migrate(&[BROKEN], now()).await.unwrap_err();
    assert!(
        matches!(&failed, Error::Migration { name, reason, .. }
            if name == "0002_broken" && reason.contains("nowhere")),
        "{failed}"
    );
    let kept = ENGINE.steps.len() + DEMO.steps.len();
    assert_eq!(count(&store, LEDGER).await, kept as i64);
    for table in ["SELECT COUNT(*) AS n FROM half", "SELECT COUNT(*) AS n FROM later"] {
        let mut tx = store.read().await.unwrap();
        assert!(tx.one(table, &[]).await.is_err(), "{table}");
    }
    assert_eq!(store.migrate(&[LATER], now()).await.unwrap().len(), 2);
}
