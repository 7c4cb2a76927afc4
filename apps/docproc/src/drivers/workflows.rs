//! Workflow files: read from a directory, checked, and put into force while the process runs. Those
//! shipped with the binary stand in when there is no directory.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use db::Error;
use engine::Sentence;

use crate::{
    Context,
    rules::workflow::{self, DEFAULT, Fault, INVOICES, Promotion, Workflow},
    store::{
        catalogue::Refused,
        workflows::{self as versions, Environment},
    },
};

/// More files than this in the directory are a mistake.
const MOST: usize = 500;
/// How often the directory is looked at, in real time: files change outside the house's clock.
const EVERY: Duration = Duration::from_secs(5);

/// Takes up what changes in files and in other processes, from start to shutdown.
pub async fn watch(context: Context) {
    let mut changes = context.listen(versions::CHANGED);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            Some(_) = changes.next() => {}
            () = tokio::time::sleep(EVERY) => {}
        }
        if let Err(error) = crate::decisions::refresh(&context).await {
            tracing::warn!(%error, "workflow files are read again later");
        }
    }
}

/// Reads the directory again if it changed, and takes up what was promoted elsewhere. Answers
/// whether anything was exchanged.
pub async fn refresh(context: &Context) -> Result<bool, Error> {
    let workflows = &context.runtime.workflows;
    let mut sources = sources(context.runtime.config.workflows.as_deref());
    // Beside the shipped ones, not beside somebody's own.
    if context.options.demo && sources.iter().any(|(_, source)| source == DEFAULT) {
        sources.push(("oficina.yaml".to_owned(), crate::sim::demo::workflow()));
    }
    if workflows.has_seen(&sources) {
        return workflows.take_up(&mut context.store.read().await?).await;
    }
    let mut good = BTreeMap::new();
    let mut refused = Vec::new();
    for (file, source) in &sources {
        match workflow::parse(source) {
            Ok(one) if good.contains_key(&one.name) => {
                let sentence = Sentence::new(
                    format!("otro archivo ya declara {:?}", one.name),
                    format!("another file declares {:?} already", one.name),
                );
                let faults = vec![Fault { line: 1, column: 1, sentence }];
                refused.push(Refused { file: file.clone(), faults });
            }
            Ok(one) => {
                good.insert(one.name.clone(), (Arc::new(one), source));
            }
            Err(faults) => refused.push(Refused { file: file.clone(), faults }),
        }
    }
    for one in &refused {
        for fault in &one.faults {
            tracing::error!(
                file = one.file,
                line = fault.line,
                fault = fault.sentence.en,
                "workflow refused; the version before it stays"
            );
        }
    }
    exchange(context, &good, refused.is_empty()).await?;
    workflows.take_up(&mut context.store.read().await?).await?;
    workflows.note(refused, sources);
    Ok(true)
}

/// Keeps what the files say, and puts into force what needs no promotion.
async fn exchange(
    context: &Context,
    good: &BTreeMap<String, (Arc<Workflow>, &String)>,
    all_good: bool,
) -> Result<(), Error> {
    let mut decision = context.store.decide(&versions::scope(), context.clock.now()).await?;
    for (name, (workflow, source)) in good {
        let active = match versions::active(&mut decision.tx, name).await? {
            Some(active) => context.runtime.workflows.loadable(&mut decision.tx, active.id).await?,
            None => None,
        };
        let active = active.map(|active| active.promotion);
        let loaded = versions::keep(&mut decision, name, source).await?;
        if at_once(workflow.promotion, active, loaded.environment) {
            versions::activate(&mut decision, &loaded).await?;
        }
    }
    if all_good && !good.is_empty() {
        let kept: Vec<&str> = good.keys().map(String::as_str).collect();
        versions::retire_others(&mut decision, &kept).await?;
    }
    decision.commit().await.map(drop)
}

/// Whether a version loaded from a file comes into force by being loaded. Either version can ask
/// for a promotion, so that the file alone cannot do away with it. One that was promoted before
/// comes back by itself where nothing is in force.
fn at_once(own: Promotion, active: Option<Promotion>, environment: Environment) -> bool {
    match (own, active) {
        (Promotion::Automatic, None | Some(Promotion::Automatic)) => true,
        (Promotion::Required, None) => environment == Environment::Production,
        (Promotion::Required, Some(_)) | (Promotion::Automatic, Some(Promotion::Required)) => false,
    }
}

/// Every workflow file with its content, by name. A file that cannot be read is an empty one: it is
/// refused with its name.
pub(crate) fn sources(dir: Option<&Path>) -> Vec<(String, String)> {
    let Some(entries) = dir.and_then(|dir| std::fs::read_dir(dir).ok()) else {
        return vec![
            ("default.yaml".to_owned(), DEFAULT.to_owned()),
            ("facturas.yaml".to_owned(), INVOICES.to_owned()),
        ];
    };
    let is_yaml =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_yaml).collect();
    files.sort();
    files.truncate(MOST);
    let read = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        (name.unwrap_or_default(), std::fs::read_to_string(path).unwrap_or_default())
    };
    files.iter().map(read).collect()
}
