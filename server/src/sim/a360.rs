//! `turno sim a360`: a Control Room to try SAM against.

use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};

use controlroom::sim::{Clock, Options, Simulator};
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::length;
use crate::cli::{ClockKind, SimA360};
use crate::exit::Exit;
use crate::output;

pub(super) async fn run(args: SimA360) -> Result<(), Exit> {
    let listen = args.port.map_or(args.listen, |port| (Ipv4Addr::LOCALHOST, port).into());
    let options = options(args)?;
    let frozen = match options.clock {
        Clock::Real => String::new(),
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
