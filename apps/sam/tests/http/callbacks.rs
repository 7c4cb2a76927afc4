//! S-12 and S-13: how the Control Room says that a run is over.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use db::{Dialect, Scope, Store};
use host::Access;
use serde_json::{Value as Json, json};
use testkit::Client;

use crate::farm::{morning, on_farm, on_farm_with, online, runner};

const KEY: &str = include_str!("keys/private.pem");
const PUBLIC: &str = include_str!("keys/public.pem");
const OTHER: &str = include_str!("keys/other.pem");

#[tokio::test(flavor = "multi_thread")]
async fn scenario_12_simultaneous_callbacks_write_once() {
    on_farm(async |farm| {
        let run = farm.started().await;
        let calls = (0..20).map(|_| farm.callback(&run, "RUN_COMPLETED"));
        let answers = futures::future::join_all(calls).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
        let closing = answers.iter().filter(|answer| answer.json()["message"] == "closed").count();
        assert_eq!(closing, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_comes_before_its_deployment_is_known_is_kept_and_matched() {
    on_farm(async |farm| {
        assert_eq!(farm.callback("later", "RUN_COMPLETED").await.status, 202);
        assert_eq!(farm.callback("later", "RUN_COMPLETED").await.status, 202);
        farm.make("equipos", runner(1)).await;
        farm.make("robots", online(20)).await;
        // The answer to the deploy names the deployment that has already ended.
        let named = json!({ "status": 200, "body": "{\"deploymentId\":\"later\"}", "times": 1 });
        farm.room.put("/sim/faults", json!({ "deploy": named })).await.expect(200);
        farm.make("asignaciones", json!({ "robot_id": 20, "equipo_id": 1 })).await;
        farm.settle().await;
        let runs = farm.client.get("/api/sam/ejecuciones").await.expect(200);
        let mut runs = runs["items"].as_array().unwrap().iter();
        let matched = runs.find(|run| run["deployment_id"] == "later").unwrap();
        assert_eq!(
            (matched["estado"].as_str(), matched["cierre"].as_str()),
            (Some("RUN_COMPLETED"), Some("CALLBACK"))
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_does_not_answer_means_503_and_the_callback_is_repeated() {
    on_farm(async |farm| {
        let run = farm.started().await;
        let other = Store::open(farm.url()).await.unwrap();
        let mut lock = other.decide(&Scope::new("another program"), morning()).await.unwrap();
        if lock.tx.dialect() == Dialect::Postgres {
            let sql = "LOCK TABLE runs IN ACCESS EXCLUSIVE MODE";
            lock.tx.execute(sql, &[]).await.unwrap();
        }
        assert_eq!(farm.callback(&run, "RUN_COMPLETED").await.status, 503);
        drop(lock);
        other.close().await;
        assert_eq!(farm.callback(&run, "RUN_COMPLETED").await.expect(200)["message"], "closed");
    })
    .await;
}

fn token(key: &str, claims: &Json) -> String {
    let body: String = key.lines().filter(|line| !line.starts_with("-----")).collect();
    let key = ring::rsa::KeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap();
    let text = unsigned_part("RS256", claims);
    let mut signature = vec![0; key.public().modulus_len()];
    let random = ring::rand::SystemRandom::new();
    key.sign(&ring::signature::RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature).unwrap();
    format!("{text}.{}", base64url(&signature))
}

async fn call(client: &Client, run: &str, fixed: Option<&str>, jwt: Option<&str>) -> u16 {
    let mut request = client
        .request(reqwest::Method::POST, "/api/callback")
        .json(&json!({ "deploymentId": run, "status": "RUN_COMPLETED" }));
    if let Some(fixed) = fixed {
        request = request.header("X-Authorization", fixed);
    }
    if let Some(jwt) = jwt {
        request = request.header("Authorization", format!("Bearer {jwt}"));
    }
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_13_callbacks_prove_who_they_are() {
    on_farm(async |farm| {
        let run = farm.started().await;
        let now = crate::farm::morning().as_second();
        let good = json!({
            "exp": now + 600, "aud": "sam-callback-service", "iss": "sam-auth-server",
        });
        let with = |key: &str, value: Json| {
            let mut claims = good.clone();
            claims[key] = value;
            claims
        };
        let jwt = token(KEY, &good);
        let bad = [
            ("expired", token(KEY, &with("exp", json!(now)))),
            ("audience", token(KEY, &with("aud", json!("somebody-else")))),
            ("issuer", token(KEY, &with("iss", json!("nobody")))),
            ("another key", token(OTHER, &good)),
            ("not yet", token(KEY, &with("nbf", json!(now + 60)))),
            ("garbage", "a.b.c".to_owned()),
            ("no signature", unsigned(&good)),
            ("the public key as a secret", confused(&good)),
        ];
        let mode = "/api/sam/configuracion/CALLBACK_AUTH_MODE";
        let required = json!({ "valor": "required" });
        farm.set("CALLBACK_TOKEN", "secreto").await;
        farm.client.put(mode, required).await.expect(400);
        farm.set("JWT_CLAVE_PUBLICA", PUBLIC).await;
        farm.set("CALLBACK_AUTH_MODO", "required").await;
        assert_eq!(call(&farm.client, &run, Some("secreto"), None).await, 401);
        assert_eq!(call(&farm.client, &run, None, Some(&jwt)).await, 401);
        assert_eq!(call(&farm.client, &run, Some("otro"), Some(&jwt)).await, 401);
        for (what, jwt) in &bad {
            assert_eq!(call(&farm.client, &run, Some("secreto"), Some(jwt)).await, 401, "{what}");
        }
        farm.set("CALLBACK_AUTH_MODE", "optional").await;
        assert_eq!(call(&farm.client, &run, None, None).await, 401);
        for (what, jwt) in &bad {
            assert_eq!(call(&farm.client, &run, None, Some(jwt)).await, 401, "{what}");
        }
        assert_eq!(farm.live().await.len(), 1, "none of them closed it");
        assert_eq!(call(&farm.client, &run, None, Some(&jwt)).await, 200);
        assert_eq!(call(&farm.client, &run, Some("secreto"), None).await, 200);
        farm.set("CALLBACK_AUTH_MODE", "required").await;
        assert_eq!(call(&farm.client, &run, Some("secreto"), Some(&jwt)).await, 200);
    })
    .await;
}

/// Header and claims of a token.
fn unsigned_part(algorithm: &str, claims: &Json) -> String {
    let part = |json: &Json| base64url(json.to_string().as_bytes());
    format!("{}.{}", part(&json!({ "alg": algorithm, "typ": "JWT" })), part(claims))
}

fn unsigned(claims: &Json) -> String {
    format!("{}.", unsigned_part("none", claims))
}

/// Signed with HS256 and the public key, which everybody knows.
fn confused(claims: &Json) -> String {
    let text = unsigned_part("HS256", claims);
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, PUBLIC.as_bytes());
    format!("{text}.{}", base64url(ring::hmac::sign(&key, text.as_bytes()).as_ref()))
}

fn base64url(bytes: &[u8]) -> String {
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_of_devices_and_users_come_as_text_or_as_numbers() {
    on_farm(async |farm| {
        let run = farm.started().await;
        let body = json!({
            "deploymentId": run, "status": "RUN_FAILED", "deviceId": 1, "userId": "1",
            "botOutput": { "filas": { "type": "NUMBER", "number": "7" } },
        });
        farm.client.post("/api/callback", body).await.expect(200);
        let all = farm.client.get("/api/sam/ejecuciones?estado=RUN_FAILED").await.expect(200);
        let id = &all["items"][0]["id"];
        let told = farm.client.get(&format!("/api/sam/ejecuciones/{id}")).await.expect(200);
        assert_eq!(told["bot_output"]["filas"]["number"], "7", "{told}");
        let page = farm.client.get(&format!("/sam/ejecuciones/{id}")).await.text;
        assert!(page.contains("botOutput") && page.contains("filas"), "{page}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_made_at_the_first_start_goes_out_and_is_expected_back() {
    on_farm_with(Access::SignedIn, async |farm| {
        let run = farm.started().await;
        let stranger = farm.nobody();
        assert_eq!(call(&stranger, &run, None, None).await, 401, "no proof");
        assert_eq!(call(&stranger, &run, Some("guess"), None).await, 401, "a wrong one");
        assert_eq!(call(&stranger, &run, Some(""), None).await, 401, "an empty one");
        assert_eq!(farm.live().await.len(), 1);
        let ended = json!({ "status": "RUN_COMPLETED" });
        farm.room.post(&format!("/sim/deployments/{run}"), ended).await.expect(200);
        let runs = farm.client.get("/api/sam/ejecuciones").await.expect(200);
        let of_room = runs["items"].as_array().unwrap().iter();
        let closed = of_room.filter(|one| one["cierre"] == "CALLBACK").count();
        assert_eq!(closed, 1, "what the Control Room was told it sends back: {runs}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_without_proof_have_to_be_chosen_and_stay_on_this_machine() {
    on_farm(async |farm| {
        let run = farm.started().await;
        let through = |name: &'static str| {
            farm.client
                .request(reqwest::Method::POST, "/api/callback")
                .header(name, "192.0.2.1")
                .json(&json!({ "deploymentId": run, "status": "RUN_COMPLETED" }))
                .send()
        };
        let mark = "x-forwarded-for";
        assert_eq!(through(mark).await.unwrap().status().as_u16(), 401, "nothing was chosen");
        assert_eq!(farm.alert("sam/avisos").await, None);
        farm.set("CALLBACK_AUTH_MODE", "none").await;
        farm.settle().await;
        assert_eq!(farm.alert("sam/avisos").await, Some(true));
        for mark in ["x-forwarded-for", "forwarded", "via"] {
            assert_eq!(through(mark).await.unwrap().status().as_u16(), 401, "{mark}");
        }
        assert_eq!(call(&farm.client, &run, None, None).await, 200);
        farm.set("CALLBACK_AUTH_MODE", "optional").await;
        farm.settle().await;
        assert_eq!(farm.alert("sam/avisos").await, Some(false));
        assert_eq!(call(&farm.client, &run, None, None).await, 401, "it was chosen now");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_of_unknown_runs_are_bounded_and_expire() {
    on_farm(async |farm| {
        let long = json!({ "deploymentId": "long", "status": "RUN_COMPLETED",
                           "botOutput": { "text": "x".repeat(100_000) } });
        farm.client.post("/api/callback", long).await.expect(202);
        let sql = "SELECT CAST(LENGTH(CAST(payload AS TEXT)) AS BIGINT) AS n FROM stray_callbacks";
        assert!(farm.number(sql).await < 1_000, "what it put out is not kept");
        let more = "WITH RECURSIVE c(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < 10000)
                    INSERT INTO stray_callbacks (deployment_id, status, payload, received_at)
                    SELECT 'd' || n, status, payload, received_at FROM c, stray_callbacks";
        farm.execute(more).await;
        let full = farm.callback("one more", "RUN_COMPLETED").await;
        assert_eq!((full.status, full.header("retry-after")), (503, Some("300")));
        assert_eq!(farm.callback("long", "RUN_COMPLETED").await.status, 503);
        farm.client.advance(24 * 3600 + 1).await;
        assert_eq!(farm.callback("one more", "RUN_COMPLETED").await.status, 202);
        assert_eq!(farm.number("SELECT COUNT(*) AS n FROM stray_callbacks").await, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_is_none_is_refused_and_changes_nothing() {
    on_farm(async |farm| {
        let run = farm.started().await;
        for body in [
            json!({ "deploymentId": run }),
            json!({ "status": "RUN_COMPLETED" }),
            json!({ "deploymentId": run, "status": "RUNNING" }),
            json!({ "deploymentId": run, "status": "CUALQUIERA" }),
            json!({ "deploymentId": run, "status": 7 }),
            json!({ "deploymentId": "", "status": "RUN_COMPLETED" }),
            json!({ "deploymentId": "x".repeat(300), "status": "RUN_COMPLETED" }),
            json!([run]),
            json!(null),
        ] {
            let answer = farm.client.post("/api/callback", body.clone()).await;
            assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        }
        let request = farm.client.request(reqwest::Method::POST, "/api/callback");
        let answer = request.body("{\"deploymentId\":").send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 400);
        assert_eq!(farm.live().await.len(), 1);
    })
    .await;
}

/// The whole way round: the gateway's token is fetched, goes along with the deploy, comes back with the
/// callback beside the static one, and both are good.
#[tokio::test(flavor = "multi_thread")]
async fn with_a_gateway_required_works_from_end_to_end() {
    on_farm(async |farm| {
        let now = morning().as_second();
        let jwt = token(
            KEY,
            &json!({ "exp": now + 600, "aud": "sam-callback-service", "iss": "sam-auth-server" }),
        );
        let granted = json!({ "access_token": jwt, "token_type": "Bearer", "expires_in": 3600 });
        let gateway = axum::Router::new().route(
            "/token",
            axum::routing::post(move |body: String| async move {
                assert!(body.contains("grant_type=client_credentials"), "{body}");
                assert!(body.contains("client_id=sam&client_secret=s%2Fecreto"), "{body}");
                axum::Json(granted)
            }),
        );
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}/token", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, gateway).await });
        farm.set("JWT_CLAVE_PUBLICA", PUBLIC).await;
        farm.set("CALLBACK_TOKEN", "secreto").await;
        farm.set("CALLBACK_AUTH_MODE", "required").await;
        farm.set("APIGW_URL", url).await;
        farm.set("APIGW_CLIENT_ID", "sam").await;
        farm.set("APIGW_CLIENT_SECRET", "s/ecreto").await;
        let run = farm.started().await;
        let over = json!({ "status": "RUN_COMPLETED" });
        farm.room.post(&format!("/sim/deployments/{run}"), over.clone()).await.expect(200);
        let told = farm.room.get(&format!("/sim/deployments/{run}")).await.expect(200);
        assert_eq!(told["callbacks"][0]["answer"], "200", "{told}");
        // A gateway that is gone stops no deploy; people are told that its proof will be missing.
        serving.abort();
        let _ = serving.await;
        farm.settle().await;
        let live = farm.live().await;
        farm.set("APIGW_SCOPE", "otro").await;
        let next = live[0]["deployment_id"].as_str().unwrap();
        farm.room.post(&format!("/sim/deployments/{next}"), over).await.expect(200);
        farm.settle().await;
        assert_eq!(farm.live().await.len(), 1, "the next one is deployed all the same");
        let alerts = farm.client.get("/api/alerts").await.expect(200);
        assert!(alerts.to_string().contains("sam/gateway"), "{alerts}");
    })
    .await;
}
