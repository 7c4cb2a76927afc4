//! Settings over the API.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use db::settings::{Effective, Kind, Refused};
use web::{Json, Lang, Path, Problem};

use super::{change_setting, expected, may_configure};
use crate::{
    Actor, App, Context, Failure,
    actor::insufficient_role,
    console::wire::{NewValue, SettingBody, SettingList},
};

/// Every setting the caller may change, with where its value comes from.
#[utoipa::path(get, path = "/api/settings", tag = "console",
    responses((status = 200, body = SettingList)))]
pub(super) async fn list(
    State(context): State<Context>,
    actor: Actor,
) -> Result<Json<SettingList>, Failure> {
    let mut items = Vec::new();
    let mut tx = context.store.read().await?;
    let apps = context.apps.iter();
    for app in apps.filter(|app| may_configure(&actor, app)) {
        let values = context.settings.load(&mut tx, app.name).await?;
        let shown =
            values.iter().filter(|one| one.spec.kind != Kind::Internal).map(SettingBody::from);
        items.extend(shown);
    }
    Ok(Json(SettingList { items, next: None }))
}

/// One setting; its version is the `ETag`.
#[utoipa::path(get, path = "/api/settings/{app}/{key}", tag = "console",
    params(("app" = String, Path), ("key" = String, Path)),
    responses((status = 200, body = SettingBody)))]
pub(super) async fn one(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Path((app, key)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let app = configurable(&context, &actor, &app, &key, lang)?;
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, app.name).await?;
    let effective = values
        .get(&key)
        .filter(|one| one.spec.kind != Kind::Internal)
        .ok_or_else(|| unknown(&key, lang))?;
    Ok(answer(effective))
}

/// Changes a setting; it is in force when the answer comes. `If-Match` guards against another's
/// change in between.
#[utoipa::path(put, path = "/api/settings/{app}/{key}", tag = "console",
    params(("app" = String, Path), ("key" = String, Path),
           ("if-match" = Option<String>, Header, description = "the version that was read")),
    request_body = NewValue,
    responses((status = 200, body = SettingBody)))]
pub(super) async fn put(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    headers: HeaderMap,
    Path((app, key)): Path<(String, String)>,
    Json(wanted): Json<NewValue>,
) -> Result<Response, Failure> {
    let app = configurable(&context, &actor, &app, &key, lang)?;
    let version = if_match(&headers).map_err(|()| stale(lang))?;
    let changed = change_setting(&context, &actor, app.name, &key, wanted.value, version).await?;
    match changed {
        Ok(effective) => Ok(answer(&effective)),
        Err(refused) => Err(problem(&context, app, &refused, lang).await?.into()),
    }
}

/// An application whose settings this actor may change.
pub(super) fn configurable<'a>(
    context: &'a Context,
    actor: &Actor,
    app: &str,
    key: &str,
    lang: Lang,
) -> Result<&'a App, Problem> {
    match context.app(app) {
        Some(app) if may_configure(actor, app) => Ok(app),
        None if actor.is_admin() => Err(unknown(key, lang)),
        Some(_) | None => Err(insufficient_role(lang)),
    }
}

fn answer(effective: &Effective) -> Response {
    let tag = format!("\"{}\"", effective.version);
    let body = Json(SettingBody::from(effective));
    (StatusCode::OK, [(header::ETAG, tag)], body).into_response()
}

/// `None` overwrites. A tag that is none of ours matches nothing.
fn if_match(headers: &HeaderMap) -> Result<Option<i64>, ()> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Ok(None);
    };
    let text = value.to_str().map_err(drop)?.trim();
    if text == "*" {
        return Ok(None);
    }
    let bare = text.trim_start_matches("W/").trim_matches('"');
    bare.parse().map(Some).map_err(drop)
}

async fn problem(
    context: &Context,
    app: &App,
    refused: &Refused,
    lang: Lang,
) -> Result<Problem, Failure> {
    Ok(match refused {
        Refused::Unknown { key } => unknown(key, lang),
        Refused::Invalid(invalid) => {
            let mut tx = context.store.read().await?;
            let values = context.settings.load(&mut tx, app.name).await?;
            let text = values.get(&invalid.key).map_or_else(
                || lang.say(&invalid.reason).to_owned(),
                |one| expected(one, &values, lang),
            );
            Problem::bad_request("VALOR_INVALIDO")
                .lang(lang)
                .detail(format!("{}: {text}", invalid.key))
                .error("valor", text)
        }
        Refused::Senseless(es, en) => Problem::bad_request("VALOR_INVALIDO")
            .lang(lang)
            .detail(lang.t(es, en))
            .error("valor", lang.t(es, en).to_owned()),
        Refused::Locked { key, by } => {
            Problem::conflict("CLAVE_FIJADA").lang(lang).detail(match lang {
                Lang::Es => format!("{key} está fijada por {by}; la consola no la cambia."),
                Lang::En => format!("{key} is fixed by {by}; the console cannot change it."),
            })
        }
        Refused::Stale { .. } => stale(lang),
    })
}

fn unknown(key: &str, lang: Lang) -> Problem {
    Problem::not_found("CLAVE_DESCONOCIDA").lang(lang).detail(match lang {
        Lang::Es => format!("No existe el ajuste {key}."),
        Lang::En => format!("There is no setting {key}."),
    })
}

fn stale(lang: Lang) -> Problem {
    Problem::new(StatusCode::PRECONDITION_FAILED, "VERSION_DISTINTA")
        .lang(lang)
        .title(lang.t("Versión distinta", "Another version"))
        .detail(lang.t(
            "El ajuste cambió después de haberlo leído.",
            "The setting changed after you read it.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_versions() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_MATCH, text.parse().unwrap());
            if_match(&headers)
        };
        assert_eq!(if_match(&HeaderMap::new()), Ok(None));
        assert_eq!(read("*"), Ok(None));
        assert_eq!(read("\"3\""), Ok(Some(3)));
        assert_eq!(read("W/\"3\""), Ok(Some(3)));
        assert_eq!(read("\"other\""), Err(()));
    }
}
