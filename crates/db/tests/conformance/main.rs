//! What every database behind the store promises. A new backend is a new runner in [`test_db`].
//!
//! Each case gets an empty database of its own. Several stores opened on one database stand for
//! several processes: they share nothing but the database.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod auditing;
mod backups;
mod crashing;
mod deciding;
mod effects;
mod filing;
mod idempotency;
mod migrations;
mod outages;
mod racing;
mod rows;
mod settings;
mod test_db;
mod twins;
mod values;

/// One test per subject and database: its cases run one after the other in databases that are
/// emptied and used again, because to make a new one takes longer than most cases.
macro_rules! conformance {
    ($($subject:ident: $($case:ident),+;)+) => {
        mod sqlite {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $subject() {
                $(crate::test_db::on_sqlite(stringify!($case), crate::$subject::$case).await;)+
            }
        )+}
        mod postgres {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $subject() {
                $(crate::test_db::on_postgres(stringify!($case), crate::$subject::$case).await;)+
            }
        )+}
    };
}

conformance! {
    migrations:
        every_step_is_applied_once,
        lines_are_added_later,
        processes_that_start_together_take_turns,
        a_changed_step_is_refused,
        a_failing_step_leaves_nothing;
    values:
        every_type_comes_back_as_it_went_in,
        absent_values_stay_absent,
        instants_keep_whole_microseconds,
        text_and_json_keep_every_character,
        floats_keep_every_bit,
        an_unknown_word_is_corruption,
        a_value_of_another_type_is_corruption;
    rows:
        many_rows_are_one_statement,
        rows_choose_what_is_changed,
        a_refused_row_dooms_the_decision;
    deciding:
        a_commit_shows_everything_at_once,
        a_dropped_decision_leaves_no_trace,
        a_plan_is_applied_and_then_settled,
        a_refusal_changes_nothing,
        a_lost_guard_takes_everything_back,
        a_failed_statement_dooms_the_decision,
        a_reader_sees_one_moment,
        a_reader_cannot_write,
        a_commit_tells_who_listens,
        a_cancelled_caller_leaves_the_store_usable,
        events_are_found_by_application_and_name,
        old_events_are_forgotten;
    racing:
        a_limit_is_never_passed,
        parts_are_held_side_by_side,
        numbers_follow_commits,
        the_audit_chain_survives_racing_scopes;
    crashing:
        what_committed_outlives_its_process,
        what_did_not_commit_dies_with_its_process,
        a_store_dropped_after_commit_loses_nothing;
    effects:
        one_key_is_one_effect,
        two_processes_claim_different_effects,
        a_claim_takes_no_more_than_asked,
        a_claim_that_ran_out_is_taken_again,
        a_claim_ends_with_its_process,
        a_process_lives_by_its_heartbeats,
        a_late_outcome_is_refused,
        a_retry_waits_for_its_time,
        dead_effects_stay_down;
    settings:
        a_default_holds_until_the_console_changes_it,
        a_change_is_audited_and_announced,
        the_environment_outranks_the_console_and_the_console_the_file,
        a_locked_key_is_not_changed,
        a_stale_version_is_refused,
        a_wrong_value_is_refused,
        a_ceiling_moves_with_what_is_under_it,
        one_of_two_racing_editors_wins;
    auditing:
        records_are_read_newest_first,
        an_edited_record_breaks_the_chain,
        a_removed_record_breaks_the_chain,
        numbers_do_not_break_the_chain;
    idempotency:
        a_key_answers_once_and_for_all,
        a_dropped_decision_forgets_its_key,
        one_of_two_racers_makes_the_change,
        old_keys_are_forgotten;
    backups:
        a_backup_fills_an_empty_database,
        a_backup_taken_under_load_is_one_moment,
        a_damaged_file_is_refused,
        an_occupied_target_is_refused,
        other_migrations_are_refused,
        numbers_go_on_after_a_restore,
        a_backup_outlives_the_version_that_wrote_it;
    filing:
        files_come_back_byte_by_byte,
        what_is_not_in_it_is_told,
        another_file_is_not_written_over,
        a_damaged_piece_is_noticed;
}

mod schema {
    use db::{Line, Step};

    use crate::{
        test_db::DEMO,
        twins::{assert_twins, differences},
    };

    #[tokio::test]
    async fn both_dialects_have_one_schema() {
        assert_twins(&[DEMO]).await;
    }

    #[tokio::test]
    async fn every_difference_is_named() {
        const UNLIKE: Line = Line {
            name: "unlike",
            steps: &[Step {
                name: "0001_unlike",
                sqlite: "
                    CREATE TABLE unlike (
                        id INTEGER PRIMARY KEY, note TEXT NOT NULL, at TEXT,
                        word TEXT UNIQUE) STRICT;
                    CREATE TABLE only_here (id INTEGER PRIMARY KEY) STRICT;",
                postgres: "
                    CREATE TABLE unlike (
                        id BIGINT PRIMARY KEY, note TEXT, at TIMESTAMPTZ, word TEXT, extra TEXT);",
            }],
        };
        let Some(found) = differences(&[UNLIKE]).await else {
            return;
        };
        let starts = ["only_here", "unlike.at", "unlike.extra", "unlike.note", "unlike: Index"];
        assert_eq!(found.len(), starts.len(), "{found:#?}");
        for (difference, start) in found.iter().zip(starts) {
            assert!(difference.starts_with(start), "{difference}");
        }
    }
}
