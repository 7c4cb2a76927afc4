//! The host's own tables: all its SQL.

pub(crate) mod alerts;
pub(crate) mod backups;
pub(crate) mod demonstration;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod users;
