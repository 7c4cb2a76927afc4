//! The pages: in both languages, for those who may, and without a word for those who may not.

use host::{Access, Actor, Grant, accounts};
use serde_json::json;
use testkit::{Answer, Client};

use crate::farm::{Farm, Place, on_both};

const SCREENS: &[&str] = &[
    "/sam",
    "/sam?horas=24",
    "/sam/robots",
    "/sam/robots?q=r1&activo=si&online=si&programado=no&pool=1",
    "/sam/robots/1",
    "/sam/equipos",
    "/sam/equipos?ocupado=si&balanceo=no",
    "/sam/equipos/10",
    "/sam/pools",
    "/sam/programaciones",
    "/sam/programaciones/1",
    "/sam/programaciones/semana",
    "/sam/programaciones/semana?semana=2026-02-30&robot_id=2",
    "/sam/programaciones/perdidos",
    "/sam/programaciones/solapamientos",
    "/sam/programaciones/feriados",
    "/sam/ejecuciones",
    "/sam/ejecuciones?robot_id=&equipo_id=x&estado=NADA&activas=&cursor=y",
    "/sam/ejecuciones/1",
    "/sam/balanceador",
    "/sam/balanceador/simular",
    "/sam/balanceador/simular?t1=99999999999999999999&supuesto=si",
    "/sam/analisis",
    "/sam/analisis?dias=x&robot_id=1&pool_id=9",
    "/sam/analisis/utilizacion.csv",
    "/sam/analisis/latencia.csv",
    "/sam/mapeos",
];

/// Pages of those who change things.
const STAFF: &[&str] =
    &["/sam/programaciones/nueva", "/sam/configuracion", "/sam/auditoria?actor=local"];

async fn page(client: &Client, path: &str, lang: &str) -> Answer {
    let request = client.request(reqwest::Method::GET, path);
    let request = request.header("accept", "text/html").header("cookie", format!("lang={lang}"));
    Answer::of(request, path).await
}

/// A robot on demand with a run, one by schedule, and some of everything else.
async fn filled(place: &Place, access: Access) -> Farm {
    let farm = Farm::with(place, access).await;
    if access == Access::Open {
        let pool = farm.pool("Finanzas").await;
        farm.online(1, 10, Some(pool)).await;
        farm.robot(2, json!({ "descripcion": "<b>cierre</b>" })).await;
        for runner in [10, 11, 12] {
            farm.runner(runner, Some(pool)).await;
        }
        farm.schedule(2, &[12], json!({})).await;
        farm.tickets(1, 35).await;
        farm.both_at("08:02:00").await;
    }
    farm
}

#[tokio::test(flavor = "multi_thread")]
async fn every_screen_answers_in_both_languages() {
    on_both(async |place| {
        let farm = filled(place, Access::Open).await;
        for path in SCREENS.iter().chain(STAFF) {
            let es = page(&farm.client, path, "es").await;
            let en = page(&farm.client, path, "en").await;
            assert_eq!((es.status, en.status), (200, 200), "{path}: {}", es.text);
            assert!(!es.text.contains("<b>cierre"), "{path} shows markup of others");
            if !path.contains(".csv") {
                assert!(es.text.contains("<html lang=\"es\""), "{path}");
                assert!(en.text.contains("<html lang=\"en\""), "{path}");
                assert_ne!(es.text.replace("lang=\"es\"", ""), en.text.replace("lang=\"en\"", ""));
            }
        }
        for path in ["/sam/robots/99", "/sam/equipos/99", "/sam/ejecuciones/99"] {
            assert_eq!(page(&farm.client, path, "es").await.status, 404, "{path}");
        }
        for path in ["/sam/programaciones/99", "/sam/analisis/nada.csv"] {
            assert_eq!(page(&farm.client, path, "es").await.status, 404, "{path}");
        }
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_front_page_tells_who_waits_and_for_what() {
    on_both(async |place| {
        let farm = filled(place, Access::Open).await;
        let front = page(&farm.client, "/sam", "es").await.text;
        assert!(front.contains("R1"), "{front}");
        assert!(front.contains("POOL_LLENO") || front.contains("POOL_EN_ENFRIAMIENTO"));
        farm.client.put("/api/sam/equipos/12", json!({ "activo_sam": false })).await.expect(200);
        farm.at("09:05:00").await;
        let front = page(&farm.client, "/sam", "en").await.text;
        assert!(front.contains("The runner is in maintenance"), "{front}");
        farm.at("10:00:00").await;
        let missed = page(&farm.client, "/sam/programaciones/perdidos", "en").await.text;
        assert!(missed.contains("Runner in maintenance"), "{missed}");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_saves_nothing_and_names_what_is_wrong() {
    on_both(async |place| {
        let farm = filled(place, Access::Open).await;
        let mut body = json!({
            "robot_id": 2, "tipo_programacion": "Diaria", "hora_inicio": "09:15", "equipos": [12],
        });
        let path = "/sam/programaciones/previa";
        let told = farm.client.post(path, body.clone()).await;
        assert_eq!(told.status, 200, "{}", told.text);
        assert!(told.text.contains("09:15") && told.text.contains("data-overlaps"));
        let same = farm.client.post(&format!("{path}?id=1"), body.clone()).await;
        assert!(!same.text.contains("data-overlaps"), "it does not meet itself: {}", same.text);
        body["hora_inicio"] = json!("25:00");
        assert_eq!(farm.client.post(path, body).await.status, 422);
        let kept = farm.client.get("/api/sam/programaciones").await.expect(200);
        assert_eq!(kept["items"].as_array().unwrap().len(), 1);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_look_is_offered_nothing_to_change() {
    on_both(async |place| {
        let farm = filled(place, Access::SignedIn).await;
        let store = &farm.context().store;
        let by = Actor::system();
        let now = crate::farm::morning();
        let mut clients = Vec::new();
        for role in ["CONSULTA", "PROVEEDOR"] {
            let grants = [Grant { app: sam::NAME.into(), role: role.into() }];
            let token = accounts::create_token(store, &by, role, &grants, None, now).await.unwrap();
            clients.push(farm.client.with_token(token));
        }
        for path in ["/sam", "/sam/robots", "/sam/equipos", "/sam/pools", "/sam/mapeos"] {
            let seen = page(&clients[0], path, "es").await;
            assert_eq!(seen.status, 200, "{path}");
            assert!(!seen.text.contains("data-act=") && !seen.text.contains("data-new="), "{path}");
            assert_eq!(page(&clients[1], path, "es").await.status, 403, "{path}");
        }
        for path in STAFF {
            assert_eq!(page(&clients[0], path, "es").await.status, 403, "{path}");
        }
        farm.close().await;
    })
    .await;
}
