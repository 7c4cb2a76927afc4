//! Where the outside is spoken to: Socket.IO clients and the alerts of the house.

pub mod alerts;
pub mod sockets;
