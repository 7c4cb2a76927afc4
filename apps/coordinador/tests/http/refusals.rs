//! Bad input: refused precisely, nothing half applied, secrets never shown.

use serde_json::json;

use crate::network::{DISCOVERY, extend, from_ten, get, olt};

#[tokio::test(flavor = "multi_thread")]
async fn olts_that_cannot_be_are_refused() {
    from_ten(async |network| {
        let good = json!({ "abreviatura": "SMP-10", "marca": "Huawei", "ip_address": "192.0.2.1",
                           "comunidad": "ñandú \"'; --" });
        let path = "/api/coordinador/olts";
        let made = network.client.post(path, good.clone()).await;
        assert!(!made.text.contains("and"), "never shown: {}", made.text);
        made.expect(201);
        let again = network.client.post(path, good.clone()).await.expect(409);
        assert_eq!(again["code"], "NOMBRE_REPETIDO");
        for (field, value) in [
            ("abreviatura", json!("")),
            ("ip_address", json!("192.0.2.1 ; rm")),
            ("ip_address", json!("999.1.1.1")),
            ("ip_address", json!("...")),
            ("ip_address", json!("192.0.2.1:161")),
            ("ip_address", json!("255.255.255.255")),
            ("ip_address", json!("224.0.0.1")),
            ("ip_address", json!("::ffff:224.0.0.1")),
            ("ip_address", json!("0x7f000001")),
            ("puerto", json!(0)),
            ("puerto", json!(70_000)),
            ("version", json!("4")),
            ("comunidad", json!("")),
        ] {
            let mut bad = good.clone();
            bad["abreviatura"] = "otra".into();
            bad[field] = value.clone();
            let refused = network.client.post(path, bad).await.expect(422);
            assert!(refused["errors"].to_string().contains(field), "{field} {value}: {refused}");
        }
        let mut twin = good.clone();
        twin["abreviatura"] = "otra".into();
        assert_eq!(
            network.client.post(path, twin.clone()).await.expect(409)["code"],
            "EQUIPO_REPETIDO"
        );
        let mut mapped = twin.clone();
        mapped["ip_address"] = format!("::ffff:{}", good["ip_address"].as_str().unwrap()).into();
        let refused = network.client.post(path, mapped).await.expect(409);
        assert_eq!(refused["code"], "EQUIPO_REPETIDO", "however it is written");
        twin["comunidad"] = "otra".into();
        let apart = network.client.post(path, twin).await.expect(201)["id"].clone();
        network.client.delete(&format!("{path}/{apart}")).await.expect(204);
        let v3 = json!({ "abreviatura": "v3", "marca": "ZTE", "ip_address": "h", "version": "3",
                         "usuario": "u", "auth_protocolo": "ROT13", "auth_clave": "12345678" });
        network.client.post(path, v3).await.expect(422);
        let kept = network.client.get(path).await;
        assert!(!kept.text.contains("and"), "never listed");
        assert_eq!(kept.expect(200)["items"].as_array().unwrap().len(), 1);
        let audit = network.client.get("/api/audit").await;
        assert!(!audit.text.contains("ñand"), "never in the audit: {}", audit.text);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_cannot_be_are_refused() {
    from_ten(async |network| {
        let here = network.made("olts", olt("OLT-1", 161)).await;
        let other = network.made("olts", olt("OLT-2", 161)).await;
        let elsewhere = network.made("nodos", get(other, "m")).await;
        let good = json!({ "olt_id": here, "nombre": "n", "job_type": "get", "oid": DISCOVERY,
                           "interval_seconds": 900 });
        let path = "/api/coordinador/nodos";
        for (field, value) in [
            ("interval_seconds", json!(0)),
            ("interval_seconds", json!(-900)),
            ("interval_seconds", json!(null)),
            ("oid", json!("1.3.abc")),
            ("oid", json!("9.9")),
            ("priority", json!(0)),
            ("job_type", json!("walk")),
            ("espacio", json!("color")),
            ("espacio", json!("descubrimiento")),
            ("oid", json!(null)),
            ("next_run_at", json!("2126-03-02T10:00:00Z")),
            ("next_run_at", json!("1926-03-02T10:00:00Z")),
            ("nombre", json!(" ")),
        ] {
            let mut bad = good.clone();
            bad[field] = value.clone();
            let refused = network.client.post(path, bad).await.expect(422);
            assert!(refused["errors"].to_string().contains(field), "{field} {value}: {refused}");
        }
        let mut stray = good.clone();
        stray["interval_seconds"] = json!(null);
        stray["master_node_id"] = elsewhere.into();
        network.client.post(path, stray).await.expect(422);
        let mut nowhere = good.clone();
        nowhere["olt_id"] = 99.into();
        network.client.post(path, nowhere).await.expect(404);
        let mut extra = good.clone();
        extra["sorpresa"] = 1.into();
        network.client.post(path, extra).await.expect(400);
        network.client.post(path, good.clone()).await.expect(201);
        network.client.post(path, good).await.expect(409);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_is_taken_whole_or_not_at_all() {
    from_ten(async |network| {
        let send = async |text: &str| {
            let path = "/api/coordinador/planillas/olts";
            let request = network.client.request(reqwest::Method::POST, path);
            let request = request.header("content-type", "text/csv").body(text.to_owned());
            testkit::Answer::of(request, path).await
        };
        let bad = "abreviatura,marca,ip_address,comunidad,puerto\r\nA,Huawei,192.0.2.1,x,161\r\n\
                   B,Huawei,192.0.2.2,x,puerto\r\nA,ZTE,192.0.2.3,x,\r\n";
        let refused = send(bad).await.expect(422);
        let told = refused["errors"].to_string();
        assert!(
            told.contains("línea 3, puerto") && told.contains("línea 4, abreviatura"),
            "{told}"
        );
        let none = network.client.get("/api/coordinador/olts").await.expect(200);
        assert_eq!(none["items"], json!([]), "nothing was taken");
        let lacking = "abreviatura,marca,ip_address\r\nA,Huawei,192.0.2.1\r\n";
        assert!(send(lacking).await.expect(422).to_string().contains("línea 2, comunidad"));
        let good = "abreviatura;marca;ip_address;comunidad\r\nA;Huawei;192.0.2.1;secreta\r\n\
                    B;ZTE;192.0.2.2;secreta\r\n";
        assert_eq!(send(good).await.expect(200), json!({ "creadas": 2, "cambiadas": 0 }));
        assert_eq!(send(good).await.expect(200), json!({ "creadas": 0, "cambiadas": 2 }));
        let out = network.client.get("/api/coordinador/planillas/olts").await;
        assert!(out.text.contains("192.0.2.1") && !out.text.contains("secreta"), "{}", out.text);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_formula_that_does_not_lead_back_is_refused_with_the_place() {
    from_ten(async |network| {
        let read = async |index: &str| {
            let path = format!("/api/coordinador/formulas/leer?marca=Huawei&indice={index}");
            network.client.get(&path).await
        };
        assert_eq!(read("4194312448.2").await.expect(200)["normalized_id"], "1/1/2");
        assert_eq!(read("4194303999.2").await.status, 422, "below the base");
        let bad = json!({ "marca": "Otra", "modo": "linear", "base_index": 0, "step_slot": 256,
                          "step_port": 256, "onu": "PUNTO", "slots": 4, "puertos": 4 });
        let path = "/api/coordinador/formulas";
        let refused = network.client.post(path, bad.clone()).await.expect(422);
        assert!(refused["errors"].to_string().contains("no vuelve"), "{refused}");
        let mut good = bad;
        good["step_slot"] = 4096.into();
        network.client.post(path, good.clone()).await.expect(201);
        network.client.post(path, good).await.expect(409);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_change_together_or_not_at_all() {
    from_ten(async |network| {
        let path = "/api/coordinador/limites";
        let half = json!({ "max_total": 12, "max_executions_per_minute": 0 });
        let refused = network.client.put(path, half).await.expect(422);
        assert!(refused["errors"].to_string().contains("max_executions_per_minute"));
        let standing = network.client.get(path).await.expect(200);
        assert_eq!((&standing["max_total"], &standing["max_get"]), (&json!(30), &json!(20)));
        let below = json!({ "max_total": 12 });
        let told = network.client.put(path, below).await.expect(422);
        assert!(told["errors"].to_string().contains("max_total"), "{told}");
        let both = json!({ "max_total": 12, "max_executions_per_minute": 9, "max_get": 12 });
        let changed = network.client.put(path, both).await.expect(200);
        assert_eq!(changed["max_executions_per_minute"], 9);
        let zone = "/api/settings/coordinador/QUOTA_TIMEZONE";
        network.client.put(zone, json!({ "valor": "Marte/Base" })).await.expect(400);
        network.client.put(zone, json!({ "valor": "Asia/Kathmandu" })).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_contradicts_itself_is_refused_whole() {
    from_ten(async |network| {
        let path = "/api/coordinador/plantillas";
        let olt = network.made("olts", olt("OLT-1", 161)).await;
        let base = json!({
            "nombre": "base",
            "nodos": [{ "clave": "discover.60", "job_type": "descubrimiento",
                        "espacio": "descubrimiento", "interval_seconds": 3600, "priority": 1 },
                      { "clave": "get.mac", "job_type": "get", "espacio": "mac",
                        "maestro": "discover.60" }],
            "olts": [olt],
        });
        for (field, bad) in [
            ("nodos[0].interval_seconds", json!({ "interval_seconds": 0 })),
            ("nodos[0].interval_seconds", json!({ "interval_seconds": -5 })),
            ("nodos[0].oid", json!({ "oid": "1.x.3" })),
            ("nodos[0].priority", json!({ "priority": 9 })),
            ("nodos[0].espacio", json!({ "espacio": "mac" })),
            ("nodos[0].maestro", json!({ "maestro": "nadie" })),
        ] {
            let mut template = base.clone();
            extend(&mut template["nodos"][0], bad);
            let refused = network.client.post(path, template).await.expect(422);
            assert!(refused["errors"].to_string().contains(field), "{field}: {refused}");
        }
        let mut unknown = base;
        unknown["olts"] = json!([olt, 99]);
        let unknown = network.client.post(path, unknown).await.expect(422);
        assert!(unknown.to_string().contains("olts[1]"));
        assert!(network.items("nodos").await.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_filters_are_refused() {
    from_ten(async |network| {
        for path in [
            "nodos?job_type=walk",
            "nodos?tipo=get",
            "olts?marca=ZTE",
            "onus?presence=GONE",
            "ejecuciones?status=DONE",
            "eventos?tipo=LLUVIA",
            "eventos?nivel=ROJO",
            "cuotas?nivel=ALERTA",
            "plan?minuto=5",
        ] {
            network.client.get(&format!("/api/coordinador/{path}")).await.expect(400);
        }
        network.client.get("/api/coordinador/eventos?tipo=POSTERGADA").await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_says_the_column_that_it_fills_also_when_only_its_oid_does() {
    from_ten(async |network| {
        let here = network.made("olts", olt("OLT-1", 161)).await;
        let known = network.client.get("/api/coordinador/oids").await.expect(200);
        let serial = known["items"].as_array().unwrap().iter().find(|one| {
            one["espacio"] == "serial" && one["marca"].as_str().is_none_or(|own| own == "Huawei")
        });
        let oid = serial.unwrap()["oid"].clone();
        let node = |name: &str, oid: &serde_json::Value| {
            json!({ "olt_id": here, "nombre": name, "job_type": "get", "oid": oid,
                    "interval_seconds": 900 })
        };
        let path = "/api/coordinador/nodos";
        let made = network.client.post(path, node("serie", &oid)).await.expect(201);
        assert_eq!(made["espacio"], "serial", "{made}");
        let free = network.client.post(path, node("otra", &json!("1.3.6.1.4.1.99999.1"))).await;
        assert_eq!(free.expect(201)["espacio"], "lectura");
        let listed = network.client.get(path).await.expect(200);
        let told: Vec<_> =
            listed["items"].as_array().unwrap().iter().map(|one| &one["espacio"]).collect();
        assert_eq!(told, ["serial", "lectura"]);
        let page = format!("/coordinador/nodos/{}", made["id"]);
        let page = network.client.get(&page).await.text;
        assert!(page.contains("serial"), "{page}");
    })
    .await;
}
