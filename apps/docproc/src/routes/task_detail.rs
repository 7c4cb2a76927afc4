//! A task with its pages and fields, as the review station shows it.

use db::Error;
use jiff::civil::Date;
use understand::extract::{FieldSpec, Kind, check_value};
use web::{Page, Theme};

use super::{AtDesk as _, Desk};
use crate::{
    model::{FieldValue, Item, RuleOutcome, TaskState},
    pages::words,
    rules::{assign, workflow::Workflow},
    store::{
        self,
        documents::{self, DocumentRow},
        pages::{self, PageRow},
        policy, requests,
        reviews::{self, TaskRow},
    },
    wire::{
        TaskView,
        people::{ColumnDetail, FieldDetail, PageBrief, TaskDetail, TypeChoice, TypeScore},
    },
};

/// `None`: there is no such task.
pub(super) async fn load(
    desk: &Desk,
    id: &str,
    operator: Option<&str>,
) -> Result<Option<TaskDetail>, Error> {
    let mut tx = desk.context.store.read().await?;
    let Some(task) = reviews::find(&mut tx, id).await? else { return Ok(None) };
    let Some(row) = requests::find(&mut tx, desk.visibility(), &task.request_id).await? else {
        return Ok(None);
    };
    let workflow = desk.context.runtime.workflows.version(&mut tx, row.workflow_id).await?;
    let pages = pages::all(&mut tx, &task.request_id).await?;
    let documents = documents::all(&mut tx, &task.request_id).await?;
    let files = requests::files(&mut tx, &task.request_id).await?;
    let draft = match operator {
        Some(operator) => reviews::draft(&mut tx, id, operator).await?,
        None => None,
    };
    let lapses_at = match task.status {
        TaskState::Assigned => {
            let task_timeout =
                policy::load(&desk.context.settings, &mut tx).await?.desk.task_timeout;
            let snapshot = store::assign::load(&mut tx, None, desk.now).await?;
            let own = snapshot.tasks.iter().find(|one| one.id == id);
            own.and_then(|one| assign::lapses_at(&snapshot, one, task_timeout))
        }
        TaskState::Pending | TaskState::Completed | TaskState::Timeout | TaskState::Cancelled => {
            None
        }
    };
    let say = Page::new(desk.lang, Theme::Light, desk.now, desk.context.zone.clone());
    let document = match &task.item {
        Item::Document(id) => documents.iter().find(|one| one.id == *id),
        Item::Page(_) | Item::Request => None,
    };
    let page_indices = match (&task.item, document) {
        (_, Some(document)) => document.page_indices(),
        (Item::Page(n), None) => vec![*n],
        (Item::Request | Item::Document(_), None) => Vec::new(),
    };
    let first = page_indices.first().and_then(|n| pages.iter().find(|page| page.n == *n));
    let file = first.and_then(|page| files.iter().find(|file| file.n == page.file));
    let scores = first.filter(|_| document.is_none()).map(|page| scores(&say, page));
    Ok(Some(TaskDetail {
        claimed: task.claimed,
        assigned_at: task.assigned_at,
        lapses_at,
        postponed_until: task.postponed_until,
        completed_at: task.completed_at,
        file_name: file.map(|file| file.name.clone()).unwrap_or_default(),
        external_id: row.external_id.clone(),
        types: types(&say, &workflow),
        scores: scores.unwrap_or_default(),
        doc_type: document.map(|one| one.doc_type.clone()),
        page_indices,
        fields: document.map(|one| fields(&say, &task, one, &workflow)).unwrap_or_default(),
        pages: pages.iter().map(|page| brief(&say, &task.request_id, page)).collect(),
        draft,
        now: desk.now,
        task: TaskView::from(task),
    }))
}

fn types(say: &Page, workflow: &Workflow) -> Vec<TypeChoice> {
    let choice =
        |word: &str| TypeChoice { word: word.to_owned(), title: words::doc_type(say, word) };
    workflow.types().into_iter().map(choice).collect()
}

fn scores(say: &Page, page: &PageRow) -> Vec<TypeScore> {
    let pairs = page.scores.as_ref().and_then(|scores| scores.as_array()).into_iter().flatten();
    let score = |pair: &serde_json::Value| {
        let word = pair.get(0)?.as_str()?;
        Some(TypeScore {
            word: word.to_owned(),
            title: words::doc_type(say, word),
            confidence: pair.get(1)?.as_f64()?,
        })
    };
    pairs.filter_map(score).collect()
}

/// Fields in the order of the schema, those that want a look marked.
fn fields(
    say: &Page,
    task: &TaskRow,
    document: &DocumentRow,
    workflow: &Workflow,
) -> Vec<FieldDetail> {
    let today = say.now.to_zoned(say.zone.clone()).date();
    let asked = task.input_data["fields"].as_array();
    let flagged = |name: &str| {
        let one = asked.into_iter().flatten().find(|field| field["name"] == name);
        one.is_some_and(|field| field["needs_review"] == true)
    };
    let schema = workflow.schemas.get(&document.doc_type);
    let specs = schema.map(|schema| schema.fields.as_slice()).unwrap_or_default();
    let read = document.fields.iter().map(|field| {
        let spec = specs.iter().find(|spec| spec.name == field.name);
        let kind = spec.and_then(|spec| serde_json::to_value(spec.kind).ok());
        let kind = kind.and_then(|kind| kind.as_str().map(str::to_owned));
        let broken = field.rules.iter().any(|rule| !rule.ok);
        let needs_review = flagged(&field.name) || broken;
        FieldDetail {
            title: words::field(say, &field.name),
            kind: kind.unwrap_or_else(|| "string".to_owned()),
            values: spec.map(|spec| spec.values.clone()).unwrap_or_default(),
            columns: spec.map(|spec| columns(say, spec)).unwrap_or_default(),
            value: field.normalised.clone().or_else(|| field.value.clone()),
            printed: field.value.clone(),
            confidence: field.confidence,
            required: field.required,
            needs_review,
            boxes: field.boxes.clone(),
            rules: field.rules.iter().map(|rule| told(say, rule)).collect(),
            alternatives: alternatives(field, spec, today),
            name: field.name.clone(),
        }
    });
    let mut fields: Vec<FieldDetail> = read.collect();
    let rest = specs.iter().filter(|spec| document.fields.iter().all(|f| f.name != spec.name));
    for spec in rest {
        fields.push(FieldDetail {
            name: spec.name.clone(),
            title: words::field(say, &spec.name),
            kind: serde_json::to_value(spec.kind)
                .ok()
                .and_then(|kind| kind.as_str().map(str::to_owned))
                .unwrap_or_default(),
            values: spec.values.clone(),
            columns: columns(say, spec),
            value: None,
            printed: None,
            confidence: 0.0,
            required: spec.required,
            needs_review: spec.required,
            boxes: Vec::new(),
            rules: Vec::new(),
            alternatives: Vec::new(),
        });
    }
    fields
}

fn columns(say: &Page, spec: &FieldSpec) -> Vec<ColumnDetail> {
    let all = if spec.kind == Kind::Table { spec.table_columns() } else { Vec::new() };
    let column = |one: understand::extract::Column| ColumnDetail {
        title: words::field(say, &one.name),
        name: one.name,
        kind: one.kind,
    };
    all.into_iter().map(column).collect()
}

/// What was checked, with what failed in the reader's words.
fn told(say: &Page, outcome: &RuleOutcome) -> RuleOutcome {
    let mut told = outcome.clone();
    if !outcome.ok {
        let fails = say.t("no cumple", "fails");
        told.detail = format!("{fails}: {}", words::rule(say, &outcome.rule));
    }
    told
}

/// What else was read, in the form that values have; what has none stays as it is printed.
fn alternatives(field: &FieldValue, spec: Option<&FieldSpec>, today: Date) -> Vec<(String, f64)> {
    let value = |text: &String| {
        let value = spec.and_then(|spec| check_value(spec, text, today).ok());
        value.map_or_else(|| text.clone(), |value| value.to_string())
    };
    field.alternatives.iter().map(|(text, share)| (value(text), *share)).collect()
}

fn brief(say: &Page, request: &str, page: &PageRow) -> PageBrief {
    let base = format!("/api/docproc/requests/{request}/pages/{}", page.n);
    PageBrief {
        page_index: page.n,
        file: page.file,
        image_url: format!("{base}/image"),
        words_url: format!("{base}/words"),
        width: page.width,
        height: page.height,
        title: page.doc_type.as_deref().map(|word| words::doc_type(say, word)),
        doc_type: page.doc_type.clone(),
        document_id: page.document_id.clone(),
    }
}
