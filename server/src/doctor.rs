//! `turno doctor`: one line per thing that can be wrong, with what mends it.

mod checks;

use serde_json::json;
use terminal::{Exit, Finding, Verdict, output};

use crate::apps;
use crate::cli::Read;

pub(crate) async fn run(args: &Read) -> Result<(), Exit> {
    let config = apps::configure(&args.place, None)?;
    let findings = checks::all(&config).await;
    if args.json {
        let entry = |finding: &Finding| {
            let Finding { about, verdict, detail, fix } = finding;
            let verdict = verdict.word().to_lowercase();
            json!({ "check": about, "verdict": verdict, "detail": detail, "fix": fix })
        };
        output::say_json(&findings.iter().map(entry).collect());
    } else {
        output::say(&findings.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
    let failed = findings.iter().filter(|finding| finding.verdict == Verdict::Fail).count();
    match failed {
        0 => Ok(()),
        1 => Err(Exit::failed("1 check failed")),
        many => Err(Exit::failed(format!("{many} checks failed"))),
    }
}

fn line(finding: &Finding) -> String {
    let Finding { about, verdict, detail, fix } = finding;
    let head = format!("{:<4}  {about:<13}  {detail}", verdict.word());
    match fix {
        Some(fix) => format!("{head}\n{:21}→ {fix}", ""),
        None => head,
    }
}
