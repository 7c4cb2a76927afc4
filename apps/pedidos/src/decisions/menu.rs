//! The menu: articles enter it, change and leave it.

use db::{Error, Tx, audit::Entry};
use host::{By, Context};
use serde_json::json;

use super::{Done, in_kitchen};
use crate::{
    rules::pricing::same_text,
    store::articles::{self, Article},
    wire::pesos,
};

/// The menu already has one of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    pub article: i64,
}

/// Adds an article.
pub async fn create_article(
    context: &Context,
    by: &By,
    article: Article,
) -> Result<Done<Article, Duplicate>, Error> {
    in_kitchen(context, async |decision, _| {
        if let Some(duplicate) = duplicate(&mut decision.tx, &article).await? {
            return Ok(Done::Refused(duplicate));
        }
        let id = articles::insert(&mut decision.tx, &article).await?;
        let article = Article { id, version: 1, ..article };
        decision.audit(entry(by, "articulo.crear", None, &article));
        Ok(Done::Saved(article))
    })
    .await
}

/// Changes an article as it stands under the lock: what the change does not name stays, the stock that
/// was sold meanwhile too.
pub async fn change_article(
    context: &Context,
    by: &By,
    id: i64,
    expected: Option<i64>,
    change: impl FnOnce(Article) -> Article,
) -> Result<Done<Article, Duplicate>, Error> {
    edit(context, by, id, expected, "articulo.editar", change).await
}

/// Takes an article off the menu. Past orders keep it.
pub async fn retire_article(
    context: &Context,
    by: &By,
    id: i64,
) -> Result<Done<Article, Duplicate>, Error> {
    let retired = |current| Article { active: false, ..current };
    edit(context, by, id, None, "articulo.quitar", retired).await
}

async fn edit(
    context: &Context,
    by: &By,
    id: i64,
    expected: Option<i64>,
    action: &str,
    change: impl FnOnce(Article) -> Article,
) -> Result<Done<Article, Duplicate>, Error> {
    in_kitchen(context, async |decision, _| {
        let Some(current) = articles::find(&mut decision.tx, id).await? else {
            return Ok(Done::Missing);
        };
        let version = current.version;
        if expected.is_some_and(|expected| expected != version) {
            return Ok(Done::Stale { current: version });
        }
        let wanted = Article { id, version, ..change(current.clone()) };
        if let Some(duplicate) = duplicate(&mut decision.tx, &wanted).await? {
            return Ok(Done::Refused(duplicate));
        }
        articles::update(&mut decision.tx, &wanted).await?;
        decision.audit(entry(by, action, Some(&current), &wanted));
        Ok(Done::Saved(Article { version: version + 1, ..wanted }))
    })
    .await
}

/// Another article on the menu under the same name. What left the menu is in nobody's way.
async fn duplicate(tx: &mut Tx, wanted: &Article) -> Result<Option<Duplicate>, Error> {
    if !wanted.active {
        return Ok(None);
    }
    let menu = articles::names(tx).await?;
    let same = menu.iter().find(|(id, name)| *id != wanted.id && same_text(name, &wanted.name));
    Ok(same.map(|(id, _)| Duplicate { article: *id }))
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
