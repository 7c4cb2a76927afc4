//! What comes in: e-mails, archives with something bad in them, what nobody can read, blank pages,
//! and refusals that arrive.

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::containers::{pdf, tiff, zip};
use crate::office::{Office, on_both, on_sqlite};

/// Nobody is asked: what is found is the answer.
const ALONE: &str = "
name: alone
sla: {deadline_seconds: 600}
stages:
  - {name: split, component: splitter}
  - {name: ocr, component: ocr}
  - {name: classify, component: classifier}
  - {name: group, component: classification_aggregator}
  - {name: extract, component: extractor}
  - {name: join, component: extraction_aggregator}
  - {name: consolidate, component: consolidator}
extraction_schemas:
  receipt:
    fields: [{name: total, type: decimal}]
other_types: [other]
";

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for (n, three) in bytes.chunks(3).enumerate() {
        if n % 19 == 0 {
            out.push_str("\r\n");
        }
        let word = three.iter().fold(0u32, |word, byte| (word << 8) | u32::from(*byte))
            << (8 * (3 - three.len()));
        for at in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * at)) as usize & 63];
            out.push(if at > three.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

fn mail(name: &str, kind: &str, bytes: &[u8]) -> Vec<u8> {
    format!(
        "From: ana@example.com\r\nTo: facturas@example.com\r\nSubject: Su recibo\r\n\
         MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b1\r\n\r\n\
         --b1\r\nContent-Type: text/plain\r\n\r\nVa adjunto.\r\n--b1\r\nContent-Type: {kind}\r\n\
         Content-Disposition: attachment; filename={name}\r\n\
         Content-Transfer-Encoding: base64\r\n{}\r\n--b1--\r\n",
        base64(bytes),
    )
    .into_bytes()
}

#[tokio::test]
async fn what_is_attached_to_an_email_is_read() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("alone", ALONE).await;
        let message = mail("recibo.pdf", "application/pdf", &pdf(2));
        let (status, body) =
            office.send(&[("correo.eml", message)], &[("workflow", "alone")]).await;
        assert_eq!(status, 200, "{body}");
        let id = body["request_id"].as_str().unwrap();
        let ended = office.finished(id).await;
        assert_eq!((&ended["status"], &ended["page_count"]), (&json!("completed"), &json!(2)));
        let detail = office.detail(id).await;
        let files = detail["files"].as_array().unwrap();
        let told: Vec<_> = files.iter().map(|file| (&file["name"], &file["kind"])).collect();
        let (mail, pdf) =
            ((json!("correo.eml"), json!("mail")), (json!("recibo.pdf"), json!("pdf")));
        assert_eq!(told, [(&mail.0, &mail.1), (&pdf.0, &pdf.1)]);
        assert_eq!(ended["result"]["documents"][0]["doc_type"], "receipt", "{ended}");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_bad_file_of_an_archive_is_set_aside_and_the_rest_goes_on() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("alone", ALONE).await;
        let good = pdf(1);
        let cut = good[..good.len() / 2].to_vec();
        let archive = zip(&[
            ("1.pdf", good.clone()),
            ("2.pdf", cut),
            ("3.exe", vec![0x4d, 0x5a, 0, 1, 2, 0xff]),
            ("4.pdf", good),
        ]);
        let (_, body) = office.send(&[("all.zip", archive)], &[("workflow", "alone")]).await;
        let id = body["request_id"].as_str().unwrap();
        let ended = office.finished(id).await;
        assert_eq!((&ended["status"], &ended["page_count"]), (&json!("completed"), &json!(2)));
        let aside = ended["result"]["set_aside"].as_array().unwrap();
        let names: Vec<_> = aside.iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["3.exe", "2.pdf"]);
        assert_eq!(aside[0]["code"], "UNKNOWN_KIND");
        assert!(aside[0]["es"].as_str().unwrap().starts_with('«'), "{aside:?}");
        let detail = office.detail(id).await;
        assert_eq!(detail["files"][0]["set_aside"], json!(aside), "{detail}");
        let page = office.client.get(&format!("/docproc/solicitudes/{id}")).await;
        assert!(page.text.contains("3.exe"), "the page tells it too");
        // With nothing else in it the request fails, and says why.
        let archive = zip(&[("3.exe", vec![0x4d, 0x5a, 0, 1, 2, 0xff])]);
        let (_, body) = office.send(&[("bad.zip", archive)], &[("workflow", "alone")]).await;
        let id = body["request_id"].as_str().unwrap();
        office.finished(id).await;
        let ended = office.detail(id).await;
        assert_eq!(
            (&ended["status"], &ended["error_code"]),
            (&json!("failed"), &json!("UNKNOWN_KIND"))
        );
        office.close().await;
    })
    .await;
}

/// A TIFF that says it is packed with zstd.
fn zstd() -> Vec<u8> {
    let mut bytes = tiff(1);
    let directory = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    let entries = usize::from(u16::from_le_bytes([bytes[directory], bytes[directory + 1]]));
    let compression = (0..entries)
        .map(|n| directory + 2 + 12 * n)
        .find(|at| bytes[*at..*at + 2] == 259u16.to_le_bytes());
    let at = compression.expect("it says how it is packed") + 8;
    bytes[at..at + 2].copy_from_slice(&50_000u16.to_le_bytes());
    bytes
}

#[tokio::test]
async fn what_nobody_can_read_is_refused_at_the_door() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        let docx = zip(&[
            ("[Content_Types].xml", b"<Types/>".to_vec()),
            ("word/document.xml", b"<w/>".to_vec()),
        ]);
        let odd = zip(&[
            ("customXml/item.xml", b"<x/>".to_vec()),
            ("[Content_Types].xml", b"<Types/>".to_vec()),
        ]);
        for (name, bytes) in [
            ("carta.docx", docx),
            ("hoja.xlsx", odd),
            ("pagina.html", b"<!DOCTYPE html><p>Factura</p>".to_vec()),
            ("sin-nombre", b"<?xml version='1.0'?><Factura/>".to_vec()),
            ("lista.csv", b"solo una linea".to_vec()),
            ("lista.txt", b"a;b;c\n1;2;3\n4;5;6\n".to_vec()),
            ("datos.txt", b"{\"total\": 12}".to_vec()),
            ("carta.rtf", b"{\\rtf1 Factura}".to_vec()),
        ] {
            let (status, body) = office.send(&[(name, bytes)], &[]).await;
            assert_eq!(status, 415, "{name}: {body}");
        }
        let (status, body) = office.send(&[("fax.tif", zstd())], &[]).await;
        assert_eq!((status, &body["code"]), (422, &json!("FILE_UNREADABLE")), "{body}");
        let whole = pdf(3);
        let (status, body) =
            office.send(&[("cut.pdf", whole[..whole.len() * 2 / 3].to_vec())], &[]).await;
        assert_eq!(status, 422, "{body}");
        let list = office.client.get("/api/docproc/requests").await.expect(200);
        assert_eq!(list["items"], json!([]));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_blank_page_costs_nobody_anything() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        // By the flow that asks people whatever it is not sure of.
        let (status, body) = office.send(&[("blank.tif", tiff(3))], &[]).await;
        assert_eq!(status, 200, "{body}");
        let id = body["request_id"].as_str().unwrap();
        let ended = office.finished(id).await;
        assert_eq!(ended["status"], "completed", "{ended}");
        let documents = ended["result"]["documents"].as_array().unwrap();
        assert_eq!(documents.len(), 1, "{ended}");
        assert_eq!(documents[0]["doc_type"], "blank");
        assert_eq!(documents[0]["page_indices"], json!([0, 1, 2]));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_refusal_reaches_whoever_still_sends() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        let address = office.client.base().trim_start_matches("http://").to_owned();
        let mut line = tokio::net::TcpStream::connect(&address).await.unwrap();
        let head =
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.exe\"\r\n\r\n";
        let length = 48 << 20;
        let request = format!(
            "POST /process HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\
             Content-Type: multipart/form-data; boundary=x\r\n\r\n{head}",
            head.len() + length,
        );
        line.write_all(request.as_bytes()).await.unwrap();
        // Who does not read before everything is sent, as most clients.
        let block = vec![0; 1 << 20];
        for _ in 0..length / block.len() {
            line.write_all(&block).await.expect("the line stays open");
        }
        let mut answer = vec![0; 4096];
        let count = line.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..count]);
        assert!(answer.starts_with("HTTP/1.1 415"), "{answer}");
        let list = office.client.get("/api/docproc/requests").await.expect(200);
        assert_eq!(list["items"], Json::Array(Vec::new()));
        office.close().await;
    })
    .await;
}
