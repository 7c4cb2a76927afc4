//! What is noted of a file that is sent, and what taking it costs.

use std::io;

use bytes::Bytes;
use docproc::Part;
use futures::{StreamExt as _, stream};
use reqwest::{
    Body, Method, header,
    multipart::{Form, Part as FormPart},
};
use serde_json::json;
use testkit::Answer;

use crate::office::{Office, Setup, on_both, on_sqlite};

/// The page of a request in a language.
async fn page(office: &Office, id: &str, lang: &str) -> String {
    let path = format!("/docproc/solicitudes/{id}");
    let asked = office.client.request(Method::GET, &path).header(header::ACCEPT_LANGUAGE, lang);
    let answer = Answer::of(asked, &path).await;
    assert_eq!(answer.status, 200);
    answer.text
}

#[tokio::test]
async fn a_file_that_came_before_is_noted() {
    on_both(async |desk| {
        let office = Office::with(Setup { part: Part::Gateway, ..Setup::of(desk) }).await;
        let first = office.pages(&["the same page"], "default").await;
        let other = office.pages(&["another page"], "default").await;
        let again = office.pages(&["the same page"], "default").await;
        let once_more = office.pages(&["the same page"], "default").await;
        for (id, before) in [(&first, None), (&other, None), (&again, Some(&first))] {
            assert_eq!(office.detail(id).await["duplicate_of"], json!(before));
        }
        assert_eq!(office.detail(&once_more).await["duplicate_of"], json!(first), "the oldest");
        for (lang, said) in [("es", "ya se había enviado en"), ("en", "was sent before in")] {
            let told = page(&office, &again, lang).await;
            assert!(told.contains(said) && told.contains(&first), "{lang}: {told}");
            assert!(!page(&office, &first, lang).await.contains(said), "{lang}");
        }
        office.close().await;
    })
    .await;
}

const CHUNK: usize = 64 << 10;
/// The largest that a file may be; four of them are a gigabyte.
const LARGEST: usize = 256 << 20;
/// More than what an upload may hold: parts under way, the one being filled, and buffers.
const MOST_KB: u64 = 20 << 10;

/// The most memory that this process ever held, in kilobytes. Each test is a process of its own.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Sends texts of this size as one request, made while they are sent.
async fn send(office: &Office, files: usize, bytes: usize) {
    let line = Bytes::from(vec![b'a'; CHUNK]);
    let form = (0..files).fold(Form::new(), |form, n| {
        let chunks = stream::repeat(line.clone()).take(bytes / CHUNK).map(Ok::<_, io::Error>);
        let part = FormPart::stream_with_length(Body::wrap_stream(chunks), bytes as u64);
        form.part("file", part.file_name(format!("{n}.txt")))
    });
    let request = office.client.request(Method::POST, "/process").multipart(form);
    Answer::of(request, "/process").await.expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gigabyte_is_taken_with_little_memory() {
    on_sqlite(async |desk| {
        let office = Office::with(Setup { part: Part::Gateway, ..Setup::of(desk) }).await;
        // What every upload needs once is there before anything is measured.
        send(&office, 1, 2 * CHUNK).await;
        let before = peak_kb();
        send(&office, 4, LARGEST).await;
        let cost = peak_kb() - before;
        println!("a gigabyte cost {cost} kB");
        assert!(cost < MOST_KB, "{cost} kB");
        let stored =
            "SELECT CAST(SUM(bytes) AS BIGINT) AS n FROM request_files WHERE bytes > 200000";
        assert_eq!(office.count(stored).await, 1 << 30);
        office.close().await;
    })
    .await;
}
