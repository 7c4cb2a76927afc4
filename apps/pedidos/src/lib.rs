//! *Pedidos*: a restaurant's order queue and kitchen display.
//!
//! Read `model` for the nouns, `rules` for the decisions, `decisions` for how they are committed,
//! `drivers` for who hears of it outside, `wire` for the words of the outside contract, and `routes`
//! for who may ask what.

mod cli;
pub mod decisions;
pub mod drivers;
pub mod pages;
pub mod routes;
pub mod sim;
pub mod store;
pub mod wire;

use engine::Word as _;
use host::{Act, App, Draw, Nav, Role, Roles as _, Shortcut, Wiring};

pub use pedidos_rules::{NAME, model, policy, rules};
pub use store::policy::SETTINGS;

/// What this process keeps for the application.
#[derive(Debug, Default)]
pub struct Runtime {
    sockets: drivers::sockets::Sockets,
}

/// What routes, the tick and the publisher of events are given.
pub type Context = host::Local<Runtime>;

/// Environment variables of the original system and the settings they set.
pub const ALIASES: &[(&str, &str)] = &[
    ("MAX_PEDIDOS_EN_PREPARACION", store::policy::CAPACITY),
    ("TIEMPO_BASE_PEDIDO_MINUTOS", store::policy::BASE),
    ("AUTO_MOVER_PEDIDOS", store::policy::AUTOMATION),
    ("INTERVALO_WORKER_SEGUNDOS", store::policy::TICK),
];

const STAFF: Draw = Draw::Roles(&["ADMIN", "GERENTE", "CAJERO"]);

const BOSSES: Draw = Draw::Roles(&["ADMIN", "GERENTE"]);

const NAV: &[Nav] = &[
    Nav::new("/mostrador", ("Mostrador", "Counter"), "board", 'm', STAFF),
    Nav::new("/cocina", ("Cocina", "Kitchen"), "kitchen", 'c', Draw::Everyone),
    Nav::new("/pantalla", ("Pantalla", "Customer screen"), "screen", 'q', Draw::Everyone),
    Nav::new("/pedidos-panel", ("Panel", "Panel"), "chart", 'r', BOSSES),
];

/// What Ctrl K offers to do.
const SHORTCUTS: &[Shortcut] = &[
    Shortcut::new(("Nuevo pedido", "New order"), "/mostrador?nuevo=1", "plus", STAFF),
    Shortcut::new(
        ("Pausar la cocina", "Pause the kitchen"),
        "/mostrador?pausar=1",
        "pause",
        BOSSES,
    ),
];

/// The application, ready to plug into the host.
pub fn app() -> App {
    let wiring = Wiring::new(Runtime::default());
    App {
        name: NAME,
        title: ("Pedidos", "Orders"),
        icon: "kitchen",
        home: wiring.home(
            (
                "Para un restaurante: qué pedido entra a cocina, cuándo, y cuál se atrasa.",
                "For a restaurant: which order enters the kitchen, when, and which is late.",
            ),
            Act { label: ("Abrir el mostrador", "Open the counter"), href: "/mostrador" },
            pages::glance::glance,
        ),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        sections: store::policy::SECTIONS,
        aliases: ALIASES,
        roles: &[
            Role { word: "ADMIN", title: ("Administración", "Administrator") },
            Role { word: "GERENTE", title: ("Gerencia", "Manager") },
            Role { word: "CAJERO", title: ("Caja", "Cashier") },
            Role { word: "COCINA", title: ("Cocina", "Kitchen") },
        ],
        may_configure: |role| {
            model::Role::from_word(role).is_some_and(|role| role.can(policy::Action::Configure))
        },
        nav: NAV,
        spanish: include_str!("routes/spanish.txt"),
        lexicon: pages::lexicon::LEXICON,
        search: store::search::find,
        shortcuts: SHORTCUTS,
        routes: wiring.routes(routes::all),
        public: &["/pantalla", "/api/pedidos/pantalla", "/health/worker", "/socket.io/"],
        out_of_range: routes::OUT_OF_RANGE,
        assets: vec![pages::ASSETS.clone()],
        ticks: vec![wiring.tick(decisions::TICK, decisions::tick)],
        tasks: vec![wiring.task(drivers::sockets::publish)],
        drivers: vec![wiring.driver(drivers::printer::KIND, drivers::printer::perform)],
        senseless: |_, key, value| store::policy::senseless(key, value),
        redact: wire::redact,
        on_settings: Box::new(|context, decision| {
            Box::pin(decisions::settings_changed(context, decision))
        }),
        demo: Some(sim::demo::tick()),
        simulator: Some(cli::simulator()),
        ..App::default()
    }
}
