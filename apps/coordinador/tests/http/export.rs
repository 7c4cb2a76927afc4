//! The inventory as a sheet: more than fits into one part of it.

use std::collections::BTreeSet;

use serde_json::json;
use snmp::sim::{Options, Simulator};

use crate::network::{from_ten, olt, walk};

#[tokio::test(flavor = "multi_thread")]
async fn an_export_has_every_onu_once() {
    let options = Options { count: 1, onus: 2_300, ..Options::default() };
    let fleet = Simulator::start(options).await.expect("a simulator");
    let port = fleet.addresses()[0].port();
    from_ten(async |network| {
        let here = network.made("olts", olt("A", port)).await;
        let node = network.made("nodos", walk(here, "d")).await;
        let path = format!("/api/coordinador/nodos/{node}/ejecutar");
        network.client.post(&path, json!({})).await.expect(202);
        network.client.advance(60).await;
        let sheet = network.client.get("/api/coordinador/planillas/onus").await;
        assert_eq!(sheet.status, 200, "{}", sheet.text);
        let mut lines = sheet.text.lines();
        assert!(lines.next().is_some_and(|header| header.starts_with("\"id\",\"olt_id\"")));
        let rows: Vec<&str> = lines.collect();
        let ids: BTreeSet<&str> = rows.iter().filter_map(|row| row.split(',').next()).collect();
        assert_eq!((rows.len(), ids.len()), (2_300, 2_300));
    })
    .await;
}
