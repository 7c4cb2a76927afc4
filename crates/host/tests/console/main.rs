//! The console over the real router: personas, forms, JSON, the outside receiver of notices.

mod alerts;
mod house;
mod pages;
mod people;
mod settings;
mod signing_in;
