//! The stories of `tests/scenarios/*.txt`, told to a network on either database; [`testkit::story`] says
//! how a line is read.

mod expects;
mod story;

testkit::scenarios! {
    story::Tale:
    s01_the_quota_of_each_interval,
    s02_at_its_quota_a_node_jumps_to_the_full_hour,
    s03_an_undisturbed_node_never_blocks_itself,
    s04_what_still_runs_is_not_counted,
    s05_jumps_share_the_first_minutes_of_the_hour,
    s06_each_level_is_told_once,
    s07_one_at_a_time_on_an_olt_is_the_default,
    s07_the_same_type_waits_for_the_other,
    s08_a_run_of_more_than_five_minutes_is_cut_off,
    s09_seventeen_at_once_start_six_a_minute,
    s10_seventeen_at_a_quarter_past_are_spread,
    s11_six_in_a_minute_are_left_alone,
    s12_what_does_not_fit_is_put_later,
    s13_a_template_that_asks_for_too_much,
    s14_never_more_at_once_than_ten_twenty_thirty,
    s15_the_long_overdue_then_type_then_priority,
    s16_the_grid_holds_however_long_a_run_takes,
    s17_slots_missed_while_down_are_not_caught_up,
    s18_a_restart_is_no_stampede,
    s19_members_follow_one_by_one,
    s19_nobody_follows_a_master_that_was_stopped,
    s20_an_olt_switched_off_ends_everything,
    s21_short_nodes_leave_room_for_the_others,
    s22_a_dead_olt_costs_one_probe,
    s24_a_walk_that_loses_most_is_held,
    s24_presence_follows_complete_walks_only,
    s25_a_get_keeps_what_it_could_read,
    s25_nobody_to_ask_is_a_success,
    rule01_a_template_is_pushed_and_taken_back,
    a_get_of_any_oid_is_kept,
    a_node_at_its_normal_pace_is_no_alarm,
    agents_that_lie_change_nothing,
    an_index_has_as_many_numbers_as_it_has,
    case4_short_gets_of_an_olt_are_asked_together,
    trouble_is_told_apart,
    what_is_old_is_forgotten,
}

/// S-23 is a pure rule, and S-26 kills the process: `rules/formula.rs` and the server's tests.
#[test]
fn every_story_is_told() {
    testkit::story::all_are_told(env!("CARGO_MANIFEST_DIR"), TOLD, 25, &[23]);
}
