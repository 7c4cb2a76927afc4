//! `turno doctor`: one line per thing that can be wrong, with what mends it.

mod checks;
mod reading;

use serde_json::json;

use crate::cli::Read;
use crate::exit::Exit;
use crate::{apps, output};

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Warn,
    Fail,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "FAIL",
        }
    }
}

/// One line of the answer.
#[derive(Debug)]
pub(crate) struct Finding {
    about: &'static str,
    verdict: Verdict,
    detail: String,
    fix: Option<String>,
}

impl Finding {
    fn pass(about: &'static str, detail: impl Into<String>) -> Self {
        Self { about, verdict: Verdict::Pass, detail: detail.into(), fix: None }
    }

    fn warn(about: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        let fix = Some(fix.to_owned());
        Self { about, verdict: Verdict::Warn, detail: detail.into(), fix }
    }

    fn fail(about: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        Self { verdict: Verdict::Fail, ..Self::warn(about, detail, fix) }
    }
}

pub(crate) async fn run(args: &Read) -> Result<(), Exit> {
    let config = apps::configure(&args.place, args.place.flags())?;
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
