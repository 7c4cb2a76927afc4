//! A house in which a history is played: a server on a copy of a prepared database, that crashes and is
//! restored.

use std::{fs, path::PathBuf};

use db::{Dialect, Line, Scope, Store, backup};
use host::{Clock, Context};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::Value as Json;
use testkit::{Answer, Client, LocalServer, Setup, TestDb};
use tokio::runtime::{Builder, Runtime};

use crate::{
    play::{Play, World},
    step::Step,
};

/// A Friday evening, at which every history begins.
pub(crate) fn beginning() -> Timestamp {
    "2026-06-19T20:00:00Z".parse().unwrap()
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// What all houses of an application begin with, made once: databases with its people in them, and
/// empty ones.
pub(crate) struct Ground {
    pub(crate) play: &'static Play,
    home: TestDb,
    people: Vec<(&'static str, Client)>,
    /// With people, and empty; none where there is no server.
    postgres: Option<[String; 2]>,
}

const PREPARED: &str = "prepared.db";
const EMPTY: &str = "empty.db";

impl Ground {
    pub(crate) fn of(play: &'static Play) -> Self {
        runtime().block_on(Self::prepare(play))
    }

    async fn prepare(play: &'static Play) -> Self {
        let home = TestDb::sqlite();
        let file = |name: &str| format!("sqlite://{}", home.dir.join(name).display());
        migrated(play, &file(EMPTY)).await.close().await;
        let setup = Setup { url: file(PREPARED), ..Setup::at(beginning(), &home) };
        let server = (play.open)(setup).await;
        let mut people = Vec::new();
        for (name, role) in play.people {
            people.push((*name, server.persona(name, play.name, role).await));
        }
        for (what, body) in (play.prepared)() {
            let (method, path) = what.split_once(' ').expect("a method and a path");
            let request = server.client.request(method.parse().unwrap(), path).json(&body);
            let answer = Answer::of(request, what).await;
            assert!(answer.status < 300, "{what}: {}", answer.text);
        }
        let kept = home.dir.join("prepared.backup");
        let store = &server.context().store;
        backup::write(store, &kept, &backup::Contents::default(), beginning()).await.unwrap();
        server.stop().await;
        let postgres = match testkit::fresh_database().await {
            None => None,
            Some(empty) => {
                migrated(play, &empty).await.close().await;
                let prepared = testkit::copied_database(&empty).await;
                let store = Store::open(&prepared).await.unwrap();
                backup::restore(&store, &kept, None, &lines(play), beginning()).await.unwrap();
                store.close().await;
                Some([prepared, empty])
            }
        };
        Self { play, home, people, postgres }
    }

    /// On which databases histories are played here.
    pub(crate) fn dialects(&self) -> Vec<Dialect> {
        let postgres = self.postgres.iter().map(|_| Dialect::Postgres);
        std::iter::once(Dialect::Sqlite).chain(postgres).collect()
    }

    /// A copy of the prepared or of the empty database.
    async fn copy(&self, dialect: Dialect, empty: bool, dir: &std::path::Path, n: usize) -> String {
        if let (Dialect::Postgres, Some(bases)) = (dialect, &self.postgres) {
            return testkit::copied_database(&bases[usize::from(empty)]).await;
        }
        let copy = dir.join(format!("turno-{n}.db"));
        fs::copy(self.home.dir.join(if empty { EMPTY } else { PREPARED }), &copy).unwrap();
        format!("sqlite://{}", copy.display())
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Some(bases) = &self.postgres {
            let gone = async {
                for url in bases {
                    testkit::drop_database(url).await;
                }
            };
            runtime().block_on(gone);
        }
    }
}

fn lines(play: &Play) -> Vec<Line> {
    vec![db::ENGINE, host::MIGRATIONS, play.tables]
}

async fn migrated(play: &Play, url: &str) -> Store {
    let store = Store::open(url).await.unwrap();
    store.migrate(&lines(play), beginning()).await.unwrap();
    store
}

pub(crate) struct House<'a> {
    ground: &'a Ground,
    pub(crate) dialect: Dialect,
    /// Files of this house; removed with it.
    home: TestDb,
    clock: Clock,
    databases: Vec<String>,
    running: Option<(Runtime, LocalServer)>,
    people: Vec<(&'static str, Client)>,
    /// Ids that answers gave, by the names under which steps speak of them.
    pub(crate) ids: Vec<(String, String)>,
    /// What its processes were called.
    pub(crate) processes: Vec<String>,
    pub(crate) world: World,
    outside: Runtime,
}

impl<'a> House<'a> {
    pub(crate) fn open(ground: &'a Ground, dialect: Dialect) -> Self {
        let outside = runtime();
        let mut home = TestDb::sqlite();
        home.vault = ground.home.vault.clone();
        let url = outside.block_on(ground.copy(dialect, false, &home.dir, 0));
        let world = outside.block_on((ground.play.world)());
        let mut house = Self {
            ground,
            dialect,
            home,
            clock: Clock::manual(beginning()),
            databases: vec![url],
            running: None,
            people: Vec::new(),
            ids: Vec::new(),
            processes: Vec::new(),
            world,
            outside,
        };
        house.start();
        house
    }

    fn start(&mut self) {
        let runtime = runtime();
        let url = self.databases.last().expect("a house has a database").clone();
        // Files lie where they lay when the database was prepared, and it knows that.
        let (clock, data_dir) = (self.clock.clone(), self.ground.home.dir.clone());
        let setup = Setup { url, clock, data_dir, ..Setup::at(beginning(), &self.home) };
        let server = runtime.block_on((self.ground.play.open)(setup));
        let base = server.client.base();
        let known = self.ground.people.iter();
        self.people = known.map(|(name, client)| (*name, client.moved_to(base))).collect();
        self.people.push(("nobody", server.client.clone()));
        self.processes.push(server.context().process.name.clone());
        self.running = Some((runtime, server));
    }

    /// Every task ends where it stands.
    fn die(&mut self) {
        if let Some((runtime, server)) = self.running.take() {
            drop(server);
            runtime.shutdown_background();
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn context(&self) -> &Context {
        self.running.as_ref().expect("a house is open").1.context()
    }

    /// Whether a tick was kept from its database: a machine that is too busy tells nothing.
    pub(crate) fn is_starved(&self) -> bool {
        let health = self.context().all_tick_health();
        let mut failures = health.into_values().filter_map(|health| health.last_failure);
        // `db::Error::Unavailable` and `Unanswered`.
        let starved =
            ["the database is not available", "the database did not say whether it committed"];
        failures.any(|failure| starved.contains(&failure.as_str()))
    }

    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.running.as_ref().expect("a house is open").0.block_on(work)
    }

    /// What somebody is answered: status and body.
    pub(crate) fn ask(&self, who: &str, what: &str, body: &Json) -> (u16, Json) {
        let everybody = self.people.iter().chain(&self.world.people);
        let found = everybody.into_iter().find(|(name, _)| *name == who);
        let client = &found.unwrap_or_else(|| panic!("nobody is called {who}")).1;
        let mut words = what.split(' ');
        let method: Method = words.next().unwrap_or_default().parse().unwrap();
        let mut request = client.request(method, words.next().unwrap_or_default());
        if let Some(key) = words.next() {
            request = request.header("Idempotency-Key", key);
        }
        request = (self.ground.play.send)(request, body);
        let answer = self.wait(Answer::of(request, what));
        let said = serde_json::from_str(&answer.text).unwrap_or(Json::String(answer.text));
        (answer.status, said)
    }

    /// Whether a step is about this house and not about a system outside.
    pub(crate) fn is_asked(&self, step: &Step) -> bool {
        let outside = |who: &str| self.world.people.iter().any(|(name, _)| *name == who);
        !matches!(step, Step::Ask { who, .. } if outside(who))
    }

    /// Carries a step out; what was answered, if anything.
    pub(crate) fn take(&mut self, step: &Step) -> Option<(u16, Json)> {
        match step {
            Step::Ask { who, what, body } => {
                let answer = self.ask(who, what, body);
                self.note(&answer.1);
                self.wait(self.context().travel(self.now()));
                Some(answer)
            }
            Step::Refusing { table, ask } => {
                self.refuse(table, true);
                let answer = self.take(ask);
                self.refuse(table, false);
                answer
            }
            Step::Advance(seconds) => {
                let to = self.now() + SignedDuration::from_secs(*seconds);
                for clock in &self.world.clocks {
                    let body = serde_json::json!({ "now": to });
                    self.wait(clock.post("/sim/clock", body)).expect(200);
                }
                self.wait(self.context().travel(to));
                None
            }
            Step::Crash => {
                self.die();
                self.start();
                None
            }
            Step::Restore => {
                self.restore();
                None
            }
        }
    }

    fn note(&mut self, said: &Json) {
        for (letter, field) in self.ground.play.ids {
            let Some(id) = said[*field].as_str() else { continue };
            if !self.ids.iter().any(|(_, known)| known == id) {
                let before = self.ids.iter().filter(|(name, _)| name.starts_with(letter)).count();
                self.ids.push((format!("{letter}{before}"), id.to_owned()));
            }
        }
    }

    /// Every row, as a backup holds them.
    pub(crate) fn backup(&self) -> PathBuf {
        let path = self.home.dir.join(format!("{}.backup", self.databases.len()));
        let store = &self.context().store;
        self.wait(backup::write(store, &path, &backup::Contents::default(), self.now())).unwrap();
        path
    }

    fn restore(&mut self) {
        let path = self.backup();
        self.die();
        let (ground, n) = (self.ground, self.databases.len());
        let url = self.outside.block_on(ground.copy(self.dialect, true, &self.home.dir, n));
        let now = self.now();
        self.outside.block_on(async {
            let store = Store::open(&url).await.unwrap();
            backup::restore(&store, &path, None, &lines(ground.play), now).await.unwrap();
            store.close().await;
        });
        self.databases.push(url);
        self.start();
    }

    /// Makes the database refuse new rows of a table, in the middle of whatever wants one.
    fn refuse(&self, table: &str, on: bool) {
        let statements = match (self.dialect, on) {
            (Dialect::Sqlite, true) => vec![format!(
                "CREATE TRIGGER no_room BEFORE INSERT ON {table}
                 BEGIN SELECT RAISE(ABORT, 'no room'); END"
            )],
            (Dialect::Sqlite, false) => vec!["DROP TRIGGER no_room".to_owned()],
            (Dialect::Postgres, true) => vec![
                "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql
                 AS $$ BEGIN RAISE EXCEPTION 'no room'; END $$"
                    .to_owned(),
                format!(
                    "CREATE TRIGGER no_room BEFORE INSERT ON {table}
                     FOR EACH ROW EXECUTE FUNCTION no_room()"
                ),
            ],
            (Dialect::Postgres, false) => {
                vec![format!("DROP TRIGGER no_room ON {table}"), "DROP FUNCTION no_room".to_owned()]
            }
        };
        self.wait(async {
            let store = &self.context().store;
            let mut decision = store.decide(&Scope::new("test"), self.now()).await.unwrap();
            for sql in statements {
                decision.tx.execute(db::trusted(sql), &[]).await.unwrap();
            }
            decision.commit().await.unwrap();
        });
    }
}

impl Drop for House<'_> {
    fn drop(&mut self) {
        self.die();
        if self.dialect == Dialect::Postgres {
            for url in &self.databases {
                self.outside.block_on(testkit::drop_database(url));
            }
        }
    }
}
