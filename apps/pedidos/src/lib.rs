//! *Pedidos*: a restaurant's order queue and kitchen display.
//!
//! Read `model` for the nouns, `rules` for the decisions, `decisions` for how they are committed,
//! `wire` for the words of the outside contract, and `routes` for who may ask what.

pub mod alerts;
pub mod decisions;
pub mod live;
pub mod model;
pub mod pages;
pub mod policy;
pub mod routes;
pub mod rules;
pub mod sim;
pub mod store;
pub mod wire;

use host::{App, Draw, Nav, Role, Tick};

/// The name of the application, of its scope and of its topic.
pub const NAME: &str = "pedidos";

pub use store::policy::SETTINGS;

/// Environment variables of the original system and the settings they set.
pub const ALIASES: &[(&str, &str)] = &[
    ("MAX_PEDIDOS_EN_PREPARACION", store::policy::CAPACITY),
    ("TIEMPO_BASE_PEDIDO_MINUTOS", store::policy::BASE),
    ("AUTO_MOVER_PEDIDOS", store::policy::AUTOMATION),
    ("INTERVALO_WORKER_SEGUNDOS", store::policy::TICK),
];

const STAFF: Draw = Draw::Roles(&["ADMIN", "GERENTE", "CAJERO"]);

const NAV: &[Nav] = &[
    Nav::new("/mostrador", ("Mostrador", "Counter"), "board", 'm', STAFF),
    Nav::new("/cocina", ("Cocina", "Kitchen"), "kitchen", 'c', Draw::Everyone),
    Nav::new("/pantalla", ("Pantalla", "Customer screen"), "screen", 'q', Draw::Everyone),
    Nav::new(
        "/pedidos-panel",
        ("Panel", "Panel"),
        "chart",
        'r',
        Draw::Roles(&["ADMIN", "GERENTE"]),
    ),
];

/// The application, ready to plug into the host.
pub fn app() -> App {
    App {
        name: NAME,
        title: ("Pedidos", "Orders"),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        roles: &[
            Role { word: "ADMIN", title: ("Administración", "Administrator") },
            Role { word: "GERENTE", title: ("Gerencia", "Manager") },
            Role { word: "CAJERO", title: ("Caja", "Cashier") },
            Role { word: "COCINA", title: ("Cocina", "Kitchen") },
        ],
        may_configure: |role| {
            model::Role::from_word(role)
                .is_some_and(|role| policy::can(role, policy::Action::Configure))
        },
        nav: NAV,
        routes: Box::new(|_| routes::all()),
        public: &["/pantalla", "/api/pedidos/pantalla", "/health/worker", "/socket.io/"],
        own_proof: &[],
        unhurried: &[],
        assets: vec![pages::ASSETS.clone()],
        ticks: vec![Tick::periodic(
            decisions::TICK,
            |context| Box::pin(decisions::period(context)),
            |context, now| Box::pin(decisions::next(context, now)),
            |context, now| Box::pin(decisions::tick(context, now)),
        )],
        tasks: vec![Box::new(|context| Box::pin(live::publish(context)))],
        drivers: Vec::new(),
        redact: wire::redact,
        senseless: |_, _| None,
        on_settings: Box::new(|context, decision| {
            Box::pin(decisions::settings_changed(context, decision))
        }),
        demo: Some(Box::new(|context| Box::pin(sim::demo(context)))),
    }
}
