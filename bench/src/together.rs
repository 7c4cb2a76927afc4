//! An order made on one server, seen on a screen of another one on the same database: by PostgreSQL,
//! then by RabbitMQ.

use std::time::Instant;

use anyhow::Result;
use testkit::{Options, Turno};

use crate::{
    report::{Limit, Report},
    sample::Sample,
    shop,
    stream::Stream,
};

const ORDERS: usize = 300;
/// The first ones meet connections that nobody used yet.
const WARM_UP: usize = 20;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    between(report, "PostgreSQL", None).await?;
    let Some(vhost) = testkit::broker::vhost().await else { return Ok(()) };
    between(report, "PostgreSQL + RabbitMQ", Some(&vhost.url)).await
}

async fn between(report: &mut Report, wire: &str, broker: Option<&str>) -> Result<()> {
    let Some(database) = testkit::fresh_database().await else { return Ok(()) };
    let (one, two) = (serve(&database, broker).await, serve(&database, broker).await);
    let (client, mut screen) = (one.client(), Stream::open(&two.client()).await?);
    let mut sample = Sample::default();
    for n in 0..WARM_UP + ORDERS {
        let began = Instant::now();
        let id = shop::create(&client).await?;
        let seen = loop {
            let heard = screen.next().await?;
            if heard.name == "pedido:creado" && heard.order() == Some(id) {
                break heard.at;
            }
        };
        if n >= WARM_UP {
            sample.push(seen - began);
        }
        shop::ready(&client, id).await?;
    }
    let what = format!("order on one server seen on another's screen, {wire}, p99");
    let note = format!("{} orders, the POST included; p50 {:.2} ms", ORDERS, sample.percentile(50));
    report.line(what, sample.percentile(99), "ms", Limit::AtMost(50.0), note);
    Ok(())
}

async fn serve(database: &str, broker: Option<&str>) -> Turno {
    let mut environment = vec![("TURNO_LOG__LEVEL".to_owned(), "warn".to_owned())];
    environment.extend(broker.map(|url| ("TURNO_RABBITMQ_URL".to_owned(), url.to_owned())));
    let arguments = vec!["--apps".to_owned(), "pedidos".to_owned()];
    let database_url = Some(database.to_owned());
    Turno::start(Options { database_url, environment, arguments, ..Options::default() }).await
}
