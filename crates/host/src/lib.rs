//! What an application is, and what runs it.
//!
//! An [`App`] brings its migrations, settings, routes, ticks and tasks. The host opens the store,
//! serves the routes behind one door (sessions, tokens, roles, problems), drives the ticks by the
//! clock, relays what committed to everyone who listens, and performs effects.

mod actor;
mod alerts;
mod answers;
mod app;
mod backups;
mod by;
mod carrier;
mod clock;
mod console;
mod context;
mod debug;
mod demo;
mod desk;
mod disk;
mod door;
mod effects;
mod failure;
mod gate;
mod glance;
mod health;
mod lexicon;
mod live;
mod local;
mod network;
mod pass;
mod peer;
mod ports;
mod processes;
mod rates;
mod relay;
mod resources;
mod router;
mod search;
mod serve;
mod shortages;
mod store;
mod tick;
mod tls;
mod vault;
mod wakes;
mod watch;

pub mod accounts;
pub mod check;
pub mod edit;
pub mod metrics;
pub mod webhook;

pub use actor::{Actor, EVERY_APP, Grant, Identity};
pub use alerts::{Alert, AlertChannels, Severity};
pub use answers::{Listed, Span, as_json, conflict, merged, of_json, tagged, unknown};
pub use app::{
    App, AppTask, Draw, FilesOf, Nav, Next, OnSettings, Owns, Port, Prepare, Reseal, Role, Routes,
    Section, Tick,
};
pub use backups::Schedule;
pub use by::By;
pub use carrier::BROKER;
pub use clock::Clock;
pub use console::{Console, change_setting};
pub use context::{Access, Context, Options};
pub use demo::{Doors, Heard, Past, person};
pub use desk::Desk;
pub use disk::{DiskLimits, full as disk_full};
pub use effects::{ATTEMPTS, Driver, Outcome};
pub use engine::Roles;
pub use failure::Failure;
pub use gate::HangUp;
pub use glance::{Act, Figure, Glance, Glanced, Home};
pub use lexicon::{Lexicon, Subject};
pub use live::{StreamPermit, too_many};
pub use local::{Local, Wiring};
pub use network::{Limits, Network};
pub use pass::Pass;
pub use peer::{Peer, Proxies};
pub use processes::{Me, is_gone, used};
pub use rates::Rate;
pub use relay::Subscription;
pub use resources::Resources;
pub use router::router;
pub use search::{HITS, Hit, Search, Shortcut, Sought};
pub use serve::{Running, prepare, start};
pub use shortages::Shortages;
pub use tick::{SAFETY_NET, TickHealth};
pub use tls::Certificates;
pub use vault::{Foreign, KEY, Vault};
pub use wakes::bus;

/// The host's own tables.
pub const MIGRATIONS: db::Line = db::migrations!("host"; "0001_house", "0002_sessions", "0003_backups", "0004_attention", "0005_demonstration");
