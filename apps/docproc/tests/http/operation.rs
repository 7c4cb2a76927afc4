//! The watched directory, answers that are sent, and health checks of one process.

use std::{fs, path::PathBuf, sync::atomic::Ordering};

use host::Clock;
use serde_json::{Value as Json, json};

use crate::{
    office::{Office, Setup, TestDb, noon, on_both, on_sqlite},
    outside::sure,
    receiver::Receiver,
};

fn inbox(desk: &TestDb) -> PathBuf {
    let dir = desk.dir.join("inbox");
    fs::create_dir_all(dir.join("exact")).unwrap();
    fs::create_dir_all(dir.join("nope")).unwrap();
    dir
}

const REQUESTS: &str = "SELECT COUNT(*) AS n FROM requests";

#[tokio::test]
async fn a_dropped_file_becomes_a_request_once_it_stands_still() {
    on_both(async |desk| {
        let dir = inbox(desk);
        let office = Office::at_noon(desk).await;
        fs::write(dir.join("exact/a.txt"), sure("invoice")).unwrap();
        fs::write(dir.join("exact/b.txt.part"), "half").unwrap();
        fs::write(dir.join("nope/c.txt"), "words").unwrap();
        fs::write(dir.join("d.bin"), [0_u8, 1, 2, 3, 255, 254]).unwrap();
        fs::write(dir.join("e.txt"), "").unwrap();
        office.client.advance(0).await;
        assert_eq!(office.count(REQUESTS).await, 0, "seen once");
        // It grew: not whole yet.
        let text = format!("{}\n", sure("invoice"));
        fs::write(dir.join("exact/a.txt"), &text).unwrap();
        office.client.advance(2).await;
        assert_eq!(office.count(REQUESTS).await, 0, "it grew between two looks");
        office.client.advance(2).await;
        assert_eq!(office.count(REQUESTS).await, 1);
        assert_eq!(fs::read_to_string(dir.join("done/exact/a.txt")).unwrap(), text);
        for bad in ["nope/c.txt", "d.bin", "e.txt"] {
            assert!(dir.join("failed").join(bad).exists(), "{bad}");
            let reason = fs::read_to_string(dir.join(format!("failed/{bad}.reason.txt"))).unwrap();
            assert_eq!(reason.lines().count(), 2, "in both languages: {reason}");
        }
        assert!(dir.join("exact/b.txt.part").exists(), "left alone");
        office.client.advance(10).await;
        let list = office.client.get("/api/docproc/requests?channel=folder").await.expect(200);
        let one = &list["items"][0];
        assert_eq!((&one["status"], &one["workflow_name"]), (&json!("completed"), &json!("exact")));
        assert_eq!(office.count(REQUESTS).await, 1);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_crash_before_the_file_is_moved_takes_it_once() {
    on_both(async |desk| {
        let dir = inbox(desk);
        let office = Office::at_noon(desk).await;
        let file = dir.join("exact/a.txt");
        fs::write(&file, sure("invoice")).unwrap();
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        office.client.advance(4).await;
        assert_eq!(office.count(REQUESTS).await, 1);
        office.close().await;
        // As if the process had ended between the commit and the move.
        fs::rename(dir.join("done/exact/a.txt"), &file).unwrap();
        let office = Office::with(Setup::by(Clock::manual(noon()), desk)).await;
        office.client.advance(6).await;
        assert_eq!(office.count(REQUESTS).await, 1, "the same file is the same request");
        assert!(!file.exists() && dir.join("done/exact/a.txt").exists());
        // Dropped again on purpose, it is another one, and the older file stays.
        fs::write(&file, sure("invoice")).unwrap();
        assert_ne!(fs::metadata(&file).unwrap().modified().unwrap(), written);
        office.client.advance(6).await;
        assert_eq!(office.count(REQUESTS).await, 2);
        assert_eq!(fs::read_dir(dir.join("done/exact")).unwrap().count(), 2);
        let stored = fs::read_dir(desk.dir.join("files/requests")).unwrap().count();
        assert_eq!(stored, 2, "nothing is left of the second attempt");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_28_a_process_is_ready_while_it_takes_messages() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let address = "127.0.0.1:0".parse().unwrap();
        let bound =
            docproc::routes::health::serve(office.context().clone(), address).await.unwrap();
        let ask = async |path: &str| {
            let answer =
                http_client::client().get(format!("http://{bound}{path}")).send().await.unwrap();
            (answer.status().as_u16(), answer.json::<Json>().await.unwrap())
        };
        assert_eq!(ask("/health").await, (200, json!({ "status": "ok", "component": "all" })));
        let figures = http_client::client().get(format!("http://{bound}/metrics")).send().await;
        let figures = figures.unwrap().text().await.unwrap();
        assert!(figures.contains("docproc_component_info"), "{figures}");
        let began = std::time::Instant::now();
        while ask("/ready").await.0 != 200 {
            assert!(began.elapsed() < std::time::Duration::from_secs(20), "never ready");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        office.context().stopping.cancel();
        // The port closes with the process, or says that it drains.
        if let Ok(answer) = http_client::client().get(format!("http://{bound}/ready")).send().await
        {
            assert_eq!(answer.status().as_u16(), 503);
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_arrived_is_not_sent_again_after_a_crash() {
    on_both(async |desk| {
        let (office, receiver) = (Office::at_noon(desk).await, Receiver::start().await);
        let fields = [("workflow", "exact"), ("callback_url", &receiver.url)];
        let (_, body) = office.send(&[("a.txt", sure("invoice").into_bytes())], &fields).await;
        let scope = docproc::store::scope(body["request_id"].as_str().unwrap());
        office.client.advance(5).await;
        assert_eq!(receiver.kinds(), ["final"]);
        // The process ended after the acknowledgement was kept and before the effect was.
        let mut tx = office.context().store.decide(&scope, noon()).await.unwrap();
        let sql = "UPDATE effects SET state = 'PENDING', finished_at = NULL, claimed_until = NULL";
        tx.tx.execute(sql, &[]).await.unwrap();
        tx.commit().await.unwrap();
        office.client.advance(10).await;
        assert_eq!(receiver.calls.load(Ordering::SeqCst), 1);
        let left = "SELECT COUNT(*) AS n FROM effects WHERE state <> 'DONE'";
        assert_eq!(office.count(left).await, 0);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn addresses_inside_need_a_setting() {
    on_sqlite(async |desk| {
        let office = Office::at_noon(desk).await;
        let page = || vec![("pages.txt", sure("invoice").into_bytes())];
        for url in ["ftp://example.com/", "nowhere", "http://u:p@example.com/"] {
            let (status, body) = office.send(&page(), &[("callback_url", url)]).await;
            assert_eq!((status, &body["code"]), (422, &json!("CALLBACK_NO_ADMITIDO")), "{url}");
        }
        let path = "/api/settings/docproc/DOCPROC_CALLBACK_PRIVATE";
        let set = office.client.put(path, json!({ "valor": "never" })).await;
        assert!(set.status < 300, "{} {}", set.status, set.text);
        for url in ["http://127.0.0.1:9/", "http://localhost/", "http://[::1]/", "http://10.0.0.1/"]
        {
            let (status, body) = office.send(&page(), &[("callback_url", url)]).await;
            assert_eq!((status, &body["code"]), (422, &json!("CALLBACK_NO_ADMITIDO")), "{url}");
        }
        office.close().await;
    })
    .await;
}
