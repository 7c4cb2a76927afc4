//! Why there is nothing yet of what the Control Room brings.

use web::Page;

/// How robots and runners come, and what whoever looks may do about it.
#[derive(Debug, Clone)]
pub struct Supply {
    pub stage: Stage,
    pub may_operate: bool,
    pub may_configure: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    NotConnected,
    /// The sync does not run by itself.
    Off,
    /// The first sync is on its way.
    Coming,
    /// The last one failed, in both languages on one line.
    Failed(String),
    /// It brought nothing.
    Nothing,
}

impl Supply {
    pub fn is_connected(&self) -> bool {
        self.stage != Stage::NotConnected
    }

    pub fn told(&self, page: &Page) -> String {
        let told = match &self.stage {
            Stage::NotConnected => page.t(
                "Falta conectar un Control Room: los trae la sincronización. También se cargan a mano.",
                "No Control Room is connected: the sync brings them. They can also be entered by hand.",
            ),
            Stage::Off => page.t(
                "La sincronización con el Control Room está desactivada: se puede pedir una, o cargarlos a mano.",
                "The sync with the Control Room is switched off: ask for one, or enter them by hand.",
            ),
            Stage::Coming => page.t(
                "La primera sincronización con el Control Room está en camino.",
                "The first sync with the Control Room is on its way.",
            ),
            Stage::Failed(cause) => {
                let failed = page.t(
                    "La sincronización con el Control Room falló",
                    "The sync with the Control Room failed",
                );
                return format!("{failed}: {}", page.lang.told(cause));
            }
            Stage::Nothing => page.t(
                "El Control Room contestó y no tiene ninguno que SAM pueda usar: conviene revisar la carpeta y los filtros de la sincronización.",
                "The Control Room answered and has none that SAM can use: look at the folder and the filters of the sync.",
            ),
        };
        told.to_owned()
    }
}
