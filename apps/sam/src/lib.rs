//! *SAM*: robots, the runners they run on, and the pools that keep them apart.
//!
//! Read `model` for the nouns, `rules` for the decisions (`launch`, `balance`, `reconcile`,
//! `calendar`), `decisions` for how they are committed, `wire` for the outside contract.

pub mod alarms;
pub mod decisions;
pub mod model;
pub mod pages;
pub mod policy;
pub mod room;
pub mod routes;
pub mod rules;
pub mod sim;
pub mod store;
pub mod wire;

use decisions::{balance, deploy, launch, reconcile, sweep, sync};
use host::{App, Draw, Nav, Role, Tick};
use jiff::SignedDuration;
pub use store::policy::SETTINGS;

/// The name of the application, of its scope and of its topic.
pub const NAME: &str = "sam";

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
    App {
        name: NAME,
        title: ("SAM", "SAM"),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
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
        routes: Box::new(|_| routes::all()),
        public: &[],
        own_proof: &["/api/callback"],
        unhurried: &["/api/sam/sync"],
        assets: vec![pages::ASSETS.clone()],
        ticks: vec![
            Tick::periodic(
                launch::TICK,
                |context| Box::pin(launch::period(context)),
                |context, now| Box::pin(std::future::ready(Ok(launch::next(&context, now)))),
                |context, now| Box::pin(launch::tick(context, now)),
            ),
            Tick::periodic(
                balance::TICK,
                |context| Box::pin(balance::period(context)),
                |_, _| Box::pin(std::future::ready(Ok(None))),
                |context, now| Box::pin(balance::tick(context, now)),
            ),
            Tick::periodic(
                reconcile::TICK,
                |context| Box::pin(reconcile::period(context)),
                |_, _| Box::pin(std::future::ready(Ok(None))),
                |context, now| Box::pin(reconcile::tick(context, now)),
            ),
            Tick::periodic(
                sync::TICK,
                |context| Box::pin(sync::period(context)),
                |_, _| Box::pin(std::future::ready(Ok(None))),
                |context, now| Box::pin(sync::tick(context, now)),
            ),
            Tick::periodic(
                sweep::TICK,
                |_| Box::pin(std::future::ready(Ok(SignedDuration::from_hours(1)))),
                |_, _| Box::pin(std::future::ready(Ok(None))),
                |context, now| Box::pin(sweep::tick(context, now)),
            ),
        ],
        tasks: Vec::new(),
        drivers: vec![deploy::driver()],
        redact: wire::redact,
        senseless: routes::senseless,
        // Whoever a setting lets start starts.
        on_settings: Box::new(|_, decision| {
            decision.wake(launch::TICK);
            Box::pin(std::future::ready(Ok(())))
        }),
        demo: Some(Box::new(|context| Box::pin(sim::demo(context)))),
    }
}
