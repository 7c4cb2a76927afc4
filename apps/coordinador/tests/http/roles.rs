//! Who may do what.

use host::Access;
use serde_json::json;
use testkit::on_both;

use crate::network::{Network, ten};

#[tokio::test(flavor = "multi_thread")]
async fn each_role_does_its_own_and_no_more() {
    on_both(async |db| {
        let mut network = Network::open(db, ten(), Access::SignedIn).await;
        let mut clients = Vec::new();
        for role in ["ADMIN", "OPERADOR", "CONSULTA"] {
            clients.push(network.persona(role).await);
        }
        let olt = json!({ "abreviatura": "A", "marca": "Huawei", "ip_address": "h",
                          "comunidad": "x" });
        let expected = [
            ("GET", "/api/coordinador/olts", json!(null), [200, 200, 200]),
            ("POST", "/api/coordinador/olts", olt, [201, 409, 403]),
            ("PUT", "/api/coordinador/limites", json!({ "max_get": 5 }), [200, 403, 403]),
            ("POST", "/api/coordinador/plan/aplicar", json!({}), [200, 200, 403]),
            ("PUT", "/api/coordinador/modo-prueba", json!({ "activo": false }), [200, 403, 403]),
        ];
        for (method, path, body, statuses) in expected {
            for (client, status) in clients.iter().zip(statuses) {
                let answer = match method {
                    "GET" => client.get(path).await,
                    "POST" => client.post(path, body.clone()).await,
                    _ => client.put(path, body.clone()).await,
                };
                assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
            }
        }
        assert_eq!(network.client.get("/api/coordinador/olts").await.status, 401);
        network.close().await;
    })
    .await;
}
