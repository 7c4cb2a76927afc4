//! `turno sim olt`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BrandKind {
    Huawei,
    Zte,
}

#[derive(Args, Debug)]
#[command(after_help = "\
OLT i answers on UDP port --port + i: v1 and v2c with the community, v3 as turno-open (nothing to
prove), turno-auth (SHA-256, turno-auth-key) or turno-priv (the same, and AES-128 with
turno-priv-key). Whoever reaches --control controls it, so keep it on this machine. GET / lists what
can be done to it: OLTs that die, answer late, lose datagrams or ONUs, repeat themselves, fall
silent in the middle of a table, or answer what nobody can read. GET /sim/olts lists all ports.

A profile sets the same from the start, in TOML or JSON:
  [all]
  latency_ms = 20
  [olts.3]
  alive = false

Examples:
  turno sim olt
  turno sim olt --count 60 --onus 2048 --port 16100
  turno sim olt --count 5 --brand zte --profile faults.toml
  curl -X PUT 127.0.0.1:16099/sim/olts/3 -d '{\"alive\": false}'
  curl -X PUT 127.0.0.1:16099/sim/olts/4 -d '{\"loss_pct\": 5, \"max_repetitions_limit\": 10}'
  snmpbulkwalk -v2c -c public 127.0.0.1:16100 1.3.6.1.4.1.2011.6.128.1.1.2.46.1.1")]
pub(crate) struct SimOlt {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u16).range(1..=5000))]
    pub(crate) count: u16,
    /// ONUs of each
    #[arg(long, value_name = "N", default_value_t = 2048,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(snmp::sim::MAX_ONUS)))]
    pub(crate) onus: u32,
    /// The address all of them answer on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) listen: IpAddr,
    /// UDP port of the first; 0 takes free ones and says which
    #[arg(long, value_name = "PORT", default_value_t = 16100)]
    pub(crate) port: u16,
    /// Where to be controlled over HTTP; port 0 takes a free one and says which
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:16099")]
    pub(crate) control: SocketAddr,
    /// Whose tables they have
    #[arg(long, value_enum, default_value_t = BrandKind::Huawei)]
    pub(crate) brand: BrandKind,
    /// The community that is let in; the others meet silence
    #[arg(
        long,
        value_name = "TEXT",
        env = "TURNO_SIM_OLT_COMMUNITY",
        hide_env_values = true,
        default_value = "public"
    )]
    pub(crate) community: String,
    /// Faults from the start, for all and for some
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// The same seed gives the same ONUs, losses and faults
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}
