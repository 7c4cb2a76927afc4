//! What the commands of the line share: how they are declared, what they are told of the installation,
//! how they ask a server, show progress, print and end.

mod bar;
mod command;
mod exit;
mod finding;
mod remote;

pub mod output;

pub use bar::{Bar, Measure};
pub use command::{ClockKind, Command, Deployment, Installation, Resolve, length};
pub use exit::{Code, Exit, with_causes};
pub use finding::{Finding, Verdict};
pub use remote::{Remote, Server, reach};
