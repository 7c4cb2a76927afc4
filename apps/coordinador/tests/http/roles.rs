//! Who may do what.

use host::{Access, Actor, Grant, accounts};
use serde_json::json;

use crate::network::{DAY, Network, on_both};

#[tokio::test(flavor = "multi_thread")]
async fn each_role_does_its_own_and_no_more() {
    on_both(async |place| {
        let network = Network::with(place, "10:00:00", Access::SignedIn).await;
        let store = &network.context().store;
        let now = format!("{DAY}T10:00:00Z").parse().unwrap();
        let mut clients = Vec::new();
        for role in ["ADMIN", "OPERADOR", "CONSULTA"] {
            let grants = [Grant { app: coordinador::NAME.into(), role: role.into() }];
            let by = Actor::system();
            let token = accounts::create_token(store, &by, role, &grants, None, now).await;
            clients.push(network.client.with_token(token.unwrap()));
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
