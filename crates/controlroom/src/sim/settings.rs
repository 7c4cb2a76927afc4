//! What the simulated Control Room is like, and what is in it at first.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::world::{Account, Bot, Machine, World};

/// What can be changed while it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Settings {
    /// Whether a deployment may name a bot or a user that nobody entered.
    pub(super) permissive: bool,
    /// How long a token is good.
    pub(super) token_seconds: u32,
    /// From deployed to running.
    pub(super) start_seconds: f64,
    /// How long bots run that have no time of their own.
    pub(super) duration_seconds: f64,
    /// The only key or password that is let in; without one, any.
    #[serde(skip_serializing)]
    pub(super) secret: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            permissive: true,
            token_seconds: 20 * 60,
            start_seconds: 1.0,
            duration_seconds: 60.0,
            secret: None,
        }
    }
}

/// A length of time as people write it; nonsense is none at all, for ever is a century.
pub(super) fn length(seconds: f64) -> SignedDuration {
    let century = 3_155_760_000.0;
    let seconds = if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, century) };
    SignedDuration::try_from_secs_f64(seconds).unwrap_or(SignedDuration::ZERO)
}

const TRADES: &str = "Facturas Conciliacion Altas Reclamos Cobranzas Padron Nomina Proveedores \
                      Siniestros Legajos Impuestos Embargos";

/// Licences of the users, in turn.
const LICENCES: [&[&str]; 5] =
    [&["RUNTIME"], &["RUNTIME", "ANALYTICS"], &["ATTENDEDRUNTIME"], &["RUNTIME"], &["DEVELOPMENT"]];

const FOLDER: &str = "Automation Anywhere\\Bots";

/// Devices from 101 on with their users from 201 on, bots from 1001 on.
pub(super) fn set_up(world: &mut World, devices: u32, bots: u32) {
    for (n, licence) in (1..=i64::from(devices)).zip(LICENCES.iter().cycle()) {
        let (device, user) = (100 + n, 200 + n);
        let license_features = licence.iter().map(ToString::to_string).collect();
        let username = format!("bot{n:03}");
        world.users.insert(user, Account { username, license_features, device: Some(device) });
        world.devices.insert(device, Machine::new(format!("PC-RPA-{n:03}")));
    }
    let manager =
        Account { username: "orquestador".to_owned(), license_features: Vec::new(), device: None };
    world.users.insert(200, manager);
    for (n, trade) in (1..=i64::from(bots)).zip(TRADES.split_whitespace().cycle()) {
        let name = format!("P{n:04}_{trade}");
        let mut bot = Bot::new(&name, &format!("{FOLDER}\\RPA\\{trade}\\{name}"));
        bot.duration = Some(length(30.0 + world.chance.below(150) as f64));
        world.bots.insert(1000 + n, bot);
    }
    // What a catalogue has besides: a tool for tests, something private, a directory.
    let name = "P9999_Prueba_Loop";
    world.bots.insert(9001, Bot::new(name, &format!("{FOLDER}\\RPA\\{name}")));
    world.bots.insert(9002, Bot::new("Demo_1", &format!("{FOLDER}\\Sandbox\\Demo_1")));
    let directory = Bot::new("RPA", &format!("{FOLDER}\\RPA"));
    let kind = "application/vnd.aa.directory".to_owned();
    world.bots.insert(9003, Bot { kind, ..directory });
}
