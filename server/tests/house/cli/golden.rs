//! Golden sets and promotion from the command line.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::{
    docproc::{INVOICE, WORKFLOW, serve},
    program::{Home, Ran},
};

fn careful(changes: &[(&str, &str)]) -> String {
    let text = WORKFLOW.replace("name: default", "name: careful\npromotion: required");
    changes.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

const TOTAL: (&str, &str) = ("      - {name: total_amount, type: decimal}\n", "");

#[test]
fn a_version_comes_into_force_when_its_golden_set_agrees() {
    let home = Home::new();
    let dir = home.path().join("config/workflows");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("careful.yaml"), careful(&[])).unwrap();
    let server = serve(&home);
    let url = [("TURNO_URL", server.url.as_str())];
    let run = |command: &str| home.run_with(command, &url, "");
    // Files are looked at every few seconds.
    let promote = |more: &str| -> Ran {
        let began = Instant::now();
        loop {
            let ran = run(&format!("docproc promote careful --to prod {more}"));
            if !ran.stderr.contains("No version of this workflow waits") {
                return ran;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{ran:?}");
        }
    };
    let told = promote("").ok();
    assert!(told.contains("is in force, after 0 cases"), "{told}");
    fs::write(home.path().join("invoice.txt"), INVOICE).unwrap();
    let command = "docproc submit invoice.txt --workflow careful --wait --timeout 60s --json";
    let sent = run(command).json();
    let id = sent["request_id"].as_str().unwrap();
    let case = run(&format!("docproc golden add {id} --name first --json")).json();
    run(&format!("docproc golden add {id}")).refused(4, &["first"]);
    assert!(run("docproc golden run").ok().contains("1 of 1 cases are as expected"));

    fs::write(home.path().join("candidate.yaml"), careful(&[TOTAL])).unwrap();
    let ran = run("docproc golden run careful --candidate candidate.yaml");
    assert!(ran.stdout.contains("total_amount") && ran.stdout.contains("121"), "{}", ran.stdout);
    ran.refused(1, &["1 of 1 cases differ"]);
    let json = run("docproc golden run careful --candidate candidate.yaml --json").stdout;
    assert!(json.contains("\"different\": 1"), "{json}");
    fs::copy(home.path().join("candidate.yaml"), dir.join("careful.yaml")).unwrap();
    promote("").refused(4, &["did not change", "first", "total_amount", "121"]);

    let case = case[0]["id"].as_str().unwrap();
    run(&format!("docproc golden retire {case}")).refused(2, &["--reason"]);
    run(&format!("docproc golden retire {case} --reason gone")).ok();
    let list = run("docproc golden list").ok();
    assert!(list.contains("retired: gone"), "{list}");
    let load = "--requests-per-hour 60 --pages 2 --max-seconds 30";
    let told = promote(load).ok();
    assert!(told.contains("is in force") && told.contains("workers    1"), "{told}");
    run("docproc promote careful --to prod --pages 2").refused(2, &["--requests-per-hour"]);
    let told = run("docproc rollback careful --reason better").ok();
    assert!(told.contains("is in force again"), "{told}");

    let expected = r#"[{"doc_type": "invoice", "page_indices": [0],
        "extracted_data": {"total_amount": "121,00"}}]"#;
    fs::write(home.path().join("expected.json"), expected).unwrap();
    run("docproc golden add --file invoice.txt").refused(2, &["--expect"]);
    run("docproc golden add --file invoice.txt --expect expected.json --workflow careful").ok();
    assert!(run("docproc golden run careful").ok().contains("1 of 1 cases are as expected"));
    run("docproc golden add --file nothing.pdf --expect expected.json").refused(3, &["nothing"]);
}
