//! What Ctrl K finds: requests by id, reference or file, and documents by id.

use db::Error;
use engine::Word as _;
use futures::future::BoxFuture;
use host::{Actor, Context, HITS, Hit, Roles as _, Sought, folded};

use crate::policy::{Action, Role};

/// Requests that are looked through, the newest ones.
const LOOKED: i64 = 20_000;

const REQUESTS: &str = concat!(
    "SELECT r.id, r.workflow_name AS detail,
            COALESCE(r.external_id, (SELECT f.name FROM request_files f
                                     WHERE f.request_id = r.id ORDER BY f.n LIMIT 1)) AS name
     FROM (SELECT id, external_id, workflow_name FROM requests ORDER BY id DESC LIMIT $2) r
     WHERE r.id LIKE $1 ESCAPE '\\' OR ",
    folded!("r.external_id"),
    " LIKE $1 ESCAPE '\\'
        OR EXISTS (SELECT 1 FROM request_files f
                   WHERE f.request_id = r.id AND ",
    folded!("f.name"),
    " LIKE $1 ESCAPE '\\')
     ORDER BY r.id DESC LIMIT $3"
);

pub fn find<'a>(
    context: &'a Context,
    actor: &'a Actor,
    sought: &'a Sought,
) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
    Box::pin(async move {
        let role = actor.role_in(crate::NAME).and_then(Role::from_word);
        if !role.is_some_and(|role| role.can(Action::ReadContent)) {
            return Ok(Vec::new());
        }
        requests(context, sought).await
    })
}

async fn requests(context: &Context, sought: &Sought) -> Result<Vec<Hit>, Error> {
    let mut tx = context.store.read().await?;
    let mut hits = Vec::new();
    let args = [sought.anywhere().into(), LOOKED.into(), (HITS as i64).into()];
    for row in tx.all(REQUESTS, &args).await? {
        let id: String = row.get("id")?;
        let name: Option<String> = row.maybe("name")?;
        hits.push(Hit {
            kind: ("Solicitud", "Request"),
            icon: "document",
            title: name.unwrap_or_else(|| id.clone()),
            detail: row.get("detail")?,
            href: format!("/docproc/solicitudes/{id}"),
        });
    }
    let sql = "SELECT id, request_id, doc_type FROM documents WHERE id = $1";
    if let Some(row) = tx.optional(sql, &[sought.text.as_str().into()]).await? {
        hits.push(Hit {
            kind: ("Documento", "Document"),
            icon: "document",
            title: row.get("id")?,
            detail: row.get("doc_type")?,
            href: format!("/docproc/solicitudes/{}", row.get::<String>("request_id")?),
        });
    }
    Ok(hits)
}
