//! Why there is nothing yet of what the Control Room brings.

use web::Page;

/// Whether robots and runners can come, and how the last sync went.
#[derive(Debug, Clone)]
pub struct Supply {
    pub configured: bool,
    pub synced: bool,
    pub error: Option<String>,
    /// May ask for a sync.
    pub may_operate: bool,
}

impl Supply {
    pub fn told(&self, page: &Page) -> String {
        let told = match (&self.error, self.configured, self.synced) {
            (_, false, _) => page.t(
                "Falta conectar un Control Room: los trae la sincronización. También se cargan a mano.",
                "No Control Room is connected: the sync brings them. They can also be entered by hand.",
            ),
            (Some(error), true, _) => {
                let failed = page.t(
                    "La sincronización con el Control Room falló",
                    "The sync with the Control Room failed",
                );
                return format!("{failed}: {}", page.lang.told(error));
            }
            (None, true, false) => page.t(
                "La primera sincronización con el Control Room está en camino.",
                "The first sync with the Control Room is on its way.",
            ),
            (None, true, true) => page.t(
                "El Control Room contestó y no tiene ninguno que SAM pueda usar: conviene revisar la carpeta y los filtros de la sincronización.",
                "The Control Room answered and has none that SAM can use: look at the folder and the filters of the sync.",
            ),
        };
        told.to_owned()
    }
}
