//! `turno secrets rotate`, and who can read what.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::json;

use super::program::Home;

const KEY: &str = "/api/sam/configuracion/A360_API_KEY";

#[tokio::test]
async fn a_new_key_seals_everything_and_only_while_nobody_serves() {
    let home = Home::new();
    let file = home.path().join("data/secrets.key");
    let served = home.serve("127.0.0.1");
    served.client().put(KEY, json!({ "valor": "hush" })).await.expect(200);
    let old = fs::read_to_string(&file).unwrap();
    home.run("secrets rotate").refused(4, &["a server of this installation runs"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), old);
    drop(served);
    let began = Instant::now();
    let said = loop {
        // Killed, it is missed after six seconds.
        let ran = home.run("secrets rotate");
        if ran.code == 0 {
            break ran.stdout;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{ran:?}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    assert!(said.contains("1 secrets"), "{said}");
    assert_ne!(fs::read_to_string(&file).unwrap(), old);
    let served = home.serve("127.0.0.1");
    let shown = served.client().get(KEY).await.expect(200);
    assert_eq!(shown["valor"], "••••••", "it opens with the new key");
    drop(served);
    // With the old key it does not, and is as good as none.
    fs::write(&file, old).unwrap();
    let shown = home.serve("127.0.0.1").client().get(KEY).await.expect(200);
    assert_eq!(shown["valor"], "");
}

#[tokio::test]
async fn a_key_of_the_environment_leaves_no_file_and_is_shared() {
    let home = Home::new();
    let key = "ab".repeat(32);
    home.run_with("serve --listen 127.0.0.1:0", &[("TURNO_SECRETS_KEY", "abc")], "")
        .refused(2, &["64 hexadecimal digits"]);
    let given = [("TURNO_SECRETS_KEY", key.as_str())];
    home.run_with("migrate", &given, "").ok();
    home.run_with("secrets rotate", &given, "").refused(2, &["--new-key-file"]);
    let shown = home.run_with("config show", &given, "").ok();
    assert!(shown.contains("secrets_key") && !shown.contains(&key), "{shown}");
    assert!(!home.path().join("data/secrets.key").exists());
}

#[tokio::test]
async fn what_is_written_is_nobody_elses() {
    let home = Home::new();
    let served = home.serve("127.0.0.1");
    served.client().get("/ready").await.expect(200);
    let mut seen = 0;
    check(&home.path().join("data"), &mut seen);
    assert!(seen > 2, "a database and a key, at least");
}

fn check(path: &Path, seen: &mut usize) {
    let data = fs::metadata(path).unwrap();
    assert_eq!(data.permissions().mode() & 0o077, 0, "{}", path.display());
    *seen += 1;
    if data.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            check(&entry.unwrap().path(), seen);
        }
    }
}
