//! Who may do what, with people who signed in and programs with tokens.

use std::collections::BTreeMap;

use db::settings::{Origin, Override};
use host::{Access, Actor, Grant, accounts};
use reqwest::{Method, header};
use serde_json::{Value as Json, json};
use testkit::Client;

use crate::{
    office::{Office, Setup, TestDb, on_both, on_sqlite, upload},
    outside::DOUBTFUL,
};

const PASSWORD: &str = "correct horse battery staple";

/// An office that asks who you are, and a program of each role.
struct House {
    office: Office,
    programs: BTreeMap<&'static str, Client>,
}

impl House {
    async fn open(desk: &TestDb) -> Self {
        let mut setup = Setup::of(desk);
        setup.house.access = Access::SignedIn;
        // Its model is on this machine.
        setup.house.overrides.push(Override {
            app: docproc::NAME.into(),
            key: "DOCPROC_HTTP_PRIVATE".into(),
            value: json!("always"),
            origin: Origin::File("test".into()),
        });
        let office = Office::with(setup).await;
        let mut programs = BTreeMap::new();
        for role in ["ADMIN", "SUPERVISOR", "OPERADOR", "EMISOR"] {
            programs.insert(role, office.persona(role).await);
        }
        Self { office, programs }
    }

    async fn ask(&self, role: &str, method: Method, path: &str, body: &Json) -> u16 {
        let request = self.programs[role].request(method.clone(), path);
        let request = if method == Method::GET { request } else { request.json(body) };
        request.send().await.unwrap().status().as_u16()
    }

    /// Sends a page as another system would; its id.
    async fn pages(&self, page: &str) -> String {
        let (client, files) = (&self.programs["EMISOR"], [("a.txt", page.as_bytes().to_vec())]);
        let answer = upload(client, "/process", &files, &[("workflow", "exact")]).await;
        answer.json()["request_id"].as_str().unwrap().to_owned()
    }

    async fn get(&self, role: &str, path: &str) -> Json {
        self.programs[role].get(path).await.expect(200)
    }

    /// The cookie of somebody who signed in.
    async fn sign_in(&self, name: &str, role: &str) -> String {
        let context = self.office.context();
        let grants = [Grant { app: docproc::NAME.into(), role: role.into() }];
        let (by, now) = (Actor::system(), context.clock.now());
        accounts::put_user(&context.store, &by, name, PASSWORD, &grants, now).await.unwrap();
        let form = format!("name={name}&password={}&back=/", PASSWORD.replace(' ', "+"));
        let request = self.office.client.request(Method::POST, "/login").body(form);
        let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let request = request.header("sec-fetch-site", "same-origin");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 303);
        let cookie = answer.headers()[header::SET_COOKIE].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    async fn post_as(&self, cookie: &str, path: &str, body: Json) -> (u16, Json) {
        let request = self.office.client.request(Method::POST, path).json(&body);
        let request =
            request.header(header::COOKIE, cookie).header("sec-fetch-site", "same-origin");
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }
}

/// A body that can be read: what it asks for is another matter.
fn body(path: &str) -> Json {
    match path.rsplit('/').next().unwrap_or_default() {
        "retire" | "rollback" => json!({ "reason": "why not" }),
        "golden" => json!({ "request_id": NOBODY }),
        "reassign" => json!({ "operator": "ana" }),
        _ if path.contains("/corrections/") => json!({ "golden": true }),
        _ => json!({}),
    }
}

const NOBODY: &str = "01a1e1f7-78ac-7555-b036-78910a23803b";

#[tokio::test]
async fn every_door_opens_for_the_roles_it_is_for() {
    on_sqlite(async |desk| {
        let house = House::open(desk).await;
        let everyone = ["ADMIN", "SUPERVISOR", "OPERADOR", "EMISOR"];
        let (readers, staff, admin) = (&everyone[..3], &everyone[..2], &everyone[..1]);
        let task = |what: &str| format!("/tasks/{NOBODY}/{what}");
        let reviewing = ["claim", "submit", "heartbeat", "release", "postpone", "draft"];
        let mut doors: Vec<(Method, String, &[&str])> =
            reviewing.iter().map(|what| (Method::POST, task(what), readers)).collect();
        let more: [(Method, &str, &[&str]); 24] = [
            (Method::GET, "/api/tasks", readers),
            (Method::GET, "/tasks/01a1e1f7-78ac-7555-b036-78910a23803b", readers),
            (Method::POST, "/api/docproc/desk/next", readers),
            (Method::POST, "/api/docproc/desk/heartbeat", readers),
            (Method::GET, "/api/docproc/operators", readers),
            (Method::POST, "/api/docproc/operators", staff),
            (Method::PUT, "/api/docproc/operators/ana", staff),
            (
                Method::POST,
                "/api/docproc/tasks/01a1e1f7-78ac-7555-b036-78910a23803b/reassign",
                staff,
            ),
            (Method::PUT, "/api/docproc/corrections/01a1e1f7-78ac-7555-b036-78910a23803b", staff),
            (Method::GET, "/api/docproc/corrections", readers),
            (Method::GET, "/docproc/operadores", staff),
            (Method::GET, "/backoffice", readers),
            (Method::GET, "/docproc/calidad", readers),
            (Method::GET, "/docproc/capacidad", readers),
            (Method::GET, "/api/docproc/quality", readers),
            (Method::GET, "/api/docproc/memory", readers),
            (Method::DELETE, "/api/docproc/memory/01a1e1f7-78ac-7555-b036-78910a23803b", staff),
            (Method::GET, "/api/docproc/golden", readers),
            (Method::POST, "/api/docproc/golden", staff),
            (Method::POST, "/api/docproc/golden/files", staff),
            (
                Method::POST,
                "/api/docproc/golden/01a1e1f7-78ac-7555-b036-78910a23803b/retire",
                staff,
            ),
            (Method::POST, "/api/docproc/workflows/exact/golden/run", staff),
            (Method::POST, "/api/docproc/workflows/exact/promote", admin),
            (Method::POST, "/api/docproc/workflows/exact/rollback", admin),
        ];
        doors.extend(more.map(|(method, path, roles)| (method, path.to_owned(), roles)));
        for (method, path, roles) in doors {
            let stranger = house.office.client.request(method.clone(), &path).send().await.unwrap();
            let stranger = stranger.status().as_u16();
            assert!([401, 303].contains(&stranger), "{method} {path}: a stranger gets {stranger}");
            for role in everyone {
                let status = house.ask(role, method.clone(), &path, &body(&path)).await;
                let may = roles.contains(&role);
                assert_eq!(status != 403, may, "{role} {method} {path}: {status}");
            }
        }
        house.office.close().await;
    })
    .await;
}

#[tokio::test]
async fn whoever_signed_in_answers_in_their_own_name() {
    on_both(async |desk| {
        let house = House::open(desk).await;
        let id = house.pages(DOUBTFUL).await;
        let task = loop {
            let all = house.get("SUPERVISOR", "/api/tasks").await;
            if let Some(task) = all.get(0) {
                assert_eq!(task["request_id"], id.as_str());
                break task["id"].as_str().unwrap().to_owned();
            }
            tokio::task::yield_now().await;
        };
        let ana = house.sign_in("ana", "OPERADOR").await;
        let eva = house.sign_in("eva", "OPERADOR").await;
        let claim = format!("/tasks/{task}/claim");
        let (status, body) = house.post_as(&ana, &claim, json!({ "operator": "eva" })).await;
        assert_eq!((status, &body["code"]), (403, &json!("OTRO_OPERADOR")));
        let (status, body) = house.post_as(&ana, &claim, json!({})).await;
        assert_eq!((status, &body["assigned_to"]), (200, &json!("ana")), "no name is needed");
        assert_eq!(house.post_as(&eva, &claim, json!({})).await.0, 409, "it is taken");
        let submit = format!("/tasks/{task}/submit");
        let answer = json!({ "extracted_data": { "total_amount": "121" } });
        assert_eq!(house.post_as(&eva, &submit, answer.clone()).await.0, 403, "it is not hers");
        // A program of the house may speak for people; one that only reviews may not.
        let told = json!({ "operator": "ana" });
        let beat = format!("/tasks/{task}/heartbeat");
        assert_eq!(house.ask("SUPERVISOR", Method::POST, &beat, &told).await, 200);
        assert_eq!(house.ask("OPERADOR", Method::POST, &beat, &told).await, 403);
        assert_eq!(house.post_as(&ana, &submit, answer).await.0, 200);
        let sql = "SELECT COUNT(*) AS n FROM audit WHERE action = 'task.submitted'
                   AND actor = 'ana' AND role = 'OPERADOR'";
        assert_eq!(house.office.count(sql).await, 1);
        let kept = house.get("OPERADOR", "/api/docproc/corrections").await;
        assert_eq!(kept["items"][0]["operator"], "ana");
        house.office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_sender_sees_its_own_requests_and_nothing_of_others() {
    on_both(async |desk| {
        let house = House::open(desk).await;
        let theirs = house.pages("de otra casa").await;
        let other = house.office.somebody("otra casa", "EMISOR").await;
        let files = [("b.txt", b"propia".to_vec())];
        let fields = [("workflow", "exact"), ("external_id", "ref-b")];
        let sent = upload(&other, "/process", &files, &fields).await.expect(200);
        let own = sent["request_id"].as_str().unwrap();
        let listed = other.get("/api/docproc/requests").await.expect(200);
        assert_eq!(listed["items"].as_array().unwrap().len(), 1);
        assert_eq!(listed["items"][0]["id"], own);
        for search in [format!("q={theirs}"), "q=a.txt".to_owned(), "status=open&q=a.".to_owned()] {
            let found = other.get(&format!("/api/docproc/requests?{search}")).await.expect(200);
            assert_eq!(found["items"], json!([]), "{search}");
        }
        for read in
            ["/status/{}", "/api/docproc/requests/{}/why", "/api/docproc/requests/{}/answers"]
        {
            let asked = |id: &str| read.replace("{}", id);
            assert_eq!(other.get(&asked(own)).await.status, 200, "{read}");
            let hidden = other.get(&asked(&theirs)).await;
            let unknown = other.get(&asked(NOBODY)).await;
            assert_eq!(hidden.status, 404, "{read}");
            assert_eq!(hidden.text, unknown.text, "{read}: it is not told that there is one");
            house.get("OPERADOR", &asked(&theirs)).await;
        }
        for content in ["", "/pages/0/words", "/pages/0/image"] {
            let path = format!("/api/docproc/requests/{own}{content}");
            assert_eq!(other.get(&path).await.status, 403, "{path}: content is for reviewers");
        }
        let heard = heard(&other, own).await;
        assert!(!heard.contains(&theirs), "{heard}");
        let page = other.get("/eventos").await;
        assert!(page.text.contains(own) && !page.text.contains(&theirs), "the page of events");
        house.office.close().await;
    })
    .await;
}

/// All that a client is told from the first event on, until this one is named.
async fn heard(client: &Client, until: &str) -> String {
    let stream = client.request(Method::GET, "/api/events?since=0").send().await.unwrap();
    let (mut stream, mut text) = (stream, String::new());
    while !text.contains(until) {
        let chunk = stream.chunk().await.unwrap().expect("the stream goes on");
        text.push_str(&String::from_utf8_lossy(&chunk));
    }
    text
}
