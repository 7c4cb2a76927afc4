//! A file that was opened: how many pages it has, their text and their pictures.

use image::RgbImage;

use crate::isolated::Remote;
use crate::{Broken, Kind, Layer, Limits, pdf::Pdf, picture::Pictures, plain::Plain};

/// An opened document. Cheap to share in an `Arc`: pages may be read from several threads at once,
/// each call works on its own.
pub struct Document {
    form: Form,
    limits: Limits,
}

/// Refuses a file by its length, before anybody opens it.
pub(crate) fn check_length(found: u64, limits: &Limits) -> Result<(), Broken> {
    if found == 0 {
        return Err(Broken::Empty);
    }
    if found > limits.file_bytes {
        return Err(Broken::TooLarge { what: "file", found, limit: limits.file_bytes });
    }
    Ok(())
}

enum Form {
    Pdf(Box<Pdf>),
    Pictures(Pictures),
    Plain(Plain),
    /// Open in another process.
    Remote(Box<Remote>),
}

impl Document {
    /// Opens a file of a known kind (see [`crate::sniff`]) in this very process; strangers' files
    /// are opened by a [`crate::Renderer`]. An archive is not a document.
    pub fn open(
        bytes: Vec<u8>,
        kind: Kind,
        password: Option<&str>,
        limits: &Limits,
    ) -> Result<Self, Broken> {
        check_length(bytes.len() as u64, limits)?;
        let form = match kind {
            Kind::Pdf => Form::Pdf(Box::new(Pdf::open(bytes, password, limits)?)),
            Kind::Tiff | Kind::Jpeg | Kind::Png => {
                Form::Pictures(Pictures::open(bytes, kind, limits)?)
            }
            Kind::Text => Form::Plain(Plain::open(&bytes, limits)?),
            Kind::Zip | Kind::Mail => return Err(Broken::Unreadable { what: "a document" }),
        };
        Ok(Self { form, limits: limits.clone() })
    }

    pub(crate) fn remote(remote: Remote) -> Self {
        let limits = remote.limits().clone();
        Self { form: Form::Remote(Box::new(remote)), limits }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn page_count(&self) -> usize {
        match &self.form {
            Form::Remote(remote) => remote.page_count(),
            Form::Pdf(pdf) => pdf.page_count(),
            Form::Pictures(pictures) => pictures.page_count(),
            Form::Plain(plain) => plain.page_count(),
        }
    }

    /// Width and height of the upright page: points for PDF, pixels for pictures, character cells
    /// of [`crate::Layer`] units for text.
    pub fn size(&self, page: usize) -> Result<(f32, f32), Broken> {
        match &self.form {
            Form::Remote(remote) => remote.size(page),
            Form::Pdf(pdf) => pdf.size(page),
            Form::Pictures(pictures) => pictures.size(page),
            Form::Plain(plain) => plain.size(page),
        }
    }

    /// The text that the page carries; `None` when it carries none.
    pub fn text(&self, page: usize) -> Result<Option<Layer>, Broken> {
        match &self.form {
            Form::Remote(remote) => remote.text(page),
            Form::Pdf(pdf) => pdf.text(page, &self.limits),
            Form::Pictures(pictures) => pictures.size(page).map(|_| None),
            Form::Plain(plain) => plain.text(page).map(Some),
        }
    }

    /// The page as it is displayed, upright. Pictures keep their pixels whatever the `dpi`; a page
    /// that would exceed [`Limits::drawn`] is drawn smaller.
    pub fn render(&self, page: usize, dpi: f32) -> Result<RgbImage, Broken> {
        self.draw(page, dpi, u32::MAX)
    }

    /// The same, with no side longer than so many pixels.
    pub fn draw(&self, page: usize, dpi: f32, side: u32) -> Result<RgbImage, Broken> {
        match &self.form {
            Form::Remote(remote) => remote.draw(page, dpi, side),
            Form::Pdf(pdf) => pdf.draw(page, dpi, side, &self.limits),
            Form::Pictures(pictures) => pictures.draw(page, side, &self.limits),
            Form::Plain(plain) => plain.draw(page, dpi, side),
        }
    }
}
