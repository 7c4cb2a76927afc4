use askama::Template;
use web::Page;

/// `/mostrador`: the board of the counter. Its orders come from `GET /api/pedidos/tablero`.
#[derive(Template)]
#[template(path = "counter.html")]
pub struct CounterPage {
    pub page: Page,
}
