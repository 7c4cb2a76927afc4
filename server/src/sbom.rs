//! `turno version`: which version this is, and with `--sbom` what it was built from.

use serde_json::{Value as Json, json};
use terminal::{Exit, output};

/// The lock file this binary was built with.
const LOCK: &str = include_str!("../../Cargo.lock");
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn version(sbom: bool) -> Result<(), Exit> {
    if sbom {
        let bill = bill(LOCK).map_err(|error| Exit::failed(format!("the lock file: {error}")))?;
        output::say_json(&bill);
    } else {
        output::say(&format!("turno {VERSION}"));
    }
    Ok(())
}

/// `CycloneDX` 1.5: every crate of the lock file, with the checksum the registry gave it. Some of them
/// are only for tests or other platforms; none that is in the binary is missing.
fn bill(lock: &str) -> Result<Json, toml::de::Error> {
    let lock: toml::Table = lock.parse()?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let components: Vec<Json> = packages.into_iter().flatten().filter_map(component).collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": { "type": "application", "name": "turno", "version": VERSION },
        },
        "components": components,
    }))
}

/// None for the crates of this tree: they are the application itself.
fn component(package: &toml::Value) -> Option<Json> {
    let text = |key: &str| package.get(key).and_then(toml::Value::as_str);
    let (name, version, checksum) = (text("name")?, text("version")?, text("checksum")?);
    let purl = format!("pkg:cargo/{name}@{version}");
    Some(json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": purl,
        "bom-ref": purl,
        "hashes": [{ "alg": "SHA-256", "content": checksum }],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_names_what_came_from_others_with_its_checksum() {
        let bill = bill(LOCK).unwrap();
        let components = bill["components"].as_array().unwrap();
        assert!(components.len() > 100);
        let tokio = components.iter().find(|one| one["name"] == "tokio").unwrap();
        assert_eq!(tokio["hashes"][0]["content"].as_str().unwrap().len(), 64);
        assert!(components.iter().all(|one| one["name"] != "server"), "ours is the application");
    }
}
