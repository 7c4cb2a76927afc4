//! *Juegos de pruebas* (§11.5): cases whose answer is known, run without disturbing anything.
//!
//! A rehearsal is the pipeline in one thread and in memory: the planner of requests decides, the
//! same readers, classifier and extractor find out, and nothing is queued, recorded, measured, sent
//! or asked of people. Where a person would be asked, the expected answer speaks for them: a case
//! differs where the machine would have been sure of something else.

mod perform;
mod rehearse;

use std::{collections::HashMap, sync::Arc};

use db::Error;
pub use rehearse::{Asked, Rehearsal, Rehearsed};
use serde_json::{Value as Json, json};

use crate::{
    Context,
    drivers::runtime::Runtime,
    model::Engine,
    rules::{
        golden::{self, Difference},
        workflow::Workflow,
    },
    store::{
        golden::{self as cases, CaseRow, Observed},
        policy,
        requests::FileRow,
    },
    training::Reader,
};

/// One rehearsal at a time in a process: documents that wait come first.
#[derive(Default)]
pub struct Rehearsals(Arc<tokio::sync::Mutex<Readers>>);

/// The engines of rehearsals, opened when first needed.
pub type Readers = HashMap<Engine, Reader>;

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub case: String,
    pub name: String,
    pub differences: Vec<Difference>,
    /// Why it was not run to its end.
    pub failed: Option<String>,
    pub asked: Asked,
    pub observed: Vec<Observed>,
}

impl Verdict {
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty() && self.failed.is_none()
    }

    /// How often people would have been asked, if it was played to its end.
    pub fn questions(&self) -> Option<u32> {
        let all = self.asked.types + self.asked.documents;
        Some(all).filter(|_| self.failed.is_none())
    }

    pub fn word(&self) -> &'static str {
        match (&self.failed, self.differences.is_empty()) {
            (Some(_), _) => "failed",
            (None, true) => "equal",
            (None, false) => "different",
        }
    }

    pub fn json(&self) -> Json {
        json!({ "case_id": self.case, "name": self.name, "verdict": self.word(),
                "differences": self.differences, "error": self.failed,
                "asked": { "types": self.asked.types, "documents": self.asked.documents,
                           "recalled": self.asked.recalled } })
    }
}

/// Whether files can be played at all: opened now rather than found out when it matters.
pub async fn playable(runtime: &Arc<Runtime>, files: &[FileRow]) -> Result<(), String> {
    let (runtime, files) = (runtime.clone(), files.to_vec());
    let opened = tokio::task::spawn_blocking(move || perform::open(&runtime, &files).map(drop));
    opened.await.unwrap_or_else(|_| Err("opening it panicked".to_owned()))
}

/// Runs one case through a version of its workflow.
pub async fn run(
    context: &Context,
    workflow: &Arc<Workflow>,
    case: &CaseRow,
) -> Result<Verdict, Error> {
    let mut tx = context.store.read().await?;
    let files = cases::files(&mut tx, &case.id).await?;
    let house = policy::load(&context.settings, &mut tx).await?.thresholds;
    let owner = cases::owner(&mut tx, case).await?;
    context.runtime.memories.take_up(&mut tx).await?;
    drop(tx);
    let mut verdict = Verdict {
        case: case.id.clone(),
        name: case.name.clone(),
        differences: Vec::new(),
        failed: None,
        asked: Asked::default(),
        observed: Vec::new(),
    };
    let Ok(expected) = golden::read(&case.expected) else {
        verdict.failed = Some("the expected answer cannot be read".to_owned());
        return Ok(verdict);
    };
    // A year of two digits means today what it meant on the day the case was added.
    let today = case.added_at.to_zoned(context.zone.clone()).date();
    let runtime = context.runtime.clone();
    let mut readers = context.runtime.rehearsals.0.clone().lock_owned().await;
    let (play, wanted) = (workflow.clone(), expected.clone());
    let played = tokio::task::spawn_blocking(move || {
        let played = {
            let (workflow, expected, runtime) = (&*play, &wanted, &*runtime);
            let owner = owner.as_str();
            let rehearsal = Rehearsal { runtime, workflow, house, expected, today, owner };
            play_once(&rehearsal, &files, &mut readers)
        };
        if played.is_err() {
            // After a panic nothing inside an engine is certain.
            readers.clear();
        }
        played
    });
    match played.await {
        Ok(Ok(Ok(done))) => {
            verdict.differences = golden::differences(&expected, &done.answer, workflow, today);
            (verdict.asked, verdict.observed) = (done.asked, done.observed);
        }
        Ok(Ok(Err(trouble))) => verdict.failed = Some(trouble),
        Ok(Err(())) | Err(_) => verdict.failed = Some("a stage panicked".to_owned()),
    }
    Ok(verdict)
}

/// A page that breaks the program fails its case alone.
fn play_once(
    rehearsal: &Rehearsal<'_>,
    files: &[FileRow],
    readers: &mut Readers,
) -> Result<Result<Rehearsed, String>, ()> {
    let play = std::panic::AssertUnwindSafe(|| rehearsal.play(files, readers));
    std::panic::catch_unwind(play).map_err(drop)
}
