//! What Ctrl K finds: robots, runners and pools by name or number, runs by number.

use db::Error;
use engine::Word as _;
use futures::future::BoxFuture;
use host::{Actor, Context, HITS, Hit, Sought, folded};

use crate::policy::{Action, Role, can};

/// What is searched, where it is shown, and the rest of its page's address.
const TABLES: [Table; 3] = [
    Table {
        sql: concat!(
            "SELECT id, name, description AS detail FROM robots
              WHERE id = $1 OR ",
            folded!("name"),
            " LIKE $2 ESCAPE '\\' ORDER BY name LIMIT $3"
        ),
        kind: ("Robot", "Robot"),
        icon: "robot",
        page: "/sam/robots/",
    },
    Table {
        sql: concat!(
            "SELECT id, name, user_name AS detail FROM runners
              WHERE id = $1 OR ",
            folded!("name"),
            " LIKE $2 ESCAPE '\\' ORDER BY name LIMIT $3"
        ),
        kind: ("Equipo", "Runner"),
        icon: "server",
        page: "/sam/equipos/",
    },
    Table {
        sql: concat!(
            "SELECT id, name, description AS detail FROM pools
              WHERE id = $1 OR ",
            folded!("name"),
            " LIKE $2 ESCAPE '\\' ORDER BY name LIMIT $3"
        ),
        kind: ("Pool", "Pool"),
        icon: "list",
        page: "/sam/pools#pool-",
    },
];

struct Table {
    sql: &'static str,
    kind: (&'static str, &'static str),
    icon: &'static str,
    page: &'static str,
}

pub fn find<'a>(
    context: &'a Context,
    actor: &'a Actor,
    sought: &'a Sought,
) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
    Box::pin(async move {
        let role = actor.role_in(crate::NAME).and_then(Role::from_word);
        if !role.is_some_and(|role| can(role, Action::Read)) {
            return Ok(Vec::new());
        }
        things(context, sought).await
    })
}

async fn things(context: &Context, sought: &Sought) -> Result<Vec<Hit>, Error> {
    let mut tx = context.store.read().await?;
    let number = sought.number().unwrap_or(-1);
    let mut hits = Vec::new();
    for Table { sql, kind, icon, page } in TABLES {
        let args = [number.into(), sought.anywhere().into(), (HITS as i64 / 3).into()];
        for row in tx.all(sql, &args).await? {
            let id: i64 = row.get("id")?;
            let detail: Option<String> = row.maybe("detail")?;
            hits.push(Hit {
                kind,
                icon,
                title: row.get("name")?,
                detail: detail.unwrap_or_else(|| format!("#{id}")),
                href: format!("{page}{id}"),
            });
        }
    }
    let sql = "SELECT u.id, r.name FROM runs u JOIN robots r ON r.id = u.robot_id WHERE u.id = $1";
    if let Some(row) = tx.optional(sql, &[number.into()]).await? {
        let id: i64 = row.get("id")?;
        hits.push(Hit {
            kind: ("Ejecución", "Run"),
            icon: "play",
            title: format!("#{id}"),
            detail: row.get("name")?,
            href: format!("/sam/ejecuciones/{id}"),
        });
    }
    Ok(hits)
}
