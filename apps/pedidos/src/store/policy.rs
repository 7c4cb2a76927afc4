//! The published settings and how they become a [`Policy`].

use db::{
    Error, Tx,
    settings::{Kind, Setting, Settings, Values},
};
use engine::Word as _;
use host::Section;
use jiff::tz::TimeZone;
use serde_json::Value as Json;

use crate::rules::slip::SlipLang;

use crate::policy::{
    AGEING_MINUTES, BASE_MINUTES, Bounds, CAPACITY_CEILING, ESTIMATE_FLOOR, Policy, PriorityPolicy,
    REMINDER_MINUTES, STAFF, STALE_HOURS, TICK_SECONDS, Unit,
};

pub const CAPACITY: &str = "MAX_PEDIDOS_EN_PREPARACION";
pub const CEILING: &str = "capacidad_tope";
pub const UNIT: &str = "unidad_capacidad";
pub const PRIORITY: &str = "politica_prioridad";
pub const AGEING: &str = "envejecimiento_minutos";
pub const CUTOFF: &str = "corte_jornada";
pub const STALE: &str = "horas_vencido";
pub const TICK: &str = "worker_interval_segundos";
pub const REMINDER: &str = "recordatorio_atrasos_minutos";
pub const FLOOR: &str = "piso_estimacion_minutos";
pub const BASE: &str = "TIEMPO_BASE_PEDIDO_MINUTOS";
pub const STAFFED: &str = "personal_en_cocina";
pub const AUTOMATION: &str = "AUTO_MOVER_PEDIDOS";
pub const LEARNING: &str = "aprendizaje_aplicado";
pub const ADAPTIVE: &str = "capacidad_adaptativa_aplicada";

pub const PRINTER: &str = "impresora_comandas";
pub const PRINTER_COLUMNS: &str = "impresora_columnas";
pub const PRINTER_LANG: &str = "impresora_idioma";
pub const PRINTING: &str = "imprimir_comandas";

const fn int(bounds: Bounds) -> Kind {
    Kind::Int { min: bounds.least, max: bounds.most }
}

const fn setting(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    es: &'static str,
    en: &'static str,
) -> Setting {
    Setting::new(crate::NAME, key, kind, default, (es, en))
}

pub const SETTINGS: &[Setting] = &[
    setting(
        CAPACITY,
        Kind::IntUpTo { min: 1, ceiling: CEILING },
        "8",
        "Cuántos pedidos (o puntos de esfuerzo) caben a la vez en la cocina.",
        "How many orders (or effort points) fit in the kitchen at once.",
    )
    .called("Capacidad de la cocina", "Kitchen capacity"),
    setting(
        CEILING,
        int(CAPACITY_CEILING),
        "20",
        "El valor más alto que se acepta como capacidad.",
        "The highest value accepted as capacity.",
    )
    .called("Tope de la capacidad", "Ceiling of the capacity"),
    setting(
        UNIT,
        Kind::Choice(&["pedidos", "esfuerzo"]),
        "\"pedidos\"",
        "Qué ocupa un lugar: cada pedido uno, o cada pedido sus puntos de esfuerzo.",
        "What takes a place: one per order, or as many as its effort points.",
    )
    .called("Qué ocupa un lugar", "What takes a place")
    .titled(&[("cada pedido", "each order"), ("sus puntos de esfuerzo", "its effort points")]),
    setting(
        PRIORITY,
        Kind::Choice(&["estricta", "promesa"]),
        "\"estricta\"",
        "Estricta: lo inmediato siempre antes que lo programado. Promesa: un pedido programado \
         cuya hora llegó compite con lo inmediato.",
        "Strict: wanted now always before scheduled. Promise: a scheduled order whose time has \
         come competes with what is wanted now.",
    )
    .called("Quién pasa primero", "Who goes first")
    .titled(&[("estricta", "strict"), ("promesa", "promise")]),
    setting(
        AGEING,
        int(AGEING_MINUTES),
        "15",
        "Con la política «promesa»: minutos que un pedido inmediato puede ceder el paso.",
        "Under the promise policy: minutes an order wanted now may be passed over.",
    )
    .called("Espera máxima de lo inmediato", "Longest wait of what is wanted now")
    .counted_in(db::settings::Unit::Minutes),
    setting(
        CUTOFF,
        Kind::TimeOfDay,
        "\"04:00\"",
        "Hora local en que termina una jornada y empieza la siguiente.",
        "Local time at which one business day ends and the next begins.",
    )
    .called("Fin de la jornada", "End of the business day"),
    setting(
        STALE,
        int(STALE_HOURS),
        "6",
        "Horas tras las que un pedido en preparación de otra jornada deja de ocupar lugar.",
        "Hours after which an order of another day in preparation stops taking a place.",
    )
    .called("Pedido de otra jornada: libera su lugar después de", "Order of another day: its place is free after")
    .counted_in(db::settings::Unit::Hours),
    setting(
        TICK,
        int(TICK_SECONDS),
        "30",
        "Cada cuántos segundos se evalúa la cola como red de seguridad.",
        "How often, in seconds, the queue is evaluated as a safety net.",
    )
    .called("Revisión periódica de la cola", "Periodic check of the queue")
    .counted_in(db::settings::Unit::Seconds),
    setting(
        REMINDER,
        int(REMINDER_MINUTES),
        "5",
        "Cada cuántos minutos se recuerdan los atrasos que siguen.",
        "How often, in minutes, orders that are still late are announced again.",
    )
    .called("Recordatorio de atrasos", "Reminder of late orders")
    .counted_in(db::settings::Unit::Minutes),
    setting(
        FLOOR,
        int(ESTIMATE_FLOOR),
        "10",
        "Minutos mínimos de una estimación.",
        "The least minutes of an estimate.",
    )
    .called("Estimación mínima", "Least estimate")
    .counted_in(db::settings::Unit::Minutes),
    setting(
        BASE,
        int(BASE_MINUTES),
        "15",
        "Tiempo base con el que se compara lo aprendido.",
        "Base time that what was learned is compared with.",
    )
    .called("Tiempo base de un pedido", "Base time of an order")
    .counted_in(db::settings::Unit::Minutes),
    setting(
        STAFFED,
        Kind::Int { min: 0, max: STAFF.most },
        "0",
        "Personas en la cocina ahora; 0 si no se informa. Las reglas de capacidad la usan.",
        "People in the kitchen now; 0 when not told. Capacity rules use it.",
    )
    .called("Personas en la cocina", "People in the kitchen"),
    setting(
        AUTOMATION,
        Kind::Bool,
        "true",
        "Si es falso, ningún pedido entra solo a la cocina.",
        "When false, no order enters the kitchen by itself.",
    )
    .called("Los pedidos entran solos a la cocina", "Orders enter the kitchen by themselves"),
    setting(
        LEARNING,
        Kind::Bool,
        "false",
        "Corrige las estimaciones con los tiempos aprendidos.",
        "Corrects estimates with the times learned.",
    )
    .called("Usar los tiempos aprendidos", "Use the times learned"),
    setting(
        ADAPTIVE,
        Kind::Bool,
        "false",
        "Aplica la capacidad sugerida, dentro del tope.",
        "Applies the suggested capacity, within the ceiling.",
    )
    .called("Usar la capacidad sugerida", "Use the suggested capacity"),
    setting(
        PRINTER,
        Kind::Text { max: 100 },
        "\"\"",
        "Dirección de la impresora de cocina (ESC/POS), como 192.168.0.50:9100; vacía si no hay.",
        "Address of the kitchen's printer (ESC/POS), such as 192.168.0.50:9100; empty without one.",
    )
    .called("Impresora de comandas", "Ticket printer"),
    setting(
        PRINTER_COLUMNS,
        Kind::Int { min: 16, max: 80 },
        "32",
        "Letras por línea del papel: 32 en 58 mm, 48 en 80 mm.",
        "Letters on a line of its paper: 32 on 58 mm, 48 on 80 mm.",
    )
    .called("Letras por línea", "Letters on a line"),
    setting(
        PRINTER_LANG,
        Kind::Choice(&["es", "en"]),
        "\"es\"",
        "Idioma de lo que se imprime.",
        "Language of what is printed.",
    )
    .called("Idioma de lo impreso", "Language on paper")
    .titled(&[("español", "Spanish"), ("inglés", "English")]),
    setting(
        PRINTING,
        Kind::Choice(&["a_mano", "al_entrar"]),
        "\"a_mano\"",
        "Cuándo se imprime una comanda: a mano, o sola al entrar a la cocina y al cambiar.",
        "When a ticket is printed: by hand, or by itself when it enters the kitchen and when it changes.",
    )
    .called("Cuándo se imprime", "When it prints")
    .titled(&[("a pedido", "when asked"), ("al entrar a la cocina", "when it enters the kitchen")]),
];

/// The page of settings, by subject.
pub const SECTIONS: &[Section] = &[
    Section::new(("Capacidad", "Capacity"), &[CAPACITY, CEILING, UNIT, STAFFED, ADAPTIVE]),
    Section::new(("Orden de la cola", "Order of the queue"), &[PRIORITY, AGEING, AUTOMATION, TICK]),
    Section::new(("Tiempos", "Times"), &[FLOOR, BASE, LEARNING, REMINDER]),
    Section::new(("Jornada", "Business day"), &[CUTOFF, STALE]),
    Section::new(("Impresora", "Printer"), &["impresora_", PRINTING]),
];

pub async fn current(context: &host::Context) -> Result<Policy, Error> {
    load(&context.settings, &context.zone, &mut context.store.read().await?).await
}

pub async fn load(settings: &Settings, zone: &TimeZone, tx: &mut Tx) -> Result<Policy, Error> {
    from_values(&settings.load(tx, crate::NAME).await?, zone)
}

fn from_values(values: &Values, zone: &TimeZone) -> Result<Policy, Error> {
    let positive = |key: &str| -> Result<u32, Error> {
        u32::try_from(values.int(key)?).map_err(|_| Error::corrupt(key))
    };
    let staff = positive(STAFFED)?;
    Ok(Policy {
        capacity: positive(CAPACITY)?,
        capacity_ceiling: positive(CEILING)?,
        unit: Unit::from_word(values.text(UNIT)?).ok_or_else(|| Error::corrupt(UNIT))?,
        priority: PriorityPolicy::from_word(values.text(PRIORITY)?)
            .ok_or_else(|| Error::corrupt(PRIORITY))?,
        ageing_minutes: values.int(AGEING)?,
        cutoff: values.time_of_day(CUTOFF)?,
        zone: zone.clone(),
        stale_hours: values.int(STALE)?,
        tick_seconds: values.int(TICK)?,
        reminder_minutes: values.int(REMINDER)?,
        estimate_floor: values.int(FLOOR)?,
        base_minutes: values.int(BASE)?,
        staff: (staff > 0).then_some(staff),
        automation: values.bool(AUTOMATION)?,
        apply_learning: values.bool(LEARNING)?,
        apply_adaptive: values.bool(ADAPTIVE)?,
    })
}

/// The kitchen's printer as it is set now.
#[derive(Clone, Debug)]
pub struct Printer {
    /// With its port; none when there is no printer.
    pub address: Option<String>,
    pub columns: usize,
    pub lang: SlipLang,
    /// Tickets are printed as they enter the kitchen.
    pub by_itself: bool,
}

/// The port such printers listen on.
const RAW_PORT: u16 = 9100;

pub async fn printer(settings: &Settings, tx: &mut Tx) -> Result<Printer, Error> {
    let values = settings.load(tx, crate::NAME).await?;
    let address = values.text(PRINTER)?.trim();
    Ok(Printer {
        address: with_port(address),
        columns: usize::try_from(values.int(PRINTER_COLUMNS)?).unwrap_or(32),
        lang: SlipLang::from_word(values.text(PRINTER_LANG)?)
            .ok_or_else(|| Error::corrupt(PRINTER_LANG))?,
        by_itself: values.text(PRINTING)? == "al_entrar",
    })
}

/// `host:port` of an address with or without a port; none of what is none.
fn with_port(address: &str) -> Option<String> {
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.starts_with('[') => {
            (host, port.parse::<u16>().ok().filter(|port| *port > 0)?)
        }
        Some(_) => return None,
        None => (address, RAW_PORT),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._[]:".contains(c);
    (!host.is_empty() && host.chars().all(plain)).then(|| format!("{host}:{port}"))
}

/// Values of the right kind that mean nothing.
pub fn senseless(key: &str, value: &Json) -> Option<(String, String)> {
    let address = value.as_str().filter(|_| key == PRINTER)?.trim();
    (!address.is_empty() && with_port(address).is_none()).then(|| {
        (
            "debe ser una dirección con su puerto, como 192.168.0.50:9100".to_owned(),
            "must be an address with its port, such as 192.168.0.50:9100".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printer_has_an_address_and_a_port() {
        let cases = [
            ("192.168.0.50", Some("192.168.0.50:9100")),
            ("cocina:9101", Some("cocina:9101")),
            ("[fe80::1]:9100", Some("[fe80::1]:9100")),
            ("", None),
            (":9100", None),
            ("cocina:", None),
            ("cocina:0", None),
            ("fe80::1", None),
            ("una impresora", None),
            ("http://x/", None),
        ];
        for (given, address) in cases {
            assert_eq!(with_port(given).as_deref(), address, "{given}");
        }
        assert!(senseless(PRINTER, &Json::from("una impresora")).is_some());
        assert!(senseless(PRINTER, &Json::from("")).is_none());
    }
}
