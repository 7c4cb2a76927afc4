//! *Etiquetas de estado* (F-1.8): what the number means that a discovery read. The object that was
//! walked says it; where that is not known the brand, and then what holds for all.

/// What the numbers of one object mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct States {
    /// The number of an ONU that serves its customer.
    pub online: i64,
    words: &'static [(i64, &'static str)],
}

impl States {
    pub fn label(&self, value: i64) -> &'static str {
        self.words.iter().find(|(number, _)| *number == value).map_or("UNKNOWN", |(_, word)| word)
    }
}

/// By the end of the object's name: its root is the maker's.
const BY_OBJECT: &[(&str, States)] = &[
    ("2011.6.128.1.1.2.46.1.15", States { online: 1, words: &[(1, "ACTIVO"), (2, "INACTIVO")] }),
    ("2011.6.128.1.1.2.46.1.1", States { online: 1, words: &[(1, "ACTIVO"), (2, "SUSPENDIDO")] }),
    ("3902.1012.3.28.2.1.4", States { online: 3, words: PHASES_FROM_ZERO }),
    ("3902.1082.500.10.2.3.8.1.4", States { online: 4, words: PHASES_FROM_ONE }),
];

/// `zxGponOntPhaseState`.
const PHASES_FROM_ZERO: &[(i64, &str)] = &[
    (0, "LOGGING"),
    (1, "LOS"),
    (2, "SYNC_MIB"),
    (3, "ONLINE"),
    (4, "DYING_GASP"),
    (5, "AUTH_FAILED"),
    (6, "OFFLINE"),
];

/// `zxAnGponSrvOnuPhaseStatus`: the same, one higher.
const PHASES_FROM_ONE: &[(i64, &str)] = &[
    (1, "LOGGING"),
    (2, "LOS"),
    (3, "SYNC_MIB"),
    (4, "ONLINE"),
    (5, "DYING_GASP"),
    (6, "AUTH_FAILED"),
    (7, "OFFLINE"),
];

/// Of an object that nobody knows.
const BY_BRAND: &[(&str, States)] = &[
    ("huawei", States { online: 1, words: &[(1, "ACTIVO"), (2, "SUSPENDIDO")] }),
    ("zte", States { online: 1, words: &[(1, "ONLINE"), (2, "OFFLINE"), (3, "REGISTERING")] }),
];

const GENERAL: States = States {
    online: 1,
    words: &[(1, "ACTIVO"), (2, "SUSPENDIDO"), (3, "INACTIVO"), (4, "ERROR"), (5, "MANTENIMIENTO")],
};

/// `walked` is the object that the last discovery read.
pub fn states(walked: Option<&str>, brand: &str) -> States {
    let object = |(end, states): &(&str, States)| {
        let oid = walked?.strip_suffix(end)?;
        oid.ends_with('.').then_some(*states)
    };
    let brand = brand.to_lowercase();
    let of_brand = || BY_BRAND.iter().find(|(name, _)| *name == brand).map(|(_, states)| *states);
    BY_OBJECT.iter().find_map(object).or_else(of_brand).unwrap_or(GENERAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Space, rules::catalogue};

    #[test]
    fn the_object_goes_before_the_brand_and_the_brand_before_what_holds_for_all() {
        let label = |walked, brand, value| states(walked, brand).label(value);
        let run = Some("1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15");
        let active = Some("1.3.6.1.4.1.2011.6.128.1.1.2.46.1.1");
        assert_eq!(label(run, "Huawei", 2), "INACTIVO", "down is not suspended");
        assert_eq!(label(active, "Huawei", 2), "SUSPENDIDO");
        assert_eq!(label(None, "HUAWEI", 2), "SUSPENDIDO");
        assert_eq!(label(Some("1.3.6.1.4.1.9"), "ZTE", 2), "OFFLINE");
        assert_eq!(label(None, "Nokia", 5), "MANTENIMIENTO");
        assert_eq!(label(None, "Nokia", 77), "UNKNOWN");
    }

    #[test]
    fn every_shipped_discovery_says_who_is_online() {
        for entry in catalogue::shipped() {
            if entry.space == Space::Discovery {
                let states = states(Some(&entry.oid.to_string()), "Nokia");
                assert!(["ACTIVO", "ONLINE"].contains(&states.label(states.online)), "{entry:?}");
                assert_ne!(states, GENERAL, "{entry:?}");
            }
        }
    }
}
