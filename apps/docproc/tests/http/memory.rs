//! *Memoria de emisores*: one correction teaches, for whoever sent the document and for nobody else.

use serde_json::{Value as Json, json};
use testkit::Client;

use crate::office::{Office, on_both, upload};

/// Sure of every type; of fields as the shipped workflow is.
fn workflow() -> String {
    docproc::rules::workflow::DEFAULT
        .replace("name: default", "name: taller")
        .replace("confidence_threshold: 0.80", "confidence_threshold: 0.0")
        .replace("deadline_seconds: 60", "deadline_seconds: 900")
}

/// Nothing on it is called what it is called elsewhere.
fn paper(number: &str, day: &str, net: u32, tax: u32) -> String {
    let total = net + tax;
    format!(
        "Ferralla Umbría                      Polígono El Pinar\n\
         Taller y almacén                     Sevilla la Nueva\n\n\
         Asiento {number}           Jornada {day}\n\n\
         FACTURA\n\
         Pieza              Cuantía      Parte\n\
         Varilla corrugada  4  25,00\n\n\
         Mercancía          {net},00\n\
         Recargo            {tax},00\n\
         Pendiente          {total},00\n\n\
         Rogamos abonen en ventanilla\n"
    )
}

async fn send(client: &Client, text: &str) -> String {
    let files = [("papel.txt", text.as_bytes().to_vec())];
    let answer = upload(client, "/process", &files, &[("workflow", "taller")]).await;
    answer.expect(200)["request_id"].as_str().unwrap().to_owned()
}

/// The task that a request waits for.
async fn task(office: &Office, request: &str) -> String {
    let of = |one: &&Json| one["request_id"] == request;
    let path = "/api/tasks?status=pending";
    let there = |all: &Json| all.as_array().is_some_and(|all| all.iter().any(|one| of(&one)));
    let all = office.poll(path, there).await;
    let one = all.as_array().unwrap().iter().find(of).unwrap();
    one["id"].as_str().unwrap().to_owned()
}

async fn answer(office: &Office, request: &str, data: Json) {
    let task = task(office, request).await;
    let by = json!({ "operator": "ana" });
    office.client.post(&format!("/tasks/{task}/claim"), by).await.expect(200);
    let told = json!({ "operator": "ana", "extracted_data": data });
    office.client.post(&format!("/tasks/{task}/submit"), told).await.expect(200);
    assert_eq!(office.finished(request).await["status"], "completed");
}

fn truth(number: &str, day: &str, total: &str) -> Json {
    json!({ "invoice_number": number, "total_amount": total, "vendor_name": "Ferralla Umbría",
            "date": day })
}

async fn vendors(client: &Client) -> Vec<Json> {
    let all = client.get("/api/docproc/memory").await.expect(200);
    all["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn one_correction_teaches_and_forgetting_undoes_it() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("taller", &workflow()).await;
        let client = office.client.clone();
        let first = send(&client, &paper("Z/0412-B", "03/04/2026", 100, 21)).await;
        answer(&office, &first, truth("Z/0412-B", "2026-03-04", "121,00")).await;
        let second = send(&client, &paper("Z/0978-C", "05/06/2026", 300, 63)).await;
        assert_eq!(office.finished(&second).await["status"], "completed");
        let document = office.detail(&second).await["documents"][0].clone();
        assert_eq!(document["origin"], "AUTO");
        assert_eq!(document["extracted_data"]["invoice_number"], "Z/0978-C");
        assert_eq!(document["extracted_data"]["date"], "2026-05-06", "the month comes first");
        let known = vendors(&client).await;
        assert_eq!(known.len(), 1);
        let told = |key: &str| known[0][key].clone();
        assert_eq!(
            (told("documents"), told("version"), told("uses")),
            (1.into(), 1.into(), 1.into())
        );

        let operator = office.persona("OPERADOR").await;
        let path = format!("/api/docproc/memory/{}", known[0]["id"].as_str().unwrap());
        assert_eq!(operator.delete(&path).await.status, 403);
        assert_eq!(client.delete(&path).await.status, 204);
        assert_eq!(client.delete(&path).await.status, 404);
        assert!(vendors(&client).await.is_empty());
        let sql = "SELECT COUNT(*) AS n FROM audit WHERE action = 'vendor.forget'";
        assert_eq!(office.count(sql).await, 1);
        let sql = "SELECT COUNT(*) AS n FROM vendor_layouts WHERE vendor <> ''";
        assert_eq!(office.count(sql).await, 0, "what is forgotten is gone");
        let third = send(&client, &paper("Z/1111-D", "07/08/2026", 200, 42)).await;
        task(&office, &third).await;
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_one_client_taught_is_nobody_elses() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("taller", &workflow()).await;
        let (one, other) =
            (office.somebody("uno", "EMISOR").await, office.somebody("otro", "EMISOR").await);
        let first = send(&one, &paper("Z/0412-B", "03/04/2026", 100, 21)).await;
        answer(&office, &first, truth("Z/0412-B", "2026-03-04", "121,00")).await;
        let theirs = send(&other, &paper("Z/0978-C", "05/06/2026", 300, 63)).await;
        task(&office, &theirs).await;
        let document = office.detail(&theirs).await["documents"][0].clone();
        assert!(!document.to_string().contains("\"memory\""), "{document}");
        assert_eq!(one.get("/api/docproc/memory").await.status, 403);
        let own = send(&one, &paper("Z/0979-C", "05/06/2026", 300, 63)).await;
        assert_eq!(office.finished(&own).await["status"], "completed");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_proved_wrong_is_asked_again_and_learnt_anew() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("taller", &workflow()).await;
        let client = office.client.clone();
        let first = send(&client, &paper("Z/0412-B", "03/04/2026", 100, 21)).await;
        answer(&office, &first, truth("Z/0412-B", "2026-03-04", "121,00")).await;
        // The sums do not add up: a person looks, and finds that the number is another one.
        let odd = paper("Z/0978-C", "05/06/2026", 300, 63).replace("363,00", "368,00")
            + "Cuaderno K/7001-A\n";
        let second = send(&client, &odd).await;
        answer(&office, &second, truth("K/7001-A", "2026-05-06", "368,00")).await;
        let known = vendors(&client).await;
        assert_eq!(known[0]["version"], 2, "{known:?}");
        assert_eq!(known[0]["documents"], 2);
        assert_eq!(known[0]["wrong"], 1, "{known:?}");
        let next = paper("Z/0979-C", "05/06/2026", 300, 63) + "Cuaderno K/7002-B\n";
        let third = send(&client, &next).await;
        assert_eq!(office.finished(&third).await["status"], "completed");
        let document = office.detail(&third).await["documents"][0].clone();
        assert_eq!(document["extracted_data"]["invoice_number"], "K/7002-B");
        office.close().await;
    })
    .await;
}
