//! *Líneas*: a table among the fields, from the paper to the answer and through people's hands.

use serde_json::{Value as Json, json};

use crate::office::{Office, on_both};

const PAPER: &str = "Suministros Ebro, S.L.                       FACTURA
NIF: A58818501                               Factura n.º: F-2024-00142
                                             Fecha: 12/03/2024

Descripción                     Cantidad    Precio    Importe
Tornillo inoxidable                   10      1,25      12,50
Montaje en obra                        2     40,00      80,00

Base imponible                                          92,50
IVA 21%                                                 19,43
Total factura                                          111,93 EUR
";

/// The shipped flow under another name, which asks people below this threshold.
fn flow(threshold: &str, required: bool) -> String {
    let lines = format!("{{name: lines, type: table, required: {required}}}");
    docproc::rules::workflow::INVOICES
        .replace("name: facturas", "name: lineas")
        .replace("deadline_seconds: 30", "deadline_seconds: 900")
        .replace("- metadata: {tipo: factura}", "- metadata: {tipo: lineas}")
        .replace("- channel: facturas", "- channel: lineas")
        .replace("confidence_threshold: 0.75", &format!("confidence_threshold: {threshold}"))
        .replace("{name: lines, type: table}", &lines)
}

async fn task(office: &Office, request: &str) -> String {
    let of = |one: &&Json| one["request_id"] == request;
    let there = |all: &Json| all.as_array().is_some_and(|all| all.iter().any(|one| of(&one)));
    let all = office.poll("/api/tasks?status=pending", there).await;
    let one = all.as_array().unwrap().iter().find(of).unwrap();
    one["id"].as_str().unwrap().to_owned()
}

fn field<'j>(fields: &'j Json, name: &str) -> &'j Json {
    fields.as_array().unwrap().iter().find(|field| field["name"] == name).unwrap()
}

#[tokio::test]
async fn lines_are_in_the_answer_and_ask_nobody_unless_they_are_required() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("lineas", &flow("0.0", false)).await;
        let id = office.pages(&[PAPER], "lineas").await;
        assert_eq!(office.finished(&id).await["status"], "completed");
        let detail = office.detail(&id).await;
        let document = &detail["documents"][0];
        assert_eq!(
            document["extracted_data"]["lines"],
            json!([
                { "description": "Tornillo inoxidable", "quantity": 10.0, "unit_price": 1.25,
                  "tax": null, "amount": 12.5 },
                { "description": "Montaje en obra", "quantity": 2.0, "unit_price": 40.0,
                  "tax": null, "amount": 80.0 },
            ])
        );
        let lines = field(&document["fields"], "lines");
        assert!(lines["confidence"].as_f64() > Some(0.75), "{lines}");
        let boxes = lines["boxes"].as_array().unwrap();
        assert!(boxes.iter().any(|one| one["cell"] == json!([1, 4])), "{boxes:?}");
        let page = office.client.get(&format!("/docproc/solicitudes/{id}")).await;
        assert!(page.text.contains("<table class=\"lines\">"), "the page shows a table");
        assert!(page.text.contains("Montaje en obra") && page.text.contains(">80,00<"));

        // What does not add up is doubtful. By itself it asks nobody; where it is required it does.
        let wrong = PAPER.replace("80,00\n", "81,00\n");
        let (sure, asks) = (flow("0.62", false), flow("0.62", true));
        office.workflow("lineas", &sure).await;
        let right = office.pages(&[PAPER], "lineas").await;
        let straight = office.finished(&right).await["status"] == "completed";
        assert!(straight, "what follows is about the lines alone");
        let id = office.pages(&[&wrong], "lineas").await;
        assert_eq!(office.finished(&id).await["status"], "completed");
        let detail = office.detail(&id).await;
        let lines = field(&detail["documents"][0]["fields"], "lines").clone();
        assert!(lines["confidence"].as_f64() < Some(0.62), "{lines}");
        office.workflow("lineas", &asks).await;
        let id = office.pages(&[&wrong], "lineas").await;
        let task = task(&office, &id).await;
        let detail = office.client.get(&format!("/tasks/{task}?operator=ana")).await.expect(200);
        let asked = field(&detail["fields"], "lines");
        assert_eq!((&asked["needs_review"], &asked["kind"]), (&json!(true), &json!("table")));
        assert_eq!(asked["columns"][1]["kind"], "number");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn people_answer_with_rows_and_are_told_which_cell_is_wrong() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("lineas", &flow("1.0", false)).await;
        let id = office.pages(&[PAPER], "lineas").await;
        let task = task(&office, &id).await;
        let by = json!({ "operator": "ana" });
        office.client.post(&format!("/tasks/{task}/claim"), by).await.expect(200);
        let submit = async |lines: Json, number: Json| {
            let data = json!({ "lines": lines, "invoice_number": number });
            let told = json!({ "operator": "ana", "extracted_data": data });
            office.client.post(&format!("/tasks/{task}/submit"), told).await
        };
        for (lines, number, path) in [
            (json!([{ "amount": "x" }]), json!("F-1"), "lines"),
            (json!([{ "colour": "red" }]), json!("F-1"), "lines"),
            (json!(null), json!([{ "amount": 1 }]), "invoice_number"),
            (json!([1, 2]), json!("F-1"), "lines"),
        ] {
            let refused = submit(lines, number).await.expect(422);
            assert_eq!(refused["errors"][0]["path"], path, "{refused}");
        }
        let rows = json!([{ "description": "Todo", "quantity": "1", "unit_price": "92,50",
                            "amount": 92.5 }, {}]);
        submit(rows, json!("F-1")).await.expect(200);
        assert_eq!(office.finished(&id).await["status"], "completed");
        let detail = office.detail(&id).await;
        let said = json!([{ "description": "Todo", "quantity": 1.0, "unit_price": 92.5,
                            "tax": null, "amount": 92.5 }]);
        assert_eq!(detail["documents"][0]["extracted_data"]["lines"], said);
        office.close().await;
    })
    .await;
}
