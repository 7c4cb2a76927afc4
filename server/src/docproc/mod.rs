//! How `DocProc` is set up in this process: its variables (§10.1) and where its files are;
//! and the commands of `turno docproc`.

mod bar;
mod evaluate;
mod golden;
mod plan;
mod promote;
mod remote;
mod status;
mod submit;
mod train;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use docproc::training::Untold;
use docproc::{Config, Context, Part, Runtime};

use crate::cli::DocprocCommand;
use crate::exit::{Code, Exit};

pub(crate) async fn run(command: DocprocCommand) -> Result<(), Exit> {
    match command {
        DocprocCommand::Submit(args) => submit::run(args).await,
        DocprocCommand::Status(args) => status::run(&args).await,
        DocprocCommand::Train(args) => train::run(args).await,
        DocprocCommand::Evaluate(args) => evaluate::run(&args),
        DocprocCommand::Plan(args) => plan::run(&args).await,
        DocprocCommand::Golden { command } => golden::run(command).await,
        DocprocCommand::Promote(args) => promote::run(&args).await,
        DocprocCommand::Rollback(args) => promote::back(&args).await,
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

/// Where the model pack is unless `TURNO_MODELS` says otherwise.
const MODELS: &str = "models";
/// The seed's directory of workflows.
const WORKFLOWS: &str = "config/workflows";
const PART: &str = "DOCPROC_COMPONENT_NAME";
const HEALTH: &str = "DOCPROC_HEALTH_PORT";
const HEALTH_PORT: u16 = 8080;
const RABBIT: &str = "DOCPROC_RABBITMQ_URL";
const CALLBACK_SECRET: &str = "DOCPROC_CALLBACK_SECRET";

/// What a process needs that takes documents; where none are taken, nothing is opened.
pub(crate) fn open(apps: &[String], data_dir: &Path) -> Result<Arc<Runtime>, Exit> {
    if !apps.iter().any(|app| app == docproc::NAME) {
        return Ok(Arc::default());
    }
    if variable(RABBIT).is_some() {
        return Err(Exit::usage(format!("{RABBIT}: this version speaks to no broker"))
            .hint("unset it: processes on one PostgreSQL find each other's messages there"));
    }
    let place = place(data_dir)?;
    let storage = place.storage.display().to_string();
    Runtime::open(place).map(Arc::new).map_err(|error| unready(&storage, &error))
}

pub(crate) async fn prepare(context: &Context) -> Result<(), Exit> {
    if context.app(docproc::NAME).is_none() {
        return Ok(());
    }
    let storage = context.runtime.config.storage.display().to_string();
    docproc::prepare(context).await.map_err(|error| unready(&storage, &error))
}

fn unready(storage: &str, error: &dyn std::error::Error) -> Exit {
    Exit::failed(format!("documents in {storage}: {error}"))
}

/// Where this process alone answers health checks (§9.4): the port that is named, or the
/// seed's when the process is one component of several. Loopback unless the server is not.
pub(crate) async fn health(context: Context, listen: std::net::SocketAddr) -> Result<(), Exit> {
    if context.app(docproc::NAME).is_none() {
        return Ok(());
    }
    let port = match (variable(HEALTH), variable(PART)) {
        (Some(text), _) => text
            .parse::<u16>()
            .map_err(|_| Exit::usage(format!("{HEALTH}: {text:?} is not a port, 1 to 65535")))?,
        (None, Some(_)) => HEALTH_PORT,
        (None, None) => return Ok(()),
    };
    let address = std::net::SocketAddr::new(listen.ip(), port);
    match docproc::routes::health::serve(context, address).await {
        Ok(bound) => tracing::info!(address = %bound, "health checks of this component"),
        Err(error) => tracing::warn!(%address, %error,
            "no health checks on a port of their own; /health and /ready answer on the main one"),
    }
    Ok(())
}

/// What `turno doctor` says of the broker.
pub(crate) fn broker() -> Option<String> {
    variable(RABBIT).map(|_| format!("{RABBIT} is set, and this version speaks to no broker"))
}

/// Whether callbacks are signed.
pub(crate) fn has_callback_secret() -> bool {
    matches!(secret(CALLBACK_SECRET), Ok(Some(_)))
}

pub(crate) fn place(data_dir: &Path) -> Result<Config, Exit> {
    let component = variable(PART).unwrap_or_default();
    let part = Part::named(&component).ok_or_else(|| {
        Exit::usage(format!("{PART}: there is no component {component:?}"))
            .hint(format!("there are {}", Part::WORDS))
    })?;
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Ok(Config {
        storage: variable("DOCPROC_STORAGE_PATH")
            .map_or_else(|| data_dir.join("docproc"), PathBuf::from),
        workflows: Some(PathBuf::from(
            variable("DOCPROC_WORKFLOWS_DIR").unwrap_or_else(|| WORKFLOWS.to_owned()),
        )),
        models: models(),
        part,
        threads: number("DOCPROC_WORKERS")?.unwrap_or(cores),
        prefetch: number("DOCPROC_PREFETCH_COUNT")?,
        folder: variable("DOCPROC_FOLDER_DIR").map(PathBuf::from),
        callback_secret: secret(CALLBACK_SECRET)?.map(docproc::drivers::runtime::Secret::new),
    })
}

/// Where the models are that read pictures.
pub(crate) fn models() -> PathBuf {
    PathBuf::from(variable("TURNO_MODELS").unwrap_or_else(|| MODELS.to_owned()))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A value that is better kept in a file: `NAME`, or the file that `NAME_FILE` names.
fn secret(name: &str) -> Result<Option<String>, Exit> {
    let file = format!("{name}_FILE");
    let Some(path) = variable(&file) else { return Ok(variable(name)) };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Exit::usage(format!("{file}: cannot read {path}: {error}")))?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()).filter(|text| !text.is_empty()))
}

fn number(name: &str) -> Result<Option<usize>, Exit> {
    let Some(text) = variable(name) else { return Ok(None) };
    match text.parse() {
        Ok(n) if (1..=1024).contains(&n) => Ok(Some(n)),
        _ => Err(Exit::usage(format!("{name}: {text:?} is not a number from 1 to 1024"))),
    }
}
