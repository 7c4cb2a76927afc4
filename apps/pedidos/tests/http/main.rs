//! Pedidos as its clients meet it: the real host in this process, real HTTP, both databases.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod contract;
mod outage;
mod scenarios;
mod shop;
mod stream;
mod together;
#[path = "../../../../crates/db/tests/conformance/twins.rs"]
mod twins;

#[tokio::test]
async fn both_dialects_have_one_schema() {
    twins::assert_twins(&[host::MIGRATIONS, pedidos::store::MIGRATIONS]).await;
}
