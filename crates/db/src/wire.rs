//! A connection of its own on which the processes of one `PostgreSQL` tell each other short texts.

use sqlx::postgres::{PgListener, PgPoolOptions};

use crate::{Error, Store};

/// One listening connection. After an error it is of no more use.
#[derive(Debug)]
pub struct Wire {
    channel: String,
    listener: PgListener,
}

impl Store {
    /// Listens on a channel of this database. `SQLite` has none: whoever asks is told so.
    pub async fn wire(&self, channel: &str) -> Result<Wire, Error> {
        let Some(pool) = self.postgres() else {
            return Err(Error::corrupt("this database carries no messages"));
        };
        let options = pool.connect_options().as_ref().clone().application_name("turno-hints");
        // One connection beside the pool, so that no decision waits for it nor it for them.
        let alone = PgPoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None);
        let mut listener = PgListener::connect_with(&alone.connect_with(options).await?).await?;
        // Whoever lost what was said meanwhile has to know.
        listener.eager_reconnect(false);
        listener.listen(channel).await?;
        Ok(Wire { channel: channel.to_owned(), listener })
    }
}

impl Wire {
    /// Tells everyone who listens, this process too. At most eight thousand bytes.
    ///
    /// The transaction has a number, since it notifies, and would wait for the disk: it brings
    /// nothing that has to survive.
    pub async fn tell(&mut self, text: &str) -> Result<(), Error> {
        const TELL: &str =
            "SELECT set_config('synchronous_commit', 'off', TRUE), pg_notify($1, $2)";
        let told = sqlx::query(TELL).bind(&self.channel).bind(text);
        Ok(told.execute(&mut self.listener).await.map(drop)?)
    }

    /// The next text. May be dropped while it waits: what arrives stays for the next call.
    pub async fn hear(&mut self) -> Result<String, Error> {
        match self.listener.try_recv().await? {
            Some(text) => Ok(text.payload().to_owned()),
            None => Err(sqlx::Error::from(std::io::Error::other("the connection ended")).into()),
        }
    }
}
