//! The published settings and how they become a [`Policy`].

use db::{
    Error, Tx,
    settings::{Kind, Origin, Setting, Settings, Unit, Values},
};
use host::{Section, Vault};
use jiff::{SignedDuration, tz::TimeZone};

use crate::policy::{CallbackAuth, Isolation, PauseWindow, Policy, Preemption};

const fn int(min: i64, max: i64) -> Kind {
    Kind::Int { min, max }
}

const LINE: Kind = Kind::Text { max: 500 };
const SECRET: Kind = Kind::Secret { max: 4000 };

/// The keys of [`SETTINGS`], each with its kind, its default, what it is called and its help in both
/// languages.
macro_rules! settings {
    ($($key:ident = $name:literal, $kind:expr, $default:literal,
        ($called_es:literal, $called_en:literal $(, $unit:ident)? $(; $titles:expr)?),
        $es:literal, $en:literal;)*) => {
        $(pub const $key: &str = $name;)*

        pub const SETTINGS: &[Setting] = &[$(
            Setting::new(crate::NAME, $key, $kind, $default, ($es, $en))
                .called($called_es, $called_en)
                $(.counted_in(Unit::$unit))?
                $(.titled($titles))?
        ),*];
    };
}

settings! {
    PAUSE_FROM = "LANZADOR_PAUSA_INICIO", Kind::TimeOfDay, "\"00:00\"",
        ("Inicio de la pausa", "Start of the pause"),
        "Desde qué hora el lanzador no dispara nada. Igual al fin: sin pausa.",
        "From what time the launcher starts nothing. Same as the end: no pause.";
    PAUSE_TO = "LANZADOR_PAUSA_FIN", Kind::TimeOfDay, "\"00:00\"",
        ("Fin de la pausa", "End of the pause"),
        "Hasta qué hora (sin incluirla) dura la pausa; antes del inicio cruza la medianoche.",
        "Until what time, not included, the pause lasts; before its start it crosses midnight.";
    LAUNCH_EVERY = "LANZADOR_CICLO_INTERVALO_SEG", int(1, 3600), "15",
        ("Revisión periódica del lanzador", "Periodic check of the launcher", Seconds),
        "Cada cuántos segundos revisa el lanzador, como red de seguridad.",
        "How often, in seconds, the launcher looks, as a safety net.";
    WORKERS = "LANZADOR_WORKERS_MAX", int(1, 32), "10",
        ("Despliegues simultáneos", "Deploys at once"),
        "Cuántos despliegues se envían a la vez.", "How many deploys are sent at once.";
    DEPLOY_ATTEMPTS = "LANZADOR_DEPLOY_REINTENTOS_MAX", int(1, 10), "2",
        ("Intentos de un despliegue", "Attempts of a deploy"),
        "Intentos de un despliegue en total.", "Attempts of a deploy in all.";
    DEPLOY_DELAY = "LANZADOR_DEPLOY_REINTENTO_DELAY_SEG", int(1, 600), "5",
        ("Pausa entre intentos", "Pause between attempts", Seconds),
        "Segundos entre dos intentos.", "Seconds between two attempts.";
    START_LIMIT = "LANZADOR_INICIO_MAX_SEG", int(60, 86_400), "900",
        ("Una ejecución debe empezar antes de", "A run must begin within", Seconds),
        "Segundos que una ejecución aceptada puede tardar en empezar antes de avisar.",
        "Seconds an accepted run may take to begin before people are told.";
    REPETITIONS = "LANZADOR_ROBOT_REPETICIONES", int(1, 1000), "3",
        ("Repeticiones de un robot", "Repetitions of a robot"),
        "in_NumRepeticion de un robot sin parámetros propios.",
        "in_NumRepeticion of a robot without parameters of its own.";
    OFFLINE_ALERT = "LANZADOR_ALERTAS_ERROR_412_UMBRAL", int(1, 1000), "20",
        ("Avisar de un equipo sin conexión después de", "Tell of an offline runner after"),
        "Despliegues seguidos a un equipo sin conexión antes de avisar.",
        "Deploys in a row to an offline runner before people are told.";
    RECONCILE_EVERY = "LANZADOR_CONCILIACION_INTERVALO_SEG", int(10, 3600), "300",
        ("Cada cuánto se concilia", "How often runs are reconciled", Seconds),
        "Cada cuántos segundos se concilia con el Control Room.",
        "How often, in seconds, runs are reconciled with the Control Room.";
    RECONCILE_BATCH = "LANZADOR_CONCILIACION_LOTE_TAMANO", int(1, 100), "50",
        ("Despliegues por consulta", "Deployments per question"),
        "Despliegues por consulta de detalle.", "Deployments in one question.";
    MISSES = "LANZADOR_CONCILIACION_INFERENCIA_MAX_INTENTOS", int(1, 100), "5",
        ("Ausencias antes de darla por terminada", "Absences before a run counts as ended"),
        "Ausencias seguidas tras las que se da por terminada una ejecución.",
        "Absences in a row after which a run is taken for ended.";
    AGE = "LANZADOR_CONCILIACION_UNKNOWN_TOLERANCIA_DIAS", int(1, 365), "30",
        ("Abandonar una ejecución sin noticias después de", "Give up a run without news after", Days),
        "Días tras los que se abandona una ejecución sin noticias.",
        "Days after which a run without news is given up.";
    SYNC = "LANZADOR_SYNC_HABILITAR", Kind::Bool, "true",
        ("Sincronizar con el Control Room", "Sync with the Control Room"),
        "Sincroniza robots y equipos desde el Control Room.",
        "Syncs robots and runners from the Control Room.";
    SYNC_EVERY = "LANZADOR_SYNC_INTERVALO_SEG", int(60, 86_400), "3600",
        ("Cada cuánto se sincroniza", "How often it syncs", Seconds),
        "Cada cuántos segundos se sincroniza.", "How often, in seconds, it syncs.";
    SYNC_PATH = "SYNC_ROBOTS_RUTA", LINE, "\"RPA\"",
        ("Ruta de los robots", "Path of the robots"),
        "Solo se toman robots cuya ruta contiene este texto.",
        "Only robots whose path contains this text are taken.";
    SYNC_INCLUDE = "SYNC_ROBOTS_NOMBRE", LINE, "\"\"",
        ("Nombres que se toman", "Names that are taken"),
        "Expresión regular que el nombre de un robot debe cumplir; vacía: todos.",
        "Regular expression a robot's name must match; empty: all.";
    SYNC_EXCLUDE = "SYNC_ROBOTS_EXCLUIR", LINE, "\"\"",
        ("Nombres que se dejan fuera", "Names that are left out"),
        "Expresión regular que deja robots fuera; vacía: ninguno.",
        "Regular expression that leaves robots out; empty: none.";
    BALANCE_EVERY = "BALANCEADOR_CICLO_INTERVALO_SEG", int(5, 3600), "60",
        ("Cada cuánto se balancea", "How often it balances", Seconds),
        "Cada cuántos segundos se toma la demanda y se balancea.",
        "How often, in seconds, demand is sampled and balanced.";
    COOLING = "BALANCEADOR_PERIODO_ENFRIAMIENTO_SEG", int(0, 86_400), "300",
        ("Enfriamiento de un pool", "Cooling of a pool", Seconds),
        "Segundos que un pool descansa después de un cambio.",
        "Seconds a pool rests after a change.";
    ISOLATION = "BALANCEADOR_POOL_AISLAMIENTO_ESTRICTO", Kind::Bool, "true",
        ("Aislamiento estricto de los pools", "Strict isolation of pools"),
        "Estricto: los equipos de un pool solo atienden a sus robots. Flexible: los ociosos se prestan.",
        "Strict: the runners of a pool serve its robots only. Flexible: idle ones are lent.";
    PREEMPTION = "BALANCEADOR_PREEMPTION", Kind::Bool, "true",
        ("Desalojo por prioridad", "Preemption by priority"),
        "Un robot más importante toma equipos de otros menos importantes de su pool.",
        "A more important robot takes runners from less important ones of its pool.";
    RESPECT_MIN = "BALANCEADOR_PREEMPTION_RESPETA_MIN", Kind::Bool, "true",
        ("El desalojo respeta el mínimo", "Preemption respects the minimum"),
        "El desalojo no deja a un robot con tickets por debajo de su MinEquipos.",
        "Preemption leaves a robot with tickets its MinEquipos.";
    DEMAND_VALID = "BALANCEADOR_TICKETS_VIGENCIA_SEG", int(0, 86_400), "0",
        ("Vigencia de los tickets", "How long tickets count", Seconds),
        "Segundos tras los que unos tickets sin renovar pasan a ser demanda desconocida; 0: nunca.",
        "Seconds after which tickets that were not renewed become unknown demand; 0: never.";
    CLOUDERS_URL = "CLOUDERS_URL", LINE, "\"\"",
        ("Clouders: dirección", "Clouders: address"),
        "Proveedor de tickets por HTTP (Clouders); vacío: no se usa.",
        "Ticket provider over HTTP (Clouders); empty: not used.";
    CLOUDERS_AUTH = "CLOUDERS_AUTH", SECRET, "\"\"",
        ("Clouders: credencial", "Clouders: credential"),
        "Cabecera Authorization para Clouders.", "Authorization header for Clouders.";
    SQL_URL = "SQL_TICKETS_URL", SECRET, "\"\"",
        ("Tickets por SQL: base de datos", "Tickets by SQL: database"),
        "Proveedor de tickets por SQL: URL de PostgreSQL; vacío: no se usa.",
        "Ticket provider over SQL: a PostgreSQL URL; empty: not used.";
    SQL_QUERY = "SQL_TICKETS_CONSULTA", Kind::Text { max: 4000 }, "\"\"",
        ("Tickets por SQL: consulta", "Tickets by SQL: query"),
        "Consulta que devuelve robot y cantidad.", "Query that returns robot and count.";
    CALLBACK_MODE = "CALLBACK_AUTH_MODE",
        Kind::Choice(&["none", "optional", "required", "strict"]), "\"optional\"",
        ("Prueba que se exige a los avisos", "Proof asked of callbacks"; &[
            ("ninguna (none)", "none"),
            ("uno de los dos tokens (optional)", "either token (optional)"),
            ("los dos tokens (required)", "both tokens (required)"),
            ("los dos tokens (strict)", "both tokens (strict)"),
        ]),
        "Qué deben traer los avisos de fin: uno de los dos tokens, o ambos. none: nada, y solo \
         desde esta máquina.",
        "What callbacks must carry: either token, or both. none: nothing, and only from this \
         machine.";
    CALLBACK_TOKEN = "CALLBACK_TOKEN", SECRET, "\"\"",
        ("Token de los avisos", "Token of callbacks"),
        "Token estático de los avisos (X-Authorization). Vacío: uno propio de esta instalación.",
        "Static token of callbacks (X-Authorization). Empty: one of this installation's own.";
    JWT_KEY = "JWT_CLAVE_PUBLICA", Kind::Text { max: 8000 }, "\"\"",
        ("Clave pública del JWT", "Public key of the JWT"),
        "Clave pública PEM (RS256 o ES256) con que se verifica el JWT de los avisos.",
        "PEM public key (RS256 or ES256) that verifies the JWT of callbacks.";
    JWT_AUDIENCE = "JWT_AUDIENCE", LINE, "\"sam-callback-service\"",
        ("Audiencia del JWT", "Audience of the JWT"),
        "Audiencia del JWT.", "Audience of the JWT.";
    JWT_ISSUER = "JWT_ISSUER", LINE, "\"sam-auth-server\"",
        ("Emisor del JWT", "Issuer of the JWT"),
        "Emisor del JWT.", "Issuer of the JWT.";
    GATEWAY_URL = "APIGW_URL", LINE, "\"\"",
        ("Gateway: dirección", "Gateway: address"),
        "Dónde se pide el token del gateway que acompaña a cada despliegue; vacía: lo agrega el gateway.",
        "Where the gateway's token is fetched that goes along with every deploy; empty: the gateway adds it.";
    GATEWAY_ID = "APIGW_CLIENT_ID", LINE, "\"\"",
        ("Gateway: cliente", "Gateway: client"),
        "Cliente ante el gateway.", "Client at the gateway.";
    GATEWAY_SECRET = "APIGW_CLIENT_SECRET", SECRET, "\"\"",
        ("Gateway: secreto", "Gateway: secret"),
        "Secreto de ese cliente.", "That client's secret.";
    GATEWAY_SCOPE = "APIGW_SCOPE", LINE, "\"scope1\"",
        ("Gateway: alcance", "Gateway: scope"),
        "Alcance que se pide al gateway.", "Scope asked of the gateway.";
    URL = "A360_URL", LINE, "\"\"",
        ("Dirección del Control Room", "Address of the Control Room"),
        "Dirección del Control Room; vacía: no se lanza nada.",
        "Address of the Control Room; empty: nothing is launched.";
    USER = "A360_USUARIO", LINE, "\"\"",
        ("Usuario", "User"),
        "Usuario del Control Room.", "User of the Control Room.";
    API_KEY = "A360_API_KEY", SECRET, "\"\"",
        ("Clave de API", "API key"),
        "Clave de API del Control Room; se prefiere a la contraseña.",
        "API key of the Control Room; preferred over the password.";
    PASSWORD = "A360_PASSWORD", SECRET, "\"\"",
        ("Contraseña", "Password"),
        "Contraseña del Control Room.", "Password of the Control Room.";
    TIMEOUT = "A360_TIMEOUT_SEG", int(1, 200), "20",
        ("Espera de una respuesta", "Wait for an answer", Seconds),
        "Segundos que se espera una respuesta del Control Room.",
        "Seconds an answer of the Control Room is waited for.";
    CALLBACK_URL = "A360_CALLBACK_URL", LINE, "\"\"",
        ("Dirección de los avisos de fin", "Address for callbacks"),
        "Dirección de los avisos de fin; vacía: la de este servidor.",
        "Address for callbacks; empty: this server's.";
    HISTORY = "SAM_HISTORIA_DIAS", int(1, 3650), "180",
        ("Guardar ejecuciones terminadas", "Keep ended runs", Days),
        "Días que se guardan las ejecuciones terminadas.", "Days that ended runs are kept.";
}

/// The page of settings, in the order in which somebody sets SAM up.
pub const SECTIONS: &[Section] = &[
    Section::new(("Control Room", "Control Room"), &["A360_"]),
    Section::new(("Avisos de fin", "Callbacks"), &["CALLBACK_", "JWT_"]),
    Section::new(("Gateway", "Gateway"), &["APIGW_"]),
    Section::new(("Conciliador", "Reconciler"), &["LANZADOR_CONCILIACION_"]),
    Section::new(("Sincronización", "Sync"), &["LANZADOR_SYNC_", "SYNC_"]),
    Section::new(("Lanzador", "Launcher"), &["LANZADOR_"]),
    Section::new(("Balanceador", "Balancer"), &["BALANCEADOR_"]),
    Section::new(("Proveedores de tickets", "Ticket providers"), &["CLOUDERS_", "SQL_"]),
];

/// The original's other names for the same keys.
pub const OTHER_NAMES: &[(&str, &str)] = &[
    ("LANZADOR_PAUSA_INICIO_HHMM", PAUSE_FROM),
    ("LANZADOR_PAUSA_FIN_HHMM", PAUSE_TO),
    ("LANZADOR_INTERVALO_LANZAMIENTO_SEG", LAUNCH_EVERY),
    ("LANZADOR_MAX_WORKERS", WORKERS),
    ("LANZADOR_MAX_REINTENTOS_DEPLOY", DEPLOY_ATTEMPTS),
    ("LANZADOR_REPETICIONES_ROBOT", REPETITIONS),
    ("LANZADOR_BOT_INPUT_VUELTAS", REPETITIONS),
    ("LANZADOR_INTERVALO_CONCILIACION_SEG", RECONCILE_EVERY),
    ("LANZADOR_HABILITAR_SINCRONIZACION", SYNC),
    ("BALANCEADOR_POOL_ENFRIAMIENTO_SEG", COOLING),
    ("BALANCEADOR_PERIODO_ENFRIAMIENTO", COOLING),
    ("BALANCEADOR_COOLING_PERIOD", COOLING),
    ("BALANCEADOR_POOL_COOLDOWN", COOLING),
    ("BALANCEADOR_PREEMPTION_HABILITAR", PREEMPTION),
    ("BALANCEO_PREEMPTION_MODE", PREEMPTION),
    ("CALLBACK_AUTH_MODO", CALLBACK_MODE),
    ("AA_URL", URL),
    ("AA_USUARIO", USER),
    ("AA_API_KEY", API_KEY),
    ("AA_PASSWORD", PASSWORD),
    ("AA_API_TIMEOUT_SEG", TIMEOUT),
    ("AA_CALLBACK_URL", CALLBACK_URL),
];

/// A key by any of its names.
pub fn known_as(key: &str) -> &str {
    OTHER_NAMES.iter().find(|(other, _)| *other == key).map_or(key, |(_, name)| name)
}

pub async fn load(settings: &Settings, zone: &TimeZone, tx: &mut Tx) -> Result<Policy, Error> {
    from_values(&settings.load(tx, crate::NAME).await?, zone)
}

pub fn from_values(values: &Values, zone: &TimeZone) -> Result<Policy, Error> {
    let seconds = |key: &str| Ok::<_, Error>(SignedDuration::from_secs(values.int(key)?));
    let days = |key: &str| Ok::<_, Error>(SignedDuration::from_hours(24 * values.int(key)?));
    let preemption = match (values.bool(PREEMPTION)?, values.bool(RESPECT_MIN)?) {
        (false, _) => Preemption::Off,
        (true, true) => Preemption::DownToMin,
        (true, false) => Preemption::DownToNone,
    };
    let strict = values.bool(ISOLATION)?;
    Ok(Policy {
        zone: zone.clone(),
        pause: PauseWindow {
            from: values.time_of_day(PAUSE_FROM)?,
            to: values.time_of_day(PAUSE_TO)?,
        },
        launch_every: seconds(LAUNCH_EVERY)?,
        deploy_attempts: values.int(DEPLOY_ATTEMPTS)?,
        deploy_delay: seconds(DEPLOY_DELAY)?,
        start_limit: seconds(START_LIMIT)?,
        repetitions: values.int(REPETITIONS)?,
        offline_alert: values.int(OFFLINE_ALERT)?,
        cooling: seconds(COOLING)?,
        isolation: if strict { Isolation::Strict } else { Isolation::Flexible },
        preemption,
        misses_allowed: values.int(MISSES)?,
        age_limit: days(AGE)?,
        demand_valid: Some(seconds(DEMAND_VALID)?).filter(SignedDuration::is_positive),
        history: days(HISTORY)?,
    })
}

/// How callbacks prove who they are.
#[derive(Debug, Clone)]
pub struct CallbackDoor {
    pub mode: CallbackAuth,
    pub token: String,
    pub key: String,
    pub audience: String,
    pub issuer: String,
    /// Whether anybody said how callbacks prove themselves. Until then whoever acts as ADMIN by
    /// open access may say that a run is over, too.
    pub chosen: bool,
}

pub fn callback_door(values: &Values, vault: &Vault) -> Result<CallbackDoor, Error> {
    let text = |key: &str| Ok::<_, Error>(values.text(key)?.to_owned());
    let mode = CallbackAuth::read(values.text(CALLBACK_MODE)?);
    let said = |key: &&str| values.get(key).is_some_and(|one| one.origin != Origin::Default);
    Ok(CallbackDoor {
        mode: mode.ok_or_else(|| Error::corrupt(CALLBACK_MODE))?,
        token: callback_token(values, vault)?,
        key: text(JWT_KEY)?,
        audience: text(JWT_AUDIENCE)?,
        issuer: text(JWT_ISSUER)?,
        chosen: [CALLBACK_MODE, CALLBACK_TOKEN, JWT_KEY].iter().any(said),
    })
}

/// The static token that goes along with every deploy and is expected back: the one that was set, or
/// one that follows from the key made at the first start. Nobody has to keep that one, and every
/// process that shares the key knows it.
pub fn callback_token(values: &Values, vault: &Vault) -> Result<String, Error> {
    Ok(match values.text(CALLBACK_TOKEN)?.trim() {
        "" => vault.sign("sam: the static token of callbacks"),
        set => set.to_owned(),
    })
}

/// `required` asks for two proofs. The static token is always there; without the key that the other is
/// compared with every callback would be refused.
pub fn contradiction(values: &Values) -> Option<(String, String)> {
    let required = CallbackAuth::read(values.text(CALLBACK_MODE).ok()?)? == CallbackAuth::Required;
    (required && values.text(JWT_KEY).ok()?.trim().is_empty()).then(|| {
        (
            format!("{CALLBACK_MODE} = required exige los dos tokens y falta {JWT_KEY}."),
            format!("{CALLBACK_MODE} = required asks for both tokens and {JWT_KEY} is not set."),
        )
    })
}

/// Whether a Control Room can be asked at all.
pub fn is_configured(values: &Values) -> Result<bool, Error> {
    let set = |key: &str| Ok::<_, Error>(!values.text(key)?.trim().is_empty());
    Ok(set(URL)? && set(USER)? && (set(API_KEY)? || set(PASSWORD)?))
}
