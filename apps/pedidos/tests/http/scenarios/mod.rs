//! The stories of `tests/scenarios/*.txt`, told to a shop on either database.
//!
//! A line is what someone does (`cashier start A`, `at 20:05:00`), what it is answered with
//! (`=> 409 CODE`) or what must be so (`expect A LISTO`). Times are those of the shop's own clock on
//! the wall. A line that does not hold is reported as `file:line` with what was found instead.

mod asks;
mod events;
mod expects;
mod story;
mod words;

use std::collections::BTreeSet;

use testkit::{TestDb, on_postgres, on_sqlite};

async fn tell(db: &TestDb, name: &str) {
    let file = format!("{}/tests/scenarios/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    story::tell(db, name, &text).await;
}

macro_rules! scenarios {
    ($($name:ident),+ $(,)?) => {
        const TOLD: &[&str] = &[$(stringify!($name)),+];

        mod sqlite {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::on_sqlite(async |db| super::tell(db, stringify!($name)).await).await;
            }
        )+}

        mod postgres {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::on_postgres(async |db| super::tell(db, stringify!($name)).await).await;
            }
        )+}
    };
}

scenarios! {
    s01_wanted_now_into_an_empty_kitchen,
    s02_a_full_kitchen_and_a_freed_place,
    s03_wanted_now_before_scheduled,
    s03_a_promise_under_the_promise_policy,
    s04_oldest_first_and_ties,
    s05_the_planned_start_is_inclusive,
    s06_the_weight_of_an_order_plans_its_start,
    s07_not_yet_due_does_not_block_due,
    s08_a_held_order_waits_for_a_person,
    s09_forced_into_a_full_kitchen,
    s10_a_hold_is_no_free_pass,
    s11_capacity_lowered_and_raised,
    s12_capacity_out_of_range,
    s13_late_is_said_once,
    s14_late_while_waiting,
    s15_everyone_at_once_for_one_place,
    s16_the_worker_and_a_person_start_one_order,
    s17_cancelled_while_it_may_start,
    s18_an_admission_that_fails_halfway,
    s19_the_same_order_twice,
    s20_paid_before_cooked,
    s21_midnight_in_the_middle_of_dinner,
    s22_an_order_for_tomorrow,
    s23_the_day_ends_at_the_cutoff,
    s24_edited_while_cooking,
    rule02_capacity_by_the_hour,
    rule02_capacity_in_effort_points,
    rule03_what_a_day_leaves_behind,
    rule10_a_pause_ends_by_itself,
}

/// S-25 takes the database away, differently for each: `outage.rs`.
#[test]
fn every_story_is_told() {
    let dir = format!("{}/tests/scenarios", env!("CARGO_MANIFEST_DIR"));
    let written: BTreeSet<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .map(|name| name.trim_end_matches(".txt").to_owned())
        .collect();
    let told: BTreeSet<String> = TOLD.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(written, told);
    for number in 1..=24 {
        let start = format!("s{number:02}_");
        assert!(told.iter().any(|name| name.starts_with(&start)), "nobody tells S-{number}");
    }
}

/// S-23: the zone is the shop's, whatever the process and its machine believe.
#[test]
fn the_zone_of_the_process_does_not_matter() {
    let this = std::env::current_exe().unwrap();
    for zone in ["UTC", "Asia/Tokyo"] {
        let told = std::process::Command::new(&this)
            .env("TZ", zone)
            .args(["scenarios::sqlite::s23_", "scenarios::sqlite::s21_"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&told.stdout);
        assert!(told.status.success(), "TZ={zone}: {said}");
        assert!(said.contains("2 passed"), "TZ={zone}: {said}");
    }
}
