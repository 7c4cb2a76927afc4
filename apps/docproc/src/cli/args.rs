//! The arguments of `turno docproc` and `turno sim documentos`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use jiff::Span;

use terminal::{Installation, Server};

use super::golden_args::{GoldenCommand, Promote, Rollback};

#[derive(Args, Debug)]
pub(crate) struct Docproc {
    #[command(subcommand)]
    pub(super) command: DocprocCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum DocprocCommand {
    /// Send documents to a server, each as a request of its own
    Submit(Submit),
    /// How a request is doing, with its result when there is one
    Status(Status),
    /// Train the classifier of pages
    Train(Train),
    /// Measure reading, classification and extraction on documents whose truth is known
    Evaluate(Evaluate),
    /// How many workers and people a load needs
    Plan(Plan),
    /// Cases whose answer is known
    Golden {
        #[command(subcommand)]
        command: GoldenCommand,
    },
    /// Put a version of a workflow into force, if its golden set agrees
    Promote(Promote),
    /// Put the version before the present one into force again
    Rollback(Rollback),
    /// Where files are kept, and whether it is the place this database knows
    Storage {
        #[command(subcommand)]
        command: StorageCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum StorageCommand {
    /// The storage of this process beside the one that the database knows
    Show(ShowStorage),
    /// Say that this storage has the files of this database from now on
    Adopt(AdoptStorage),
}

#[derive(Args, Debug)]
pub(super) struct ShowStorage {
    #[command(flatten)]
    pub(super) place: Installation,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Processes refuse to start on a storage that is not the one this database knows. After files were
moved to another place, say so once, while no process runs; requests whose files are not there wait
or fail.

Examples:
  DOCPROC_STORAGE_URL=s3://papers/house turno docproc storage adopt --reason 'moved to S3'")]
pub(super) struct AdoptStorage {
    #[command(flatten)]
    pub(super) place: Installation,
    /// For the audit
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
}

#[derive(Args, Debug)]
#[command(after_help = "\
TURNO_TOKEN holds the token, where the server wants one. With --json the answer is one object for
one request, a list for several.

Examples:
  turno docproc submit invoice.pdf --wait
  turno docproc submit scans/*.tiff --workflow facturas --json
  turno docproc submit id.jpg payslip.pdf contract.pdf --together --external-id CASE-7")]
pub(super) struct Submit {
    #[command(flatten)]
    pub(super) server: Server,
    /// PDF, TIFF, JPEG, PNG, text, e-mail, or ZIP of these
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// All files as one request
    #[arg(long)]
    pub(super) together: bool,
    /// The workflow to take [default: the server decides]
    #[arg(long, value_name = "NAME")]
    pub(super) workflow: Option<String>,
    /// A JSON object kept with the request
    #[arg(long, value_name = "JSON")]
    pub(super) metadata: Option<String>,
    /// Your own reference
    #[arg(long, value_name = "TEXT")]
    pub(super) external_id: Option<String>,
    /// File whose first line opens encrypted PDF
    #[arg(long, value_name = "FILE")]
    pub(super) password_file: Option<PathBuf>,
    /// Wait for the end and print the result
    #[arg(long)]
    pub(super) wait: bool,
    /// Stop waiting after this long, such as 5m; the request goes on [default: never]
    #[arg(long, value_name = "TIME", requires = "wait")]
    pub(super) timeout: Option<Span>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct Status {
    #[command(flatten)]
    pub(super) server: Server,
    /// The request's id, as `submit` printed it
    pub(super) id: String,
    /// Say what it waits for
    #[arg(long)]
    pub(super) why: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("source").required(true).multiple(true)
        .args(["labelled", "corrections", "shipped"]),
    after_help = "\
A folder of labelled documents has one folder per type: DIR/invoice/*.pdf, DIR/delivery_note/*.jpg.
A new model takes the place of the one in force only if it is better; a running server takes it
within seconds.

Examples:
  turno docproc train --corrections                    what operators corrected so far
  turno docproc train --labelled folders --corrections
  turno docproc train --shipped crates/understand/model/pages.bin"
)]
pub(super) struct Train {
    #[command(flatten)]
    pub(super) place: Installation,
    /// Learn from documents in folders named by type
    #[arg(long, value_name = "DIR")]
    pub(super) labelled: Option<PathBuf>,
    /// Learn from what operators corrected
    #[arg(long)]
    pub(super) corrections: bool,
    /// Make the model that ships with turno again and write it to a file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["labelled", "corrections"])]
    pub(super) shipped: Option<PathBuf>,
    /// Replace the model in force even if it is better
    #[arg(long)]
    pub(super) force: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
DIR holds documents with their truth beside them, also in folders: invoice-1.pdf and
invoice-1.json, such as {\"doc_type\": \"invoice\", \"fields\": {\"total_amount\": \"121.00\"}}.

Examples:
  turno sim documentos --out samples --count 60 --wear mixed
  turno docproc evaluate samples --svg reliability.svg")]
pub(super) struct Evaluate {
    #[command(flatten)]
    pub(super) place: Installation,
    /// Documents and their truth
    pub(super) dir: PathBuf,
    /// Draw the reliability curves into this file
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Judge the model that ships with turno, even if another was trained here
    #[arg(long)]
    pub(super) shipped: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("destination").required(true).multiple(true).args(["out", "send"]),
    after_help = "\
TURNO_TOKEN holds the token, where the server wants one.

Examples:
  turno sim documentos --out samples --count 60 --wear mixed
  turno sim documentos --send http://127.0.0.1:8000 --per-minute 30 --count 100"
)]
pub(crate) struct SimDocuments {
    /// Write documents here, each with its truth beside it
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Send documents to this server
    #[arg(long, value_name = "URL")]
    pub(super) send: Option<String>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) count: u32,
    /// The same seed gives the same documents
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// What they went through
    #[arg(long, value_enum, default_value_t = WearKind::Mixed)]
    pub(super) wear: WearKind,
    /// How fast to send
    #[arg(long, value_name = "N", default_value_t = 30.0, requires = "send")]
    pub(super) per_minute: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WearKind {
    /// Never printed
    Clean,
    /// Printed and scanned in an office
    Scanned,
    /// A copy of a fax of a copy
    Degraded,
    /// Some of each
    Mixed,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The times are those a server measured lately; a new one has none, then --page-seconds tells them.

Examples:
  turno docproc plan --requests-per-hour 600 --pages 4 --max-seconds 30
  turno docproc plan --requests-per-hour 60 --pages 10 --max-seconds 60 --page-seconds 1.4")]
pub(super) struct Plan {
    #[command(flatten)]
    pub(super) server: Server,
    /// Requests in an hour
    #[arg(long, value_name = "N")]
    pub(super) requests_per_hour: f64,
    /// Pages of a request
    #[arg(long, value_name = "N")]
    pub(super) pages: f64,
    /// Documents of a request [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) documents: Option<f64>,
    /// Nineteen of twenty requests are to be answered within this
    #[arg(long, value_name = "SECONDS")]
    pub(super) max_seconds: f64,
    /// Seconds that a page takes [default: as measured]
    #[arg(long, value_name = "SECONDS")]
    pub(super) page_seconds: Option<f64>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}
