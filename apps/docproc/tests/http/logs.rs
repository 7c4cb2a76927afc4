//! Lines of the log, as a listener of this process hears them.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Mutex, PoisonError},
};

use tracing::{
    Event, Level, Metadata,
    field::{Field, Visit},
    span,
};

use crate::{
    office::{Office, on_sqlite},
    outside::sure,
};

/// The fields of a line, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) level: Option<Level>,
    pub(crate) fields: BTreeMap<String, String>,
}

impl Line {
    pub(crate) fn says(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name().to_owned(), format!("{value:?}"));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name().to_owned(), value.to_owned());
    }
}

static HEARD: Mutex<Vec<Line>> = Mutex::new(Vec::new());

struct Listener;

impl tracing::Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("docproc")
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line { level: Some(*event.metadata().level()), ..Line::default() };
        event.record(&mut line);
        HEARD.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Listens from here on. Tests run in processes of their own.
pub(crate) fn listen() {
    let _ = tracing::subscriber::set_global_default(Listener);
}

/// Lines with this sentence about this request; all requests when it is empty.
pub(crate) fn heard(message: &str, request: &str) -> Vec<Line> {
    let heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    let fits =
        |line: &&Line| line.says("message") == message && line.says("request_id").contains(request);
    heard.iter().filter(fits).cloned().collect()
}

#[tokio::test]
async fn scenario_28_every_stage_is_a_line_with_all_its_fields() {
    listen();
    on_sqlite(async |desk| {
        let office = Office::at_noon(desk).await;
        let types = ["invoice", "invoice", "id_card", "payslip", "payslip"];
        let pages: Vec<String> = types.iter().map(|one| sure(one)).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let id = office.pages(&pages, "exact").await;
        office.client.advance(1).await;
        let lines = heard("stage_completed", &id);
        let of = |stage: &str| lines.iter().filter(|line| line.says("etapa") == stage).count();
        assert_eq!((of("ocr"), of("classify"), of("extract")), (5, 5, 3), "{lines:#?}");
        for line in lines.iter().filter(|line| line.says("etapa") == "ocr") {
            assert_eq!((line.level, line.says("component")), (Some(Level::INFO), "ocr"));
            for field in [
                "trace_id",
                "elapsed_s",
                "pagina_id",
                "timestamp_inicio",
                "timestamp_fin",
                "duracion_ms",
                "resultado.confianza",
                "resultado.derivado_manual",
                "recursos.cpu_pct",
                "recursos.memoria_mb",
                "recursos.gpu_utilizada",
                "sla.deadline",
                "sla.restante_ms",
            ] {
                assert!(line.fields.contains_key(field), "{field} is missing: {line:?}");
            }
        }
        // What is no stage's work is told too: the gateway, the joins, the answer.
        let told = |event: &str| heard(event, &id);
        assert_eq!(told("request_received")[0].says("component"), "api_gateway");
        assert_eq!(told("document_opened").len(), 3);
        let by = |component: &str| {
            lines.iter().filter(|line| line.says("component") == component).count()
        };
        assert_eq!((by("extraction_aggregator"), by("consolidator")), (1, 1), "{lines:#?}");
        for event in ["request_received", "document_opened"] {
            for field in ["trace_id", "elapsed_s", "sla.restante_ms"] {
                assert!(told(event)[0].fields.contains_key(field), "{field} of {event}");
            }
        }
        let sorted = lines.iter().find(|line| line.says("etapa") == "classify").unwrap();
        assert_eq!(sorted.says("resultado.confianza"), "0.95");
        assert_ne!(sorted.says("resultado.tipo_documental"), "");
        office.close().await;
    })
    .await;
}
