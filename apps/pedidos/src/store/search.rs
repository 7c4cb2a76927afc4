//! What Ctrl K finds: orders by number, customer or telephone.

use db::Error;
use engine::Word as _;
use futures::future::BoxFuture;
use host::{Actor, Context, HITS, Hit, Sought, folded};

use web::Lang;

use crate::model::{OrderState, Role};

/// Orders that are looked through, the newest ones: a year of a busy shop.
const LOOKED: i64 = 100_000;

pub fn find<'a>(
    context: &'a Context,
    actor: &'a Actor,
    sought: &'a Sought,
) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
    Box::pin(async move {
        match actor.role_in(crate::NAME).and_then(Role::from_word) {
            // The kitchen has no customers, and its orders on its own screen.
            None | Some(Role::Kitchen) => Ok(Vec::new()),
            Some(_) => orders(context, sought).await,
        }
    })
}

async fn orders(context: &Context, sought: &Sought) -> Result<Vec<Hit>, Error> {
    let mut tx = context.store.read().await?;
    let sql = concat!(
        "SELECT id, state, customer_name, customer_phone FROM orders
         WHERE id > (SELECT COALESCE(MAX(id), 0) FROM orders) - $3 AND (id = $1 OR ",
        folded!("customer_name"),
        " LIKE $2 ESCAPE '\\' OR customer_phone LIKE $2 ESCAPE '\\')
         ORDER BY id DESC LIMIT $4"
    );
    let number = sought.number().unwrap_or(-1);
    let args = [number.into(), sought.anywhere().into(), LOOKED.into(), (HITS as i64).into()];
    let mut hits = Vec::new();
    for row in tx.all(sql, &args).await? {
        let id: i64 = row.get("id")?;
        let state = row.word("state", OrderState::from_word)?;
        let name: Option<String> = row.maybe("customer_name")?;
        let phone: Option<String> = row.maybe("customer_phone")?;
        let who = [name, phone].into_iter().flatten().collect::<Vec<_>>().join(" · ");
        hits.push(Hit {
            kind: ("Pedido", "Order"),
            icon: "bag",
            title: format!("#{id} {who}").trim_end().to_owned(),
            detail: told(state, sought.lang).to_owned(),
            href: format!("/mostrador?pedido={id}"),
        });
    }
    Ok(hits)
}

fn told(state: OrderState, lang: Lang) -> &'static str {
    match state {
        OrderState::Received => lang.t("en espera", "waiting"),
        OrderState::Preparing => lang.t("en preparación", "being prepared"),
        OrderState::Ready => lang.t("listo", "ready"),
        OrderState::Delivered => lang.t("entregado", "delivered"),
        OrderState::Cancelled => lang.t("cancelado", "cancelled"),
    }
}
