//! How settings change: one or several in one decision, all of them or none.

use db::{
    Decision, Scope,
    settings::{Change, Effective, Invalid, Kind, Refused, Values},
};
use engine::Sentence;
use serde_json::Value as Json;

use crate::{Actor, App, Context};

/// A value that somebody wants.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) key: &'a str,
    pub(super) value: Json,
    /// The version that was looked at; `None` overwrites.
    pub(super) version: Option<i64>,
}

/// Why nothing was changed, and by which of the settings; by none when they do not go together.
#[derive(Clone, Debug)]
pub(super) struct NotMade {
    pub(super) key: Option<String>,
    pub(super) refused: Refused,
}

/// Changes one setting and lets its application react before anyone can see the change.
///
/// Whether the actor may is the caller's question: the function does not look at roles.
pub async fn change_setting(
    context: &Context,
    actor: &Actor,
    app: &str,
    key: &str,
    value: Json,
    expected_version: Option<i64>,
) -> Result<Result<Effective, Refused>, db::Error> {
    let wanted = vec![Wanted { key, value, version: expected_version }];
    let made = change_settings(context, actor, app, wanted).await?;
    let unknown = || Refused::Unknown { key: key.into() };
    Ok(match made {
        Ok(mut made) => made.pop().ok_or_else(unknown),
        Err(not_made) => Err(not_made.refused),
    })
}

/// The same for several that are wanted together.
pub(super) async fn change_settings(
    context: &Context,
    actor: &Actor,
    app: &str,
    wanted: Vec<Wanted<'_>>,
) -> Result<Result<Vec<Effective>, NotMade>, db::Error> {
    let not_made = |key: &str, refused| Ok(Err(NotMade { key: Some(key.to_owned()), refused }));
    let known = context.app(app);
    for one in &wanted {
        let refused = known.map_or_else(
            || Some(Refused::Unknown { key: one.key.into() }),
            |app| refusal(context, app, one),
        );
        if let Some(refused) = refused {
            return not_made(one.key, refused);
        }
    }
    let Some(app) = known else { return Ok(Ok(Vec::new())) };
    let now = context.clock.now();
    let mut decision = context.store.decide(&Scope::new(app.name), now).await?;
    let before = context.settings.load(&mut decision.tx, app.name).await?;
    let made = match put_all(context, &mut decision, (app, actor), wanted).await? {
        Ok(made) => made,
        Err(not_made) => return Ok(Err(not_made)),
    };
    let values = context.settings.load(&mut decision.tx, app.name).await?;
    if let Some((es, en)) = (app.contradiction)(&values) {
        let key = match made.as_slice() {
            [only] => Some(only.spec.key.to_owned()),
            _ => None,
        };
        return Ok(Err(NotMade { key, refused: Refused::Senseless(es, en) }));
    }
    for changed in &made {
        let disarmed = disarm(context, &mut decision, (app, actor), &before, changed).await?;
        if let Some(refused) = disarmed {
            return not_made(changed.spec.key, refused);
        }
    }
    (app.on_settings)(context, &mut decision).await?;
    decision.commit().await?;
    Ok(Ok(made))
}

/// What can be said of a wanted value before anything is read.
fn refusal(context: &Context, app: &App, wanted: &Wanted<'_>) -> Option<Refused> {
    let Wanted { key, value, .. } = wanted;
    // What an application keeps for itself changes by its own commands.
    let spec = context.settings.spec(app.name, key);
    if spec.is_none_or(|spec| spec.kind == Kind::Internal) {
        return Some(Refused::Unknown { key: (*key).into() });
    }
    // PostgreSQL keeps no such character in JSON.
    if value.as_str().is_some_and(|text| text.contains('\0')) {
        let reason =
            Sentence::new("no puede tener el carácter nulo", "must not contain the NUL character");
        return Some(Refused::Invalid(Invalid { key: (*key).into(), reason }));
    }
    let (es, en) = (app.senseless)(&context.options, key, value)?;
    Some(Refused::Senseless(es, en))
}

/// Puts one after the other. One may only be good after another (a capacity above the ceiling that
/// is raised with it), so what is refused is tried again for as long as something else was taken.
async fn put_all(
    context: &Context,
    decision: &mut Decision,
    (app, actor): (&App, &Actor),
    mut wanted: Vec<Wanted<'_>>,
) -> Result<Result<Vec<Effective>, NotMade>, db::Error> {
    let mut made = Vec::new();
    loop {
        let (tried, mut left, mut first) = (wanted.len(), Vec::new(), None);
        for one in wanted {
            let change = Change {
                app: app.name,
                key: one.key,
                value: one.value.clone(),
                actor: &actor.name,
                role: actor.role_in(app.name).unwrap_or_default(),
                expected_version: one.version,
            };
            match context.settings.put(decision, change).await? {
                Ok(effective) => made.push(effective),
                Err(refused @ Refused::Invalid(_)) => {
                    first.get_or_insert(NotMade { key: Some(one.key.to_owned()), refused });
                    left.push(one);
                }
                Err(refused) => {
                    return Ok(Err(NotMade { key: Some(one.key.to_owned()), refused }));
                }
            }
        }
        match first {
            None => return Ok(Ok(made)),
            Some(not_made) if left.len() == tried => return Ok(Err(not_made)),
            Some(_) => wanted = left,
        }
    }
}

/// Forgets the secrets of an address that now points elsewhere: whoever may change the one must not
/// be sent the others there.
async fn disarm(
    context: &Context,
    decision: &mut Decision,
    (app, actor): (&App, &Actor),
    before: &Values,
    changed: &Effective,
) -> Result<Option<Refused>, db::Error> {
    let known = app.destinations.iter().find(|(key, _)| *key == changed.spec.key);
    let old = before.text(changed.spec.key).map(origin).unwrap_or_default();
    let new = changed.value.as_str().map(origin).unwrap_or_default();
    let Some((_, secrets)) = known.filter(|_| !old.is_empty() && old != new) else {
        return Ok(None);
    };
    let values = context.settings.load(&mut decision.tx, app.name).await?;
    for key in *secrets {
        // One that was entered together with the new address is meant for it.
        if before.text(key)?.is_empty() || values.text(key)? != before.text(key)? {
            continue;
        }
        let change = Change {
            app: app.name,
            key,
            value: Json::from(""),
            actor: &actor.name,
            role: actor.role_in(app.name).unwrap_or_default(),
            expected_version: None,
        };
        if let Err(refused) = context.settings.put(decision, change).await? {
            return Ok(Some(refused));
        }
    }
    Ok(None)
}

/// Scheme, host and port of an address.
fn origin(address: &str) -> String {
    let end = address.find("://").map_or(0, |scheme| scheme + 3);
    let rest = address[end..].split(['/', '?', '#']).next().unwrap_or_default();
    format!("{}{rest}", &address[..end]).trim().to_lowercase()
}
