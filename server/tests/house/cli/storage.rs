//! The storage from the command line: what is wrong with it is said at the start and by the doctor.

use testkit::S3Server;

use super::program::Home;

#[test]
fn a_storage_that_is_not_the_one_is_refused_at_the_start() {
    let home = Home::new();
    drop(home.serve("127.0.0.1"));
    let elsewhere = [("DOCPROC_STORAGE_PATH", "elsewhere")];
    let refused = home.run_with("serve --listen 127.0.0.1:0", &elsewhere, "");
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    for part in ["elsewhere", "carries no mark", "docproc", "storage adopt"] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    let doctor = home.run_with("doctor", &elsewhere, "");
    assert!(doctor.code != 0 && doctor.stdout.contains("carries no mark"), "{}", doctor.stdout);
    let adopt = "docproc storage adopt --reason moved";
    let adopted = home.run_with(adopt, &elsewhere, "").ok();
    assert!(adopted.contains("elsewhere has the files"), "{adopted}");
    let shown = home.run_with("docproc storage show --json", &elsewhere, "").json();
    assert_eq!(shown["agree"], true, "{shown}");
    let back = home.run("serve --listen 127.0.0.1:0");
    assert!(back.stderr.contains("is not the one that this database uses"), "{}", back.stderr);
    let both = [("DOCPROC_STORAGE_PATH", "a"), ("DOCPROC_STORAGE_URL", "s3://papers/b")];
    let refused = home.run_with("serve --listen 127.0.0.1:0", &both, "");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let odd = [("DOCPROC_STORAGE_URL", "http://papers/b")];
    let refused = home.run_with("serve --listen 127.0.0.1:0", &odd, "");
    assert!(refused.code == 2 && refused.stderr.contains("s3://bucket"), "{}", refused.stderr);
}

#[tokio::test]
async fn wrong_keys_are_named_at_the_start_and_by_the_doctor() {
    let Some(server) = S3Server::start().await else { return };
    let home = Home::new();
    let mut environment = server.environment("keys");
    for (name, value) in &mut environment {
        if name == "AWS_SECRET_ACCESS_KEY" {
            "not the secret".clone_into(value);
        }
    }
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let refused = home.run_with("serve --listen 127.0.0.1:0", &environment, "");
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    let doctor = home.run_with("doctor", &environment, "");
    assert_ne!(doctor.code, 0, "{}", doctor.stdout);
    for said in [refused.stderr, doctor.stdout] {
        assert!(said.contains("AWS_SECRET_ACCESS_KEY does not belong"), "{said}");
        assert!(!said.contains("not the secret"), "{said}");
    }
}
