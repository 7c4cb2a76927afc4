//! Where the outside is spoken to: Socket.IO clients, the kitchen's printer and the alerts of the house.

pub mod alerts;
pub mod printer;
pub mod sockets;
