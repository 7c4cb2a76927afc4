//! `turno sim`: simulated traffic against a running server, and simulated systems beside it.

mod a360;
mod olt;

use std::time::Duration;

use docproc::sim::{Look, Stopped};
use jiff::{Span, SpanRelativeTo};

use crate::cli::{SimCommand, SimDocuments, SimPedidos, WearKind};
use crate::exit::{Code, Exit, with_causes};
use crate::output;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) async fn run(command: SimCommand) -> Result<(), Exit> {
    match command {
        SimCommand::Pedidos(args) => pedidos(args).await,
        SimCommand::Documentos(args) => documents(args).await,
        SimCommand::A360(args) => a360::run(args).await,
        SimCommand::Olt(args) => olt::run(args).await,
    }
}

async fn pedidos(args: SimPedidos) -> Result<(), Exit> {
    let SimPedidos { url, speed, orders_per_hour, duration } = args;
    for (flag, value) in [("--speed", speed), ("--orders-per-hour", orders_per_hour)] {
        if !value.is_finite() || value <= 0.0 {
            return Err(Exit::usage(format!("{flag} must be more than zero")));
        }
    }
    let duration = duration.map(length).transpose()?;
    reach(&url).await?;
    let options = pedidos::sim::Options { speed, orders_per_hour, duration };
    tokio::select! {
        ended = pedidos::sim::run(&url, options) => ended.map_err(Exit::failed),
        // Ctrl-C is the usual way to end it.
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

async fn documents(args: SimDocuments) -> Result<(), Exit> {
    let SimDocuments { out, send, count, seed, wear, per_minute } = args;
    if !per_minute.is_finite() || per_minute <= 0.0 {
        return Err(Exit::usage("--per-minute must be more than zero"));
    }
    let look = match wear {
        WearKind::Clean => Look::Clean,
        WearKind::Scanned => Look::Scanned,
        WearKind::Degraded => Look::Degraded,
        WearKind::Mixed => Look::Mixed,
    };
    if let Some(dir) = out {
        let written = docproc::sim::write(&dir, count as usize, seed, look)
            .map_err(|error| Exit::failed(error.to_string()))?;
        output::say(&format!("{written} documents in {}", dir.display()));
    }
    let Some(url) = send else { return Ok(()) };
    reach(&url).await?;
    let token = std::env::var("TURNO_TOKEN").ok();
    let options = docproc::sim::Options { count: count.into(), seed, look, per_minute };
    let say = |name: &str, id: &str| output::say(&format!("{id}  {name}"));
    tokio::select! {
        ended = docproc::sim::run(&url, token.as_deref(), options, say) => {
            ended.map_err(|stopped| {
                let code = match stopped {
                    Stopped::Unreachable { .. } => Code::Unreachable,
                    Stopped::Unauthorised => Code::NotAuthorised,
                    Stopped::Making(_) | Stopped::Refused { .. } => Code::Failed,
                };
                Exit::new(code, with_causes(&stopped))
            })
        }
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

pub(crate) fn length(span: Span) -> Result<Duration, Exit> {
    let wrong = |_| Exit::usage(format!("{span} is no length of time to wait"));
    let signed = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(wrong)?;
    Duration::try_from(signed).map_err(wrong)
}

/// Tells a server that is not there from one that refuses.
async fn reach(url: &str) -> Result<(), Exit> {
    let asked = http_client::client()
        .get(format!("{}/health", url.trim_end_matches('/')))
        .timeout(REQUEST_TIMEOUT)
        .send()
        .await;
    match asked {
        Ok(_) => Ok(()),
        Err(error) if error.is_builder() => {
            Err(Exit::usage(format!("{url} is not an address"))
                .hint("such as http://127.0.0.1:8000"))
        }
        Err(error) => {
            let message = format!("{url} does not answer: {}", with_causes(&error));
            let hint = "start it with `turno serve`, or name another with --url";
            Err(Exit::new(Code::Unreachable, message).hint(hint))
        }
    }
}
