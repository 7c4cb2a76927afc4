//! S-3 and S-25: what files may be, and what they may not.

use std::io::{Cursor, Write as _};

use serde_json::{Value as Json, json};
use tiff::encoder::{TiffEncoder, colortype::Gray8};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::office::{Office, on_both, on_sqlite};

pub(crate) fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(crate) fn tiff(pages: usize) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    for _ in 0..pages {
        encoder.write_image::<Gray8>(40, 30, &[255; 1200]).unwrap();
    }
    bytes.into_inner()
}

pub(crate) fn pdf(pages: u64) -> Vec<u8> {
    let one = |seed| samples::generate(samples::Kind::Receipt, samples::Lang::Es, seed);
    let made: Vec<_> = (0..pages).map(one).collect();
    samples::pdf(&made.iter().collect::<Vec<_>>())
}

#[tokio::test]
async fn scenario_3_an_archive_is_one_request() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let archive = zip(&[("a.pdf", pdf(3)), ("b/b.pdf", pdf(2)), ("c.tif", tiff(4))]);
        let (status, body) = office.send(&[("all.zip", archive)], &[]).await;
        assert_eq!(status, 200, "{body}");
        let id = body["request_id"].as_str().unwrap();
        let now = office.until(id, |now| !now["page_count"].is_null()).await;
        assert_eq!(now["page_count"], 9);
        let grouped = |detail: &Json| {
            let pages = detail["pages"].as_array().unwrap();
            pages.iter().filter(|page| page["file"] != 3).all(|p| !p["document_id"].is_null())
        };
        let detail = office.detail_until(id, grouped).await;
        let mut indices: Vec<_> = detail["pages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|page| page["page_index"].as_u64().unwrap())
            .collect();
        indices.dedup();
        assert_eq!(indices, (0..9).collect::<Vec<_>>(), "no index twice");
        for document in detail["documents"].as_array().unwrap() {
            let of = |n: &Json| detail["pages"][n.as_u64().unwrap() as usize]["file"].clone();
            let pages = document["page_indices"].as_array().unwrap();
            assert!(pages.iter().all(|n| of(n) == of(&pages[0])), "one file each: {document}");
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_3_what_cannot_be_read_fails_with_a_reason() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let mut corrupt = zip(&[("a.pdf", pdf(1))]);
        let end = corrupt.len();
        corrupt.truncate(end / 2);
        let bomb = zip(&[("bomb.txt", vec![b'a'; 300 << 20])]);
        assert!(bomb.len() < 2 << 20, "a bomb is small: {}", bomb.len());
        for (name, bytes, codes) in [
            ("corrupt.zip", corrupt, &["FILE_UNREADABLE"][..]),
            ("bomb.zip", bomb, &["DECOMPRESSION_BOMB", "TOO_LARGE"]),
        ] {
            let began = std::time::Instant::now();
            let (status, body) = office.send(&[(name, bytes)], &[]).await;
            assert_eq!(status, 200, "{name}: {body}");
            let id = body["request_id"].as_str().unwrap().to_owned();
            let ended = office.finished(&id).await;
            assert_eq!(ended["status"], "failed", "{name}");
            let said = ended["error"].as_str().unwrap();
            assert!(said.contains(name) && said.len() < 1000, "{name}: {said}");
            let detail = office.detail(&id).await;
            let code = detail["error_code"].as_str().unwrap();
            assert!(codes.contains(&code), "{name}: {code}");
            assert!(began.elapsed().as_secs() < 20, "{name} took {:?}", began.elapsed());
        }
        let truncated = pdf(1)[..200].to_vec();
        let many = vec!["x"; 10_000].join("\u{c}").into_bytes();
        for (name, bytes, expected) in [
            ("truncated.pdf", truncated, (422, &["FILE_UNREADABLE", "NO_PAGES", "PDF_CUT"][..])),
            ("many.txt", many, (413, &["TOO_MANY_PAGES"])),
        ] {
            // A good file beside it is not accepted either, and neither is kept.
            let (status, body) = office.send(&[("good.pdf", pdf(1)), (name, bytes)], &[]).await;
            assert_eq!(status, expected.0, "{body}");
            assert!(expected.1.contains(&body["code"].as_str().unwrap()), "{body}");
            assert!(body["detail"].as_str().unwrap().contains(name), "{body}");
        }
        let (status, body) = office.send(&[("empty.pdf", Vec::new())], &[]).await;
        assert_eq!((status, &body["code"]), (422, &json!("FICHERO_VACIO")));
        let (status, body) =
            office.send(&[("tool.exe", vec![0x4d, 0x5a, 0, 1, 2, 0xff])], &[]).await;
        assert_eq!((status, &body["code"]), (415, &json!("FORMATO_NO_ADMITIDO")));
        // The worker is there for the next one.
        let (_, body) = office.send(&[("good.pdf", pdf(1))], &[]).await;
        let now =
            office.until(body["request_id"].as_str().unwrap(), |now| now["page_count"] == 1).await;
        assert_eq!(now["error"], Json::Null);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_25_names_never_become_paths() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        let long = "n".repeat(300);
        for name in ["../../a", "/etc/a", "sub/a.pdf", "", long.as_str()] {
            let content = b"hello there ".repeat(10_000);
            let (status, body) = office.send(&[(name, content.clone())], &[]).await;
            assert_eq!(status, 200, "{name:?}: {body}");
            let id = body["request_id"].as_str().unwrap();
            let detail = office.detail(id).await;
            let shown = detail["files"][0]["name"].as_str().unwrap();
            assert!(!shown.contains(['/', '\\']) && !shown.is_empty() && shown.len() <= 255);
            let kept = desk.dir.join("files/requests").join(id).join("0");
            assert_eq!(std::fs::read(kept).unwrap(), content, "{name:?}");
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_25_a_refused_form_leaves_nothing() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let page = || ("a.txt", b"hello there".to_vec());
        let long = "w".repeat(101);
        for (fields, expected) in [
            (vec![("workflow", "nope")], 422),
            (vec![("workflow", "../x")], 422),
            (vec![("workflow", long.as_str())], 422),
            (vec![("metadata", "[1,2]")], 400),
            (vec![("metadata", "{")], 400),
            (vec![("metadata", "null")], 400),
            (vec![("priority", "0")], 400),
            (vec![("channel", &"c".repeat(101))], 400),
        ] {
            let (status, body) = office.send(&[page()], &fields).await;
            assert_eq!(status, expected, "{fields:?}: {body}");
            assert!(!body["detail"].as_str().unwrap().is_empty());
        }
        let (status, body) = office.send(&[], &[("workflow", "default")]).await;
        assert_eq!((status, &body["code"]), (422, &json!("FALTA_FICHERO")));
        let list = office.client.get("/api/docproc/requests").await.expect(200);
        assert_eq!(list["items"], json!([]));
        let left = std::fs::read_dir(desk.dir.join("files/requests")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "files of refused requests stay");
        for (path, status) in
            [("/status/nope", 422), ("/status/00000000-0000-7000-8000-000000000000", 404)]
        {
            office.client.get(path).await.expect(status);
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_25_too_large_is_413() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        let limit = json!({ "valor": 1 });
        let path = "/api/settings/docproc/DOCPROC_MAX_UPLOAD_MB";
        office.client.put(path, limit).await.expect(200);
        let (status, body) = office.send(&[("big.txt", vec![b'a'; 3 << 20])], &[]).await;
        assert_eq!((status, &body["code"]), (413, &json!("DEMASIADO_GRANDE")));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn the_same_key_is_the_same_request() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let send = async |text: &'static str| {
            let part = reqwest::multipart::Part::text(text).file_name("a.txt");
            let form = reqwest::multipart::Form::new().part("file", part);
            let request = office.client.request(reqwest::Method::POST, "/process");
            let answer =
                request.header("Idempotency-Key", "k-1").multipart(form).send().await.unwrap();
            (answer.status().as_u16(), answer.json::<Json>().await.unwrap())
        };
        let (first, second, other) = (send("one").await, send("one").await, send("two").await);
        assert_eq!(first, second);
        assert_eq!(other.0, 409);
        office.close().await;
    })
    .await;
}
