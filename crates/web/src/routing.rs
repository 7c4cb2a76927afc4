//! Routes whose handlers are all of one type. A library of routers is compiled anew for every handler it
//! is given and proves each time that all a handler awaits may move between threads; told of one type, it
//! does so once. Half of the time that an application took to compile was this.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{self, MethodFilter, MethodRouter};
use utoipa::__dev::{SchemaReferences, Tags};
use utoipa::Path;
use utoipa::openapi::{RefOr, path::Paths, schema::Schema};
use utoipa_axum::{PathItemExt, router::UtoipaMethodRouter};

/// Names of generated items are put together with it, in [`routes!`].
pub use utoipa_axum::paste;

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler that no longer shows what it takes and awaits.
pub struct Boxed<S>(Arc<dyn Fn(Request, S) -> Answer + Send + Sync>);

impl<S> Clone for Boxed<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: 'static> Handler<(), S> for Boxed<S> {
    type Future = Answer;

    fn call(self, request: Request, state: S) -> Answer {
        (self.0)(request, state)
    }
}

pub fn boxed<T, S>(handler: impl Handler<T, S, Future = Answer>) -> Boxed<S> {
    Boxed(Arc::new(move |request, state| handler.clone().call(request, state)))
}

/// Answers GET with a handler.
pub fn get<T, S: State>(handler: impl Handler<T, S, Future = Answer>) -> MethodRouter<S> {
    routing::get(boxed(handler))
}

/// Answers POST with a handler.
pub fn post<T, S: State>(handler: impl Handler<T, S, Future = Answer>) -> MethodRouter<S> {
    routing::post(boxed(handler))
}

/// What handlers are given: any state of a router.
pub trait State: Clone + Send + Sync + 'static {}

impl<S: Clone + Send + Sync + 'static> State for S {}

/// Handlers of one path with what the API's document says of them; [`routes!`] fills it.
pub struct Documented<S> {
    schemas: Vec<(String, RefOr<Schema>)>,
    paths: Paths,
    router: MethodRouter<S, Infallible>,
}

impl<S: State> Default for Documented<S> {
    fn default() -> Self {
        Self { schemas: Vec::new(), paths: Paths::new(), router: MethodRouter::new() }
    }
}

impl<S: State> Documented<S> {
    /// One more handler, described by `P`, which `#[utoipa::path]` made beside it.
    #[must_use]
    pub fn and<P: Path + Tags<'static> + SchemaReferences>(mut self, handler: &Boxed<S>) -> Self {
        let mut operation = P::operation();
        let tags = P::tags();
        if !tags.is_empty() {
            operation.tags.get_or_insert_default().extend(tags.into_iter().map(String::from));
        }
        P::schemas(&mut self.schemas);
        for method in P::methods() {
            let filter: MethodFilter = method.to_method_filter();
            self.router = self.router.on(filter, handler.clone());
        }
        self.paths.add_path_operation(P::path(), P::methods(), operation);
        self
    }

    pub fn whole(self) -> UtoipaMethodRouter<S> {
        (self.schemas, self.paths, self.router)
    }
}

/// The handlers of one path, each with `#[utoipa::path]`: `routes!(list, create)`, `routes!(api::one)`.
#[macro_export]
macro_rules! routes {
    (@add $found:expr, $handler:ident) => {
        $crate::routing::paste! {
            $found.and::<[<__path_ $handler>]>(&$crate::routing::boxed($handler))
        }
    };
    (@add $found:expr, $module:ident :: $handler:ident) => {
        $crate::routing::paste! {
            $found.and::<$module::[<__path_ $handler>]>(&$crate::routing::boxed($module::$handler))
        }
    };
    ($($($part:ident)::+),+ $(,)?) => {{
        let found = $crate::routing::Documented::default();
        $(let found = $crate::routes!(@add found, $($part)::+);)+
        found.whole()
    }};
}
