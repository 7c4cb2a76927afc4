//! Layers as an operator sees them.

use std::fs;

use super::program::Home;

#[test]
fn what_docproc_takes_from_variables_and_from_a_file_of_them_is_listed() {
    let home = Home::new();
    let env = "# kept beside the process\nDOCPROC_COMPONENT_NAME=ocr\nDOCPROC_FOLDER_DIR='/in'\n\
               DOCPROC_WORKFLOWS_DIR=flows\nPOSTGRES_PASSWORD=x\nTURNO_IMAGE=turno:1\n";
    std::fs::write(home.path().join(".env"), env).unwrap();
    let given = [("DOCPROC_WORKFLOWS_DIR", "others"), ("DOCPROC_CALLBACK_SECRET", "hush")];
    let shown = home.run_with("config show --json", &given, "").json();
    let value = |key: &str| {
        let all = shown.as_array().unwrap();
        let one = all.iter().find(|one| one["key"] == format!("docproc.{key}"));
        let one = one.unwrap_or_else(|| panic!("{key} is not in {shown}"));
        (one["value"].as_str().unwrap().to_owned(), one["origin"].as_str().unwrap().to_owned())
    };
    assert_eq!(value("component").0, "ocr");
    assert!(value("component").1.contains("DOCPROC_COMPONENT_NAME"), "{shown}");
    assert_eq!(value("folder_dir").0, "/in");
    assert_eq!(value("health_port").0, "8080", "the seed's, for one component");
    assert_eq!(value("workflows_dir").0, "others", "the environment wins over the file");
    assert!(value("storage").0.contains("docproc"), "{shown}");
    assert!(!shown.to_string().contains("hush"), "{shown}");
    std::fs::write(home.path().join(".env"), "nonsense\n").unwrap();
    home.run("config show").refused(2, &[".env:1", "NAME=value"]);
}

#[test]
fn every_value_is_shown_with_its_origin() {
    let home = Home::new();
    fs::write(home.path().join("turno.toml"), "[log]\nlevel = \"warn\"\n").unwrap();
    let shown = home.run_with("config show --data-dir x", &[("TURNO_DEMO", "1")], "").ok();
    for (key, origin) in [
        ("server.listen", "default"),
        ("server.data_dir", "flag --data-dir"),
        ("server.demo", "environment TURNO_DEMO"),
        ("log.level", "turno.toml:2"),
    ] {
        let line = shown.lines().find(|line| line.starts_with(key)).unwrap();
        assert!(line.ends_with(origin), "{line}");
    }
}

#[test]
fn secrets_stay_covered() {
    let home = Home::new();
    let url = [("TURNO_DATABASE_URL", "postgres://turno:hunter2@db/turno")];
    for command in ["config show", "config show --json", "config explain database_url"] {
        let shown = home.run_with(command, &url, "").ok();
        assert!(shown.contains("postgres://turno:") && !shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn a_slip_in_a_variable_is_recognised() {
    let home = Home::new();
    home.run_with("config show", &[("TURNO_LISTN", "x")], "")
        .refused(2, &["environment TURNO_LISTN", "did you mean TURNO_LISTEN?"]);
}

#[test]
fn a_value_out_of_range_is_refused_before_anything_starts() {
    let home = Home::new();
    let full = [("MAX_PEDIDOS_EN_PREPARACION", "99")];
    home.run_with("serve --listen 127.0.0.1:0", &full, "")
        .refused(2, &["environment MAX_PEDIDOS_EN_PREPARACION", "from 1 to 20"]);
    assert!(!home.path().join("data").exists());
}

#[test]
fn settings_explain_themselves() {
    let home = Home::new();
    let listen = home.run("config explain server.listen").ok();
    assert!(listen.contains("127.0.0.1:8000") && listen.contains("TURNO_LISTEN"), "{listen}");
    let six = [("MAX_PEDIDOS_EN_PREPARACION", "6")];
    let capacity = home.run_with("config explain max_pedidos_en_preparacion", &six, "").ok();
    assert!(capacity.contains("takes:       a whole number from 1"), "{capacity}");
    assert!(capacity.contains("6 from environment") && capacity.contains("locked"), "{capacity}");
    let as_json = home.run("config explain MAX_PEDIDOS_EN_PREPARACION --json").json();
    assert_eq!(as_json["default"], 8);
}
