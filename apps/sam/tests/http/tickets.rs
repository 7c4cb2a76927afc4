//! Tickets that wait in somebody else's database (R-12h).

use db::{Scope, Store};
use serde_json::json;
use testkit::{drop_database, fresh_database};

use crate::farm::{Farm, morning, on_farm, online};

async fn asked(farm: &Farm) -> serde_json::Value {
    farm.client.advance(60).await;
    farm.client.get("/api/sam/tickets").await.expect(200)["items"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_on_another_database_says_what_waits_and_only_reads() {
    // It is a PostgreSQL, whatever ours is.
    let Some(elsewhere) = fresh_database().await else { return };
    let store = Store::open(&elsewhere).await.unwrap();
    let mut decision = store.decide(&Scope::new("test"), morning()).await.unwrap();
    let table = "CREATE TABLE cola (robot TEXT NOT NULL, listo BOOLEAN NOT NULL)";
    decision.tx.execute(table, &[]).await.unwrap();
    let rows = "INSERT INTO cola VALUES ('Facturas', FALSE), ('Facturas', FALSE),
                ('Facturas', TRUE), ('Nadie', FALSE)";
    decision.tx.execute(rows, &[]).await.unwrap();
    decision.commit().await.unwrap();
    on_farm(async |farm: &Farm| {
        farm.make("robots", online(20)).await;
        let means = json!({ "proveedor": "SQL", "nombre_externo": "Facturas", "robot_id": 20 });
        farm.client.post("/api/sam/mapeos", means).await.expect(201);
        let query = "SELECT robot, COUNT(*) FROM cola WHERE NOT listo GROUP BY robot";
        farm.set("SQL_TICKETS_CONSULTA", query).await;
        farm.set("SQL_TICKETS_URL", elsewhere.as_str()).await;
        let told = asked(farm).await;
        assert_eq!(told.as_array().unwrap().len(), 1, "nobody means the other: {told}");
        assert_eq!((&told[0]["proveedor"], &told[0]["pendientes"]), (&json!("SQL"), &json!(2)));
        assert_eq!(farm.alert("sam/proveedor/SQL").await, None);

        let greedy = "DELETE FROM cola RETURNING robot, 1";
        farm.set("SQL_TICKETS_CONSULTA", greedy).await;
        let told = asked(farm).await;
        assert_eq!(farm.alert("sam/proveedor/SQL").await, Some(true), "it may only read");
        assert!(told[0]["pendientes"].is_null(), "what it did not say is unknown: {told}");

        farm.set("SQL_TICKETS_CONSULTA", query).await;
        assert_eq!(asked(farm).await[0]["pendientes"], 2, "nothing was deleted");
        assert_eq!(farm.alert("sam/proveedor/SQL").await, Some(false));
    })
    .await;
    store.close().await;
    drop_database(&elsewhere).await;
}
