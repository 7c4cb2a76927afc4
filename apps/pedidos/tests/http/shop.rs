//! A shop in this process: the real host, a real database, a clock that stands still.

use std::{io::Read as _, path::PathBuf};

use db::Store;
use host::{Access, Context};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Value as Json, json};
use testkit::{Client, LocalServer, Setup, TestDb};

pub(crate) const BODY_BYTES: usize = 100_000;

pub(crate) fn zone() -> TimeZone {
    TimeZone::get("America/Argentina/Buenos_Aires").expect("zones come with the program")
}

/// A Friday evening, the moment at which most tests happen.
pub(crate) fn friday() -> Timestamp {
    "2026-06-19T20:00:00-03:00".parse().expect("a valid instant")
}

/// The people of the shop. Each acts with a token of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Admin,
    Manager,
    Cashier,
    Kitchen,
}

impl Who {
    pub(crate) const ALL: [Self; 4] = [Self::Admin, Self::Manager, Self::Cashier, Self::Kitchen];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Manager => "manager",
            Self::Cashier => "cashier",
            Self::Kitchen => "cook",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|who| who.name() == name)
    }

    fn role(self) -> &'static str {
        match self {
            Self::Admin => "ADMIN",
            Self::Manager => "GERENTE",
            Self::Cashier => "CAJERO",
            Self::Kitchen => "COCINA",
        }
    }
}

pub(crate) struct Shop {
    setup: Setup,
    dir: PathBuf,
    server: Option<LocalServer>,
    staff: Vec<(Who, Client)>,
}

impl Shop {
    /// Whoever presents no token acts as ADMIN; tokens give the other roles.
    pub(crate) async fn open(db: &TestDb, now: Timestamp) -> Self {
        Self::with(db, &db.url, now, Access::Open).await
    }

    /// Strangers are asked who they are.
    pub(crate) async fn guarded(db: &TestDb) -> Self {
        Self::with(db, &db.url, friday(), Access::SignedIn).await
    }

    pub(crate) async fn with(db: &TestDb, url: &str, now: Timestamp, access: Access) -> Self {
        let url = url.to_owned();
        let setup =
            Setup { url, zone: zone(), access, body_bytes: BODY_BYTES, ..Setup::at(now, db) };
        let server = setup.clone().prepare(pedidos::app()).await.start().await;
        let mut staff = Vec::new();
        for who in Who::ALL {
            staff.push((who, server.persona(who.name(), "pedidos", who.role()).await));
        }
        Self { setup, dir: db.dir.clone(), server: Some(server), staff }
    }

    fn server(&self) -> &LocalServer {
        self.server.as_ref().expect("a shop is open until it is dropped")
    }

    pub(crate) fn context(&self) -> &Context {
        self.server().context()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.context().store
    }

    pub(crate) fn nobody(&self) -> Client {
        self.server().client.clone()
    }

    pub(crate) fn client(&self, who: Who) -> Client {
        let known = self.staff.iter().find(|(known, _)| *known == who);
        known.expect("everyone has a token").1.clone()
    }

    /// Someone with a role in another application only.
    pub(crate) async fn stranger(&self) -> Client {
        self.server().persona("stranger", "sam", "ADMIN").await
    }

    /// Stops the server and starts another on the same database at the same moment.
    pub(crate) async fn restart(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
        let server = self.setup.clone().prepare(pedidos::app()).await.start().await;
        for (_, client) in &mut self.staff {
            *client = client.moved_to(server.client.base());
        }
        self.server = Some(server);
    }

    /// Every row of every table, one line each.
    pub(crate) async fn rows(&self) -> Vec<String> {
        let file = self.dir.join("rows");
        db::backup::write(self.store(), &file, &db::backup::Contents::default(), friday())
            .await
            .unwrap();
        let mut text = String::new();
        let packed = std::fs::File::open(&file).unwrap();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        // The first line tells about the file and the last one closes it.
        lines[1..lines.len() - 1].to_vec()
    }

    /// Runs `asks` and insists that no row of any table is different afterwards.
    pub(crate) async fn unchanged(&self, asks: impl AsyncFnOnce(&Self)) {
        let before = self.rows().await;
        asks(self).await;
        let after = self.rows().await;
        let gone: Vec<_> = before.iter().filter(|row| !after.contains(row)).collect();
        let new: Vec<_> = after.iter().filter(|row| !before.contains(row)).collect();
        assert!(gone.is_empty() && new.is_empty(), "rows gone: {gone:#?}\nrows new: {new:#?}");
    }

    /// A plain order taken by the cashier: `minutes` to prepare, wanted now.
    pub(crate) async fn order(&self, minutes: i64) -> Json {
        self.client(Who::Cashier).post("/pedidos", plain(minutes)).await.expect(201)
    }

    /// One that nobody but a person starts.
    pub(crate) async fn held(&self) -> Json {
        let mut body = plain(10);
        body["transicion_automatica"] = json!(false);
        self.client(Who::Cashier).post("/pedidos", body).await.expect(201)
    }
}

/// The body of an order that takes `minutes`: five for every four points of effort.
pub(crate) fn plain(minutes: i64) -> Json {
    json!({ "modalidad": "RETIRO",
            "articulos": [{ "nombre": "plato", "peso": 1, "cantidad": minutes / 5 * 4,
                            "precio": 100 }] })
}
