//! `turno sim olt`: a fleet to try the Coordinador against.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use snmp::sim::{Brand, Options, Profile, Simulator, StartError};
use terminal::{Command, Exit, Resolve, output};
use tokio::signal::unix::{SignalKind, signal};

/// A profile longer than this is another file.
const LONGEST_PROFILE: u64 = 1 << 20;

pub(crate) fn simulator() -> Command {
    let about = "A fleet of OLTs that speak SNMP, with everything that can go wrong";
    Command::new("olt", about, run)
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BrandKind {
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
  snmpbulkwalk -v2c -c public 127.0.0.1:16100 1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15")]
struct SimOlt {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u16).range(1..=5000))]
    count: u16,
    /// ONUs of each
    #[arg(long, value_name = "N", default_value_t = 2048,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(snmp::sim::MAX_ONUS)))]
    onus: u32,
    /// The address all of them answer on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    listen: IpAddr,
    /// UDP port of the first; 0 takes free ones and says which
    #[arg(long, value_name = "PORT", default_value_t = 16100)]
    port: u16,
    /// Where to be controlled over HTTP; port 0 takes a free one and says which
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:16099")]
    control: SocketAddr,
    /// Whose tables they have
    #[arg(long, value_enum, default_value_t = BrandKind::Huawei)]
    brand: BrandKind,
    /// The community that is let in; the others meet silence
    #[arg(
        long,
        value_name = "TEXT",
        env = "TURNO_SIM_OLT_COMMUNITY",
        hide_env_values = true,
        default_value = "public"
    )]
    community: String,
    /// Faults from the start, for all and for some
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// The same seed gives the same ONUs, losses and faults
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

async fn run(args: SimOlt, _: Resolve) -> Result<(), Exit> {
    let profile = args.profile.as_deref().map(read).transpose()?.unwrap_or_default();
    let brand = match args.brand {
        BrandKind::Huawei => Brand::Huawei,
        BrandKind::Zte => Brand::Zte,
    };
    let options = Options {
        count: args.count.into(),
        onus: args.onus,
        listen: args.listen,
        port: args.port,
        control: Some(args.control),
        brand,
        community: args.community,
        profile,
        seed: args.seed,
    };
    let simulator = Simulator::start(options).await.map_err(refused)?;
    let control = simulator.control().expect("asked for above");
    output::say(&format!("OLT simulator: {}; control http://{control}/", ports(&simulator)));
    if !control.ip().is_loopback() {
        eprintln!("warning: {control} is open to the network, and whoever reaches it controls it");
    }
    let mut terminate = signal(SignalKind::terminate())
        .map_err(|error| Exit::failed(format!("cannot hear signals: {error}")))?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

fn ports(simulator: &Simulator) -> String {
    match simulator.addresses() {
        [first, .., last] => {
            format!("{} OLTs, UDP {first} to {last}", simulator.addresses().len())
        }
        [only] => format!("one OLT, UDP {only}"),
        [] => "no OLT".to_owned(),
    }
}

fn read(path: &Path) -> Result<Profile, Exit> {
    let named = |why: String| Exit::usage(format!("{}: {why}", path.display()));
    let length = std::fs::metadata(path).map_err(|error| named(error.to_string()))?.len();
    if length > LONGEST_PROFILE {
        return Err(named("too long for a profile".to_owned()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        return serde_json::from_str(&text).map_err(|error| named(error.to_string()));
    }
    toml::from_str(&text).map_err(|error| named(error.to_string()))
}

fn refused(error: StartError) -> Exit {
    match error {
        StartError::Settings(wrong) => {
            Exit::usage(wrong.to_string()).hint("`turno sim olt --help` shows a profile")
        }
        StartError::NoPort { .. } => Exit::usage(error.to_string()).hint("start lower with --port"),
        StartError::Socket { address, source } if source.kind() == ErrorKind::AddrInUse => {
            Exit::failed(format!("another program listens on {address}"))
                .hint("stop it, or try --port 0 --control 127.0.0.1:0, which take free ports")
        }
        StartError::Socket { .. } => Exit::failed(error.to_string()),
    }
}
