//! Which database is meant, and how to get to it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use db::Store;
use engine::Backoff;
use terminal::{Code, Exit, with_causes};

use crate::config::ServerConfig;
use crate::migrations::{self, Standing};

const RETRY: Backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(5));

/// Where the rows are.
#[derive(Clone, Debug)]
pub(crate) enum Database {
    File(PathBuf),
    Server(String),
}

impl Database {
    pub(crate) fn of(server: &ServerConfig) -> Self {
        let Some(url) = &server.database_url else {
            return Self::File(server.data_dir.join("turno.db"));
        };
        match url.expose().strip_prefix("sqlite:") {
            Some(path) => Self::File(path.strip_prefix("//").unwrap_or(path).into()),
            None => Self::Server(url.expose().to_owned()),
        }
    }

    /// What to call it without saying its password.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Server(_) => "PostgreSQL".to_owned(),
        }
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }

    /// One attempt; makes the file and its directory when missing.
    pub(crate) async fn open(&self) -> Result<Store, Exit> {
        match self {
            Self::File(path) => {
                make_parent(path)?;
                known(open_file(path).await?).await
            }
            Self::Server(url) => known(Store::open(url).await?).await,
        }
    }

    /// One attempt; a file that is not there is not made.
    pub(crate) async fn open_existing(&self) -> Result<Store, Exit> {
        if let Self::File(path) = self
            && !path.exists()
        {
            let message = format!("there is no database {}", path.display());
            let hint = "`turno serve` or `turno migrate` makes it; --data-dir names another place";
            return Err(Exit::new(Code::NotFound, message).hint(hint));
        }
        self.open().await
    }

    /// Waits for a server that starts at the same time as we do. A file is there or it is not.
    pub(crate) async fn open_within(&self, timeout: Duration) -> Result<Store, Exit> {
        let Self::Server(url) = self else {
            return self.open().await;
        };
        let began = Instant::now();
        for attempt in 0.. {
            let error = match Store::open(url).await {
                Ok(store) => return known(store).await,
                Err(error) => error,
            };
            let delay = RETRY.delay(attempt, 1.0);
            if !error.is_unavailable() || began.elapsed() + delay > timeout {
                return Err(error.into());
            }
            tracing::warn!(
                error = %with_causes(&error),
                elapsed_s = began.elapsed().as_secs_f64(),
                "waiting for the database"
            );
            tokio::time::sleep(delay).await;
        }
        unreachable!("attempts are not limited in number")
    }
}

/// Whatever a command is about to do, it does not do it to tables of a later version.
async fn known(store: Store) -> Result<Store, Exit> {
    match migrations::standing(&store).await? {
        Standing::Ahead(strange) => Err(db::Error::Newer(strange).into()),
        Standing::Empty | Standing::Current | Standing::Behind(_) => Ok(store),
    }
}

async fn open_file(path: &Path) -> Result<Store, db::Error> {
    Store::open(&format!("sqlite://{}", path.display())).await
}

fn make_parent(path: &Path) -> Result<(), Exit> {
    let directory = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory).map_err(|error| {
        let code = match error.kind() {
            std::io::ErrorKind::PermissionDenied => Code::NotAuthorised,
            _ => Code::Failed,
        };
        let message = format!("cannot make the directory {}: {error}", directory.display());
        Exit::new(code, message).hint("--data-dir names another place")
    })
}
