//! `.env` beside the process (DocProc §10.1): variables of ours that nobody set otherwise.
//!
//! A process cannot safely change its own environment, so it begins anew with what the file adds.

use std::{
    collections::BTreeMap,
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use terminal::Exit;

const FILE: &str = ".env";
const OURS: [&str; 2] = ["DOCPROC_", "TURNO_"];
/// Of the compose file, which reads `.env` too.
const OF_COMPOSE: [&str; 2] = ["TURNO_ADMIN_PASSWORD", "TURNO_IMAGE"];

/// Begins anew with the variables of the file, if it has any that are not there yet. Comes back only
/// when there are none, or when something is wrong.
pub(crate) fn take_up() -> Option<ExitCode> {
    let text = std::fs::read_to_string(FILE).ok()?;
    let added = match variables(&text) {
        Ok(all) => all.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()),
        Err(line) => {
            let exit = Exit::usage(format!("{FILE}:{line}: NAME=value is expected"));
            return Some(exit.report());
        }
    };
    let added: BTreeMap<String, String> = added.collect();
    if added.is_empty() {
        return None;
    }
    let again = std::env::current_exe()
        .map(|program| Command::new(program).args(std::env::args_os().skip(1)).envs(added).exec());
    let error = again.unwrap_or_else(|error| error);
    Some(Exit::failed(format!("cannot begin anew with {FILE}: {error}")).report())
}

/// Ours among the lines of a file, or the number of one that is none.
fn variables(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let mut found = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').ok_or(n + 1)?;
        let name = name.trim();
        let ours = OURS.iter().any(|prefix| name.starts_with(prefix));
        if ours && !OF_COMPOSE.contains(&name) {
            found.insert(name.to_owned(), unquoted(value.trim()).to_owned());
        }
    }
    Ok(found)
}

/// A value as shells and compose files read it: quotes around it are none of it, and without quotes
/// a comment may follow.
fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some((inside, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote))
        {
            return inside;
        }
    }
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_shells_and_compose_files_do() {
        let text = "# a comment\n\nDOCPROC_COMPONENT_NAME=ocr # one\nexport TURNO_LOG_LEVEL='debug'\n\
                    DOCPROC_STORAGE_PATH=\"/a b\"\nPOSTGRES_PASSWORD=x\nTURNO_IMAGE=turno:1\n";
        let found: Vec<_> = variables(text).unwrap().into_iter().collect();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            found,
            [
                pair("DOCPROC_COMPONENT_NAME", "ocr"),
                pair("DOCPROC_STORAGE_PATH", "/a b"),
                pair("TURNO_LOG_LEVEL", "debug"),
            ]
        );
        assert_eq!(variables("A=1\nnonsense"), Err(2));
    }
}
