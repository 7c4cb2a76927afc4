//! Who may do what.

use host::Access;
use serde_json::json;

use crate::farm::on_farm_with;

#[tokio::test(flavor = "multi_thread")]
async fn each_role_passes_its_doors_and_no_other() {
    on_farm_with(Access::SignedIn, async |farm| {
        let mut tokens = Vec::new();
        for role in ["ADMIN", "OPERADOR", "CONSULTA", "PROVEEDOR"] {
            tokens.push((role, farm.persona(role).await));
        }
        let doors = [
            ("GET", "/api/sam/robots", json!(null), [true, true, true, false]),
            ("POST", "/api/sam/pools", json!({ "nombre": "" }), [true, true, false, false]),
            ("PUT", "/api/sam/tickets", json!([]), [true, true, false, true]),
            ("GET", "/api/sam/configuracion", json!(null), [true, true, false, false]),
            (
                "PUT",
                "/api/sam/configuracion/NADA",
                json!({ "valor": 1 }),
                [true, false, false, false],
            ),
            ("POST", "/api/sam/sync", json!(null), [true, true, false, false]),
            ("DELETE", "/api/sam/asignaciones/1", json!(null), [true, true, false, false]),
            ("GET", "/api/sam/why/robot/1", json!(null), [true, true, true, false]),
            ("POST", "/api/sam/balanceador/simular", json!({}), [true, true, true, false]),
        ];
        for (method, path, body, allowed) in doors {
            for ((role, client), allowed) in tokens.iter().zip(allowed) {
                let mut request = client.request(method.parse().unwrap(), path);
                if !body.is_null() {
                    request = request.json(&body);
                }
                let status = request.send().await.unwrap().status().as_u16();
                assert_eq!(status != 403, allowed, "{role} {method} {path}: {status}");
            }
        }
        let stranger = farm.nobody();
        assert_eq!(stranger.get("/api/sam/robots").await.status, 401);
        let told = json!({ "deploymentId": "nadie", "status": "RUN_COMPLETED" });
        let told = stranger.post("/api/callback", told).await.expect(401);
        assert_eq!(told["code"], "AVISO_NO_AUTENTICADO", "a callback has a proof of its own");
    })
    .await;
}
