//! Strangers' files, opened in processes of their own.
//!
//! A parser can be made to allocate without end, to loop, or to overflow its stack, and none of
//! that can be stopped from within. So a file is opened by a child of this very program, which has
//! a bound on its memory and on its working time, no files and no network (`confine`), and is told
//! what to do through its pipes (`wire`). Should it die, that page fails with a reason, and the
//! next one gets a new process. Children are kept for many pages (`pool`) and leave by themselves
//! when nobody asks.

mod confine;
mod pool;
mod remote;
mod wire;
mod work;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Broken, Document, Kind, Limits};
pub(crate) use remote::Remote;
pub use work::work;

/// The first argument of a child. Whoever gives its own path to [`Renderer::isolated`] calls [`work`]
/// when it finds this.
pub const WORKER: &str = "render-worker";

/// Where files are opened.
#[derive(Clone, Default)]
pub enum Renderer {
    /// In this process: for tools, and for files of our own making.
    #[default]
    Here,
    /// In processes that may die.
    Isolated(Arc<pool::Pool>),
}

impl Renderer {
    /// In at most so many children, which run `program`.
    pub fn isolated(program: PathBuf, most: usize) -> Self {
        Self::Isolated(Arc::new(pool::Pool::new(program, most)))
    }

    /// In children of the running program, whatever happens to its file on the disk meanwhile.
    pub fn own(most: usize) -> Self {
        let link = PathBuf::from("/proc/self/exe");
        let program = if link.exists() { Some(link) } else { std::env::current_exe().ok() };
        program.map_or(Self::Here, |program| Self::isolated(program, most))
    }

    /// Opens a file of a known kind (see [`crate::sniff`]). Blocking.
    pub fn open(
        &self,
        bytes: Vec<u8>,
        kind: Kind,
        password: Option<&str>,
        limits: &Limits,
    ) -> Result<Document, Broken> {
        match self {
            Self::Here => Document::open(bytes, kind, password, limits),
            Self::Isolated(pool) => {
                Remote::open(pool.clone(), bytes, kind, password, limits).map(Document::remote)
            }
        }
    }
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Here => "Here",
            Self::Isolated(_) => "Isolated",
        })
    }
}
