//! `turno docproc …` and `turno sim documentos`.

mod args;
mod broker;
mod doctor;
mod evaluate;
mod golden;
mod golden_args;
mod plan;
mod promote;
mod status;
mod storage;
mod submit;
mod train;

use args::{Docproc, DocprocCommand, SimDocuments, WearKind};
pub(crate) use broker::command as broker;
pub(crate) use doctor::check;
use terminal::{Code, Command, Exit, Resolve, output, reach, with_causes};

use crate::{
    sim::{self, Look, Stopped},
    training::Untold,
};

pub(crate) fn command() -> Command {
    let about = "Documents: send them, ask about them, train and measure what reads them";
    Command::new("docproc", about, run)
}

pub(crate) fn simulator() -> Command {
    let about = "Invoices, receipts, identity cards, payslips and contracts that nobody wrote";
    Command::new("documentos", about, simulate)
}

async fn run(args: Docproc, resolve: Resolve) -> Result<(), Exit> {
    match args.command {
        DocprocCommand::Submit(args) => submit::run(args).await,
        DocprocCommand::Status(args) => status::run(&args).await,
        DocprocCommand::Train(args) => train::run(args, resolve).await,
        DocprocCommand::Evaluate(args) => evaluate::run(&args, resolve).await,
        DocprocCommand::Plan(args) => plan::run(&args).await,
        DocprocCommand::Golden { command } => golden::run(command).await,
        DocprocCommand::Promote(args) => promote::run(&args).await,
        DocprocCommand::Rollback(args) => promote::back(&args).await,
        DocprocCommand::Storage { command } => storage::run(command, resolve).await,
    }
}

/// Documents that could not be gathered.
fn untold(error: &Untold) -> Exit {
    let code = match error {
        Untold::Unreadable { reason, .. } if reason.kind() == std::io::ErrorKind::NotFound => {
            Code::NotFound
        }
        Untold::Unreadable { .. } | Untold::Malformed { .. } | Untold::TooMany { .. } => {
            Code::Failed
        }
    };
    Exit::new(code, error.to_string())
}

async fn simulate(args: SimDocuments, _: Resolve) -> Result<(), Exit> {
    let SimDocuments { out, send, count, seed, wear, per_minute } = args;
    if !per_minute.is_finite() || per_minute <= 0.0 {
        return Err(Exit::usage("--per-minute must be more than zero"));
    }
    let look = match wear {
        WearKind::Clean => Look::Clean,
        WearKind::Scanned => Look::Scanned,
        WearKind::Degraded => Look::Degraded,
        WearKind::Mixed => Look::Mixed,
    };
    if let Some(dir) = out {
        let written = sim::write(&dir, count as usize, seed, look)
            .map_err(|error| Exit::failed(error.to_string()))?;
        output::say(&format!("{written} documents in {}", dir.display()));
    }
    let Some(url) = send else { return Ok(()) };
    reach(&url).await?;
    let token = std::env::var("TURNO_TOKEN").ok();
    let options = sim::Options { count: count.into(), seed, look, per_minute };
    let say = |name: &str, id: &str| output::say(&format!("{id}  {name}"));
    tokio::select! {
        ended = sim::run(&url, token.as_deref(), options, say) => {
            ended.map_err(|stopped| {
                let code = match stopped {
                    Stopped::Unreachable { .. } => Code::Unreachable,
                    Stopped::Unauthorised => Code::NotAuthorised,
                    Stopped::Making(_) | Stopped::Refused { .. } => Code::Failed,
                };
                Exit::new(code, with_causes(&stopped))
            })
        }
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}
