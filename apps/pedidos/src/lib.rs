//! Pedidos: the restaurant's orders and the places of its kitchen.

pub mod model;
pub mod policy;
pub mod rules;
