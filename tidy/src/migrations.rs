//! Every migration exists for both databases under the same name.

use std::collections::BTreeSet;

use crate::{Finding, Source};

const REASON: &str =
    "both databases are at the same version after a start, or one cannot be trusted";

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let all: BTreeSet<&str> = sources.iter().map(|source| source.path.as_str()).collect();
    let twin = |path: &str| {
        if path.contains("/migrations/sqlite/") {
            Some(path.replace("/migrations/sqlite/", "/migrations/postgres/"))
        } else if path.contains("/migrations/postgres/") {
            Some(path.replace("/migrations/postgres/", "/migrations/sqlite/"))
        } else {
            None
        }
    };
    all.iter()
        .filter_map(|path| twin(path).map(|twin| (path, twin)))
        .filter(|(_, twin)| !all.contains(twin.as_str()))
        .map(|(path, twin)| Finding {
            file: (*path).to_owned(),
            line: 1,
            what: format!("its twin {twin} is missing"),
            reason: REASON,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lonely_migration_is_found() {
        let file = |path| Source::new(path, "");
        let tree = [
            file("a/migrations/sqlite/0001_x.sql"),
            file("a/migrations/postgres/0001_x.sql"),
            file("a/migrations/postgres/0002_y.sql"),
        ];
        let found = check(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "its twin a/migrations/sqlite/0002_y.sql is missing");
        assert!(check(&tree[..2]).is_empty());
    }
}
