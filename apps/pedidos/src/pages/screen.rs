use askama::Template;
use web::Page;

/// `/pantalla`: numbers for customers. Its numbers come from `GET /api/pedidos/pantalla`.
#[derive(Template)]
#[template(path = "screen.html")]
pub struct ScreenPage {
    pub page: Page,
}
