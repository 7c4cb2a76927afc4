//! Language and theme, kept in two cookies.

use axum::response::{IntoResponse, Redirect};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use serde::Deserialize;

use crate::{Lang, Query, Theme};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Choice {
    lang: Option<String>,
    theme: Option<String>,
    back: Option<String>,
}

/// `GET /preferencias?lang=..&theme=..&back=..`. A plain link, so that it works without script.
pub async fn preferences(jar: CookieJar, Query(choice): Query<Choice>) -> impl IntoResponse {
    let lang = choice.lang.as_deref().and_then(Lang::from_code);
    let theme = choice.theme.as_deref().and_then(Theme::from_code);
    let jar = match lang {
        Some(lang) => jar.add(kept(Lang::COOKIE, lang.code())),
        None => jar,
    };
    let jar = match theme {
        Some(theme) => jar.add(kept(Theme::COOKIE, theme.code())),
        None => jar,
    };
    (jar, Redirect::to(local(choice.back.as_deref())))
}

/// Readable by script: the pages format live times in the chosen language.
fn kept(name: &'static str, value: &'static str) -> Cookie<'static> {
    let mut cookie = Cookie::new(name, value);
    cookie.set_path("/");
    cookie.set_same_site(SameSite::Lax);
    // 400 days is the longest a browser keeps a cookie.
    cookie.make_permanent();
    cookie
}

/// Only our own pages: anything a browser could read as another host goes home.
fn local(back: Option<&str>) -> &str {
    match back {
        Some(back)
            if back.starts_with('/')
                && !back.starts_with("//")
                && !back.contains('\\')
                && back.bytes().all(|byte| byte.is_ascii_graphic()) =>
        {
            back
        }
        Some(_) | None => "/",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_addresses_are_followed() {
        assert_eq!(local(Some("/mostrador?x=1")), "/mostrador?x=1");
        for other in ["//evil", "/\\evil", "https://evil", "evil", "/a\nb", "/á"] {
            assert_eq!(local(Some(other)), "/", "{other}");
        }
        assert_eq!(local(None), "/");
    }
}
