//! The page on which documents are sent by hand.

use askama::Template;
use web::Page;

/// `/docproc/subir`: send documents and see what becomes of them.
#[derive(Template)]
#[template(path = "upload.html")]
pub struct UploadPage {
    pub page: Page,
    pub workflows: Vec<Choice>,
    /// The largest request, in bytes.
    pub most: u64,
    /// Whether this person may open the page of a request.
    pub may_read: bool,
    pub may_review: bool,
}

/// A workflow that new requests can take.
#[derive(Clone, Debug)]
pub struct Choice {
    pub name: String,
    pub description: String,
    pub types: Vec<String>,
}

impl UploadPage {
    fn limit(&self) -> String {
        // In the unit of the setting, which is how the person who set it knows it.
        format!("{}\u{a0}MB", self.page.number((self.most >> 20) as i64))
    }

    fn choice_name<'a>(&self, choice: &'a Choice) -> &'a str {
        super::words::workflow(&self.page, &choice.name)
    }

    fn choice_title(&self, choice: &Choice) -> String {
        let types: Vec<String> =
            choice.types.iter().map(|word| super::words::doc_type(&self.page, word)).collect();
        format!("{} ({})", choice.description, types.join(", ").to_lowercase())
    }
}
