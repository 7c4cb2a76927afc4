//! `turno docproc golden`: cases whose answer is known.

use std::path::Path;

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value as Json, json};

use terminal::{Bar, Exit, Measure, Remote, output};

use super::{
    golden_args::{GoldenAdd, GoldenCommand, GoldenList, GoldenRetire, GoldenRun},
    submit::unreadable,
};

pub(super) async fn run(command: GoldenCommand) -> Result<(), Exit> {
    match command {
        GoldenCommand::Add(args) => add(&args).await,
        GoldenCommand::List(args) => list(&args).await,
        GoldenCommand::Retire(args) => retire(&args).await,
        GoldenCommand::Run(args) => play(&args).await,
    }
}

async fn add(args: &GoldenAdd) -> Result<(), Exit> {
    let remote = Remote::new(&args.server);
    let mut added = Vec::new();
    if let Some(expect) = &args.expect {
        let mut form =
            Form::new().text("workflow", args.workflow.clone()).text("expected", read(expect)?);
        if let Some(name) = &args.name {
            form = form.text("name", name.clone());
        }
        for file in &args.file {
            let bytes = tokio::fs::read(file).await.map_err(|error| unreadable(file, &error))?;
            let shown = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            form = form.part("file", Part::bytes(bytes).file_name(shown));
        }
        let request = remote.request(Method::POST, "/api/docproc/golden/files").multipart(form);
        added.push(remote.answer(request).await?);
    }
    for request in &args.requests {
        let body = json!({ "request_id": request, "name": args.name });
        let request = remote.request(Method::POST, "/api/docproc/golden").json(&body);
        added.push(remote.answer(request).await?);
    }
    if args.json {
        output::say_json(&json!(added));
        return Ok(());
    }
    for case in &added {
        output::say(&format!(
            "{}  {}  {}",
            text(case, "id"),
            text(case, "workflow"),
            text(case, "name")
        ));
    }
    Ok(())
}

fn read(file: &Path) -> Result<String, Exit> {
    std::fs::read_to_string(file).map_err(|error| unreadable(file, &error))
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Every case, page by page.
async fn cases(remote: &Remote, workflow: Option<&str>) -> Result<Vec<Json>, Exit> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let mut path = "/api/docproc/golden?limit=500".to_owned();
        path.extend(workflow.map(|name| format!("&workflow={name}")));
        if !cursor.is_empty() {
            path.extend(["&cursor=", &cursor]);
        }
        let page = remote.get(&path).await?;
        all.extend(page["items"].as_array().cloned().unwrap_or_default());
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return Ok(all),
        }
    }
}

async fn list(args: &GoldenList) -> Result<(), Exit> {
    let all = cases(&Remote::new(&args.server), args.workflow.as_deref()).await?;
    if args.json {
        output::say_json(&json!(all));
        return Ok(());
    }
    let row = |case: &Json| {
        let state = match case["retired_at"].as_str() {
            Some(_) => format!("retired: {}", text(case, "retired_reason")),
            None => case["verdict"].as_str().unwrap_or("not run").to_owned(),
        };
        let day = text(case, "added_at").split('T').next().unwrap_or_default().to_owned();
        let said = ["id", "workflow", "name"].map(|key| text(case, key).to_owned());
        said.into_iter().chain([day, state]).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    output::say(&output::table(&["CASE", "WORKFLOW", "NAME", "ADDED", "LAST RUN"], &rows));
    Ok(())
}

async fn retire(args: &GoldenRetire) -> Result<(), Exit> {
    let remote = Remote::new(&args.server);
    let path = format!("/api/docproc/golden/{}/retire", args.id);
    let body = json!({ "reason": args.reason });
    let case = remote.answer(remote.request(Method::POST, &path).json(&body)).await?;
    output::say(&format!("{} is retired and stays listed", text(&case, "name")));
    Ok(())
}

/// One case at a time, so that there is something to watch.
async fn play(args: &GoldenRun) -> Result<(), Exit> {
    let remote = Remote::new(&args.server);
    let candidate = args.candidate.as_deref().map(read).transpose()?;
    let mut all = cases(&remote, args.workflow.as_deref()).await?;
    all.retain(|case| case["retired_at"].is_null());
    let bar = Bar::new(Measure::Documents, all.len() as u64);
    let mut verdicts = Vec::new();
    for case in &all {
        bar.whisper(text(case, "name"));
        let path = format!("/api/docproc/workflows/{}/golden/run", text(case, "workflow"));
        let body = json!({ "cases": [case["id"]], "yaml": candidate });
        let told = remote.answer(remote.request(Method::POST, &path).json(&body)).await;
        let mut told = told.inspect_err(|_| bar.finish())?;
        bar.add(1);
        if let Some(verdict) = told["cases"].get_mut(0) {
            verdict["workflow"] = case["workflow"].clone();
            verdicts.push(verdict.take());
        }
    }
    bar.finish();
    let off = verdicts.iter().filter(|one| one["verdict"] != "equal").count();
    let asked = |key: &str| -> u64 {
        verdicts.iter().map(|one| one["asked"][key].as_u64().unwrap_or_default()).sum()
    };
    if args.json {
        output::say_json(&json!({ "cases": verdicts, "equal": verdicts.len() - off,
                                  "different": off }));
    } else {
        for verdict in verdicts.iter().filter(|one| one["verdict"] != "equal") {
            output::say(&differences(verdict));
        }
        output::say(&format!(
            "{} of {} cases are as expected; people would be asked for {} types and {} documents; \
             {} documents were read as their vendor's were before",
            verdicts.len() - off,
            verdicts.len(),
            asked("types"),
            asked("documents"),
            asked("recalled"),
        ));
    }
    match off {
        0 => Ok(()),
        off => Err(Exit::failed(format!("{off} of {} cases differ", verdicts.len()))),
    }
}

/// A case and what is not as expected in it.
fn differences(verdict: &Json) -> String {
    let heading = format!("{}: {}", text(verdict, "workflow"), text(verdict, "name"));
    if let Some(error) = verdict["error"].as_str() {
        return format!("{heading}\n  not run to its end: {error}");
    }
    let shown = |value: &Json| match value {
        Json::Null => "-".to_owned(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row = |one: &Json| {
        let pages: Vec<String> = one["pages"]
            .as_array()
            .map(|pages| {
                pages.iter().filter_map(Json::as_u64).map(|n| (n + 1).to_string()).collect()
            })
            .unwrap_or_default();
        let what = one["field"].as_str().unwrap_or("document").to_owned();
        vec![format!("  p. {}", pages.join(",")), what, shown(&one["expected"]), shown(&one["got"])]
    };
    let rows: Vec<Vec<String>> =
        verdict["differences"].as_array().into_iter().flatten().map(row).collect();
    format!("{heading}\n{}", output::table(&["  PAGES", "FIELD", "EXPECTED", "GOT"], &rows))
}
