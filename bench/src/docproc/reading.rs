//! Pages per second through the whole system beside as many bare engine threads on the same pages.

use std::{
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use ocr::{EngineKind, Pack};
use paper::{Document, Limits, Renderer};
use samples::{Kind, Lang, Sample, Wear};
use testkit::Client;

use super::office;
use crate::report::{Limit, Report};

const THREADS: usize = 2;
const SCANS: usize = 16;
const DPI: f32 = 200.0;
const ASK: Duration = Duration::from_millis(20);
/// Born-digital: so many files of so many documents.
const FILES: u64 = 4;
const DOCUMENTS: u64 = 100;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let server = office::open(None, THREADS).await?;
    let client = server.client();
    digital(&client, report).await?;
    match super::pack() {
        Some(pack) => scanned(&client, &pack, report).await,
        None => Ok(()),
    }
}

async fn scanned(client: &Client, pack: &Pack, report: &mut Report) -> Result<()> {
    let (pages, whence) = pictures()?;
    // The first page loads the models, on both sides.
    bare(pack, &pages[..1])?;
    through(client, &pages[..THREADS]).await?;
    // The cores of a shared machine drift: the bare threads go before and after.
    let before = bare(pack, &pages)?;
    let (system, _) = through(client, &pages).await?;
    let after = bare(pack, &pages)?;
    let rate = |took: Duration| pages.len() as f64 / took.as_secs_f64();
    let alone = f64::midpoint(rate(before), rate(after));
    boundary(&pages, Duration::from_secs_f64(THREADS as f64 / alone), report)?;
    let note = format!("{} {whence}, {THREADS} threads; bare threads {alone:.2} p/s", pages.len());
    report.line("with OCR", rate(system), "p/s", Limit::None, note);
    let note = "bare threads open, draw and read the same files; half before, half after";
    let limit = Limit::AtLeast(0.95);
    report.line("with OCR, against bare threads", rate(system) / alone, "times", limit, note);
    Ok(())
}

/// Real receipts when there are any, else generated scans.
fn pictures() -> Result<(Vec<Vec<u8>>, &'static str)> {
    if let Some(dir) = super::data("receipts") {
        let files = std::fs::read_dir(dir)?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|end| end == "jpg")).collect();
        files.sort();
        let read = files.iter().take(SCANS).map(std::fs::read);
        let pages = read.collect::<Result<Vec<_>, _>>()?;
        if pages.len() == SCANS {
            return Ok((pages, "real receipts"));
        }
    }
    let page = |seed: u64| {
        let receipt = samples::generate(Kind::Receipt, Lang::En, 8_000_000 + seed);
        samples::scanned_pdf(&[&receipt], Wear::Scanned, seed)
    };
    let pages = (0..SCANS as u64).map(page).collect::<Result<Vec<_>, _>>()?;
    Ok((pages, "generated scans"))
}

/// Everything that is needed to read the pages, and nothing else.
fn bare(pack: &Pack, pages: &[Vec<u8>]) -> Result<Duration> {
    let next = Mutex::new(pages.iter());
    let began = Instant::now();
    let work = || -> Result<()> {
        let mut engine = ocr::open(EngineKind::PpOcr, Some(pack))?;
        loop {
            let page = next.lock().expect("no thread panics with it").next();
            let Some(page) = page else { return Ok(()) };
            let kind = paper::sniff(page).context("a known kind")?;
            let document = Document::open(page.clone(), kind, None, &Limits::default())?;
            for n in 0..document.page_count() {
                engine.read(&document.render(n, DPI)?, None)?;
            }
        }
    };
    std::thread::scope(|scope| {
        let hands: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        hands.into_iter().try_for_each(|hand| hand.join().expect("no hand panics"))
    })?;
    Ok(began.elapsed())
}

/// What it costs that scans are drawn in another process, beside the whole of reading one.
fn boundary(pages: &[Vec<u8>], whole: Duration, report: &mut Report) -> Result<()> {
    let draw = |renderer: &Renderer| -> Result<Duration> {
        let began = Instant::now();
        for page in pages {
            let kind = paper::sniff(page).context("a known kind")?;
            let document = renderer.open(page.clone(), kind, None, &Limits::default())?;
            for n in 0..document.page_count() {
                document.render(n, DPI)?;
            }
        }
        Ok(began.elapsed() / pages.len() as u32)
    };
    let (here, there) = (best(|| draw(&Renderer::Here))?, {
        let isolated = Renderer::own(1);
        draw(&isolated)?;
        best(|| draw(&isolated))?
    });
    let more = there.saturating_sub(here);
    let note = format!(
        "drawn here in {:.1} ms a page, there in {:.1}; read in {:.0}",
        here.as_secs_f64() * 1e3,
        there.as_secs_f64() * 1e3,
        whole.as_secs_f64() * 1e3,
    );
    let share = more.as_secs_f64() / whole.as_secs_f64() * 100.0;
    report.line("scans drawn in a process of their own", share, "%", Limit::AtMost(3.0), note);
    Ok(())
}

/// The quickest of three: others use this machine too.
fn best(mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        quickest = quickest.min(measure()?);
    }
    Ok(quickest)
}

/// The same for pages whose text is read: what one page costs more.
fn text_boundary(files: &[Vec<u8>], report: &mut Report) -> Result<()> {
    let isolated = Renderer::own(1);
    text_by(&isolated, files)?;
    let (here, there) =
        (best(|| text_by(&Renderer::Here, files))?, best(|| text_by(&isolated, files))?);
    let pages = (FILES * DOCUMENTS) as f64;
    let more = (there.as_secs_f64() - here.as_secs_f64()).max(0.0) * 1e3 / pages;
    let note = format!(
        "here {:.2} ms a page, there {:.2}",
        here.as_secs_f64() * 1e3 / pages,
        there.as_secs_f64() * 1e3 / pages,
    );
    report.line("text read in a process of its own", more, "ms", Limit::AtMost(1.0), note);
    Ok(())
}

/// Sends every file as a request of its own and waits for the last.
async fn through(client: &Client, files: &[Vec<u8>]) -> Result<(Duration, u64)> {
    let began = Instant::now();
    let mut ids = Vec::new();
    for file in files {
        ids.push(office::submit(client, "document", file.clone()).await?);
    }
    let mut pages = 0;
    for id in ids {
        pages += office::completed(client, &id, ASK).await?.pages;
    }
    Ok((began.elapsed(), pages))
}

async fn digital(client: &Client, report: &mut Report) -> Result<()> {
    let file = |n: u64| {
        let invoice = |m| samples::generate(Kind::Invoice, Lang::Es, 6_000_000 + n * 1_000 + m);
        let made: Vec<Sample> = (0..DOCUMENTS).map(invoice).collect();
        samples::pdf(&made.iter().collect::<Vec<_>>())
    };
    let files: Vec<Vec<u8>> = (0..FILES).map(file).collect();
    through(client, &files[..1]).await?;
    let (took, pages) = through(client, &files).await?;
    let alone = text_by(&Renderer::Here, &files)?;
    let rate = pages as f64 / took.as_secs_f64();
    let note = format!(
        "{pages} pages in {FILES} files; their text layers alone take one thread {:.0} p/s",
        pages as f64 / alone.as_secs_f64(),
    );
    report.line("born-digital PDF", rate, "p/s", Limit::AtLeast(100.0), note);
    text_boundary(&files, report)
}

fn text_by(renderer: &Renderer, files: &[Vec<u8>]) -> Result<Duration> {
    let began = Instant::now();
    for file in files {
        let document = renderer.open(file.clone(), paper::Kind::Pdf, None, &Limits::default())?;
        for page in 0..document.page_count() {
            document.text(page)?;
        }
    }
    Ok(began.elapsed())
}
