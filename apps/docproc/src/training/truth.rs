//! Documents with their truth beside them: `<name>.pdf` and `<name>.json` or `<name>.xml`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value as Json};

/// A directory with more documents than this is a mistake.
const MOST: usize = 20_000;
const DEEPEST: usize = 6;
/// Truth is a few values; a larger file is something else.
const LARGEST: u64 = 1 << 20;
const ENDINGS: [&str; 8] = ["pdf", "jpg", "jpeg", "png", "tif", "tiff", "txt", "text"];

/// What a document is and says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    pub doc_type: Option<String>,
    /// Field to value, in any form a person would type.
    pub fields: BTreeMap<String, String>,
}

/// A document and its truth.
#[derive(Clone, Debug)]
pub struct Case {
    pub file: PathBuf,
    pub truth: Truth,
}

/// Why documents could not be gathered.
#[derive(Debug, thiserror::Error)]
pub enum Untold {
    #[error("{} cannot be read: {reason}", .path.display())]
    Unreadable { path: PathBuf, reason: std::io::Error },
    #[error("{} is not the truth of a document: {reason}", .path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("{} and what is inside it hold more than {MOST} documents", .path.display())]
    TooMany { path: PathBuf },
}

/// Every document below a directory that has its truth beside it, by name.
pub fn cases(dir: &Path) -> Result<Vec<Case>, Untold> {
    let mut found = Vec::new();
    for file in documents(dir)? {
        if let Some(truth) = beside(&file)? {
            found.push(Case { file, truth });
        }
    }
    Ok(found)
}

/// The documents of `DIR/<type>/…`, each with its type.
pub fn labelled(dir: &Path) -> Result<Vec<(String, PathBuf)>, Untold> {
    let types = documents(dir)?.into_iter().filter_map(|file| {
        let inside = file.strip_prefix(dir).ok()?;
        let folder = inside.parent()?.components().next()?;
        Some((folder.as_os_str().to_str()?.to_owned(), file))
    });
    Ok(types.collect())
}

/// Every document below a directory, by name.
fn documents(dir: &Path) -> Result<Vec<PathBuf>, Untold> {
    let mut found = Vec::new();
    gather(dir, DEEPEST, &mut found)?;
    if found.len() > MOST {
        return Err(Untold::TooMany { path: dir.to_owned() });
    }
    found.sort();
    Ok(found)
}

fn gather(dir: &Path, deeper: usize, found: &mut Vec<PathBuf>) -> Result<(), Untold> {
    let unreadable = |reason| Untold::Unreadable { path: dir.to_owned(), reason };
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() && deeper > 0 {
            gather(&path, deeper - 1, found)?;
        } else if ends_with(&path, &ENDINGS) && path.is_file() {
            found.push(path);
        }
        if found.len() > MOST {
            return Ok(());
        }
    }
    Ok(())
}

fn ends_with(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.iter().any(|one| one.eq_ignore_ascii_case(ending)))
}

fn beside(file: &Path) -> Result<Option<Truth>, Untold> {
    let json = file.with_extension("json");
    if let Some(text) = small(&json)? {
        let malformed = |reason| Untold::Malformed { path: json.clone(), reason };
        let told: Map<String, Json> =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        return Ok(Some(of_json(&told)));
    }
    let xml = small(&file.with_extension("xml"))?;
    Ok(xml.as_deref().map(of_xml))
}

fn small(path: &Path) -> Result<Option<String>, Untold> {
    let unreadable = |reason| Untold::Unreadable { path: path.to_owned(), reason };
    match std::fs::metadata(path) {
        Ok(about) if about.len() > LARGEST => {
            let reason = format!("it is larger than {LARGEST} bytes");
            Err(Untold::Malformed { path: path.to_owned(), reason })
        }
        Ok(_) => std::fs::read_to_string(path).map(Some).map_err(unreadable),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error)),
    }
}

/// `{"doc_type": …, "fields": {…}}`, or the flat form of the public receipts: company, date,
/// address, total.
fn of_json(told: &Map<String, Json>) -> Truth {
    let word = |key: &str| told.get(key).and_then(Json::as_str).map(str::to_owned);
    if let Some(Json::Object(fields)) = told.get("fields") {
        let fields = fields.iter().filter_map(|(name, value)| Some((name.clone(), plain(value)?)));
        return Truth { doc_type: word("doc_type").or(word("kind")), fields: fields.collect() };
    }
    if told.contains_key("company") && told.contains_key("total") {
        let named = [("company", "merchant"), ("date", "date"), ("total", "total")];
        let of = |(key, name): (&str, &str)| Some((name.to_owned(), plain(told.get(key)?)?));
        let fields = named.into_iter().filter_map(of).collect();
        return Truth { doc_type: Some("receipt".to_owned()), fields };
    }
    Truth { doc_type: word("doc_type").or(word("kind")), fields: BTreeMap::new() }
}

fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(yes) => Some(yes.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// The form of the public invoices. Its `total_amount` repeats the tax: the total is what net and
/// tax make; days with slashes have the month first.
fn of_xml(text: &str) -> Truth {
    let get = |tag: &str| {
        let from = text.split_once(&format!("<{tag}>"))?.1;
        Some(from.split_once('<')?.0.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let day = |tag: &str| {
        let text = get(tag)?;
        let parts: Vec<&str> = text.split('/').collect();
        Some(match parts[..] {
            [month, day, year] => format!("{year}-{month:0>2}-{day:0>2}"),
            _ => text,
        })
    };
    let number = |tag: &str| get(tag)?.parse::<f64>().ok();
    let (net, tax) = (number("total_untaxed"), number("tax_amount"));
    let total = net.zip(tax).map(|(net, tax)| net + tax);
    let amount = |n: Option<f64>| n.map(|n| format!("{n:.2}"));
    let fields = [
        ("invoice_number", get("invoice_number")),
        ("vendor_name", get("supplier")),
        ("date", day("invoice_date")),
        ("due_date", day("invoice_date_due")),
        ("net_amount", amount(net)),
        ("tax_amount", amount(tax)),
        ("total_amount", amount(total)),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Truth { doc_type: Some("invoice".to_owned()), fields: fields.collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Json) -> Truth {
        of_json(value.as_object().unwrap())
    }

    #[test]
    fn three_forms_are_understood() {
        let ours = read(&json!({ "kind": "invoice", "fields": { "total_amount": 12.5, "x": "" } }));
        assert_eq!(ours.doc_type.as_deref(), Some("invoice"));
        assert_eq!(ours.fields, BTreeMap::from([("total_amount".into(), "12.5".into())]));
        let public = read(&json!({ "company": "ACME", "total": "$8.20", "address": "x" }));
        assert_eq!(public.doc_type.as_deref(), Some("receipt"));
        assert_eq!(public.fields["merchant"], "ACME");
        let xml = of_xml(
            "<d><invoice_number>F1</invoice_number><invoice_date>3/27/2019</invoice_date>\
             <total_untaxed>10.0</total_untaxed><tax_amount>2.1</tax_amount></d>",
        );
        assert_eq!(xml.fields["date"], "2019-03-27");
        assert_eq!(xml.fields["total_amount"], "12.10");
    }
}
