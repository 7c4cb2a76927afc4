//! What this process has to do without for now: it goes on, and `/ready` says so.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value as Json;

/// Things that are away, each with a sentence that says what is known of it. Cheap to clone: whoever
/// notices writes here.
#[derive(Clone, Debug, Default)]
pub struct Shortages(Arc<Mutex<BTreeMap<&'static str, String>>>);

impl Shortages {
    /// Something is away, or is there again. Answers whether that is news.
    pub fn set(&self, what: &'static str, why: Option<String>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match why {
            Some(why) => all.insert(what, why).is_none(),
            None => all.remove(what).is_some(),
        }
    }

    /// The answer of `/ready`, with what is away if anything is.
    pub fn told(&self, mut ready: Json) -> Json {
        let all = self.all();
        if !all.is_empty() {
            ready["degraded"] = all.keys().copied().collect();
            ready["why"] = all.into_values().collect::<Vec<_>>().join("; ").into();
        }
        ready
    }

    pub fn all(&self) -> BTreeMap<&'static str, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn coming_and_going_is_news_once() {
        let all = Shortages::default();
        let other = all.clone();
        assert!(!all.set("storage", None), "it was there");
        assert!(all.set("storage", Some("no answer".to_owned())));
        assert!(!other.set("storage", Some("refused".to_owned())), "still away");
        assert_eq!(other.all().get("storage").map(String::as_str), Some("refused"));
        let told = all.told(json!({ "ready": true }));
        let expected = json!({ "ready": true, "degraded": ["storage"], "why": "refused" });
        assert_eq!(told, expected);
        assert!(other.set("storage", None) && all.all().is_empty());
        assert_eq!(all.told(json!({ "ready": true })), json!({ "ready": true }));
    }
}
