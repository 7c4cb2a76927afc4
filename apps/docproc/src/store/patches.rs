//! Turns changes into patches of rows, gathered by kind, so that each row is written once and each
//! kind of row is one statement.

use std::collections::{BTreeMap, HashMap};

use db::{Decision, Error, Rows};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use super::{
    answers::{self, Given},
    documents::{self, DocumentPatch, NewDocument},
    events,
    messages::{self, NewMessage, Past},
    outside,
    pages::{self, PagePatch},
    progress::{Finding, Loaded, document_id, evidence, piece},
    questions,
    requests::{self, FileRow, RequestPatch},
    reviews,
    steps::{self, About, Step},
};
use crate::{
    model::{Component, Item, Origin, PageInFile, Progress, Standing, Status},
    rules::{
        advance::{Change, Thresholds},
        answer::{self, Piece},
        course::{Found, Via, opened_at},
    },
    wire::message::{key, source},
};

pub(super) struct Patches<'a> {
    loaded: &'a [Loaded],
    worker: &'a str,
    house: Thresholds,
    requests: BTreeMap<usize, RequestPatch>,
    pages: BTreeMap<(usize, u32), PagePatch<'a>>,
    documents: BTreeMap<(usize, String), DocumentPatch<'a>>,
    files: Vec<(usize, &'a FileRow)>,
    /// In their order; those that were done ahead of being sent are taken out again.
    sends: Vec<Option<NewMessage>>,
    sent: HashMap<(usize, Item, i32), usize>,
    past: Vec<Past>,
    reviews: Vec<(usize, &'a Item, usize)>,
    statuses: Vec<(usize, Status)>,
    replies: Vec<(usize, &'a Finding, &'a Map<String, Json>)>,
    /// Documents that pages became, with how many.
    opened: Vec<(usize, String, usize)>,
}

impl<'a> Patches<'a> {
    pub(super) fn new(loaded: &'a [Loaded], worker: &'a str, house: Thresholds) -> Self {
        Self {
            loaded,
            worker,
            house,
            requests: BTreeMap::new(),
            pages: BTreeMap::new(),
            documents: BTreeMap::new(),
            files: Vec::new(),
            sends: Vec::new(),
            sent: HashMap::new(),
            past: Vec::new(),
            reviews: Vec::new(),
            statuses: Vec::new(),
            replies: Vec::new(),
            opened: Vec::new(),
        }
    }

    /// Adds what was found out about an item.
    pub(super) fn learn(&mut self, which: usize, finding: &'a Finding) {
        let Finding { item, found, via, .. } = finding;
        let origin = if *via == Via::Person { Origin::Person } else { Origin::Automatic };
        match (item, found) {
            (Item::Request, Found::Split { pages, files }) => {
                self.split(which, pages, finding.through);
                self.files.extend(files.iter().map(|file| (which, file)));
            }
            (Item::Page(n), Found::Page { text, evidence: found, scores }) => {
                let page = self.page(which, *n);
                page.text = text.as_ref().or(page.text);
                page.evidence = found.as_ref().map(evidence).or(page.evidence.take());
                page.scores = scores.as_ref().or(page.scores);
            }
            (Item::Page(n), Found::Type(doc_type)) => {
                self.page(which, *n).accepted = Some((doc_type, 1.0, origin));
            }
            (Item::Document(id), Found::Document(reading)) => {
                self.document(which, id).reading = Some((reading, origin));
            }
            (Item::Request | Item::Page(_) | Item::Document(_), _) => {}
        }
        self.stand(which, item, Standing { at: finding.through, progress: Progress::Done });
        if let Some(extra) = &finding.extra {
            self.replies.push((which, finding, extra));
        }
        if *via == Via::Ahead {
            self.remember(which, finding);
        }
    }

    fn split(&mut self, which: usize, pages: &[PageInFile], at: i32) {
        self.request(which).page_count = Some(pages.len() as u32);
        for (n, new) in pages.iter().enumerate() {
            let page = self.page(which, n as u32);
            page.new = Some(*new);
            page.standing = Some(Standing { at: at + 1, progress: Progress::Todo });
        }
    }

    /// A stage that ran without a message of its own is remembered as if it had had one.
    fn remember(&mut self, which: usize, finding: &Finding) {
        let Finding { item, at, .. } = finding;
        let Some(ran) = finding.ran else { return };
        let sent = self.sent.get(&(which, item.clone(), *at));
        let message = sent.and_then(|sent| self.sends[*sent].take());
        let message = message.or_else(|| self.message(which, item.clone(), *at as usize));
        self.past.extend(message.map(|message| Past { message, ran }));
    }

    /// Adds a change that follows from it.
    pub(super) fn take(&mut self, which: usize, change: &'a Change) {
        match change {
            // Taken with what was found.
            Change::Learn(_) => {}
            Change::Status(status) => {
                self.request(which).status = Some(*status);
                self.statuses.push((which, *status));
            }
            Change::Send { item, at } => {
                self.stand(which, item, Standing { at: *at as i32, progress: Progress::Sent });
                self.send(which, item.clone(), *at);
            }
            Change::Stand { item, standing } => self.stand(which, item, *standing),
            Change::Accept { page, doc_type, confidence } => {
                let accepted = (doc_type.as_str(), *confidence, Origin::Automatic);
                self.page(which, *page).accepted = Some(accepted);
            }
            Change::Review { item, at } => {
                self.stand(which, item, Standing { at: *at as i32, progress: Progress::Review });
                self.reviews.push((which, item, *at));
            }
            Change::Open { first, last, doc_type, at } => {
                self.open(which, (*first, *last), doc_type, *at);
            }
            Change::Documents(count) => self.request(which).document_count = Some(*count),
            Change::Complete => self.request(which).status = Some(Status::Completed),
        }
    }

    fn open(&mut self, which: usize, (first, last): (u32, u32), doc_type: &'a str, at: usize) {
        let Loaded { row, workflow, .. } = &self.loaded[which];
        let id = document_id(&row.id, row.run, first);
        let standing = opened_at(workflow, at);
        self.opened.push((which, id.clone(), (last - first + 1) as usize));
        let document = self.document(which, &id);
        document.new = Some(NewDocument { first, last, doc_type });
        document.standing = Some(standing);
        for n in first..=last {
            self.page(which, n).document = Some(id.clone());
        }
        if standing.progress == Progress::Sent {
            self.send(which, Item::Document(id), at);
        }
    }

    fn send(&mut self, which: usize, item: Item, at: usize) {
        if let Some(message) = self.message(which, item.clone(), at) {
            self.sent.insert((which, item, at as i32), self.sends.len());
            self.sends.push(Some(message));
        }
    }

    fn message(&self, which: usize, item: Item, at: usize) -> Option<NewMessage> {
        let Loaded { row, workflow, .. } = &self.loaded[which];
        let stage = workflow.stages.get(at)?;
        Some(NewMessage {
            request: row.id.clone(),
            run: row.run,
            at: at as i32,
            stage: stage.name.clone(),
            component: stage.component_name().to_owned(),
            outside: stage.component == Component::Outside,
            item,
            priority: row.priority,
            deadline: row.deadline,
            trace: row.trace_id.clone(),
            workflow: row.workflow_name.clone(),
            key: key(workflow, at as i32).to_owned(),
            source: source(workflow, at as i32, false).to_owned(),
        })
    }

    fn stand(&mut self, which: usize, item: &Item, standing: Standing) {
        let place = match item {
            Item::Request => &mut self.request(which).standing,
            Item::Page(n) => &mut self.page(which, *n).standing,
            Item::Document(id) => &mut self.document(which, id).standing,
        };
        *place = Some(standing);
    }

    fn request(&mut self, which: usize) -> &mut RequestPatch {
        self.requests.entry(which).or_default()
    }

    fn page(&mut self, which: usize, n: u32) -> &mut PagePatch<'a> {
        self.pages.entry((which, n)).or_default()
    }

    fn document(&mut self, which: usize, id: &str) -> &mut DocumentPatch<'a> {
        self.documents.entry((which, id.to_owned())).or_default()
    }

    /// Writes everything, what others refer to first.
    pub(super) async fn finish(mut self, decision: &mut Decision) -> Result<(), Error> {
        let loaded = self.loaded;
        let id = |which: &usize| loaded[*which].row.id.as_str();
        let documents: Vec<_> =
            self.documents.iter().map(|((which, own), patch)| (id(which), &**own, patch)).collect();
        documents::write(decision, &documents).await?;
        let pages: Vec<_> =
            self.pages.iter().map(|((which, n), patch)| (id(which), *n, patch)).collect();
        pages::write(decision, &pages).await?;
        let files: Vec<_> = self.files.iter().map(|(which, file)| (id(which), *file)).collect();
        requests::put_files(decision, &files).await?;
        self.ask(decision).await?;
        let sends: Vec<NewMessage> = self.sends.drain(..).flatten().collect();
        messages::send(decision, &sends).await?;
        messages::remember(decision, self.worker, &self.past).await?;
        for (which, status) in &self.statuses {
            events::status(decision, id(which), *status);
        }
        self.keep_replies(decision).await?;
        for (which, document, pages) in &self.opened {
            let about = About {
                document: Some(document.as_str()),
                count: Some(*pages),
                ..About::default()
            };
            self.joined(*which, Component::ClassificationAggregator, about, decision.now);
        }
        self.complete(decision).await?;
        let patches: Vec<_> =
            self.requests.iter().map(|(which, patch)| (id(which), patch)).collect();
        requests::write(decision, &patches).await
    }

    /// A join did what its last arrival asked for.
    fn joined(&self, which: usize, component: Component, about: About<'_>, now: Timestamp) {
        let Loaded { row, workflow, .. } = &self.loaded[which];
        let stage = workflow.stages.iter().find(|one| one.component == component);
        let Some(stage) = stage else { return };
        let event = if component == Component::ClassificationAggregator {
            "document_opened"
        } else {
            "stage_completed"
        };
        let step = Step { component: component.word(), stage: Some(stage.name.as_str()), event };
        steps::say(step, row, about, now);
    }

    /// What somebody outside said beside text, type and fields.
    async fn keep_replies(&self, decision: &mut Decision) -> Result<(), Error> {
        let mut kept = Vec::with_capacity(self.replies.len());
        for (which, finding, payload) in &self.replies {
            let Loaded { row, workflow, .. } = &self.loaded[*which];
            let (at, item) = (finding.at, finding.item.key());
            let Some(stage) = workflow.stages.get(at.max(0) as usize) else { continue };
            kept.push(outside::Reply { request: &row.id, at, item, stage: &stage.name, payload });
        }
        outside::keep(decision, &kept).await
    }

    async fn ask(&self, decision: &mut Decision) -> Result<(), Error> {
        let mut urgent = Vec::new();
        for (which, item, at) in &self.reviews {
            let loaded = &self.loaded[*which];
            let task = questions::question(decision, loaded, item, *at, self.house).await?;
            reviews::ask(decision, &task).await?;
            if loaded.row.priority == 0 {
                urgent.push(loaded.row.id.as_str());
            }
        }
        reviews::raise(decision, &urgent).await
    }

    /// Composes the answers of requests that are through.
    async fn complete(&mut self, decision: &mut Decision) -> Result<(), Error> {
        let through = |patch: &RequestPatch| patch.status == Some(Status::Completed);
        let mut done: Vec<_> = self.requests.iter_mut().filter(|(_, one)| through(one)).collect();
        let ids: Vec<&str> =
            done.iter().map(|(which, _)| self.loaded[**which].row.id.as_str()).collect();
        let documents = documents::of_all(&mut decision.tx, &ids).await?;
        let asked: Vec<&str> = done
            .iter()
            .map(|(which, _)| &self.loaded[**which])
            .filter(|one| one.workflow.asks_about_requests())
            .map(|one| one.row.id.as_str())
            .collect();
        let mut said = outside::about_requests(&mut decision.tx, &asked).await?;
        let ungrouped = |one: &&Loaded| one.workflow.grouping().is_none();
        let asked = done.iter().map(|(which, _)| &self.loaded[**which]).filter(ungrouped);
        let asked: Vec<&str> = asked.map(|one| one.row.id.as_str()).collect();
        let texts = pages::texts(&mut decision.tx, &asked).await?;
        let mut aside = requests::set_aside(&mut decision.tx, &ids).await?;
        let mut told = Vec::new();
        let mut through = Vec::with_capacity(done.len());
        for (which, patch) in &mut done {
            let row = &self.loaded[**which].row;
            let of_request = documents.get(&row.id).into_iter().flatten();
            let pieces: Vec<Piece> = of_request.map(piece).collect();
            let pages = patch.page_count.or(row.page_count).unwrap_or_default();
            let said = said.remove(&row.id).unwrap_or_default();
            let result = answer::compose(&row.id, &row.workflow_name, pages, &pieces);
            let result = answer::with_replies(result, said);
            let result = answer::with_pages(
                result,
                texts.get(&row.id).map(Vec::as_slice).unwrap_or_default(),
            );
            let aside = aside.remove(&row.id).unwrap_or_default();
            let aside = serde_json::to_value(aside).unwrap_or_default();
            let result = answer::with_set_aside(result, aside);
            if row.callback_url.is_some() {
                let status = Status::Completed.word();
                told.push(Given::new(row, answers::Kind::Final, status, Some(&result), &[]));
            }
            patch.result = Some(result);
            events::completed(decision, &row.id, pieces.len());
            through.push((**which, pieces.len()));
        }
        for (which, documents) in through {
            let about = About { count: Some(documents), ..About::default() };
            for component in [Component::ExtractionAggregator, Component::Consolidator] {
                self.joined(which, component, about, decision.now);
            }
        }
        answers::give(decision, &told).await?;
        // A password is needed only while pages are read.
        let sql = "UPDATE request_files SET password = NULL
                   WHERE request_id IN (SELECT id FROM ROWS) AND password IS NOT NULL";
        decision.tx.each(sql, &[], &Rows::of(&["id"], ids)).await.map(drop)
    }
}
