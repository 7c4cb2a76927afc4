//! Limits and test mode, which have paths of their own beside the settings.

use db::{
    Decision, Error,
    settings::{Change, Refused},
};
use host::By;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{commit, runs::end};
use crate::{
    Context,
    model::Ending,
    policy::{Limits, TestMode},
    store::{
        self, policy,
        runs::{self, Ended},
    },
};

async fn put(
    context: &Context,
    decision: &mut Decision,
    by: &By,
    key: &'static str,
    value: Json,
) -> Result<Result<(), Refused>, Error> {
    let change = Change {
        app: crate::NAME,
        key,
        value,
        actor: &by.name,
        role: &by.role,
        expected_version: None,
    };
    Ok(context.settings.put(decision, change).await?.map(drop))
}

/// Changes all these limits, or none of them: then the field of each that was refused, and why.
pub async fn set_limits(
    context: &Context,
    by: &By,
    wanted: impl Iterator<Item = (&'static str, &'static str, i64)>,
    now: Timestamp,
) -> Result<Result<Limits, Vec<(&'static str, Refused)>>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let mut wanted: Vec<_> = wanted.collect();
    // A total may have to rise before its parts, or to fall after them: whoever is refused is tried
    // again as long as others were taken.
    loop {
        let (mut wrong, mut left) = (Vec::new(), Vec::new());
        let before = wanted.len();
        for (field, key, value) in wanted {
            if let Err(refused) = put(context, &mut decision, by, key, value.into()).await? {
                wrong.push((field, refused));
                left.push((field, key, value));
            }
        }
        match left.len() {
            0 => break,
            still if still == before => return Ok(Err(wrong)),
            _ => wanted = left,
        }
    }
    let policy = policy::load(context, &mut decision.tx).await?;
    commit(decision).await?;
    Ok(Ok(policy.limits))
}

/// Switches test mode. What runs is of the other mode, and ends.
pub async fn rehearse(
    context: &Context,
    by: &By,
    mode: TestMode,
    now: Timestamp,
) -> Result<(), Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let rules = policy::load(context, &mut decision.tx).await?;
    let value = policy::test_mode_json(mode);
    let kept = put(context, &mut decision, by, policy::TEST_MODE, value).await?;
    kept.map_err(|refused| Error::corrupt(format!("{refused:?}")))?;
    let switched = (rules.test_mode == TestMode::Off) != (mode == TestMode::Off);
    if switched {
        for run in runs::live(&mut decision.tx).await? {
            let over = Ended::interrupted(Ending::Cancelled, json!({ "motivo": "modo prueba" }));
            end(context, &mut decision, &rules, &run, &over).await?;
        }
    }
    commit(decision).await
}
