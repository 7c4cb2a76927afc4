//! §15b: stages whose component is somebody outside, who fetches messages by HTTP.

use serde_json::{Value as Json, json};
use testkit::Client;

use crate::office::{Office, TestDb, on_both, on_sqlite};

/// Pages are classified, documents read and the request judged by somebody outside.
pub(crate) const FLOW: &str = "name: fuera\nretry: {attempts: 3, base_seconds: 1}\nstages:
  - {name: split, component: splitter}
  - {name: ocr, component: ocr}
  - {name: classify, component: mi_clasificador, timeout_seconds: 20, backoffice_queue: task.classification}
  - {name: group, component: classification_aggregator}
  - {name: extract, component: mi_extractor, routing_key: doc.mio, backoffice_queue: task.extraction}
  - {name: gather, component: extraction_aggregator}
  - {name: judge, component: mi_juez}
  - {name: consolidate, component: consolidator}
extraction_schemas:
  invoice:
    fields:
      - {name: invoice_number, type: string, required: true}
      - {name: total_amount, type: decimal, required: true}
";

async fn office(desk: &TestDb) -> Office {
    let office = Office::at_noon(desk).await;
    office.workflow("fuera", FLOW).await;
    office
}

/// Fetches and brings as a worker does.
pub(crate) struct Worker<'a> {
    pub(crate) client: &'a Client,
    pub(crate) component: &'static str,
}

impl Worker<'_> {
    async fn post(&self, what: &str, body: Json) -> (u16, Json) {
        let path = format!("/api/docproc/work/{}/{what}", self.component);
        let answer = self.client.post(&path, body).await;
        (answer.status, serde_json::from_str(&answer.text).unwrap_or_default())
    }

    async fn take(&self) -> Vec<Json> {
        let (status, body) = self.post("take?limit=10", json!({})).await;
        assert_eq!(status, 200, "{body}");
        body["items"].as_array().unwrap().clone()
    }

    pub(crate) async fn one(&self) -> Json {
        let mut all = self.take().await;
        assert_eq!(all.len(), 1, "{all:?}");
        all.swap_remove(0)
    }

    /// Brings a message back with more in its payload, as §15b shows.
    async fn bring(&self, lent: &Json, to: &str, more: Json) -> (u16, Json) {
        let mut message = lent["message"].clone();
        message["source_component"] = self.component.into();
        for (name, value) in more.as_object().unwrap() {
            message["payload"][name] = value.clone();
        }
        let held = json!({ "message_id": lent["message_id"], "attempt": lent["attempt"],
                           "replies": [[to, message]] });
        self.post("done", held).await
    }

    async fn fail(&self, lent: &Json, lasting: bool) -> (u16, Json) {
        let held = json!({ "message_id": lent["message_id"], "attempt": lent["attempt"],
                           "error": "no luck", "lasting": lasting });
        self.post("failed", held).await
    }
}

fn worker<'a>(office: &'a Office, component: &'static str) -> Worker<'a> {
    Worker { client: &office.client, component }
}

async fn why(office: &Office, id: &str) -> Json {
    let why = office.client.get(&format!("/api/docproc/requests/{id}/why")).await.expect(200);
    why["reasons"][0].clone()
}

pub(crate) const PAGE: &str = "FACTURA\nTalleres Norte\nFactura F-7\nTotal 121,00";

#[tokio::test]
async fn components_outside_carry_a_request_to_its_answer() {
    on_both(async |desk| {
        let office = office(desk).await;
        let id = office.pages(&[PAGE], "fuera").await;
        office.client.advance(0).await;
        let reason = why(&office, &id).await;
        assert_eq!(reason["code"], "COMPONENTE_AUSENTE");
        assert_eq!(reason["data"]["component"], "mi_clasificador");
        let words = format!("/api/docproc/requests/{id}/pages/0/words");
        let before = office.client.get(&words).await.expect(200);
        let classifier = worker(&office, "mi_clasificador");
        let lent = classifier.one().await;
        let message = &lent["message"];
        for field in [
            "request_id",
            "trace_id",
            "workflow_name",
            "current_stage",
            "source_component",
            "payload",
            "page_index",
            "document_id",
            "deadline_utc",
        ] {
            assert!(message.get(field).is_some(), "{field} is one of the nine");
        }
        assert_eq!(message["current_stage"], "classify");
        assert_eq!(message["source_component"], "ocr", "who produced it");
        let payload = &message["payload"];
        assert!(payload["ocr_text"].as_str().unwrap().contains("F-7"));
        let word = &payload["words"][0];
        assert_eq!((&word["text"], word["box"].as_array().unwrap().len()), (&json!("FACTURA"), 4));
        let reason = why(&office, &id).await;
        assert_eq!(reason["code"], "EN_PROCESO");
        // It says the type, and something of its own.
        let more = json!({ "doc_type": "invoice", "confidence": 0.95, "nuevo_dato": "valor" });
        assert_eq!(classifier.bring(&lent, "__next__", more).await.0, 204);
        let (status, body) = classifier.bring(&lent, "__next__", json!({})).await;
        assert_eq!((status, &body["code"]), (409, &json!("PLAZO_VENCIDO")), "once is enough");
        office.client.advance(0).await;
        let after = office.client.get(&words).await.expect(200);
        assert_eq!(after, before, "what came back as it went is no news");
        let extractor = worker(&office, "mi_extractor");
        let lent = extractor.one().await;
        assert_eq!(lent["message"]["source_component"], "classification_aggregator");
        assert_eq!(
            lent["message"]["payload"]["ocr_texts"]["0"].as_str().unwrap().lines().count(),
            4
        );
        let fields = json!({ "invoice_number": { "value": "F-7", "confidence": 0.9 },
                             "total_amount": { "value": "121.00", "confidence": 0.8 } });
        assert_eq!(extractor.bring(&lent, "__next__", json!({ "fields": fields })).await.0, 204);
        office.client.advance(0).await;
        let judge = worker(&office, "mi_juez");
        let lent = judge.one().await;
        let known = &lent["message"]["payload"]["documents"][0];
        assert_eq!(known["extracted_data"]["invoice_number"], "F-7");
        let more = json!({ "veredicto": { "apto": true } });
        assert_eq!(judge.bring(&lent, "__next__", more).await.0, 204);
        office.client.advance(0).await;
        let status = office.finished(&id).await;
        assert_eq!(status["status"], "completed");
        let document = &status["result"]["documents"][0];
        assert_eq!(
            (&document["extracted_data"]["total_amount"], &document["extraction_confidence"]),
            (&json!("121.00"), &json!(0.8))
        );
        assert_eq!(status["result"]["stages"]["judge"]["veredicto"]["apto"], true, "kept");
        office.close().await;
    })
    .await;
}

/// What a stage adds is in the payload of the stages after it, about the same page.
#[tokio::test]
async fn what_a_component_adds_reaches_the_next_one() {
    on_sqlite(async |desk| {
        let office = office(desk).await;
        let flow = "name: dos\nstages:
  - {name: split, component: splitter}
  - {name: read, component: mi_ocr}
  - {name: see, component: mi_vista}
  - {name: skip, component: mi_salto}
  - {name: classify, component: mi_clasificador, routing_key: page.mine}
  - {name: group, component: classification_aggregator}
  - {name: consolidate, component: consolidator}
extraction_schemas: {}\nother_types: [letter]\n";
        office.workflow("dos", flow).await;
        let id = office.pages(&["uno", "dos"], "dos").await;
        office.client.advance(0).await;
        let reader = worker(&office, "mi_ocr");
        let both = reader.take().await;
        assert_eq!(both.len(), 2);
        for lent in &both {
            assert!(lent["message"]["payload"]["ocr_text"].is_null(), "nobody read it yet");
            let words = json!([{ "text": "HOLA", "box": [10, 20, 30, 10], "confidence": 0.5 }]);
            let more = json!({ "words": words, "width": 600, "height": 800, "nota": "x" });
            assert_eq!(reader.bring(lent, "__next__", more).await.0, 204);
        }
        office.client.advance(0).await;
        let detail = office.detail(&id).await;
        let page = &detail["pages"][0];
        assert_eq!((&page["ocr_text"], &page["width"]), (&json!("HOLA"), &json!(600.0)));
        assert_eq!(page["ocr_confidence"], 0.5);
        let seer = worker(&office, "mi_vista");
        for lent in seer.take().await {
            assert_eq!(lent["message"]["payload"]["nota"], "x", "what the one before said");
            assert_eq!(
                lent["message"]["payload"]["words"][0]["box"],
                json!([10.0, 20.0, 30.0, 10.0])
            );
            // A routing key passes a stage over.
            assert_eq!(seer.bring(&lent, "page.mine", json!({})).await.0, 204);
        }
        office.client.advance(0).await;
        assert!(worker(&office, "mi_salto").take().await.is_empty());
        let classifier = worker(&office, "mi_clasificador");
        for lent in classifier.take().await {
            let more = json!({ "scores": { "letter": 0.9, "other": 0.1 } });
            assert_eq!(classifier.bring(&lent, "page.classified", more).await.0, 204);
        }
        office.client.advance(0).await;
        assert_eq!(office.finished(&id).await["document_count"], 1);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_lease_ends_is_extended_and_a_late_result_is_refused() {
    on_both(async |desk| {
        let office = office(desk).await;
        let id = office.pages(&[PAGE], "fuera").await;
        office.client.advance(0).await;
        let worker = worker(&office, "mi_clasificador");
        let first = worker.one().await;
        assert_eq!(first["lease_until"], "2026-11-16T12:00:20Z", "the time of the stage");
        assert!(worker.take().await.is_empty(), "it is lent");
        office.client.advance(15).await;
        let held = json!({ "message_id": first["message_id"], "attempt": first["attempt"] });
        let (status, body) = worker.post("extend", held.clone()).await;
        assert_eq!((status, &body["lease_until"]), (200, &json!("2026-11-16T12:00:35Z")));
        office.client.advance(15).await;
        assert!(worker.take().await.is_empty(), "still lent");
        office.client.advance(5).await;
        let (status, body) = worker.post("extend", held).await;
        assert_eq!((status, &body["code"]), (409, &json!("PLAZO_VENCIDO")), "over");
        let second = worker.one().await;
        assert_eq!((&second["message_id"], &second["attempt"]), (&first["message_id"], &json!(2)));
        let verdict = json!({ "doc_type": "invoice" });
        let (status, body) = worker.bring(&first, "__next__", verdict.clone()).await;
        assert_eq!(status, 409, "{body}");
        assert!(body["detail"].as_str().unwrap().len() > 20, "a sentence: {body}");
        assert_eq!(office.detail(&id).await["pages"][0]["doc_type"], json!(null));
        assert_eq!(worker.bring(&second, "__next__", verdict).await.0, 204);
        office.client.advance(0).await;
        assert_eq!(office.detail(&id).await["pages"][0]["doc_type"], "invoice");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_a_failed_try() {
    on_both(async |desk| {
        let office = office(desk).await;
        let id = office.pages(&[PAGE], "fuera").await;
        office.client.advance(0).await;
        let worker = worker(&office, "mi_clasificador");
        let lent = worker.one().await;
        let more = json!({ "doc_type": "invoice", "confidence": 7 });
        let (status, body) = worker.bring(&lent, "__next__", more).await;
        assert_eq!((status, &body["code"]), (422, &json!("RESULTADO_INVALIDO")));
        let told = body["detail"].as_str().unwrap();
        assert!(told.ends_with("confidence: la confianza va de 0 a 1."), "in one language: {told}");
        assert!(worker.take().await.is_empty(), "not before its time");
        let reason = why(&office, &id).await;
        assert_eq!(reason["code"], "REINTENTO");
        assert!(reason["detail"].as_str().unwrap().contains("confidence"), "{reason}");
        office.client.advance(5).await;
        let lent = worker.one().await;
        let (_, body) = worker.bring(&lent, "nowhere.at.all", json!({})).await;
        assert!(body["detail"].as_str().unwrap().contains("nowhere.at.all"), "{body}");
        office.client.advance(5).await;
        // The third try is the last: its reason is kept.
        let lent = worker.one().await;
        assert_eq!(worker.fail(&lent, false).await.0, 204);
        office.client.advance(0).await;
        let status = office.finished(&id).await;
        assert_eq!((&status["status"], &status["error"]), (&json!("failed"), &json!("no luck")));
        let dead = office.client.get("/api/docproc/dead-letters").await.expect(200);
        assert_eq!(dead["items"][0]["component"], "mi_clasificador");
        assert_eq!(dead["items"][0]["code"], "COMPONENT_FAILED");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_component_asks_people() {
    on_both(async |desk| {
        let office = office(desk).await;
        let id = office.pages(&[PAGE], "fuera").await;
        office.client.advance(0).await;
        let classifier = worker(&office, "mi_clasificador");
        let lent = classifier.one().await;
        let verdict = json!({ "doc_type": "invoice", "confidence": 0.99 });
        assert_eq!(classifier.bring(&lent, "__backoffice__", verdict).await.0, 204);
        office.client.advance(0).await;
        let tasks = office.client.get("/api/tasks").await.expect(200);
        let task = &tasks[0];
        assert_eq!(task["input_data"]["suggested_type"], "invoice", "however sure it was");
        assert_eq!(why(&office, &id).await["code"], "ESPERA_PERSONA");
        let task = task["id"].as_str().unwrap();
        let told = json!({ "operator": "ana", "doc_type": "invoice" });
        office.client.post(&format!("/tasks/{task}/claim"), told.clone()).await.expect(200);
        office.client.post(&format!("/tasks/{task}/submit"), told).await.expect(200);
        office.client.advance(0).await;
        let extractor = worker(&office, "mi_extractor");
        let lent = extractor.one().await;
        let fields = json!({ "fields": { "invoice_number": "F-7", "total_amount": "121.00" } });
        assert_eq!(extractor.bring(&lent, "task.extraction", fields).await.0, 204);
        office.client.advance(0).await;
        let tasks = office.client.get("/api/tasks?status=pending").await.expect(200);
        assert_eq!(tasks[0]["task_type"], "extraction");
        let lent = json!({ "operator": "ana", "extracted_data": { "total_amount": "122.00" } });
        let task = tasks[0]["id"].as_str().unwrap();
        office.client.post(&format!("/tasks/{task}/claim"), lent.clone()).await.expect(200);
        office.client.post(&format!("/tasks/{task}/submit"), lent).await.expect(200);
        office.client.advance(0).await;
        // About the whole request there is nobody to ask.
        let judge = worker(&office, "mi_juez");
        let lent = judge.one().await;
        let (status, body) = judge.bring(&lent, "__backoffice__", json!({})).await;
        assert_eq!((status, &body["code"]), (422, &json!("RESULTADO_INVALIDO")));
        office.client.advance(5).await;
        let lent = judge.one().await;
        assert_eq!(judge.bring(&lent, "__next__", json!({})).await.0, 204);
        office.client.advance(0).await;
        let data = &office.finished(&id).await["result"]["documents"][0]["extracted_data"];
        assert_eq!(
            (&data["invoice_number"], &data["total_amount"]),
            (&json!("F-7"), &json!(122.0))
        );
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_component_that_nobody_serves_rings() {
    on_both(async |desk| {
        let office = office(desk).await;
        office.pages(&[PAGE], "fuera").await;
        let ringing = async || {
            let sql = "SELECT COUNT(*) AS n FROM alerts
                       WHERE fingerprint = 'docproc/componente/mi_clasificador' AND state = 'FIRING'";
            office.count(sql).await
        };
        office.client.advance(45).await;
        assert_eq!(ringing().await, 0, "not yet a minute");
        office.client.advance(45).await;
        assert_eq!(ringing().await, 1);
        let classifier = worker(&office, "mi_clasificador");
        assert_eq!(classifier.take().await.len(), 1);
        office.client.advance(15).await;
        assert_eq!(ringing().await, 0, "somebody came");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn whoever_waits_is_woken() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("fuera", FLOW).await;
        let began = std::time::Instant::now();
        let waiting = office.client.clone();
        let waiting = tokio::spawn(async move {
            let path = "/api/docproc/work/mi_clasificador/take?wait=30";
            waiting.post(path, json!({})).await.expect(200)
        });
        office.pages(&[PAGE], "fuera").await;
        let taken = waiting.await.unwrap();
        assert_eq!(taken["items"].as_array().unwrap().len(), 1);
        assert!(began.elapsed().as_secs() < 10, "woken, not waited for: {:?}", began.elapsed());
        // What failed is due later; whoever waits gets it then.
        let worker = worker(&office, "mi_clasificador");
        assert_eq!(worker.fail(&taken["items"][0], false).await.0, 204);
        let (_, again) = worker.post("take?wait=30", json!({})).await;
        assert_eq!(again["items"][0]["attempt"], 2);
        let (_, none) = worker.post("take?wait=0.2", json!({})).await;
        assert_eq!(none["items"], json!([]));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_result_by_the_broker_is_heard_once() {
    use docproc::{
        decisions::outside::{Receipt, receive},
        drivers::envelopes::envelopes,
        store::addresses,
    };
    on_both(async |desk| {
        let office = office(desk).await;
        let id = office.pages(&[PAGE], "fuera").await;
        office.client.advance(0).await;
        let context = office.context();
        let mut tx = context.store.read().await.unwrap();
        let sql = "SELECT id FROM messages WHERE component = 'mi_clasificador'";
        let message: i64 = tx.one(sql, &[]).await.unwrap().get("id").unwrap();
        let to = addresses::of_messages(&mut tx, &[message], &context.runtime.workflows).await;
        let envelopes = envelopes(context, &mut tx, to.unwrap()).await.unwrap();
        drop(tx);
        let mut letter = serde_json::to_value(&envelopes[0].message).unwrap();
        assert_eq!(letter["metadata"]["message_id"], message);
        let hear = async |body: Json| receive(context, body.to_string().as_bytes()).await.unwrap();
        for foreign in [json!(3), json!([]), json!([["__next__", {}]]), json!({ "request_id": id })]
        {
            assert!(matches!(hear(foreign.clone()).await, Receipt::Foreign(_)), "{foreign}");
        }
        let mut stranger = letter.clone();
        stranger["metadata"]["message_id"] = json!(message + 1000);
        assert!(matches!(hear(json!([["__next__", stranger]])).await, Receipt::Foreign(_)));
        // A failure counts as a try; then the result, by what it is about, without its number.
        let mut failed = letter.clone();
        failed["error"] = "no memory".into();
        assert_eq!(hear(failed).await, Receipt::Recorded);
        assert_eq!(why(&office, &id).await["code"], "REINTENTO");
        letter["payload"] = json!({ "doc_type": "invoice", "confidence": 0.9 });
        letter.as_object_mut().unwrap().remove("metadata");
        let result = json!([["__next__", letter]]);
        assert_eq!(hear(result.clone()).await, Receipt::Recorded);
        assert_eq!(hear(result).await, Receipt::Stale, "a doubled result is nothing new");
        office.client.advance(0).await;
        let detail = office.detail(&id).await;
        assert_eq!(detail["pages"][0]["doc_type"], "invoice");
        let sql = "SELECT COUNT(*) AS n FROM messages WHERE component = 'mi_extractor'";
        assert_eq!(office.count(sql).await, 1);
        office.close().await;
    })
    .await;
}
