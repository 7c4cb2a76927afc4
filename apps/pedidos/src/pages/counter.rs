use askama::Template;
use web::Page;

/// `/mostrador`: the board of the counter. Its orders come from `GET /api/pedidos/tablero`.
#[derive(Template)]
#[template(path = "counter.html")]
pub struct CounterPage {
    pub page: Page,
}

impl CounterPage {
    /// The columns of the board: the state they show and their title.
    fn columns(&self) -> [(&'static str, &'static str); 3] {
        [
            ("RECIBIDO", self.page.t("Recibidos", "Received")),
            ("EN_PREPARACION", self.page.t("En preparación", "Preparing")),
            ("LISTO", self.page.t("Listos", "Ready")),
        ]
    }
}
