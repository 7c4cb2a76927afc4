//! `turno docproc submit`: files go out as they are read from disk, never whole in memory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures::TryStreamExt as _;
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Method};
use serde_json::{Value as Json, json};
use tokio_util::io::ReaderStream;

use terminal::{Bar, Code, Exit, Measure, Remote, length, output};

use super::{args::Submit, status};

/// Between two questions about a request; short ones are over within the first few. A slow one is
/// also asked what it waits for: a person may take hours, and nobody waits for that at a prompt.
const QUICK: Duration = Duration::from_millis(50);
const SLOW: Duration = Duration::from_secs(1);

pub(super) async fn run(args: Submit) -> Result<(), Exit> {
    let timeout = args.timeout.map(length).transpose()?;
    let sizes = args.files.iter().map(|file| size(file)).collect::<Result<Vec<_>, _>>()?;
    let password = args.password_file.as_deref().map(first_line).transpose()?;
    let remote = Remote::new(&args.server);
    let parcels: Vec<Vec<PathBuf>> = if args.together {
        vec![args.files.clone()]
    } else {
        args.files.iter().map(|file| vec![file.clone()]).collect()
    };
    let bar = Bar::new(Measure::Bytes, sizes.iter().sum());
    let mut accepted = Vec::new();
    for parcel in &parcels {
        let form = form(&args, parcel, password.as_deref(), &bar).await?;
        let request = remote.request(Method::POST, "/process").multipart(form);
        match remote.answer(request).await {
            Ok(answer) => accepted.push((name(parcel), answer)),
            Err(exit) => {
                bar.finish();
                // What was accepted before is at work and must not be lost sight of.
                print(&args, &accepted);
                eprintln!("{} was not accepted", name(parcel));
                return Err(exit);
            }
        }
    }
    bar.finish();
    if !args.wait {
        print(&args, &accepted);
        return Ok(());
    }
    let waited = wait(&remote, &mut accepted, timeout).await;
    print(&args, &accepted);
    waited?;
    verdict(&accepted)
}

fn size(file: &Path) -> Result<u64, Exit> {
    match std::fs::metadata(file) {
        Ok(about) if about.is_dir() => {
            let message = format!("{} is a directory", file.display());
            Err(Exit::usage(message).hint("name the files in it: DIR/*.pdf"))
        }
        Ok(about) => Ok(about.len()),
        Err(error) => Err(unreadable(file, &error)),
    }
}

pub(super) fn unreadable(file: &Path, error: &std::io::Error) -> Exit {
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => Code::NotFound,
        std::io::ErrorKind::PermissionDenied => Code::NotAuthorised,
        _ => Code::Failed,
    };
    Exit::new(code, format!("{} cannot be read: {error}", file.display()))
}

fn first_line(file: &Path) -> Result<String, Exit> {
    let text = std::fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

fn name(parcel: &[PathBuf]) -> String {
    match parcel {
        [one] => one.display().to_string(),
        many => format!("{} files", many.len()),
    }
}

async fn form(
    args: &Submit,
    parcel: &[PathBuf],
    password: Option<&str>,
    bar: &Bar,
) -> Result<Form, Exit> {
    let texts = [
        ("workflow", args.workflow.as_deref()),
        ("metadata", args.metadata.as_deref()),
        ("external_id", args.external_id.as_deref()),
        ("password", password),
    ];
    let form = Form::new().text("channel", "cli");
    let said = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
    let mut form = said.fold(form, |form, (name, text)| form.text(name, text.to_owned()));
    for path in parcel {
        bar.say(&format!("sending {}", path.display()));
        let file = tokio::fs::File::open(path).await.map_err(|error| unreadable(path, &error))?;
        let about = file.metadata().await.map_err(|error| unreadable(path, &error))?;
        let counted = bar.clone();
        let stream = ReaderStream::with_capacity(file, 64 * 1024)
            .inspect_ok(move |chunk| counted.add(chunk.len() as u64));
        let shown = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let part = Part::stream_with_length(Body::wrap_stream(stream), about.len());
        form = form.part("file", part.file_name(shown));
    }
    Ok(form)
}

/// Asks until every request has ended; each answer takes the place of its receipt.
async fn wait(
    remote: &Remote,
    requests: &mut [(String, Json)],
    timeout: Option<Duration>,
) -> Result<(), Exit> {
    let (began, bar) = (Instant::now(), Bar::new(Measure::Wait, 0));
    let mut pause = QUICK;
    loop {
        let mut open = Vec::new();
        for (name, answer) in requests.iter_mut() {
            if status::has_ended(answer) {
                continue;
            }
            let id = answer["request_id"].as_str().unwrap_or_default();
            *answer = remote.get(&format!("/status/{id}")).await?;
            if !status::has_ended(answer) {
                open.push(format!("{name}: {}", answer["status"].as_str().unwrap_or_default()));
            }
        }
        let Some(first) = open.first() else { break };
        if pause == SLOW && all_with_people(remote, requests).await? {
            bar.finish();
            return Err(unfinished("only people can go on", open.len(), requests));
        }
        let more =
            if open.len() > 1 { format!(" and {} more", open.len() - 1) } else { String::new() };
        bar.say(&format!("{first}{more}"));
        if timeout.is_some_and(|limit| began.elapsed() + pause > limit) {
            bar.finish();
            return Err(unfinished("the time is over", open.len(), requests));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 5 / 4).min(SLOW);
    }
    bar.finish();
    Ok(())
}

/// Whether nothing but people holds what has not ended.
async fn all_with_people(remote: &Remote, requests: &[(String, Json)]) -> Result<bool, Exit> {
    for (_, answer) in requests.iter().filter(|(_, answer)| !status::has_ended(answer)) {
        let id = answer["request_id"].as_str().unwrap_or_default();
        let why = remote.get(&format!("/api/docproc/requests/{id}/why")).await?;
        let codes = || why["reasons"].as_array().into_iter().flatten().map(|one| &one["code"]);
        // What waits for those that people hold is held by them too.
        let waiting = ["ESPERA_PERSONA", "FALTAN", "ESPERA_PAGINA_ANTERIOR"];
        let only = codes().all(|code| waiting.iter().any(|word| code == word));
        if !only || !codes().any(|code| code == "ESPERA_PERSONA") {
            return Ok(false);
        }
    }
    Ok(true)
}

fn unfinished(because: &str, open: usize, requests: &[(String, Json)]) -> Exit {
    let message = format!("{because}: {open} of {} requests have not ended", requests.len());
    let first = requests.iter().find(|(_, answer)| !status::has_ended(answer));
    let id = first.and_then(|(_, answer)| answer["request_id"].as_str()).unwrap_or("ID");
    Exit::failed(message).hint(format!("`turno docproc status {id} --why` says what it waits for"))
}

fn print(args: &Submit, answers: &[(String, Json)]) {
    if answers.is_empty() {
        return;
    }
    if args.json {
        let one = args.together || args.files.len() == 1;
        match answers {
            [(_, answer)] if one => output::say_json(answer),
            many => output::say_json(&json!(many.iter().map(|(_, a)| a).collect::<Vec<_>>())),
        }
        return;
    }
    for (name, answer) in answers {
        if args.wait {
            output::say(&format!("{name}\n{}", status::text(answer)));
        } else {
            let id = answer["request_id"].as_str().unwrap_or_default();
            output::say(&format!("{id}  {name}"));
        }
    }
}

fn verdict(done: &[(String, Json)]) -> Result<(), Exit> {
    let failed = done.iter().filter(|(_, answer)| answer["status"] != "completed").count();
    match failed {
        0 => Ok(()),
        1 => Err(Exit::failed("1 request did not complete")),
        many => Err(Exit::failed(format!("{many} requests did not complete"))),
    }
}
