//! `turno docproc evaluate`: how good reading is, on documents whose truth is known.

use jiff::Timestamp;
use ocr::Pack;
use terminal::{Bar, Code, Exit, Measure, Resolve, output};
use understand::classify::Classifier;

use super::{args::Evaluate, train, untold};
use crate::{
    drivers::environment,
    rules::{advance::Thresholds, workflow},
    training::{self, Judge, Lectern, cases},
};

pub(super) async fn run(args: &Evaluate, resolve: Resolve) -> Result<(), Exit> {
    let deployment = resolve(&args.place)?;
    let cases = cases(&args.dir).map_err(|error| untold(&error))?;
    if cases.is_empty() {
        let message = format!("{} holds no document with its truth beside it", args.dir.display());
        let hint = "`turno sim documentos --out DIR` makes some";
        return Err(Exit::new(Code::NotFound, message).hint(hint));
    }
    let workflow = workflow::parse(workflow::DEFAULT)
        .map_err(|_| Exit::failed("the workflow in the binary does not load"))?;
    let config = environment::config(&deployment.data_dir)?;
    let classifier = if args.shipped {
        Classifier::shipped().clone()
    } else {
        train::in_force(&train::open_storage(&config)?).await?
    };
    let judge = Judge {
        workflow: &workflow,
        classifier: &classifier,
        // The default workflow declares its own; these are the settings' defaults.
        house: Thresholds { classification: 0.80, extraction: 0.75 },
        today: Timestamp::now().to_zoned(deployment.zone.clone()).date(),
    };
    let desk =
        Lectern { pack: Pack::find(&config.models).ok(), threads: config.threads, shelf: None };
    let bar = Bar::new(Measure::Documents, cases.len() as u64);
    let card = training::evaluate(&judge, &cases, &desk, &|file| {
        bar.add(1);
        bar.whisper(&file.display().to_string());
    });
    bar.finish();
    if let Some(svg) = &args.svg {
        std::fs::write(svg, card.svg()).map_err(|error| {
            Exit::failed(format!("{} cannot be written: {error}", svg.display()))
        })?;
    }
    if args.json {
        output::say_json(&card.json());
    } else {
        output::say(&card.to_string());
    }
    match card.unread.len() {
        0 => Ok(()),
        unread => Err(Exit::failed(format!("{unread} of {} files were not read", cases.len()))),
    }
}
