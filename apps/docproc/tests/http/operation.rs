//! The watched directory, retention, messages that expire, and health checks of one process.

use std::{fs, path::PathBuf};

use host::Clock;
use serde_json::{Value as Json, json};

use crate::{
    deadlines::{count, workflow},
    office::{Desk, Office, Setup, noon, on_both},
    outside::sure,
};

fn inbox(desk: &Desk) -> PathBuf {
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
        assert_eq!(count(&office, REQUESTS).await, 0, "seen once");
        // It grew: not whole yet.
        let text = format!("{}\n", sure("invoice"));
        fs::write(dir.join("exact/a.txt"), &text).unwrap();
        office.client.advance(2).await;
        assert_eq!(count(&office, REQUESTS).await, 0, "it grew between two looks");
        office.client.advance(2).await;
        assert_eq!(count(&office, REQUESTS).await, 1);
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
        assert_eq!(count(&office, REQUESTS).await, 1);
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
        assert_eq!(count(&office, REQUESTS).await, 1);
        office.close().await;
        // As if the process had ended between the commit and the move.
        fs::rename(dir.join("done/exact/a.txt"), &file).unwrap();
        let setup = Setup { clock: Clock::manual(noon()), ..Setup::default() };
        let office = Office::with(desk, setup).await;
        office.client.advance(6).await;
        assert_eq!(count(&office, REQUESTS).await, 1, "the same file is the same request");
        assert!(!file.exists() && dir.join("done/exact/a.txt").exists());
        // Dropped again on purpose, it is another one, and the older file stays.
        fs::write(&file, sure("invoice")).unwrap();
        assert_ne!(fs::metadata(&file).unwrap().modified().unwrap(), written);
        office.client.advance(6).await;
        assert_eq!(count(&office, REQUESTS).await, 2);
        assert_eq!(fs::read_dir(dir.join("done/exact")).unwrap().count(), 2);
        let stored = fs::read_dir(desk.dir.join("files/requests")).unwrap().count();
        assert_eq!(stored, 2, "nothing is left of the second attempt");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn contents_go_when_their_time_is_over_and_the_counts_stay() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let days = [("version: 1", "version: 1\nretention: {days: 3}")];
        workflow(desk, &office, "brief", &days).await;
        let brief = office.pages(&[&sure("invoice"), &sure("id_card")], "brief").await;
        let kept = office.pages(&[&sure("invoice")], "exact").await;
        office.client.advance(1).await;
        // Three days of ticks take long; the sweep is told the time instead.
        for (hours, documents) in [(71, json!(2)), (73, Json::Null)] {
            let later = noon() + jiff::SignedDuration::from_hours(hours);
            docproc::drivers::retention::sweep(office.context().clone(), later).await.unwrap();
            let status = office.status(&brief).await;
            assert_eq!(status["result"]["total_documents"], documents, "after {hours} h");
        }
        let status = office.status(&brief).await;
        assert_eq!((&status["status"], &status["result"]), (&json!("completed"), &Json::Null));
        assert_eq!((&status["page_count"], &status["document_count"]), (&json!(2), &json!(2)));
        let detail = office.detail(&brief).await;
        assert!(detail["cleared_at"].is_string());
        assert!(detail["pages"].as_array().unwrap().iter().all(|page| page["ocr_text"].is_null()));
        assert!(!detail.to_string().contains("12345678Z"), "{detail}");
        assert!(!desk.dir.join("files/requests").join(&brief).exists());
        let path = format!("/api/docproc/requests/{brief}/pages/0/image");
        office.client.get(&path).await.expect(404);
        let path = format!("/api/docproc/requests/{brief}/reprocess?from=ocr");
        let refused = office.client.post(&path, json!({})).await.expect(409);
        assert_eq!(refused["code"], "CONTENIDO_ELIMINADO");
        let sql = "SELECT COUNT(*) AS n FROM request_files WHERE content IS NOT NULL";
        assert_eq!(count(&office, sql).await, 1, "small files are contents too");
        let sql = "SELECT COUNT(*) AS n FROM audit WHERE action = 'request.clear'";
        assert_eq!(count(&office, sql).await, 1);
        assert_eq!(office.status(&kept).await["result"]["total_documents"], 1, "kept for ever");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_24_a_message_that_waits_too_long_is_a_dead_letter() {
    on_both(async |desk| {
        let (clock, part) = (Clock::manual(noon()), docproc::Part::Gateway);
        let door = Office::with(desk, Setup { clock, part, ..Setup::default() }).await;
        let path = "/api/settings/docproc/DOCPROC_MESSAGE_TTL_MS";
        door.client.put(path, json!({ "valor": 300_000 })).await.expect(200);
        let id = door.pages(&[&sure("invoice")], "exact").await;
        door.client.advance(295).await;
        assert_eq!(door.status(&id).await["status"], "sla_breached", "nobody works");
        door.client.advance(10).await;
        let status = door.status(&id).await;
        assert_eq!(status["status"], "failed");
        let dead = door.client.get("/api/docproc/dead-letters").await.expect(200);
        assert_eq!(dead["items"][0]["code"], "MESSAGE_EXPIRED");
        door.close().await;
        let clock = Clock::manual(noon() + jiff::SignedDuration::from_secs(400));
        let office = Office::with(desk, Setup { clock, ..Setup::default() }).await;
        let body = json!({ "code": "MESSAGE_EXPIRED" });
        office.client.post("/api/docproc/dead-letters/replay", body).await.expect(200);
        office.client.advance(1).await;
        assert_eq!(office.status(&id).await["status"], "completed");
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
