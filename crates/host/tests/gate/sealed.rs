//! Secrets among the settings: sealed, and not sent to whoever a new address names.

use host::{Access, Network};
use serde_json::{Value as Json, json};
use testkit::{LocalServer, on_both};

use crate::serve;

/// What the database holds of the secret.
async fn kept(server: &LocalServer) -> String {
    let sql = "SELECT value FROM settings WHERE app = 'demo' AND key = 'CLAVE'";
    let mut tx = server.context().store.read().await.unwrap();
    tx.one(sql, &[]).await.unwrap().get::<Json>("value").unwrap().to_string()
}

async fn in_force(server: &LocalServer) -> String {
    let context = server.context();
    let mut tx = context.store.read().await.unwrap();
    let values = context.settings.load(&mut tx, "demo").await.unwrap();
    values.text("CLAVE").unwrap().to_owned()
}

async fn set(server: &LocalServer, key: &str, value: &str) {
    let path = format!("/api/settings/demo/{key}");
    server.client.put(&path, json!({ "valor": value })).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_sealed_and_one_that_lay_open_is_sealed_at_the_start() {
    on_both(async |db| {
        let server = serve(db, Access::Open, Network::default()).await;
        set(&server, "CLAVE", "hush").await;
        assert!(!kept(&server).await.contains("hush"), "{}", kept(&server).await);
        assert_eq!(in_force(&server).await, "hush");
        let context = server.context();
        let scope = db::Scope::new("an older version");
        let mut older = context.store.decide(&scope, context.clock.now()).await.unwrap();
        let sql = "UPDATE settings SET value = $1 WHERE key = 'CLAVE'";
        older.tx.execute(sql, &[json!("open").into()]).await.unwrap();
        older.commit().await.unwrap();
        assert_eq!(in_force(&server).await, "open", "it is still read");
        server.stop().await;
        let server = serve(db, Access::Open, Network::default()).await;
        assert!(!kept(&server).await.contains("open"), "{}", kept(&server).await);
        assert_eq!(in_force(&server).await, "open");
        server.stop().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_does_not_follow_its_address_elsewhere() {
    on_both(async |db| {
        let server = serve(db, Access::Open, Network::default()).await;
        set(&server, "CLAVE", "hush").await;
        set(&server, "URL", "https://room.example/one").await;
        assert_eq!(in_force(&server).await, "hush", "it was entered for this one");
        set(&server, "URL", "https://ROOM.example/two").await;
        assert_eq!(in_force(&server).await, "hush", "the same host");
        set(&server, "URL", "https://room.example.evil/two").await;
        assert_eq!(in_force(&server).await, "", "it has to be entered again");
        server.stop().await;
    })
    .await;
}
