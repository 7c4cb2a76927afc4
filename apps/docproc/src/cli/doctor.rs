//! What reads pages: the pack of models, both engines, the classifier.

use ocr::{EngineKind, Pack};
use understand::classify::Classifier;

use terminal::{Deployment, Finding};

use crate::drivers::{
    environment::{self, broker, has_callback_secret, models},
    runtime::trained,
};

/// Everything `turno doctor` asks of documents.
pub(crate) fn check(deployment: &Deployment) -> Vec<Finding> {
    reading(deployment).into_iter().chain(variables(deployment)).collect()
}

/// What the environment asks of `DocProc` that it cannot do, or does with less than it could.
fn variables(deployment: &Deployment) -> Vec<Finding> {
    let broker = match broker() {
        Some(detail) => Finding::fail("RabbitMQ", detail, "unset DOCPROC_RABBITMQ_URL"),
        None => Finding::pass("RabbitMQ", "not used; messages live in the database"),
    };
    let callbacks = if has_callback_secret() || deployment.signs {
        Finding::pass("callbacks", "signed")
    } else {
        let fix = "set DOCPROC_CALLBACK_SECRET (or DOCPROC_CALLBACK_SECRET_FILE)";
        Finding::warn("callbacks", "no secret: answers are sent without a signature", fix)
    };
    vec![broker, callbacks]
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
