//! Hints between the processes of one `PostgreSQL`: `LISTEN` and `NOTIFY` on one connection.

use db::Store;

use crate::{RemoteBus, Transport, Wire};

const CHANNEL: &str = "turno_hints";

/// The bus of processes that share a `PostgreSQL` database.
#[derive(Debug)]
pub struct PostgresBus;

impl PostgresBus {
    /// Begins to connect, and never gives up.
    pub fn open(store: &Store) -> RemoteBus {
        RemoteBus::new(Postgres(store.clone()), None)
    }
}

#[derive(Debug)]
struct Postgres(Store);

impl Transport for Postgres {
    type Wire = db::Wire;

    async fn connect(&self) -> Result<db::Wire, String> {
        self.0.wire(CHANNEL).await.map_err(|error| said(&error))
    }

    fn close(&self) {}
}

impl Wire for db::Wire {
    async fn tell(&mut self, letter: &str) -> Result<(), String> {
        db::Wire::tell(self, letter).await.map_err(|error| said(&error))
    }

    async fn hear(&mut self) -> Result<String, String> {
        db::Wire::hear(self).await.map_err(|error| said(&error))
    }
}

fn said(error: &db::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
