//! The arguments of `turno docproc golden`, `promote` and `rollback`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use terminal::Server;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
A golden case is files with the answer they must get. Cases are added and retired, never changed.
Running one disturbs nothing: it is read, classified and extracted beside the queue, and where a
person would be asked, the expected answer speaks for them.

TURNO_TOKEN holds the token, where the server wants one.")]
pub(super) enum GoldenCommand {
    /// Take completed requests, or a file with its answer, into the golden set
    Add(GoldenAdd),
    /// List cases, retired ones too
    List(GoldenList),
    /// Take a case out of its set; it stays listed
    Retire(GoldenRetire),
    /// Run cases and tell every difference; exit code 1 when there is one
    Run(GoldenRun),
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno docproc golden add 0198c2d1-7c1e-7b53-9d0e-3f6c2b1a9e10
  turno docproc golden add --file invoice.pdf --expect invoice.json --workflow facturas")]
pub(super) struct GoldenAdd {
    #[command(flatten)]
    pub(super) server: Server,
    /// Completed requests; their answers are what is expected
    #[arg(value_name = "REQUEST", required_unless_present = "file")]
    pub(super) requests: Vec<String>,
    /// Files of one case
    #[arg(long = "file", value_name = "FILE", conflicts_with = "requests", requires = "expect")]
    pub(super) file: Vec<PathBuf>,
    /// The answer it must get: a result, or the list of its documents
    #[arg(long, value_name = "FILE", requires = "file")]
    pub(super) expect: Option<PathBuf>,
    /// The workflow of a file
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(super) workflow: String,
    /// What to call the case
    #[arg(long, value_name = "TEXT")]
    pub(super) name: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct GoldenList {
    #[command(flatten)]
    pub(super) server: Server,
    /// Only this workflow's
    pub(super) workflow: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct GoldenRetire {
    #[command(flatten)]
    pub(super) server: Server,
    /// The case's id
    pub(super) id: String,
    /// Why it is not judged by any more
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno docproc golden run                                 every workflow that has cases
  turno docproc golden run facturas --candidate facturas.yaml")]
pub(super) struct GoldenRun {
    #[command(flatten)]
    pub(super) server: Server,
    /// Only this workflow's cases
    pub(super) workflow: Option<String>,
    /// Run a file instead of the version in force
    #[arg(long, value_name = "FILE", requires = "workflow")]
    pub(super) candidate: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Destination {
    /// New requests take it
    Prod,
}

#[derive(Args, Debug)]
#[command(after_help = "\
A workflow with `promotion: required` keeps a new version in test until it is promoted; all others
are in force as soon as their file is there. The golden set is run before, and again once the
version is in force; when anything differs, the version before stays, or is back.

Examples:
  turno docproc promote facturas --to prod
  turno docproc promote facturas --to prod --requests-per-hour 600 --pages 4 --max-seconds 30")]
pub(super) struct Promote {
    #[command(flatten)]
    pub(super) server: Server,
    pub(super) workflow: String,
    /// Where to
    #[arg(long, value_enum)]
    pub(super) to: Destination,
    /// A version by its id [default: the newest that waits]
    #[arg(long, value_name = "ID")]
    pub(super) version: Option<i64>,
    /// Also if it would ask people more than the version in force
    #[arg(long)]
    pub(super) allow_more_manual: bool,
    /// Requests in an hour to expect: prints how many workers they need
    #[arg(long, value_name = "N", requires_all = ["pages", "max_seconds"])]
    pub(super) requests_per_hour: Option<f64>,
    /// Pages of a request
    #[arg(long, value_name = "N", requires = "requests_per_hour")]
    pub(super) pages: Option<f64>,
    /// Nineteen of twenty requests are to be answered within this
    #[arg(long, value_name = "SECONDS", requires = "requests_per_hour")]
    pub(super) max_seconds: Option<f64>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct Rollback {
    #[command(flatten)]
    pub(super) server: Server,
    pub(super) workflow: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
}
