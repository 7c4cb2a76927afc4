//! `turno`: whose turn is it? The command line, and the process that serves.

mod accounts;
mod apps;
mod backups;
mod cli;
mod config;
mod database;
mod doctor;
mod dotenv;
mod explain;
mod logs;
mod migrations;
mod password;
mod roles;
mod sbom;
mod secrets;
mod serve;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};
use host::App;
use terminal::{Exit, output};

use cli::{Cli, Command, ConfigCommand, SecretsCommand, Verbosity};

fn main() -> ExitCode {
    // A child that opens strangers' files: it has nothing else of the house in it.
    if std::env::args().nth(1).as_deref() == Some(docproc::WORKER) {
        return docproc::work();
    }
    if let Some(failed) = dotenv::take_up() {
        return failed;
    }
    // Databases, uploads, backups, keys: nothing of it is anybody else's.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let apps = apps::all();
    let matches = line(&apps).get_matches();
    let runtime = tokio::runtime::Runtime::new();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(carry_out(&apps, &matches)),
        Err(error) => Err(Exit::failed(format!("cannot start the runtime: {error}"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.report(),
    }
}

/// The whole command line: ours, and what each application adds to it.
fn line(apps: &[App]) -> clap::Command {
    let about = "Simulated traffic for a running server, and simulated systems for it to talk to";
    let simulators = apps.iter().filter_map(|app| app.simulator.as_ref());
    let sim = clap::Command::new("sim")
        .about(about)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(simulators.map(terminal::Command::define));
    let commands = apps.iter().flat_map(|app| &app.commands);
    Cli::command().subcommands(commands.map(terminal::Command::define)).subcommand(sim)
}

async fn carry_out(apps: &[App], matches: &ArgMatches) -> Result<(), Exit> {
    let usage = |error: clap::Error| Exit::usage(error.to_string());
    let verbosity = Verbosity::from_arg_matches(matches).map_err(usage)?;
    let (name, inner) = matches.subcommand().unwrap_or(("", matches));
    let found = if name == "sim" {
        let simulators = apps.iter().filter_map(|app| app.simulator.as_ref());
        named(simulators, inner.subcommand())
    } else {
        named(apps.iter().flat_map(|app| &app.commands), Some((name, inner)))
    };
    match found {
        Some((command, matches)) => command.run(matches, apps::resolve).await,
        None => run(Cli::from_arg_matches(matches).map_err(usage)?.command, verbosity).await,
    }
}

fn named<'a>(
    mut commands: impl Iterator<Item = &'a terminal::Command>,
    asked: Option<(&str, &'a ArgMatches)>,
) -> Option<(&'a terminal::Command, &'a ArgMatches)> {
    let (name, matches) = asked?;
    Some((commands.find(|command| command.name == name)?, matches))
}

async fn run(command: Command, verbosity: Verbosity) -> Result<(), Exit> {
    match command {
        Command::Serve(args) => serve::run(args, verbosity).await,
        Command::Migrate(place) => migrations::run(&place, verbosity).await,
        Command::Doctor(args) => doctor::run(&args).await,
        Command::Config { command: ConfigCommand::Show(args) } => explain::show(&args),
        Command::Config { command: ConfigCommand::Explain(args) } => explain::explain(&args),
        Command::User { command } => accounts::user(command).await,
        Command::Token { command } => accounts::token(command).await,
        Command::Secrets { command: SecretsCommand::Rotate(args) } => secrets::rotate(&args).await,
        Command::Backup(args) => backups::backup(&args).await,
        Command::Restore(args) => backups::restore(&args, verbosity).await,
        Command::Version { sbom } => sbom::version(sbom),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut line(&apps::all()), "turno", &mut script);
            output::say(&String::from_utf8_lossy(&script));
            Ok(())
        }
    }
}
