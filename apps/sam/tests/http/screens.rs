//! The pages: in both languages, for those who may, and without a word for those who may not.

use host::Access;
use serde_json::{Value as Json, json};
use testkit::{Answer, Client};

use crate::farm::{Farm, on_farm, on_farm_with, online, robot, runner, schedule};

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

/// Runs a case with a robot on demand that has a run, one by schedule, and some of everything else.
async fn on_filled_farm(case: impl AsyncFn(&Farm)) {
    on_farm(async |farm| {
        let pool = farm.make("pools", json!({ "nombre": "Finanzas" })).await;
        let within = |mut member: Json| {
            member["pool_id"] = pool.into();
            member
        };
        farm.make("robots", within(online(1))).await;
        let mut other = robot(2);
        other["descripcion"] = "<b>cierre</b>".into();
        farm.make("robots", other).await;
        for id in [10, 11, 12] {
            farm.make("equipos", within(runner(id))).await;
        }
        farm.make("programaciones", schedule(2, &[12])).await;
        let told = json!({ "proveedor": "cola", "robot": "R1", "pendientes": 35 });
        assert_eq!(farm.client.put("/api/sam/tickets", told).await.status, 204);
        farm.both_at("2026-03-02T08:02:00Z").await;
        case(farm).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_screen_answers_in_both_languages() {
    on_filled_farm(async |farm| {
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
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_front_page_tells_who_waits_and_for_what() {
    on_filled_farm(async |farm| {
        let front = page(&farm.client, "/sam", "es").await.text;
        assert!(front.contains("R1"), "{front}");
        assert!(front.contains("POOL_LLENO") || front.contains("POOL_EN_ENFRIAMIENTO"));
        farm.client.put("/api/sam/equipos/12", json!({ "activo_sam": false })).await.expect(200);
        farm.client.at("2026-03-02T09:05:00Z").await;
        let front = page(&farm.client, "/sam", "en").await.text;
        assert!(front.contains("The runner is in maintenance"), "{front}");
        farm.client.at("2026-03-02T10:00:00Z").await;
        let missed = page(&farm.client, "/sam/programaciones/perdidos", "en").await.text;
        assert!(missed.contains("Runner in maintenance"), "{missed}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_saves_nothing_and_names_what_is_wrong() {
    on_filled_farm(async |farm| {
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
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_look_is_offered_nothing_to_change() {
    on_farm_with(Access::SignedIn, async |farm| {
        let clients = [farm.persona("CONSULTA").await, farm.persona("PROVEEDOR").await];
        for path in ["/sam", "/sam/robots", "/sam/equipos", "/sam/pools", "/sam/mapeos"] {
            let seen = page(&clients[0], path, "es").await;
            assert_eq!(seen.status, 200, "{path}");
            assert!(!seen.text.contains("data-act=") && !seen.text.contains("data-new="), "{path}");
            assert_eq!(page(&clients[1], path, "es").await.status, 403, "{path}");
        }
        for path in STAFF {
            assert_eq!(page(&clients[0], path, "es").await.status, 403, "{path}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_one_thing_leaves_out_its_own_column_and_says_motives_in_words() {
    on_filled_farm(async |farm| {
        let robot = page(&farm.client, "/sam/robots/1", "es").await.text;
        assert!(robot.contains("por demanda"), "{robot}");
        assert!(!robot.contains("ASIGNAR_DEMANDA_POOL"), "{robot}");
        assert!(!robot.contains("<th scope=\"col\">Robot</th>"), "{robot}");
        let runner = page(&farm.client, "/sam/equipos/10", "es").await.text;
        assert!(!runner.contains("<th scope=\"col\">Equipo</th>"), "{runner}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_failed_says_what_was_told_and_can_be_run_again() {
    on_farm(async |farm| {
        let run = farm.started().await;
        let told =
            json!({ "deploymentId": run, "status": "RUN_FAILED", "message": "Falta un dato" });
        farm.client.post("/api/callback", told).await.expect(200);
        let all = farm.client.get("/api/sam/ejecuciones?estado=RUN_FAILED").await.expect(200);
        let id = &all["items"][0]["id"];
        let run = page(&farm.client, &format!("/sam/ejecuciones/{id}"), "es").await.text;
        assert!(run.contains(&format!("Ejecución {id} · R20")), "{run}");
        assert!(run.contains("<span title=\"RUN_FAILED\">Fallida</span>"), "{run}");
        assert!(run.contains("data-run-again=\"20\" data-runner=\"1\""), "{run}");
        assert!(!run.contains("Ausencias seguidas"), "none is not worth a line: {run}");
        let front = page(&farm.client, "/sam", "es").await.text;
        assert!(front.contains("<small class=\"soft\">A360: Falta un dato</small>"), "{front}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_says_how_many_there_are_and_where_it_goes_on() {
    on_farm(async |farm: &Farm| {
        let rows: Vec<_> = (1000..1405).map(|id| format!("{id},R{id}\r\n")).collect();
        let request = farm.client.request(reqwest::Method::POST, "/api/sam/planillas/robots");
        let request = request.header("content-type", "text/csv");
        let sent = request.body(format!("id,robot\r\n{}", rows.concat())).send().await.unwrap();
        assert_eq!(sent.status().as_u16(), 200);
        let page = async |path: &str| farm.client.get(path).await.text;
        let first = page("/sam/robots").await;
        assert!(first.contains("1–200 de 405"), "{first}");
        let of_second = "href=\"/sam/robots/1200\"";
        assert!(first.contains("/sam/robots?pagina=2") && !first.contains(of_second));
        let second = page("/sam/robots?pagina=2").await;
        assert!(second.contains("201–400 de 405") && second.contains(of_second), "{second}");
        let last = page("/sam/robots?pagina=3").await;
        assert!(last.contains("401–405 de 405") && !last.contains("pagina=4"), "{last}");
        let few = page("/sam/robots?q=R140").await;
        assert!(few.contains("1–5 de 5"), "{few}");
        for id in 1..=201 {
            farm.make("equipos", runner(id)).await;
        }
        let runners = page("/sam/equipos?activo=si").await;
        let next = "/sam/equipos?activo=si&#38;pagina=2";
        assert!(runners.contains("1–200 de 201") && runners.contains(next), "{runners}");
        for path in ["/sam/programaciones/perdidos", "/sam/programaciones/solapamientos"] {
            assert!(page(path).await.contains("<section"), "{path}");
            let api = format!("/api{path}?limit=10&cursor=0");
            assert!(farm.client.get(&api).await.expect(200)["next"].is_null());
        }
    })
    .await;
}
