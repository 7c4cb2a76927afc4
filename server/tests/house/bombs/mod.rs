//! Files that were made to hurt, sent to the real binary one by one: the server stays small, each
//! file ends with a reason, and whoever else is there is served meanwhile.

mod corpus;

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use reqwest::multipart::{Form, Part};
use serde_json::Value as Json;
use testkit::{Client, Options, Turno};

use crate::docproc_crash::FLOW;
use corpus::Bomb;

/// What the server itself may take; each of its children has a bound of its own.
const MOST_KILOBYTES: u64 = 512 << 10;
/// How long a file may take to end: its page has twenty seconds of work, and the machine may be
/// busy.
const ENDS_WITHIN: Duration = Duration::from_mins(4);
/// The longest that somebody else waited, on a machine that does other things too.
const OTHERS: Duration = Duration::from_secs(45);

/// What whoever looks at such a page is told.
const LOOKED: [u16; 4] = [200, 404, 422, 504];

async fn send(client: &Client, name: &str, bytes: Vec<u8>) -> (u16, Json) {
    let part = Part::bytes(bytes).file_name(name.to_owned());
    let form = Form::new().part("file", part).text("workflow", "unattended");
    let request = client.request(reqwest::Method::POST, "/process").multipart(form);
    let answer = request.send().await.expect("the server answers");
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

/// Waits for the end of a request and answers how it ended.
async fn ended(client: &Client, id: &str) -> Json {
    let began = Instant::now();
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    loop {
        poll.tick().await;
        let status = client.get(&format!("/status/{id}")).await.expect(200);
        if ["completed", "failed"].iter().any(|end| status["status"] == *end) {
            return status;
        }
        assert!(began.elapsed() < ENDS_WITHIN, "still {status}");
    }
}

/// What became of a bomb, in a word.
async fn explode(client: &Client, bomb: Bomb) -> String {
    let (status, told) = send(client, bomb.name, bomb.bytes).await;
    if status != 200 {
        return format!("{status} {}", told["code"].as_str().unwrap_or("?"));
    }
    let id = told["request_id"].as_str().expect("an id");
    let end = ended(client, id).await;
    // People look at it too, all at once.
    let path = format!("/api/docproc/requests/{id}/pages/0/image");
    let looks = (0..6).map(|_| client.request(reqwest::Method::GET, &path).send());
    let seen = futures::future::join_all(looks).await;
    let seen = seen.into_iter().map(|answer| answer.map_or(0, |answer| answer.status().as_u16()));
    let seen: Vec<u16> = seen.collect();
    // One drawing serves them all. Where it ends about when a request has to, some are told its end
    // and some that it takes too long.
    assert!(seen.iter().all(|one| LOOKED.contains(one)), "{}: {seen:?}", bomb.name);
    let detail = client.get(&format!("/api/docproc/requests/{id}")).await.expect(200);
    let code = detail["error_code"].as_str().unwrap_or("");
    format!("{} {code}, image {}", end["status"].as_str().unwrap_or("?"), seen[0])
}

/// Kilobytes of a process and of its children together that are in memory now.
fn memory(process: u32) -> (u64, u64) {
    let of = |process: u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
    };
    let mut children = 0;
    for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let named = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        children +=
            named.split_whitespace().filter_map(|one| one.parse().ok()).map(of).sum::<u64>();
    }
    (of(process), children)
}

/// Highest so far.
#[derive(Default)]
struct Peaks {
    server: AtomicU64,
    children: AtomicU64,
    others: AtomicU64,
    served: AtomicU64,
    over: AtomicBool,
}

impl Peaks {
    async fn watch(&self, process: u32) {
        let mut poll = tokio::time::interval(Duration::from_millis(15));
        while !self.over.load(Ordering::Relaxed) {
            poll.tick().await;
            let (server, children) = memory(process);
            self.server.fetch_max(server, Ordering::Relaxed);
            self.children.fetch_max(children, Ordering::Relaxed);
        }
    }

    /// Somebody else, who sends one small document after another.
    async fn serve(&self, client: &Client) {
        while !self.over.load(Ordering::Relaxed) {
            let began = Instant::now();
            let text = "FACTURA\nFactura n.º: F-1\nFecha: 12/03/2024\nTotal: 121,00 €";
            let (status, told) = send(client, "otra.txt", text.as_bytes().to_vec()).await;
            assert_eq!(status, 200, "{told}");
            let end = ended(client, told["request_id"].as_str().expect("an id")).await;
            assert_eq!(end["status"], "completed", "{end}");
            let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.others.fetch_max(took, Ordering::Relaxed);
            self.served.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test]
async fn bombs_hurt_nobody_but_themselves() {
    let dir =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bombs-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("the target directory is writable");
    fs::write(dir.join("unattended.yaml"), FLOW).expect("writable");
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let options = Options {
        environment: vec![
            set("DOCPROC_WORKFLOWS_DIR", &dir.display().to_string()),
            set("DOCPROC_WORKERS", "2"),
        ],
        arguments: vec!["--apps".to_owned(), "docproc".to_owned()],
        ..Options::default()
    };
    let turno = Turno::start(options).await;
    let (client, process) = (turno.client(), turno.process().expect("it runs"));
    println!(
        "{:<20} {:>9} {:>7} {:>9} {:>8} {:>7} {:>8}  came to",
        "file", "bytes", "s", "server MB", "children", "others", "slowest"
    );
    for bomb in corpus::all() {
        let (name, bytes, began) = (bomb.name, bomb.bytes.len(), Instant::now());
        let peaks = Peaks::default();
        let blast = async {
            let came = explode(&client, bomb).await;
            let took = began.elapsed();
            peaks.over.store(true, Ordering::Relaxed);
            (came, took)
        };
        let ((came, took), (), ()) =
            tokio::join!(blast, peaks.watch(process), peaks.serve(&client));
        let read = |one: &AtomicU64| one.load(Ordering::Relaxed);
        let (server, children) = (read(&peaks.server), read(&peaks.children));
        let (others, slowest) = (read(&peaks.served), read(&peaks.others));
        println!(
            "{name:<20} {bytes:>9} {:>7.1} {:>9} {:>8} {others:>7} {slowest:>8}  {came}",
            took.as_secs_f64(),
            server >> 10,
            children >> 10
        );
        assert!(server < MOST_KILOBYTES, "{name}: the server took {server} kB");
        assert!(slowest < OTHERS.as_millis() as u64, "{name}: others waited {slowest} ms");
        assert_eq!(turno.process(), Some(process), "{name}: it is the same process");
    }
    let _ = fs::remove_dir_all(&dir);
}
