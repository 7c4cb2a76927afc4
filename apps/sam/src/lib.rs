//! *SAM*: robots, the runners they run on, and the pools that keep them apart.
//!
//! Read `model` for the nouns, `rules` for the decisions (`launch`, `balance`, `reconcile`,
//! `calendar`), `decisions` for how they are committed, `wire` for the outside contract.

mod cli;
pub mod decisions;
pub mod drivers;
mod environment;
pub mod pages;
pub mod routes;
pub mod runtime;
pub mod sim;
pub mod store;
pub mod wire;

use std::time::Duration;

use decisions::{balance, launch, reconcile, sweep, sync, wake_all};
use drivers::{alarm, deploy, stop};
use engine::Word as _;
use host::{Act, App, Draw, Nav, Port, Role, Shortcut, Wiring};
pub use runtime::Runtime;
pub use sam_rules::{NAME, model, policy, rules};
pub use store::policy::SETTINGS;
use terminal::Exit;

/// What the functions of SAM are given: everything of the house, and this process's [`Runtime`].
pub type Context = host::Local<Runtime>;

/// Someone with a role here, asking something now.
pub type Desk = host::Desk<policy::Role, Context>;

/// A little longer than the longest `A360_TIMEOUT_SEG`.
const LONGEST_CALL: Duration = Duration::from_secs(220);

const READERS: Draw = Draw::Roles(&["ADMIN", "OPERADOR", "CONSULTA"]);

const OPERATORS: Draw = Draw::Roles(&["ADMIN", "OPERADOR"]);

const NAV: &[Nav] = &[
    Nav::new("/sam", ("En marcha", "At work"), "chart", 'x', READERS),
    Nav::new("/sam/robots", ("Robots", "Robots"), "robot", 'g', READERS),
    Nav::new("/sam/equipos", ("Equipos", "Runners"), "server", 'w', READERS),
    Nav::new("/sam/pools", ("Pools", "Pools"), "board", 'j', READERS),
    Nav::new("/sam/programaciones", ("Programaciones", "Schedules"), "calendar", 't', READERS),
    Nav::new("/sam/ejecuciones", ("Ejecuciones", "Runs"), "play", 'f', READERS),
    Nav::new("/sam/balanceador", ("Balanceador", "Balancer"), "bolt", 'z', READERS),
    Nav::new("/sam/analisis", ("Análisis", "Analysis"), "chart", 'v', READERS),
    Nav::new("/sam/configuracion", ("Configuración", "Configuration"), "settings", 'h', OPERATORS),
];

/// What Ctrl K offers to do.
const SHORTCUTS: &[Shortcut] = &[
    Shortcut::new(
        ("Nueva programación", "New schedule"),
        "/sam/programaciones/nueva",
        "calendar",
        OPERATORS,
    ),
    Shortcut::new(
        ("Simular el balanceo", "Simulate the balancing"),
        "/sam/balanceador/simular",
        "chart",
        OPERATORS,
    ),
];

/// The application, ready to plug into the host.
pub fn app() -> App {
    let wiring = Wiring::new(Runtime::default());
    App {
        name: NAME,
        title: ("SAM", "SAM"),
        icon: "robot",
        home: wiring.home(
            (
                "Para una granja de robots de A360: quién corre, dónde, y por qué espera.",
                "For a farm of A360 robots: who runs, where, and why it waits.",
            ),
            Act { label: ("Ver qué está en marcha", "See what is at work"), href: "/sam" },
            pages::glance::glance,
        ),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        sections: store::policy::SECTIONS,
        aliases: environment::ALIASES,
        retired: environment::RETIRED,
        destinations: &[
            (store::policy::URL, &[store::policy::API_KEY, store::policy::PASSWORD]),
            (store::policy::CLOUDERS_URL, &[store::policy::CLOUDERS_AUTH]),
            (store::policy::GATEWAY_URL, &[store::policy::GATEWAY_SECRET]),
        ],
        roles: &[
            Role { word: "ADMIN", title: ("Administración", "Administrator") },
            Role { word: "OPERADOR", title: ("Operación", "Operator") },
            Role { word: "CONSULTA", title: ("Consulta", "Viewer") },
            Role { word: "PROVEEDOR", title: ("Proveedor de tickets", "Ticket provider") },
        ],
        may_configure: |role| {
            policy::Role::from_word(role)
                .is_some_and(|role| policy::can(role, policy::Action::Configure))
        },
        nav: NAV,
        spanish: include_str!("routes/spanish.txt"),
        lexicon: pages::lexicon::LEXICON,
        search: store::search::find,
        shortcuts: SHORTCUTS,
        routes: wiring.routes(routes::all),
        own_proof: &["/api/callback"],
        unhurried: &["/api/sam/sync", "/api/sam/planillas/{cual}"],
        assets: vec![pages::ASSETS.clone()],
        // Whoever is asked outside is not asked more often than was agreed.
        ticks: vec![
            wiring.tick(launch::TICK, launch::tick),
            wiring.tick(balance::TICK, balance::tick).without_net(),
            wiring.tick(reconcile::TICK, reconcile::tick).without_net(),
            wiring.tick(sync::TICK, sync::tick).without_net(),
            wiring.tick(sweep::TICK, sweep::tick),
        ],
        drivers: vec![
            wiring.driver(deploy::KIND, deploy::perform).timeout(LONGEST_CALL),
            wiring.driver(stop::KIND, stop::perform).timeout(LONGEST_CALL),
            wiring.driver(decisions::aftermath::KIND, alarm::perform).timeout(LONGEST_CALL),
        ],
        redact: wire::redact,
        senseless: routes::senseless,
        contradiction: store::policy::contradiction,
        prepare: Box::new(|context| Box::pin(ready(context))),
        // Whoever a setting lets start starts.
        on_settings: Box::new(|_, decision| {
            wake_all(decision);
            Box::pin(decisions::circuit::mended(decision))
        }),
        demo: Some(sim::demo()),
        commands: vec![cli::command()],
        simulator: Some(cli::simulator()),
        ports: &[Port { variable: "SAM_CALLBACK_PORT", number: 8008, front: "/health" }],
        ..App::default()
    }
}

/// Settings that came with the environment are looked at before anything runs.
async fn ready(context: host::Context) -> Result<(), Exit> {
    let values = async {
        let mut tx = context.store.read().await?;
        context.settings.load(&mut tx, NAME).await
    };
    let values = values.await.map_err(|error| Exit::failed(error.to_string()))?;
    match store::policy::contradiction(&values) {
        None => Ok(()),
        Some((_, en)) => Err(Exit::failed(en).hint("set both, or another CALLBACK_AUTH_MODE")),
    }
}
