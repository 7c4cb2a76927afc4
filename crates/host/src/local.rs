//! The house's context together with what one application keeps in this process.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use axum::extract::FromRef;
use futures::future::BoxFuture;
use jiff::Timestamp;
use terminal::Exit;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    Act, AppTask, Context, Driver, Home, Next, OnSettings, Outcome, Prepare, Routes, Tick,
    effects::Claimed, glance::Glanced,
};

/// What the functions of an application are given: everything of the house, and the application's own
/// process state (sockets, clients, workers), built once at the start and passed along.
///
/// An application names it once: `pub type Context = host::Local<Runtime>;`.
#[derive(Debug)]
pub struct Local<T> {
    context: Context,
    pub runtime: Arc<T>,
}

impl<T> Local<T> {
    pub fn new(context: Context, runtime: Arc<T>) -> Self {
        Self { context, runtime }
    }
}

impl<T> Clone for Local<T> {
    fn clone(&self) -> Self {
        Self { context: self.context.clone(), runtime: self.runtime.clone() }
    }
}

impl<T> Deref for Local<T> {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl<T> FromRef<Local<T>> for Context {
    fn from_ref(local: &Local<T>) -> Self {
        local.context.clone()
    }
}

/// Hands the functions of an application their [`Local`] context; used where the [`crate::App`] is put
/// together.
#[derive(Debug)]
pub struct Wiring<T>(Arc<OnceLock<Arc<T>>>);

impl<T: Send + Sync + 'static> Wiring<T> {
    pub fn new(runtime: T) -> Self {
        Self::of(Arc::new(runtime))
    }

    pub fn of(runtime: Arc<T>) -> Self {
        Self(Arc::new(OnceLock::from(runtime)))
    }

    /// What [`Wiring::prepare`] will build; until then nothing of the application runs.
    pub fn later() -> Self {
        Self(Arc::default())
    }

    pub fn prepare<F>(&self, build: fn(Context) -> F) -> Prepare
    where
        F: Future<Output = Result<Arc<T>, Exit>> + Send + 'static,
    {
        let cell = self.0.clone();
        Box::new(move |context| {
            let (cell, runtime) = (cell.clone(), build(context));
            Box::pin(async move {
                let twice = |_| Exit::failed("an application is prepared once");
                cell.set(runtime.await?).map_err(twice)
            })
        })
    }

    fn local(&self) -> impl Fn(Context) -> Local<T> + Send + Sync + 'static {
        let cell = self.0.clone();
        move |context| {
            let runtime = cell.get().expect("an application is prepared before it runs");
            Local::new(context, runtime.clone())
        }
    }

    pub fn routes(&self, build: fn() -> OpenApiRouter<Local<T>>) -> Routes {
        let local = self.local();
        Box::new(move |context| build().with_state(local(context.clone())))
    }

    pub fn tick<F>(&self, name: &'static str, run: fn(Local<T>, Timestamp) -> F) -> Tick
    where
        F: Future<Output = Next> + Send + 'static,
    {
        let local = self.local();
        Tick::new(name, move |context, now| run(local(context), now))
    }

    pub fn task<F>(&self, run: fn(Local<T>) -> F) -> AppTask
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let local = self.local();
        Box::new(move |context| Box::pin(run(local(context))))
    }

    pub fn driver<F>(&self, kind: &'static str, perform: fn(Local<T>, Claimed) -> F) -> Driver
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let local = self.local();
        Driver::new(kind, move |context, effect| perform(local(context), effect))
    }

    pub fn home<F>(
        &self,
        purpose: (&'static str, &'static str),
        act: Act,
        glance: fn(Local<T>) -> F,
    ) -> Option<Home>
    where
        F: Future<Output = Glanced> + Send + 'static,
    {
        let local = self.local();
        let glance = Arc::new(move |context| Box::pin(glance(local(context))) as BoxFuture<_>);
        Some(Home { purpose, act, glance })
    }

    pub fn on_settings(&self, react: Reaction<T>) -> OnSettings {
        let local = self.local();
        Box::new(move |context, decision| react(local(context.clone()), decision))
    }
}

type Reaction<T> =
    for<'a> fn(Local<T>, &'a mut db::Decision) -> BoxFuture<'a, Result<(), db::Error>>;
