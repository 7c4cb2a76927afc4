//! What this process has to do without for now: it goes on, and `/ready` says so.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value as Json;

/// Things that are away, each with a sentence that says what is known of it. Cheap to clone: whoever
/// notices writes here.
#[derive(Clone, Debug, Default)]
pub struct Shortages(Arc<Mutex<BTreeMap<Noticed, String>>>);

/// What is away, and who noticed it.
type Noticed = (&'static str, &'static str);

impl Shortages {
    /// Something is away, or is there again. Answers whether that is news.
    pub fn set(&self, what: &'static str, why: Option<String>) -> bool {
        self.set_by(what, what, why)
    }

    /// The same for what several look at, each in its own way: it is there when none of them misses it.
    pub fn set_by(&self, what: &'static str, who: &'static str, why: Option<String>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match why {
            Some(why) => all.insert((what, who), why).is_none(),
            None => all.remove(&(what, who)).is_some(),
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

    /// What is away, with all that is known of it.
    pub fn all(&self) -> BTreeMap<&'static str, String> {
        let mut known: BTreeMap<&'static str, String> = BTreeMap::new();
        for ((what, _), why) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let told = known.entry(*what).or_default();
            if !told.contains(why.as_str()) {
                let joint = if told.is_empty() { "" } else { "; " };
                told.push_str(joint);
                told.push_str(why);
            }
        }
        known
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

    #[test]
    fn what_several_look_at_is_there_when_none_misses_it() {
        let all = Shortages::default();
        let why = |text: &str| Some(text.to_owned());
        assert!(all.set_by("broker", "hints", why("refused")));
        assert!(all.set_by("broker", "letters", why("refused")));
        let said = |all: &Shortages| all.told(json!({}))["why"].clone();
        assert_eq!(said(&all), "refused", "once");
        all.set_by("broker", "letters", why("no queue"));
        assert_eq!(said(&all), "refused; no queue");
        all.set_by("broker", "hints", None);
        let told = all.told(json!({}));
        assert_eq!(told, json!({ "degraded": ["broker"], "why": "no queue" }));
        all.set_by("broker", "letters", None);
        assert!(all.all().is_empty());
    }
}
