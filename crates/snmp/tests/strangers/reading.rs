//! What net-snmp's tools print, read back.

use std::path::{Path, PathBuf};
use std::process::Command;

use snmp::{Oid, Value};

use crate::process::system;

/// One of net-snmp's tools, kept away from the files of this machine.
pub(crate) struct Tool {
    program: PathBuf,
    state: PathBuf,
}

impl Tool {
    pub(crate) fn find(name: &str, state: &Path) -> Option<Self> {
        Some(Self { program: system(name)?, state: state.to_owned() })
    }

    /// What it reads from an agent: numbers for names, bytes for text, nothing translated.
    pub(crate) fn read(&self, login: &str, port: u16, more: &str) -> Vec<(Oid, Value)> {
        let output = Command::new(&self.program)
            .env("SNMP_PERSISTENT_DIR", &self.state)
            .env("SNMPCONFPATH", &self.state)
            .args(["-m", "", "-OneUx", "-t", "5"])
            .args(login.split_whitespace())
            .arg(format!("127.0.0.1:{port}"))
            .args(more.split_whitespace())
            .output()
            .expect("the tool runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        lines(&text).iter().filter_map(|line| row(line)).collect()
    }
}

/// Long values go on in lines that do not begin with a name.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| *line != "End of MIB") {
        match lines.last_mut() {
            Some(last) if !line.starts_with(".1.") => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn row(line: &str) -> Option<(Oid, Value)> {
    let (name, value) = line.split_once(" = ").unwrap_or_else(|| panic!("no row: {line}"));
    if value.starts_with("No more variables") {
        return None;
    }
    let (kind, text) = value.split_once(": ").unwrap_or((value, ""));
    let wrong = || panic!("cannot read {line}");
    let number = || text.trim().parse::<u64>().unwrap_or_else(|_| wrong());
    let value = match kind {
        "INTEGER" => Value::Integer(text.trim().parse().unwrap_or_else(|_| panic!("{line}"))),
        "Hex-STRING" => Value::Bytes(
            text.split_whitespace()
                .map(|byte| u8::from_str_radix(byte, 16).unwrap_or_else(|_| panic!("{line}")))
                .collect(),
        ),
        "\"\"" => Value::Bytes(Vec::new()),
        "OID" => Value::Oid(text.parse().unwrap_or_else(|_| panic!("{line}"))),
        "IpAddress" => {
            let address: std::net::Ipv4Addr = text.parse().unwrap_or_else(|_| panic!("{line}"));
            Value::Address(address.octets())
        }
        "Counter32" => Value::Counter(number() as u32),
        "Gauge32" => Value::Gauge(number() as u32),
        "Counter64" => Value::Counter64(number()),
        "Timeticks" => {
            let ticks = text.trim_start_matches('(').split(')').next().and_then(|n| n.parse().ok());
            Value::Ticks(ticks.unwrap_or_else(|| panic!("{line}")))
        }
        _ => panic!("cannot read {line}"),
    };
    Some((name.parse().unwrap_or_else(|_| panic!("{line}")), value))
}

/// The same names and kinds, and the same values where they stand still.
#[track_caller]
pub(crate) fn same(ours: &[(Oid, Value)], theirs: &[(Oid, Value)]) {
    let names = |rows: &[(Oid, Value)]| rows.iter().map(|(name, _)| name.clone()).collect();
    let (our_names, their_names): (Vec<Oid>, Vec<Oid>) = (names(ours), names(theirs));
    assert_eq!(our_names, their_names);
    for ((name, our), (_, their)) in ours.iter().zip(theirs) {
        match (our, their) {
            (Value::Ticks(_), Value::Ticks(_))
            | (Value::Counter(_), Value::Counter(_))
            | (Value::Counter64(_), Value::Counter64(_)) => {}
            (our, their) => assert_eq!(our, their, "{name}"),
        }
    }
}
