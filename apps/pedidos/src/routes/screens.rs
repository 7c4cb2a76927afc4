//! The pages of the four screens.

use askama::Template as _;
use axum::{
    response::{Html, IntoResponse as _, Redirect, Response},
    routing::any,
};
use engine::Roles as _;
use host::{Console, Failure};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use web::routing::{boxed, get};
use web::{Lang, Path, Period, Problem, Query};

use super::{Desk, kitchen::on_paper, reports};
use crate::{
    Context, drivers,
    pages::{CounterPage, KitchenPage, PaperPage, ScreenPage},
    policy::Action,
    rules::slip::SlipLang,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .route("/mostrador", get(counter))
        .route("/cocina", get(kitchen))
        .route("/comandas/{id}/impresion", get(paper))
        .route("/pantalla", get(screen))
        .route("/pedidos-panel", get(panel))
        .route("/socket.io/", any(boxed(drivers::sockets::serve)))
}

async fn counter(desk: Desk, console: Console) -> Result<Response, Failure> {
    if !desk.role.can(Action::WriteOrders) {
        return Ok(Redirect::to("/cocina").into_response());
    }
    let page = console.page(console.lang.t("Mostrador", "Counter"));
    render(&console, CounterPage { page }.render())
}

async fn kitchen(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::ReadKitchen)?;
    let page = console.page(console.lang.t("Cocina", "Kitchen"));
    render(&console, KitchenPage { page }.render())
}

/// The ticket for the browser's own printer.
async fn paper(desk: Desk, console: Console, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::ReadKitchen)?;
    let lang = match console.lang {
        Lang::Es => SlipLang::Spanish,
        Lang::En => SlipLang::English,
    };
    let slip = on_paper(&desk, id, lang).await?;
    let page = console.page(&format!("{} #{}", console.lang.t("Comanda", "Ticket"), slip.order));
    render(&console, PaperPage { page, slip }.render())
}

/// Public: it shows numbers and nothing else.
async fn screen(console: Console) -> Result<Response, Failure> {
    let page = console.page(console.lang.t("Pedidos", "Orders"));
    render(&console, ScreenPage { page }.render())
}

#[derive(Debug, Deserialize)]
struct Wanted {
    periodo: Option<String>,
}

async fn panel(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let page = console.page(console.lang.t("Panel de pedidos", "Orders panel"));
    let period = Period::asked(wanted.periodo.as_deref(), Period::Week);
    let panel = reports::panel(&desk, page, period).await?;
    render(&console, panel.render())
}

fn render(console: &Console, page: askama::Result<String>) -> Result<Response, Failure> {
    match page {
        Ok(html) => Ok(Html(html).into_response()),
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            Err(Problem::internal(console.lang).into())
        }
    }
}
