use askama::Template;
use web::Page;

/// `/cocina`: the kitchen display. Its tickets come from `GET /comandas`.
#[derive(Template)]
#[template(path = "kitchen.html")]
pub struct KitchenPage {
    pub page: Page,
}
