//! `turno sim pedidos`: customers who order, and a kitchen that cooks.

use clap::Args;
use jiff::Span;
use terminal::{Command, Exit, Resolve, Server, length, reach};

use crate::sim::{self, Options};

pub(crate) fn simulator() -> Command {
    Command::new("pedidos", "Customers who order, and a kitchen that cooks", run)
}

#[derive(Args, Debug)]
#[command(after_help = "\
TURNO_TOKEN holds the token, where the server wants one.

Examples:
  turno sim pedidos --duration 10m
  turno sim pedidos --url http://127.0.0.1:8000 --speed 60 --orders-per-hour 1200")]
struct SimPedidos {
    #[command(flatten)]
    server: Server,
    /// How many times faster than a real kitchen
    #[arg(long, default_value_t = 20.0, value_name = "N")]
    speed: f64,
    /// Orders per hour of the simulated day
    #[arg(long, default_value_t = 600.0, value_name = "N")]
    orders_per_hour: f64,
    /// How long to go on, such as 10m [default: until stopped]
    #[arg(long, value_name = "TIME")]
    duration: Option<Span>,
}

async fn run(args: SimPedidos, _: Resolve) -> Result<(), Exit> {
    let SimPedidos { server: Server { url }, speed, orders_per_hour, duration } = args;
    for (flag, value) in [("--speed", speed), ("--orders-per-hour", orders_per_hour)] {
        if !value.is_finite() || value <= 0.0 {
            return Err(Exit::usage(format!("{flag} must be more than zero")));
        }
    }
    let duration = duration.map(length).transpose()?;
    reach(&url).await?;
    let options = Options { speed, orders_per_hour, duration };
    tokio::select! {
        ended = sim::run(&url, options) => ended.map_err(Exit::failed),
        // Ctrl-C is the usual way to end it.
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}
