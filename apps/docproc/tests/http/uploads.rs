//! What is noted of a file that is sent.

use docproc::Part;
use reqwest::{Method, header};
use serde_json::json;
use testkit::Answer;

use crate::office::{Office, Setup, on_both};

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
