//! RabbitMQ, as the house speaks to it: a connection that comes back by itself, topologies that are
//! declared and compared, letters that are confirmed, deliveries that are acknowledged.

mod address;

pub use address::{Address, Wrong};
