//! The stories of `tests/scenarios/*.txt`, told to a farm on either database; [`testkit::story`] says
//! how a line is read.

mod expects;
mod story;

testkit::scenarios! {
    story::Tale:
    s01_a_slot_opens_at_its_hour_and_closes_after_its_tolerance,
    s02_a_slot_runs_once_on_each_of_its_runners,
    s03_a_slot_belongs_to_the_day_it_began,
    s04_a_late_start_does_not_cost_the_next_night,
    s05_ranges_of_the_month_as_the_preview_shows_them,
    s06_a_cyclic_schedule_rests_between_runs,
    s07_what_is_due_waits_for_the_end_of_the_pause,
    s08_maintenance_and_licence_hold_a_due_schedule,
    s08_a_sync_leaves_maintenance_as_it_is,
    s09_schedules_go_before_reservations,
    s09_a_reservation_takes_a_runner_from_the_balancer,
    s10_a_lost_run_holds_its_runner_for_two_hours,
    s10_a_run_that_is_found_again_begins_a_new_streak,
    s11_five_real_misses_infer_the_end,
    s12_a_callback_closes_once_and_its_verdict_stands,
    s14_a_deploy_without_an_answer_is_adopted,
    s14_a_deploy_that_never_arrived_is_tried_anew,
    s15_an_offline_runner_is_told_at_the_twentieth_time,
    s15_a_robot_that_fits_nowhere_is_suspended,
    s15_a_control_room_that_refuses_costs_nobody_anything,
    s15_a_control_room_that_is_down_costs_nobody_anything,
    s15_a_limit_is_waited_for_as_long_as_it_says,
    s15_a_refused_deploy_suspends_the_pair,
    s16_the_target_follows_the_tickets,
    s17_one_decision_serves_everybody_by_priority,
    s18_priority_takes_runners_but_stops_no_run,
    s19_idle_runners_are_lent_and_come_back,
    s20_a_pool_that_changed_rests,
    r01_whoever_joins_a_pool_leaves_the_one_before,
    r01_what_cannot_be_is_refused,
    r02_the_runners_of_a_schedule_are_fixed,
    r02_schedules_that_make_no_sense_are_refused,
    r06_without_its_callback_a_run_is_reconciled,
    r04_a_robot_is_sent_its_parameters_or_how_often_it_repeats,
    r07_a_provider_that_fails_is_not_zero,
    r07_cooling_outlives_a_restart,
    r09_a_sync_that_fails_changes_nothing,
    r10_a_mapping_says_whom_a_provider_means,
    r10_settings_are_typed_and_ranged,
    r12_a_person_unlocks_a_runner,
    r12_a_simulation_changes_nothing,
    r16_a_failed_slot_is_shown_and_told,
    r16_a_deploy_that_fails_after_it_was_accepted_is_told,
    r16_a_failed_slot_is_tried_again_within_its_tolerance,
    r16_what_does_not_begin_is_told_and_where_wanted_tried_again,
    r16_after_a_run_that_ended_well_nothing_is_launched_for_its_hour,
    s14_an_empty_list_never_doubles_a_run,
    s14_a_person_decides_on_a_deploy_in_doubt,
    s15_a_refusal_of_everybody_is_one_fault_of_the_connection,
    s15_a_corrected_credential_is_tried_at_once,
    r19_a_person_runs_a_robot_now_and_stops_it,
    r20_an_inactive_pool_launches_nothing,
    r20_a_schedule_does_not_run_what_was_before_it,
    r20_a_bot_imported_anew_stays_the_same_robot,
    r20_the_next_run_of_a_cyclic_schedule_is_the_next_one,
}

/// S-13 is about proofs on the wire: `callbacks.rs`.
#[test]
fn every_story_is_told() {
    testkit::story::all_are_told(env!("CARGO_MANIFEST_DIR"), TOLD, 20, &[13]);
}
