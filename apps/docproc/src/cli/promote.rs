//! `turno docproc promote` and `rollback`: which version of a workflow new requests take.

use reqwest::Method;
use serde_json::json;

use terminal::{Bar, Exit, Measure, Remote, output};

use super::{
    args::Plan,
    golden_args::{Destination, Promote, Rollback},
    plan,
};

pub(super) async fn run(args: &Promote) -> Result<(), Exit> {
    let Destination::Prod = args.to;
    let remote = Remote::new(&args.server);
    let path = format!("/api/docproc/workflows/{}/promote", args.workflow);
    let body = json!({ "version": args.version, "allow_more_manual": args.allow_more_manual });
    let bar = Bar::new(Measure::Wait, 0);
    bar.say("running the golden set");
    let done = remote.answer(remote.request(Method::POST, &path).json(&body)).await;
    bar.finish();
    let mut done = done?;
    let load = load(args);
    if args.json {
        if let Some(load) = &load {
            done["plan"] = plan::ask(load).await?;
        }
        output::say_json(&done);
        return Ok(());
    }
    output::say(&format!(
        "{}: version {} is in force, after {} cases as expected",
        args.workflow, done["version_id"], done["equal"]
    ));
    match &load {
        Some(load) => plan::run(load).await,
        None => Ok(()),
    }
}

/// The load to plan for, if it was told.
fn load(args: &Promote) -> Option<Plan> {
    Some(Plan {
        server: args.server.clone(),
        requests_per_hour: args.requests_per_hour?,
        pages: args.pages?,
        documents: None,
        max_seconds: args.max_seconds?,
        page_seconds: None,
        json: false,
    })
}

pub(super) async fn back(args: &Rollback) -> Result<(), Exit> {
    let remote = Remote::new(&args.server);
    let path = format!("/api/docproc/workflows/{}/rollback", args.workflow);
    let body = json!({ "reason": args.reason });
    let done = remote.answer(remote.request(Method::POST, &path).json(&body)).await?;
    output::say(&format!("{}: version {} is in force again", args.workflow, done["version_id"]));
    Ok(())
}
