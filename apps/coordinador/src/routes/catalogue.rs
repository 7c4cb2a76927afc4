//! The OID catalogue: what comes with Turno and what the house adds.

use axum::http::StatusCode;
use engine::Word as _;
use host::{Failure, Listed, check::Check};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem};

use super::{Desk, Noun, done, missing};
use crate::{
    Context,
    decisions::catalogue as decide,
    model::{CatalogueEntry, CatalogueId, Column, Oid, Space},
    policy::Action,
    wire::OidView,
};

const OID: Noun = Noun {
    missing: "OID_INEXISTENTE",
    es: "No existe ese OID en el catálogo de la casa.",
    en: "The house's catalogue has no such OID.",
    repeated: ("Ya hay un OID con ese nombre.", "There is an OID with that name."),
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(update, remove))
}

#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OidNuevo)]
struct OidRequest {
    #[schema(min_length = 1, max_length = 120)]
    nombre: String,
    oid: String,
    marca: Option<String>,
    modelo: Option<String>,
    /// `descubrimiento`, `descripcion`, `mac`, `plan_onu`, …
    espacio: String,
    keep_previous_value: Option<bool>,
    format_mac: Option<bool>,
}

fn typed(desk: &Desk, request: &OidRequest) -> Result<CatalogueEntry, Failure> {
    let mut check = Check::new(desk.lang);
    let name = check.name("nombre", &request.nombre, 120);
    let brand = check.text("marca", request.marca.as_deref(), 60);
    let model = check.text("modelo", request.modelo.as_deref(), 60);
    if brand.is_none() && model.is_some() {
        check.wrong("marca", "un modelo es de una marca", "a model is of a brand");
    }
    let oid = request.oid.parse::<Oid>();
    if let Err(fault) = &oid {
        let (es, en) = fault.sentence();
        check.wrong("oid", es, en);
    }
    let space = Space::from_word(request.espacio.trim());
    if space.is_none() {
        let mut words = vec!["descubrimiento"];
        words.extend(Column::ALL.iter().map(|column| column.word()));
        let words = words.join(", ");
        check.wrong("espacio", &words, &words);
    }
    check.finish()?;
    let (Ok(oid), Some(space)) = (oid, space) else {
        return Err(Problem::bad_request("CUERPO_INVALIDO").lang(desk.lang).into());
    };
    Ok(CatalogueEntry {
        id: CatalogueId(0),
        name,
        oid,
        brand,
        model,
        space,
        keep_previous: request.keep_previous_value.unwrap_or(false),
        format_mac: request.format_mac.unwrap_or(space == Space::Column(Column::Mac)),
    })
}

#[utoipa::path(get, path = "/api/coordinador/oids", tag = "coordinador",
    responses((status = 200, body = Listed<OidView>)))]
async fn list(desk: Desk) -> Result<axum::Json<Listed<OidView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let views = decide::entries(&mut tx).await?.iter().map(OidView::new).collect();
    Ok(axum::Json(Listed::whole(views)))
}

async fn save(desk: &Desk, entry: CatalogueEntry) -> Result<OidView, Failure> {
    let saved = decide::save(&desk.context, &desk.by(), entry, desk.now).await?;
    Ok(OidView::new(&done(desk, OID, saved)?))
}

#[utoipa::path(post, path = "/api/coordinador/oids", request_body = OidRequest,
    tag = "coordinador",
    responses((status = 201, body = OidView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<OidRequest>,
) -> Result<(StatusCode, axum::Json<OidView>), Failure> {
    desk.require(Action::Edit)?;
    let entry = typed(&desk, &request)?;
    Ok((StatusCode::CREATED, axum::Json(save(&desk, entry).await?)))
}

#[utoipa::path(put, path = "/api/coordinador/oids/{id}", request_body = OidRequest,
    tag = "coordinador", params(("id" = i64, Path)),
    responses((status = 200, body = OidView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(request): web::Json<OidRequest>,
) -> Result<axum::Json<OidView>, Failure> {
    desk.require(Action::Edit)?;
    if id <= 0 {
        return Err(missing(desk.lang, OID).into());
    }
    let entry = CatalogueEntry { id: CatalogueId(id), ..typed(&desk, &request)? };
    Ok(axum::Json(save(&desk, entry).await?))
}

#[utoipa::path(delete, path = "/api/coordinador/oids/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    let removed = decide::remove(&desk.context, &desk.by(), CatalogueId(id), desk.now).await?;
    done(&desk, OID, removed)?;
    Ok(StatusCode::NO_CONTENT)
}
