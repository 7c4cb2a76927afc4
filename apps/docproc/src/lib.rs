//! *`DocProc`*: documents in, structured answers out, people where a machine is not sure.
//!
//! Read `model` for the nouns, `rules` for what is decided (`rules::advance` above all),
//! `drivers::reading` for how messages are done, `decisions` for how things commit, `store` for how
//! they are kept, `wire` for the outside contract.

pub mod decisions;
pub mod drivers;
pub mod golden;
pub mod pages;
pub mod routes;
pub mod sim;
pub mod store;
pub mod training;
pub mod wire;

pub use docproc_rules::{NAME, model, policy, rules};
pub use drivers::runtime::{Config, Part, install};
use engine::{Roles as _, Word as _};
use host::{App, Draw, Nav, Role, Tick};
use jiff::SignedDuration;
pub use store::policy::SETTINGS;

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
];

/// The application, ready to plug into the host. [`install`] prepares it in a process.
pub fn app() -> App {
    App {
        name: NAME,
        title: ("DocProc", "DocProc"),
        migrations: store::MIGRATIONS,
        settings: SETTINGS,
        roles: &[
            Role { word: "ADMIN", title: ("Administración", "Administrator") },
            Role { word: "SUPERVISOR", title: ("Supervisión", "Supervisor") },
            Role { word: "OPERADOR", title: ("Operación", "Operator") },
            Role { word: "EMISOR", title: ("Envío", "Sender") },
        ],
        may_configure: |role| {
            policy::Role::from_word(role).is_some_and(|role| role.can(policy::Action::Configure))
        },
        nav: NAV,
        routes: routes::all,
        public: &[],
        own_proof: &[],
        unhurried: UNHURRIED,
        assets: vec![pages::ASSETS.clone()],
        ticks: ticks(),
        tasks: vec![|context| Box::pin(drivers::reading::run(context))],
        drivers: vec![drivers::callback::DRIVER],
        redact: wire::redact,
        senseless: |_, _| None,
        on_settings: |context, decision| Box::pin(decisions::settings_changed(context, decision)),
        demo: Some(|context| Box::pin(sim::demo(context))),
    }
}

/// What falls due by time.
fn ticks() -> Vec<Tick> {
    vec![
        Tick {
            name: decisions::TICK,
            period: |_| Box::pin(std::future::ready(decisions::period())),
            next: |context, now| Box::pin(decisions::next(context, now)),
            run: |context, now| Box::pin(decisions::tick(context, now)),
        },
        Tick {
            name: decisions::deadlines::TICK,
            period: |_| Box::pin(std::future::ready(decisions::period())),
            next: |context, now| Box::pin(decisions::deadlines::next(context, now)),
            run: |context, now| Box::pin(decisions::deadlines::watch(context, now)),
        },
        Tick {
            name: drivers::folder::TICK,
            period: |context| Box::pin(std::future::ready(drivers::folder::period(&context))),
            next: |_, _| Box::pin(std::future::ready(Ok(None))),
            run: |context, now| Box::pin(drivers::folder::look(context, now)),
        },
        Tick {
            name: decisions::alarms::TICK,
            period: |_| Box::pin(std::future::ready(decisions::alarms::period())),
            next: |_, _| Box::pin(std::future::ready(Ok(None))),
            run: |context, now| Box::pin(decisions::alarms::check(context, now)),
        },
        Tick {
            name: decisions::people::TICK,
            period: |_| Box::pin(std::future::ready(decisions::period())),
            next: |context, _| Box::pin(decisions::people::next_due(context)),
            run: |context, now| Box::pin(decisions::people::tick(context, now)),
        },
        Tick {
            name: decisions::golden::TICK,
            period: |_| Box::pin(std::future::ready(decisions::period())),
            next: |_, _| Box::pin(std::future::ready(Ok(None))),
            run: |context, _| Box::pin(decisions::golden::feed(context)),
        },
        Tick {
            name: "docproc.limpieza",
            period: |_| Box::pin(std::future::ready(Ok(SignedDuration::from_hours(1)))),
            next: |_, _| Box::pin(std::future::ready(Ok(None))),
            run: |context, now| Box::pin(decisions::sweep(context, now)),
        },
    ]
}
