//! Reads lists of the Control Room page by page.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::Client;
use crate::fault::{Fault, Kind};
use crate::query::{Direction, Filter, Operator, PAGE, Page, Query};
use crate::records::{Activity, Device, File, User};

/// Pages of one list at most; a list that goes on is one that never ends.
const PAGES: usize = 1000;

const ACTIVITY: &str = "/v3/activity/list";

/// The id makes the order of what was created together the same on every page.
const TIME: [&str; 2] = ["createdOn", "id"];

/// Deployments asked for in one request; the filter names each.
const BATCH: usize = 50;

/// How far the Control Room's clock may be from the one that said "since".
const SKEW: SignedDuration = SignedDuration::from_mins(10);

/// Statuses of what has not ended.
pub const ACTIVE: [&str; 6] =
    ["DEPLOYED", "QUEUED", "PENDING_EXECUTION", "UPDATE", "RUNNING", "RUN_PAUSED"];

/// Which executions are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActivityQuery {
    /// Everything with one of these statuses; what ends while pages are read may be left out, so
    /// absence means nothing until asked for by id.
    Statuses(Vec<String>),
    /// These deployments whatever became of them, asked for in batches.
    Deployments(Vec<String>),
}

impl ActivityQuery {
    pub fn active() -> Self {
        Self::Statuses(ACTIVE.map(str::to_owned).to_vec())
    }
}

impl Client {
    pub async fn activity(&self, query: &ActivityQuery) -> Result<Vec<Activity>, Fault> {
        match query {
            ActivityQuery::Statuses(statuses) => {
                let Some(filter) = any_of("status", statuses) else { return Ok(Vec::new()) };
                self.executions(oldest_first(Some(filter))).await
            }
            ActivityQuery::Deployments(ids) => {
                let mut found = Vec::new();
                for batch in ids.chunks(BATCH) {
                    let query = oldest_first(any_of("deploymentId", batch));
                    found.extend(self.executions(query).await?);
                }
                Ok(found)
            }
        }
    }

    /// The execution with this tag on a device or as a user, if the Control Room has one. `since` is
    /// when it was posted, to know when to stop looking; the newest page is looked through whatever the
    /// clocks say.
    pub async fn find_by_tag(
        &self,
        device: i64,
        user: i64,
        tag: &str,
        since: Timestamp,
    ) -> Result<Option<Activity>, Fault> {
        let since = since.saturating_sub(SKEW).unwrap_or(Timestamp::MIN);
        // Not every version knows every field, so they are not asked for together; ids are text in
        // the filters of the Control Room.
        for (field, id) in [("deviceId", device), ("userId", user)] {
            let mut found = None;
            self.newest(Some(Filter::eq(field, id.to_string())), since, |page| {
                found = page.into_iter().find(|activity| activity.is_tagged(tag));
                found.is_some()
            })
            .await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Everything that was created since then, whatever its name, device and status: the newest page is
    /// read whatever the clocks say.
    pub async fn since(&self, since: Timestamp) -> Result<Vec<Activity>, Fault> {
        let since = since.saturating_sub(SKEW).unwrap_or(Timestamp::MIN);
        let mut found = Vec::new();
        self.newest(None, since, |page| {
            let recent = |one: &Activity| one.created_on.is_none_or(|at| at >= since);
            found.extend(page.into_iter().filter(recent));
            false
        })
        .await?;
        Ok(without_repeats(found))
    }

    pub async fn devices(&self) -> Result<Vec<Device>, Fault> {
        self.everything("/v2/devices/list", Query::by(&["id"], Direction::Asc, None)).await
    }

    /// The vendor documents the first version of this list; houses have been met that serve only the
    /// second.
    pub async fn users(&self) -> Result<Vec<User>, Fault> {
        let query = || Query::by(&["id"], Direction::Asc, None);
        match self.everything("/v1/usermanagement/users/list", query()).await {
            Err(Fault { kind: Kind::NotFound | Kind::Forbidden | Kind::Rejected, .. }) => {
                self.everything("/v2/usermanagement/users/list", query()).await
            }
            answer => answer,
        }
    }

    /// Taskbots of the public workspace whose path contains `path`; all of them when it is empty.
    pub async fn files(&self, path: &str) -> Result<Vec<File>, Fault> {
        let mut conditions = vec![Filter::eq("type", File::TASKBOT)];
        if !path.is_empty() {
            conditions.push(Filter::is(Operator::Substring, "path", path));
        }
        let query = Query::by(&["id"], Direction::Asc, Filter::all(conditions));
        self.everything("/v2/repository/workspaces/public/files/list", query).await
    }

    async fn executions(&self, query: Query) -> Result<Vec<Activity>, Fault> {
        self.everything(ACTIVITY, query).await.map(without_repeats)
    }

    async fn everything<T: DeserializeOwned>(
        &self,
        path: &str,
        query: Query,
    ) -> Result<Vec<T>, Fault> {
        let mut all = Vec::new();
        self.pages(path, query, |page| {
            all.extend(page);
            false
        })
        .await?;
        Ok(all)
    }

    /// Pages from the newest on, until `seen` has enough or all of a page is older than `since`.
    /// The order is checked before it is relied on: not every version sorts by every field. One
    /// that refuses the filter is asked for everything.
    async fn newest(
        &self,
        filter: Option<Filter>,
        since: Timestamp,
        mut seen: impl FnMut(Vec<Activity>) -> bool,
    ) -> Result<(), Fault> {
        let mut last: Option<Timestamp> = None;
        let mut sorted = true;
        let mut look = |page: Vec<Activity>| {
            for activity in &page {
                let created = activity.created_on;
                sorted &= created.is_some() && last.is_none_or(|last| created <= Some(last));
                last = created;
            }
            let past = sorted && last.is_some_and(|last| last < since);
            seen(page) || past
        };
        let query = |filter| Query::by(&TIME, Direction::Desc, filter);
        let filtered = filter.is_some();
        match self.pages(ACTIVITY, query(filter), &mut look).await {
            Err(Fault { kind: Kind::Rejected, status: Some(400), .. }) if filtered => {
                self.pages(ACTIVITY, query(None), &mut look).await
            }
            outcome => outcome,
        }
    }

    /// Hands pages over until there are no more or `enough` says so.
    async fn pages<T: DeserializeOwned>(
        &self,
        path: &str,
        mut query: Query,
        mut enough: impl FnMut(Vec<T>) -> bool,
    ) -> Result<(), Fault> {
        for _ in 0..PAGES {
            let plainer = query.page.offset == 0 && !query.sort.is_empty();
            let answer = match self.call(path, &json!(query)).await {
                // Perhaps it cannot sort by these; its own order is better than no answer.
                Err(Fault { kind: Kind::Rejected, status: Some(400), .. }) if plainer => {
                    query.sort.clear();
                    self.call(path, &json!(query)).await?
                }
                answer => answer?,
            };
            let (records, total) = unpack(answer)?;
            let count = records.len();
            query.page = Page { offset: query.page.offset + count, length: PAGE };
            let over = is_over(count, query.page.offset, total);
            if enough(records) || over {
                return Ok(());
            }
        }
        Err(Fault::malformed(&format!("a list of more than {PAGES} pages")))
    }
}

/// The newest last, so that what is created meanwhile comes on the last page.
fn oldest_first(filter: Option<Filter>) -> Query {
    Query::by(&TIME, Direction::Asc, filter)
}

fn any_of(field: &str, values: &[String]) -> Option<Filter> {
    Filter::any(values.iter().map(|value| Filter::eq(field, value.as_str())).collect())
}

/// Whether a page of `count` records, after which `offset` were read, is the last. The total is
/// believed only where it does not contradict what has been read.
fn is_over(count: usize, offset: usize, total: Option<usize>) -> bool {
    match total {
        _ if count == 0 => true,
        Some(total) if total >= offset => total == offset,
        Some(_) | None => count < PAGE,
    }
}

fn unpack<T: DeserializeOwned>(mut answer: Value) -> Result<(Vec<T>, Option<usize>), Fault> {
    let Some(Value::Array(list)) = answer.get_mut("list").map(Value::take) else {
        return Err(Fault::malformed("an answer without list"));
    };
    let total = answer["page"]["totalFilter"].as_u64().and_then(|n| usize::try_from(n).ok());
    let records: Result<Vec<T>, _> = list.into_iter().map(serde_json::from_value).collect();
    Ok((records.map_err(|error| Fault::malformed(&error.to_string()))?, total))
}

/// What moved to the next page while pages were read comes twice; the later reading counts.
fn without_repeats(mut activities: Vec<Activity>) -> Vec<Activity> {
    activities.reverse();
    let mut seen = HashSet::new();
    activities.retain(|activity| seen.insert(activity.id.clone()));
    activities.reverse();
    activities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_list_is_found_with_and_without_a_total() {
        assert!(is_over(0, 300, None) && is_over(0, 300, Some(900)));
        assert!(is_over(40, 240, None) && !is_over(100, 200, None));
        assert!(is_over(100, 200, Some(200)) && !is_over(100, 200, Some(201)));
        // Pages may be shorter than asked for.
        assert!(!is_over(50, 50, Some(120)));
        // A total smaller than what was read is no total.
        assert!(!is_over(100, 200, Some(1)) && is_over(40, 240, Some(1)));
    }

    #[test]
    fn a_list_without_records_is_no_list() {
        assert!(unpack::<Device>(json!({"page": {}})).is_err());
        assert!(unpack::<Device>(json!([])).is_err());
        assert!(unpack::<Device>(json!({"list": [{"id": "x"}]})).is_err());
        let (devices, total) =
            unpack::<Device>(json!({"list": [{"id": "6"}], "page": {"totalFilter": 9}})).unwrap();
        assert_eq!((devices.len(), total), (1, Some(9)));
    }
}
