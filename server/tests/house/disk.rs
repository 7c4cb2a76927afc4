//! A disk that fills up: uploads are refused first, then everything, and nothing acknowledged is lost.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use serde_json::Value as Json;
use testkit::{Client, Options, Turno};

use crate::cli::program::{Home, order};

async fn upload(client: &Client, bytes: usize) -> (u16, Json) {
    let part = Part::bytes(vec![b'x'; bytes]).file_name("notes.txt");
    let request = client.request(reqwest::Method::POST, "/process");
    let answer = request.multipart(Form::new().part("file", part)).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// The reserve is larger than any disk, so that this one is always nearly full.
#[tokio::test]
async fn uploads_are_refused_while_orders_go_on() {
    let reserve = ("TURNO_LIMITS_DISK_RESERVE_MB".to_owned(), "1000000000".to_owned());
    let server = Turno::start(Options { environment: vec![reserve], ..Options::default() }).await;
    let client = server.client();
    let (status, problem) = upload(&client, 100 << 10).await;
    assert_eq!((status, &problem["code"]), (507, &"SIN_ESPACIO".into()), "{problem}");
    // A small file would be kept in the database: its room is kept as well.
    let (status, problem) = upload(&client, 1 << 10).await;
    assert_eq!((status, &problem["code"]), (507, &"SIN_ESPACIO".into()), "{problem}");
    client.post("/pedidos", order("Lomo")).await.expect(201);
    let mut poll = tokio::time::interval(Duration::from_millis(200));
    let ready = loop {
        poll.tick().await;
        let ready = client.get("/ready").await.expect(200);
        if !ready["degraded"].is_null() {
            break ready;
        }
    };
    assert_eq!(ready["degraded"], serde_json::json!(["disk"]), "{ready}");
    assert!(server.logs().contains("uploads are refused"));
}

/// A disk of its own in memory.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// `None`, said aloud, where this account may not mount.
    pub(crate) fn mount(place: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(place).unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "turno-test"])
            .arg(place)
            .output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(place.to_owned()));
        }
        println!("skipped: this account may not mount a disk for tests");
        None
    }

    /// Takes all the room there is.
    pub(crate) fn fill(&self) -> PathBuf {
        let file = self.0.join("junk");
        let mut junk = std::fs::File::create(&file).unwrap();
        while std::io::Write::write_all(&mut junk, &[7; 4096]).is_ok() {}
        file
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let home = Home::new();
    let Some(disk) = Disk::mount(&home.path().join("data"), "64m") else { return };
    std::fs::write(home.path().join("turno.toml"), "[limits]\ndisk_reserve_mb = 0\n").unwrap();
    let server = home.serve("127.0.0.1");
    let client = server.client();
    let mut kept = Vec::new();
    let ready = async |client: &Client| client.get("/ready").await.status;
    for n in 0..5 {
        kept.push(client.post("/pedidos", order(&format!("A{n}"))).await.expect(201)["id"].clone());
    }
    let junk = disk.fill();
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    // What fits into pages that the files already have is still taken, and kept.
    for n in 0.. {
        let answer = client.post("/pedidos", order(&format!("B{n}"))).await;
        if answer.status != 201 {
            assert_eq!(answer.status, 503, "{}", answer.text);
            break;
        }
        kept.push(answer.json()["id"].clone());
    }
    while ready(&client).await != 503 {
        poll.tick().await;
    }
    client.get("/health").await.expect(200);
    std::fs::remove_file(junk).unwrap();
    while ready(&client).await != 200 {
        poll.tick().await;
    }
    kept.push(client.post("/pedidos", order("C")).await.expect(201)["id"].clone());
    drop(server);
    let server = home.serve("127.0.0.1");
    for id in &kept {
        let order = server.client().get(&format!("/pedidos/{id}")).await.expect(200);
        assert_eq!(order["id"], *id);
    }
    assert!(kept.len() > 5);
    drop(server);
    let checked = home.run("doctor").stdout;
    assert!(checked.contains("the chain is whole"), "{checked}");
}
