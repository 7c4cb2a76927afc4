//! `turno sim olt`: a fleet to try the Coordinador against.

use std::io::ErrorKind;
use std::path::Path;

use snmp::sim::{Brand, Options, Profile, Simulator, StartError};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{BrandKind, SimOlt};
use crate::exit::Exit;
use crate::output;

/// A profile longer than this is another file.
const LONGEST_PROFILE: u64 = 1 << 20;

pub(super) async fn run(args: SimOlt) -> Result<(), Exit> {
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
