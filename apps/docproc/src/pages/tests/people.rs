//! The pages of those who review, with everything on them.

use serde_json::json;
use web::Lang;

use super::{AT, page};
use crate::{
    model::{Item, TaskState},
    pages::{BackofficePage, OperatorsPage, StationPage, backoffice::TaskLine},
    rules::shift::{Day, Shift},
    store::{desk::Numbers, operators::OperatorRow, reviews::TaskRow},
    wire::people::OperatorView,
};

fn task(item: Item, input: serde_json::Value) -> TaskRow {
    TaskRow {
        id: "01a1e1f7-78ac-7555-b036-78910a23803c".to_owned(),
        request_id: "01a1e1f7-78ac-7555-b036-78910a23803b".to_owned(),
        task_type: "extraction".to_owned(),
        run: 1,
        item,
        stage_at: 4,
        status: TaskState::Timeout,
        priority: 0,
        assigned_to: None,
        assigned_at: None,
        claimed: false,
        beat_at: None,
        postponed_until: None,
        completed_at: None,
        created_at: AT,
        deadline: AT,
        required_skills: json!(["extraction", "invoice"]),
        input_data: input,
        source_stage: "extract".to_owned(),
        workflow_name: "default".to_owned(),
        queue: "task.extraction".to_owned(),
    }
}

pub(super) fn backoffice(lang: Lang, operator: Option<&str>) -> BackofficePage {
    let page = page(lang);
    let flagged = json!({ "doc_type": "invoice", "fields": [{ "needs_review": true }] });
    let document = task(Item::Document("d".to_owned()), flagged);
    let lines = [document, task(Item::Page(2), json!({}))]
        .map(|one| TaskLine::new(&page, &one, Some("<b>.pdf".to_owned())));
    BackofficePage {
        operator: operator.map(str::to_owned),
        open: true,
        mine: lines.to_vec(),
        queue: lines.to_vec(),
        waiting: 1,
        others: lines.to_vec(),
        numbers: Numbers { answered: 3, ..Numbers::default() },
        wanted: String::new(),
        known: vec![("ana".to_owned(), "Ana".to_owned())],
        teams: vec!["task.<hipotecas>".to_owned()],
        team: None,
        page,
    }
}

pub(super) fn operators(lang: Lang) -> OperatorsPage {
    let row = OperatorRow {
        username: "ana \"x\"".to_owned(),
        display_name: "Ana".to_owned(),
        skills: vec!["classification".to_owned()],
        shifts: vec![Shift {
            days: vec![Day::Mon],
            from: jiff::civil::time(9, 0, 0, 0),
            to: jiff::civil::time(17, 0, 0, 0),
        }],
        active: true,
        seen_at: Some(AT),
        lapsed_at: None,
        given_at: None,
        version: 1,
        created_at: AT,
    };
    OperatorsPage {
        page: page(lang),
        operators: vec![OperatorView::new(row, true, "here", 2)],
        skills: vec![("classification".to_owned(), "Clasificación".to_owned())],
    }
}

pub(super) fn station(lang: Lang) -> StationPage {
    let (operator, wanted) = ("añá <b>".to_owned(), String::new());
    StationPage { page: page(lang), operator, open: true, wanted, today: 4 }
}
