//! The menu.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use engine::Word as _;
use host::{Context, Failure};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Json, Path, Problem};

use super::{Desk, expected_version, input::Check};
use crate::{
    policy::Action,
    store::{self, articles, articles::Article},
    wire::{cents, pesos},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, remove))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Articulo)]
struct ArticleView {
    id: i64,
    nombre: String,
    categoria: Option<String>,
    precio: f64,
    peso: i64,
    estacion: Option<String>,
    controla_stock: bool,
    stock_actual: i64,
    activo: bool,
    version: i64,
}

impl From<Article> for ArticleView {
    fn from(article: Article) -> Self {
        Self {
            id: article.id,
            nombre: article.name,
            categoria: article.category,
            precio: pesos(article.price_cents),
            peso: article.weight,
            estacion: article.station,
            controla_stock: article.tracks_stock,
            stock_actual: article.stock,
            activo: article.active,
            version: article.version,
        }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ArticuloNuevo)]
struct ArticleRequest {
    #[schema(min_length = 1, max_length = 150)]
    nombre: String,
    categoria: Option<String>,
    #[schema(minimum = 0)]
    precio: f64,
    /// Kitchen effort of one unit.
    #[schema(minimum = 1, maximum = 4)]
    peso: Option<i64>,
    estacion: Option<String>,
    controla_stock: Option<bool>,
    #[schema(minimum = -1_000_000, maximum = 1_000_000)]
    stock_actual: Option<i64>,
    activo: Option<bool>,
}

fn typed(desk: &Desk, request: &ArticleRequest) -> Result<Article, Failure> {
    let mut check = Check::new(desk.lang);
    let name = check.text("nombre", Some(&request.nombre), 150);
    if name.is_none() {
        check.wrong("nombre", "falta", "is missing");
    }
    let category = check.text("categoria", request.categoria.as_ref(), 100);
    let station = check.text("estacion", request.estacion.as_ref(), 100);
    let price = cents(request.precio);
    if price.is_none() {
        check.wrong("precio", "no es un importe válido", "is not a valid amount");
    }
    let weight = request.peso.unwrap_or(1);
    if !(1..=4).contains(&weight) {
        check.wrong("peso", "debe ser de 1 a 4", "must be from 1 to 4");
    }
    let stock = request.stock_actual.unwrap_or(0);
    if stock.abs() > 1_000_000 {
        check.wrong("stock_actual", "es demasiado grande", "is too large");
    }
    check.finish()?;
    Ok(Article {
        id: 0,
        name: name.unwrap_or_default(),
        category,
        price_cents: price.unwrap_or(0),
        weight,
        station,
        tracks_stock: request.controla_stock.unwrap_or(false),
        stock,
        active: request.activo.unwrap_or(true),
        version: 0,
    })
}

fn unknown(desk: &Desk) -> Problem {
    let detail = desk.lang.t("No existe ese artículo.", "There is no such article.");
    Problem::not_found("ARTICULO_INEXISTENTE").lang(desk.lang).detail(detail)
}

/// The whole menu, inactive articles included.
#[utoipa::path(get, path = "/articulos", tag = "articulos",
    responses((status = 200, body = Vec<ArticleView>), (status = 503, body = Problem)))]
async fn list(desk: Desk) -> Result<axum::Json<Vec<ArticleView>>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let found = articles::all(&mut tx).await?;
    Ok(axum::Json(found.into_iter().map(ArticleView::from).collect()))
}

#[utoipa::path(get, path = "/articulos/{id}", params(("id" = i64, Path)), tag = "articulos",
    responses((status = 200, body = ArticleView), (status = 400, body = Problem),
              (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<ArticleView>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let found = articles::find(&mut tx, id).await?.ok_or_else(|| unknown(&desk))?;
    Ok(axum::Json(found.into()))
}

#[utoipa::path(post, path = "/articulos", request_body = ArticleRequest, tag = "articulos",
    responses((status = 201, body = ArticleView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 415, body = Problem),
              (status = 503, body = Problem)))]
async fn create(desk: Desk, Json(request): Json<ArticleRequest>) -> Result<Response, Failure> {
    desk.require(Action::Configure)?;
    let mut article = typed(&desk, &request)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    article.id = articles::insert(&mut decision.tx, &article).await?;
    article.version = 1;
    decision.audit(entry(&desk, "articulo.crear", None, Some(&article)));
    decision.commit().await?;
    Ok((StatusCode::CREATED, axum::Json(ArticleView::from(article))).into_response())
}

#[utoipa::path(put, path = "/articulos/{id}", request_body = ArticleRequest, tag = "articulos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ArticleView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 412, body = Problem), (status = 415, body = Problem),
              (status = 503, body = Problem)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(request): Json<ArticleRequest>,
) -> Result<axum::Json<ArticleView>, Failure> {
    desk.require(Action::Configure)?;
    let wanted = typed(&desk, &request)?;
    let expected = expected_version(&headers, desk.lang)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let current = articles::find(&mut decision.tx, id).await?.ok_or_else(|| unknown(&desk))?;
    if expected.is_some_and(|expected| expected != current.version) {
        return Err(desk.stale(current.version).into());
    }
    let wanted = Article { id, version: current.version, ..wanted };
    articles::update(&mut decision.tx, &wanted).await?;
    decision.audit(entry(&desk, "articulo.editar", Some(&current), Some(&wanted)));
    decision.commit().await?;
    Ok(axum::Json(Article { version: current.version + 1, ..wanted }.into()))
}

/// Takes an article off the menu. Past orders keep it.
#[utoipa::path(delete, path = "/articulos/{id}", params(("id" = i64, Path)), tag = "articulos",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Configure)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let current = articles::find(&mut decision.tx, id).await?.ok_or_else(|| unknown(&desk))?;
    let gone = Article { active: false, ..current.clone() };
    articles::update(&mut decision.tx, &gone).await?;
    decision.audit(entry(&desk, "articulo.quitar", Some(&current), Some(&gone)));
    decision.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

fn entry(
    desk: &Desk,
    action: &str,
    before: Option<&Article>,
    after: Option<&Article>,
) -> db::audit::Entry {
    let shown = |article: &Article| {
        json!({ "nombre": article.name, "precio": pesos(article.price_cents),
                "peso": article.weight, "activo": article.active, "stock": article.stock })
    };
    let id = before.or(after).map_or(0, |article| article.id);
    db::audit::Entry {
        app: crate::NAME,
        actor: desk.actor.name.clone(),
        role: desk.role.word().into(),
        action: action.into(),
        subject: format!("articulo/{id}"),
        before: before.map(shown),
        after: after.map(shown),
        reason: None,
    }
}
