//! Where the outside is spoken to: files, engines, services, receivers of answers, the directory.

pub mod broker;
pub mod callback;
pub mod envelopes;
pub mod environment;
pub mod folder;
pub mod foreground;
pub mod passwords;
pub mod reading;
pub mod reception;
pub mod retention;
pub mod runtime;
pub mod storage;
pub mod workflows;
