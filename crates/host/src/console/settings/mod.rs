//! What operators may change while Turno runs.

mod api;
mod page;

use db::{
    Decision, Scope,
    settings::{Change, Effective, Invalid, Kind, Refused, Values},
};
use engine::Sentence;
use serde_json::Value as Json;
use utoipa_axum::router::OpenApiRouter;
use web::Lang;
use web::routes;
use web::routing::{boxed, get};

use crate::{Actor, App, Context};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(api::list))
        .routes(routes!(api::one, api::put))
        .route("/ajustes", get(page::show).post(boxed(page::save)))
}

/// Changes one setting and lets its application react before anyone can see the change.
///
/// Whether the actor may is the caller's question: the function does not look at roles.
pub async fn change_setting(
    context: &Context,
    actor: &Actor,
    app: &str,
    key: &str,
    value: Json,
    expected_version: Option<i64>,
) -> Result<Result<Effective, Refused>, db::Error> {
    let unknown = || Refused::Unknown { key: key.into() };
    let Some(app) = context.app(app) else {
        return Ok(Err(unknown()));
    };
    // What an application keeps for itself changes by its own commands.
    let spec = context.settings.spec(app.name, key);
    if spec.is_none_or(|spec| spec.kind == Kind::Internal) {
        return Ok(Err(unknown()));
    }
    // PostgreSQL keeps no such character in JSON.
    if value.as_str().is_some_and(|text| text.contains('\0')) {
        let reason =
            Sentence::new("no puede tener el carácter nulo", "must not contain the NUL character");
        let key = key.into();
        return Ok(Err(Refused::Invalid(Invalid { key, reason })));
    }
    if let Some((es, en)) = (app.senseless)(&context.options, key, &value) {
        return Ok(Err(Refused::Senseless(es, en)));
    }
    let now = context.clock.now();
    let mut decision = context.store.decide(&Scope::new(app.name), now).await?;
    let change = Change {
        app: app.name,
        key,
        value,
        actor: &actor.name,
        role: actor.role_in(app.name).unwrap_or_default(),
        expected_version,
    };
    let before = context.settings.load(&mut decision.tx, app.name).await?;
    let effective = match context.settings.put(&mut decision, change).await? {
        Ok(effective) => effective,
        Err(refused) => return Ok(Err(refused)),
    };
    let values = context.settings.load(&mut decision.tx, app.name).await?;
    if let Some((es, en)) = (app.contradiction)(&values) {
        return Ok(Err(Refused::Senseless(es, en)));
    }
    if let Some(refused) = disarm(context, &mut decision, (app, actor), &before, &effective).await?
    {
        return Ok(Err(refused));
    }
    (app.on_settings)(context, &mut decision).await?;
    decision.commit().await?;
    Ok(Ok(effective))
}

/// Forgets the secrets of an address that now points elsewhere: whoever may change the one must not
/// be sent the others there.
async fn disarm(
    context: &Context,
    decision: &mut Decision,
    (app, actor): (&App, &Actor),
    before: &Values,
    changed: &Effective,
) -> Result<Option<Refused>, db::Error> {
    let known = app.destinations.iter().find(|(key, _)| *key == changed.spec.key);
    let old = before.text(changed.spec.key).map(origin).unwrap_or_default();
    let new = changed.value.as_str().map(origin).unwrap_or_default();
    let Some((_, secrets)) = known.filter(|_| !old.is_empty() && old != new) else {
        return Ok(None);
    };
    for key in *secrets {
        if before.text(key)?.is_empty() {
            continue;
        }
        let change = Change {
            app: app.name,
            key,
            value: Json::from(""),
            actor: &actor.name,
            role: actor.role_in(app.name).unwrap_or_default(),
            expected_version: None,
        };
        if let Err(refused) = context.settings.put(decision, change).await? {
            return Ok(Some(refused));
        }
    }
    Ok(None)
}

/// Scheme, host and port of an address.
fn origin(address: &str) -> String {
    let end = address.find("://").map_or(0, |scheme| scheme + 3);
    let rest = address[end..].split(['/', '?', '#']).next().unwrap_or_default();
    format!("{}{rest}", &address[..end]).trim().to_lowercase()
}

/// Whether this actor may change the settings of an application.
pub(super) fn may_configure(actor: &Actor, app: &App) -> bool {
    actor.is_admin() || actor.role_in(app.name).is_some_and(|role| (app.may_configure)(role))
}

/// What a setting accepts, for people.
fn expected(effective: &Effective, values: &Values, lang: Lang) -> String {
    let whole = |min: i64, max: i64| match lang {
        Lang::Es => format!("Un número entero de {min} a {max}"),
        Lang::En => format!("A whole number from {min} to {max}"),
    };
    match effective.spec.kind {
        Kind::Int { min, max } => whole(min, max),
        Kind::IntUpTo { min, ceiling } => {
            let max = values.int(ceiling).unwrap_or(i64::MAX);
            format!("{} ({ceiling})", whole(min, max))
        }
        Kind::Bool => lang.t("Sí o no", "Yes or no").to_owned(),
        Kind::Choice(words) => {
            format!("{}: {}", lang.t("Una de", "One of"), words.join(", "))
        }
        Kind::Text { max } => match lang {
            Lang::Es => format!("Texto de hasta {max} caracteres"),
            Lang::En => format!("Text of at most {max} characters"),
        },
        Kind::Secret { max } => match lang {
            Lang::Es => format!("Secreto de hasta {max} caracteres; no se vuelve a mostrar"),
            Lang::En => format!("A secret of at most {max} characters; never shown again"),
        },
        Kind::TimeOfDay => lang.t("Una hora, HH:MM", "A time of day, HH:MM").to_owned(),
        Kind::Share => lang.t("Un número de 0 a 1", "A number from 0 to 1").to_owned(),
        Kind::Internal => String::new(),
    }
}
