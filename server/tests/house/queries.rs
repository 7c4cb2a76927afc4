//! Pages that are asked with a parameter that nobody reads: a program is told, and a person who follows
//! a link is not held up by what somebody hung on to it.

use std::collections::BTreeSet;

use reqwest::Method;
use testkit::{Answer, Client, Options, Turno};

/// It reads numbers of robots as names, and those may be any.
const ANY_NAME: &str = "/sam/balanceador/simular";

/// Addresses of this house that a page leads to, without what they ask.
fn led_to(page: &str) -> impl Iterator<Item = String> + '_ {
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let ours = links.filter(|link| link.starts_with('/') && !link.starts_with("/assets/"));
    ours.filter_map(|link| link.split(['?', '#']).next()).map(str::to_owned)
}

async fn ask(client: &Client, path: &str, accept: &str) -> Answer {
    let request = client.request(Method::GET, path).header("accept", accept);
    Answer::of(request.header("accept-language", "es-AR"), path).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_page_does_not_read_is_told_to_a_program_and_passed_over_for_people() {
    let server = Turno::start(Options::at("2026-06-19T20:00:00-03:00")).await;
    let client = server.client();
    let (mut known, mut left) = (BTreeSet::new(), vec!["/".to_owned()]);
    let mut pages = 0;
    while let Some(path) = left.pop() {
        if !known.insert(path.clone()) {
            continue;
        }
        let shown = ask(&client, &path, "text/html").await;
        let is_page =
            shown.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
        if shown.status != 200 || !is_page {
            continue;
        }
        pages += 1;
        left.extend(led_to(&shown.text));
        let strange = format!("{path}?parametro_desconocido=1");
        let passed = ask(&client, &strange, "text/html").await;
        assert_eq!(passed.status, 200, "{path}: a person is held up");
        if path == ANY_NAME {
            continue;
        }
        let told = ask(&client, &strange, "*/*").await;
        assert_eq!(told.status, 400, "{path} shows a program what it did not ask for");
        assert_eq!(told.json()["errors"][0]["path"], "parametro_desconocido", "{path}");
    }
    assert!(pages > 30, "{pages} are not all pages: {known:?}");
}
