//! RabbitMQ, as the house speaks to it: a connection that comes back by itself, topologies that are
//! declared and compared, letters that are confirmed, deliveries that are acknowledged.

mod address;
mod connection;
mod consumer;
mod fault;
mod letter;
mod topology;

pub use address::{Address, Wrong};
pub use connection::{Broker, Changes, Health, reach};
pub use consumer::{Consuming, Death, Delivery, Head};
pub use fault::Fault;
pub use letter::Letter;
pub use topology::{Depth, Exchange, Kind, Queue, Topology};
