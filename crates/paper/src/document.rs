//! An opened file.

use image::RgbImage;

use crate::{Broken, Kind, Layer, Limits, pdf::Pdf, picture::Pictures, plain::Plain};

/// An opened document. Cheap to share in an `Arc`: pages may be read from several threads at once,
/// each call works on its own.
pub struct Document {
    form: Form,
    limits: Limits,
}

enum Form {
    Pdf(Box<Pdf>),
    Pictures(Pictures),
    Plain(Plain),
}

impl Document {
    /// Opens a file of a known kind (see [`crate::sniff`]). An archive is not a document.
    pub fn open(
        bytes: Vec<u8>,
        kind: Kind,
        password: Option<&str>,
        limits: &Limits,
    ) -> Result<Self, Broken> {
        let found = bytes.len() as u64;
        if found == 0 {
            return Err(Broken::Empty);
        }
        if found > limits.file_bytes {
            return Err(Broken::TooLarge { what: "file", found, limit: limits.file_bytes });
        }
        let form = match kind {
            Kind::Pdf => Form::Pdf(Box::new(Pdf::open(bytes, password, limits)?)),
            Kind::Tiff | Kind::Jpeg | Kind::Png => {
                Form::Pictures(Pictures::open(bytes, kind, limits)?)
            }
            Kind::Text => Form::Plain(Plain::open(&bytes, limits)?),
            Kind::Zip => return Err(Broken::Unreadable { what: "a document" }),
        };
        Ok(Self { form, limits: limits.clone() })
    }

    pub fn page_count(&self) -> usize {
        match &self.form {
            Form::Pdf(pdf) => pdf.page_count(),
            Form::Pictures(pictures) => pictures.page_count(),
            Form::Plain(plain) => plain.page_count(),
        }
    }

    /// Width and height of the upright page: points for PDF, pixels for pictures, character cells
    /// of [`crate::Layer`] units for text.
    pub fn size(&self, page: usize) -> Result<(f32, f32), Broken> {
        match &self.form {
            Form::Pdf(pdf) => pdf.size(page),
            Form::Pictures(pictures) => pictures.size(page),
            Form::Plain(plain) => plain.size(page),
        }
    }

    /// The text that the page carries; `None` when it carries none.
    pub fn text(&self, page: usize) -> Result<Option<Layer>, Broken> {
        match &self.form {
            Form::Pdf(pdf) => pdf.text(page, &self.limits),
            Form::Pictures(pictures) => pictures.size(page).map(|_| None),
            Form::Plain(plain) => plain.text(page).map(Some),
        }
    }

    /// The page as it is displayed, upright. Pictures keep their pixels whatever the `dpi`; a page
    /// that would exceed [`Limits::pixels`] is drawn smaller.
    pub fn render(&self, page: usize, dpi: f32) -> Result<RgbImage, Broken> {
        match &self.form {
            Form::Pdf(pdf) => pdf.render(page, dpi, &self.limits),
            Form::Pictures(pictures) => pictures.render(page, &self.limits),
            Form::Plain(plain) => plain.render(page, dpi),
        }
    }
}
