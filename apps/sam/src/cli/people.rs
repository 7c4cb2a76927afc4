//! `turno sam`: what people do with robots from a terminal, each with a reason.

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value as Json, json};
use terminal::{Command, Exit, Remote, Resolve, Server, output};

pub(crate) fn command() -> Command {
    Command::new("sam", "Robots: run one now, stop one", run)
}

#[derive(Args, Debug)]
struct Sam {
    #[command(subcommand)]
    command: SamCommand,
}

#[derive(Debug, Subcommand)]
enum SamCommand {
    /// Run a robot on a runner now, whatever calendar and tickets say
    Run(RunNow),
    /// Have a run stopped in the Control Room
    Stop(Stop),
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno sam run 1001 --on 101 --reason 'month end'")]
struct RunNow {
    /// The robot's id
    robot: i64,
    /// The runner's id
    #[arg(long, value_name = "ID")]
    on: i64,
    /// For the audit
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    server: Server,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The run ends when the Control Room says so. --unlock frees its runner at once.

Examples:
  turno sam stop 17 --reason 'wrong file'
  turno sam stop 17 --unlock --reason 'hangs'")]
struct Stop {
    /// The run's id
    run: i64,
    /// Free the runner without waiting for the Control Room
    #[arg(long)]
    unlock: bool,
    /// For the audit
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    server: Server,
}

async fn run(args: Sam, _: Resolve) -> Result<(), Exit> {
    match args.command {
        SamCommand::Run(wanted) => {
            let path = format!("/api/sam/robots/{}/ejecutar", wanted.robot);
            let body = json!({ "equipo_id": wanted.on, "motivo": wanted.reason });
            let made = post(&wanted.server, &path, &body).await?;
            output::say(&format!("run {}: {}", made["id"], word(&made["estado"])));
        }
        SamCommand::Stop(wanted) => {
            let id = wanted.run;
            let (verb, body) = if wanted.unlock {
                ("desbloquear", json!({ "motivo": wanted.reason, "detener": true }))
            } else {
                ("detener", json!({ "motivo": wanted.reason }))
            };
            let path = format!("/api/sam/ejecuciones/{id}/{verb}");
            let told = post(&wanted.server, &path, &body).await?;
            output::say(&format!("run {id}: {}", word(&told["estado"])));
        }
    }
    Ok(())
}

async fn post(server: &Server, path: &str, body: &Json) -> Result<Json, Exit> {
    let remote = Remote::new(server);
    remote.answer(remote.request(Method::POST, path).json(body)).await
}

fn word(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}
