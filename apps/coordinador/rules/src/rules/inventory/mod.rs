//! What a run changes in the inventory (F-3.2, F-3.3): from the rows that are known and the
//! rows that came, the changes. Customers are never taken for gone on weak evidence.

mod discovery;
mod get;
mod value;

pub use discovery::{Change, Count, Known, Sighting, Trust, Verdict, Walk, after_discovery};
pub use get::{Answer, Fault, Got, Target, Written, after_get};
pub use value::{Raw, written};

use crate::model::StateLabel;

/// *Etiqueta de estado*: of the brand, else for all.
pub fn label<'a>(labels: &'a [StateLabel], brand: &str, value: i64) -> &'a str {
    let brand = brand.to_lowercase();
    let mut same = labels.iter().filter(|label| label.value == value);
    let own = same
        .clone()
        .find(|label| label.brand.as_ref().is_some_and(|own| own.to_lowercase() == brand));
    own.or_else(|| same.find(|label| label.brand.is_none())).map_or("UNKNOWN", |one| &one.label)
}

/// The labels a new house begins with (F-1.8).
pub fn default_labels() -> Vec<StateLabel> {
    let rows: [(Option<&str>, &[&str]); 3] = [
        (Some("Huawei"), &["ACTIVO", "SUSPENDIDO"]),
        (Some("ZTE"), &["ONLINE", "OFFLINE", "REGISTERING"]),
        (None, &["ACTIVO", "SUSPENDIDO", "INACTIVO", "ERROR", "MANTENIMIENTO"]),
    ];
    rows.into_iter()
        .flat_map(|(brand, labels)| {
            (1..).zip(labels).map(move |(value, label)| StateLabel {
                value,
                label: (*label).to_owned(),
                brand: brand.map(str::to_owned),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_brand_goes_before_what_holds_for_all() {
        let labels = default_labels();
        let text = |brand, value| label(&labels, brand, value);
        assert_eq!(text("HUAWEI", 2), "SUSPENDIDO");
        assert_eq!(text("ZTE", 2), "OFFLINE");
        assert_eq!(text("ZTE", 5), "MANTENIMIENTO");
        assert_eq!(text("Nokia", 1), "ACTIVO");
        assert_eq!(text("Nokia", 77), "UNKNOWN");
    }
}
