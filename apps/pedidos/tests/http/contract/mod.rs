//! What clients rely on, and what bad requests leave behind: nothing.

mod bodies;
mod editing;
mod events;
mod keys;
mod lifecycle;
mod lists;
mod menu;
mod printing;
mod privacy;
mod roles;
mod rules;
pub(crate) mod sockets;

macro_rules! on_both {
    ($($module:ident: $($case:ident),+;)+) => {
        mod sqlite {
            $(mod $module {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    testkit::on_sqlite(crate::contract::$module::$case).await;
                }
            )+})+
        }
        mod postgres {
            $(mod $module {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    testkit::on_postgres(crate::contract::$module::$case).await;
                }
            )+})+
        }
    };
}

on_both! {
    bodies:
        a_bad_body_changes_nothing,
        a_bad_field_is_named,
        absurd_text_changes_nothing,
        what_does_not_exist_is_not_found,
        bad_filters_are_refused;
    editing:
        an_old_version_is_refused,
        articles_and_rules_have_versions;
    events:
        events_have_the_shapes_clients_know,
        a_client_resumes_where_it_left,
        a_client_that_was_away_too_long_reloads;
    keys:
        one_key_is_one_order,
        one_key_is_one_act,
        a_key_must_be_a_key;
    lifecycle:
        only_legal_moves_are_made,
        force_obeys_the_same_graph;
    lists:
        a_customer_is_found_without_accents,
        lists_go_on_by_cursor,
        the_newest_are_never_cut_away,
        a_station_is_given_its_own;
    menu:
        an_old_tag_brings_no_stock_back,
        a_field_left_out_stays,
        an_open_order_keeps_what_left_the_menu,
        the_menu_says_what_things_cost,
        extras_are_in_the_total,
        a_dish_is_on_the_menu_once,
        a_schedule_is_said;
    printing:
        a_ticket_reaches_the_printer,
        tickets_print_as_they_enter_and_change,
        a_printer_that_is_off_is_told,
        the_browser_prints_too;
    privacy:
        the_kitchen_learns_nothing_of_customers,
        health_and_screen_are_public_and_anonymous;
    roles:
        every_role_may_do_its_part,
        strangers_are_asked_who_they_are;
    rules:
        settings_out_of_range_change_nothing,
        capacity_rules_may_not_contradict_each_other,
        what_was_learned_counts_once_it_is_switched_on,
        an_idle_day_hardly_ticks;
    sockets:
        socket_clients_hear_what_they_may,
        socket_clients_resume_where_they_left,
        a_revoked_socket_is_not_let_in_again,
        sockets_take_places_and_make_room;
}
