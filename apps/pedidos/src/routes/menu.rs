//! `/articulos`: the menu.

use axum::{
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use host::Failure;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Field, Json, Lang, Path, Problem, Query};

use super::{Desk, array, check, limit, no_such_cursor, saved};
use crate::{
    Context,
    decisions::{self, Done, Duplicate},
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
    #[schema(minimum = 0, maximum = 100_000_000_000_i64)]
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

/// What shall be different: a field left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CambioDeArticulo)]
struct ArticleChange {
    #[schema(min_length = 1, max_length = 150)]
    nombre: Option<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    categoria: Field<String>,
    #[schema(minimum = 0, maximum = 100_000_000_000_i64)]
    precio: Option<f64>,
    #[schema(minimum = 1, maximum = 4)]
    peso: Option<i64>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    estacion: Field<String>,
    controla_stock: Option<bool>,
    #[schema(minimum = -1_000_000, maximum = 1_000_000)]
    stock_actual: Option<i64>,
    activo: Option<bool>,
}

impl From<ArticleRequest> for ArticleChange {
    fn from(request: ArticleRequest) -> Self {
        Self {
            nombre: Some(request.nombre),
            categoria: Field::Said(request.categoria),
            precio: Some(request.precio),
            peso: request.peso,
            estacion: Field::Said(request.estacion),
            controla_stock: request.controla_stock,
            stock_actual: request.stock_actual,
            activo: request.activo,
        }
    }
}

/// A change whose every field was checked.
#[derive(Debug)]
struct Change {
    name: Option<String>,
    category: Field<String>,
    price_cents: Option<i64>,
    weight: Option<i64>,
    station: Field<String>,
    tracks_stock: Option<bool>,
    stock: Option<i64>,
    active: Option<bool>,
}

impl Change {
    fn typed(desk: &Desk, wanted: &ArticleChange) -> Result<Self, Failure> {
        let mut check = check(desk);
        let category =
            wanted.categoria.read(|text| check.text("categoria", text.map(String::as_str), 100));
        let station =
            wanted.estacion.read(|text| check.text("estacion", text.map(String::as_str), 100));
        let name = wanted.nombre.as_deref().map(|name| check.name("nombre", name, 150));
        let price_cents = wanted.precio.map(cents);
        if price_cents == Some(None) {
            check.wrong("precio", "no es un importe válido", "is not a valid amount");
        }
        let weight = wanted.peso.map(|peso| check.within("peso", peso, 1, 4));
        let stock = wanted.stock_actual;
        let stock = stock.map(|stock| check.within("stock_actual", stock, -STOCK, STOCK));
        check.finish()?;
        Ok(Self {
            name,
            category,
            price_cents: price_cents.flatten(),
            weight,
            station,
            tracks_stock: wanted.controla_stock,
            stock,
            active: wanted.activo,
        })
    }

    fn over(self, standing: Article) -> Article {
        Article {
            name: self.name.unwrap_or(standing.name),
            category: self.category.over(standing.category),
            price_cents: self.price_cents.unwrap_or(standing.price_cents),
            weight: self.weight.unwrap_or(standing.weight),
            station: self.station.over(standing.station),
            tracks_stock: self.tracks_stock.unwrap_or(standing.tracks_stock),
            stock: self.stock.unwrap_or(standing.stock),
            active: self.active.unwrap_or(standing.active),
            id: standing.id,
            version: standing.version,
        }
    }
}

fn duplicate(desk: &Desk, duplicate: &Duplicate) -> Problem {
    let id = duplicate.article;
    let detail = match desk.lang {
        Lang::Es => format!("El menú ya tiene un artículo con ese nombre (el {id})."),
        Lang::En => format!("The menu already has an article of that name (number {id})."),
    };
    Problem::conflict("ARTICULO_DUPLICADO").lang(desk.lang).detail(detail)
}

fn unknown(desk: &Desk) -> Problem {
    let (es, en) = ("No existe ese artículo.", "There is no such article.");
    host::unknown(desk.lang, "ARTICULO_INEXISTENTE", es, en)
}

fn answered(desk: &Desk, done: Done<Article, Duplicate>) -> Result<ArticleView, Failure> {
    Ok(saved(desk, done, unknown, duplicate)?.into())
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Filter {
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    /// The last article of the page before.
    cursor: Option<i64>,
}

/// The menu, inactive articles included. `Link` tells where the list goes on.
#[utoipa::path(get, path = "/articulos", params(Filter), tag = "articulos",
    responses((status = 200, body = Vec<ArticleView>)))]
async fn list(desk: Desk, uri: Uri, Query(filter): Query<Filter>) -> Result<Response, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut check = check(&desk);
    let limit = limit(&mut check, filter.limit, articles::LISTED);
    check.finish()?;
    let mut tx = desk.context.store.read().await?;
    let after = match filter.cursor {
        Some(cursor) => {
            let found = articles::find(&mut tx, cursor).await?;
            Some(found.ok_or_else(|| no_such_cursor(&desk))?)
        }
        None => None,
    };
    let mut found = articles::page(&mut tx, after.as_ref(), limit + 1).await?;
    let more = found.len() as i64 > limit;
    found.truncate(limit as usize);
    let next = found.last().filter(|_| more).map(|article| article.id);
    Ok(array(found.into_iter().map(ArticleView::from).collect(), next, &uri))
}

/// One article of the menu.
#[utoipa::path(get, path = "/articulos/{id}", params(("id" = i64, Path)), tag = "articulos",
    responses((status = 200, body = ArticleView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let found = articles::find(&mut tx, id).await?.ok_or_else(|| unknown(&desk))?;
    Ok(host::tagged(StatusCode::OK, found.version, ArticleView::from(found)))
}

/// Adds an article; two of one name are refused.
#[utoipa::path(post, path = "/articulos", request_body = ArticleRequest, tag = "articulos",
    responses((status = 201, body = ArticleView)))]
async fn create(desk: Desk, Json(request): Json<ArticleRequest>) -> Result<Response, Failure> {
    desk.require(Action::Configure)?;
    let article = Change::typed(&desk, &request.into())?.over(Article::default());
    let done = decisions::create_article(&desk.context, &desk.by(), article).await?;
    let view = answered(&desk, done)?;
    Ok(host::tagged(StatusCode::CREATED, view.version, view))
}

/// Changes an article; a field left out stays as it is.
#[utoipa::path(put, path = "/articulos/{id}", request_body = ArticleChange, tag = "articulos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ArticleView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(wanted): Json<ArticleChange>,
) -> Result<Response, Failure> {
    desk.require(Action::Configure)?;
    let expected = desk.expected_version(&headers)?;
    let change = Change::typed(&desk, &wanted)?;
    let (context, by) = (&desk.context, desk.by());
    let over = |standing| change.over(standing);
    let done = decisions::change_article(context, &by, id, expected, over).await?;
    let view = answered(&desk, done)?;
    Ok(host::tagged(StatusCode::OK, view.version, view))
}

/// Takes an article off the menu. Past orders keep it.
#[utoipa::path(delete, path = "/articulos/{id}", params(("id" = i64, Path)), tag = "articulos",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Configure)?;
    let done = decisions::retire_article(&desk.context, &desk.by(), id).await?;
    answered(&desk, done)?;
    Ok(StatusCode::NO_CONTENT)
}
