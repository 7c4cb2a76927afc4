//! Where the outside is spoken to.

pub mod fault;
