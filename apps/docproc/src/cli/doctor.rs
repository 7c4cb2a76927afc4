//! What `turno doctor` asks of documents: what reads pages, where files are kept, the variables.

use std::time::Duration;

use db::settings::Settings;
use ocr::{EngineKind, Pack};
use understand::classify::Classifier;

use terminal::{Deployment, Finding};

use crate::{
    decisions::storage as decisions,
    drivers::{
        broker::{TTL, usable},
        environment::{self, AWAY, MISMATCH, has_callback_secret, models},
        storage::{Address, Fault, Storage},
    },
    rules::storage::Step,
    store::policy,
};

const STORAGE: &str = "storage";

/// Everything `turno doctor` asks of documents.
pub(crate) fn check(deployment: &Deployment) -> Vec<Finding> {
    reading().into_iter().chain(files(deployment)).chain(variables(deployment)).collect()
}

/// The storage, asked on a thread of its own: a check is a plain function.
fn files(deployment: &Deployment) -> Vec<Finding> {
    let config = match environment::config(&deployment.data_dir) {
        Ok(config) => config,
        Err(exit) => return vec![Finding::fail(STORAGE, exit.to_string(), "correct the variable")],
    };
    // Looking must not make the directory that is looked for.
    if let Address::Folder(root) = &config.storage
        && !root.exists()
    {
        let detail = format!("{}: made when first needed", root.display());
        return vec![Finding::pass(STORAGE, detail), as_shipped()];
    }
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map(|runtime| runtime.block_on(ask(&config.storage, deployment)))
        });
        asking.join()
    });
    match answer {
        Ok(Ok(findings)) => findings,
        _ => vec![Finding::fail(STORAGE, "it could not be asked", AWAY)],
    }
}

async fn ask(address: &Address, deployment: &Deployment) -> Vec<Finding> {
    let storage = match Storage::open(address) {
        Ok(storage) => storage,
        Err(fault) => return vec![Finding::fail(STORAGE, fault.to_string(), AWAY)],
    };
    let looked = look(&storage, deployment).await;
    if looked.verdict == terminal::Verdict::Fail {
        return vec![looked];
    }
    vec![looked, classifier(&storage).await]
}

/// Whether it answers, and is the one that the database knows.
async fn look(storage: &Storage, deployment: &Deployment) -> Finding {
    let address = storage.address();
    // What is wrong with the database has a line of its own.
    let Ok(store) = (deployment.open)().await else {
        return match storage.mark().await {
            Ok(_) => Finding::pass(STORAGE, format!("{address} answers")),
            Err(fault) => Finding::fail(STORAGE, fault.to_string(), AWAY),
        };
    };
    let seen = decisions::look(&store, storage).await;
    store.close().await;
    match seen {
        Ok(seen) => match seen.step() {
            Step::Refuse(mismatch) => {
                Finding::fail(STORAGE, seen.told(mismatch, storage), MISMATCH)
            }
            Step::Name | Step::Mark | Step::Keep => {
                Finding::pass(STORAGE, format!("{address}, marked when first used"))
            }
            Step::Begin => {
                Finding::pass(STORAGE, format!("{address}, the one this database knows"))
            }
        },
        Err(error) => Finding::fail(STORAGE, error.to_string(), AWAY),
    }
}

/// What the environment asks of `DocProc` that it cannot do, or does with less than it could.
fn variables(deployment: &Deployment) -> Vec<Finding> {
    let callbacks = if has_callback_secret() || deployment.signs {
        Finding::pass("callbacks", "signed")
    } else {
        let fix = "set DOCPROC_CALLBACK_SECRET (or DOCPROC_CALLBACK_SECRET_FILE)";
        Finding::warn("callbacks", "no secret: answers are sent without a signature", fix)
    };
    vec![broker(deployment), callbacks]
}

fn broker(deployment: &Deployment) -> Finding {
    const ABOUT: &str = "queues";
    let Some(address) = deployment.broker.clone() else {
        return Finding::pass(ABOUT, "messages live in the database");
    };
    let shown = address.to_string();
    // The checks of a doctor follow each other; this one alone needs somebody to wait for.
    let asked = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let asked = async { usable(&address, ttl(deployment).await).await };
            runtime.ok().map(|runtime| runtime.block_on(asked))
        });
        asking.join().ok().flatten()
    });
    match asked {
        Some(Ok(())) => {
            Finding::pass(ABOUT, format!("{shown}: they and their exchanges are as wanted"))
        }
        Some(Err(fault)) if fault.may_pass() => {
            let fix =
                "start it, or correct the host and port; work goes on from the table meanwhile";
            Finding::warn(ABOUT, format!("{shown}: {fault}"), fix)
        }
        Some(Err(fault)) => {
            let fix = "remove the queue that is named, or correct what RabbitMQ refuses above";
            Finding::fail(ABOUT, format!("{shown}: {fault}"), fix)
        }
        None => Finding::fail(ABOUT, format!("{shown}: could not be asked"), "try again"),
    }
}

/// How long a letter may wait, as the processes of this house declare it: asked for otherwise, every
/// queue would seem to be somebody else's.
async fn ttl(deployment: &Deployment) -> Duration {
    let told = |text: String| text.parse().ok().map(Duration::from_millis);
    if let Some(told) = std::env::var(policy::MESSAGE_TTL).ok().and_then(told) {
        return Some(told).filter(|ttl| !ttl.is_zero()).unwrap_or(TTL);
    }
    let Ok(store) = (deployment.open)().await else { return TTL };
    let kept = async {
        let settings = Settings::new(policy::SETTINGS.to_vec(), Vec::new()).ok()?;
        policy::load(&settings, &mut store.read().await.ok()?).await.ok()?.message_ttl
    };
    let kept = kept.await;
    store.close().await;
    kept.unwrap_or(TTL)
}

fn reading() -> Vec<Finding> {
    let dir = models();
    let pack = match Pack::find(&dir) {
        Ok(pack) => {
            let detail = format!("{} in {}", pack.version(), pack.dir().display());
            Finding::pass("model pack", detail)
        }
        Err(missing) => {
            let fix = "`make build`, or `scripts/models DIR` and TURNO_MODELS=DIR";
            Finding::warn("model pack", format!("{}: {}", dir.display(), missing.reason), fix)
        }
    };
    let engines = ocr::doctor(&dir).into_iter().zip(EngineKind::ALL);
    let engines = engines.map(|((_, found), kind)| engine(kind, found));
    std::iter::once(pack).chain(engines).collect()
}

/// Either engine reads pictures; missing, the workflows that ask for it wait.
fn engine(kind: EngineKind, found: Result<String, String>) -> Finding {
    let (about, fix) = match kind {
        EngineKind::PpOcr => {
            ("OCR ppocr", "install the model pack; until then Tesseract reads pictures")
        }
        EngineKind::Tesseract => (
            "OCR tesseract",
            "apt-get install libtesseract5 tesseract-ocr-eng tesseract-ocr-spa; only workflows \
             that ask for it need it",
        ),
    };
    match found {
        Ok(version) => Finding::pass(about, version),
        Err(reason) => Finding::warn(about, reason, fix),
    }
}

const CLASSIFIER: &str = "classifier";

fn as_shipped() -> Finding {
    let labels = Classifier::shipped().labels().join(", ");
    Finding::pass(CLASSIFIER, format!("as shipped: {labels}"))
}

async fn classifier(storage: &Storage) -> Finding {
    let place = Storage::classifier();
    let bytes = match storage.get(place).await {
        Ok(bytes) => bytes,
        Err(Fault::Missing { .. }) => return as_shipped(),
        Err(fault) => return Finding::warn(CLASSIFIER, fault.to_string(), AWAY),
    };
    match Classifier::load(&bytes) {
        Ok(own) => Finding::pass(CLASSIFIER, format!("trained here: {}", own.labels().join(", "))),
        Err(error) => {
            let fix = "train it again, or remove the file to use the shipped one";
            Finding::fail(CLASSIFIER, format!("{place} in {}: {error}", storage.address()), fix)
        }
    }
}
