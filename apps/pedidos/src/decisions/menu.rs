//! The menu: articles enter it, change and leave it.

use std::convert::Infallible;

use db::{Error, audit::Entry};
use host::{By, Context};
use serde_json::json;

use super::{Done, in_kitchen};
use crate::{
    store::articles::{self, Article},
    wire::pesos,
};

/// Adds an article, or replaces the one with this id.
pub async fn put_article(
    context: &Context,
    by: &By,
    id: Option<i64>,
    expected: Option<i64>,
    article: Article,
) -> Result<Done<Article, Infallible>, Error> {
    let Some(id) = id else {
        return in_kitchen(context, async |decision, _| {
            let id = articles::insert(&mut decision.tx, &article).await?;
            let article = Article { id, version: 1, ..article };
            decision.audit(entry(by, "articulo.crear", None, &article));
            Ok(Done::Saved(article))
        })
        .await;
    };
    edit(context, by, id, expected, "articulo.editar", |_| article).await
}

/// Takes an article off the menu. Past orders keep it.
pub async fn retire_article(
    context: &Context,
    by: &By,
    id: i64,
) -> Result<Done<Article, Infallible>, Error> {
    let retired = |current: &Article| Article { active: false, ..current.clone() };
    edit(context, by, id, None, "articulo.quitar", retired).await
}

async fn edit(
    context: &Context,
    by: &By,
    id: i64,
    expected: Option<i64>,
    action: &str,
    change: impl FnOnce(&Article) -> Article,
) -> Result<Done<Article, Infallible>, Error> {
    in_kitchen(context, async |decision, _| {
        let Some(current) = articles::find(&mut decision.tx, id).await? else {
            return Ok(Done::Missing);
        };
        let version = current.version;
        if expected.is_some_and(|expected| expected != version) {
            return Ok(Done::Stale { current: version });
        }
        let wanted = Article { id, version, ..change(&current) };
        articles::update(&mut decision.tx, &wanted).await?;
        decision.audit(entry(by, action, Some(&current), &wanted));
        Ok(Done::Saved(Article { version: version + 1, ..wanted }))
    })
    .await
}

fn entry(by: &By, action: &str, before: Option<&Article>, after: &Article) -> Entry {
    let shown = |article: &Article| {
        json!({ "nombre": article.name, "precio": pesos(article.price_cents),
                "peso": article.weight, "activo": article.active, "stock": article.stock })
    };
    Entry {
        before: before.map(shown),
        after: Some(shown(after)),
        ..by.did(action, format!("articulo/{}", after.id))
    }
}
