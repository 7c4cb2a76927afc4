//! People look after an alert, or want to hear nothing of it for a while: who, why and until when.

use db::{Decision, audit::Entry, events::NewEvent};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use super::scope;
use crate::{
    Actor, Context,
    store::alerts::{self as rows, Attention, Kept},
};

/// How long an alert may be muted: what is muted for good is better mended or not raised.
const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 30);

/// For how long, from now; none: until it recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term(pub Option<SignedDuration>);

impl Term {
    fn end(self, now: Timestamp) -> Option<Timestamp> {
        self.0.map(|time| now + time.clamp(SignedDuration::from_mins(1), LONGEST))
    }
}

/// What came of it.
pub(crate) enum Attended {
    Done(Box<Kept>),
    /// No alert of that fingerprint fires.
    Unknown,
}

/// Someone looks after it: no more reminders until it recovers and fires again, or until the term ends.
pub(crate) async fn acknowledge(
    context: &Context,
    fingerprint: &str,
    by: &Actor,
    reason: &str,
    term: Term,
) -> Result<Attended, db::Error> {
    let now = context.clock.now();
    let (mut decision, Some(mut kept)) = open(context, fingerprint, now, true).await? else {
        return Ok(Attended::Unknown);
    };
    let attention = wanted(by, reason, term.end(now));
    rows::set_acknowledged(&mut decision.tx, fingerprint, &attention).await?;
    let before = kept.acknowledged.replace(attention.clone());
    record(
        context,
        &mut decision,
        &kept,
        by,
        "alert.acknowledge",
        before.as_ref(),
        Some(&attention),
    );
    tell(context, &mut decision, &kept, by, "alerta:reconocida");
    decision.commit().await?;
    Ok(Attended::Done(Box::new(kept)))
}

/// Nobody is told of it until the term ends, even if it recovers and fires again.
pub(crate) async fn mute(
    context: &Context,
    fingerprint: &str,
    by: &Actor,
    reason: &str,
    time: SignedDuration,
) -> Result<Attended, db::Error> {
    let now = context.clock.now();
    let attention = wanted(by, reason, Term(Some(time)).end(now));
    change_mute(context, fingerprint, by, ("alert.mute", "alerta:silenciada"), Some(attention))
        .await
}

/// It is told of again.
pub(crate) async fn unmute(
    context: &Context,
    fingerprint: &str,
    by: &Actor,
) -> Result<Attended, db::Error> {
    change_mute(context, fingerprint, by, ("alert.unmute", "alerta:audible"), None).await
}

async fn change_mute(
    context: &Context,
    fingerprint: &str,
    by: &Actor,
    (action, event): (&str, &'static str),
    attention: Option<Attention>,
) -> Result<Attended, db::Error> {
    let now = context.clock.now();
    let (mut decision, Some(mut kept)) = open(context, fingerprint, now, false).await? else {
        return Ok(Attended::Unknown);
    };
    rows::set_muted(&mut decision.tx, fingerprint, attention.as_ref()).await?;
    let before = std::mem::replace(&mut kept.muted, attention.clone());
    record(context, &mut decision, &kept, by, action, before.as_ref(), attention.as_ref());
    tell(context, &mut decision, &kept, by, event);
    decision.commit().await?;
    Ok(Attended::Done(Box::new(kept)))
}

async fn open(
    context: &Context,
    fingerprint: &str,
    now: Timestamp,
    firing: bool,
) -> Result<(Decision, Option<Kept>), db::Error> {
    let mut decision = context.store.decide(&scope(), now).await?;
    let kept = rows::find(&mut decision.tx, fingerprint).await?;
    Ok((decision, kept.filter(|kept| kept.firing || !firing)))
}

fn wanted(by: &Actor, reason: &str, until: Option<Timestamp>) -> Attention {
    Attention { by: by.name.clone(), reason: reason.trim().to_owned(), until }
}

fn record(
    context: &Context,
    decision: &mut Decision,
    kept: &Kept,
    by: &Actor,
    action: &str,
    before: Option<&Attention>,
    after: Option<&Attention>,
) {
    let app = context.app(&kept.app).map_or("host", |app| app.name);
    let shown = |one: &Attention| json!({ "por": one.by, "hasta": one.until });
    let reason = after.map(|one| one.reason.clone()).filter(|reason| !reason.is_empty());
    decision.audit(Entry {
        app,
        actor: by.name.clone(),
        role: by.role_in(app).unwrap_or_default().into(),
        action: action.into(),
        subject: kept.fingerprint.clone(),
        before: before.map(shown),
        after: after.map(shown),
        reason,
    });
}

fn tell(context: &Context, decision: &mut Decision, kept: &Kept, by: &Actor, name: &'static str) {
    let app = context.app(&kept.app).map_or("host", |app| app.name);
    let data: Json = json!({ "titulo": kept.title.es, "title": kept.title.en, "por": by.name });
    decision.emit(NewEvent { app, name, subject: Some(kept.fingerprint.clone()), data });
}
