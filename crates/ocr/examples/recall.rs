//! Reads a directory of receipts with both engines and prints how much was read and what it cost:
//! `cargo run --release -p ocr --example recall -- DIR [PACK] [ENGINE] [PAGES]`.
//! With `VERBOSE=1` also each page. DIR holds `NAME.jpg` or `NAME.png` with the words in `NAME.boxes.csv`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use ocr::score::{Score, text_of_boxes};
use ocr::{Engine, EngineKind, Pack};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let dir = args.next().ok_or("usage: recall DIR [PACK] [ENGINE] [PAGES]")?;
    let pack = Pack::find(Path::new(&args.next().unwrap_or_else(|| "models".to_owned())));
    let only = args.next();
    let most = args.next().map_or(Ok(usize::MAX), |pages| pages.parse())?;
    let pictures = pictures(Path::new(&dir), most)?;
    for kind in EngineKind::ALL {
        if only.as_deref().is_some_and(|word| word != kind.word()) {
            continue;
        }
        match ocr::open(kind, pack.as_ref().ok()) {
            Ok(mut engine) => report(engine.as_mut(), &pictures)?,
            Err(trouble) => println!("{}: {trouble}", kind.word()),
        }
    }
    Ok(())
}

fn pictures(dir: &Path, most: usize) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut pictures = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let picture = path.extension().is_some_and(|end| end == "jpg" || end == "png");
        if picture && path.with_extension("boxes.csv").exists() {
            pictures.push(path);
        }
    }
    pictures.sort();
    pictures.truncate(most);
    Ok(pictures)
}

fn report(engine: &mut dyn Engine, pictures: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let verbose = env::var_os("VERBOSE").is_some();
    let mut all = Score::default();
    let mut bare = Score::default();
    let mut seconds = 0.0;
    let mut confidence = 0.0;
    for path in pictures {
        let picture = image::open(path)?.into_rgb8();
        let there = text_of_boxes(&fs::read_to_string(path.with_extension("boxes.csv"))?);
        let before = cpu_seconds();
        let page = engine.read(&picture, None)?;
        let spent = cpu_seconds() - before;
        let score = Score::of(&page.text(), &there);
        if verbose {
            println!(
                "{} {}x{} turned {} recall {:.3} precision {:.3} confidence {:.3} {spent:.2} s",
                path.display(),
                picture.width(),
                picture.height(),
                page.turned,
                score.recall(),
                score.precision(),
                page.confidence(),
            );
        }
        all = all.plus(score);
        bare = bare.plus(Score::of_bare(&page.text(), &there));
        seconds += spent;
        confidence += page.confidence();
    }
    let pages = pictures.len().max(1) as f64;
    println!(
        "{}: {} pages, {} words, recall {:.4}, precision {:.4}; without signs {:.4}, {:.4}; \
         confidence {:.3}, {:.2} CPU s/page",
        engine.name(),
        pictures.len(),
        all.there,
        all.recall(),
        all.precision(),
        bare.recall(),
        bare.precision(),
        f64::from(confidence) / pages,
        seconds / pages,
    );
    Ok(())
}

/// Time on a core, by all threads of this process: comparable on a busy machine.
fn cpu_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let times = after_name.split_whitespace().skip(11).take(2);
    times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_SECOND
}
