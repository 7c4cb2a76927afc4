//! `turno serve`: everything in the order that lets a mistake be noticed before anything changes.

use std::fs::{self, Permissions};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use db::Store;
use host::{
    Access, AlertChannels, App, Certificates, Clock, Context, DiskLimits, Limits, Network, Options,
    Past, Running, accounts,
};
use jiff::{SignedDuration, Timestamp};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use terminal::{ClockKind, Code, Exit, output};
use tokio::net::TcpSocket;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::{Serve, Verbosity};
use crate::config::{AlertsConfig, Auth, Config};
use crate::database::Database;
use crate::{apps, backups, logs, migrations, secrets};

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;
/// Descriptors for the database, files, brokers and whoever else we speak to.
const OWN_FILES: usize = 256;

pub(crate) async fn run(args: Serve, verbosity: Verbosity) -> Result<(), Exit> {
    let flags = args.flags().into_iter().chain(apps::level(verbosity, args.demo));
    let config = apps::configure(&args.place, flags)?;
    let clock = clock(&args, config.server.listen)?;
    logs::start(&config.log);
    let mut stop = Stop::new()?;
    let running = tokio::select! {
        started = start(&config, clock) => started?,
        // Nothing has begun, so there is nothing to finish.
        () = stop.asked() => return Ok(()),
    };
    if !verbosity.quiet {
        output::say(&greeting(running.context()));
    }
    stop.asked().await;
    tracing::info!(drain_s = config.server.drain.as_secs(), "stopping");
    tokio::select! {
        () = running.stop() => {
            tracing::info!("stopped");
            Ok(())
        }
        // Asked twice means now.
        () = stop.asked() => Err(Exit::failed("stopped without waiting for open requests")),
    }
}

async fn start(config: &Config, clock: Clock) -> Result<Running, Exit> {
    let settings = apps::fixed_settings(config)?;
    let server = &config.server;
    // The port is taken before the database is touched, so that a second process started by mistake
    // changes nothing; it listens only when it can answer.
    let socket = reserve(server.listen)?;
    let address = socket.local_addr().map_err(|error| busy(server.listen, &error))?;
    own(&server.data_dir);
    let database = Database::of(server);
    let store = database.open_within(server.database_wait).await?;
    let (store, _) = migrations::bring_up(&database, store).await?;
    let access = access(config);
    admit(&store, access, server.listen).await?;
    let past = if server.demo { Past::of(&store, &clock).await? } else { None };
    let clock = past.map_or_else(|| clock.clone(), |past| past.clock(&clock));
    let options = Options {
        access,
        demo: server.demo,
        past,
        version: env!("CARGO_PKG_VERSION"),
        body_bytes: config.limits.body_bytes,
        sse_connections: config.limits.sse_connections,
        drain: server.drain,
        alerts: channels(&config.alerts),
        data_dir: server.data_dir.clone(),
        listen: address.ip(),
        url: url(address, server.tls.is_some()),
        network: network(config)?,
        vault: secrets::vault(server)?,
        broker: server.broker.clone(),
        room: DiskLimits::new(
            config.limits.disk_reserve,
            config.limits.disk_alert_percent,
            server.data_dir.clone(),
        ),
        backups: backups::schedule(config)?,
    };
    let zone = server.timezone.zone.clone();
    let bus = host::bus(&store, options.broker.as_ref()).await;
    let wanted = |app: &App| server.apps.iter().any(|name| name == app.name);
    let apps = apps::all().into_iter().filter(wanted).collect();
    let context = Context::new(store, settings, clock, zone, apps, options, bus);
    host::prepare(&context).await?;
    let listener = socket.listen(BACKLOG).map_err(|error| busy(server.listen, &error))?;
    let running =
        host::start(context, listener).await.map_err(|error| busy(server.listen, &error))?;
    running.open_ports().await?;
    Ok(running)
}

/// Closes a directory that an older version left open to others.
fn own(directory: &Path) {
    let open = fs::metadata(directory).is_ok_and(|data| data.permissions().mode() & 0o077 != 0);
    if open && let Err(error) = fs::set_permissions(directory, Permissions::from_mode(0o700)) {
        tracing::warn!(directory = %directory.display(), %error, "others can look into it");
    }
}

fn network(config: &Config) -> Result<Network, Exit> {
    let server = &config.server;
    let read = |(chain, key): &(PathBuf, PathBuf)| Certificates::read(chain, key);
    let certificates = server.tls.as_ref().map(read).transpose().map_err(|why| {
        Exit::failed(format!("the certificate cannot be used: {why}"))
            .hint("see server.tls_certificate and server.tls_key")
    })?;
    let strangers = config.limits.strangers;
    Ok(Network {
        public_url: server.public_url.clone(),
        trusted_proxies: server.trusted_proxies.clone(),
        limits: Limits { connections: within_files(strangers.connections), ..strangers },
        certificates,
    })
}

/// As many connections as the system lets us have descriptors for, less those we need ourselves. What
/// the system allows is asked for first: many start processes with 1,024.
fn within_files(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let Some(files) = getrlimit(Resource::Nofile).current else { return wanted };
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    let possible = files.saturating_sub(OWN_FILES).max(files / 2);
    if possible < wanted {
        tracing::warn!(
            files,
            connections = possible,
            "fewer connections than limits.connections: raise LimitNOFILE"
        );
    }
    wanted.min(possible)
}

/// A manual clock lets anyone who reaches the port move time, so it stays on this machine.
fn clock(args: &Serve, listen: SocketAddr) -> Result<Clock, Exit> {
    match (args.clock, args.now) {
        (ClockKind::System, None) => Ok(Clock::Real),
        (ClockKind::System, Some(_)) => {
            Err(Exit::usage("--now needs a clock that stands still").hint("add --clock manual"))
        }
        (ClockKind::Manual, _) if !listen.ip().is_loopback() => {
            let hint = "listen on 127.0.0.1, or leave --clock manual out";
            Err(Exit::usage(format!("--clock manual on {listen}: loopback only")).hint(hint))
        }
        (ClockKind::Manual, now) => Ok(Clock::manual(now.unwrap_or_else(Timestamp::now))),
    }
}

fn access(config: &Config) -> Access {
    match config.server.auth {
        Auth::Auto if config.server.listen.ip().is_loopback() => Access::Open,
        Auth::Auto | Auth::Required => Access::SignedIn,
    }
}

/// A door that nobody can open yet is not opened to the network.
async fn admit(store: &Store, access: Access, listen: SocketAddr) -> Result<(), Exit> {
    let somebody = accounts::users(store).await?.iter().any(|user| user.active);
    match access {
        Access::Open => Ok(()),
        Access::SignedIn if somebody => Ok(()),
        Access::SignedIn if listen.ip().is_loopback() => {
            tracing::warn!("nobody can sign in yet; add one: turno user add NAME --role ADMIN");
            Ok(())
        }
        Access::SignedIn => {
            let message = format!("{listen} is open to the network and nobody can sign in yet");
            let hint = "add the first user: turno user add NAME --role ADMIN (with the same \
                        --data-dir or --database-url)";
            Err(Exit::new(Code::NotAuthorised, message).hint(hint))
        }
    }
}

fn channels(alerts: &AlertsConfig) -> AlertChannels {
    let (webhook, smtp) = (alerts.webhook.as_ref(), alerts.smtp.as_ref());
    let secret = webhook.and_then(|webhook| webhook.secret.as_ref());
    AlertChannels {
        webhook_url: webhook.map(|webhook| webhook.url.clone()),
        webhook_secret: secret.map(|secret| secret.expose().to_owned()),
        smtp_url: smtp.map(|smtp| smtp.url.expose().to_owned()),
        smtp_from: smtp.map(|smtp| smtp.from.clone()),
        smtp_to: smtp.map(|smtp| smtp.to.clone()).unwrap_or_default(),
        throttle: SignedDuration::try_from(alerts.throttle).unwrap_or(SignedDuration::MAX),
    }
}

/// Takes the port without listening on it.
pub(crate) fn reserve(listen: SocketAddr) -> Result<TcpSocket, Exit> {
    let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    let bound = socket.and_then(|socket| {
        // Connections of the process before us may still linger on the port.
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        Ok(socket)
    });
    bound.map_err(|error| busy(listen, &error))
}

fn busy(listen: SocketAddr, error: &std::io::Error) -> Exit {
    let port = listen.port();
    match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            let message = format!("another program listens on {listen}");
            let other = SocketAddr::new(listen.ip(), port.checked_add(1).unwrap_or(8000));
            Exit::new(Code::Conflict, message).hint(format!("stop it, or try --listen {other}"))
        }
        std::io::ErrorKind::PermissionDenied => {
            let message = format!("this account may not listen on port {port}");
            Exit::new(Code::NotAuthorised, message).hint("ports from 1024 on are free for everyone")
        }
        _ => Exit::failed(format!("cannot listen on {listen}: {error}"))
            .hint("--listen takes an address of this machine, such as 127.0.0.1:8000"),
    }
}

/// Where a client on this machine reaches us.
fn url(address: SocketAddr, tls: bool) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let scheme = if tls { "https" } else { "http" };
    format!("{scheme}://{}", SocketAddr::new(ip, address.port()))
}

fn greeting(context: &Context) -> String {
    let Options { url, version, demo, .. } = &context.options;
    let demo = if *demo { " (demo data)" } else { "" };
    let frozen = if context.is_past() {
        " (its past week is being lived; the pages open in a moment)".to_owned()
    } else if context.clock.is_manual() {
        format!(" (clock stands at {})", context.clock.now())
    } else {
        String::new()
    };
    format!("Turno {version}: {url}/{demo}{frozen}")
}

/// SIGTERM and SIGINT, in the order they come.
struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    fn new() -> Result<Self, Exit> {
        let hear = |kind| {
            signal(kind).map_err(|error| Exit::failed(format!("cannot hear signals: {error}")))
        };
        let (terminate, interrupt) =
            (hear(SignalKind::terminate())?, hear(SignalKind::interrupt())?);
        Ok(Self { terminate, interrupt })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
