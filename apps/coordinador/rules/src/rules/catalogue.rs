//! *Catálogo de OID* (F-1.4): the shipped entries, and which one an OLT gets.

use engine::Word as _;

use crate::model::{CatalogueEntry, CatalogueId, Column, Oid, Space};

/// What comes with Turno; the house may add its own, which come first.
pub fn shipped() -> Vec<CatalogueEntry> {
    const HUAWEI: &str = "1.3.6.1.4.1.2011.6.128.1.1.2";
    const ZTE: &str = "1.3.6.1.4.1.3902.1082.500.10.2.1";
    let columns = [
        ("Huawei", HUAWEI, "46.1.1", Space::Discovery),
        ("Huawei", HUAWEI, "43.1.9", Space::Column(Column::Description)),
        ("Huawei", HUAWEI, "43.1.3", Space::Column(Column::Serial)),
        ("Huawei", HUAWEI, "43.1.7", Space::Column(Column::Plan)),
        ("Huawei", HUAWEI, "45.1.4", Space::Column(Column::Model)),
        ("Huawei", HUAWEI, "46.1.20", Space::Column(Column::Distance)),
        ("Huawei", HUAWEI, "46.1.21", Space::Column(Column::Mac)),
        ("ZTE", ZTE, "1", Space::Discovery),
        ("ZTE", ZTE, "2", Space::Column(Column::Description)),
        ("ZTE", ZTE, "3", Space::Column(Column::Serial)),
        ("ZTE", ZTE, "4", Space::Column(Column::Mac)),
        ("ZTE", ZTE, "5", Space::Column(Column::Distance)),
        ("ZTE", ZTE, "6", Space::Column(Column::Model)),
        ("ZTE", ZTE, "7", Space::Column(Column::Plan)),
    ];
    let entry = |(number, (brand, root, rest, space)): (i64, (&str, &str, &str, Space))| {
        let oid = format!("{root}.{rest}").parse::<Oid>().expect("shipped OIDs are OIDs");
        CatalogueEntry {
            // Below zero: not in the database, and not to be changed there.
            id: CatalogueId(-number),
            name: format!("{brand} {}", space.word()),
            oid,
            brand: Some(brand.to_owned()),
            model: None,
            space,
            keep_previous: false,
            format_mac: space == Space::Column(Column::Mac),
        }
    };
    (1..).zip(columns).map(entry).collect()
}

/// For this device: brand and model, then any model of the brand, then any device; of two alike the
/// first.
pub fn find<'a>(
    catalogue: &'a [CatalogueEntry],
    space: Space,
    brand: &str,
    model: Option<&str>,
) -> Option<&'a CatalogueEntry> {
    let same = |own: Option<&str>, asked: &str| {
        own.is_some_and(|own| own.to_lowercase() == asked.to_lowercase())
    };
    let rank = |entry: &CatalogueEntry| match (entry.brand.as_deref(), entry.model.as_deref()) {
        (own, Some(own_model)) if same(own, brand) => {
            same(Some(own_model), model.unwrap_or_default()).then_some(0)
        }
        (own, None) if same(own, brand) => Some(1),
        (None, None) => Some(2),
        (None | Some(_), _) => None,
    };
    let of_space = catalogue.iter().filter(|entry| entry.space == space);
    let ranked = of_space.filter_map(|entry| Some((rank(entry)?, entry)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, entry)| entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: i64, brand: Option<&str>, model: Option<&str>) -> CatalogueEntry {
        CatalogueEntry {
            id: CatalogueId(id),
            name: format!("entry {id}"),
            oid: "1.3.6.1".parse().unwrap(),
            brand: brand.map(str::to_owned),
            model: model.map(str::to_owned),
            space: Space::Discovery,
            keep_previous: false,
            format_mac: false,
        }
    }

    #[test]
    fn the_closest_entry_wins_and_another_brand_never() {
        let all = [
            entry(1, None, None),
            entry(2, Some("Huawei"), None),
            entry(3, Some("huawei"), Some("MA5800")),
            entry(4, Some("ZTE"), Some("C320")),
        ];
        let found =
            |brand, model| find(&all, Space::Discovery, brand, model).map(|entry| entry.id.0);
        assert_eq!(found("HUAWEI", Some("ma5800")), Some(3));
        assert_eq!(found("Huawei", Some("MA5608T")), Some(2));
        assert_eq!(found("Huawei", None), Some(2));
        assert_eq!(found("ZTE", Some("C600")), Some(1));
        assert_eq!(found("Genérico", None), Some(1));
        assert_eq!(find(&all[1..], Space::Discovery, "Genérico", None), None);
        let column = Space::Column(Column::Mac);
        assert_eq!(find(&all, column, "Huawei", None), None);
    }

    #[test]
    fn what_is_shipped_finds_itself() {
        let shipped = shipped();
        for entry in &shipped {
            let brand = entry.brand.as_deref().unwrap();
            assert_eq!(find(&shipped, entry.space, brand, Some("any")), Some(entry));
        }
    }
}
