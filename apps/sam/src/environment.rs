//! The original's environment: which variable sets what, and which mean nothing here.

use crate::store::policy as key;

/// Environment variables and the settings they set, by our names and by the original's.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("A360_URL", key::URL),
    ("A360_USUARIO", key::USER),
    ("A360_API_KEY", key::API_KEY),
    ("A360_PASSWORD", key::PASSWORD),
    ("A360_CALLBACK_URL", key::CALLBACK_URL),
    ("A360_TIMEOUT_SEG", key::TIMEOUT),
    ("AA_URL", key::URL),
    ("AA_USUARIO", key::USER),
    ("AA_API_KEY", key::API_KEY),
    ("AA_PASSWORD", key::PASSWORD),
    ("AA_CALLBACK_URL", key::CALLBACK_URL),
    ("AA_API_TIMEOUT_SEG", key::TIMEOUT),
    ("CALLBACK_AUTH_MODE", key::CALLBACK_MODE),
    ("CALLBACK_AUTH_MODO", key::CALLBACK_MODE),
    ("CALLBACK_TOKEN", key::CALLBACK_TOKEN),
    ("JWT_CLAVE_PUBLICA", key::JWT_KEY),
    ("JWT_AUDIENCE", key::JWT_AUDIENCE),
    ("JWT_ISSUER", key::JWT_ISSUER),
    ("LANZADOR_PAUSA_INICIO", key::PAUSE_FROM),
    ("LANZADOR_PAUSA_INICIO_HHMM", key::PAUSE_FROM),
    ("LANZADOR_PAUSA_FIN", key::PAUSE_TO),
    ("LANZADOR_PAUSA_FIN_HHMM", key::PAUSE_TO),
    ("LANZADOR_CICLO_INTERVALO_SEG", key::LAUNCH_EVERY),
    ("LANZADOR_INTERVALO_LANZAMIENTO_SEG", key::LAUNCH_EVERY),
    ("LANZADOR_WORKERS_MAX", key::WORKERS),
    ("LANZADOR_MAX_WORKERS", key::WORKERS),
    ("LANZADOR_DEPLOY_REINTENTOS_MAX", key::DEPLOY_ATTEMPTS),
    ("LANZADOR_MAX_REINTENTOS_DEPLOY", key::DEPLOY_ATTEMPTS),
    ("LANZADOR_DEPLOY_REINTENTO_DELAY_SEG", key::DEPLOY_DELAY),
    ("LANZADOR_INICIO_MAX_SEG", key::START_LIMIT),
    ("LANZADOR_ROBOT_REPETICIONES", key::REPETITIONS),
    ("LANZADOR_REPETICIONES_ROBOT", key::REPETITIONS),
    ("LANZADOR_BOT_INPUT_VUELTAS", key::REPETITIONS),
    ("LANZADOR_ALERTAS_ERROR_412_UMBRAL", key::OFFLINE_ALERT),
    ("LANZADOR_CONCILIACION_INTERVALO_SEG", key::RECONCILE_EVERY),
    ("LANZADOR_INTERVALO_CONCILIACION_SEG", key::RECONCILE_EVERY),
    ("LANZADOR_CONCILIACION_LOTE_TAMANO", key::RECONCILE_BATCH),
    ("LANZADOR_CONCILIACION_INFERENCIA_MAX_INTENTOS", key::MISSES),
    ("LANZADOR_CONCILIACION_UNKNOWN_TOLERANCIA_DIAS", key::AGE),
    ("LANZADOR_SYNC_HABILITAR", key::SYNC),
    ("LANZADOR_HABILITAR_SINCRONIZACION", key::SYNC),
    ("LANZADOR_SYNC_INTERVALO_SEG", key::SYNC_EVERY),
    ("BALANCEADOR_CICLO_INTERVALO_SEG", key::BALANCE_EVERY),
    ("BALANCEADOR_PERIODO_ENFRIAMIENTO_SEG", key::COOLING),
    ("BALANCEADOR_POOL_ENFRIAMIENTO_SEG", key::COOLING),
    ("BALANCEADOR_PERIODO_ENFRIAMIENTO", key::COOLING),
    ("BALANCEADOR_COOLING_PERIOD", key::COOLING),
    ("BALANCEADOR_POOL_COOLDOWN", key::COOLING),
    ("BALANCEADOR_POOL_AISLAMIENTO_ESTRICTO", key::ISOLATION),
    ("BALANCEADOR_PREEMPTION", key::PREEMPTION),
    ("BALANCEADOR_PREEMPTION_HABILITAR", key::PREEMPTION),
    ("BALANCEO_PREEMPTION_MODE", key::PREEMPTION),
    ("BALANCEADOR_PREEMPTION_RESPETA_MIN", key::RESPECT_MIN),
    ("BALANCEADOR_TICKETS_VIGENCIA_SEG", key::DEMAND_VALID),
    ("APIGW_URL", key::GATEWAY_URL),
    ("APIGW_CLIENT_ID", key::GATEWAY_ID),
    ("APIGW_CLIENT_SECRET", key::GATEWAY_SECRET),
    ("APIGW_SCOPE", key::GATEWAY_SCOPE),
    ("CLOUDERS_URL", key::CLOUDERS_URL),
    ("CLOUDERS_AUTH", key::CLOUDERS_AUTH),
];

/// Variables of the original that mean nothing here, and what to do instead. Passed over in silence they
/// would be taken for set.
pub(crate) const RETIRED: &[(&str, &str)] = &[
    ("AA_SSL_VERIFICAR", "certificates are always verified: trust yours with SSL_CERT_FILE"),
    ("APIGW_GRANT_TYPE", "client credentials are what is used"),
    ("APIGW_TIMEOUT_SEG", "ten seconds are waited"),
    ("APIGW_TOKEN_BUFFER_SEG", "a token is renewed at half its life"),
    ("BALANCEADOR_CARGA_PROVEEDORES", "a ticket provider is used when its address is set"),
    ("BALANCEADOR_TICKETS_DEFAULT_POR_EQUIPO", "set it in each robot"),
    ("CALLBACK_ENDPOINT", "callbacks are heard at /api/callback"),
    ("CALLBACK_HOST", "set TURNO_LISTEN"),
    ("CALLBACK_PUERTO", "set SAM_CALLBACK_PORT"),
    ("LANZADOR_CONCILIACION_INFERENCIA_MENSAJE", "each run says how it was concluded"),
    ("LANZADOR_ROBOT_PARAMETROS_JSON", "set the parameters in each robot"),
    ("LANZADOR_SHUTDOWN_TIMEOUT_SEG", "nothing is lost when the process stops"),
    ("ROBOTS_MAPA_JSON", "enter mappings at /sam/mapeos"),
    ("MAPA_ROBOTS", "enter mappings at /sam/mapeos"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::store::policy::{OTHER_NAMES, SETTINGS};

    #[test]
    fn every_name_of_the_original_is_honoured_or_refused() {
        let known: HashSet<&str> = ALIASES.iter().map(|(variable, _)| *variable).collect();
        assert_eq!(known.len(), ALIASES.len(), "each once");
        for (variable, key) in ALIASES {
            assert!(SETTINGS.iter().any(|one| one.key == *key), "{variable} sets {key}");
        }
        for (other, key) in OTHER_NAMES {
            assert!(ALIASES.contains(&(*other, *key)), "{other}");
        }
        let ours = ["LANZADOR_", "BALANCEADOR_", "CALLBACK_", "A360_", "JWT_"];
        for setting in SETTINGS.iter().filter(|one| ours.iter().any(|of| one.key.starts_with(of))) {
            assert!(known.contains(setting.key), "{}", setting.key);
        }
        for (variable, _) in RETIRED {
            assert!(!known.contains(variable), "{variable}");
        }
    }
}
