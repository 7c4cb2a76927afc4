//! What a run brought, in words: its summary speaks the contract's.

use std::collections::BTreeMap;

use engine::Word as _;
use serde_json::{Map, Value as Json};
use web::Page;

use super::words;
use crate::{
    model::Ending,
    rules::unit::{self, Scale},
};

/// The contract's names in the order in which they are read, with what they mean.
const NAMES: &[(&str, &str, &str)] = &[
    ("espacio", "Qué se leyó", "What was read"),
    ("total_found", "ONU encontradas", "ONUs found"),
    ("enabled_count", "Activas", "Active"),
    ("disabled_count", "Inactivas", "Inactive"),
    ("new_index_created", "Nuevas", "New"),
    ("reappeared", "Volvieron", "Came back"),
    ("gone", "Se fueron", "Gone"),
    ("presentes", "Presentes", "Present"),
    ("faltan", "Faltan", "Missing"),
    ("formula", "Índices leídos como", "Indexes read as"),
    ("index_not_understood", "Índices sin entender", "Indexes not understood"),
    ("total_onus", "ONU preguntadas", "ONUs asked"),
    ("success_onus", "Respondieron", "Answered"),
    ("changed", "Cambiaron", "Changed"),
    ("absent_onus", "No tienen ese dato", "Have no such value"),
    ("error_onus", "Con error", "With an error"),
    ("errors", "Errores", "Errors"),
    ("mean_value", "Media", "Mean"),
    ("least_value", "Mínimo", "Least"),
    ("most_value", "Máximo", "Most"),
];
/// Said by the run's state.
const SAID: &str = "walk_successful";

/// Name and value of each thing; `unit` is that of the values.
pub(super) fn told(
    page: &Page,
    summary: &Map<String, Json>,
    unit: Option<&str>,
) -> Vec<(String, String)> {
    let scale = unit.and_then(unit::scale);
    let known = NAMES.iter().filter_map(|(name, es, en)| {
        let text = value(page, name, summary.get(*name)?, scale.as_ref())?;
        Some((page.t(es, en).to_owned(), text))
    });
    let strange = |name: &str| name != SAID && NAMES.iter().all(|(known, ..)| *known != name);
    let others = summary.iter().filter(|(name, _)| strange(name)).map(|(name, said)| {
        let text = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
        (name.replace('_', " "), text)
    });
    known.chain(others).collect()
}

/// A value as people write it; none where there is nothing to say.
fn value(page: &Page, name: &str, said: &Json, scale: Option<&Scale>) -> Option<String> {
    match (name, said) {
        (_, Json::Null | Json::Bool(false)) => None,
        (_, Json::Bool(true)) => Some(page.t("sí", "yes").to_owned()),
        ("espacio", Json::String(word)) => Some(words::space(page, word)),
        ("least_value" | "mean_value" | "most_value", Json::Number(number)) => {
            let number = number.as_f64()?;
            Some(match scale {
                Some(scale) => {
                    let measured = page.decimal(scale.measured(number), scale.decimals);
                    format!("{measured} {}", scale.unit)
                }
                None => page.decimal(number, usize::from(number.fract() != 0.0)),
            })
        }
        (_, Json::Number(number)) => Some(page.number(number.as_i64()?)),
        ("errors", Json::Array(list)) => errors(page, list),
        (_, Json::String(text)) => Some(text.clone()),
        (_, other) => Some(other.to_string()),
    }
}

/// How often each kind of error came.
fn errors(page: &Page, list: &[Json]) -> Option<String> {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for one in list {
        *counted.entry(one["reason"].as_str().unwrap_or_default()).or_default() += 1;
    }
    let told = |(word, times): (&str, usize)| {
        let sentence = Ending::from_word(word).map(Ending::sentence);
        let text = sentence.map_or(word, |(es, en)| page.t(es, en));
        format!("{times} × {text}")
    };
    let all: Vec<_> = counted.into_iter().map(told).collect();
    (!all.is_empty()).then(|| all.join(" · "))
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, tz::TimeZone};
    use serde_json::json;
    use web::{Lang, Theme};

    use super::*;

    #[test]
    fn what_a_run_brought_is_told_in_the_readers_words() {
        let read = json!({
            "total_onus": 48, "success_onus": 47, "changed": 0, "absent_onus": 0, "error_onus": 1,
            "errors": [{ "onu_id": 3, "reason": "TIMEOUT" }], "espacio": "lectura",
            "least_value": -2737.0, "mean_value": -2096.4, "most_value": -1551.0,
        });
        let walked = json!({ "walk_successful": true, "total_found": 1234,
                             "index_not_understood": false, "formula": "huawei" });
        for (lang, first, mean) in [
            (Lang::Es, "Lectura con su hora", "-20,96 dBm"),
            (Lang::En, "Reading with its time", "-20.96 dBm"),
        ] {
            let page = Page::new(lang, Theme::Light, Timestamp::UNIX_EPOCH, TimeZone::UTC);
            let lines = told(&page, read.as_object().unwrap(), Some("0.01 dBm"));
            assert_eq!(lines[0].1, first);
            let mean = lines.iter().find(|(_, value)| value.replace('−', "-") == mean);
            assert!(mean.is_some(), "{lines:?}");
            let text = format!("{lines:?}{:?}", told(&page, walked.as_object().unwrap(), None));
            for code in ["_", "onus\"", "espacio", "TIMEOUT", "true", "false", "null"] {
                assert!(!text.contains(code), "{code}: {text}");
            }
        }
    }
}
