//! Settings have one value, one origin and a history.

use db::{
    Store, audit, events,
    settings::{Change, Effective, Kind, Origin, Override, Refused, Setting, Settings},
};
use serde_json::{Value as Json, json};

use crate::test_db::{TestDb, now, scope};

const fn setting(key: &'static str, kind: Kind, default: &'static str) -> Setting {
    Setting::new("demo", key, kind, default, ("Ayuda.", "Help."))
}

const SPECS: [Setting; 6] = [
    setting("PLACES", Kind::IntUpTo { min: 1, ceiling: "CEILING" }, "8"),
    setting("CEILING", Kind::Int { min: 1, max: 200 }, "20"),
    setting("OPEN", Kind::Bool, "true"),
    setting("ORDER", Kind::Choice(&["STRICT", "PROMISE"]), "\"STRICT\""),
    setting("MOTTO", Kind::Text { max: 4 }, "\"hola\""),
    setting("CUTOFF", Kind::TimeOfDay, "\"04:00\""),
];

fn plain() -> Settings {
    Settings::new(SPECS.to_vec(), Vec::new()).unwrap()
}

fn fixed(key: &str, value: i64, origin: Origin) -> Override {
    Override { app: "demo".into(), key: key.into(), value: json!(value), origin }
}

fn file() -> Origin {
    Origin::File("turno.toml".into())
}

fn environment() -> Origin {
    Origin::Environment("DEMO_PLACES".into())
}

async fn get(store: &Store, settings: &Settings, key: &str) -> Effective {
    let mut tx = store.read().await.unwrap();
    let values = settings.load(&mut tx, "demo").await.unwrap();
    values.get(key).unwrap().clone()
}

async fn put(
    store: &Store,
    settings: &Settings,
    key: &str,
    value: Json,
    expected_version: Option<i64>,
) -> Result<Effective, Refused> {
    let mut decision = store.decide(&scope("demo"), now()).await.unwrap();
    let change = Change { app: "demo", key, value, actor: "ana", role: "ADMIN", expected_version };
    let answer = settings.put(&mut decision, change).await.unwrap();
    decision.commit().await.unwrap();
    answer
}

pub(crate) async fn a_default_holds_until_the_console_changes_it(test_db: &TestDb) {
    let (store, other) = (test_db.store().await, test_db.open().await);
    let settings = plain();
    let before = get(&store, &settings, "PLACES").await;
    assert_eq!((before.value, before.origin, before.version), (json!(8), Origin::Default, 0));
    let changed = put(&store, &settings, "PLACES", json!(12), None).await.unwrap();
    assert_eq!((changed.value, changed.version), (json!(12), 1));
    let after = get(&other, &settings, "PLACES").await;
    let by_ana = Origin::Console { by: "ana".into(), at: now() };
    assert_eq!((after.value, after.origin, after.version), (json!(12), by_ana, 1));
    let mut tx = other.read().await.unwrap();
    let values = settings.load(&mut tx, "demo").await.unwrap();
    assert_eq!(values.int("PLACES").unwrap(), 12);
    assert!(values.bool("OPEN").unwrap());
    assert_eq!(values.text("ORDER").unwrap(), "STRICT");
    assert_eq!(values.time_of_day("CUTOFF").unwrap(), jiff::civil::time(4, 0, 0, 0));
    assert!(values.int("ORDER").is_err());
    assert!(values.json("NOTHING").is_err());
    assert_eq!(values.iter().count(), SPECS.len());
}

pub(crate) async fn a_change_is_audited_and_announced(test_db: &TestDb) {
    let store = test_db.store().await;
    put(&store, &plain(), "PLACES", json!(12), None).await.unwrap();
    let mut tx = store.read().await.unwrap();
    let records = audit::latest(&mut tx, i64::MAX, None, None, 10).await.unwrap();
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!((record.action.as_str(), record.subject.as_str()), ("setting.change", "PLACES"));
    assert_eq!((record.actor.as_str(), record.role.as_str()), ("ana", "ADMIN"));
    assert_eq!((&record.before, &record.after), (&Some(json!(8)), &Some(json!(12))));
    let events = events::since(&mut tx, 0).await.unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].name, "configuracion:cambiada");
    assert_eq!(events[0].data, json!({ "clave": "PLACES", "valor": 12, "por": "ana" }));
}

pub(crate) async fn the_environment_outranks_the_console_and_the_console_the_file(
    test_db: &TestDb,
) {
    let store = test_db.store().await;
    let from_file = Settings::new(SPECS.to_vec(), vec![fixed("PLACES", 5, file())]).unwrap();
    let effective = get(&store, &from_file, "PLACES").await;
    assert_eq!((effective.value, effective.origin), (json!(5), file()));
    put(&store, &from_file, "PLACES", json!(6), None).await.unwrap();
    assert_eq!(get(&store, &from_file, "PLACES").await.value, json!(6));
    let mut both = vec![fixed("PLACES", 5, file()), fixed("PLACES", 7, environment())];
    for _ in 0..2 {
        let settings = Settings::new(SPECS.to_vec(), both.clone()).unwrap();
        let effective = get(&store, &settings, "PLACES").await;
        assert_eq!((effective.value, effective.origin), (json!(7), environment()));
        assert_eq!(effective.version, 1);
        both.reverse();
    }
    assert_eq!(get(&store, &plain(), "PLACES").await.value, json!(6));
}

pub(crate) async fn a_locked_key_is_not_changed(test_db: &TestDb) {
    let store = test_db.store().await;
    let locked = Settings::new(SPECS.to_vec(), vec![fixed("PLACES", 7, environment())]).unwrap();
    let refused = put(&store, &locked, "PLACES", json!(9), None).await.unwrap_err();
    let expected = Refused::Locked { key: "PLACES".into(), by: "DEMO_PLACES".into() };
    assert_eq!(refused, expected);
    assert_eq!(get(&store, &plain(), "PLACES").await.version, 0);
    assert_eq!(crate::deciding::traces(&store).await, [0; 4]);
}

pub(crate) async fn a_stale_version_is_refused(test_db: &TestDb) {
    let store = test_db.store().await;
    let settings = plain();
    put(&store, &settings, "PLACES", json!(9), Some(0)).await.unwrap();
    let stale = put(&store, &settings, "PLACES", json!(10), Some(0)).await.unwrap_err();
    assert_eq!(stale, Refused::Stale { current: 1 });
    assert_eq!(get(&store, &settings, "PLACES").await.value, json!(9));
    put(&store, &settings, "PLACES", json!(10), Some(1)).await.unwrap();
    assert_eq!(get(&store, &settings, "PLACES").await.version, 2);
}

pub(crate) async fn a_wrong_value_is_refused(test_db: &TestDb) {
    let store = test_db.store().await;
    let settings = plain();
    for (key, value) in [
        ("PLACES", json!(0)),
        ("PLACES", json!(21)),
        ("PLACES", json!(8.5)),
        ("PLACES", json!("8")),
        ("PLACES", json!(null)),
        ("OPEN", json!(1)),
        ("ORDER", json!("strict")),
        ("MOTTO", json!("hola!")),
        ("CUTOFF", json!("4:00")),
        ("CUTOFF", json!("24:30")),
        ("CUTOFF", json!("T0400")),
    ] {
        let refused = put(&store, &settings, key, value.clone(), None).await.unwrap_err();
        assert!(matches!(refused, Refused::Invalid(_)), "{key} {value}: {refused:?}");
    }
    let unknown = put(&store, &settings, "NOTHING", json!(1), None).await.unwrap_err();
    assert_eq!(unknown, Refused::Unknown { key: "NOTHING".into() });
    assert_eq!(crate::deciding::traces(&store).await, [0; 4]);
    for (key, value) in [
        ("PLACES", json!(20)),
        ("OPEN", json!(false)),
        ("ORDER", json!("PROMISE")),
        ("MOTTO", json!("año🍕")),
        ("CUTOFF", json!("23:59")),
    ] {
        put(&store, &settings, key, value.clone(), None).await.unwrap();
        assert_eq!(get(&store, &settings, key).await.value, value);
    }
}

pub(crate) async fn a_ceiling_moves_with_what_is_under_it(test_db: &TestDb) {
    let store = test_db.store().await;
    let settings = plain();
    let too_low = put(&store, &settings, "CEILING", json!(7), None).await.unwrap_err();
    assert!(matches!(too_low, Refused::Invalid(_)), "8 places are in force: {too_low:?}");
    put(&store, &settings, "CEILING", json!(50), None).await.unwrap();
    put(&store, &settings, "PLACES", json!(50), None).await.unwrap();
    let raised = vec![fixed("PLACES", 30, file()), fixed("CEILING", 40, file())];
    let from_file = Settings::new(SPECS.to_vec(), raised);
    assert!(from_file.is_ok(), "values of one file are judged together: {from_file:?}");
}

pub(crate) async fn one_of_two_racing_editors_wins(test_db: &TestDb) {
    let (one, two) = (test_db.store().await, test_db.open().await);
    let settings = plain();
    let (a, b) = tokio::join!(
        put(&one, &settings, "PLACES", json!(9), Some(0)),
        put(&two, &settings, "PLACES", json!(10), Some(0)),
    );
    assert_eq!([a.is_ok(), b.is_ok()].iter().filter(|won| **won).count(), 1);
    let winner = a.or(b).unwrap().value;
    let effective = get(&one, &settings, "PLACES").await;
    assert_eq!((effective.value, effective.version), (winner, 1));
}
