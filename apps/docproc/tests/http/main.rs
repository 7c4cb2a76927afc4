//! DocProc as its clients meet it: the real host in this process, real HTTP, both databases. What
//! we do not own, a model of some other house, is a small server that speaks the real protocol of
//! the `http` stage, so that confidences are exact.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod absence;
mod arrivals;
mod atomic;
mod broker;
mod broker_deleted;
mod capacity;
mod chaos;
mod clients;
mod containers;
mod golden;
mod keys;
mod lines;
mod logs;
mod memory;
mod network;
mod office;
mod operation;
mod outside;
mod races;
mod ready;
mod receiver;
mod roles;
mod scenarios;
mod second;
mod stages;
mod storage;
mod tasks;
mod together;
#[path = "../../../../crates/db/tests/conformance/twins.rs"]
mod twins;
mod uploads;
mod wire;
mod work;
mod work_door;
mod yaml;

#[tokio::test]
async fn both_dialects_have_one_schema() {
    twins::assert_twins(&[host::MIGRATIONS, docproc::store::MIGRATIONS]).await;
}
