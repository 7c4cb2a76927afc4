//! The command line as types. What each command does is in the module of its name.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use jiff::{Span, Timestamp};

use terminal::{ClockKind, Installation};

use crate::config::Flag;

const EXAMPLES: &str = "\
Examples:
  turno serve --demo                        look around in a house with a week behind it
  turno user add maria --role ADMIN         the first user, who may let others in
  turno serve --listen 0.0.0.0:8000         open to the network, once a user exists
  turno doctor                              what is wrong, and how to mend it
  turno backup turno-monday.gz              while the server runs
  turno docproc submit invoice.pdf --wait   send a document and wait for what it says

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 not found, 4 conflict,
5 not authorised, 6 unreachable.";

/// Whose turn is it? Decides what runs next when capacity is scarce, and says why.
#[derive(Debug, Parser)]
#[command(name = "turno", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Verbosity {
    /// Say only what is wrong
    #[arg(short, long, global = true, display_order = 900, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more; twice, everything
    #[arg(short, long, global = true, display_order = 900, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the applications: console, API, events and their clocks
    Serve(Serve),
    /// Bring the database up to this version without serving
    Migrate(Installation),
    /// Check this installation and say how to mend what is wrong
    Doctor(Read),
    /// Show and explain the configuration
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// People who may sign in
    User {
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Keys for programs that use the API
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// The key that seals secrets in the database
    Secrets {
        #[command(subcommand)]
        command: SecretsCommand,
    },
    /// Write rows and files into one file, while the server runs
    Backup(Backup),
    /// Fill an empty database from a backup, of either kind
    Restore(Restore),
    /// Say which version this is
    #[command(after_help = "Example: turno version --sbom > turno.cdx.json")]
    Version {
        /// What it was built from: a bill of materials in JSON
        #[arg(long)]
        sbom: bool,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Example: turno completions bash > /etc/bash_completion.d/turno")]
    Completions { shell: Shell },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// Make a new key and seal every secret with it, while no server runs
    Rotate(Rotate),
}

#[derive(Args, Debug)]
pub(crate) struct Rotate {
    #[command(flatten)]
    pub(crate) place: Installation,
    /// A file with the new key, where the key in force comes from the environment
    #[arg(long, value_name = "FILE")]
    pub(crate) new_key_file: Option<PathBuf>,
}

/// What the flags of an installation set.
pub(crate) fn flags(place: &Installation) -> Vec<Flag> {
    let data_dir = flag("--data-dir", "server.data_dir", place.data_dir.as_ref());
    let url = flag("--database-url", "server.database_url", place.database_url.as_ref());
    data_dir.into_iter().chain(url).collect()
}

fn flag(name: &'static str, key: &'static str, value: Option<&String>) -> Option<Flag> {
    value.map(|value| Flag { name, key, value: value.clone() })
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno serve                                             127.0.0.1:8000, SQLite in ./data
  turno serve --demo --clock manual --now 2026-05-04T12:00:00-03:00
  turno serve --listen 0.0.0.0:8000 --database-url postgres://turno@db/turno")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) place: Installation,
    /// Address and port [default: 127.0.0.1:8000]; other than loopback needs a user first
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// Applications to run, with commas [default: all]
    #[arg(long, value_name = "NAMES")]
    pub(crate) apps: Option<String>,
    /// Fill an empty database with a week that was lived, and go on living
    #[arg(long)]
    pub(crate) demo: bool,
    /// Whose time to follow; a manual clock stands still until POST /debug/clock moves it
    #[arg(long, value_enum, default_value_t = ClockKind::System)]
    pub(crate) clock: ClockKind,
    /// Where a manual clock starts, such as 2026-05-04T12:00:00-03:00 [default: now]
    #[arg(long, value_name = "INSTANT")]
    pub(crate) now: Option<Timestamp>,
}

impl Serve {
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let demo = self.demo.then(|| "true".to_owned());
        let flags = [
            flag("--listen", "server.listen", self.listen.as_ref()),
            flag("--apps", "server.apps", self.apps.as_ref()),
            flag("--demo", "server.demo", demo.as_ref()),
        ];
        flags.into_iter().flatten().collect()
    }
}

/// A command that answers a question.
#[derive(Args, Debug)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) place: Installation,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every setting with its value and where it comes from
    Show(Read),
    /// One setting: what it does, its default, and how to change it
    Explain(Explain),
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno config explain server.listen
  turno config explain MAX_PEDIDOS_EN_PREPARACION")]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) read: Read,
    /// Such as server.listen, or the key of an application setting
    pub(crate) key: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a person; asks for the password unless --password-stdin
    Add(UserAdd),
    /// Everyone with their roles
    List(Read),
    /// Keep a person out and end their sessions
    Disable(Named),
    /// Let a person in again
    Enable(Named),
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno user add maria --role ADMIN
  turno user add caja1 --role pedidos:CAJERO
  turno user add chef --role pedidos:COCINA --password-stdin < password.txt")]
pub(crate) struct UserAdd {
    #[command(flatten)]
    pub(crate) place: Installation,
    pub(crate) name: String,
    /// APPLICATION:ROLE, repeatable; ADMIN alone means the whole house
    #[arg(long = "role", value_name = "ROLE", required = true)]
    pub(crate) roles: Vec<String>,
    /// Read the password from the first line of standard input
    #[arg(long)]
    pub(crate) password_stdin: bool,
    /// Replace the password and the roles of someone who exists
    #[arg(long)]
    pub(crate) replace: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Named {
    #[command(flatten)]
    pub(crate) place: Installation,
    pub(crate) name: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print its secret, the only time it can be seen
    Create(TokenCreate),
    /// Every token, never its secret
    List(Read),
    /// End a token at once, by name or number
    Revoke(Named),
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno token create till --role pedidos:CAJERO
  turno token create report --role pedidos:GERENTE --expires 30d
  curl -H \"Authorization: Bearer $(turno token create ci --role ADMIN --expires 1h)\" …")]
pub(crate) struct TokenCreate {
    #[command(flatten)]
    pub(crate) read: Read,
    pub(crate) name: String,
    /// APPLICATION:ROLE, repeatable; ADMIN alone means the whole house
    #[arg(long = "role", value_name = "ROLE", required = true)]
    pub(crate) roles: Vec<String>,
    /// How long it is good for, such as 12h, 30d or 1y [default: until revoked]
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<Span>,
}

#[derive(Args, Debug)]
pub(crate) struct Backup {
    #[command(flatten)]
    pub(crate) read: Read,
    /// Where to write it
    pub(crate) file: PathBuf,
    /// Write over an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// Leave out the files of documents: only for whoever keeps those in another way
    #[arg(long)]
    pub(crate) rows_only: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  turno restore turno-monday.gz --verify                 read it through, change nothing
  turno restore turno-monday.gz --data-dir drill         into a new SQLite database
  turno restore turno-monday.gz --database-url postgres://turno@db/turno")]
pub(crate) struct Restore {
    #[command(flatten)]
    pub(crate) read: Read,
    pub(crate) file: PathBuf,
    /// Only read it through: format, rows, files and every checksum; nothing is touched
    #[arg(long, alias = "check")]
    pub(crate) verify: bool,
    /// Leave the files of documents as they are where they are
    #[arg(long)]
    pub(crate) rows_only: bool,
}
