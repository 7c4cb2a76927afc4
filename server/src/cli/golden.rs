//! `turno docproc golden` and `turno docproc promote`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Server;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
A golden case is files with the answer they must get. Cases are added and retired, never changed.
Running one disturbs nothing: it is read, classified and extracted beside the queue, and where a
person would be asked, the expected answer speaks for them.

TURNO_TOKEN holds the token, where the server wants one.")]
pub(crate) enum GoldenCommand {
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
pub(crate) struct GoldenAdd {
    #[command(flatten)]
    pub(crate) server: Server,
    /// Completed requests; their answers are what is expected
    #[arg(value_name = "REQUEST", required_unless_present = "file")]
    pub(crate) requests: Vec<String>,
    /// Files of one case
    #[arg(long = "file", value_name = "FILE", conflicts_with = "requests", requires = "expect")]
    pub(crate) file: Vec<PathBuf>,
    /// The answer it must get: a result, or the list of its documents
    #[arg(long, value_name = "FILE", requires = "file")]
    pub(crate) expect: Option<PathBuf>,
    /// The workflow of a file
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) workflow: String,
    /// What to call the case
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct GoldenList {
    #[command(flatten)]
    pub(crate) server: Server,
    /// Only this workflow's
    pub(crate) workflow: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct GoldenRetire {
    #[command(flatten)]
    pub(crate) server: Server,
    /// The case's id
    pub(crate) id: String,
    /// Why it is not judged by any more
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno docproc golden run                                 every workflow that has cases
  turno docproc golden run facturas --candidate facturas.yaml")]
pub(crate) struct GoldenRun {
    #[command(flatten)]
    pub(crate) server: Server,
    /// Only this workflow's cases
    pub(crate) workflow: Option<String>,
    /// Run a file instead of the version in force
    #[arg(long, value_name = "FILE", requires = "workflow")]
    pub(crate) candidate: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Destination {
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
pub(crate) struct Promote {
    #[command(flatten)]
    pub(crate) server: Server,
    pub(crate) workflow: String,
    /// Where to
    #[arg(long, value_enum)]
    pub(crate) to: Destination,
    /// A version by its id [default: the newest that waits]
    #[arg(long, value_name = "ID")]
    pub(crate) version: Option<i64>,
    /// Requests in an hour to expect: prints how many workers they need
    #[arg(long, value_name = "N", requires_all = ["pages", "max_seconds"])]
    pub(crate) requests_per_hour: Option<f64>,
    /// Pages of a request
    #[arg(long, value_name = "N", requires = "requests_per_hour")]
    pub(crate) pages: Option<f64>,
    /// Nineteen of twenty requests are to be answered within this
    #[arg(long, value_name = "SECONDS", requires = "requests_per_hour")]
    pub(crate) max_seconds: Option<f64>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Rollback {
    #[command(flatten)]
    pub(crate) server: Server,
    pub(crate) workflow: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}
