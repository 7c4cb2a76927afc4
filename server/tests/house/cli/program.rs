//! Runs `turno` in a directory of its own, as a command or as a server on a port it chooses.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use testkit::Client;

/// A directory that no other test uses; removed unless the test fails.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cli-{}-{count}", std::process::id());
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs a command to its end; `arguments` are separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments, &[], "")
    }

    pub(crate) fn run_with(
        &self,
        arguments: &str,
        environment: &[(&str, &str)],
        input: &str,
    ) -> Ran {
        let mut command = self.command(arguments);
        command.envs(environment.iter().copied()).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap_or(-1);
        Ran { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Serves on a free port of `ip` and waits for the line with the address.
    pub(crate) fn serve(&self, ip: &str) -> Served {
        self.start(&format!("serve --listen {ip}:0"))
    }

    /// Starts a command that serves and says where.
    pub(crate) fn start(&self, arguments: &str) -> Served {
        let log = File::create(self.0.join("log")).unwrap();
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let at = line.find("http://").unwrap_or_else(|| {
            panic!("no address in {line:?}: {}", fs::read_to_string(self.0.join("log")).unwrap())
        });
        let url = line[at..].split_whitespace().next().unwrap().trim_end_matches('/').to_owned();
        Served { child, url }
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turno"));
        let ours = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("TURNO_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| ours(name)) {
            command.env_remove(name);
        }
        command.args(arguments.split_whitespace()).current_dir(&self.0);
        command
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.ok()).unwrap()
    }

    /// The command was refused with this code, and said all of these words on standard error.
    #[track_caller]
    pub(crate) fn refused(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in {:?}", self.stderr);
        }
    }
}

/// A server that is killed when dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn client(&self) -> Client {
        Client::anonymous(&self.url)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The smallest order there is.
pub(crate) fn order(name: &str) -> Value {
    json!({
        "modalidad": "RETIRO",
        "articulos": [{ "nombre": name, "peso": 3, "cantidad": 1, "precio": 8900 }],
    })
}
