//! Which bus a process has, and how a file tells that somebody else wrote to it.

use std::{sync::Arc, time::Duration};

use bus::{AmqpBus, Bus, LocalBus, PostgresBus, RemoteBus};
use db::{Dialect, Store};

use crate::Context;

/// How long a start waits to be connected to the other processes. Later is early enough, too: they
/// work from the polls until then.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often a file is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// The bus of a process: through the broker where the house has one, else through `PostgreSQL`, else
/// inside this process.
pub async fn bus(store: &Store, broker: Option<&broker::Address>) -> Arc<dyn Bus> {
    let bus: RemoteBus = match (broker, store.dialect()) {
        (Some(address), _) => AmqpBus::open(address.clone()),
        (None, Dialect::Postgres) => PostgresBus::open(store),
        (None, Dialect::Sqlite) => return Arc::new(LocalBus::new()),
    };
    // Whoever listens from the beginning has nothing to catch up with.
    bus.connected(PATIENCE).await;
    Arc::new(bus)
}

impl Context {
    /// Notices what other processes write to the same file: a command, or a second server.
    ///
    /// `SQLite` wakes nobody, and its file is used by several processes all the same. Four times a
    /// second is no poll of tables: a number is compared, no page is read, and nobody is woken unless
    /// another process wrote. So every poll can be as slow as on a server that tells by itself.
    pub(crate) async fn notice_others(self) {
        let mut seen = self.store.written_by_others().await.ok().flatten();
        loop {
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            // A file that cannot be read now is found changed as soon as it can.
            let now = self.store.written_by_others().await.ok().flatten();
            if now != seen {
                seen = now;
                self.bus.wake_everyone();
            }
        }
    }
}
