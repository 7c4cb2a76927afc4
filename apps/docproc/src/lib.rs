//! *`DocProc`*: documents in, structured answers out, people where a machine is not sure.
//!
//! Read `model` for the nouns, `rules` for what is decided (`rules::advance` above all),
//! `drivers::reading` for how messages are done, `decisions` for how things commit, `store` for how
//! they are kept, `wire` for the outside contract.

mod cli;
pub mod decisions;
pub mod drivers;
pub mod golden;
pub mod pages;
pub mod routes;
pub mod sim;
pub mod store;
pub mod training;
pub mod wire;

use std::sync::Arc;

pub use docproc_rules::{NAME, model, policy, rules};
pub use drivers::runtime::{Config, Part, Runtime, prepare};
use engine::{Roles as _, Word as _};
use host::{Act, App, Draw, Nav, Port, Role, Shortcut, Wiring};
pub use paper::{WORKER, work};
pub use store::policy::SETTINGS;

/// The house's context with what this application keeps in the process.
pub type Context = host::Local<Runtime>;

/// Environment variables of the original system and the settings they set.
pub const ALIASES: &[(&str, &str)] = &[
    ("DOCPROC_DEFAULT_SLA_SECONDS", store::policy::SLA),
    ("DOCPROC_CLASSIFICATION_CONFIDENCE_THRESHOLD", store::policy::CLASSIFICATION),
    ("DOCPROC_EXTRACTION_CONFIDENCE_THRESHOLD", store::policy::EXTRACTION),
    ("DOCPROC_MESSAGE_TTL_MS", store::policy::MESSAGE_TTL),
    ("DOCPROC_CALLBACK_PRIVATE", store::policy::CALLBACK_PRIVATE),
    ("DOCPROC_MAX_UPLOAD_MB", store::policy::UPLOAD),
    ("DOCPROC_MAX_PAGES", store::policy::PAGES),
    ("DOCPROC_BACKOFFICE_TASK_TIMEOUT_SECONDS", store::policy::TASK_TIMEOUT),
    ("DOCPROC_BACKOFFICE_TASKS_PER_OPERATOR", store::policy::TASKS_EACH),
    ("DOCPROC_BACKOFFICE_UNDO_SECONDS", store::policy::UNDO),
];

const READERS: Draw = Draw::Roles(&["ADMIN", "SUPERVISOR", "OPERADOR"]);

const STAFF: Draw = Draw::Roles(&["ADMIN", "SUPERVISOR"]);

const NAV: &[Nav] = &[
    Nav::new("/docproc", ("Documentos", "Documents"), "chart", 'd', READERS),
    Nav::new("/docproc/subir", ("Subir", "Upload"), "upload", 'n', Draw::Everyone),
    Nav::new("/docproc/solicitudes", ("Solicitudes", "Requests"), "list", 'l', READERS),
    Nav::new("/backoffice", ("Revisión", "Review"), "hand", 'b', READERS),
    Nav::new("/docproc/operadores", ("Operadores", "Operators"), "users", 'o', STAFF),
    Nav::new("/docproc/calidad", ("Calidad", "Quality"), "check", 'y', READERS),
    Nav::new("/docproc/capacidad", ("Capacidad", "Capacity"), "server", 'k', READERS),
];

/// Uploads, and golden sets: each case is read for real.
const UNHURRIED: &[&str] = &[
    "/process",
    "/api/docproc/golden/files",
    "/api/docproc/workflows/{name}/golden/run",
    "/api/docproc/workflows/{name}/promote",
    // Waits for messages up to a minute.
    "/api/docproc/work/{component}/take",
];

/// What Ctrl K offers to do.
const SHORTCUTS: &[Shortcut] = &[
    Shortcut::new(
        ("Subir documentos", "Upload documents"),
        "/docproc/subir",
        "upload",
        Draw::Roles(&["ADMIN", "SUPERVISOR", "EMISOR"]),
    ),
    Shortcut::new(
        ("Revisar la tarea siguiente", "Review the next task"),
        "/backoffice/siguiente",
        "check",
        Draw::Roles(&["ADMIN", "SUPERVISOR", "OPERADOR"]),
    ),
];

/// The application, ready to plug into the host; where it runs, its variables say how.
pub fn app() -> App {
    let wiring = Wiring::later();
    App { prepare: wiring.prepare(drivers::environment::open), ..with(&wiring) }
}

const ROLES: &[Role] = &[
    Role { word: "ADMIN", title: ("Administración", "Administrator") },
    Role { word: "SUPERVISOR", title: ("Supervisión", "Supervisor") },
    Role { word: "OPERADOR", title: ("Operación", "Operator") },
    Role { word: "EMISOR", title: ("Envío", "Sender") },
    Role { word: "COMPONENTE", title: ("Componente externo", "Outside component") },
];

/// The application with a process state that somebody else opened.
pub fn app_in(runtime: Arc<Runtime>) -> App {
    with(&Wiring::of(runtime))
}

fn with(wiring: &Wiring<Runtime>) -> App {
    App {
        name: NAME,
        title: ("DocProc", "DocProc"),
        icon: "document",
        home: wiring.home(
            (
                "Para una oficina que recibe documentos: se leen solos y se pregunta solo lo dudoso.",
                "For an office that receives documents: they are read, and only what is doubtful is asked.",
            ),
            Act { label: ("Subir un documento", "Upload a document"), href: "/docproc/subir" },
            pages::glance::glance,
        ),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        sections: store::policy::SECTIONS,
        aliases: ALIASES,
        destinations: &[(
            store::policy::HTTP_AUTHORIZATION_FOR,
            &[store::policy::HTTP_AUTHORIZATION],
        )],
        senseless: store::policy::senseless,
        roles: ROLES,
        may_configure: |role| {
            policy::Role::from_word(role).is_some_and(|role| role.can(policy::Action::Configure))
        },
        nav: NAV,
        spanish: include_str!("routes/spanish.txt"),
        lexicon: pages::lexicon::LEXICON,
        search: store::search::find,
        shortcuts: SHORTCUTS,
        routes: wiring.routes(routes::all),
        unhurried: UNHURRIED,
        own_proof: &[drivers::envelopes::OPENED],
        assets: vec![pages::ASSETS.clone()],
        ticks: vec![
            wiring.tick(decisions::queue::TICK, decisions::queue::tick),
            wiring.tick(decisions::deadlines::TICK, decisions::deadlines::tick),
            wiring.tick(decisions::alarms::TICK, decisions::alarms::tick),
            wiring.tick(decisions::people::TICK, decisions::people::tick),
            wiring.tick(decisions::golden::TICK, decisions::golden::tick),
            wiring.tick(drivers::folder::TICK, drivers::folder::tick),
            wiring.tick(drivers::retention::TICK, drivers::retention::tick),
        ],
        tasks: vec![
            wiring.task(drivers::reading::run),
            wiring.task(drivers::broker::run),
            wiring.task(drivers::workflows::watch),
            wiring.task(routes::health::run),
        ],
        ports: &[Port { variable: "DOCPROC_BACKOFFICE_PORT", number: 8001, front: "/backoffice" }],
        drivers: vec![wiring.driver(store::answers::CALLBACK, drivers::callback::perform)],
        redact: wire::redact,
        own_only: &["EMISOR", "COMPONENTE"],
        owns: store::owns,
        on_settings: wiring.on_settings(|context, decision| {
            Box::pin(async move { decisions::settings_changed(&context, decision).await })
        }),
        demo: Some(sim::demo::tick()),
        commands: vec![cli::command(), cli::broker()],
        simulator: Some(cli::simulator()),
        reseal: drivers::passwords::reseal,
        doctor: cli::check,
        files: drivers::storage::backup::of,
        ..App::default()
    }
}
