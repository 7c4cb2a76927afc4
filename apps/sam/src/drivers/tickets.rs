//! Asks the providers of tickets: Clouders by HTTP, and any database by SQL.

use std::{collections::BTreeMap, time::Duration};

use db::{Error, settings::Values};
use serde_json::Value as Json;

use crate::store::policy;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Robots one provider may name.
const MOST: usize = 10_000;
const PATH: &str = "/automatizacion/task/api/stats/pending_by_robot";

/// Pending tickets by the provider's own names, or why it did not say.
pub type Answer = Result<BTreeMap<String, i64>, String>;

/// What every provider that is configured says.
pub async fn ask(values: &Values) -> Result<Vec<(&'static str, Answer)>, Error> {
    let (clouders, sql) = tokio::join!(clouders(values), sql(values));
    let answers = [("Clouders", clouders?), ("SQL", sql?)];
    Ok(answers.into_iter().filter_map(|(provider, one)| Some((provider, one?))).collect())
}

async fn clouders(values: &Values) -> Result<Option<Answer>, Error> {
    let url = values.text(policy::CLOUDERS_URL)?.trim().trim_end_matches('/');
    if url.is_empty() {
        return Ok(None);
    }
    let auth = values.text(policy::CLOUDERS_AUTH)?;
    Ok(Some(ask_clouders(&format!("{url}{PATH}"), auth).await))
}

/// More than the names and counts of every robot that there may be.
const LONGEST: usize = 4 << 20;

async fn ask_clouders(url: &str, auth: &str) -> Answer {
    let said = |error: reqwest::Error| error.without_url().to_string();
    let client = http_client::straight(ANSWER_TIMEOUT).build().map_err(said)?;
    let mut request = client.get(url).header("accept", "application/json");
    if !auth.is_empty() {
        request = request.header("authorization", auth);
    }
    let answer = request.send().await.map_err(said)?.error_for_status().map_err(said)?;
    let body = http_client::read_at_most(answer, LONGEST).await.map_err(said)?;
    let body = body.ok_or_else(|| "the answer is longer than a list of tickets".to_owned())?;
    read(&serde_json::from_slice(&body).map_err(|error| error.to_string())?)
}

/// A list of objects, each mapping names of robots to counts. Anything else is a failure: half an
/// answer would read as "no tickets".
fn read(json: &Json) -> Answer {
    let wrong = || "the answer is not a list of {robot: count}".to_owned();
    let list = json.as_array().ok_or_else(wrong)?;
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for object in list {
        for (name, count) in object.as_object().ok_or_else(wrong)? {
            let number = count.as_i64().or_else(|| count.as_str()?.trim().parse().ok());
            let count = number.filter(|count| *count >= 0).ok_or_else(wrong)?;
            let sum = counts.entry(name.trim().to_owned()).or_default();
            *sum = sum.saturating_add(count);
            if counts.len() > MOST {
                return Err(format!("more than {MOST} robots"));
            }
        }
    }
    Ok(counts)
}

async fn sql(values: &Values) -> Result<Option<Answer>, Error> {
    let (url, query) =
        (values.text(policy::SQL_URL)?.trim(), values.text(policy::SQL_QUERY)?.trim());
    if url.is_empty() || query.is_empty() {
        return Ok(None);
    }
    let asked = db::outside::counts(url, query, MOST);
    let answer = match tokio::time::timeout(ANSWER_TIMEOUT, asked).await {
        Ok(Ok(rows)) => Ok(rows.into_iter().map(|(name, n)| (name.trim().to_owned(), n)).fold(
            BTreeMap::new(),
            |mut counts, (name, n)| {
                *counts.entry(name).or_insert(0) += n.max(0);
                counts
            },
        )),
        Ok(Err(error)) => Err(error),
        Err(_) => Err("no answer in time".to_owned()),
    };
    Ok(Some(answer))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn clouders_answers_are_read_whole_or_not_at_all() {
        let good = json!([{ "A": 3 }, { "B": "4", " A ": 2 }]);
        let read_back = read(&good).unwrap();
        assert_eq!(read_back, BTreeMap::from([("A".into(), 5), ("B".into(), 4)]));
        assert_eq!(read(&json!([])).unwrap().len(), 0);
        for bad in [json!({}), json!([3]), json!([{ "A": -1 }]), json!([{ "A": "x" }]), json!(null)]
        {
            assert!(read(&bad).is_err(), "{bad}");
        }
    }
}
