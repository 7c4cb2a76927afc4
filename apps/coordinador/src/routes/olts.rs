//! OLTs and how they are reached.

use engine::Word as _;

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use db::{Error, Tx};
use host::{Failure, Listed, Span, as_json, check::Check, merged, tagged};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Query};

use super::{Desk, Noun, done, missing};
use crate::{
    Context,
    decisions::olts as decide,
    drivers::{
        self,
        credential::{self, Secrets},
    },
    model::{Olt, OltId, SnmpVersion},
    policy::Action,
    store::olts,
    wire::OltView,
};

pub(super) const OLT: Noun = Noun {
    missing: "OLT_INEXISTENTE",
    es: "No existe esa OLT.",
    en: "There is no such OLT.",
    repeated: ("Ya hay una OLT con esa abreviatura.", "There is an OLT with that name."),
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(probe))
}

#[derive(Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OltNueva)]
pub(super) struct OltRequest {
    #[schema(min_length = 1, max_length = 60, example = "SMP-10")]
    pub(super) abreviatura: String,
    #[schema(min_length = 1, max_length = 60, example = "Huawei")]
    pub(super) marca: String,
    pub(super) modelo: Option<String>,
    #[schema(min_length = 1, max_length = 255, example = "192.0.2.10")]
    pub(super) ip_address: String,
    #[schema(minimum = 1, maximum = 65535)]
    pub(super) puerto: Option<i64>,
    /// `1`, `2c` (the default) or `3`.
    pub(super) version: Option<String>,
    /// Kept sealed, never shown. Absent in a change: stays.
    pub(super) comunidad: Option<String>,
    /// Version 3.
    pub(super) usuario: Option<String>,
    pub(super) auth_protocolo: Option<String>,
    pub(super) auth_clave: Option<String>,
    pub(super) priv_protocolo: Option<String>,
    pub(super) priv_clave: Option<String>,
    pub(super) contexto: Option<String>,
    pub(super) habilitar_olt: Option<bool>,
    pub(super) workflow_activo: Option<bool>,
}

impl OltRequest {
    pub(super) fn standing(olt: &Olt) -> Self {
        Self {
            abreviatura: olt.name.clone(),
            marca: olt.brand.clone(),
            modelo: olt.model.clone(),
            ip_address: olt.address.clone(),
            puerto: Some(i64::from(olt.port)),
            version: Some(olt.version.word().to_owned()),
            habilitar_olt: Some(olt.enabled),
            workflow_activo: Some(olt.workflow_active),
            ..Self::default()
        }
    }

    /// None: nothing secret is named.
    fn secrets(&self) -> Option<Secrets> {
        let named = [
            &self.comunidad,
            &self.usuario,
            &self.auth_protocolo,
            &self.auth_clave,
            &self.priv_protocolo,
            &self.priv_clave,
            &self.contexto,
        ];
        if named.iter().all(|field| field.is_none()) {
            return None;
        }
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let pair = |word: &Option<String>, key: &Option<String>| {
            let word = word.as_deref().map(str::trim).filter(|word| !word.is_empty())?;
            Some((word.to_owned(), text(key)))
        };
        Some(Secrets {
            community: text(&self.comunidad),
            user: text(&self.usuario),
            auth: pair(&self.auth_protocolo, &self.auth_clave),
            privacy: pair(&self.priv_protocolo, &self.priv_clave),
            context: text(&self.contexto),
        })
    }

    /// The OLT this asks for and how to get in, with everything that is wrong noted.
    pub(super) fn typed(&self, check: &mut Check) -> (Olt, Option<Secrets>) {
        let port = check.within("puerto", self.puerto.unwrap_or(161), 1, 65_535);
        let word = self.version.as_deref().map_or("2c", str::trim);
        let version = SnmpVersion::from_word(word.trim_start_matches(['v', 'V']));
        if version.is_none() {
            check.wrong("version", "debe ser 1, 2c o 3", "must be 1, 2c or 3");
        }
        let olt = Olt {
            id: OltId(0),
            name: check.name("abreviatura", &self.abreviatura, 60),
            brand: check.name("marca", &self.marca, 60),
            model: check.text("modelo", self.modelo.as_deref(), 60),
            address: address(check, &self.ip_address),
            port: u16::try_from(port).unwrap_or(161),
            version: version.unwrap_or_default(),
            enabled: self.habilitar_olt.unwrap_or(true),
            workflow_active: self.workflow_activo.unwrap_or(true),
            backoff: None,
            row_version: 1,
        };
        let secrets = self.secrets();
        if let Some(secrets) = &secrets {
            lets_in(check, olt.version, secrets);
        }
        (olt, secrets)
    }
}

/// An address or a name, without what would make it something else.
fn address(check: &mut Check, text: &str) -> String {
    let text = check.name("ip_address", text, 255);
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:-_%".contains(c);
    if !text.is_empty() && !text.chars().all(plain) {
        check.wrong(
            "ip_address",
            "debe ser una dirección IP o un nombre, sin puerto ni espacios",
            "must be an IP address or a name, without port or spaces",
        );
    }
    text
}

fn lets_in(check: &mut Check, version: SnmpVersion, secrets: &Secrets) {
    for (path, key) in [("auth_clave", &secrets.auth), ("priv_clave", &secrets.privacy)] {
        if key.as_ref().is_some_and(|(_, key)| key.len() < 8) {
            check.wrong(path, "tiene al menos 8 caracteres", "has at least 8 characters");
        }
    }
    let texts = [&secrets.community, &secrets.user, &secrets.context];
    if texts.iter().any(|text| text.len() > 255 || text.contains('\0')) {
        check.wrong("comunidad", "admite hasta 255 bytes", "takes at most 255 bytes");
    }
    match version {
        SnmpVersion::V1 | SnmpVersion::V2c if secrets.community.is_empty() => {
            check.wrong("comunidad", "falta", "is missing");
        }
        SnmpVersion::V3 if secrets.user.is_empty() => {
            check.wrong("usuario", "falta", "is missing");
        }
        SnmpVersion::V3 if secrets.credential(version).is_none() => {
            let words = format!(
                "auth: {}; priv: {}",
                credential::auth_words().join(", "),
                credential::privacy_words().join(", ")
            );
            check.wrong("auth_protocolo", &words, &words);
        }
        SnmpVersion::V1 | SnmpVersion::V2c | SnmpVersion::V3 => {}
    }
}

async fn view(tx: &mut Tx, olt: &Olt) -> Result<OltView, Error> {
    Ok(OltView::new(olt, &olts::health(tx, olt.id).await?))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// Part of the name, the brand or the address.
    buscar: Option<String>,
    habilitar_olt: Option<bool>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

#[utoipa::path(get, path = "/api/coordinador/olts", tag = "coordinador", params(Asked),
    responses((status = 200, body = Listed<OltView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<OltView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let part = asked.buscar.unwrap_or_default().to_lowercase();
    let mut found = olts::all_with_health(&mut tx).await?;
    found.retain(|(olt, _)| {
        let texts = [&olt.name, &olt.brand, &olt.address];
        asked.habilitar_olt.is_none_or(|wanted| olt.enabled == wanted)
            && texts.iter().any(|text| text.to_lowercase().contains(&part))
    });
    found.sort_by_key(|(olt, _)| olt.id);
    let views = found.iter().map(|(olt, health)| OltView::new(olt, health)).collect();
    let span = Span { limit: asked.limit, cursor: asked.cursor };
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[utoipa::path(post, path = "/api/coordinador/olts", request_body = OltRequest,
    tag = "coordinador",
    responses((status = 201, body = OltView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<OltRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut check = Check::new(desk.lang);
    let (olt, secrets) = request.typed(&mut check);
    if secrets.is_none() {
        check.wrong("comunidad", "falta", "is missing");
    }
    check.finish()?;
    let secrets = secrets.unwrap_or_default();
    let created = decide::create(&desk.context, &desk.by(), olt, &secrets, desk.now).await?;
    let olt = done(&desk, OLT, created)?;
    let mut tx = desk.context.store.read().await?;
    let view = view(&mut tx, &olt).await?;
    Ok(tagged(StatusCode::CREATED, view.fila_version, view))
}

#[utoipa::path(get, path = "/api/coordinador/olts/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = OltView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let olt = olts::find(&mut tx, OltId(id)).await?.ok_or_else(|| missing(desk.lang, OLT))?;
    let view = view(&mut tx, &olt).await?;
    Ok(tagged(StatusCode::OK, view.fila_version, view))
}

/// Changes the fields that are named.
#[utoipa::path(put, path = "/api/coordinador/olts/{id}", request_body = OltRequest,
    tag = "coordinador", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OltView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let typed = |standing: &Olt, sealed: &[u8]| {
        let change = change.clone();
        let request: OltRequest = merged(&OltRequest::standing(standing), change, desk.lang)?;
        let mut check = Check::new(desk.lang);
        let (olt, secrets) = request.typed(&mut check);
        if secrets.is_none() && olt.version != standing.version {
            let kept = Secrets::open(&desk.context.options.vault, standing.id, sealed);
            lets_in(&mut check, olt.version, &kept.unwrap_or_default());
        }
        check.finish()?;
        Ok((olt, secrets))
    };
    let (context, by, id) = (&desk.context, desk.by(), OltId(id));
    let changed = decide::update(context, &by, id, expected, typed, desk.now).await?;
    let olt = done(&desk, OLT, changed)?;
    let mut tx = desk.context.store.read().await?;
    let view = view(&mut tx, &olt).await?;
    Ok(tagged(StatusCode::OK, view.fila_version, view))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Farewell {
    motivo: Option<String>,
}

/// Deletes it softly: its history stays.
#[utoipa::path(delete, path = "/api/coordinador/olts/{id}", tag = "coordinador",
    params(("id" = i64, Path), Farewell, ("If-Match" = Option<String>, Header)),
    responses((status = 204)))]
async fn remove(
    desk: Desk,
    Path(id): Path<i64>,
    Query(farewell): Query<Farewell>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let mut check = Check::new(desk.lang);
    let reason = check.text("motivo", farewell.motivo.as_deref(), 500);
    check.finish()?;
    let (context, by) = (&desk.context, desk.by());
    let deleted =
        decide::delete(context, &by, OltId(id), expected, reason.as_deref(), desk.now).await?;
    done(&desk, OLT, deleted)?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a device said when it was asked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OltPrueba)]
struct ProbeView {
    responde: bool,
    respuesta_ms: Option<f64>,
    activa_desde_segundos: Option<f64>,
    reason: Option<&'static str>,
    motivo: Option<String>,
}

/// Asks the device once whether it is there; nothing is changed.
#[utoipa::path(post, path = "/api/coordinador/olts/{id}/probar", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = ProbeView)))]
async fn probe(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let mut tx = desk.context.store.read().await?;
    let olt = olts::find(&mut tx, OltId(id)).await?.ok_or_else(|| missing(desk.lang, OLT))?;
    drop(tx);
    let view = match drivers::probe::probe(&desk.context, &olt).await? {
        Ok(pulse) => ProbeView {
            responde: true,
            respuesta_ms: Some(pulse.took.as_secs_f64() * 1_000.0),
            activa_desde_segundos: pulse.uptime.map(|uptime| uptime.as_secs_f64()),
            reason: None,
            motivo: None,
        },
        Err(fault) => ProbeView {
            responde: false,
            respuesta_ms: None,
            activa_desde_segundos: None,
            reason: Some(fault.word()),
            motivo: Some(desk.lang.t(&fault.es(), &fault.en()).to_owned()),
        },
    };
    Ok(axum::Json(as_json(json!(view))?).into_response())
}
