//! One small born-digital invoice at a time, from the first byte sent to `completed`.

use std::time::{Duration, Instant};

use anyhow::Result;
use samples::{Kind, Lang};

use super::office;
use crate::{
    report::{Limit, Report},
    sample::Sample,
};

const TIMES: u64 = 50;
const WARM_UP: u64 = 5;
const ASK: Duration = Duration::from_millis(5);

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let server = office::open(None, 2).await?;
    let client = server.client();
    let (mut whole, mut reception, mut bare) = <(Sample, Sample, Sample)>::default();
    for n in 0..TIMES + WARM_UP {
        let invoice = samples::generate(Kind::Invoice, Lang::Es, 7_000_000 + n);
        let bytes = samples::pdf(&[&invoice]);
        let alone = Instant::now();
        read(bytes.clone())?;
        let alone = alone.elapsed();
        let began = Instant::now();
        let id = office::submit(&client, "invoice.pdf", bytes).await?;
        let received = began.elapsed();
        office::completed(&client, &id, ASK).await?;
        if n >= WARM_UP {
            whole.push(began.elapsed());
            reception.push(received);
            bare.push(alone);
        }
    }
    for (percent, limit) in [(50, Limit::AtMost(150.0)), (95, Limit::None)] {
        let note = format!(
            "asked every {} ms; received after {:.1} ms; its pages alone take {:.1} ms to read",
            ASK.as_millis(),
            reception.percentile(percent),
            bare.percentile(percent),
        );
        let what = format!("small invoice, sent to completed p{percent}");
        report.line(what, whole.percentile(percent), "ms", limit, note);
    }
    Ok(())
}

fn read(bytes: Vec<u8>) -> Result<()> {
    let limits = paper::Limits::default();
    let document = paper::Document::open(bytes, paper::Kind::Pdf, None, &limits)?;
    for page in 0..document.page_count() {
        document.text(page)?;
    }
    Ok(())
}
