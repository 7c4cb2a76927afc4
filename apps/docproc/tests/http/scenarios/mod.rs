//! The stories of `tests/scenarios/*.txt`, told to an office on either database; [`testkit::story`]
//! says how a line is read.

mod look;
mod story;

testkit::scenarios! {
    story::Tale:
    rule6_two_invoices_of_one_file_are_two_documents,
    rule11_overload_is_lateness_and_not_failure,
    rule12_a_document_is_split_and_each_part_is_read_anew,
    rule12_a_team_has_a_queue_of_its_own,
    rule12_documents_are_merged_and_their_questions_with_them,
    rule14_a_cancelled_request_stays_cancelled,
    rule14_a_request_done_over_gives_the_same_answer,
    rule14_a_request_is_done_over_by_another_workflow,
    rule14_contents_go_when_their_time_is_over,
    rule14_thresholds_are_judged_by_what_people_said,
    rule15_a_component_of_ours_that_no_process_serves_rings,
    s01_five_pages_become_three_documents,
    s02_every_page_is_a_row_a_message_and_an_arrival,
    s06_the_threshold_itself_is_enough,
    s06_the_workflow_beats_the_house,
    s07_only_the_doubtful_field_is_flagged,
    s08_a_person_completes_the_fields_of_a_document,
    s08_a_person_sorts_a_page_and_the_request_completes,
    s10_a_submission_sent_again_with_its_key_is_one,
    s10_an_answer_is_not_held_when_it_is_waited_for,
    s10_an_answer_is_taken_back_before_anything_follows_from_it,
    s10_only_the_claimant_answers_once_and_rightly,
    s10_values_that_break_the_schema_are_told_by_field,
    s11_a_task_goes_to_whoever_can_and_has_least,
    s12_silence_gives_a_task_to_the_next,
    s12_silence_without_anybody_else,
    s13_tasks_are_narrowed_by_skill,
    s14_the_deadline_counts_from_reception,
    s15_an_escalated_request_goes_before_all_others,
    s15_each_checkpoint_at_its_second_and_once,
    s16_a_hundred_deadlines_in_one_look,
    s17_a_failure_is_told_too,
    s17_a_receiver_that_was_down_gets_everything_later,
    s17_enough_is_answered_before_everything_is_done,
    s17_partial_and_final_are_sent,
    s17_partial_at_27_seconds_and_final_at_40,
    s18_a_closed_document_does_not_wait,
    s23_poison_is_tried_so_often_then_buried,
    s24_a_dead_letter_replayed_after_the_fix_completes,
    s24_a_message_that_waits_too_long_is_a_dead_letter,
    s27_fifty_one_classifications_ring_and_fifty_do_not,
    s27_little_time_left_rings_until_it_is_done,
    s27_pictures_are_compared_with_pictures,
    s27_reading_twice_as_long_as_usual_rings,
    s27_three_urgent_tasks_ring_when_two_operators_are_free,
    s27_volume_is_compared_with_the_same_hour_of_the_weekday,
    s28_figures_are_on_the_screen_and_in_the_metrics,
    s29_a_load_is_shared_out_by_component,
}

/// Files of other kinds, races, kills, processes beside each other and golden sets are shown in
/// Rust.
#[test]
fn every_story_is_told() {
    let elsewhere = [3, 4, 5, 9, 19, 20, 21, 22, 25, 26, 30];
    testkit::story::all_are_told(env!("CARGO_MANIFEST_DIR"), TOLD, 30, &elsewhere);
}
