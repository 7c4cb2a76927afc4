//! *Catálogo de OID* (F-1.4): the shipped entries, each with the object it is, and which one an OLT
//! gets. What no public MIB or capture says for sure is not shipped: the house adds it.

use engine::Word as _;

use crate::model::{CatalogueEntry, CatalogueId, Column, Oid, Space};

/// `hwXponDeviceControlObjects` of HUAWEI-XPON-MIB, rows by `ifIndex` and number of the ONT.
const HUAWEI: &str = "1.3.6.1.4.1.2011.6.128.1.1.2";
/// `zxGponRootMib` of ZXGPON-SERVICE-MIB (C300, C320), rows by OLT id and number of the ONU. ZTE
/// does not publish the file: objects and numbers are those on which public captures agree.
const ZTE: &str = "1.3.6.1.4.1.3902.1012.3";
/// `zxAnPon` of ZTE-AN-SMI, as the C600 family has it, rows by `ifIndex` and number of the ONU.
const ZTE_AN: &str = "1.3.6.1.4.1.3902.1082.500";
pub(super) const ZTE_AN_MODELS: [&str; 3] = ["C600", "C620", "C650"];

const DESCRIPTION: Space = Space::Column(Column::Description);
const SERIAL: Space = Space::Column(Column::Serial);
const MODEL: Space = Space::Column(Column::Model);
const DISTANCE: Space = Space::Column(Column::Distance);

/// What follows the root, what it fills in, the MIB with the object, what a number counts.
type Shipped = (&'static str, Space, &'static str, Option<&'static str>);

const OF_HUAWEI: &[Shipped] = &[
    ("46.1.15", Space::Discovery, "HUAWEI-XPON-MIB::hwGponDeviceOntControlRunStatus", None),
    ("43.1.9", DESCRIPTION, "HUAWEI-XPON-MIB::hwGponDeviceOntDespt", None),
    ("43.1.3", SERIAL, "HUAWEI-XPON-MIB::hwGponDeviceOntSn", None),
    ("43.1.7", Space::Column(Column::Plan), "HUAWEI-XPON-MIB::hwGponDeviceOntLineProfName", None),
    ("45.1.4", MODEL, "HUAWEI-XPON-MIB::hwGponDeviceOntEquipmentId", None),
    ("46.1.20", DISTANCE, "HUAWEI-XPON-MIB::hwGponDeviceOntControlRanging", Some("m")),
    ("45.1.10", Space::Column(Column::Mac), "HUAWEI-XPON-MIB::hwGponDeviceOntMac", None),
    ("51.1.4", Space::Reading, "HUAWEI-XPON-MIB::hwGponOntOpticalDdmRxPower", Some("0.01 dBm")),
    ("51.1.3", Space::Reading, "HUAWEI-XPON-MIB::hwGponOntOpticalDdmTxPower", Some("0.01 dBm")),
    (
        "51.1.6",
        Space::Reading,
        "HUAWEI-XPON-MIB::hwGponOntOpticalDdmOltRxOntPower",
        Some("0.01 dBm + 10000"),
    ),
    ("51.1.1", Space::Reading, "HUAWEI-XPON-MIB::hwGponOntOpticalDdmTemperature", Some("°C")),
    ("46.1.1", Space::Reading, "HUAWEI-XPON-MIB::hwGponDeviceOntControlActive", None),
    ("46.1.21", Space::Reading, "HUAWEI-XPON-MIB::hwGponDeviceOntControlMacCount", None),
    ("46.1.24", Space::Reading, "HUAWEI-XPON-MIB::hwGponDeviceOntControlLastDownCause", None),
];

const OF_ZTE: &[Shipped] = &[
    ("28.2.1.4", Space::Discovery, "ZXGPON-SERVICE-MIB::zxGponOntPhaseState", None),
    ("28.1.1.3", DESCRIPTION, "ZXGPON-SERVICE-MIB::zxGponOntDevMgmtDescription", None),
    ("28.1.1.5", SERIAL, "ZXGPON-SERVICE-MIB::zxGponOntDevMgmtProvisionSn", None),
    ("28.1.1.1", MODEL, "ZXGPON-SERVICE-MIB::zxGponOntDevMgmtTypeName", None),
    ("11.4.1.2", DISTANCE, "ZXGPON-SERVICE-MIB::zxAnPonRtdOnuDistance", Some("m")),
    ("28.1.1.2", Space::Reading, "ZXGPON-SERVICE-MIB::zxGponOntDevMgmtName", None),
];

const OF_ZTE_AN: &[Shipped] = &[
    ("10.2.3.8.1.4", Space::Discovery, "ZTE-AN-GPON-SERVICE-MIB::zxAnGponSrvOnuPhaseStatus", None),
    ("10.2.3.3.1.3", DESCRIPTION, "ZTE-AN-GPON-SERVICE-MIB::zxAnGponOnuMgmtDesc", None),
    ("10.2.3.3.1.6", SERIAL, "ZTE-AN-GPON-SERVICE-MIB::zxAnGponOnuMgmtSn", None),
    ("10.2.3.3.1.1", MODEL, "ZTE-AN-GPON-SERVICE-MIB::zxAnGponOnuMgmtTypeName", None),
    ("10.2.3.3.1.2", Space::Reading, "ZTE-AN-GPON-SERVICE-MIB::zxAnGponOnuMgmtName", None),
    (
        "1.2.4.2.1.2",
        Space::Reading,
        "ZTE-AN-PON-BASE-MIB::zxAnPonRxOpticalPower",
        Some("0.001 dBm"),
    ),
];

/// What comes with Turno; the house may add its own, which come first.
pub fn shipped() -> Vec<CatalogueEntry> {
    let of = |brand: &'static str, model: Option<&'static str>, root, list: &'static [Shipped]| {
        list.iter().map(move |one| entry(brand, model, root, one))
    };
    let mut all: Vec<CatalogueEntry> = of("Huawei", None, HUAWEI, OF_HUAWEI).collect();
    all.extend(of("ZTE", None, ZTE, OF_ZTE));
    for model in ZTE_AN_MODELS {
        all.extend(of("ZTE", Some(model), ZTE_AN, OF_ZTE_AN));
    }
    for (number, entry) in (1..).zip(&mut all) {
        // Below zero: not in the database, and not to be changed there.
        entry.id = CatalogueId(-number);
    }
    all
}

fn entry(brand: &str, model: Option<&str>, root: &str, one: &Shipped) -> CatalogueEntry {
    let (rest, space, source, unit) = *one;
    let about = match space {
        // Readings share their space: the object tells them apart.
        Space::Reading => source.rsplit("::").next().unwrap_or(source),
        Space::Discovery | Space::Column(_) => space.word(),
    };
    CatalogueEntry {
        id: CatalogueId(0),
        name: [Some(brand), model, Some(about)].into_iter().flatten().collect::<Vec<_>>().join(" "),
        oid: format!("{root}.{rest}").parse::<Oid>().expect("shipped OIDs are OIDs"),
        brand: Some(brand.to_owned()),
        model: model.map(str::to_owned),
        space,
        keep_previous: false,
        format_mac: space == Space::Column(Column::Mac),
        source: Some(source),
        unit,
    }
}

/// The entry that an OID is, for this device: its own house's before the shipped ones.
pub fn named<'a>(
    catalogue: &'a [CatalogueEntry],
    oid: &Oid,
    brand: &str,
) -> Option<&'a CatalogueEntry> {
    let of_brand = |entry: &&CatalogueEntry| {
        entry.brand.as_ref().is_none_or(|own| own.to_lowercase() == brand.to_lowercase())
    };
    let mut same = catalogue.iter().filter(|entry| entry.oid == *oid);
    same.clone().find(of_brand).or_else(|| same.next())
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
            source: None,
            unit: None,
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
    fn what_is_shipped_finds_itself_and_names_its_object() {
        let shipped = shipped();
        for entry in &shipped {
            let brand = entry.brand.as_deref().unwrap();
            let (mib, object) = entry.source.unwrap().split_once("::").unwrap();
            assert!(mib.contains("-MIB") && object.starts_with(char::is_lowercase), "{entry:?}");
            assert_eq!(
                named(&shipped, &entry.oid, brand).map(|one| one.source),
                Some(entry.source)
            );
            if entry.space != Space::Reading {
                let model = entry.model.as_deref().or(Some("any"));
                assert_eq!(find(&shipped, entry.space, brand, model), Some(entry));
            }
        }
        let names: std::collections::BTreeSet<_> = shipped.iter().map(|one| &one.name).collect();
        assert_eq!(names.len(), shipped.len());
    }

    /// As HUAWEI-XPON-MIB numbers its columns: run status is not activation, and an address is
    /// not a count of addresses.
    #[test]
    fn the_columns_of_huawei_are_those_of_its_mib() {
        let shipped = shipped();
        let oid = |space| find(&shipped, space, "Huawei", None).unwrap().oid.to_string();
        assert!(oid(Space::Discovery).ends_with(".2.46.1.15"));
        assert!(oid(Space::Column(Column::Mac)).ends_with(".2.45.1.10"));
        assert!(oid(Space::Column(Column::Serial)).ends_with(".2.43.1.3"));
        let column = Space::Column(Column::Plan);
        assert_eq!(find(&shipped, column, "ZTE", None), None, "nobody knows for sure");
    }
}
