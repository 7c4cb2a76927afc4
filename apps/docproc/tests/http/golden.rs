//! S-30: cases whose answer is known decide whether a workflow comes into force.

use docproc::decisions::promotion;
use samples::{Kind, Lang, Sample};
use serde_json::{Value as Json, json};

use crate::{
    office::{self, Office, on_both, on_sqlite},
    outside::DOUBTFUL,
};

/// The default flow, sure of everything, whose versions wait to be promoted.
fn careful(changes: &[(&str, &str)]) -> String {
    let mut text = docproc::rules::workflow::DEFAULT
        .replace("name: default", "name: careful\npromotion: required")
        .replace("confidence_threshold: 0.80", "confidence_threshold: 0.0")
        .replace("confidence_threshold: 0.75", "confidence_threshold: 0.0")
        .replace(", required: true", "");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text
}

/// Only payslips have it.
const NET: &str = "      - {name: net_amount, type: decimal}\n";

async fn load(office: &Office, text: &str) {
    office.workflow("careful", text).await;
}

fn sample(kind: Kind, seed: u64) -> Sample {
    samples::generate(kind, Lang::Es, 7_000_000 + seed)
}

/// Documents that went through the pipeline; their ids.
async fn processed(office: &Office, samples: &[Sample]) -> Vec<String> {
    let mut ids = Vec::new();
    for one in samples {
        let files = [("case.pdf", samples::pdf(&[one]))];
        let (status, body) = office.send(&files, &[("workflow", "careful")]).await;
        assert_eq!(status, 200, "{body}");
        ids.push(body["request_id"].as_str().unwrap().to_owned());
    }
    for id in &ids {
        assert_eq!(office.finished(id).await["status"], "completed");
    }
    ids
}

async fn promote(office: &Office) -> testkit::Answer {
    office.client.post("/api/docproc/workflows/careful/promote", json!({})).await
}

async fn run(office: &Office, body: Json) -> Json {
    office.client.post("/api/docproc/workflows/careful/golden/run", body).await.expect(200)
}

async fn in_force(office: &Office) -> Json {
    let one = office.client.get("/api/docproc/workflows/careful").await.expect(200);
    one["active"]["version_id"].clone()
}

async fn cases(office: &Office, of: &str) -> Vec<Json> {
    let path = format!("/api/docproc/workflows/{of}/golden?limit=500");
    let list = office.client.get(&path).await.expect(200);
    list["items"].as_array().unwrap().clone()
}

async fn add(office: &Office, ids: &[String]) {
    for id in ids {
        let case = json!({ "request_id": id });
        office.client.post("/api/docproc/golden", case).await.expect(201);
    }
}

#[tokio::test]
async fn scenario_30_one_different_case_of_twenty_keeps_the_version_in_force() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        load(&office, &careful(&[])).await;
        let (status, body) =
            office.send(&[("a.txt", b"words".to_vec())], &[("workflow", "careful")]).await;
        assert_eq!((status, &body["code"]), (422, &json!("FLUJO_DESCONOCIDO")), "it waits in test");
        let first = promote(&office).await.expect(200);
        assert_eq!((&first["promoted"], &first["cases"]), (&json!(true), &json!([])));
        let mut papers: Vec<Sample> = (0..19).map(|n| sample(Kind::Invoice, n)).collect();
        papers.push(sample(Kind::Payslip, 0));
        let ids = processed(&office, &papers).await;
        add(&office, &ids).await;
        // A rehearsal finds what the pipeline found, in every field of every case.
        let equal = run(&office, json!({})).await;
        assert_eq!((&equal["equal"], &equal["different"]), (&json!(20), &json!(0)), "{equal}");
        assert_eq!(equal["asked"], json!({ "types": 0, "documents": 0 }));
        let before = in_force(&office).await;

        load(&office, &careful(&[(NET, "")])).await;
        assert_eq!(in_force(&office).await, before, "a new file waits");
        let refused = promote(&office).await.expect(409);
        assert_eq!(refused["code"], "JUEGO_DIFERENTE");
        let errors = refused["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{refused}");
        assert!(errors[0]["path"].as_str().unwrap().ends_with("net_amount"), "{refused}");
        assert_eq!(in_force(&office).await, before);
        let sql = "SELECT COUNT(*) AS n FROM audit WHERE action = 'workflow.refuse'";
        assert_eq!(office.count(sql).await, 1);
        let of_requests = office.count("SELECT COUNT(*) AS n FROM requests").await;
        assert_eq!(of_requests, 20, "rehearsals leave no trace");
        let messages = "SELECT COUNT(*) AS n FROM messages WHERE state IN ('READY', 'CLAIMED')";
        assert_eq!(office.count(messages).await, 0);

        // Adding takes nothing away, and the same again is refused.
        let twice = json!({ "request_id": ids[0], "name": "another name" });
        let twice = office.client.post("/api/docproc/golden", twice).await.expect(409);
        assert_eq!(twice["code"], "CASO_EXISTENTE");
        let more = processed(&office, &[sample(Kind::IdCard, 3)]).await;
        let names = |list: &[Json]| list.iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
        let old = names(&cases(&office, "careful").await);
        add(&office, &more).await;
        let new = names(&cases(&office, "careful").await);
        assert_eq!((&new[..20], new.len()), (&old[..], 21), "older ones stay as they were");

        // Retired with a reason, the case is listed and no longer in the way.
        let differing = run(&office, json!({ "yaml": careful(&[(NET, "")]) })).await;
        let all = differing["cases"].as_array().unwrap();
        let case = all.iter().find(|one| one["verdict"] == "different").unwrap();
        let path = format!("/api/docproc/golden/{}/retire", case["case_id"].as_str().unwrap());
        office.client.post(&path, json!({ "reason": " " })).await.expect(422);
        let reason = json!({ "reason": "the net amount is not wanted any more" });
        office.client.post(&path, reason.clone()).await.expect(200);
        office.client.post(&path, reason).await.expect(409);
        assert_eq!(cases(&office, "careful").await.len(), 21);
        let done = promote(&office).await.expect(200);
        assert_eq!((&done["promoted"], &done["previous_version_id"]), (&json!(true), &before));
        assert_ne!(in_force(&office).await, before);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_version_that_differs_once_in_force_goes_back_by_itself() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        load(&office, &careful(&[])).await;
        promote(&office).await.expect(200);
        let first = in_force(&office).await;
        let ids = processed(&office, &[sample(Kind::Payslip, 1)]).await;
        load(&office, &careful(&[(NET, "")])).await;
        promote(&office).await.expect(200);
        assert_ne!(in_force(&office).await, first);
        // A case that came between the two runs.
        add(&office, &ids).await;
        let by = host::By { app: docproc::NAME, name: "ana".to_owned(), role: "ADMIN".to_owned() };
        let confirmed = promotion::confirm(office.context(), &by, "careful").await.unwrap();
        assert_eq!(confirmed.unwrap_err().len(), 1);
        assert_eq!(in_force(&office).await, first, "the version before is in force again");
        assert!(promotion::confirm(office.context(), &by, "careful").await.unwrap().is_ok());
        // The file still says so, and still has to pass.
        assert_eq!(promote(&office).await.expect(409)["code"], "JUEGO_DIFERENTE");
        let body = json!({ "reason": "try" });
        let path = "/api/docproc/workflows/careful/rollback";
        let none = office.client.post(path, body).await.expect(409);
        assert_eq!(none["code"], "SIN_VERSION_ANTERIOR");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_file_cannot_do_away_with_its_promotion() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        load(&office, &careful(&[])).await;
        promote(&office).await.expect(200);
        let first = in_force(&office).await;
        let free = careful(&[("promotion: required", "promotion: automatic")]);
        load(&office, &free).await;
        assert_eq!(in_force(&office).await, first, "the version in force asks for a promotion");
        promote(&office).await.expect(200);
        let second = in_force(&office).await;
        assert_ne!(second, first);
        // From here on files are in force at once, as those of all other workflows are.
        load(&office, &free.replace("version: 1", "version: 2")).await;
        let third = in_force(&office).await;
        assert_ne!(third, second);
        let none = promote(&office).await.expect(409);
        assert_eq!(none["code"], "NADA_QUE_PROMOVER");
        let path = "/api/docproc/workflows/careful/rollback";
        let back = office.client.post(path, json!({ "reason": "it was better" })).await.expect(200);
        assert_eq!((&back["from_version_id"], &back["version_id"]), (&third, &second));
        assert_eq!(in_force(&office).await, second);
        let word = careful(&[("promotion: required", "promotion: sometimes")]);
        load(&office, &word).await;
        let list = office.client.get("/api/docproc/workflows").await.expect(200);
        assert_eq!(list["refused"][0]["file"], "careful.yaml");
        assert_eq!(in_force(&office).await, second);
        let path = "/api/docproc/workflows/nobody/promote";
        office.client.post(path, json!({})).await.expect(404);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_version_that_asks_people_more_is_refused_unless_told() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        load(&office, &careful(&[])).await;
        promote(&office).await.expect(200);
        let ids = processed(&office, &[sample(Kind::Invoice, 2)]).await;
        add(&office, &ids).await;
        let first = in_force(&office).await;
        // Whoever asks about everything is never wrong.
        let shy = careful(&[("confidence_threshold: 0.0", "confidence_threshold: 1.0")]);
        load(&office, &shy).await;
        let refused = promote(&office).await.expect(409);
        assert_eq!(refused["code"], "MAS_PREGUNTAS", "{refused}");
        assert_eq!(in_force(&office).await, first);
        let path = "/api/docproc/workflows/careful/promote";
        let told = json!({ "allow_more_manual": true });
        office.client.post(path, told).await.expect(200);
        assert_ne!(in_force(&office).await, first);
        // The way back asks less, and needs no word.
        load(&office, &careful(&[])).await;
        promote(&office).await.expect(200);
        assert_eq!(in_force(&office).await, first);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn only_what_the_file_says_now_waits() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let version = |n: u32| careful(&[("version: 1", &format!("version: {n}"))]);
        load(&office, &version(1)).await;
        promote(&office).await.expect(200);
        let first = in_force(&office).await;
        load(&office, &version(2)).await;
        load(&office, &version(3)).await;
        promote(&office).await.expect(200);
        let third = in_force(&office).await;
        let none = promote(&office).await.expect(409);
        assert_eq!(none["code"], "NADA_QUE_PROMOVER", "the second one was passed over");
        // The file goes back to what was promoted once: that waits like any other.
        load(&office, &version(1)).await;
        assert_eq!(in_force(&office).await, third);
        promote(&office).await.expect(200);
        assert_eq!(in_force(&office).await, first);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn another_process_takes_up_what_was_promoted() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        load(&office, &careful(&[])).await;
        let other = Office::open(desk).await;
        promote(&office).await.expect(200);
        let version = in_force(&office).await;
        // A hint brings it: sooner than the next look at the directory.
        let began = std::time::Instant::now();
        while in_force(&other).await != version {
            assert!(began.elapsed().as_secs() < 4, "nobody told the other process");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        other.close().await;
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_marked_correction_becomes_a_case_when_its_request_completes() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = office.pages(&[DOUBTFUL], "exact").await;
        office.client.advance(10).await;
        assert_eq!(cases(&office, "exact").await.len(), 0, "nobody has answered yet");
        let task = office.client.get("/api/tasks").await.expect(200)[0]["id"].clone();
        let task = task.as_str().unwrap();
        let claim = json!({ "operator": "ana" });
        office.client.post(&format!("/tasks/{task}/claim"), claim).await.expect(200);
        let answer = json!({ "operator": "ana", "golden": true,
                             "extracted_data": { "total_amount": "121,00" } });
        office.client.post(&format!("/tasks/{task}/submit"), answer).await.expect(200);
        office.client.advance(10).await;
        assert_eq!(office.status(&id).await["status"], "completed");
        let all = cases(&office, "exact").await;
        assert_eq!(all.len(), 1, "once");
        assert_eq!((&all[0]["request_id"], &all[0]["added_by"]), (&json!(id), &json!("ana")));
        let expected = &all[0]["expected"]["documents"][0];
        assert_eq!(expected["extracted_data"]["total_amount"], 121.0, "what the person said");
        assert!(expected.get("extraction_confidence").is_none());
        // A workflow that calls a service outside is not rehearsed, and says so.
        let path = "/api/docproc/workflows/exact/golden/run";
        let told = office.client.post(path, json!({})).await.expect(200);
        assert_eq!(told["cases"][0]["verdict"], "failed");
        assert!(told["cases"][0]["error"].as_str().unwrap().contains("outside"), "{told}");
        office.close().await;
    })
    .await;
}

async fn upload(office: &Office, fields: &[(&str, &str)]) -> (u16, Json) {
    let files = [("invoice.pdf", samples::pdf(&[&sample(Kind::Invoice, 40)]))];
    let path = "/api/docproc/golden/files";
    let answer = office::upload(&office.client, path, &files, fields).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn files_with_a_known_answer_are_a_case_and_people_are_not_wrong() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        let truth = sample(Kind::Invoice, 40).truth;
        let wrong = json!([{ "doc_type": "invoice", "page_indices": [0],
            "extracted_data": { "invoice_number": truth["invoice_number"],
                                "total_amount": "0.01" } }]);
        let wrong = wrong.to_string();
        let with = |expected: &'static str| [("workflow", "default"), ("expected", expected)];
        for (bad, code) in [
            ("", "RESPUESTA_INVALIDA"),
            ("[]", "RESPUESTA_INVALIDA"),
            (r#"[{"doc_type": "poem", "page_indices": [0]}]"#, "TIPO_DESCONOCIDO"),
        ] {
            let (status, body) = upload(&office, &with(bad)).await;
            assert_eq!((status, body["code"].as_str()), (422, Some(code)), "{bad}");
        }
        let fields = [("workflow", "default"), ("expected", &*wrong), ("name", "a lie")];
        let (status, body) = upload(&office, &fields).await;
        assert_eq!(status, 201, "{body}");
        assert_eq!(upload(&office, &fields).await.0, 409, "the name is taken");
        let path = "/api/docproc/workflows/default/golden/run";
        let told = office.client.post(path, json!({})).await.expect(200);
        assert_eq!(told["different"], 1, "{told}");
        let found = &told["cases"][0]["differences"];
        assert_eq!(found.as_array().unwrap().len(), 1, "the number is as expected: {told}");
        assert_eq!(found[0]["field"], "total_amount");
        // Where a person is asked about everything, the machine's word counts for nothing.
        let shy = docproc::rules::workflow::DEFAULT
            .replace("confidence_threshold: 0.80", "confidence_threshold: 1.0")
            .replace("confidence_threshold: 0.75", "confidence_threshold: 1.0");
        let told = office.client.post(path, json!({ "yaml": shy })).await.expect(200);
        assert_eq!((&told["different"], &told["asked"]["documents"]), (&json!(0), &json!(1)));
        let listed = cases(&office, "default").await;
        assert_eq!(listed[0]["verdict"], "different", "a candidate's run is not kept");
        let bad = json!({ "yaml": "name: default\nstages: []" });
        let refused = office.client.post(path, bad).await.expect(422);
        assert_eq!(refused["code"], "FLUJO_INVALIDO");
        office.close().await;
    })
    .await;
}
