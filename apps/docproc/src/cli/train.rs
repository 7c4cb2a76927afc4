//! `turno docproc train`: a classifier from what this house knows, or the shipped one again.

use std::path::Path;

use ocr::{EngineKind, Pack};
use serde_json::json;
use terminal::{Bar, Code, Exit, Measure, Resolve, output};
use understand::classify::{Classifier, Report};

use super::args::Train;
use crate::{
    drivers::{
        environment::{self, models, unsettled},
        runtime::Config,
        storage::{Fault, Storage},
    },
    training::{self, Contest, Lesson, Reader, Trained},
};

pub(super) async fn run(args: Train, resolve: Resolve) -> Result<(), Exit> {
    let deployment = resolve(&args.place)?;
    if let Some(file) = &args.shipped {
        return shipped(file, args.json);
    }
    let mut lessons = Vec::new();
    if args.corrections {
        let store = (deployment.open)().await?;
        let mut tx = store.read().await?;
        let found = training::corrections(&mut tx).await?;
        drop(tx);
        store.close().await;
        if found.is_empty() && args.labelled.is_none() {
            let hint = "operators correct pages in the console, under /backoffice";
            return Err(Exit::new(Code::NotFound, "there are no corrections yet").hint(hint));
        }
        eprintln!("{} pages that operators decided", found.len());
        lessons.extend(found);
    }
    if let Some(dir) = &args.labelled {
        lessons.extend(labelled(dir)?);
    }
    let storage = open_storage(&environment::config(&deployment.data_dir)?)?;
    let in_force = in_force(&storage).await?;
    let new = training::train(&lessons, &in_force)
        .map_err(|error| Exit::failed(format!("nothing could be learnt: {error}")))?;
    report(&new, args.json);
    if new.is_worse() && !args.force {
        let hint = "label more pages, look for wrong labels, or --force to use it all the same";
        return Err(Exit::new(Code::Conflict, "the model in force is better").hint(hint));
    }
    let place = Storage::classifier();
    storage.put(place, new.model.into()).await.map_err(|fault| unsettled(&fault.into()))?;
    let address = storage.address();
    eprintln!("written to {place} in {address}; a running server takes it within seconds");
    Ok(())
}

/// The storage of this installation.
pub(super) fn open_storage(config: &Config) -> Result<Storage, Exit> {
    Storage::open(&config.storage).map_err(|fault| unsettled(&fault.into()))
}

/// The classifier a server of this installation would use.
pub(super) async fn in_force(storage: &Storage) -> Result<Classifier, Exit> {
    let place = Storage::classifier();
    match storage.get(place).await {
        Ok(bytes) => Classifier::load(&bytes).map_err(|error| {
            let hint = "remove it to use the one that ships with turno, or train again";
            Exit::failed(format!("{place} in {}: {error}", storage.address())).hint(hint)
        }),
        Err(Fault::Missing { .. }) => Ok(Classifier::shipped().clone()),
        Err(fault) => Err(unsettled(&fault.into())),
    }
}

/// The same bytes every time, so that anyone can check what is in the binary.
fn shipped(file: &Path, as_json: bool) -> Result<(), Exit> {
    let (model, report) = samples::train_shipped();
    if as_json {
        output::say_json(&of_report(&report));
    } else {
        output::say(&report.to_string());
    }
    save(file, &model)?;
    let same = Classifier::load(&model).is_ok_and(|made| made == *Classifier::shipped());
    let beside = if same { "the same as" } else { "another than" };
    eprintln!("{} bytes in {}, {beside} the one in this binary", model.len(), file.display());
    Ok(())
}

/// Pages of `DIR/<type>/…`. A file that cannot be read is named and left out.
fn labelled(dir: &Path) -> Result<Vec<Lesson>, Exit> {
    let files = training::labelled(dir).map_err(|error| super::untold(&error))?;
    if files.is_empty() {
        let message = format!("{} holds no folders with documents", dir.display());
        let hint = "one folder per type: DIR/invoice/*.pdf, DIR/delivery_note/*.jpg";
        return Err(Exit::new(Code::NotFound, message).hint(hint));
    }
    let mut reader = Reader::new(Pack::find(&models()).ok(), EngineKind::PpOcr);
    let bar = Bar::new(Measure::Documents, files.len() as u64);
    let mut lessons = Vec::new();
    for (doc_type, file) in &files {
        bar.whisper(&format!("reading {}", file.display()));
        match reader.pages(file) {
            Ok(pages) => lessons
                .extend(pages.into_iter().map(|page| Lesson { page, doc_type: doc_type.clone() })),
            Err(unread) => eprintln!("{} is left out: {unread}", file.display()),
        }
        bar.add(1);
    }
    bar.finish();
    eprintln!("{} labelled pages in {} documents", lessons.len(), files.len());
    Ok(lessons)
}

fn of_report(report: &Report) -> serde_json::Value {
    serde_json::to_value(report).unwrap_or_default()
}

fn report(trained: &Trained, as_json: bool) {
    let Trained { report, house, generated, .. } = trained;
    if as_json {
        let contest = |one: &Contest| json!({ "pages": one.pages, "right": one.new, "right_in_force": one.in_force });
        let worse = trained.is_worse();
        output::say_json(&json!({ "held_out": of_report(report), "house": contest(house),
                                  "generated": contest(generated), "better": !worse }));
        return;
    }
    let contest = |name: &str, one: &Contest| {
        format!(
            "{name:<22} {:>5} pages  new {:>5}  in force {:>5}",
            one.pages, one.new, one.in_force
        )
    };
    output::say(&format!(
        "On pages held back while it learnt:\n{report}\n\
         Told right, of pages that neither model learnt from:\n{}\n{}",
        contest("pages of this house", house),
        contest("generated pages", generated),
    ));
}

/// Whole or not at all: a server may start in this moment.
fn save(target: &Path, model: &[u8]) -> Result<(), Exit> {
    let failed = |error: std::io::Error| {
        Exit::failed(format!("{} cannot be written: {error}", target.display()))
    };
    if let Some(parent) = target.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    let fresh = target.with_extension("new");
    std::fs::write(&fresh, model).map_err(failed)?;
    std::fs::rename(&fresh, target).map_err(failed)
}
