//! Every page in both languages, with everything on it that can be there.

use std::sync::Arc;

use askama::Template as _;
use host::Resources;
use jiff::{Timestamp, tz::TimeZone};
use serde_json::json;
use web::{Lang, Page, Theme};

use super::{
    overview::Dead,
    quality::Set,
    requests::{May, Narrowed},
    upload::Choice,
    *,
};
use crate::{
    model::{EvidenceBox, FieldValue, Origin, RuleOutcome, Status},
    routes::capacity::{Here, Measured, Part, People, Plan},
    rules::{
        quality::{FieldLine, Quality, TypeLine},
        thresholds::{Confidences, Known},
        why::Reason,
        workflow,
    },
    store::{
        answers::Logged,
        catalogue::Refused,
        figures::{Counts, Waiting},
        measures::{Manual, Pace, Through},
        outbox::Foreign,
        second::Seconded,
    },
    wire::{DocumentView, FileView, PageView, RequestDetail, RequestView, TimelineView},
};

mod people;

use people::{backoffice, operators, station};

const AT: Timestamp = Timestamp::UNIX_EPOCH;

fn page(lang: Lang) -> Page {
    Page::new(lang, Theme::Dark, AT, TimeZone::UTC)
}

fn overview(lang: Lang, ever: bool) -> OverviewPage {
    let sentence = engine::Sentence::new("no hay etapas", "there are no stages");
    let fault = workflow::Fault { line: 7, column: 1, sentence };
    OverviewPage {
        page: page(lang),
        counts: Counts { ever, open: 3, completed: 4, in_time: 3, late: 1, ..Counts::default() },
        waiting: Waiting { classification: 2, extraction: 1 },
        read: vec![0, 5, 2],
        courses: [].into(),
        load: Vec::new(),
        paces: vec![Pace { component: "ocr".to_owned(), p95_ms: 950.0, p99_ms: 2100.0 }],
        manual: vec![
            Manual { stage: "classification", doc_type: String::new(), all: 4, by_people: 1 },
            Manual { stage: "extraction", doc_type: "invoice".to_owned(), all: 4, by_people: 3 },
        ],
        through: Through { completed: 4, straight: 3, late: 1, with_people: 0 },
        used: Resources { cpu_pct: 12.0, memory_bytes: 64 << 20 },
        dead: vec![Dead {
            code: "TOO_SLOW".to_owned(),
            stage: "ocr".to_owned(),
            count: 2,
            latest: AT,
        }],
        foreign: vec![Foreign { body: "<b>hola</b>".to_owned(), ..Foreign::default() }],
        workers: Vec::new(),
        real_now: AT,
        refused: vec![Refused { file: "mío.yaml".to_owned(), faults: vec![fault] }],
        calls: true,
        may_steer: true,
        address: "localhost:8000".to_owned(),
    }
}

fn field(name: &str, value: Option<&str>, confidence: f64) -> FieldValue {
    FieldValue {
        name: name.to_owned(),
        value: value.map(str::to_owned),
        normalised: None,
        confidence,
        required: true,
        boxes: vec![EvidenceBox { page: 0, x: 10.5, y: 20.0, w: 30.0, h: 8.0, cell: None }],
        rules: vec![RuleOutcome { rule: "sum".to_owned(), ok: false, detail: "≠".to_owned() }],
        alternatives: vec![("120,00".to_owned(), 0.2)],
    }
}

#[expect(clippy::too_many_lines, reason = "one literal with every field of the view")]
fn detail() -> RequestDetail {
    let request = RequestView {
        id: "01a1e1f7-78ac-7555-b036-78910a23803b".to_owned(),
        external_id: Some("PED-7".to_owned()),
        channel: "api".to_owned(),
        workflow_name: "default".to_owned(),
        status: "processing",
        priority: 5,
        sla_seconds: 60.0,
        deadline_utc: AT,
        page_count: Some(1),
        document_count: None,
        error: None,
        error_code: None,
        created_at: AT,
        completed_at: None,
        sla_breached_at: Some(AT),
        cleared_at: None,
    };
    let leaf = PageView {
        page_index: 0,
        file: 0,
        page_in_file: 0,
        status: "classification_review",
        stage: Some("classify".to_owned()),
        width: Some(595.0),
        height: Some(842.0),
        ocr_text: Some("<script>".to_owned()),
        ocr_confidence: Some(0.9),
        ocr_source: Some("plain".to_owned()),
        doc_type: Some("invoice".to_owned()),
        classification_confidence: Some(0.6),
        scores: Some(json!({ "invoice": 0.6, "receipt": 0.4 })),
        origin: Origin::Automatic,
        document_id: None,
        image_url: "/api/docproc/requests/x/pages/0/image".to_owned(),
    };
    let document = DocumentView {
        document_id: "d".to_owned(),
        doc_type: "invoice".to_owned(),
        page_indices: vec![0],
        status: "extraction_review",
        extracted_data: None,
        extraction_confidence: Some(0.4),
        origin: Origin::Person,
        fields: vec![field("total_amount", Some("121,00"), 0.4), field("date", None, 0.0)],
    };
    let moment = TimelineView {
        stage: "ocr".to_owned(),
        component: "ocr".to_owned(),
        page_index: Some(0),
        document_id: None,
        state: "DEAD".to_owned(),
        attempt: 2,
        queued_at: AT,
        started_at: Some(AT),
        finished_at: None,
        worker: None,
        error: Some("no".to_owned()),
    };
    RequestDetail {
        request,
        trace_id: String::new(),
        metadata: json!({ "tipo": "factura" }),
        workflow_version: 1,
        duplicate_of: Some("01a1e1f7-78ac-7555-b036-78910a23803c".to_owned()),
        created_by: "local".to_owned(),
        result: Some(json!({ "total": "</pre>" })),
        files: vec![FileView {
            name: "<b>.pdf".to_owned(),
            kind: "pdf".to_owned(),
            bytes: 1_000,
            pages: Some(1),
            ..FileView::default()
        }],
        pages: vec![leaf],
        documents: vec![document],
        fan_in: Vec::new(),
        timeline: vec![moment],
    }
}

fn request(lang: Lang, status: Status) -> RequestPage {
    let reason = Reason {
        code: "ESPERA_PERSONA",
        sentence: engine::Sentence::new("La página espera.", "The page waits."),
        until: None,
        data: json!({}),
    };
    RequestPage {
        page: page(lang),
        detail: detail(),
        status,
        workflow: Arc::new(workflow::parse(workflow::DEFAULT).unwrap()),
        threshold: 0.75,
        reasons: vec![reason],
        selected: 0,
        may_steer: true,
        may_review: true,
        waits: status == Status::Processing,
        checkpoints: ["warn", "alert", "escalate", "breach"]
            .map(|word| (word.to_owned(), AT, AT))
            .to_vec(),
        answers: [
            ("early", "NONE"),
            ("partial", "DONE"),
            ("final", "PENDING"),
            ("final", "FAILED"),
        ]
        .map(|(kind, delivery)| Logged {
            n: 1,
            kind: kind.to_owned(),
            given_at: AT,
            delivery: delivery.to_owned(),
            delivered_at: None,
            attempts: 3,
            error: Some("the receiver answered <b>503".to_owned()),
            next_at: None,
        })
        .to_vec(),
    }
}

fn list(lang: Lang) -> RequestsPage {
    RequestsPage {
        page: page(lang),
        wanted: Narrowed { text: "año & más".to_owned(), ..Narrowed::default() },
        workflows: vec!["default".to_owned()],
        lines: Vec::new(),
        next: Some("/docproc/solicitudes?cursor=1_x".to_owned()),
        newest: true,
        ever: true,
        may: May { steer: true, review: true },
    }
}

fn upload(lang: Lang) -> UploadPage {
    let choice = Choice {
        name: "default".to_owned(),
        description: "Any".to_owned(),
        types: vec!["invoice".to_owned()],
    };
    UploadPage {
        page: page(lang),
        workflows: vec![choice],
        most: 1 << 30,
        may_read: true,
        may_review: true,
    }
}

fn quality(lang: Lang, quality: Quality) -> QualityPage {
    let set = Set {
        workflow: "<b>".to_owned(),
        cases: 20,
        off: 1,
        required: true,
        waiting: Some((7, AT)),
    };
    QualityPage {
        page: page(lang),
        workflows: vec!["default".to_owned()],
        quality,
        days: 30,
        workflow: "default".to_owned(),
        classification: 0.82,
        extraction: 0.75,
        sets: vec![set],
        vendors: vec![quality::remembered()],
        may_forget: true,
        second: Seconded { documents: 3, tokens: 900, mean_ms: 120, ..Seconded::default() },
    }
}

fn counted() -> Quality {
    let known = [(0.95, true), (0.7, false), (0.4, false)];
    let known = known.map(|(confidence, right)| Known { confidence, right }).to_vec();
    let confidences = Confidences { all: vec![0.95, 0.9, 0.7, 0.4], always: 1, known };
    let (doc_type, field) = ("invoice".to_owned(), "total_amount".to_owned());
    Quality {
        types: vec![TypeLine { doc_type: doc_type.clone(), documents: 4, straight: 3 }],
        fields: vec![FieldLine {
            doc_type,
            field,
            documents: 4,
            straight: 3,
            answered: 1,
            changed: 1,
        }],
        pages: confidences.clone(),
        documents: confidences,
    }
}

fn capacity(lang: Lang, hands: Option<u32>) -> CapacityPage {
    let part = |component: &str, needed| Part {
        component: component.to_owned(),
        per_second: 1.67,
        mean_seconds: 3.0,
        busy: 5.0,
        hands: 2,
        utilisation: Some(2.5),
        needed,
    };
    let plan = hands.map(|hands| Plan {
        possible: hands > 0,
        hands: Some(hands).filter(|hands| *hands > 0),
        busy: Some(0.7),
        mean_seconds: Some(4.0),
        p95_seconds: None,
        waiting_seconds: Some(1.0),
        alone_seconds: 3.1,
        here: Here { hands: 2, busy: 2.5, p95_seconds: None },
        people: People {
            tasks_per_request: 0.2,
            tasks_per_hour: 240.0,
            seconds_each: 45.0,
            operators: 4,
        },
        components: vec![part("ocr", 8), part("splitter", 1)],
        measured: vec![Measured {
            component: "ocr".to_owned(),
            messages: 12,
            mean_seconds: 3.0,
            variation: 0.25,
        }],
    });
    let (page, requests_per_hour) = (page(lang), 1200.0);
    CapacityPage {
        page,
        requests_per_hour,
        pages: 5.0,
        max_seconds: 60.0,
        page_seconds: None,
        plan,
    }
}

#[test]
fn quality_and_capacity_tell_their_numbers_or_why_there_are_none() {
    let es = quality(Lang::Es, counted()).render().unwrap();
    assert!(
        es.contains("0,82") && es.contains("Juegos de pruebas") && es.contains("al promoverse")
    );
    assert!(es.contains("60,0 %") && es.contains("(3/5)") && es.contains("(0/1)"));
    let none = quality(Lang::En, Quality::default()).render().unwrap();
    assert!(none.contains("Nothing to count yet") && !none.contains("<svg viewBox=\"0 0 720"));
    let short = capacity(Lang::En, Some(8)).render().unwrap();
    assert!(short.contains("2 workers here, 8 are needed") && short.contains("250"), "{short}");
    assert!(
        capacity(Lang::Es, Some(0)).render().unwrap().contains("Ningún número de trabajadores")
    );
    assert!(capacity(Lang::Es, None).render().unwrap().contains("Todavía no hay tiempos"));
}

fn all(lang: Lang) -> Vec<String> {
    let nobody = NoRequestPage { page: page(lang), id: "<i>".to_owned() };
    vec![
        overview(lang, true).render().unwrap(),
        overview(lang, false).render().unwrap(),
        upload(lang).render().unwrap(),
        list(lang).render().unwrap(),
        request(lang, Status::Processing).render().unwrap(),
        request(lang, Status::Failed).render().unwrap(),
        nobody.render().unwrap(),
        backoffice(lang, Some("añá <b>")).render().unwrap(),
        backoffice(lang, None).render().unwrap(),
        operators(lang).render().unwrap(),
        station(lang).render().unwrap(),
        quality(lang, counted()).render().unwrap(),
        quality(lang, Quality::default()).render().unwrap(),
        capacity(lang, Some(8)).render().unwrap(),
        capacity(lang, None).render().unwrap(),
    ]
}

#[test]
fn pages_obey_the_content_policy_and_escape_what_they_show() {
    for html in [all(Lang::Es), all(Lang::En)].concat() {
        assert!(!html.contains(" style=") && !html.contains("http://"));
        assert!(!html.contains("https://") && !html.contains(" onclick="));
        assert!(!html.contains("<script>") && !html.contains("<b>.pdf") && !html.contains("<i>\n"));
        assert_eq!(html.matches("</pre>").count(), html.matches("<pre").count());
    }
}

#[test]
fn every_file_a_page_names_is_embedded() {
    for html in all(Lang::Es) {
        for address in html.split("/assets/").skip(1).filter_map(|rest| rest.split('"').next()) {
            let plain = address.split(['?', '#']).next().unwrap_or_default();
            let (bundle, file) = plain.split_once('/').unwrap();
            let known = match bundle {
                "web" => web::assets::KIT.contains(file),
                _ => ASSETS.contains(file),
            };
            assert!(known, "{address}");
        }
    }
}

#[test]
fn every_icon_a_page_names_is_drawn() {
    let sprite = include_str!("../../../../crates/web/assets/icons.svg");
    for html in all(Lang::Es) {
        for name in html.split("icons.svg").skip(1).filter_map(|rest| rest.split('"').next()) {
            let Some((_, name)) = name.split_once('#') else { continue };
            assert!(sprite.contains(&format!("id=\"{name}\"")), "{name}");
        }
    }
}

#[test]
fn a_request_shows_its_evidence_where_it_lies() {
    let html = request(Lang::En, Status::Processing).render().unwrap();
    assert!(html.contains("viewBox=\"0 0 595 842\""));
    assert!(html.contains("data-box=\"d0f0\" x=\"10.5\" y=\"20\""));
    assert!(html.contains("missing and required") && html.contains("2 to check"));
    assert!(html.contains("data-do=\"cancel\"") && !html.contains("data-do=\"replay\""));
    assert!(html.contains("Waits for a person") && html.contains("Review now"));
    let failed = request(Lang::En, Status::Failed).render().unwrap();
    assert!(!failed.contains("Review now"));
    assert!(failed.contains("data-do=\"replay\"") && !failed.contains("data-do=\"cancel\""));
}

#[test]
fn a_filter_survives_in_the_address_of_the_next_page() {
    let wanted =
        Narrowed {
            status: "open".to_owned(), text: "año & más".to_owned(), ..Narrowed::default()
        };
    let address = wanted.address("1_x");
    assert_eq!(address, "/docproc/solicitudes?status=open&q=a%C3%B1o%20%26%20m%C3%A1s&cursor=1_x");
}

#[test]
fn a_refused_workflow_is_told_with_its_line() {
    let html = overview(Lang::Es, true).render().unwrap();
    assert!(html.contains("mío.yaml") && html.contains("línea 7: no hay etapas"));
}

#[test]
fn what_is_late_and_open_is_not_in_time() {
    let html = overview(Lang::Es, true).render().unwrap();
    assert!(html.contains("3 de 5, con 1 sin responder"), "{html}");
    assert!(overview(Lang::En, true).render().unwrap().contains("3 of 5, with 1 unanswered"));
}

#[test]
fn what_goes_to_people_is_a_row_for_each_type() {
    let html = overview(Lang::Es, true).render().unwrap();
    let rows = html.split("id=\"manual\"").nth(1).unwrap().split("</table>").next().unwrap();
    assert_eq!(rows.matches("<tr>").count(), 3, "a head and two types: {rows}");
    assert!(rows.contains("sin tipo todavía") && rows.contains("Factura"), "{rows}");
    assert!(rows.contains("3 de 4") && !rows.contains("núcleo"), "{rows}");
}

#[test]
fn the_flow_that_takes_the_rest_has_a_name_that_people_read() {
    for html in [
        request(Lang::Es, Status::Processing).render().unwrap(),
        list(Lang::Es).render().unwrap(),
        upload(Lang::Es).render().unwrap(),
        quality(Lang::Es, counted()).render().unwrap(),
    ] {
        assert!(html.contains("general") && !html.contains(">default<"), "{html}");
    }
}

#[test]
fn what_was_given_up_is_told_in_words() {
    let html = overview(Lang::Es, true).render().unwrap();
    assert!(html.contains(">Dibujarlo lleva demasiado tiempo</span>"), "{html}");
    assert_eq!(troubles::trouble(&page(Lang::En), "OWN_CODE"), "OWN CODE", "a stranger's stays");
}

#[test]
fn the_back_office_names_its_tasks_in_both_languages() {
    let es = backoffice(Lang::Es, Some("añá")).render().unwrap();
    assert!(es.contains("Completar Factura") && es.contains("Clasificar página 3"));
    assert!(es.contains("operator=a%C3%B1%C3%A1"), "names travel in addresses");
    let en = backoffice(Lang::En, Some("ana")).render().unwrap();
    assert!(en.contains("Complete Invoice") && en.contains("free: its turn lapsed"));
    let who = backoffice(Lang::En, None).render().unwrap();
    assert!(who.contains("Who reviews?") && !who.contains("Complete Invoice"));
    assert!(operators(Lang::Es).render().unwrap().contains("lu 09:00–17:00"));
}
