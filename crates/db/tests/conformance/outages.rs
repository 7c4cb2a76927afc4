//! Databases that are not there for a while.

use std::time::Duration;

use db::{Error, Store};
use futures::future::join_all;
use sqlx::{
    ConnectOptions as _, Connection as _,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteConnection},
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};

use crate::{
    deciding::{Kitchen, ask, kitchen, used},
    test_db::{TestDb, now, on_postgres, on_sqlite, scope},
};

async fn spend(store: &Store) -> Result<(), Error> {
    let mut decision = store.decide(&scope("norte"), now()).await?;
    decision.command(&Kitchen("norte"), ask("ana")).await?.unwrap();
    decision.commit().await.map(drop)
}

/// A way to the server that can be cut and mended.
struct Cable {
    listener: TcpListener,
    server: String,
}

impl Cable {
    async fn to(test_db: &TestDb) -> (Self, String) {
        let options: PgConnectOptions = test_db.url.parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap();
        let server = format!("{}:{}", options.get_host(), options.get_port());
        let url = format!(
            "postgres://{}@{here}/{}",
            options.get_username(),
            options.get_database().unwrap()
        );
        (Self { listener, server }, url)
    }

    /// Carries connections until the set is dropped, which cuts them all.
    fn mend(self) -> JoinSet<()> {
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut wires = JoinSet::new();
            loop {
                let (mut near, _) = self.listener.accept().await.unwrap();
                let server = self.server.clone();
                wires.spawn(async move {
                    let mut far = TcpStream::connect(server).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
            }
        });
        running
    }
}

async fn a_server_that_comes_back_is_used_again(test_db: &TestDb) {
    kitchen(&test_db.store().await, "norte", 9).await;
    let (cable, url) = Cable::to(test_db).await;
    let (here, server) = (cable.listener.local_addr().unwrap(), cable.server.clone());
    let mut running = cable.mend();
    let store = Store::open(&url).await.unwrap();
    spend(&store).await.unwrap();
    running.shutdown().await;
    let (cut, closed) = tokio::join!(spend(&store), Store::open(&url));
    assert!(matches!(cut, Err(Error::Unavailable(_))), "{cut:?}");
    assert!(matches!(closed, Err(Error::Unavailable(_))), "nobody listens there now");
    let listener = TcpListener::bind(here).await.unwrap();
    let _running = Cable { listener, server }.mend();
    spend(&store).await.expect("the same store works again");
    assert_eq!(used(&store, "norte").await, 2);
}

/// The server went and came back while nobody asked it anything. Many connections rest, none of them
/// has anybody at its other end, and nobody hears of it.
async fn connections_that_died_at_rest_are_nobodys_error(test_db: &TestDb) {
    kitchen(&test_db.store().await, "norte", 9).await;
    let (cable, url) = Cable::to(test_db).await;
    let (here, server) = (cable.listener.local_addr().unwrap(), cable.server.clone());
    let mut running = cable.mend();
    let store = Store::open(&url).await.unwrap();
    let all: Vec<_> = join_all((0..8).map(|_| store.read())).await;
    assert!(all.iter().all(Result::is_ok));
    drop(all);
    spend(&store).await.unwrap();
    running.shutdown().await;
    let listener = TcpListener::bind(here).await.unwrap();
    let _running = Cable { listener, server }.mend();
    let (decided, read) = tokio::join!(spend(&store), join_all((0..8).map(|_| store.ping())));
    decided.expect("another connection decides");
    assert!(read.iter().all(Result::is_ok), "{read:?}");
    assert_eq!(used(&store, "norte").await, 2);
}

/// Whoever no longer waits for a scope does not hold it later.
async fn who_goes_away_while_it_waits_holds_nothing(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 99).await;
    for _ in 0..20 {
        let held = store.decide(&scope("norte"), now()).await.unwrap();
        let waits = || timeout(Duration::from_millis(20), spend(&store));
        let all = join_all((0..4).map(|_| waits())).await;
        assert!(all.iter().all(Result::is_err), "they are made to wait");
        drop(held);
        spend(&store).await.expect("nobody holds it");
    }
    assert_eq!(used(&store, "norte").await, 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_given_back_as_they_were() {
    on_postgres("died at rest", connections_that_died_at_rest_are_nobodys_error).await;
    on_postgres("gone away", who_goes_away_while_it_waits_holds_nothing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminated_connection_decides_nothing() {
    on_postgres("terminated", async |test_db: &TestDb| {
        let store = test_db.store().await;
        kitchen(&store, "norte", 9).await;
        let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
        decision.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
        let options: PgConnectOptions = test_db.url.parse().unwrap();
        let mut admin = options.connect().await.unwrap();
        let sql = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        sqlx::query(sql).fetch_all(&mut admin).await.unwrap();
        admin.close().await.unwrap();
        let lost = decision.commit().await;
        assert!(matches!(lost, Err(Error::Unavailable(_))), "{lost:?}");
        store.ping().await.expect("a new connection takes its test_db");
        spend(&store).await.expect("and the lock of the scope is free");
        assert_eq!(used(&store, "norte").await, 1);
    })
    .await;
}

async fn another_writer_is_waited_for_with_patience(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 9).await;
    let path = test_db.url.trim_start_matches("sqlite://");
    let options = SqliteConnectOptions::new().filename(path);
    let mut hog = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut hog).await.unwrap();
    let (waited, read) = tokio::join!(spend(&store), store.ping());
    assert!(matches!(waited, Err(Error::Unavailable(_))), "{waited:?}");
    read.expect("readers do not wait for writers");
    sqlx::query("ROLLBACK").execute(&mut hog).await.unwrap();
    spend(&store).await.expect("free again");
    assert_eq!(used(&store, "norte").await, 1);
}

/// A decision that stays open holds up its own process as well, and no longer than that.
async fn a_decision_kept_open_makes_others_give_up(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 9).await;
    let held = store.decide(&scope("norte"), now()).await.unwrap();
    let waited = spend(&store).await;
    assert!(matches!(waited, Err(Error::Unavailable(_))), "{waited:?}");
    drop(held);
    spend(&store).await.expect("free again");
}

/// Each of these waits as long as the store is patient; together they wait once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn patience_ends_and_the_store_recovers() {
    tokio::join!(
        on_postgres("gone", a_server_that_comes_back_is_used_again),
        on_sqlite("locked", another_writer_is_waited_for_with_patience),
        on_sqlite("kept open", a_decision_kept_open_makes_others_give_up),
        on_postgres("kept open", a_decision_kept_open_makes_others_give_up),
    );
}

#[tokio::test]
async fn a_place_that_cannot_hold_a_database_is_unavailable() {
    let test_db = TestDb::sqlite();
    let url = format!("sqlite://{}", test_db.file("missing/turno.db").display());
    let refused = Store::open(&url).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    test_db.remove().await;
}
