//! *Coordinador*: SNMP jobs on OLTs, each on its own grid, under a quota and a common rate.
//!
//! Read `model` for the nouns, `policy` for what an operator may change, `rules` for the decisions
//! (`dispatch`, `spread`, `quota`, `inventory`), `decisions` for how they are committed, `wire` for
//! the outside contract.

pub mod credential;
pub mod decisions;
pub mod fleet;
pub mod model;
pub(crate) mod pages;
pub mod policy;
pub mod routes;
pub mod rules;
pub mod sim;
pub mod store;
pub mod wire;

use decisions::{beat, dispatch, job, spread, sweep};
use host::{App, Draw, Nav, Role, Tick};
use jiff::SignedDuration;
pub use store::policy::SETTINGS;

/// The name of the application, of its scope and of its topic.
pub const NAME: &str = "coordinador";

/// Environment variables and the settings they set.
pub const ALIASES: &[(&str, &str)] = &[("MAX_EXECUTIONS_PER_MINUTE", store::policy::PER_MINUTE)];

const READERS: Draw = Draw::Roles(&["ADMIN", "OPERADOR", "CONSULTA"]);

const NAV: &[Nav] = &[
    Nav::new("/coordinador", ("En marcha", "At work"), "chart", '1', READERS),
    Nav::new("/coordinador/plan", ("Plan", "Plan"), "calendar", '2', READERS),
    Nav::new("/coordinador/nodos", ("Nodos", "Nodes"), "list", '3', READERS),
    Nav::new("/coordinador/olts", ("OLT", "OLTs"), "server", '4', READERS),
    Nav::new("/coordinador/plantillas", ("Plantillas", "Templates"), "copy", '5', READERS),
    Nav::new("/coordinador/ejecuciones", ("Ejecuciones", "Runs"), "play", '6', READERS),
    Nav::new("/coordinador/limites", ("Límites", "Limits"), "settings", '7', READERS),
];

/// The application, ready to plug into the host.
pub fn app() -> App {
    App {
        name: NAME,
        title: ("Coordinador", "Coordinador"),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        roles: &[
            Role { word: "ADMIN", title: ("Administración", "Administrator") },
            Role { word: "OPERADOR", title: ("Operación", "Operator") },
            Role { word: "CONSULTA", title: ("Consulta", "Viewer") },
        ],
        may_configure: |role| {
            policy::Role::from_word(role)
                .is_some_and(|role| policy::can(role, policy::Action::Configure))
        },
        nav: NAV,
        routes: Box::new(|_| routes::all()),
        public: &[],
        own_proof: &[],
        unhurried: &[],
        assets: vec![pages::ASSETS.clone()],
        ticks: vec![
            Tick::periodic(
                beat::TICK,
                |context| Box::pin(std::future::ready(Ok(beat::period(&context)))),
                |_, _| Box::pin(std::future::ready(Ok(None))),
                |context, now| Box::pin(beat::tick(context, now)),
            ),
            Tick::periodic(
                spread::TICK,
                |context| Box::pin(spread::period(context)),
                |_, _| Box::pin(std::future::ready(Ok(None))),
                |context, now| Box::pin(spread::tick(context, now)),
            ),
            Tick::periodic(
                dispatch::TICK,
                |_| Box::pin(std::future::ready(Ok(dispatch::PERIOD))),
                |context, now| Box::pin(std::future::ready(Ok(dispatch::next(&context, now)))),
                |context, now| Box::pin(dispatch::tick(context, now)),
            ),
            Tick::periodic(
                sweep::TICK,
                |_| Box::pin(std::future::ready(Ok(SignedDuration::from_hours(1)))),
                |_, _| Box::pin(std::future::ready(Ok(None))),
                |context, now| Box::pin(sweep::tick(context, now)),
            ),
        ],
        tasks: vec![Box::new(|context| Box::pin(beat::watch(context)))],
        drivers: vec![job::driver()],
        redact: wire::redact,
        senseless: store::policy::senseless,
        // Whoever a limit lets start starts.
        on_settings: Box::new(|_, decision| {
            decision.wake(dispatch::TICK);
            Box::pin(std::future::ready(Ok(())))
        }),
        demo: Some(Box::new(|context| Box::pin(sim::demo(context)))),
    }
}
