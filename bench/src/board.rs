//! The counter's screen on a bad Friday.

use std::time::Instant;

use anyhow::{Result, ensure};

use crate::{
    report::{Limit, Report},
    sample::Sample,
    shop,
};

const OPEN: usize = 500;
const TIMES: usize = 200;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let server = shop::open(None).await;
    let client = server.client();
    for _ in 0..OPEN {
        shop::create(&client).await?;
    }
    let (mut board, mut capacity) = (Sample::default(), Sample::default());
    let mut bytes = 0;
    for _ in 0..TIMES {
        let began = Instant::now();
        let answer = client.get("/api/pedidos/tablero").await;
        board.push(began.elapsed());
        ensure!(answer.status == 200, "{}", answer.text);
        bytes = answer.text.len();
        let began = Instant::now();
        client.get("/pedidos/capacidad").await.expect(200);
        capacity.push(began.elapsed());
    }
    for (percent, limit) in [(50, Limit::None), (99, Limit::AtMost(50.0))] {
        let (figure, small) = (board.percentile(percent), capacity.percentile(percent));
        let note = format!(
            "{:.1} times the capacity alone ({small:.2} ms); {} kB",
            figure / small,
            bytes / 1_000
        );
        report.line(format!("board of {OPEN} orders p{percent}"), figure, "ms", limit, note);
    }
    Ok(())
}
