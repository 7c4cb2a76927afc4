//! A command that an application adds to the line, and the installation it is about.

use std::{path::PathBuf, time::Duration};

use clap::{ArgMatches, Args, ValueEnum};
use db::Store;
use futures::future::BoxFuture;
use jiff::{Span, SpanRelativeTo, tz::TimeZone};

use crate::Exit;

/// Not a doc comment: the lint wants marks around product names, which the terminal would show.
const DATABASE_HELP: &str = "A PostgreSQL server instead, postgres://user:password@host/database; \
                             better in TURNO_DATABASE_URL_FILE, where ps does not show it";

/// Which installation is meant.
#[derive(Args, Clone, Debug, Default)]
pub struct Installation {
    /// Configuration file [default: turno.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Directory of the database file [default: data]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<String>,
    #[arg(long, value_name = "URL", help = DATABASE_HELP)]
    pub database_url: Option<String>,
}

/// An installation as it is: files, environment and flags laid over the defaults.
pub struct Deployment {
    pub data_dir: PathBuf,
    pub zone: TimeZone,
    /// Whether the house has a key that signs what it sends.
    pub signs: bool,
    /// The house's broker, if it has one.
    pub broker: Option<broker::Address>,
    /// Opens its database, which has to be there and of this version.
    pub open: Box<dyn Fn() -> BoxFuture<'static, Result<Store, Exit>> + Send + Sync>,
}

impl std::fmt::Debug for Deployment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deployment").field("data_dir", &self.data_dir).finish_non_exhaustive()
    }
}

/// Finds out what an installation is.
pub type Resolve = fn(&Installation) -> Result<Deployment, Exit>;

type Run = dyn Fn(&ArgMatches, Resolve) -> BoxFuture<'static, Result<(), Exit>> + Send + Sync;

/// `turno <name> …`, or `turno sim <name> …`.
pub struct Command {
    pub name: &'static str,
    about: &'static str,
    augment: fn(clap::Command) -> clap::Command,
    run: Box<Run>,
}

impl Command {
    /// A command with the arguments `A`, carried out by `run`.
    pub fn new<A, F>(name: &'static str, about: &'static str, run: fn(A, Resolve) -> F) -> Self
    where
        A: Args + Send + 'static,
        F: Future<Output = Result<(), Exit>> + Send + 'static,
    {
        let run = move |matches: &ArgMatches, resolve| -> BoxFuture<'static, _> {
            match A::from_arg_matches(matches) {
                Ok(args) => Box::pin(run(args, resolve)),
                Err(error) => Box::pin(std::future::ready(Err(Exit::usage(error.to_string())))),
            }
        };
        Self { name, about, augment: A::augment_args, run: Box::new(run) }
    }

    pub fn define(&self) -> clap::Command {
        (self.augment)(clap::Command::new(self.name)).about(self.about)
    }

    pub async fn run(&self, matches: &ArgMatches, resolve: Resolve) -> Result<(), Exit> {
        (self.run)(matches, resolve).await
    }
}

/// Whose time to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClockKind {
    System,
    Manual,
}

pub fn length(span: Span) -> Result<Duration, Exit> {
    let wrong = |_| Exit::usage(format!("{span} is no length of time to wait"));
    let signed = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(wrong)?;
    Duration::try_from(signed).map_err(wrong)
}
