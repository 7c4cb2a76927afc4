//! Files embedded in the binary and served under `/assets/{bundle}/{file}`. A development build reads
//! them where they lie, so that a changed style or script is seen at the next look.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::{Lang, Problem};

#[derive(RustEmbed)]
#[folder = "assets"]
struct Kit;

/// The kit's own files.
pub static KIT: LazyLock<Bundle> = LazyLock::new(|| Bundle::of::<Kit>("web"));

/// A named set of embedded files with their tags, ready to serve.
#[derive(Clone, Debug)]
pub struct Bundle {
    name: &'static str,
    files: Arc<BTreeMap<String, File>>,
    read: fn(&str) -> Option<File>,
}

#[derive(Clone, Debug)]
pub(crate) struct File {
    bytes: Bytes,
    version: String,
    mime: &'static str,
}

impl Bundle {
    /// Hashes every file once. Keep the result in a `LazyLock`.
    pub fn of<E: RustEmbed>(name: &'static str) -> Self {
        let read: fn(&str) -> Option<File> = |path| {
            let bytes = Bytes::from(E::get(path)?.data.into_owned());
            Some(File { version: version(&bytes), mime: mime(path), bytes })
        };
        let files = E::iter().filter_map(|path| Some((path.to_string(), read(&path)?)));
        Self { name, files: Arc::new(files.collect()), read }
    }

    pub fn contains(&self, file: &str) -> bool {
        self.find(file).is_some()
    }

    pub(crate) fn find(&self, file: &str) -> Option<File> {
        if cfg!(debug_assertions) { (self.read)(file) } else { self.files.get(file).cloned() }
    }

    /// The address to write into a page. An unknown file gets an address that answers 404.
    ///
    /// Modules carry no version: they import each other by plain name, and the same file under
    /// two addresses would run twice. They are revalidated by their tag instead.
    pub fn url(&self, file: &str) -> String {
        let mut url = format!("/assets/{}/{file}", self.name);
        if let Some(found) = self.find(file)
            && found.mime != JAVASCRIPT
        {
            url.push_str("?v=");
            url.push_str(&found.version);
        }
        url
    }
}

/// The address of a bundle's file, to write into a page.
pub fn asset_url(bundle: &Bundle, file: &str) -> String {
    bundle.url(file)
}

/// All bundles of the process. `Assets::default()` holds the kit alone.
#[derive(Clone, Debug)]
pub struct Assets {
    bundles: BTreeMap<&'static str, Bundle>,
}

impl Default for Assets {
    fn default() -> Self {
        Self { bundles: BTreeMap::from([(KIT.name, KIT.clone())]) }
    }
}

impl Assets {
    #[must_use]
    pub fn with(mut self, bundle: &Bundle) -> Self {
        self.bundles.insert(bundle.name, bundle.clone());
        self
    }

    /// Routes `/assets/{bundle}/{*file}`, `/favicon.ico`, and what is shown without a network.
    pub fn router<S: Clone + Send + Sync + 'static>(self) -> Router<S> {
        Router::new()
            .route("/assets/{bundle}/{*file}", get(serve))
            .route("/favicon.ico", get(favicon))
            .route("/sw.js", get(crate::offline::worker))
            .route("/sin-conexion", get(crate::offline::page))
            .with_state(Arc::new(self))
    }
}

async fn serve(
    State(assets): State<Arc<Assets>>,
    Path((bundle, file)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let found = assets.bundles.get(bundle.as_str()).and_then(|bundle| bundle.find(&file));
    match found {
        Some(found) => answer(&found, query.as_deref(), &headers),
        None => Problem::no_such_route(Lang::from_headers(&headers)).await.into_response(),
    }
}

/// Browsers ask for it by habit when a page of ours names no icon (plain JSON, for example).
async fn favicon(headers: HeaderMap) -> Response {
    let icon = KIT.find("favicon.svg").expect("the kit embeds its icon");
    answer(&icon, None, &headers)
}

pub(crate) fn answer(file: &File, query: Option<&str>, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", file.version);
    let current = query.and_then(|query| query.strip_prefix("v=")) == Some(&file.version);
    let caching = if current { "public, max-age=31536000, immutable" } else { "public, no-cache" };
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let fresh = known.is_some_and(|known| {
        // A compressing layer weakens the tag; weak comparison is what RFC 9110 asks for here.
        known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
    });
    let head = [(ETAG, tag.as_str()), (CACHE_CONTROL, caching), (CONTENT_TYPE, file.mime)];
    if fresh {
        (StatusCode::NOT_MODIFIED, head).into_response()
    } else {
        (head, file.bytes.clone()).into_response()
    }
}

fn version(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

fn mime(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "js" | "mjs" => JAVASCRIPT,
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt;

    use super::*;

    async fn fetch(url: &str, tag: Option<&str>) -> Response {
        let mut request = Request::get(url);
        if let Some(tag) = tag {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let request = request.body(Body::empty()).unwrap();
        Assets::default().router::<()>().oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn versioned_files_are_immutable_and_plain_ones_revalidated() {
        let url = asset_url(&KIT, "turno.css");
        let versioned = fetch(&url, None).await;
        assert!(versioned.headers()[CACHE_CONTROL].to_str().unwrap().contains("immutable"));
        let plain = fetch("/assets/web/turno.css", None).await;
        assert_eq!(plain.headers()[CACHE_CONTROL], "public, no-cache");
        let tag = plain.headers()[ETAG].to_str().unwrap();
        assert_eq!(fetch("/assets/web/turno.css", Some(tag)).await.status(), 304);
        let weak = format!("W/{tag}");
        assert_eq!(fetch("/assets/web/turno.css", Some(&weak)).await.status(), 304);
        let stale = fetch("/assets/web/turno.css?v=0000", None).await;
        assert_eq!(stale.headers()[CACHE_CONTROL], "public, no-cache");
    }

    #[tokio::test]
    async fn only_embedded_files_exist() {
        for url in ["/assets/web/nothing.css", "/assets/other/turno.css", "/assets/web/../x"] {
            assert_eq!(fetch(url, None).await.status(), 404, "{url}");
        }
        assert_eq!(fetch("/favicon.ico", None).await.status(), 200);
    }
}
