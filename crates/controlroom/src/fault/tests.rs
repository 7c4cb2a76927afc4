//! Answers of a Control Room and the fault that each one is.

use proptest::prelude::*;

use super::*;

use Kind as K;

#[test]
fn statuses_and_texts_are_told_apart() {
    let table = [
        (412, "No compatible targets found in automation", K::NoCompatibleTargets),
        (
            412,
            r#"{"message":"NO COMPATIBLE TARGETS FOUND IN AUTOMATION 77"}"#,
            K::NoCompatibleTargets,
        ),
        (
            412,
            r#"{"code":"x","details":"No compatible targets found in automation"}"#,
            K::NoCompatibleTargets,
        ),
        (412, r#"{"message":"No compatible targets found in automation"}"#, K::NoCompatibleTargets),
        (412, "Device PC-01 is offline", K::DeviceUnavailable),
        (412, "", K::DeviceUnavailable),
        (400, r#"{"message":"Bot Runners [PC-01] are not active"}"#, K::DeviceUnavailable),
        (400, "user is NOT CONNECTED", K::DeviceUnavailable),
        (400, "The device is offline.", K::DeviceUnavailable),
        (400, "None of the user(s) provided have default device(s)", K::NoDefaultDevice),
        (400, r#"{"message":"license expired"}"#, K::Rejected),
        (400, "No compatible targets found in automation", K::Rejected),
        (400, "", K::Rejected),
        (401, "{}", K::Unauthorized),
        (403, "", K::Forbidden),
        (404, "the device is offline", K::NotFound),
        (405, "", K::Rejected),
        (409, "", K::Conflict),
        (422, "", K::Rejected),
        (429, "", K::TooMany),
        (302, "", K::Rejected),
        (500, "", K::Server),
        (502, "<html>", K::Server),
        (503, "are not active", K::Server),
        (599, "", K::Server),
        (204, "", K::Malformed),
        (100, "", K::Malformed),
        (700, "", K::Malformed),
    ];
    for (status, body, expected) in table {
        assert_eq!(classify(status, body.as_bytes(), None).kind, expected, "{status} {body}");
    }
}

#[test]
fn messages_are_found_and_kept_short() {
    let said = |body: &str| {
        let fault = classify(400, body.as_bytes(), None);
        assert_eq!(fault.kind, K::Rejected);
        fault.message
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
    assert!(Fault::new(K::InDoubt, "").may_have_been_accepted());
    assert!(!Fault::new(K::Unreachable, "").may_have_been_accepted());
}

#[test]
fn trouble_with_signing_in_never_casts_doubt_on_a_deployment() {
    for status in 100..=599 {
        let fault = classify(status, b"device is offline", None).while_signing_in();
        let about_us =
            matches!(fault.kind, K::Unauthorized | K::Unreachable | K::TooMany | K::Server);
        assert!(about_us && !fault.may_have_been_accepted(), "{status}: {fault:?}");
    }
    let lost = Fault::new(K::InDoubt, "timed out").while_signing_in();
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
        // Kept in both languages, each with what was answered.
        prop_assert!(fault.to_string().chars().count() < 2 * (MESSAGE_CHARS + 100));
        prop_assert!(!fault.to_string().contains('\n'));
        let _ = fault.while_signing_in();
    }
}
