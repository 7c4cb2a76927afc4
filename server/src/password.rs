//! Passwords come from a person at a terminal or from a pipe, never from the command line, which
//! every user of the machine can read.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use terminal::Exit;

pub(crate) fn from_stdin() -> Result<String, Exit> {
    read_line()
}

/// Asks twice, without showing what is typed.
pub(crate) fn ask(name: &str) -> Result<String, Exit> {
    if !std::io::stdin().is_terminal() {
        let message = "there is no terminal to ask for the password";
        return Err(Exit::usage(message).hint("--password-stdin reads it from standard input"));
    }
    let first = ask_once(&format!("Password for {name}: "))?;
    if first == ask_once("The same again: ")? {
        return Ok(first);
    }
    Err(Exit::usage("the two passwords differ").hint("try again; nothing was changed"))
}

fn ask_once(prompt: &str) -> Result<String, Exit> {
    eprint!("{prompt}");
    let _ = std::io::stderr().flush();
    let _silent = Silence::new()?;
    let typed = read_line();
    eprintln!();
    typed
}

fn read_line() -> Result<String, Exit> {
    let mut line = String::new();
    let failed = |error| Exit::failed(format!("cannot read the password: {error}"));
    std::io::stdin().lock().read_line(&mut line).map_err(failed)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// A terminal that does not echo, until dropped.
struct Silence(Termios);

impl Silence {
    fn new() -> Result<Self, Exit> {
        let failed = |error| Exit::failed(format!("cannot silence the terminal: {error}"));
        let before = tcgetattr(std::io::stdin()).map_err(failed)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &silent).map_err(failed)?;
        Ok(Self(before))
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
    }
}
