//! Puts the applications behind one door.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request, State},
    http::{Method, StatusCode},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use tower_http::{
    catch_panic::CatchPanicLayer, compression::CompressionLayer, timeout::RequestBodyTimeoutLayer,
};
use utoipa::{
    PartialSchema as _, ToSchema as _,
    openapi::{
        Content, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Response as Answer,
        path::Operation,
    },
};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::routing::get;
use web::{Assets, Lang, Problem, Way, bounds::Bounds};

use crate::{
    Context, Nav, check::OUT_OF_RANGE, console, console::reference::Group, debug, demo, disk, door,
    health, live, metrics,
};

/// Longer than any handler; streams are not bounded by it once they have begun.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(30);

/// The whole HTTP surface.
pub fn router(context: &Context) -> Router {
    let info = InfoBuilder::new()
        .title("Turno")
        .version(context.options.version)
        .description(Some("Whose turn is it? Errors are RFC 9457 problems."));
    let api = OpenApiBuilder::new().info(info.build()).build();
    let mut open_api = OpenApiRouter::<Context>::with_openapi(api)
        .routes(routes!(health::health))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(live::stream))
        .merge(console::routes());
    if context.clock.is_manual() && !context.clock.runs_on() {
        open_api = open_api.routes(routes!(debug::move_clock));
    }
    let own = paths(&open_api);
    let mut groups = Vec::new();
    for app in &context.apps {
        let routes = (app.routes)(context);
        groups.push(Group {
            app: app.name,
            title: app.title,
            paths: paths(&routes),
            spanish: app.spanish,
        });
        open_api = open_api.merge(routes);
    }
    groups.push(Group { app: "", title: ("Turno", "Turno"), paths: own, spanish: "" });
    let (router, mut api) = open_api.split_for_parts();
    add_problems(&mut api);
    web::bounds::count(&mut api);
    let bounds = Arc::new(bounds(context, &api, &groups));
    let network = &context.options.network;
    let (origin, secure) = (network.public_url.as_deref().into(), network.is_secure());
    let mut assets = Assets::default();
    for bundle in context.apps.iter().flat_map(|app| &app.assets) {
        assets = assets.with(bundle);
    }
    router
        .merge(assets.router())
        .merge(console::reference::routes(&api, &groups))
        .route("/preferencias", get(web::preferences))
        .fallback(|lang: Lang| async move { Problem::no_such_route(lang).await })
        .method_not_allowed_fallback(
            |lang: Lang| async move { Problem::no_such_method(lang).await },
        )
        .layer(middleware::from_fn_with_state(bounds, web::bounds::attach))
        .layer(middleware::from_fn(without_nul))
        .layer(middleware::from_fn_with_state(context.clone(), door::identify))
        .layer(middleware::from_fn_with_state(context.clone(), demo::wait))
        .layer(middleware::from_fn_with_state(origin, web::security::same_origin))
        .layer(middleware::from_fn_with_state(ways(context, &groups), web::problem_pages))
        .layer(middleware::from_fn(measure))
        .layer(middleware::from_fn(web::security::headers))
        .layer(middleware::from_fn_with_state(secure, web::security::transport))
        .layer(DefaultBodyLimit::max(context.options.body_bytes))
        .layer(RequestBodyTimeoutLayer::new(network.limits.body))
        .layer(middleware::from_fn_with_state(context.clone(), disk::spare))
        .layer(middleware::from_fn_with_state(context.clone(), in_time))
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            tracing::error!("a handler panicked; the request got a 500");
            Problem::internal(Lang::Es).into_response()
        }))
        .with_state(context.clone())
}

/// Whoever looks for what is not there goes back to the closest page in the menus, or to the first page
/// of the application whose address it is.
fn ways(context: &Context, groups: &[Group]) -> Arc<[Way]> {
    let way =
        |under: &str, nav: &Nav| Way { under: under.to_owned(), href: nav.href, title: nav.title };
    let menus = context.apps.iter().flat_map(|app| app.nav);
    let first = groups.iter().flat_map(|group| {
        let nav = context.app(group.app).and_then(|app| app.nav.first());
        let roots = group.paths.iter().filter_map(|path| path.split('/').nth(1));
        let roots: BTreeSet<_> = roots.filter(|root| *root != "api").collect();
        roots.into_iter().filter_map(move |root| Some(way(&format!("/{root}"), nav?)))
    });
    first.chain(menus.map(|nav| way(nav.href, nav))).collect()
}

/// What the document says of numbers, refused as the application that a path is of refuses.
fn bounds(context: &Context, api: &OpenApi, groups: &[Group]) -> Bounds {
    let api = serde_json::to_value(api).expect("a document is JSON");
    let answer = |path: &str| {
        let group = groups.iter().find(|group| group.paths.iter().any(|known| known == path));
        let app = context.apps.iter().find(|app| group.is_some_and(|group| group.app == app.name));
        app.map_or(OUT_OF_RANGE, |app| app.out_of_range)
    };
    Bounds::of(&api, answer, |path| door::proves_itself(context, path))
}

/// A NUL in an address would reach a database that keeps none.
async fn without_nul(lang: Lang, request: Request, next: Next) -> Response {
    let address = request.uri();
    if [address.path(), address.query().unwrap_or_default()].iter().any(|part| part.contains("%00"))
    {
        return Problem::nul(lang).into_response();
    }
    next.run(request).await
}

/// Answers for a handler that takes too long. Time travel takes as long as it takes: each tick on
/// the way runs for real; and so does what an application calls unhurried.
async fn in_time(
    State(context): State<Context>,
    lang: Lang,
    request: Request,
    next: Next,
) -> Response {
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or_else(|| request.uri().path(), MatchedPath::as_str);
    let unhurried = context.apps.iter().flat_map(|app| app.unhurried);
    if route == debug::PATH || unhurried.into_iter().any(|one| *one == route) {
        return next.run(request).await;
    }
    tokio::time::timeout(HANDLER_TIMEOUT, next.run(request)).await.unwrap_or_else(|_| {
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "TIEMPO_AGOTADO")
            .lang(lang)
            .detail(lang.t(
                "La respuesta tardó demasiado; puede que el cambio se haya hecho.",
                "The answer took too long; the change may have been made.",
            ))
            .into_response()
    })
}

fn paths(routes: &OpenApiRouter<Context>) -> Vec<String> {
    routes.get_openapi().paths.paths.keys().cloned().collect()
}

/// What any read may be refused with, and what any change may be refused with besides.
const READING: [u16; 5] = [400, 401, 403, 404, 503];
const CHANGING: [u16; 7] = [409, 412, 413, 415, 422, 429, 507];

/// Every answer that is not a success is a problem, said here once for all operations; handlers
/// declare what they answer when all is well, and refusals of their own.
fn add_problems(api: &mut OpenApi) {
    let schemas = &mut api.components.get_or_insert_default().schemas;
    let mut needed = vec![(Problem::name().into_owned(), Problem::schema())];
    Problem::schemas(&mut needed);
    schemas.extend(needed);
    for path in api.paths.paths.values_mut() {
        let changing = [&mut path.put, &mut path.post, &mut path.delete, &mut path.patch];
        for operation in changing.into_iter().flatten() {
            refuse(operation, READING.iter().chain(&CHANGING));
        }
        if let Some(operation) = &mut path.get {
            refuse(operation, READING.iter());
        }
    }
}

fn refuse<'a>(operation: &mut Operation, statuses: impl Iterator<Item = &'a u16>) {
    let answers = &mut operation.responses.responses;
    for status in statuses {
        answers.entry(status.to_string()).or_insert_with(|| Answer::default().into());
    }
    for (status, answer) in answers.iter_mut().filter(|(status, _)| status.as_str() >= "400") {
        // A probe answers 503 with words of its own.
        if let RefOr::T(answer) = answer
            && (answer.description.is_empty() || answer.content.contains_key("application/json"))
        {
            let reason = status.parse().ok().and_then(|code| StatusCode::from_u16(code).ok());
            answer.description =
                reason.map_or_else(String::new, |code| Lang::En.status(code).to_owned());
            let body = Content::new(Some(Ref::from_schema_name(Problem::name())));
            answer.content.clear();
            answer.content.insert("application/problem+json".to_owned(), body.into());
        }
    }
}

async fn measure(request: Request, next: Next) -> Response {
    let method = known(request.method());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let began = Instant::now();
    let response = next.run(request).await;
    let elapsed = began.elapsed();
    metrics::answered(method, &route, response.status().as_u16(), elapsed);
    tracing::debug!(%method, %route, status = response.status().as_u16(),
        elapsed_s = elapsed.as_secs_f64(), "answered");
    response
}

/// A method's name as a label: whatever else strangers make up is one.
fn known(method: &Method) -> &'static str {
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    let names = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    known.iter().position(|one| one == method).map_or("other", |place| names[place])
}
