//! S-22: what was answered with 200 is kept, what was not leaves nothing behind.

use std::{
    fs::File,
    path::Path,
    time::{Duration, SystemTime},
};

use db::{Dialect, Scope, Store};
use serde_json::json;

use crate::office::{Office, TestDb, noon, on_both, on_sqlite};

/// Requests that have files.
fn owners(desk: &TestDb) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(desk.dir.join("files/requests")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn scenario_22_a_database_that_does_not_answer_means_503_and_no_trace() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let other = Store::open(&desk.url).await.unwrap();
        let mut lock = other.decide(&Scope::new("another program"), noon()).await.unwrap();
        if lock.tx.dialect() == Dialect::Postgres {
            let sql = "LOCK TABLE requests IN ACCESS EXCLUSIVE MODE";
            lock.tx.execute(sql, &[]).await.unwrap();
        }
        let large = || b"Factura F-1\n".repeat(10_000);
        let (status, problem) = office.send(&[("page.txt", large())], &[]).await;
        assert_eq!(status, 503, "{problem}");
        assert_eq!(owners(desk), Vec::<String>::new());
        drop(lock);
        other.close().await;

        let (_, accepted) = office.send(&[("page.txt", large())], &[]).await;
        assert_eq!(owners(desk), [accepted["request_id"].as_str().unwrap()]);
        let listed = office.client.get("/api/docproc/requests").await.expect(200);
        assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_22_files_of_a_process_that_died_before_its_commit_are_swept() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let large = b"Factura F-1\n".repeat(10_000);
        let (_, accepted) = office.send(&[("page.txt", large)], &[]).await;
        let kept = accepted["request_id"].as_str().unwrap().to_owned();
        let root = desk.dir.join("files/requests");
        let (old, fresh) = (root.join("left-behind"), root.join("on-its-way"));
        for dir in [&old, &fresh] {
            std::fs::create_dir_all(dir).unwrap();
            std::fs::write(dir.join("0"), "half").unwrap();
        }
        let two_days = Duration::from_hours(48);
        for dir in [&old, &root.join(&kept)] {
            age(dir, two_days);
        }
        docproc::drivers::retention::sweep(office.context().clone(), noon()).await.unwrap();
        let mut left = owners(desk);
        left.sort();
        let mut expected = vec![kept, "on-its-way".to_owned()];
        expected.sort();
        assert_eq!(left, expected);
        office.close().await;
    })
    .await;
}

fn age(dir: &Path, by: Duration) {
    File::open(dir).unwrap().set_modified(SystemTime::now() - by).unwrap();
}

#[tokio::test]
async fn the_most_pages_of_a_request_can_be_set() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        let set = json!({ "valor": 2 });
        let answer = office.client.put("/api/settings/docproc/DOCPROC_MAX_PAGES", set).await;
        answer.expect(200);
        let (status, problem) = office.send(&[("three.txt", b"1\x0c2\x0c3".to_vec())], &[]).await;
        assert_eq!((status, &problem["code"]), (413, &json!("TOO_MANY_PAGES")), "{problem}");
        assert_eq!(owners(desk), Vec::<String>::new());
        office.pages(&["one", "two"], "default").await;
        office.close().await;
    })
    .await;
}
