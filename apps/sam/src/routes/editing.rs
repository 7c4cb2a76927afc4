//! The routes by which things of one kind are looked at, created, changed and removed.

/// `GET` of one thing, with its version.
// Attributes of several lines in a macro would be indented further at each formatting.
#[rustfmt::skip]
macro_rules! shown {
    ($things:ident => $view:ident, $each:tt) => {
        /// One of them; its version is the `ETag`.
        #[utoipa::path(get, path = $each, params(("id" = i64, Path)), tag = "sam",
            responses((status = 200, body = $view)))]
        async fn one(
            desk: crate::Desk,
            web::Path(id): web::Path<i64>,
        ) -> Result<axum::response::Response, host::Failure> {
            use host::edit::Editable as _;
            desk.require(crate::policy::Action::Read)?;
            let mut tx = desk.context.store.read().await?;
            let found = $things::find(&mut tx, id).await?.ok_or_else(|| $things::missing(&desk))?;
            let view = $things::view(&found, &desk, &mut tx).await?;
            Ok(host::tagged(axum::http::StatusCode::OK, view.version, view))
        }
    };
}

/// `POST`, `PUT` and `DELETE` of things that count their versions.
// Attributes of several lines in a macro would be indented further at each formatting.
#[rustfmt::skip]
macro_rules! edited {
    ($things:ident: $request:ident => $view:ident, $all:tt, $each:tt,
     $(#[$update:meta])* update, $(#[$remove:meta])* remove) => {
        /// Adds one of them.
        #[utoipa::path(post, path = $all, request_body = $request, tag = "sam",
            responses((status = 201, body = $view)))]
        async fn create(
            desk: crate::Desk,
            web::Json(request): web::Json<$request>,
        ) -> Result<axum::response::Response, host::Failure> {
            desk.require(crate::policy::Action::Edit)?;
            let view = host::edit::create::<$things>(&desk, &request).await?;
            Ok(host::tagged(axum::http::StatusCode::CREATED, view.version, view))
        }

        $(#[$update])*
        #[utoipa::path(put, path = $each, request_body = $request, tag = "sam",
            params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
            responses((status = 200, body = $view)))]
        async fn update(
            desk: crate::Desk,
            web::Path(id): web::Path<i64>,
            headers: axum::http::HeaderMap,
            web::Json(change): web::Json<serde_json::Map<String, serde_json::Value>>,
        ) -> Result<axum::response::Response, host::Failure> {
            desk.require(crate::policy::Action::Edit)?;
            let view = host::edit::update::<$things>(&desk, id, &headers, change).await?;
            Ok(host::tagged(axum::http::StatusCode::OK, view.version, view))
        }

        $(#[$remove])*
        #[utoipa::path(delete, path = $each, params(("id" = i64, Path)), tag = "sam",
            responses((status = 204)))]
        async fn remove(
            desk: crate::Desk,
            web::Path(id): web::Path<i64>,
        ) -> Result<axum::http::StatusCode, host::Failure> {
            desk.require(crate::policy::Action::Edit)?;
            host::edit::remove::<$things>(&desk, id).await?;
            Ok(axum::http::StatusCode::NO_CONTENT)
        }
    };
}
