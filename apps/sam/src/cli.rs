//! `turno sim a360`: a Control Room to try SAM against.

mod people;

use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};

use clap::Args;
use controlroom::sim::{Clock, Options, Simulator};
use jiff::{Span, Timestamp};
use terminal::{ClockKind, Command, Exit, Resolve, length, output};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

pub(crate) use people::command;

pub(crate) fn simulator() -> Command {
    let about = "A Control Room of Automation Anywhere A360, with everything that can go wrong";
    Command::new("a360", about, run)
}

#[derive(Args, Debug)]
#[command(after_help = "\
Whoever reaches it controls it, so keep it on this machine. Any user and key are let in, unless
--secret names one. GET / lists what can be done to it: devices taken offline, executions stopped or
lost, answers refused, delayed or dropped, callbacks lost or repeated, time moved.

Examples:
  turno sim a360
  turno sim a360 --listen 127.0.0.1:0 --devices 40 --bots 20 --seed 7
  turno sim a360 --clock manual --now 2026-05-04T12:00:00-03:00
  curl -X PUT 127.0.0.1:9360/sim/devices/101 -d '{\"connected\": false}'
  curl -X PUT 127.0.0.1:9360/sim/faults -d '{\"deploy\": {\"status\": 503, \"times\": 3}}'
  curl -X POST 127.0.0.1:9360/sim/clock -d '{\"advance_seconds\": 300}'")]
struct SimA360 {
    /// Address and port; port 0 takes a free one and says which
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9360")]
    listen: SocketAddr,
    /// The same on this machine, by its port alone
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    port: Option<u16>,
    /// Whose time to follow; a manual clock stands still until POST /sim/clock moves it
    #[arg(long, value_enum, default_value_t = ClockKind::System)]
    clock: ClockKind,
    /// Where a manual clock starts, such as 2026-05-04T12:00:00-03:00 [default: now]
    #[arg(long, value_name = "INSTANT")]
    now: Option<Timestamp>,
    /// Devices, each with a user: from 101 and 201 on
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    devices: u32,
    /// Bots, from 1001 on
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    bots: u32,
    /// Whether bots and users that nobody entered are made when they are named
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1,
          default_missing_value = "true", action = clap::ArgAction::Set)]
    permissive: bool,
    /// The same seed gives the same ids and the same failures [default: other ones every time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How long bots run that have no time of their own
    #[arg(long, value_name = "TIME", default_value = "60s")]
    duration: Span,
    /// How long a token is good
    #[arg(long, value_name = "TIME", default_value = "20m")]
    token_life: Span,
    /// The only API key or password that is let in [default: any]
    #[arg(long, value_name = "TEXT", env = "TURNO_SIM_A360_SECRET", hide_env_values = true)]
    secret: Option<String>,
}

async fn run(args: SimA360, _: Resolve) -> Result<(), Exit> {
    let listen = args.port.map_or(args.listen, |port| (Ipv4Addr::LOCALHOST, port).into());
    let options = options(args)?;
    let frozen = match &options.clock {
        Clock::Real | Clock::Followed(_) => String::new(),
        Clock::Manual(now) => format!(" (clock stands at {now})"),
    };
    let listener = TcpListener::bind(listen).await.map_err(|error| taken(listen, &error))?;
    let simulator = Simulator::start(listener, options).map_err(|error| taken(listen, &error))?;
    output::say(&format!("Control Room simulator: {}/{frozen}", simulator.url()));
    if !simulator.address().ip().is_loopback() {
        eprintln!("warning: {listen} is open to the network, and whoever reaches it controls it");
    }
    let mut terminate = signal(SignalKind::terminate())
        .map_err(|error| Exit::failed(format!("cannot hear signals: {error}")))?;
    tokio::select! {
        ended = simulator.serve() => ended.map_err(|error| Exit::failed(error.to_string())),
        _ = terminate.recv() => Ok(()),
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

fn options(args: SimA360) -> Result<Options, Exit> {
    let clock = match (args.clock, args.now) {
        (ClockKind::System, None) => Clock::Real,
        (ClockKind::System, Some(_)) => {
            return Err(
                Exit::usage("--now needs a clock that stands still").hint("add --clock manual")
            );
        }
        (ClockKind::Manual, now) => Clock::Manual(now.unwrap_or_else(Timestamp::now)),
    };
    Ok(Options {
        clock,
        devices: args.devices,
        bots: args.bots,
        seed: args.seed,
        permissive: args.permissive,
        token_life: length(args.token_life)?,
        duration: length(args.duration)?,
        secret: args.secret,
    })
}

fn taken(listen: SocketAddr, error: &Error) -> Exit {
    let message = match error.kind() {
        ErrorKind::AddrInUse => format!("another program listens on {listen}"),
        _ => format!("cannot listen on {listen}: {error}"),
    };
    Exit::failed(message).hint("stop it, or try --listen 127.0.0.1:0, which takes a free port")
}
