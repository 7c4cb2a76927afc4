//! The one way people create, change and remove a thing: it is found and its version checked under
//! the lock, the change is merged into what stands, and saving and audit commit together.

use axum::http::HeaderMap;
use db::{Decision, Error, Scope, Tx, audit::Entry};
use engine::Roles;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value as Json};
use web::Problem;

use crate::{Context, Desk, Failure, as_json, merged};

/// How things of one kind are edited, one at a time. An application implements it for a name of its
/// own (`Robots`), since the thing itself lives in its pure crate.
#[allow(
    async_fn_in_trait,
    reason = "handlers call it with a concrete type, whose futures are Send"
)]
pub trait Editable: Sized {
    type Item;
    type Role: Roles;
    /// What the application's functions are given.
    type Context: std::ops::Deref<Target = Context>;
    /// What people send to describe it, whole.
    type Request: Serialize + DeserializeOwned;
    /// What people are shown of it, in answers and in the audit.
    type View: Serialize;
    /// How the audit calls it: `robot` gives `robot.crear`, `robot.editar`, `robot.borrar` on
    /// `robot/7`.
    const NOUN: &'static str;
    /// The audit's word for a change.
    const CHANGED: &'static str = "editar";

    /// What is locked while it changes: the whole application, unless it says otherwise.
    fn scope() -> Scope {
        Scope::new(Self::Role::APP)
    }

    fn id(item: &Self::Item) -> i64;

    /// Compared with `If-Match`; none when nobody counts its versions.
    fn version(item: &Self::Item) -> Option<i64>;

    /// 404 for one that is not there.
    fn missing(desk: &At<Self>) -> Problem;

    async fn find(tx: &mut Tx, id: i64) -> Result<Option<Self::Item>, Error>;

    async fn view(item: &Self::Item, desk: &At<Self>, tx: &mut Tx) -> Result<Self::View, Error>;

    /// What the audit keeps of it.
    fn recorded(_item: &Self::Item, view: &Self::View) -> Result<Json, Error> {
        as_json(view)
    }

    /// What people would have to send for it to be as it is. A change is merged into that.
    async fn standing(
        item: &Self::Item,
        tx: &mut Tx,
        change: &Map<String, Json>,
    ) -> Result<Self::Request, Error>;

    /// Checks what is asked for, writes it and gives it back as it is then. It wakes whoever has to
    /// look at it.
    async fn save(
        desk: &At<Self>,
        decision: &mut Decision,
        before: Option<&Self::Item>,
        request: &Self::Request,
    ) -> Result<Self::Item, Failure>;

    /// Removes it, unless something still needs it.
    async fn remove(
        item: &Self::Item,
        desk: &At<Self>,
        decision: &mut Decision,
    ) -> Result<(), Failure>;

    /// The same for a thing that keeps why it was removed.
    async fn remove_because(
        item: &Self::Item,
        desk: &At<Self>,
        decision: &mut Decision,
        _reason: Option<&str>,
    ) -> Result<(), Failure> {
        Self::remove(item, desk, decision).await
    }
}

/// The desk at which a thing is edited.
pub type At<T> = Desk<<T as Editable>::Role, <T as Editable>::Context>;

/// Shows one.
pub async fn one<T: Editable>(desk: &At<T>, id: i64) -> Result<T::View, Failure> {
    let mut tx = desk.context.store.read().await?;
    let item = T::find(&mut tx, id).await?.ok_or_else(|| T::missing(desk))?;
    Ok(T::view(&item, desk, &mut tx).await?)
}

/// Creates one.
pub async fn create<T: Editable>(desk: &At<T>, request: &T::Request) -> Result<T::View, Failure> {
    let mut decision = desk.context.store.decide(&T::scope(), desk.now).await?;
    let view = put::<T>(desk, &mut decision, None, request).await?;
    decision.commit().await?;
    Ok(view)
}

/// Changes the fields that are named; `If-Match` says which version the caller looked at.
pub async fn update<T: Editable>(
    desk: &At<T>,
    id: i64,
    headers: &HeaderMap,
    change: Map<String, Json>,
) -> Result<T::View, Failure> {
    let (mut decision, before) = found::<T>(desk, id, headers).await?;
    let view = change_to::<T>(desk, &mut decision, &before, change).await?;
    decision.commit().await?;
    Ok(view)
}

pub async fn remove<T: Editable>(desk: &At<T>, id: i64) -> Result<(), Failure> {
    remove_version::<T>(desk, id, &HeaderMap::new(), None).await
}

/// Removes the version that the caller looked at, and keeps why.
pub async fn remove_version<T: Editable>(
    desk: &At<T>,
    id: i64,
    headers: &HeaderMap,
    reason: Option<String>,
) -> Result<(), Failure> {
    let (mut decision, before) = found::<T>(desk, id, headers).await?;
    let view = T::view(&before, desk, &mut decision.tx).await?;
    T::remove_because(&before, desk, &mut decision, reason.as_deref()).await?;
    let entry = desk.by().did(format!("{}.borrar", T::NOUN), format!("{}/{id}", T::NOUN));
    decision.audit(Entry { before: Some(T::recorded(&before, &view)?), reason, ..entry });
    decision.commit().await?;
    Ok(())
}

/// An open decision, and the thing as it stands if it is the version that the caller looked at.
async fn found<T: Editable>(
    desk: &At<T>,
    id: i64,
    headers: &HeaderMap,
) -> Result<(Decision, T::Item), Failure> {
    let expected = desk.expected_version(headers)?;
    let mut decision = desk.context.store.decide(&T::scope(), desk.now).await?;
    let item = T::find(&mut decision.tx, id).await?.ok_or_else(|| T::missing(desk))?;
    match (expected, T::version(&item)) {
        (Some(expected), Some(current)) if expected != current => Err(desk.stale(current).into()),
        _ => Ok((decision, item)),
    }
}

/// The fields of a change over the one that stands, inside a decision that is open.
pub async fn change_to<T: Editable>(
    desk: &At<T>,
    decision: &mut Decision,
    before: &T::Item,
    change: Map<String, Json>,
) -> Result<T::View, Failure> {
    let standing = T::standing(before, &mut decision.tx, &change).await?;
    put::<T>(desk, decision, Some(before), &merged(&standing, change, desk.lang)?).await
}

/// Saves one, new or over the one before, inside a decision that is open.
pub async fn put<T: Editable>(
    desk: &At<T>,
    decision: &mut Decision,
    before: Option<&T::Item>,
    request: &T::Request,
) -> Result<T::View, Failure> {
    let old = match before {
        Some(before) => Some(T::recorded(before, &T::view(before, desk, &mut decision.tx).await?)?),
        None => None,
    };
    let saved = T::save(desk, decision, before, request).await?;
    let view = T::view(&saved, desk, &mut decision.tx).await?;
    let verb = if before.is_some() { T::CHANGED } else { "crear" };
    let entry =
        desk.by().did(format!("{}.{verb}", T::NOUN), format!("{}/{}", T::NOUN, T::id(&saved)));
    decision.audit(Entry { before: old, after: Some(T::recorded(&saved, &view)?), ..entry });
    Ok(view)
}
