//! The engines as a worker uses them. Needs the model pack (`scripts/models`) and Tesseract: with
//! `REQUIRE_SERVICES` set their absence is a failure, otherwise it is printed.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use image::{Rgb, RgbImage};
use ocr::score::Score;
use ocr::{Engine, EngineKind, Pack, Trouble};
use page::PageText;

const THERE: &str = "Factura 2024-117 Fecha: 15/03/2024 Señora Muñoz, Avenida de América 25 \
    Concepto Importe Servicio de mantenimiento 1.020,30 IVA 21 % 214,26 TOTAL 1.234,56 EUR";

fn engine(kind: EngineKind) -> Option<Box<dyn Engine>> {
    let models = env::var_os("TURNO_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"), PathBuf::from);
    let pack = Pack::find(&models);
    let needed = if kind == EngineKind::PpOcr { Some(pack) } else { None };
    let opened = match needed {
        Some(Err(missing)) => Err(Trouble::from(missing)),
        Some(Ok(pack)) => ocr::open(kind, Some(&pack)),
        None => ocr::open(kind, None),
    };
    match opened {
        Ok(engine) => Some(engine),
        Err(trouble) => {
            assert!(env::var_os("REQUIRE_SERVICES").is_none(), "{trouble}");
            println!("not tested: {trouble}");
            None
        }
    }
}

fn fixture(name: &str) -> RgbImage {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    image::open(path).unwrap().into_rgb8()
}

/// Reads the page lying in every way it may come out of a scanner.
fn reads_every_pose(kind: EngineKind, least: f64) {
    let Some(mut engine) = engine(kind) else { return };
    let poses = [("straight", 0), ("left", 90), ("head", 180), ("right", 270), ("tilted", 0)];
    for (name, turned) in poses {
        let page = engine.read(&fixture(&format!("{name}.png")), None).unwrap();
        assert_eq!(page.turned, turned, "{name}: {}", page.text());
        let score = Score::of(&page.text(), THERE);
        assert!(score.recall() >= least, "{name}: {}", page.text());
        assert!(page.text().contains("TOTAL 1.234,56 EUR"), "{name}: {}", page.text());
        let total = total(&page);
        let spot = (total.0 / page.width, total.1 / page.height);
        assert!(
            (0.02..0.2).contains(&spot.0) && (0.75..0.95).contains(&spot.1),
            "{name}: {spot:?}"
        );
        inside(&page);
    }
}

fn total(page: &PageText) -> (f32, f32) {
    let word = page.words.iter().find(|word| word.text == "TOTAL").unwrap();
    (word.place.x, word.place.y)
}

fn inside(page: &PageText) {
    for word in &page.words {
        let place = &word.place;
        assert!(place.x >= 0.0 && place.y >= 0.0, "{word:?}");
        assert!(place.right() <= page.width + 0.5, "{word:?}");
        assert!(place.bottom() <= page.height + 0.5, "{word:?}");
        assert!((0.0..=1.0).contains(&word.confidence), "{word:?}");
    }
}

#[test]
fn ppocr_reads_every_pose() {
    reads_every_pose(EngineKind::PpOcr, 0.95);
}

#[test]
fn tesseract_reads_every_pose() {
    reads_every_pose(EngineKind::Tesseract, 0.8);
}

#[test]
fn pictures_without_text_have_no_words() {
    for kind in EngineKind::ALL {
        let Some(mut engine) = engine(kind) else { continue };
        let sizes = [(0, 0), (1, 1), (1, 100_000), (100_000, 1), (3, 3), (640, 480), (40_000, 20)];
        for (width, height) in sizes {
            for shade in [0, 255] {
                let picture = RgbImage::from_pixel(width, height, Rgb([shade; 3]));
                let page = engine.read(&picture, None).unwrap();
                assert!(page.words.is_empty(), "{} {width}x{height}: {page:?}", engine.name());
            }
        }
    }
}

#[test]
fn noise_is_survived() {
    let mut state = 7u32;
    let noise = RgbImage::from_fn(300, 200, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Rgb([(state >> 24) as u8; 3])
    });
    for kind in EngineKind::ALL {
        let Some(mut engine) = engine(kind) else { continue };
        inside(&engine.read(&noise, None).unwrap());
    }
}

#[test]
fn a_spent_budget_is_reported() {
    for kind in EngineKind::ALL {
        let Some(mut engine) = engine(kind) else { continue };
        let picture = fixture("straight.png");
        let slow = engine.read(&picture, Some(Duration::from_millis(1)));
        assert!(matches!(slow, Err(Trouble::Slow(_))), "{slow:?}");
        // And the engine is as good as before.
        assert!(engine.read(&picture, None).unwrap().text().contains("Factura"));
    }
}

#[test]
fn engines_of_one_pack_read_at_the_same_time() {
    let Some(_) = engine(EngineKind::PpOcr) else { return };
    for kind in EngineKind::ALL {
        let Some(first) = engine(kind) else { continue };
        let second = engine(kind).unwrap();
        let picture = fixture("straight.png");
        let texts: Vec<String> = std::thread::scope(|scope| {
            let read = |mut engine: Box<dyn Engine>| {
                let picture = &picture;
                scope.spawn(move || engine.read(picture, None).unwrap().text())
            };
            let readings = [read(first), read(second)];
            readings.map(|reading| reading.join().unwrap()).into()
        });
        assert_eq!(texts[0], texts[1]);
    }
}
