//! What Ctrl K finds: OLTs and nodes by name or number, ONUs by what their network calls them.

use db::Error;
use engine::Word as _;
use futures::future::BoxFuture;
use host::{Actor, Context, HITS, Hit, Roles as _, Sought, folded};

use crate::policy::{Action, Role};

/// Letters from which ONUs are searched: there are a hundred thousand of them.
const ENOUGH: usize = 3;

const OLTS: &str = concat!(
    "SELECT id, name, address AS detail FROM olts
     WHERE deleted_at IS NULL
       AND (id = $1 OR ",
    folded!("name"),
    " LIKE $2 ESCAPE '\\' OR address LIKE $2 ESCAPE '\\')
     ORDER BY name LIMIT $3"
);
const NODES: &str = concat!(
    "SELECT n.id, n.name, o.name AS detail FROM nodes n JOIN olts o ON o.id = n.olt_id
     WHERE o.deleted_at IS NULL AND (n.id = $1 OR ",
    folded!("n.name"),
    " LIKE $2 ESCAPE '\\')
     ORDER BY n.name, n.id LIMIT $3"
);
const ONUS: &str = concat!(
    "SELECT o.id, COALESCE(NULLIF(u.serial, ''), NULLIF(u.description, ''), u.raw_index) AS name,
       o.name AS detail, u.raw_index FROM onus u
     JOIN olts o ON o.id = u.olt_id
     WHERE o.deleted_at IS NULL AND $1 <> 0
       AND (LOWER(u.serial) LIKE $2 ESCAPE '\\' OR LOWER(u.mac) LIKE $2 ESCAPE '\\' OR ",
    folded!("u.subscriber"),
    " LIKE $2 ESCAPE '\\' OR ",
    folded!("u.description"),
    " LIKE $2 ESCAPE '\\'
            OR u.raw_index LIKE $2 ESCAPE '\\')
     LIMIT $3"
);

pub fn find<'a>(
    context: &'a Context,
    actor: &'a Actor,
    sought: &'a Sought,
) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
    Box::pin(async move {
        let role = actor.role_in(crate::NAME).and_then(Role::from_word);
        if !role.is_some_and(|role| role.can(Action::Read)) {
            return Ok(Vec::new());
        }
        things(context, sought).await
    })
}

async fn things(context: &Context, sought: &Sought) -> Result<Vec<Hit>, Error> {
    let mut tx = context.store.read().await?;
    let number = sought.number().unwrap_or(-1);
    let mut hits = Vec::new();
    for (sql, kind, icon) in [
        (OLTS, ("OLT", "OLT"), "server"),
        (NODES, ("Nodo", "Node"), "list"),
        (ONUS, ("ONU", "ONU"), "dot"),
    ] {
        if kind.0 == "ONU" && sought.text.chars().count() < ENOUGH {
            continue;
        }
        let args = [number.into(), sought.anywhere().into(), (HITS as i64 / 3).into()];
        for row in tx.all(sql, &args).await? {
            let (id, title): (i64, String) = (row.get("id")?, row.get("name")?);
            let mut detail: String = row.get("detail")?;
            let href = match kind.0 {
                "OLT" => format!("/coordinador/olts/{id}"),
                "Nodo" => format!("/coordinador/nodos/{id}"),
                _ => {
                    let index: String = row.get("raw_index")?;
                    if index != title {
                        detail = format!("{detail} · {index}");
                    }
                    format!("/coordinador/olts/{id}?q={index}#onus")
                }
            };
            hits.push(Hit { kind, icon, title, detail, href });
        }
    }
    Ok(hits)
}
