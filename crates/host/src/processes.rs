//! This process says that it lives, and notices which others no longer do.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use db::processes::{self, HEARTBEAT, Process, SILENCE};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use crate::{
    Context,
    resources::{Resources, Sampler},
};

/// Beside the applications: what the process uses.
pub(crate) const USED: &str = "used";

/// This process, as the others see it.
#[derive(Debug)]
pub struct Me {
    pub name: String,
    host: String,
    started_at: Timestamp,
    roles: Mutex<Map<String, Json>>,
    used: Sampler,
}

impl Me {
    /// A name nobody else has, that tells a person where to look.
    pub(crate) fn new(now: Timestamp) -> Self {
        let host = this_host();
        let name = format!("{host}/{}/{:08x}", std::process::id(), rand::random::<u32>());
        let (roles, used) = (Mutex::default(), Sampler::default());
        Self { name, host, started_at: now, roles, used }
    }

    /// The machine it runs on.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// What this process does for an application, for the page of processes.
    pub fn takes_part(&self, app: &str, role: Json) {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        roles.insert(app.to_owned(), role);
    }

    /// What it uses, as of its last heartbeat or now.
    pub fn used(&self) -> Resources {
        self.used.now()
    }

    fn row(&self, now: Timestamp) -> Process {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Resources { cpu_pct, memory_bytes } = self.used();
        roles.insert(USED.to_owned(), json!({ "cpu_pct": cpu_pct, "memory_bytes": memory_bytes }));
        Process {
            name: self.name.clone(),
            host: self.host.clone(),
            pid: i64::from(std::process::id()),
            roles: Json::Object(roles),
            started_at: self.started_at,
            beat_at: now,
        }
    }

    fn misses(&self, other: &Process, now: Timestamp) -> bool {
        other.name != self.name && gone(other, &self.host, now)
    }
}

/// What this process uses, by the component that it is for an application.
fn publish(row: &Process) {
    let used = used(row);
    for (app, role) in row.roles.as_object().into_iter().flatten() {
        let Some(name) = role["name"].as_str().map(str::to_owned) else { continue };
        metrics::gauge!(format!("{app}_process_cpu_ratio"), "component" => name.clone())
            .set(used.cpu_pct / 100.0);
        metrics::gauge!(format!("{app}_process_memory_bytes"), "component" => name)
            .set(used.memory_bytes as f64);
    }
}

/// What a process said it uses.
pub fn used(process: &Process) -> Resources {
    let said = &process.roles[USED];
    Resources {
        cpu_pct: said["cpu_pct"].as_f64().unwrap_or_default(),
        memory_bytes: said["memory_bytes"].as_u64().unwrap_or_default(),
    }
}

/// Whether a process is gone, as a command sees it that is none of them.
pub fn is_gone(other: &Process, now: Timestamp) -> bool {
    gone(other, &this_host(), now)
}

/// Silent for too long, or of this machine and not there any more. A heartbeat of the future was given
/// before the clock was set back.
fn gone(other: &Process, host: &str, now: Timestamp) -> bool {
    let here = other.host == host && Path::new("/proc/self").exists();
    now.duration_since(other.beat_at).abs() > SILENCE || (here && !lives(other.pid))
}

fn this_host() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    Some(host.trim()).filter(|host| !host.is_empty()).unwrap_or("host").to_owned()
}

/// Whether a process of this machine is there, and not only waiting for its parent to bury it.
fn lives(pid: i64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    !(state.is_empty() || state.starts_with(['Z', 'X']))
}

impl Context {
    /// The first heartbeat comes before anything is claimed in this process's name.
    pub(crate) async fn appear(&self) -> Result<(), db::Error> {
        let row = self.process.row(self.clock.real());
        publish(&row);
        self.store.heartbeat(&row).await
    }

    /// Gives signs of life until the server stops, and buries who gives none: at once, for who
    /// follows one that was killed knows it first.
    pub(crate) async fn live(self) {
        let mut answered = self.clock.real();
        loop {
            match self.beat(answered).await {
                Ok(now) => answered = now,
                Err(error) => {
                    tracing::warn!(%error, "no heartbeat: the database does not answer");
                }
            }
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(HEARTBEAT) => {}
            }
        }
    }

    /// Answers when that was, for the next time.
    async fn beat(&self, answered: Timestamp) -> Result<Timestamp, db::Error> {
        self.appear().await?;
        let now = self.clock.real();
        // Nobody was heard while the database was away, or by this clock: they speak first, then they
        // are missed.
        if now.duration_since(answered).abs() > SILENCE {
            return Ok(now);
        }
        let all = processes::all(&mut self.store.read().await?).await?;
        let gone = all.into_iter().filter(|other| self.process.misses(other, now));
        let gone: Vec<String> = gone.map(|other| other.name).collect();
        if !gone.is_empty() && self.store.bury(&gone).await? > 0 {
            tracing::warn!(processes = ?gone, "processes are gone; what they held is free");
            self.wake_all();
        }
        Ok(now)
    }

    /// Leaves in order: what this process held is free at once.
    pub(crate) async fn disappear(&self) {
        // Whoever cannot say so is missed soon.
        let _ = self.store.bury(std::slice::from_ref(&self.process.name)).await;
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    /// A process of another machine cannot be looked up: only its heartbeat tells.
    #[test]
    fn a_process_is_missed_also_by_a_clock_that_was_set_back() {
        let now: Timestamp = "2026-05-04T12:00:00Z".parse().unwrap();
        let me = Me::new(now);
        let beat = |seconds: i64| Process {
            name: "elsewhere/1/a".to_owned(),
            host: "elsewhere".to_owned(),
            beat_at: now - SignedDuration::from_secs(seconds),
            ..me.row(now)
        };
        assert!(!me.misses(&beat(3), now) && !me.misses(&beat(-3), now));
        assert!(me.misses(&beat(7), now), "silent");
        assert!(me.misses(&beat(-7_200), now), "it died before the clock was set back two hours");
        assert!(!me.misses(&me.row(now), now), "never oneself");
    }
}
