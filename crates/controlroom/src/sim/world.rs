//! What a Control Room consists of. It changes by calls that are told the instant, and what is to
//! happen later stands on an agenda, so that time can be real or moved by hand.

use std::collections::{BTreeMap, HashMap, VecDeque};

use engine::Chance;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::access::Pass;
use super::callbacks::{Delivery, Notice};
use super::faults::Faults;
use super::settings::{Settings, set_up};
use super::status::{Outcome, Status};
use crate::client::Callback;
use crate::records::File;

/// Executions that are kept; beyond it those that ended first are forgotten.
pub(super) const KEPT: usize = 20_000;

pub(super) struct Machine {
    pub(super) host: String,
    pub(super) connected: bool,
    /// Whether the Control Room has lost track of what runs there.
    pub(super) lost: bool,
    pub(super) running: Option<u64>,
    pub(super) queue: VecDeque<u64>,
}

impl Machine {
    pub(super) fn new(host: String) -> Self {
        Self { host, connected: true, lost: false, running: None, queue: VecDeque::new() }
    }
}

#[derive(Clone)]
pub(super) struct Account {
    pub(super) username: String,
    pub(super) license_features: Vec<String>,
    /// The default device.
    pub(super) device: Option<i64>,
}

#[derive(Clone)]
pub(super) struct Bot {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) kind: String,
    pub(super) description: String,
    pub(super) duration: Option<SignedDuration>,
    pub(super) outcome: Outcome,
    /// Of a hundred executions that would end well, so many fail.
    pub(super) failure_pct: u8,
}

impl Account {
    /// One that nobody described: licensed, and named after its number.
    pub(super) fn numbered(id: i64, device: Option<i64>) -> Self {
        let license_features = vec!["RUNTIME".to_owned()];
        Self { username: format!("bot{id}"), license_features, device }
    }
}

impl Bot {
    pub(super) fn numbered(id: i64) -> Self {
        let name = format!("P{id:04}_Robot");
        Self::new(&name, &format!("Automation Anywhere\\Bots\\RPA\\{name}"))
    }

    pub(super) fn new(name: &str, path: &str) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            kind: File::TASKBOT.to_owned(),
            description: String::new(),
            duration: None,
            outcome: Outcome::Completed,
            failure_pct: 0,
        }
    }
}

/// An execution.
pub(super) struct Run {
    pub(super) deployment: String,
    pub(super) activity: String,
    pub(super) bot: i64,
    pub(super) user: i64,
    pub(super) device: i64,
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) callback: Option<Callback>,
    pub(super) status: Status,
    /// Shown as `UNKNOWN`, whatever it does meanwhile.
    pub(super) lost: bool,
    pub(super) created: Timestamp,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) message: Option<String>,
    /// `botOutput` of its callback.
    pub(super) output: Value,
    /// Changes with every change of status; appointments made before are void.
    pub(super) turn: u32,
    pub(super) deliveries: Vec<Delivery>,
}

/// What is to happen.
pub(super) enum Due {
    Start { run: u64, turn: u32 },
    End { run: u64, turn: u32 },
    Tell(Box<Notice>),
}

pub(super) struct World {
    pub(super) settings: Settings,
    pub(super) faults: Faults,
    pub(super) chance: Chance,
    pub(super) devices: BTreeMap<i64, Machine>,
    pub(super) users: BTreeMap<i64, Account>,
    pub(super) bots: BTreeMap<i64, Bot>,
    pub(super) runs: BTreeMap<u64, Run>,
    pub(super) by_deployment: HashMap<String, u64>,
    pub(super) agenda: BTreeMap<(Timestamp, u64), Due>,
    pub(super) passes: HashMap<String, Pass>,
    /// Requests by entrance, for who wants to know how often it was asked.
    pub(super) requests: BTreeMap<&'static str, u64>,
    pub(super) count: u64,
    /// Of the request at hand: what is younger is left out of the list.
    pub(super) hides: Option<u32>,
    /// Pending tickets by robot; none = the provider fails.
    pub(super) tickets: Option<BTreeMap<String, u64>>,
}

impl World {
    pub(super) fn new(settings: Settings, devices: u32, bots: u32, seed: u64) -> Self {
        let mut world = Self {
            settings,
            faults: Faults::default(),
            chance: Chance::new(seed),
            tickets: Some(BTreeMap::new()),
            devices: BTreeMap::new(),
            users: BTreeMap::new(),
            bots: BTreeMap::new(),
            runs: BTreeMap::new(),
            by_deployment: HashMap::new(),
            agenda: BTreeMap::new(),
            passes: HashMap::new(),
            requests: BTreeMap::new(),
            count: 0,
            hides: None,
        };
        set_up(&mut world, devices, bots);
        world
    }

    /// An id in the form of a UUID of version 4.
    pub(super) fn uuid(&mut self) -> String {
        let (a, b) = (self.chance.number(), self.chance.number());
        let (high, middle, low) = (a >> 32, (a >> 16) & 0xffff, a & 0xfff);
        let variant = 0x8000 | ((b >> 48) & 0x3fff);
        format!("{high:08x}-{middle:04x}-4{low:03x}-{variant:04x}-{:012x}", b & 0xffff_ffff_ffff)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    pub(super) fn schedule(&mut self, at: Timestamp, due: Due) {
        let number = self.number();
        self.agenda.insert((at, number), due);
    }

    /// When something happens next by itself.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.agenda.keys().next().map(|(at, _)| *at)
    }

    /// A device, made if need be where that is allowed.
    pub(super) fn machine(&mut self, id: i64) -> Option<&mut Machine> {
        if self.settings.permissive {
            let made = || Machine::new(format!("PC-{id}"));
            return Some(self.devices.entry(id).or_insert_with(made));
        }
        self.devices.get_mut(&id)
    }

    pub(super) fn bot(&mut self, id: i64) -> Option<&mut Bot> {
        if self.settings.permissive {
            return Some(self.bots.entry(id).or_insert_with(|| Bot::numbered(id)));
        }
        self.bots.get_mut(&id)
    }

    /// A user; one made on the fly has a licence and a device with the same number.
    pub(super) fn user(&mut self, id: i64) -> Option<&mut Account> {
        if self.settings.permissive && !self.users.contains_key(&id) {
            self.machine(id);
            self.users.insert(id, Account::numbered(id, Some(id)));
        }
        self.users.get_mut(&id)
    }
}
