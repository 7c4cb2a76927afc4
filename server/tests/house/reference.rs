//! The API's page says in Spanish whatever the document says in English.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use testkit::{Options, Turno};

/// What is the same in both languages.
const SAME: [&str; 1] = ["UUID"];

/// What the document says of its operations.
fn texts(api: &Json) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut take = |text: &Json| {
        let words: Vec<_> = text.as_str().unwrap_or_default().split_whitespace().collect();
        found.insert(words.join(" ").replace(['`', '*'], ""));
    };
    let items = api["paths"].as_object().expect("paths").values();
    for operation in items.filter_map(Json::as_object).flat_map(|item| item.values()) {
        take(&operation["summary"]);
        take(&operation["description"]);
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.for_each(|one| take(&one["description"]));
        let answers = operation["responses"].as_object().into_iter().flatten();
        answers.for_each(|(_, answer)| take(&answer["description"]));
    }
    found.retain(|text| !text.is_empty() && !SAME.contains(&text.as_str()));
    found
}

/// The page's text between its tags, where names of the wire stand among words.
fn read(html: &str) -> String {
    let plain = html.replace("<code>", "").replace("</code>", "");
    plain.replace("&#39;", "'").replace("&quot;", "\"").replace("&#34;", "\"")
}

#[tokio::test]
async fn the_page_of_the_api_speaks_both_languages() {
    let turno = Turno::start(Options::default()).await;
    let client = turno.client();
    let api = client.get("/api/openapi.json").await.expect(200);
    let all = texts(&api);
    assert!(all.len() > 150, "{} texts are not all", all.len());
    let mut pages = ["es", "en"].map(|_| String::new());
    for (lang, page) in ["es", "en"].iter().zip(&mut pages) {
        for app in ["coordinador", "docproc", "pedidos", "sam", ""] {
            let path = format!("/api/docs?app={app}");
            let asked =
                client.request(reqwest::Method::GET, &path).header("accept-language", *lang);
            page.push_str(&read(&testkit::Answer::of(asked, &path).await.text));
        }
    }
    let [spanish, english] = pages;
    let stands = |page: &str, text: &str| page.contains(&format!(">{text}<"));
    let lost: Vec<_> = all.iter().filter(|text| !stands(&english, text)).collect();
    assert!(lost.is_empty(), "not on the page: {lost:#?}");
    let untold: Vec<_> = all.iter().filter(|text| stands(&spanish, text)).collect();
    assert!(untold.is_empty(), "without its Spanish: {untold:#?}");
    let paths = api["paths"].as_object().expect("paths").iter();
    let silent: Vec<_> = paths
        .flat_map(|(path, item)| item.as_object().into_iter().flatten().map(move |one| (path, one)))
        .filter(|(_, (_, operation))| operation["summary"].as_str().is_none_or(str::is_empty))
        .map(|(path, (method, _))| format!("{method} {path}"))
        .collect();
    assert!(silent.is_empty(), "says nothing of itself: {silent:#?}");
}
