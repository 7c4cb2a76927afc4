//! Servers that are none: what they do must not be taken for an answer.

use std::time::Duration;

use controlroom::{Client, Config, Fault, Kind, Secret};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::room::deployment;

/// Reads one request to the end of its body.
async fn hear(stream: &mut TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0usize) {
                return;
            }
        }
        let read = stream.read(&mut buffer).await.unwrap();
        assert_ne!(read, 0, "the client left");
        request.extend_from_slice(&buffer[..read]);
    }
}

/// Answers one connection after the other with these bytes, closing each; after the last it
/// listens and says nothing.
async fn server(answers: Vec<Vec<u8>>) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            hear(&mut stream).await;
            // The client may have seen enough before the end.
            let _ = stream.write_all(&answer).await;
        }
        let mut silent = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            silent.push(stream);
        }
    });
    let config = Config::new(url, "u", Secret::ApiKey("k".to_owned()));
    Client::new(Config { timeout: Duration::from_secs(2), ..config }).unwrap()
}

fn http(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}").into()
}

fn login() -> Vec<u8> {
    http(r#"{"token": "abc"}"#)
}

async fn deploy(answers: Vec<Vec<u8>>) -> Result<String, Fault> {
    server(answers).await.deploy(&deployment(5, 50, "t")).await
}

#[tokio::test]
async fn an_answer_that_is_cut_or_no_answer_leaves_doubt() {
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"deploymentId\"".to_vec();
    for (answer, what) in [
        (cut, "cut"),
        (b"220 smtp.example.com ESMTP\r\n".to_vec(), "another protocol"),
        (Vec::new(), "closed"),
        (b"HTTP/1.1 200".to_vec(), "cut in the head"),
    ] {
        let fault = deploy(vec![login(), answer]).await.unwrap_err();
        assert!(fault.kind == Kind::InDoubt, "{what}: {fault:?}");
    }
    let fault = deploy(vec![login()]).await.unwrap_err();
    assert!(fault.kind == Kind::InDoubt && fault.message.contains("timed out"), "{fault:?}");
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_leaves_doubt_too() {
    for body in
        ["", "{", "null", "\"ok\"", "[]", "{\"deploymentId\": \"\"}", "{\"deploymentId\": {}}"]
    {
        let fault = deploy(vec![login(), http(body)]).await.unwrap_err();
        assert!(fault.kind == Kind::Malformed, "{body}: {fault:?}");
        assert!(fault.may_have_been_accepted());
    }
    assert_eq!(deploy(vec![login(), http("{\"deploymentId\": 77}")]).await.as_deref(), Ok("77"));
}

#[tokio::test]
async fn an_answer_without_end_is_left() {
    let mut endless = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..17 {
        endless.extend(b"100000\r\n");
        endless.extend(std::iter::repeat_n(b' ', 1024 * 1024));
        endless.extend(b"\r\n");
    }
    let fault = deploy(vec![login(), endless]).await.unwrap_err();
    assert!(fault.kind == Kind::Malformed, "{fault:?}");
}

#[tokio::test]
async fn a_refusal_whose_text_is_lost_is_a_refusal() {
    let cut = b"HTTP/1.1 412 Precondition Failed\r\ncontent-length: 50\r\n\r\nDev".to_vec();
    let fault = deploy(vec![login(), cut]).await.unwrap_err();
    assert!(fault.kind == Kind::DeviceUnavailable, "{fault:?}");
}

#[tokio::test]
async fn whoever_cannot_sign_in_has_certainly_not_deployed() {
    let moved = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n";
    for (answer, what) in [
        (http("{}"), "no token"),
        (http("<html>"), "a page"),
        (http("{\"token\": \"line\\nbreak\"}"), "no header"),
        (b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), "another protocol"),
        (moved.to_vec(), "elsewhere"),
    ] {
        let fault = deploy(vec![answer]).await.unwrap_err();
        assert!(!fault.may_have_been_accepted(), "{what}: {fault:?}");
        let sorry = matches!(fault.kind, Kind::Unreachable | Kind::Unauthorized);
        assert!(sorry, "{what}: {fault:?}");
    }
    let fault = deploy(Vec::new()).await.unwrap_err();
    assert!(fault.kind == Kind::Unreachable && fault.message.contains("timed out"), "{fault:?}");
}
