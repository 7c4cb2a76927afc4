//! What people send to describe an OID of the catalogue.

use engine::Word as _;
use host::{Failure, check::Check};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::{Lang, Problem};

use super::node::oid;
use crate::model::{CatalogueEntry, CatalogueId, Column, Space};

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OidNuevo)]
pub struct OidRequest {
    #[schema(min_length = 1, max_length = 120)]
    nombre: String,
    oid: String,
    marca: Option<String>,
    modelo: Option<String>,
    /// `descubrimiento`, `descripcion`, `mac`, `plan_onu`, …; `lectura` for what is no column.
    espacio: String,
    keep_previous_value: Option<bool>,
    format_mac: Option<bool>,
}

impl OidRequest {
    pub fn typed(&self, lang: Lang) -> Result<CatalogueEntry, Failure> {
        let mut check = Check::new(lang);
        let name = check.name("nombre", &self.nombre, 120);
        let brand = check.text("marca", self.marca.as_deref(), 60);
        let model = check.text("modelo", self.modelo.as_deref(), 60);
        if brand.is_none() && model.is_some() {
            check.wrong("marca", "un modelo es de una marca", "a model is of a brand");
        }
        let text = check.name("oid", &self.oid, 2_000);
        let oid = oid(&mut check, "oid", Some(&text));
        let space = check.word("espacio", Some(self.espacio.trim()));
        check.finish()?;
        let whole = oid.zip(space);
        let (oid, space) =
            whole.ok_or_else(|| Problem::bad_request("CUERPO_INVALIDO").lang(lang))?;
        Ok(CatalogueEntry {
            id: CatalogueId(0),
            name,
            oid,
            brand,
            model,
            space,
            keep_previous: self.keep_previous_value.unwrap_or(false),
            format_mac: self.format_mac.unwrap_or(space == Space::Column(Column::Mac)),
            source: None,
            unit: None,
        })
    }
}

impl From<&CatalogueEntry> for OidRequest {
    fn from(entry: &CatalogueEntry) -> Self {
        Self {
            nombre: entry.name.clone(),
            oid: entry.oid.to_string(),
            marca: entry.brand.clone(),
            modelo: entry.model.clone(),
            espacio: entry.space.word().to_owned(),
            keep_previous_value: Some(entry.keep_previous),
            format_mac: Some(entry.format_mac),
        }
    }
}
