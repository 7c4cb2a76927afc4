//! `turno docproc storage`: where files are kept, and an operator's word that they are elsewhere now.

use host::By;
use jiff::Timestamp;
use serde_json::json;
use terminal::{Exit, Resolve, output};

use super::{
    args::{AdoptStorage, ShowStorage, StorageCommand},
    train::open_storage,
};
use crate::{
    decisions::storage as decisions,
    drivers::environment::{self, unsettled},
    rules::storage::Step,
};

pub(super) async fn run(command: StorageCommand, resolve: Resolve) -> Result<(), Exit> {
    match command {
        StorageCommand::Show(args) => show(&args, resolve).await,
        StorageCommand::Adopt(args) => adopt(&args, resolve).await,
    }
}

async fn show(args: &ShowStorage, resolve: Resolve) -> Result<(), Exit> {
    let deployment = resolve(&args.place)?;
    let storage = open_storage(&environment::config(&deployment.data_dir)?)?;
    let store = (deployment.open)().await?;
    let seen = decisions::look(&store, &storage).await;
    store.close().await;
    let seen = seen.map_err(|why| unsettled(&why))?;
    let address = storage.address().to_string();
    let mark = seen.mark.as_ref().map(|mark| mark.storage.clone());
    let known = seen.known.as_ref().and_then(|known| known.storage.clone());
    let verdict = match seen.step() {
        Step::Begin => "this is the storage that the database knows".to_owned(),
        Step::Name | Step::Mark | Step::Keep => "the next start makes it this one's".to_owned(),
        Step::Refuse(mismatch) => seen.told(mismatch, &storage),
    };
    if args.json {
        let known = known.map(|(mark, address)| json!({ "mark": mark, "address": address }));
        let agree = seen.step() == Step::Begin;
        output::say_json(&json!({ "address": address, "mark": mark, "database": known,
                                  "agree": agree, "verdict": verdict }));
        return Ok(());
    }
    let none = || "none".to_owned();
    let known = known.map_or_else(none, |(mark, address)| format!("{mark}  {address}"));
    output::say(&format!(
        "here      {}  {address}\ndatabase  {known}\n{verdict}",
        mark.unwrap_or_else(none)
    ));
    Ok(())
}

async fn adopt(args: &AdoptStorage, resolve: Resolve) -> Result<(), Exit> {
    let deployment = resolve(&args.place)?;
    let storage = open_storage(&environment::config(&deployment.data_dir)?)?;
    let store = (deployment.open)().await?;
    let account = std::env::var("USER").unwrap_or_else(|_| "unknown".to_owned());
    let by = By { app: crate::NAME, name: format!("cli:{account}"), role: String::new() };
    let adopted = decisions::adopt(&store, &storage, &by, &args.reason, Timestamp::now()).await;
    store.close().await;
    let mark = adopted.map_err(|why| unsettled(&why))?;
    output::say(&format!(
        "{} has the files from now on (mark {})",
        storage.address(),
        mark.storage
    ));
    Ok(())
}
