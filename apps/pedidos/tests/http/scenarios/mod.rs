//! The stories of `tests/scenarios/*.txt`, told to a shop on either database; [`testkit::story`] says
//! how a line is read.

mod asks;
mod events;
mod expects;
mod story;

testkit::scenarios! {
    story::Tale:
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
    rule08_a_time_is_not_promised_twice,
    rule10_a_pause_ends_by_itself,
    rule14_a_station_finishes_its_lines,
}

/// S-25 takes the database away, differently for each: `outage.rs`.
#[test]
fn every_story_is_told() {
    testkit::story::all_are_told(env!("CARGO_MANIFEST_DIR"), TOLD, 24, &[]);
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
