//! How `DocProc` is set up in this process: its variables (§10.1) and where its files are.

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use terminal::{Code, Exit};

use super::{
    broker::{self, Outbox},
    runtime::{Config, NotReady, Part, Runtime, Secret},
    storage::{Address, Bucket, Fault, Keys},
};
use crate::{Context, decisions::storage::Unsettled, store::policy};

/// Where the model pack is unless `TURNO_MODELS` says otherwise.
const MODELS: &str = "models";
/// The seed's directory of workflows.
const WORKFLOWS: &str = "config/workflows";
const WORKFLOWS_DIR: &str = "DOCPROC_WORKFLOWS_DIR";
const FOLDER_DIR: &str = "DOCPROC_FOLDER_DIR";
const WORKERS: &str = "DOCPROC_WORKERS";
const PREFETCH: &str = "DOCPROC_PREFETCH_COUNT";
const MODELS_DIR: &str = "TURNO_MODELS";
const PART: &str = "DOCPROC_COMPONENT_NAME";
const HEALTH: &str = "DOCPROC_HEALTH_PORT";
const HEALTH_PORT: u16 = 8080;
const HEALTH_ADDRESS: &str = "DOCPROC_HEALTH_ADDRESS";
const RABBIT: &str = "DOCPROC_RABBITMQ_URL";
const STORAGE_PATH: &str = "DOCPROC_STORAGE_PATH";
const STORAGE_URL: &str = "DOCPROC_STORAGE_URL";
const KEY_ID: &str = "AWS_ACCESS_KEY_ID";
const KEY_SECRET: &str = "AWS_SECRET_ACCESS_KEY";
/// What mends a storage that is not the one.
pub(crate) const MISMATCH: &str = "give this process the storage of the others \
    (DOCPROC_STORAGE_PATH or DOCPROC_STORAGE_URL); if this one has the files now, say so with \
    `turno docproc storage adopt`";
/// What mends a storage that is not there.
pub(crate) const AWAY: &str = "are DOCPROC_STORAGE_PATH or DOCPROC_STORAGE_URL, AWS_ENDPOINT_URL, \
    AWS_REGION and the AWS keys right, and is it running?";
const CALLBACK_SECRET: &str = "DOCPROC_CALLBACK_SECRET";

/// Opens what this process needs to take documents, and loads workflows and settings.
pub async fn open(context: host::Context) -> Result<Arc<Runtime>, Exit> {
    let config = config(&context.options.data_dir)?;
    let unready = |error: NotReady| match error {
        NotReady::Unsettled(Unsettled::Database(error)) | NotReady::Database(error) => error.into(),
        NotReady::Unsettled(why) => unsettled(&why),
        NotReady::Storage(fault) => unsettled(&Unsettled::Fault(fault)),
    };
    let mut runtime = Runtime::open(config).map_err(unready)?;
    runtime.outbox = outbox(&context, runtime.config.part).await?;
    let runtime = Arc::new(runtime);
    let context = Context::new(context, runtime.clone());
    super::runtime::prepare(&context).await.map_err(unready)?;
    Ok(runtime)
}

/// How a command ends whose storage cannot be used, with what mends it.
pub(crate) fn unsettled(why: &Unsettled) -> Exit {
    match why {
        Unsettled::Mismatch(sentence) => {
            Exit::new(Code::Conflict, sentence.as_str()).hint(MISMATCH)
        }
        Unsettled::InUse(_) => {
            let hint = "stop them; one that died counts for some seconds more";
            Exit::new(Code::Conflict, why.to_string()).hint(hint)
        }
        Unsettled::Fault(Fault::Away(sentence)) => {
            Exit::new(Code::Unreachable, sentence.as_str()).hint(AWAY)
        }
        Unsettled::Fault(fault) => Exit::failed(fault.to_string()).hint(AWAY),
        Unsettled::Database(error) => Exit::failed(terminal::with_causes(error)),
    }
}

/// The broker that the house named, if it did. What waiting does not mend ends the start here.
async fn outbox(context: &host::Context, part: Part) -> Result<Option<Outbox>, Exit> {
    let Some(address) = context.options.broker.clone() else { return Ok(None) };
    let unread = |error: db::Error| Exit::failed(error.to_string());
    let mut tx = context.store.read().await.map_err(unread)?;
    let policy = policy::load(&context.settings, &mut tx).await.map_err(unread)?;
    drop(tx);
    let ttl = policy.message_ttl.unwrap_or(broker::TTL);
    match broker::usable(&address, ttl).await {
        Ok(()) => {}
        Err(fault) if fault.may_pass() => {
            tracing::warn!(broker = %address, %fault, "the broker is away; work goes on without it");
        }
        Err(fault) => return Err(Exit::usage(format!("{RABBIT} {address}: {fault}"))),
    }
    let name = format!("{} {}", part.word(), context.process.name);
    Ok(Some(Outbox::open(address, &name, ttl)))
}

/// Whether callbacks are signed.
pub(crate) fn has_callback_secret() -> bool {
    matches!(secret(CALLBACK_SECRET), Ok(Some(_)))
}

/// Where this process alone answers health checks (§9.4): the port that is named, or the
/// seed's when the process is one component of several.
fn health_port() -> Result<Option<u16>, Exit> {
    match (variable(HEALTH), variable(PART)) {
        (Some(text), _) => text
            .parse()
            .map(Some)
            .map_err(|_| Exit::usage(format!("{HEALTH}: {text:?} is not a port, 1 to 65535"))),
        (None, Some(_)) => Ok(Some(HEALTH_PORT)),
        (None, None) => Ok(None),
    }
}

/// A worker listens on its own machine alone, and is asked how it does from another.
fn health_address() -> Result<Option<IpAddr>, Exit> {
    let Some(text) = variable(HEALTH_ADDRESS) else { return Ok(None) };
    let wrong = |_| Exit::usage(format!("{HEALTH_ADDRESS}: {text:?} is no IP address"));
    text.parse().map(Some).map_err(wrong)
}

/// How this process is set up by its variables (§10.1).
pub fn config(data_dir: &Path) -> Result<Config, Exit> {
    let component = variable(PART).unwrap_or_default();
    let part = Part::named(&component).ok_or_else(|| {
        Exit::usage(format!("{PART}: there is no component {component:?}"))
            .hint(format!("there are {}", Part::WORDS))
    })?;
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Ok(Config {
        storage: storage(data_dir)?,
        workflows: Some(PathBuf::from(
            variable(WORKFLOWS_DIR).unwrap_or_else(|| WORKFLOWS.to_owned()),
        )),
        models: models(),
        part,
        threads: number(WORKERS)?.unwrap_or(cores),
        prefetch: number(PREFETCH)?,
        folder: variable(FOLDER_DIR).map(PathBuf::from),
        callback_secret: secret(CALLBACK_SECRET)?.map(Secret::new),
        health_port: health_port()?,
        health_address: health_address()?,
        isolated: true,
    })
}

/// What this process takes from a variable, as people may see it.
#[derive(Clone, Debug)]
pub struct Shown {
    pub key: &'static str,
    pub value: String,
    pub variable: &'static str,
    /// Whether the variable is set.
    pub given: bool,
    pub help: &'static str,
}

/// By key: the variable, and what it says.
const VARIABLES: [(&str, &str, &str); 10] = [
    ("component", PART, "The component this process is; all of them unless told."),
    ("storage", STORAGE_PATH, "Where files are: a directory, or a bucket by DOCPROC_STORAGE_URL."),
    ("workflows_dir", WORKFLOWS_DIR, "The directory whose YAML files are the workflows."),
    ("folder_dir", FOLDER_DIR, "A directory that is watched for documents; none unless told."),
    ("health_port", HEALTH, "Where it alone answers health checks; 8080 for one component."),
    ("health_address", HEALTH_ADDRESS, "On which address; that of the server unless told."),
    ("workers", WORKERS, "Threads that work on messages; one per core unless told."),
    ("prefetch_count", PREFETCH, "Messages a thread may hold; as many as make sense unless told."),
    ("models", MODELS_DIR, "Where the models are that read pictures."),
    ("callback_secret", CALLBACK_SECRET, "Signs the answers that are sent; none unless told."),
];

/// How this process is set up by its variables (§10.1), for `turno config show`.
pub fn shown(data_dir: &Path) -> Result<Vec<Shown>, Exit> {
    let config = config(data_dir)?;
    let path = |path: Option<&PathBuf>| path.map(|path| path.display().to_string());
    let value = |key: &str| match key {
        "component" => Some(config.part.word().to_owned()),
        "storage" => Some(config.storage.to_string()),
        "workflows_dir" => path(config.workflows.as_ref()),
        "folder_dir" => path(config.folder.as_ref()),
        "health_port" => config.health_port.map(|port| port.to_string()),
        "health_address" => config.health_address.map(|address| address.to_string()),
        "workers" => Some(config.threads.to_string()),
        "prefetch_count" => config.prefetch.map(|n| n.to_string()),
        "models" => path(Some(&config.models)),
        _ => config.callback_secret.as_ref().map(|_| "••••••".to_owned()),
    };
    let shown = |(key, name, help): (&'static str, &'static str, &'static str)| {
        let bucket = key == "storage" && variable(STORAGE_URL).is_some();
        let name = if bucket { STORAGE_URL } else { name };
        let given = variable(name).is_some() || variable(&format!("{name}_FILE")).is_some();
        let value = value(key).unwrap_or_else(|| "\"\"".to_owned());
        Shown { key, value, variable: name, given, help }
    };
    Ok(VARIABLES.into_iter().map(shown).collect())
}

/// Where files are kept: a directory, or a bucket with what the usual variables say of it.
fn storage(data_dir: &Path) -> Result<Address, Exit> {
    let Some(url) = variable(STORAGE_URL) else {
        return Ok(variable(STORAGE_PATH)
            .map_or_else(|| data_dir.join("docproc"), PathBuf::from)
            .into());
    };
    if variable(STORAGE_PATH).is_some() {
        let message =
            format!("{STORAGE_URL} and {STORAGE_PATH} are both set: files have one place");
        return Err(Exit::usage(message).hint("unset one of them"));
    }
    let mut bucket =
        Bucket::parse(&url).map_err(|wrong| Exit::usage(format!("{STORAGE_URL}: {wrong}")))?;
    bucket.endpoint = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
    if let Some(endpoint) = &bucket.endpoint
        && !reqwest::Url::parse(endpoint).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
    {
        let message =
            format!("AWS_ENDPOINT_URL: {endpoint:?} is not http://host:port or https://…");
        return Err(Exit::usage(message));
    }
    bucket.region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
    bucket.keys = match (variable(KEY_ID), secret(KEY_SECRET)?) {
        (Some(id), Some(key)) => Some(Keys {
            id,
            secret: Secret::new(key),
            token: secret("AWS_SESSION_TOKEN")?.map(Secret::new),
        }),
        (None, None) => None,
        (Some(_), None) => {
            return Err(Exit::usage(format!("{KEY_ID} is set and {KEY_SECRET} is not")));
        }
        (None, Some(_)) => {
            return Err(Exit::usage(format!("{KEY_SECRET} is set and {KEY_ID} is not")));
        }
    };
    Ok(Address::Bucket(bucket))
}

/// Where the models are that read pictures.
pub fn models() -> PathBuf {
    PathBuf::from(variable(MODELS_DIR).unwrap_or_else(|| MODELS.to_owned()))
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
