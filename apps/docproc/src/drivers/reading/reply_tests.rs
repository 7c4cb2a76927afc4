//! How answers of those outside are taken apart.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn payload(body: Json) -> Map<String, Json> {
    let Json::Object(payload) = body else { panic!("an object") };
    payload
}

#[test]
fn an_answer_is_a_list_a_message_or_short() {
    let message = json!({ "request_id": "r", "payload": { "a": 1 } });
    let said = |body| parse(body).unwrap();
    let list = said(json!([["__backoffice__", message]]));
    assert_eq!((list.to.as_str(), list.request.as_deref()), ("__backoffice__", Some("r")));
    assert_eq!(said(message).payload, payload(json!({ "a": 1 })));
    assert_eq!(said(json!({ "doc_type": "x" })).payload["doc_type"], "x");
    assert_eq!(said(json!([])).to, "__next__", "nothing to add");
    for bad in [
        json!(7),
        json!("__next__"),
        json!([["__next__"]]),
        json!([[1, {}]]),
        json!([{}]),
        json!([["__next__", 3]]),
        json!([["__next__", { "payload": [] }]]),
        json!([["a", {}], ["b", {}]]),
    ] {
        assert!(parse(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn a_page_has_text_or_words_and_a_type() {
    let about = |body| about_page(&mut payload(body));
    let read = |body| match about(body).unwrap() {
        Found::Page { text: Some(text), evidence: Some(_), scores: None } => text,
        other => panic!("{other:?}"),
    };
    let text = read(json!({ "text": "HOLA\nMUNDO", "confidence": 0.5 }));
    assert_eq!((text.text().as_str(), text.confidence()), ("HOLA\nMUNDO", 0.5));
    let words = json!([{ "text": "A", "box": [1, 2, 3, 4], "confidence": 0.9 }]);
    let text = read(json!({ "words": words, "width": 100, "height": 200 }));
    assert_eq!((text.width, text.height, text.words[0].place.w), (100.0, 200.0, 3.0));
    let found = about(json!({ "doc_type": "invoice", "confidence": 0.7 })).unwrap();
    let scores = Some(vec![("invoice".to_owned(), 0.7)]);
    assert_eq!(found, Found::Page { text: None, evidence: None, scores });
    for (bad, said) in [
        (json!({ "text": 4 }), "text"),
        (json!({ "words": "A" }), "words"),
        (json!({ "words": [{ "text": "A", "box": [1, 2] }] }), "box"),
        (json!({ "words": [{ "text": "A", "box": [1, -2, 3, 4] }] }), "box"),
        (json!({ "words": [{ "box": [1, 2, 3, 4] }] }), "text"),
        (json!({ "doc_type": ["a"] }), "doc_type"),
        (json!({ "doc_type": "a", "confidence": 1.5 }), "confidence"),
        (json!({ "scores": { "a": "much" } }), "confidence"),
        (json!({ "scores": [0.5] }), "scores"),
    ] {
        let error = about(bad.clone()).unwrap_err();
        assert!(error.en.contains(said), "{bad}: {error:?}");
        assert_ne!(error.es, error.en, "{bad}");
    }
}

#[test]
fn what_comes_back_as_it_went_out_says_nothing() {
    assert!(same(&json!({ "a": [1.0, null] }), &json!({ "a": [1, null] })));
    assert!(!same(&json!({ "a": 1 }), &json!({ "a": 1, "b": 2 })));
    assert!(!same(&json!("1"), &json!(1)));
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        any::<f64>().prop_map(|n| json!(n)),
        "[a-z_]{0,8}".prop_map(Json::from),
        Just(json!("__next__")),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let names =
            prop_oneof!["payload", "text", "words", "box", "scores", "doc_type", "[a-z]{1,3}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(names, inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Whatever is sent is understood or refused, and confidences stay confidences.
    #[test]
    fn no_answer_breaks_the_reader(body in any_json()) {
        let Ok(reply) = parse(body) else { return Ok(()) };
        let mut payload = reply.payload;
        if let Ok(Found::Page { scores: Some(scores), .. }) = about_page(&mut payload) {
            prop_assert!(scores.iter().all(|(_, p)| (0.0..=1.0).contains(p)));
        }
    }
}
