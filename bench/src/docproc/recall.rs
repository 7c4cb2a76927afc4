//! How much of real receipts each engine reads, and what a page costs it.

use std::{fs, path::PathBuf, time::Instant};

use anyhow::Result;
use ocr::{
    EngineKind,
    score::{Score, text_of_boxes},
};

use crate::report::{Limit, Report};

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let Some(dir) = super::data("receipts") else {
        eprintln!("word recall: no receipts; DATA names the directory that holds receipts/");
        return Ok(());
    };
    let pack = super::pack();
    let files = fs::read_dir(dir)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut pictures: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|end| end == "jpg" || end == "png"))
        .filter(|path| path.with_extension("boxes.csv").exists())
        .collect();
    pictures.sort();
    for kind in EngineKind::ALL {
        let mut engine = match ocr::open(kind, pack.as_ref()) {
            Ok(engine) => engine,
            Err(trouble) => {
                eprintln!("word recall, {}: {trouble}", kind.word());
                continue;
            }
        };
        let (mut score, mut bare) = <(Score, Score)>::default();
        let began = Instant::now();
        for path in &pictures {
            let page = engine.read(&image::open(path)?.into_rgb8(), None)?;
            let there = text_of_boxes(&fs::read_to_string(path.with_extension("boxes.csv"))?);
            score = score.plus(Score::of(&page.text(), &there));
            bare = bare.plus(Score::of_bare(&page.text(), &there));
        }
        let each = began.elapsed().as_secs_f64() / pictures.len().max(1) as f64;
        // The default engine carries the promise; the other stands beside it.
        let limit = match kind {
            EngineKind::PpOcr => Limit::AtLeast(0.92),
            EngineKind::Tesseract => Limit::None,
        };
        let note = format!(
            "{} receipts, {} words, {each:.2} s a page on one thread; precision {:.3}; \
             without signs {:.3}",
            pictures.len(),
            score.there,
            score.precision(),
            bare.recall(),
        );
        let what = format!("word recall on receipts, {}", kind.word());
        report.line(what, score.recall(), "", limit, note);
    }
    Ok(())
}
