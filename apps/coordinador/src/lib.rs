//! *Coordinador*: SNMP jobs on OLTs, each on its own grid, under a quota and a common rate.
//!
//! Read `model` for the nouns, `policy` for what an operator may change, `rules` for the decisions
//! (`dispatch`, `spread`, `quota`, `inventory`), `decisions` for how they are committed, `drivers`
//! for how devices are asked, `wire` for the outside contract.

mod cli;
pub mod decisions;
pub mod drivers;
pub(crate) mod pages;
pub mod routes;
pub mod sim;
pub mod store;
pub mod wire;

pub use coordinador_rules::{NAME, model, policy, rules};
use decisions::{alarms, dispatch, polls, spread, sweep};
use drivers::{Runtime, job};
use engine::{Roles as _, Word as _};
use host::{Act, App, Draw, Nav, Role, Shortcut, Wiring};
pub use store::policy::SETTINGS;

/// The house and what this application keeps in a process.
pub type Context = host::Local<Runtime>;

/// Someone with a role here, asking something now.
pub type Desk = host::Desk<policy::Role, Context>;

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

/// What Ctrl K offers to do.
const SHORTCUTS: &[Shortcut] = &[Shortcut::new(
    ("Nueva plantilla", "New template"),
    "/coordinador/plantillas/nueva",
    "plus",
    Draw::Roles(&["ADMIN", "OPERADOR"]),
)];

/// The application, ready to plug into the host.
pub fn app() -> App {
    let wiring = Wiring::new(Runtime::default());
    App {
        name: NAME,
        title: ("Coordinador", "Coordinador"),
        icon: "server",
        home: wiring.home(
            (
                "Para una red de fibra: lecturas SNMP de cada OLT, repartidas y bajo cuota.",
                "For a fibre network: SNMP readings of each OLT, spread and under quota.",
            ),
            Act {
                label: ("Ver qué está en marcha", "See what is at work"), href: "/coordinador"
            },
            pages::glance::glance,
        ),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        sections: store::policy::SECTIONS,
        aliases: ALIASES,
        roles: &[
            Role { word: "ADMIN", title: ("Administración", "Administrator") },
            Role { word: "OPERADOR", title: ("Operación", "Operator") },
            Role { word: "CONSULTA", title: ("Consulta", "Viewer") },
        ],
        may_configure: |role| {
            policy::Role::from_word(role).is_some_and(|role| role.can(policy::Action::Configure))
        },
        nav: NAV,
        spanish: include_str!("routes/spanish.txt"),
        lexicon: pages::lexicon::LEXICON,
        search: store::search::find,
        shortcuts: SHORTCUTS,
        routes: wiring.routes(routes::all),
        assets: vec![pages::ASSETS.clone()],
        ticks: vec![
            wiring.tick(spread::TICK, spread::tick),
            wiring.tick(dispatch::TICK, dispatch::tick),
            wiring.tick(sweep::TICK, sweep::tick),
            wiring.tick(alarms::TICK, alarms::tick),
        ],
        tasks: vec![wiring.task(job::watch)],
        drivers: vec![wiring.driver(polls::KIND, job::perform)],
        redact: wire::redact,
        reseal: drivers::credential::reseal,
        senseless: store::policy::senseless,
        // Whoever a limit lets start starts; what is to be forgotten sooner goes sooner.
        on_settings: wiring.on_settings(|_, decision| {
            decision.wake(dispatch::TICK);
            decision.wake(sweep::TICK);
            Box::pin(std::future::ready(Ok(())))
        }),
        demo: Some(sim::demo()),
        simulator: Some(cli::simulator()),
        ..App::default()
    }
}
