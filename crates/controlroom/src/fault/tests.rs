//! Answers of a Control Room and the fault that each one is.

use proptest::prelude::*;

use super::*;

fn kind(status: u16, body: &str) -> &'static str {
    match classify(status, body.as_bytes(), None) {
        Fault::NoCompatibleTargets { .. } => "no targets",
        Fault::DeviceUnavailable { .. } => "device",
        Fault::NoDefaultDevice { .. } => "no default device",
        Fault::Rejected { .. } => "rejected",
        Fault::Unauthorized { .. } => "unauthorized",
        Fault::Forbidden { .. } => "forbidden",
        Fault::NotFound { .. } => "not found",
        Fault::Conflict { .. } => "conflict",
        Fault::TooMany { .. } => "too many",
        Fault::Server { .. } => "server",
        Fault::Unreachable { .. } => "unreachable",
        Fault::InDoubt { .. } => "in doubt",
        Fault::Malformed { .. } => "malformed",
    }
}

#[test]
fn statuses_and_texts_are_told_apart() {
    let table = [
        (412, "No compatible targets found in automation", "no targets"),
        (412, r#"{"message":"NO COMPATIBLE TARGETS FOUND IN AUTOMATION 77"}"#, "no targets"),
        (
            412,
            r#"{"code":"x","details":"No compatible targets found in automation"}"#,
            "no targets",
        ),
        (412, r#"{"message":"No compatible targets found in automation"}"#, "no targets"),
        (412, "Device PC-01 is offline", "device"),
        (412, "", "device"),
        (400, r#"{"message":"Bot Runners [PC-01] are not active"}"#, "device"),
        (400, "user is NOT CONNECTED", "device"),
        (400, "The device is offline.", "device"),
        (400, "None of the user(s) provided have default device(s)", "no default device"),
        (400, r#"{"message":"license expired"}"#, "rejected"),
        (400, "No compatible targets found in automation", "rejected"),
        (400, "", "rejected"),
        (401, "{}", "unauthorized"),
        (403, "", "forbidden"),
        (404, "the device is offline", "not found"),
        (405, "", "rejected"),
        (409, "", "conflict"),
        (422, "", "rejected"),
        (429, "", "too many"),
        (302, "", "rejected"),
        (500, "", "server"),
        (502, "<html>", "server"),
        (503, "are not active", "server"),
        (599, "", "server"),
        (204, "", "malformed"),
        (100, "", "malformed"),
        (700, "", "malformed"),
    ];
    for (status, body, expected) in table {
        assert_eq!(kind(status, body), expected, "{status} {body}");
    }
}

#[test]
fn messages_are_found_and_kept_short() {
    let said = |body: &str| match classify(400, body.as_bytes(), None) {
        Fault::Rejected { message, .. } => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(said(r#"{"code":"bad.input","message":" Bot not found "}"#), "Bot not found");
    assert_eq!(said(r#"{"code":"bad.input","message":""}"#), "bad.input");
    assert_eq!(said("  two\nlines "), "two lines");
    assert_eq!(said(&"ñ".repeat(2000)).chars().count(), MESSAGE_CHARS + 1);
}

#[test]
fn waiting_times_are_seconds_or_dates() {
    let now: Timestamp = "2026-05-04T12:00:00Z".parse().unwrap();
    let seconds = |n| Some(Duration::from_secs(n));
    assert_eq!(retry_after("120", now), seconds(120));
    assert_eq!(retry_after(" 0 ", now), seconds(0));
    assert_eq!(retry_after("Mon, 04 May 2026 12:00:30 GMT", now), seconds(30));
    assert_eq!(retry_after("Mon, 04 May 2026 11:00:00 GMT", now), seconds(0));
    for nonsense in ["", "-5", "soon", "99999999999999999999", "Mon, 99 May 2026 12:00:30 GMT"] {
        assert_eq!(retry_after(nonsense, now), None, "{nonsense}");
    }
}

#[test]
fn doubt_is_where_an_answer_is_missing() {
    let doubt = |status| classify(status, b"", None).may_have_been_accepted();
    assert!(doubt(500) && doubt(502) && doubt(504) && doubt(204));
    assert!(!doubt(503) && !doubt(412) && !doubt(401) && !doubt(429));
    assert!(Fault::InDoubt { reason: String::new() }.may_have_been_accepted());
    assert!(!Fault::Unreachable { reason: String::new() }.may_have_been_accepted());
}

#[test]
fn trouble_with_signing_in_never_casts_doubt_on_a_deployment() {
    for status in 100..=599 {
        let fault = classify(status, b"device is offline", None).while_signing_in();
        let about_us = matches!(
            fault,
            Fault::Unauthorized { .. }
                | Fault::Unreachable { .. }
                | Fault::TooMany { .. }
                | Fault::Server { .. }
        );
        assert!(about_us && !fault.may_have_been_accepted(), "{status}: {fault:?}");
    }
    let lost = Fault::InDoubt { reason: "timed out".to_owned() }.while_signing_in();
    assert!(!lost.may_have_been_accepted());
}

proptest! {
    #[test]
    fn any_answer_is_classified(
        status in any::<u16>(),
        body in proptest::collection::vec(any::<u8>(), 0..300),
        header in ".{0,40}",
        second in -10_000_000_000i64..10_000_000_000,
    ) {
        let now = Timestamp::from_second(second).unwrap();
        let wait = retry_after(&header, now);
        let fault = classify(status, &body, wait);
        prop_assert!(fault.to_string().chars().count() < MESSAGE_CHARS + 100);
        prop_assert!(!fault.to_string().contains('\n'));
        let _ = fault.while_signing_in();
    }
}
