//! `turno sim a360`.

use std::net::SocketAddr;

use clap::Args;
use jiff::{Span, Timestamp};

use super::ClockKind;

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
pub(crate) struct SimA360 {
    /// Address and port; port 0 takes a free one and says which
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9360")]
    pub(crate) listen: SocketAddr,
    /// The same on this machine, by its port alone
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    pub(crate) port: Option<u16>,
    /// Whose time to follow; a manual clock stands still until POST /sim/clock moves it
    #[arg(long, value_enum, default_value_t = ClockKind::System)]
    pub(crate) clock: ClockKind,
    /// Where a manual clock starts, such as 2026-05-04T12:00:00-03:00 [default: now]
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<Timestamp>,
    /// Devices, each with a user: from 101 and 201 on
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) devices: u32,
    /// Bots, from 1001 on
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) bots: u32,
    /// Whether bots and users that nobody entered are made when they are named
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1,
          default_missing_value = "true", action = clap::ArgAction::Set)]
    pub(crate) permissive: bool,
    /// The same seed gives the same ids and the same failures [default: other ones every time]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How long bots run that have no time of their own
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub(crate) duration: Span,
    /// How long a token is good
    #[arg(long, value_name = "TIME", default_value = "20m")]
    pub(crate) token_life: Span,
    /// The only API key or password that is let in [default: any]
    #[arg(long, value_name = "TEXT", env = "TURNO_SIM_A360_SECRET", hide_env_values = true)]
    pub(crate) secret: Option<String>,
}
