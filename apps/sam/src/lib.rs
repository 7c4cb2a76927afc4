//! *SAM*: robots, the runners they run on, and the pools that keep them apart.
//!
//! Read `model` for the nouns, `rules` for the decisions (`launch`, `balance`, `reconcile`,
//! `calendar`), `decisions` for how they are committed, `wire` for the outside contract.

mod cli;
pub mod decisions;
pub mod drivers;
pub mod pages;
pub mod routes;
pub mod runtime;
pub mod sim;
pub mod store;
pub mod wire;

use decisions::{balance, launch, reconcile, sweep, sync, wake_all};
use drivers::deploy;
use engine::Word as _;
use host::{App, Draw, Nav, Port, Role, Wiring};
pub use runtime::Runtime;
pub use sam_rules::{NAME, model, policy, rules};
pub use store::policy::SETTINGS;

/// What the functions of SAM are given: everything of the house, and this process's [`Runtime`].
pub type Context = host::Local<Runtime>;

/// Someone with a role here, asking something now.
pub type Desk = host::Desk<policy::Role, Context>;

/// Environment variables and the settings they set.
pub const ALIASES: &[(&str, &str)] = &[
    ("A360_URL", store::policy::URL),
    ("A360_USUARIO", store::policy::USER),
    ("A360_API_KEY", store::policy::API_KEY),
    ("A360_PASSWORD", store::policy::PASSWORD),
    ("A360_CALLBACK_URL", store::policy::CALLBACK_URL),
    ("AA_URL", store::policy::URL),
    ("AA_USUARIO", store::policy::USER),
    ("AA_API_KEY", store::policy::API_KEY),
    ("AA_PASSWORD", store::policy::PASSWORD),
    ("AA_CALLBACK_URL", store::policy::CALLBACK_URL),
    ("CALLBACK_AUTH_MODE", store::policy::CALLBACK_MODE),
    ("CALLBACK_TOKEN", store::policy::CALLBACK_TOKEN),
    ("JWT_CLAVE_PUBLICA", store::policy::JWT_KEY),
    ("JWT_AUDIENCE", store::policy::JWT_AUDIENCE),
    ("JWT_ISSUER", store::policy::JWT_ISSUER),
    ("LANZADOR_PAUSA_INICIO", store::policy::PAUSE_FROM),
    ("LANZADOR_PAUSA_FIN", store::policy::PAUSE_TO),
];

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

/// The application, ready to plug into the host.
pub fn app() -> App {
    let wiring = Wiring::new(Runtime::default());
    App {
        name: NAME,
        title: ("SAM", "SAM"),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        aliases: ALIASES,
        destinations: &[
            (store::policy::URL, &[store::policy::API_KEY, store::policy::PASSWORD]),
            (store::policy::CLOUDERS_URL, &[store::policy::CLOUDERS_AUTH]),
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
        routes: wiring.routes(routes::all),
        own_proof: &["/api/callback"],
        unhurried: &["/api/sam/sync"],
        assets: vec![pages::ASSETS.clone()],
        // Whoever is asked outside is not asked more often than was agreed.
        ticks: vec![
            wiring.tick(launch::TICK, launch::tick),
            wiring.tick(balance::TICK, balance::tick).without_net(),
            wiring.tick(reconcile::TICK, reconcile::tick).without_net(),
            wiring.tick(sync::TICK, sync::tick).without_net(),
            wiring.tick(sweep::TICK, sweep::tick),
        ],
        drivers: vec![wiring.driver(deploy::KIND, deploy::perform)],
        redact: wire::redact,
        senseless: routes::senseless,
        // Whoever a setting lets start starts.
        on_settings: Box::new(|_, decision| {
            wake_all(decision);
            Box::pin(std::future::ready(Ok(())))
        }),
        demo: Some(Box::new(|context| Box::pin(sim::demo(context)))),
        simulator: Some(cli::simulator()),
        ports: &[Port { variable: "SAM_CALLBACK_PORT", number: 8008, front: "/health" }],
        ..App::default()
    }
}
