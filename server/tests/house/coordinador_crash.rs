//! S-26: the real binary polls simulated OLTs and is killed with `kill -9` again and again,
//! also between the commit that reserves a run and the first packet of it. No node ever has two live
//! runs, and nothing stays RUNNING.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use serde_json::{Value as Json, json};
use snmp::sim::{self, Simulator};
use testkit::{Client, Options, Turno};

const OLTS: usize = 60;
const ONUS: usize = 40;
const OID: &str = "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15";

async fn set_up(client: &Client, devices: &Simulator) {
    let limits = json!({
        "max_executions_per_minute": 600, "max_short_per_minute": 600, "max_descubrimiento": 500,
        "max_total": 500,
    });
    client.put("/api/coordinador/limites", limits).await.expect(200);
    let start = jiff::Timestamp::now();
    for (number, address) in devices.addresses().iter().enumerate() {
        let olt = json!({
            "abreviatura": format!("OLT-{number}"), "marca": "Huawei", "comunidad": "public",
            "ip_address": address.ip().to_string(), "puerto": address.port(),
        });
        let olt = client.post("/api/coordinador/olts", olt).await.expect(201);
        let node = json!({
            "olt_id": olt["id"], "nombre": "descubrir", "job_type": "descubrimiento", "oid": OID,
            // One after another, so that somebody begins whenever the process dies.
            "interval_seconds": 8,
            "next_run_at": start + jiff::SignedDuration::from_millis(number as i64 * 150),
        });
        client.post("/api/coordinador/nodos", node).await.expect(201);
    }
}

async fn runs(client: &Client, query: &str) -> Vec<Json> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/api/coordinador/ejecuciones?limit=1000&{query}{cursor}");
        let page = client.get(&path).await.expect(200);
        all.extend(page["items"].as_array().expect("a list").iter().cloned());
        match page["next"].as_i64() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

/// No two runs of a node were live at the same time.
fn one_after_another(runs: &[Json]) {
    let mut of: HashMap<i64, Vec<(&str, Option<&str>)>> = HashMap::new();
    for run in runs.iter().rev() {
        let node = run["nodo_id"].as_i64().expect("a number");
        let span = (run["started_at"].as_str().expect("it began"), run["finished_at"].as_str());
        of.entry(node).or_default().push(span);
    }
    for (node, spans) in of {
        for pair in spans.windows(2) {
            let end = pair[0].1.expect("only the last one may go on");
            let (end, next) =
                (end.parse::<jiff::Timestamp>(), pair[1].0.parse::<jiff::Timestamp>());
            assert!(end.expect("an instant") <= next.expect("an instant"), "node {node}: {pair:?}");
        }
    }
}

/// Waits until somebody runs.
async fn under_way(client: &Client) {
    let mut poll = tokio::time::interval(Duration::from_millis(5));
    while runs(client, "status=RUNNING").await.is_empty() {
        poll.tick().await;
    }
}

/// How many nodes ended a run well that began after the last start.
fn worked(runs: &[Json], boot: jiff::Timestamp) -> usize {
    let fresh = runs.iter().filter(|run| {
        let start = run["started_at"].as_str().and_then(|at| at.parse::<jiff::Timestamp>().ok());
        start.is_some_and(|start| start > boot)
    });
    fresh.filter_map(|run| run["nodo_id"].as_i64()).collect::<HashSet<_>>().len()
}

async fn kills(database_url: Option<String>, times: u64) {
    // A walk takes about a tenth of a second: many are under way whenever the process dies.
    let devices = sim::Options { count: OLTS, onus: ONUS as u32, ..sim::Options::default() };
    let devices = Simulator::start(devices).await.expect("free ports");
    for number in 0..OLTS {
        let slow = devices.settings(number).changed(&json!({ "latency_ms": 25 })).expect("known");
        devices.set(number, slow).expect("it is possible");
    }
    let arguments = vec!["--apps".to_owned(), "coordinador".to_owned()];
    let options = Options { database_url, arguments, ..Options::default() };
    let mut server = Turno::start(options).await;
    set_up(&server.client(), &devices).await;
    for time in 0..times {
        // From the first moments after a start, when everything is due, to the middle of the work.
        tokio::time::sleep(Duration::from_millis(time * 37 % 400)).await;
        if time.is_multiple_of(2) {
            under_way(&server.client()).await;
        }
        server.kill().await;
        server.restart().await;
    }
    let (client, boot) = (server.client(), jiff::Timestamp::now());
    let mut poll = tokio::time::interval(Duration::from_millis(500));
    while worked(&runs(&client, "status=SUCCESS").await, boot) < OLTS {
        let waited = jiff::Timestamp::now().duration_since(boot).as_secs();
        assert!(waited < 60, "a node is stuck {waited} s after the start");
        poll.tick().await;
    }
    let all = runs(&client, "").await;
    one_after_another(&all);
    let ended = |word: &str| all.iter().filter(|run| run["reason"] == word).count();
    let good = all.iter().filter(|run| run["status"] == "SUCCESS").count();
    println!("{times} kills: {} runs, {good} good, {} lost", all.len(), ended("LOST"));
    assert!(good > OLTS, "the work went on");
    assert!(ended("LOST") > 0, "some were under way when the process died");
    let onus = client.get("/api/coordinador/planillas/onus").await.text;
    assert_eq!(onus.lines().count(), 1 + OLTS * ONUS, "the inventory is whole");
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_26_a_hundred_kills_leave_no_run_twice_and_none_stuck() {
    kills(None, testkit::rounds(60) as u64).await;
    if let Some(url) = testkit::fresh_database().await {
        kills(Some(url), testkit::rounds(40) as u64).await;
    }
}
