//! The console over the real router: personas, forms, JSON, the outside receiver of notices.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod alerts;
mod backups;
mod demo;
mod doors;
mod house;
mod mail;
mod pages;
mod people;
mod postgres;
mod search;
mod settings;
mod signing_in;
