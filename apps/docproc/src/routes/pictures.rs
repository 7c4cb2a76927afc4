//! Pictures of pages, made when first looked at and kept.

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use host::Failure;
use image::{DynamicImage, codecs::jpeg::JpegEncoder};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem, Query};

use super::{AtDesk as _, Desk};
use crate::{
    Context,
    drivers::{
        foreground::{self, Unseen},
        storage::{Fault, Storage},
    },
    policy::Action,
    store::{Visibility, pages, requests},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(image))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// `screen` (default) or `thumb`.
    size: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) struct Size {
    word: &'static str,
    dpi: f32,
    /// No side is longer.
    side: u32,
    quality: u8,
}

const SCREEN: Size = Size { word: "screen", dpi: 150.0, side: 1800, quality: 82 };
/// For those who read it: as fine as our own engines get it.
pub(super) const READ: Size = Size { word: "read", dpi: 200.0, side: 4000, quality: 92 };
const THUMB: Size = Size { word: "thumb", dpi: 36.0, side: 320, quality: 75 };

/// A page as a picture, upright.
#[utoipa::path(get, path = "/api/docproc/requests/{id}/pages/{n}/image", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), ("n" = u32, Path), Wanted),
    responses((status = 200, content_type = "image/jpeg", body = Vec<u8>),
              (status = 422, body = Problem)))]
async fn image(
    desk: Desk,
    Path((id, n)): Path<(String, u32)>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let id = desk.id(&id)?;
    let size = match wanted.size.as_deref() {
        None | Some("screen") => SCREEN,
        Some("thumb") => THUMB,
        Some(_) => {
            let detail = desk.lang.t("size es screen o thumb.", "size is screen or thumb.");
            let problem = Problem::unprocessable("TAMANO_INVALIDO").lang(desk.lang).detail(detail);
            return Err(problem.into());
        }
    };
    let mut tx = desk.context.store.read().await?;
    if requests::find(&mut tx, desk.visibility(), &id).await?.is_none() {
        return Err(desk.no_request().into());
    }
    drop(tx);
    let picture = picture(&desk.context, desk.lang, &id, n, size).await?;
    let headers = [
        (header::CONTENT_TYPE, "image/jpeg"),
        // A page never changes; who may see it may change, so only the browser keeps it.
        (header::CACHE_CONTROL, "private, max-age=86400"),
    ];
    Ok((headers, picture).into_response())
}

/// A page as a picture: kept, or made now.
pub(super) async fn picture(
    context: &Context,
    lang: Lang,
    id: &str,
    n: u32,
    size: Size,
) -> Result<Bytes, Failure> {
    let place = Storage::picture(id, n, size.word);
    match context.runtime.storage.get(&place).await {
        Ok(kept) => Ok(kept),
        Err(Fault::Missing { .. }) => make(context, lang, id, n, size, &place).await,
        Err(fault) => Err(super::intake::unstored(lang, &fault)),
    }
}

pub(super) fn gone(lang: Lang) -> Problem {
    Problem::not_found("SOLICITUD_INEXISTENTE")
        .lang(lang)
        .detail(lang.t("No existe esa solicitud.", "Request not found."))
}

async fn make(
    context: &Context,
    lang: Lang,
    id: &str,
    n: u32,
    size: Size,
    place: &str,
) -> Result<Bytes, Failure> {
    let runtime = context.runtime.clone();
    let mut tx = context.store.read().await?;
    let request = requests::find(&mut tx, Visibility::All, id).await?;
    let request = request.ok_or_else(|| gone(lang))?;
    // A document that is still open here must not bring back what was removed.
    if request.cleared_at.is_some() {
        return Err(gone(lang).into());
    }
    let all = pages::all(&mut tx, id).await?;
    let files = requests::files(&mut tx, id).await?;
    drop(tx);
    let page = all.into_iter().find(|page| page.n == n).ok_or_else(|| gone(lang))?;
    let file = files.into_iter().find(|file| file.n == page.file);
    let file = file.ok_or_else(|| gone(lang))?;
    let wanted = foreground::Wanted {
        page: page.page_in_file as usize,
        dpi: size.dpi,
        side: size.side,
        place: place.to_owned(),
        file,
    };
    let drawn =
        foreground::picture(runtime, wanted, move |picture| encode(picture, page.turned, size));
    drawn.await.map_err(|unseen| match unseen {
        Unseen::Broken(sentence) => {
            Problem::unprocessable("SIN_IMAGEN").lang(lang).detail(lang.say(&sentence)).into()
        }
        Unseen::Storage(fault) => super::intake::unstored(lang, &fault),
    })
}

fn encode(picture: image::RgbImage, turned: i64, size: Size) -> Bytes {
    let picture = DynamicImage::ImageRgb8(picture);
    let picture = match turned {
        90 => picture.rotate90(),
        180 => picture.rotate180(),
        270 => picture.rotate270(),
        _ => picture,
    };
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, size.quality);
    // Encoding into memory fails only for sizes that a JPEG cannot have.
    let _ = picture.to_rgb8().write_with_encoder(encoder);
    bytes.into()
}
