//! `/articulos`: the menu.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Json, Path, Problem};

use super::{Desk, check, saved};
use crate::{
    Context, decisions,
    policy::Action,
    store::{articles, articles::Article},
    wire::{cents, pesos},
};

/// More of one thing than any shop keeps.
const STOCK: i64 = 1_000_000;

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
    let mut check = check(desk);
    let name = check.name("nombre", &request.nombre, 150);
    let category = check.text("categoria", request.categoria.as_deref(), 100);
    let station = check.text("estacion", request.estacion.as_deref(), 100);
    let price = cents(request.precio);
    if price.is_none() {
        check.wrong("precio", "no es un importe válido", "is not a valid amount");
    }
    let weight = check.within("peso", request.peso.unwrap_or(1), 1, 4);
    let stock = request.stock_actual.unwrap_or(0);
    check.within("stock_actual", stock, -STOCK, STOCK);
    check.finish()?;
    Ok(Article {
        id: 0,
        name,
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
    let (es, en) = ("No existe ese artículo.", "There is no such article.");
    host::unknown(desk.lang, "ARTICULO_INEXISTENTE", es, en)
}

async fn put(
    desk: &Desk,
    id: Option<i64>,
    expected: Option<i64>,
    request: &ArticleRequest,
) -> Result<ArticleView, Failure> {
    let article = typed(desk, request)?;
    let done = decisions::put_article(&desk.context, &desk.by(), id, expected, article).await?;
    Ok(saved(desk, done, unknown, |_, never| match *never {})?.into())
}

/// The whole menu, inactive articles included.
#[utoipa::path(get, path = "/articulos", tag = "articulos",
    responses((status = 200, body = Vec<ArticleView>)))]
async fn list(desk: Desk) -> Result<axum::Json<Vec<ArticleView>>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let found = articles::all(&mut tx).await?;
    Ok(axum::Json(found.into_iter().map(ArticleView::from).collect()))
}

#[utoipa::path(get, path = "/articulos/{id}", params(("id" = i64, Path)), tag = "articulos",
    responses((status = 200, body = ArticleView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<ArticleView>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let found = articles::find(&mut tx, id).await?.ok_or_else(|| unknown(&desk))?;
    Ok(axum::Json(found.into()))
}

#[utoipa::path(post, path = "/articulos", request_body = ArticleRequest, tag = "articulos",
    responses((status = 201, body = ArticleView)))]
async fn create(desk: Desk, Json(request): Json<ArticleRequest>) -> Result<Response, Failure> {
    desk.require(Action::Configure)?;
    let view = put(&desk, None, None, &request).await?;
    Ok((StatusCode::CREATED, axum::Json(view)).into_response())
}

#[utoipa::path(put, path = "/articulos/{id}", request_body = ArticleRequest, tag = "articulos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ArticleView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(request): Json<ArticleRequest>,
) -> Result<axum::Json<ArticleView>, Failure> {
    desk.require(Action::Configure)?;
    let expected = desk.expected_version(&headers)?;
    Ok(axum::Json(put(&desk, Some(id), expected, &request).await?))
}

/// Takes an article off the menu. Past orders keep it.
#[utoipa::path(delete, path = "/articulos/{id}", params(("id" = i64, Path)), tag = "articulos",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Configure)?;
    let done = decisions::retire_article(&desk.context, &desk.by(), id).await?;
    saved(&desk, done, unknown, |_, never| match *never {})?;
    Ok(StatusCode::NO_CONTENT)
}
