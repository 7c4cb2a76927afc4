//! `turno`: whose turn is it? The command line, and the process that serves.

mod accounts;
mod apps;
mod backups;
mod cli;
mod config;
mod database;
mod docproc;
mod doctor;
mod doors;
mod exit;
mod explain;
mod logs;
mod migrations;
mod output;
mod password;
mod roles;
mod secrets;
mod serve;
mod sim;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use cli::{Cli, Command, ConfigCommand};
use exit::Exit;

fn main() -> ExitCode {
    let Cli { verbosity, command } = Cli::parse();
    let runtime = tokio::runtime::Runtime::new();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(run(command, verbosity)),
        Err(error) => Err(Exit::failed(format!("cannot start the runtime: {error}"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.report(),
    }
}

async fn run(command: Command, verbosity: cli::Verbosity) -> Result<(), Exit> {
    match command {
        Command::Serve(args) => serve::run(args, verbosity).await,
        Command::Migrate(place) => migrations::run(&place, verbosity).await,
        Command::Doctor(args) => doctor::run(&args).await,
        Command::Config { command: ConfigCommand::Show(args) } => explain::show(&args),
        Command::Config { command: ConfigCommand::Explain(args) } => explain::explain(&args),
        Command::User { command } => accounts::user(command).await,
        Command::Token { command } => accounts::token(command).await,
        Command::Backup(args) => backups::backup(&args).await,
        Command::Restore(args) => backups::restore(&args, verbosity).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "turno", &mut script);
            output::say(&String::from_utf8_lossy(&script));
            Ok(())
        }
        Command::Docproc { command } => docproc::run(command).await,
        Command::Sim { command } => sim::run(command).await,
    }
}
