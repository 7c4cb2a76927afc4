//! Gathers what the pages of templates show.

use axum::response::Response;
use engine::Roles as _;
use host::{Console, Failure, edit::Editable as _};
use web::Path;

use super::{Desk, names, render};
use crate::{
    decisions::{
        catalogue::views as oids,
        templates::{Templates, view},
    },
    model::TemplateId,
    pages::templates::{TemplatePage, TemplatesPage},
    policy::Action,
    routes::plan,
    store::templates,
};

pub(super) async fn list(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Plantillas", "Templates"));
    let fit = plan::fit(&desk.context).await?;
    let mut tx = desk.context.store.read().await?;
    let mut lines = Vec::new();
    for template in templates::all(&mut tx).await? {
        lines.push(view(&mut tx, &template).await?);
    }
    render(&desk, &TemplatesPage { lines, fit, may_edit: desk.role.can(Action::Edit), page })
}

pub(super) async fn new(desk: Desk, console: Console) -> Result<Response, Failure> {
    form(desk, console, None).await
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
) -> Result<Response, Failure> {
    form(desk, console, Some(TemplateId(id))).await
}

async fn form(desk: Desk, console: Console, id: Option<TemplateId>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut page = console.page(match id {
        Some(_) => console.lang.t("Plantilla", "Template"),
        None => console.lang.t("Nueva plantilla", "New template"),
    });
    let fit = plan::fit(&desk.context).await?;
    let mut tx = desk.context.store.read().await?;
    let standing = match id {
        None => None,
        Some(id) => {
            let found = templates::find(&mut tx, id).await?;
            let found = found.ok_or_else(|| Templates::missing(&desk))?;
            page.title = format!("{} {}", page.title, found.name);
            Some(view(&mut tx, &found).await?)
        }
    };
    let view = TemplatePage {
        names: names(&mut tx).await?,
        standing,
        fit,
        oids: oids(&mut tx).await?,
        may_edit: desk.role.can(Action::Edit),
        page,
    };
    render(&desk, &view)
}
