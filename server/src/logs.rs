//! Log lines: text on a terminal; elsewhere one JSON object per line with `timestamp`, `level`,
//! `component`, `event`, and whatever else was said, such as `elapsed_s` and `request_id`.

use std::fmt::{self, Debug};
use std::io::IsTerminal as _;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::config::{LogConfig, LogFormat};

/// Sends what is logged from here on to standard error.
pub(crate) fn start(config: &LogConfig) {
    let terminal = std::io::stderr().is_terminal();
    let json = match config.format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let filter = EnvFilter::new(&config.level);
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if json {
        let component = std::env::var("DOCPROC_COMPONENT_NAME").ok();
        let component = component.filter(|name| !name.is_empty());
        lines.event_format(JsonLine { component }).init();
    } else {
        let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        lines.with_ansi(colour).compact().init();
    }
}

/// A process that is one component of several says so in every line (§9.1).
struct JsonLine {
    component: Option<String>,
}

impl<S, N> FormatEvent<S, N> for JsonLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut said = Fields::default();
        event.record(&mut said);
        let component = self.component.as_deref().unwrap_or(event.metadata().target());
        writeln!(writer, "{}", line(Timestamp::now(), *event.metadata().level(), component, said))
    }
}

fn line(now: Timestamp, level: Level, target: &str, said: Fields) -> Value {
    let component = target.split("::").next().unwrap_or(target);
    let mut line = Map::new();
    line.insert("timestamp".into(), json!(format!("{now:.6}")));
    line.insert("level".into(), word(level).into());
    line.insert("component".into(), component.into());
    line.extend(said.0);
    line.into()
}

/// The words of the seed.
fn word(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warning",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}

/// The fields of one event; its sentence is `event`.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        self.put_named(field.name(), value);
    }

    fn put_named(&mut self, name: &str, value: Value) {
        let name = match name {
            "message" => "event",
            name => name,
        };
        // `sla.deadline` is `deadline` in the section `sla` (§9.1).
        let Some((section, name)) = name.split_once('.') else {
            self.0.insert(name.to_owned(), value);
            return;
        };
        let section = self.0.entry(section).or_insert_with(|| Map::new().into());
        if let Value::Object(section) = section {
            section.insert(name.to_owned(), value);
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_objects() {
        let mut said = Fields::default();
        for (name, value) in
            [("message", "stage_completed"), ("sla.deadline", "noon"), ("sla.restante_ms", "7")]
        {
            said.put_named(name, value.into());
        }
        let ours = line(Timestamp::UNIX_EPOCH, Level::INFO, "sla_monitor", Fields::default());
        assert_eq!(ours["component"], "sla_monitor");
        let line = line(Timestamp::UNIX_EPOCH, Level::INFO, "docproc::work", said);
        assert_eq!(line["event"], "stage_completed");
        assert_eq!(line["component"], "docproc");
        assert_eq!(line["sla"], json!({ "deadline": "noon", "restante_ms": "7" }));
    }
}
