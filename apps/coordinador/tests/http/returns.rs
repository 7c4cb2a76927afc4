//! An ONU that comes back after it was gone (F-3.2).

use coordinador::{
    model::{OltId, OnuId, RunId},
    rules::inventory::Change,
    store::onus,
};
use db::Scope;

use crate::network::{Network, from_ten, olt, ten};

async fn apply(network: &Network, olt: i64, change: Change) {
    let mut decision = network.context().store.decide(&Scope::new("test"), ten()).await.unwrap();
    onus::apply(&mut decision.tx, OltId(olt), RunId(1), &[change], ten()).await.unwrap();
    decision.commit().await.unwrap();
}

/// One column of the only ONU there is.
async fn kept(network: &Network, name: &str) -> Option<String> {
    let mut tx = network.context().store.read().await.unwrap();
    tx.one("SELECT * FROM onus", &[]).await.unwrap().maybe(name).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_onu_that_comes_back_keeps_its_description_and_nothing_else() {
    from_ten(async |network| {
        let at = network.made("olts", olt("OLT-1", 161)).await;
        apply(network, at, Change::New { raw_index: "7.1".into(), place: None, state: 1 }).await;
        let mut decision =
            network.context().store.decide(&Scope::new("test"), ten()).await.unwrap();
        let known = "UPDATE onus SET description = 'Casa de Ana', serial = 's', mac = 'm',
                     subscriber = 'a', distance = 'd', model = 'o', plan = 'p'";
        decision.tx.execute(known, &[]).await.unwrap();
        let id: i64 = decision.tx.one("SELECT id FROM onus", &[]).await.unwrap().get("id").unwrap();
        decision.commit().await.unwrap();
        let onu = OnuId(id);
        apply(network, at, Change::Seen { onu, state: 2, changed: true }).await;
        let serial = kept(network, "serial").await;
        assert_eq!(serial.as_deref(), Some("s"), "whoever was there all along keeps everything");
        apply(network, at, Change::Gone { onu, misses: 1 }).await;
        assert_eq!(kept(network, "presence").await.as_deref(), Some("DISABLED"));
        assert_eq!(kept(network, "serial").await.as_deref(), Some("s"), "gone, and still known");
        apply(network, at, Change::Back { onu, state: 1 }).await;
        assert_eq!(kept(network, "description").await.as_deref(), Some("Casa de Ana"));
        for forgotten in ["serial", "mac", "subscriber", "distance", "model", "plan"] {
            let known = kept(network, forgotten).await;
            assert_eq!(known, None, "{forgotten} may be another customer's");
        }
        assert_eq!(kept(network, "presence").await.as_deref(), Some("ENABLED"));
    })
    .await;
}
