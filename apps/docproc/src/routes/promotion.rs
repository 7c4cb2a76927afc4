//! Putting versions of workflows into force, and taking them back.

use axum::response::{IntoResponse as _, Response};
use host::Failure;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem};

use super::{
    AtDesk as _, Desk,
    golden::{given_reason, no_workflow, report},
};
use crate::{
    Context,
    decisions::{
        Refusal,
        promotion::{self, Outcome, Promotion, Wanted},
    },
    golden::Verdict,
    policy::Action,
    rules::golden::{Difference, ManualShare},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(promote)).routes(routes!(rollback))
}

/// Differences told in a refusal at most; `golden/run` tells them all.
const MOST_TOLD: usize = 200;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PromoteBody {
    /// The newest version that waits unless told.
    version: Option<i64>,
    /// Whether it may ask people more often than the version in force.
    #[serde(default)]
    allow_more_manual: bool,
}

/// Runs the golden set on a version that waits, and puts it into force if nothing differs and people
/// are not asked more than by the version in force, unless that is allowed; runs it again on what is
/// then in force, and rolls back if something differs. 409 tells every difference.
#[utoipa::path(post, path = "/api/docproc/workflows/{name}/promote", tag = "docproc",
    params(("name" = String, Path)), request_body = PromoteBody,
    responses((status = 200, body = Object)))]
async fn promote(
    desk: Desk,
    Path(name): Path<String>,
    web::Json(body): web::Json<PromoteBody>,
) -> Result<Response, Failure> {
    desk.require(Action::Promote)?;
    let (context, by, of) = (desk.context.clone(), desk.by(), name.clone());
    let wanted = Wanted { version: body.version, may_ask_more: body.allow_more_manual };
    // Whoever asked may go away; a promotion that began is carried to its end.
    let promoting =
        tokio::spawn(async move { promotion::promote(&context, &by, &of, wanted).await });
    let done = match promoting.await.map_err(|_| Problem::internal(desk.lang))?? {
        Ok(done) => done,
        Err(Refusal::NotFound) => return Err(no_workflow(&desk).into()),
        Err(refusal) => return Err(desk.refused(&refusal).into()),
    };
    match done.outcome {
        Outcome::Promoted => {
            let mut body = report(&name, Some(done.version), &done.set);
            body["promoted"] = true.into();
            body["previous_version_id"] = json!(done.previous);
            Ok(axum::Json(body).into_response())
        }
        Outcome::Refused | Outcome::RolledBack => Err(differs(&desk, &done).into()),
        Outcome::AsksMore(share) => Err(asks_more(&desk, share).into()),
    }
}

fn asks_more(desk: &Desk, share: ManualShare) -> Problem {
    let ManualShare { before, after } = share;
    Problem::conflict("MAS_PREGUNTAS")
        .lang(desk.lang)
        .detail(match desk.lang {
            Lang::Es => format!(
                "Sus respuestas son las esperadas, pero preguntaría {after} veces a personas y la \
                 versión en vigor {before}; no cambió nada."
            ),
            Lang::En => format!(
                "Its answers are as expected, but it would ask people {after} times and the \
                 version in force {before}; nothing was changed."
            ),
        })
        .hint(desk.lang.t(
            "Con allow_more_manual: true (o --allow-more-manual) se promueve igualmente.",
            "With allow_more_manual: true (or --allow-more-manual) it is promoted all the same.",
        ))
}

fn differs(desk: &Desk, done: &Promotion) -> Problem {
    let all = done.set.len();
    let off = done.set.iter().filter(|one| !one.is_equal()).count();
    let (code, sentence) = match (done.outcome, desk.lang) {
        (Outcome::RolledBack, Lang::Es) => (
            "PROMOCION_DESHECHA",
            format!("{off} de {all} casos difieren en vigor; se volvió a la versión anterior."),
        ),
        (Outcome::RolledBack, Lang::En) => (
            "PROMOCION_DESHECHA",
            format!("{off} of {all} cases differ once in force; the version before is back."),
        ),
        (_, Lang::Es) => (
            "JUEGO_DIFERENTE",
            format!("{off} de {all} casos difieren; la versión en vigor no cambió."),
        ),
        (_, Lang::En) => (
            "JUEGO_DIFERENTE",
            format!("{off} of {all} cases differ; the version in force did not change."),
        ),
    };
    let problem = Problem::conflict(code).lang(desk.lang).detail(sentence);
    let lines = done.set.iter().flat_map(|verdict| lines(verdict, desk.lang));
    lines.take(MOST_TOLD).fold(problem, |problem, (path, text)| problem.error(path, text))
}

/// A case's differences: where, and what.
fn lines(verdict: &Verdict, lang: Lang) -> Vec<(String, String)> {
    if let Some(failed) = &verdict.failed {
        return vec![(verdict.name.clone(), failed.clone())];
    }
    let place = |pages: &[u32]| {
        let pages: Vec<String> = pages.iter().map(|page| (page + 1).to_string()).collect();
        format!("{} · p. {}", verdict.name, pages.join(", "))
    };
    let told = |wanted: &str, got: &str| match lang {
        Lang::Es => format!("se esperaba {wanted}, hay {got}"),
        Lang::En => format!("expected {wanted}, got {got}"),
    };
    let nothing = lang.t("ningún documento", "no document");
    let one = |difference: &Difference| match difference {
        Difference::Lost { pages, expected } => (place(pages), told(expected, nothing)),
        Difference::Found { pages, got } => (place(pages), told(nothing, got)),
        Difference::Type { pages, expected, got } => (place(pages), told(expected, got)),
        Difference::Field { pages, field, expected, got, .. } => {
            (format!("{} · {field}", place(pages)), told(&shown(expected), &shown(got)))
        }
    };
    verdict.differences.iter().map(one).collect()
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => "–".to_owned(),
        Json::String(text) => format!("«{text}»"),
        other => other.to_string(),
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RollbackBody {
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// Puts the version before the present one into force again, with a reason.
#[utoipa::path(post, path = "/api/docproc/workflows/{name}/rollback", tag = "docproc",
    params(("name" = String, Path)), request_body = RollbackBody,
    responses((status = 200, body = Object)))]
async fn rollback(
    desk: Desk,
    Path(name): Path<String>,
    web::Json(RollbackBody { reason }): web::Json<RollbackBody>,
) -> Result<Response, Failure> {
    desk.require(Action::Promote)?;
    let reason = given_reason(&desk, &reason)?;
    match promotion::rollback(&desk.context, &desk.by(), &name, reason).await? {
        Ok((from, to)) => {
            let body = json!({ "workflow": name, "from_version_id": from, "version_id": to });
            Ok(axum::Json(body).into_response())
        }
        Err(Refusal::NotFound) => Err(no_workflow(&desk).into()),
        Err(refusal) => Err(desk.refused(&refusal).into()),
    }
}
