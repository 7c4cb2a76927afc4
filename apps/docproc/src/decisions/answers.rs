//! What people answer (§3.5, §3.8): checked, recorded, and the pipeline goes on, in one
//! commit; or a little later, when whoever answered may still take it back.

use db::{
    Decision, Error,
    audit::Entry,
    idempotency::{self, Seen},
};
use engine::Sentence;
use host::By;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::{Key, Refusal, course, memory, memory::Lesson, people, queue};
use crate::{
    Context,
    model::Item,
    rules::{
        correct::{self, Corrected, Submitted},
        course::Via,
        hold,
        regroup::{self as rule, Bound, Regrouping, Wanted},
        workflow::Workflow,
    },
    store::{
        Visibility,
        corrections::{self, NewCorrection},
        documents::{self, DocumentRow},
        held::{self, HeldRow},
        layouts::Shelf,
        operators, pages, people_scope, policy,
        progress::{Finding, Found},
        regroup, requests,
        reviews::{self, TaskRow},
        scope,
    },
};

/// An answer with all that belongs to it.
#[derive(Clone, Debug)]
pub struct Submission {
    pub by: By,
    pub answer: Answer,
    /// Whether the case shall be one to be judged by.
    pub golden: bool,
    /// Whether they want to be able to take it back for a moment.
    pub undoable: bool,
    pub key: Option<Key>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The type of a page.
    Type(String),
    /// The fields of a document.
    Fields(Submitted),
    /// Which pages are one document.
    Groups(Vec<Wanted>),
}

/// A task that was answered.
#[derive(Clone, Debug)]
pub struct Answered {
    pub task: TaskRow,
    /// While it can be taken back.
    pub undo_until: Option<Timestamp>,
}

/// *Enviar*: an answer by the one who has the task, once.
pub async fn submit(
    context: &Context,
    id: &str,
    submission: &Submission,
) -> Result<Result<Answered, Refusal>, Error> {
    let known = reviews::find(&mut context.store.read().await?, id).await?;
    let Some(known) = known else { return Ok(Err(Refusal::NoTask)) };
    let request = known.request_id;
    let mut decision = context.store.decide(&scope(&request), context.clock.now()).await?;
    decision.hold(&people_scope()).await?;
    let owner = format!("{}/task/{id}/{}", crate::NAME, submission.by.name);
    if let Some(key) = &submission.key {
        match idempotency::recall(&mut decision, &owner, &key.key, &key.fingerprint).await? {
            Seen::New => {}
            Seen::Same(_) => return answered(&mut decision, id).await,
            Seen::Other => return Ok(Err(key_reused())),
        }
    }
    people::take_back_lapsed(context, &mut decision).await?;
    let task = match people::held(&mut decision, &submission.by.name, id).await? {
        Ok(task) => task,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let operator = submission.by.name.as_str();
    let checked = check(context, &mut decision, &task, operator, &submission.answer).await?;
    let checked = match checked {
        Ok(checked) => checked,
        Err(refusal) => return Ok(Err(refusal)),
    };
    end(&mut decision, &task, submission, &checked).await?;
    if let Some(key) = &submission.key {
        let answer = json!({ "id": id });
        idempotency::remember(&mut decision, &owner, &key.key, &key.fingerprint, &answer).await?;
    }
    operators::heard(&mut decision, operator).await?;
    if let Some(due_at) = holds(context, &mut decision, &task, submission).await? {
        let (task_id, operator) = (id.to_owned(), operator.to_owned());
        let said = host::as_json(&submission.answer)?;
        let row = HeldRow { task_id, operator, said, golden: submission.golden, due_at };
        held::keep(&mut decision, &row).await?;
        decision.wake(people::TICK);
    } else {
        let answered = TaskAnswer { task: &task, operator, golden: submission.golden };
        apply(context, &mut decision, &answered, checked).await?;
    }
    people::assign(context, &mut decision).await?;
    let answered = answered(&mut decision, id).await?;
    decision.commit().await?;
    Ok(answered)
}

async fn answered(decision: &mut Decision, id: &str) -> Result<Result<Answered, Refusal>, Error> {
    let Some(task) = reviews::find(&mut decision.tx, id).await? else {
        return Ok(Err(Refusal::NoTask));
    };
    let undo_until = held::find(&mut decision.tx, id).await?.map(|held| held.due_at);
    Ok(Ok(Answered { task, undo_until }))
}

/// Until when this answer waits for second thoughts.
async fn holds(
    context: &Context,
    decision: &mut Decision,
    task: &TaskRow,
    submission: &Submission,
) -> Result<Option<Timestamp>, Error> {
    if !submission.undoable {
        return Ok(None);
    }
    let policy = policy::load(&context.settings, &mut decision.tx).await?;
    Ok(hold::until(decision.now, task.deadline, policy.undo))
}

fn key_reused() -> Refusal {
    Refusal::Invalid {
        code: "CLAVE_REUTILIZADA",
        sentence: Sentence::new(
            "La Idempotency-Key se usó con otra respuesta.",
            "The Idempotency-Key was used with another answer.",
        ),
    }
}

/// An answer that can be taken, with what it means.
pub(super) enum Checked {
    Page { n: u32, doc_type: String },
    Document { document: Box<DocumentRow>, corrected: Corrected },
    Groups { wanted: Vec<Wanted>, machine: Vec<Json>, done: Regrouping, at: usize },
}

impl Checked {
    /// What a task keeps of it.
    fn output(&self) -> Json {
        match self {
            Self::Page { doc_type, .. } => json!({ "doc_type": doc_type }),
            Self::Document { corrected, .. } => json!({ "extracted_data": corrected.data }),
            Self::Groups { wanted, .. } => json!({ "groups": groups(wanted) }),
        }
    }

    const fn ending(&self) -> &'static str {
        match self {
            Self::Page { .. } | Self::Document { .. } => "submitted",
            Self::Groups { .. } => "regrouped",
        }
    }
}

fn groups(wanted: &[Wanted]) -> Vec<Json> {
    wanted
        .iter()
        .map(|group| json!({ "doc_type": group.doc_type, "page_indices": group.pages }))
        .collect()
}

/// What an answer means for its task, or why it cannot be taken. Nothing is changed.
pub(super) async fn check(
    context: &Context,
    decision: &mut Decision,
    task: &TaskRow,
    operator: &str,
    answer: &Answer,
) -> Result<Result<Checked, Refusal>, Error> {
    let Some(row) = requests::find(&mut decision.tx, Visibility::All, &task.request_id).await?
    else {
        return Ok(Err(Refusal::NoTask));
    };
    let workflow = context.runtime.workflows.version(&mut decision.tx, row.workflow_id).await?;
    match (&task.item, answer) {
        (Item::Page(n), Answer::Type(doc_type)) => Ok(sorted(&workflow, *n, doc_type)),
        (Item::Document(id), Answer::Fields(submitted)) => {
            let today = decision.now.to_zoned(context.zone.clone()).date();
            let documents = documents::all(&mut decision.tx, &task.request_id).await?;
            let Some(document) = documents.into_iter().find(|one| one.id == *id) else {
                return Ok(Err(Refusal::NoTask));
            };
            let empty = Map::new();
            let data = document.extracted_data.as_ref().and_then(Json::as_object);
            let corrected = correct::correct(
                &document.fields,
                data.unwrap_or(&empty),
                workflow.schemas.get(&document.doc_type),
                submitted,
                operator,
                today,
            );
            let document = Box::new(document);
            Ok(corrected
                .map(|corrected| Checked::Document { document, corrected })
                .map_err(refused))
        }
        (Item::Document(id), Answer::Groups(wanted)) => {
            grouped(decision, task, &workflow, id, wanted).await
        }
        (Item::Page(_) | Item::Request, _) => Ok(Err(Refusal::Invalid {
            code: "FALTA_TIPO",
            sentence: Sentence::new(
                "Una tarea de clasificación se responde con doc_type.",
                "A classification task is answered with doc_type.",
            ),
        })),
        (Item::Document(_), Answer::Type(_)) => Ok(Err(Refusal::Invalid {
            code: "FALTAN_DATOS",
            sentence: Sentence::new(
                "Una tarea de extracción se responde con extracted_data.",
                "An extraction task is answered with extracted_data.",
            ),
        })),
    }
}

fn refused(wrong: Vec<correct::Wrong>) -> Refusal {
    let errors = wrong.into_iter().map(|one| (one.field, one.sentence)).collect();
    Refusal::Wrong {
        sentence: Sentence::new(
            "Hay valores que el flujo no admite; no se cambió nada.",
            "Some values are not allowed by the workflow; nothing was changed.",
        ),
        errors,
    }
}

fn sorted(workflow: &Workflow, n: u32, doc_type: &str) -> Result<Checked, Refusal> {
    let types = workflow.types();
    if types.contains(&doc_type) {
        return Ok(Checked::Page { n, doc_type: doc_type.to_owned() });
    }
    let known = types.join(", ");
    Err(Refusal::Invalid {
        code: "TIPO_DESCONOCIDO",
        sentence: Sentence::new(
            format!("El flujo no tiene el tipo «{doc_type}»; tiene {known}."),
            format!("The workflow has no type “{doc_type}”; it has {known}."),
        ),
    })
}

/// *Reagrupar*: which documents cease to be, and where new ones begin.
async fn grouped(
    decision: &mut Decision,
    task: &TaskRow,
    workflow: &Workflow,
    own: &str,
    wanted: &[Wanted],
) -> Result<Result<Checked, Refusal>, Error> {
    let documents = documents::all(&mut decision.tx, &task.request_id).await?;
    let all = pages::all(&mut decision.tx, &task.request_id).await?;
    let bounds: Vec<Bound> = documents
        .iter()
        .map(|one| Bound { id: one.id.clone(), first: one.first_page, last: one.last_page })
        .collect();
    let files: Vec<u32> = all.iter().map(|page| page.file).collect();
    let done = match rule::regroup(&bounds, &files, &workflow.types(), own, wanted) {
        Ok(done) => done,
        Err(sentence) => return Ok(Err(Refusal::Invalid { code: "GRUPOS_INVALIDOS", sentence })),
    };
    let Some(at) = workflow.grouping() else {
        return Ok(Err(Refusal::Invalid {
            code: "SIN_AGRUPACION",
            sentence: Sentence::new(
                "Este flujo no agrupa páginas.",
                "This workflow does not group pages.",
            ),
        }));
    };
    let machine: Vec<Json> = documents
        .iter()
        .filter(|one| done.undone.contains(&one.id))
        .map(|one| json!({ "doc_type": one.doc_type, "page_indices": one.page_indices() }))
        .collect();
    Ok(Ok(Checked::Groups { wanted: wanted.to_vec(), machine, done, at }))
}

/// A task that is answered, and by whom.
pub(super) struct TaskAnswer<'a> {
    pub task: &'a TaskRow,
    pub operator: &'a str,
    pub golden: bool,
}

/// Records an answer and goes on with the request.
pub(super) async fn apply(
    context: &Context,
    decision: &mut Decision,
    answer: &TaskAnswer<'_>,
    checked: Checked,
) -> Result<(), Error> {
    let found = match checked {
        Checked::Page { n, doc_type } => {
            keep_type(decision, answer, n, &doc_type).await?;
            Some(Found::Type(doc_type))
        }
        Checked::Document { document, corrected } => {
            teach(context, decision, answer, &document, &corrected).await?;
            keep_fields(decision, answer, &document, &corrected).await?;
            Some(Found::Document(Box::new(corrected.reading())))
        }
        // Where documents begin is nothing that a stage finds: its pages go back to the grouping.
        Checked::Groups { wanted, machine, done, at } => {
            keep_groups(decision, answer, &wanted, machine).await?;
            regroup::undo(decision, &answer.task.request_id, at, &done).await?;
            None
        }
    };
    let (item, at, via) = (&answer.task.item, answer.task.stage_at, Via::Person);
    let finding = found.map(|found| Finding { via, ..Finding::new(item.clone(), at, found) });
    course::settle(context, decision, &answer.task.request_id, finding.as_ref()).await?;
    queue::wake(context, decision);
    if answer.golden {
        decision.wake(super::golden::TICK);
    }
    Ok(())
}

/// What the answer says of its vendor's documents is remembered.
async fn teach(
    context: &Context,
    decision: &mut Decision,
    answer: &TaskAnswer<'_>,
    document: &DocumentRow,
    corrected: &Corrected,
) -> Result<(), Error> {
    let request = &answer.task.request_id;
    let Some(row) = requests::find(&mut decision.tx, Visibility::All, request).await? else {
        return Ok(());
    };
    let workflow = context.runtime.workflows.version(&mut decision.tx, row.workflow_id).await?;
    let Some(schema) = workflow.schemas.get(&document.doc_type) else { return Ok(()) };
    let (owner, doc_type) = (row.created_by, document.doc_type.clone());
    let shelf = Shelf { owner, workflow: row.workflow_name, doc_type };
    let today = decision.now.to_zoned(context.zone.clone()).date();
    let by = answer.operator;
    let lesson = Lesson { request, shelf, schema, document, corrected, by, today };
    memory::learn(decision, &lesson).await
}

/// Keeps which type the machine gave a page, and which one the person.
async fn keep_type(
    decision: &mut Decision,
    answer: &TaskAnswer<'_>,
    n: u32,
    doc_type: &str,
) -> Result<(), Error> {
    let task = answer.task;
    let suggested = &task.input_data["suggested_type"];
    let correction = NewCorrection {
        task,
        kind: "classification",
        operator: answer.operator,
        doc_type,
        machine: json!({ "doc_type": suggested, "confidence": task.input_data["confidence"] }),
        person: json!({ "doc_type": doc_type }),
        changed: suggested.as_str() != Some(doc_type),
        golden: answer.golden,
        page: Some(n),
    };
    corrections::keep(decision, &correction).await.map(drop)
}

/// Keeps what the machine read in a document, and what the person said.
async fn keep_fields(
    decision: &mut Decision,
    answer: &TaskAnswer<'_>,
    document: &DocumentRow,
    corrected: &Corrected,
) -> Result<(), Error> {
    let task = answer.task;
    let lessons = &corrected.lessons;
    let machine: Map<String, Json> = lessons
        .iter()
        .map(|one| {
            (one.field.clone(), json!({ "value": one.machine, "confidence": one.confidence }))
        })
        .collect();
    let person: Map<String, Json> =
        lessons.iter().map(|one| (one.field.clone(), json!(one.person))).collect();
    let correction = NewCorrection {
        task,
        kind: "extraction",
        operator: answer.operator,
        doc_type: &document.doc_type,
        machine: machine.into(),
        person: person.into(),
        changed: lessons.iter().any(correct::Lesson::changed),
        golden: answer.golden,
        page: None,
    };
    corrections::keep(decision, &correction).await.map(drop)
}

/// Keeps where the machine began documents, and where the person does.
async fn keep_groups(
    decision: &mut Decision,
    answer: &TaskAnswer<'_>,
    wanted: &[Wanted],
    machine: Vec<Json>,
) -> Result<(), Error> {
    let correction = NewCorrection {
        task: answer.task,
        kind: "grouping",
        operator: answer.operator,
        doc_type: wanted.first().map_or("", |group| group.doc_type.as_str()),
        machine: machine.into(),
        person: groups(wanted).into(),
        changed: true,
        golden: answer.golden,
        page: None,
    };
    corrections::keep(decision, &correction).await.map(drop)
}

async fn end(
    decision: &mut Decision,
    task: &TaskRow,
    submission: &Submission,
    checked: &Checked,
) -> Result<(), Error> {
    let (output, ending) = (checked.output(), checked.ending());
    reviews::complete(decision, task, &submission.by.name, &output, ending).await?;
    metrics::counter!("docproc_answers_total", "task_type" => task.task_type.clone()).increment(1);
    // What documents say stays out of the audit.
    let after = json!({ "request_id": task.request_id, "task_type": task.task_type });
    let entry = submission.by.did(format!("task.{ending}"), format!("task/{}", task.id));
    decision.audit(Entry { after: Some(after), ..entry });
    Ok(())
}

/// Marks a correction as a case to be judged by, or no longer. `None`: there is none.
pub async fn mark(
    context: &Context,
    by: &By,
    id: &str,
    golden: bool,
) -> Result<Option<corrections::CorrectionRow>, Error> {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    if !corrections::mark(&mut decision, id, golden).await? {
        return Ok(None);
    }
    let row = corrections::find(&mut decision.tx, id).await?;
    let entry = by.did("correction.golden", format!("correction/{id}"));
    decision.audit(Entry { after: Some(json!({ "golden": golden })), ..entry });
    decision.wake(super::golden::TICK);
    decision.commit().await?;
    Ok(row)
}
