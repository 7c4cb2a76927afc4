//! One small house per test: a real database file, a manual clock, one application.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use db::{
    Store,
    events::NewEvent,
    settings::{Kind, Origin, Override, Setting, Settings},
};
use host::{
    Access, Actor, AlertChannels, App, Clock, Context, Draw, Grant, Hit, Nav, Network, Options,
    Role, Shortcut, Sought, accounts,
};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value as Json, json};
use tower::ServiceExt as _;

pub(crate) const PASSWORD: &str = "correct horse";

const fn setting(key: &'static str, kind: Kind, default: &'static str) -> Setting {
    Setting::new("demo", key, kind, default, ("Ayuda", "Help"))
}

const SETTINGS: &[Setting] = &[
    setting("CEILING", Kind::Int { min: 1, max: 200 }, "20"),
    setting("CUTOFF", Kind::TimeOfDay, "\"04:00\""),
    setting("FIXED", Kind::Int { min: 0, max: 99 }, "1"),
    setting("GREETING", Kind::Text { max: 10 }, "\"hola\""),
    setting("KEPT", Kind::Internal, "{}"),
    setting("MODE", Kind::Choice(&["estricta", "promesa"]), "\"estricta\""),
    setting("OPEN", Kind::Bool, "true"),
    setting("PLACES", Kind::IntUpTo { min: 1, ceiling: "CEILING" }, "8"),
];

const ROLES: &[Role] = &[
    Role { word: "JEFE", title: ("Jefe", "Chief") },
    Role { word: "OPERARIO", title: ("Operario", "Worker") },
];

const NAV: &[Nav] = &[
    Nav {
        href: "/demo",
        title: ("Tablero", "Board"),
        icon: "board",
        hotkey: Some('d'),
        draw: Draw::Everyone,
    },
    Nav {
        href: "/demo-jefe",
        title: ("Panel del jefe", "Chief's panel"),
        icon: "chart",
        hotkey: None,
        draw: Draw::Roles(&["JEFE"]),
    },
];

/// Like a kitchen that plans again when its places change: the same commit carries both.
fn replan<'a>(
    _: &'a Context,
    decision: &'a mut db::Decision,
) -> futures::future::BoxFuture<'a, Result<(), db::Error>> {
    Box::pin(async move {
        let data = json!({ "secreto": "solo para el jefe" });
        decision.emit(NewEvent { app: "demo", name: "demo:replaneado", subject: None, data });
        Ok(())
    })
}

const SHORTCUTS: &[Shortcut] = &[Shortcut::new(
    ("Abrir la jornada", "Open the day"),
    "/demo?abrir=1",
    "play",
    Draw::Roles(&["JEFE"]),
)];

/// One piece, which is the chief's to see.
fn find<'a>(
    _: &'a Context,
    actor: &'a Actor,
    sought: &'a Sought,
) -> futures::future::BoxFuture<'a, Result<Vec<Hit>, db::Error>> {
    Box::pin(async move {
        let mine = actor.role_in("demo") == Some("JEFE");
        let found = mine && (sought.number() == Some(12) || "pieza".contains(&sought.text));
        let hit = || Hit {
            kind: ("Pieza", "Piece"),
            icon: "board",
            title: "Pieza 12".into(),
            detail: String::new(),
            href: "/demo/12".into(),
        };
        Ok(found.then(hit).into_iter().collect())
    })
}

fn app() -> App {
    App {
        name: "demo",
        title: ("Demostración", "Demonstration"),
        migrations: db::Line { name: "demo", steps: &[] },
        settings: SETTINGS,
        roles: ROLES,
        may_configure: |role| role == "JEFE",
        nav: NAV,
        search: find,
        shortcuts: SHORTCUTS,
        redact: |actor, name, data| {
            let hidden = name == "demo:replaneado" && actor.role_in("demo") == Some("OPERARIO");
            (!hidden).then_some(data)
        },
        on_settings: Box::new(replan),
        ..App::default()
    }
}

pub(crate) struct House {
    pub(crate) context: Context,
    router: Router,
    file: PathBuf,
}

impl Drop for House {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.file.display()));
        }
    }
}

pub(crate) fn start() -> Timestamp {
    "2026-03-02T22:00:00Z".parse().unwrap()
}

impl House {
    pub(crate) async fn new(access: Access) -> Self {
        Self::with_channels(access, AlertChannels::default()).await
    }

    pub(crate) async fn with_channels(access: Access, channels: AlertChannels) -> Self {
        Self::on_file(access, channels, Network::default()).await
    }

    async fn on_file(access: Access, channels: AlertChannels, network: Network) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("console_{}_{count}", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let url = format!("sqlite://{}", file.display());
        Self::at(&url, file, access, channels, network).await
    }

    /// One that stands in the network in a way of its own.
    pub(crate) async fn in_network(access: Access, network: Network) -> Self {
        let house = Self::on_file(access, AlertChannels::default(), network).await;
        house.hire().await;
        house
    }

    /// On `PostgreSQL`; `None` when there is no server to test with.
    pub(crate) async fn on_postgres(access: Access, channels: AlertChannels) -> Option<Self> {
        let url = testkit::fresh_database().await?;
        Some(Self::at(&url, PathBuf::new(), access, channels, Network::default()).await)
    }

    async fn at(
        url: &str,
        file: PathBuf,
        access: Access,
        channels: AlertChannels,
        network: Network,
    ) -> Self {
        let store = Store::open(url).await.unwrap();
        store.migrate(&[db::ENGINE, host::MIGRATIONS], start()).await.unwrap();
        let fixed = Override {
            app: "demo".into(),
            key: "FIXED".into(),
            value: json!(7),
            origin: Origin::Environment("DEMO_FIXED".into()),
        };
        let settings = Settings::new(SETTINGS.to_vec(), vec![fixed]).unwrap();
        let options = Options {
            access,
            demo: false,
            past: None,
            version: "0.0.0-test",
            body_bytes: 1_000_000,
            vault: host::Vault::ephemeral(),
            sse_connections: 4,
            drain: std::time::Duration::from_secs(1),
            alerts: channels,
            data_dir: std::env::temp_dir(),
            listen: std::net::Ipv4Addr::LOCALHOST.into(),
            url: "http://127.0.0.1:8000".into(),
            network,
            broker: None,
            room: host::DiskLimits::new(0, 0, std::env::temp_dir()),
            backups: None,
        };
        let bus = Arc::new(bus::LocalBus::new());
        let clock = Clock::manual(start());
        let zone = TimeZone::get("America/Argentina/Buenos_Aires").unwrap();
        let context = Context::new(store, settings, clock, zone, vec![app()], options, bus);
        let router = host::router(&context);
        Self { context, router, file }
    }

    /// A house that asks who you are, with an administrator, a chief and a worker.
    pub(crate) async fn staffed() -> Self {
        let house = Self::new(Access::SignedIn).await;
        house.hire().await;
        house
    }

    pub(crate) async fn hire(&self) {
        for (name, app, role) in
            [("ada", "*", "ADMIN"), ("jefa", "demo", "JEFE"), ("ope", "demo", "OPERARIO")]
        {
            let grants = [Grant { app: app.into(), role: role.into() }];
            let (store, by) = (&self.context.store, Actor::system());
            accounts::put_user(store, &by, name, PASSWORD, &grants, start()).await.unwrap();
        }
    }

    pub(crate) async fn advance(&self, time: SignedDuration) {
        self.context.travel(self.context.clock.now() + time).await;
    }

    /// Signs in and returns the headers that prove it.
    pub(crate) async fn sign_in(&self, name: &str) -> Persona<'_> {
        let form = [("name", name), ("password", PASSWORD), ("back", "/")];
        let answer = self.nobody().post("/login", &form).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap();
        let pair = cookie.split(';').next().unwrap().to_owned();
        Persona { house: self, credential: Some((header::COOKIE, pair)) }
    }

    pub(crate) fn bearer(&self, secret: &str) -> Persona<'_> {
        Persona {
            house: self,
            credential: Some((header::AUTHORIZATION, format!("Bearer {secret}"))),
        }
    }

    pub(crate) fn nobody(&self) -> Persona<'_> {
        Persona { house: self, credential: None }
    }

    pub(crate) async fn chain_holds(&self) -> bool {
        let mut tx = self.context.store.read().await.unwrap();
        db::audit::verify(&mut tx).await.unwrap().is_none()
    }

    /// The actions on record, oldest first.
    pub(crate) async fn audited(&self) -> Vec<String> {
        let mut tx = self.context.store.read().await.unwrap();
        let records = db::audit::latest(&mut tx, i64::MAX, None, None, 500).await.unwrap();
        records.into_iter().rev().map(|record| record.action).collect()
    }
}

/// Someone who asks.
#[derive(Clone)]
pub(crate) struct Persona<'a> {
    house: &'a House,
    credential: Option<(header::HeaderName, String)>,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    pub(crate) fn location(&self) -> &str {
        self.headers.get(header::LOCATION).map_or("", |value| value.to_str().unwrap())
    }
}

impl Persona<'_> {
    async fn send(&self, mut request: Request<Body>) -> Answer {
        let site = header::HeaderValue::from_static("same-origin");
        request.headers_mut().entry("sec-fetch-site").or_insert(site);
        let response = self.house.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), 10_000_000).await.unwrap();
        Answer { status, headers, text: String::from_utf8_lossy(&bytes).into_owned() }
    }

    fn request(&self, method: Method, path: &str) -> axum::http::request::Builder {
        let mut builder = Request::builder().method(method).uri(path);
        if let Some((name, value)) = &self.credential {
            builder = builder.header(name, value);
        }
        builder
    }

    /// A browser going to a page.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = self.request(Method::GET, path).header(header::ACCEPT, "text/html");
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let request = self
            .request(Method::POST, path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(request.body(Body::from(pairs.join("&"))).unwrap()).await
    }

    /// A program calling.
    pub(crate) async fn call(&self, method: Method, path: &str, body: Option<Json>) -> Answer {
        self.call_with(method, path, body, &[]).await
    }

    pub(crate) async fn call_with(
        &self,
        method: Method,
        path: &str,
        body: Option<Json>,
        headers: &[(header::HeaderName, &str)],
    ) -> Answer {
        let mut request = self.request(method, path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let body = match body {
            Some(json) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(json.to_string())
            }
            None => Body::empty(),
        };
        self.send(request.body(body).unwrap()).await
    }
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}
