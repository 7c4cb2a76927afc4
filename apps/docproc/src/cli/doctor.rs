//! What reads pages: the pack of models, both engines, the classifier.

use ocr::{EngineKind, Pack};
use understand::classify::Classifier;

use terminal::{Deployment, Finding};

use crate::drivers::{
    broker::{TTL, usable},
    environment::{self, has_callback_secret, models},
    runtime::trained,
};

/// Everything `turno doctor` asks of documents.
pub(crate) fn check(deployment: &Deployment) -> Vec<Finding> {
    reading(deployment).into_iter().chain(variables(deployment)).collect()
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
    const ABOUT: &str = "RabbitMQ";
    let Some(address) = deployment.broker.clone() else {
        return Finding::pass(ABOUT, "not used; messages live in the database");
    };
    let shown = address.to_string();
    // The checks of a doctor follow each other; this one alone needs somebody to wait for.
    let asked = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.ok().map(|runtime| runtime.block_on(usable(&address, TTL)))
    });
    match asked.join().ok().flatten() {
        Some(Ok(())) => {
            Finding::pass(ABOUT, format!("{shown}: queues and exchanges are as wanted"))
        }
        Some(Err(fault)) if fault.may_pass() => {
            let fix =
                "start it, or correct the host and port; work goes on from the table meanwhile";
            Finding::warn(ABOUT, format!("{shown}: {fault}"), fix)
        }
        Some(Err(fault)) => {
            let fix = "correct user, password or virtual host, or remove the queue that is named";
            Finding::fail(ABOUT, format!("{shown}: {fault}"), fix)
        }
        None => Finding::fail(ABOUT, format!("{shown}: could not be asked"), "try again"),
    }
}

fn reading(deployment: &Deployment) -> Vec<Finding> {
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
    std::iter::once(pack).chain(engines).chain(std::iter::once(classifier(deployment))).collect()
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

fn classifier(deployment: &Deployment) -> Finding {
    const ABOUT: &str = "classifier";
    let file = match environment::config(&deployment.data_dir) {
        Ok(config) => trained(&config),
        Err(exit) => return Finding::fail(ABOUT, exit.to_string(), "correct the variable"),
    };
    let Ok(bytes) = std::fs::read(&file) else {
        let labels = Classifier::shipped().labels().join(", ");
        return Finding::pass(ABOUT, format!("as shipped: {labels}"));
    };
    match Classifier::load(&bytes) {
        Ok(own) => Finding::pass(ABOUT, format!("trained here: {}", own.labels().join(", "))),
        Err(error) => {
            let fix = "train it again, or remove the file to use the shipped one";
            Finding::fail(ABOUT, format!("{}: {error}", file.display()), fix)
        }
    }
}
