//! PDF invoices that carry their own truth: the XML inside them says what is printed on them.

use std::{collections::BTreeMap, fs, io::Read as _, path::Path};

use anyhow::{Context as _, Result};
use docproc::training::{Case, Truth};
use flate2::read::ZlibDecoder;

/// An XML larger than this is none of an invoice.
const LARGEST: u64 = 4 << 20;

/// Every PDF of a directory that holds a Factur-X or `ZUGFeRD` invoice.
pub(super) fn cases(dir: &Path) -> Result<Vec<Case>> {
    let entries = fs::read_dir(dir).with_context(|| dir.display().to_string())?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "pdf"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
        if let Some(truth) = embedded(&bytes).as_deref().and_then(truth) {
            cases.push(Case { file, truth });
        }
    }
    Ok(cases)
}

/// The invoice among the streams of a PDF, deflated or plain.
pub(super) fn embedded(pdf: &[u8]) -> Option<String> {
    let mut rest = pdf;
    while let Some(at) = find(rest, b"stream") {
        rest = &rest[at + 6..];
        let body = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"));
        let Some(body) = body else { continue };
        let end = find(body, b"endstream")?;
        let mut text = Vec::new();
        if ZlibDecoder::new(&body[..end]).take(LARGEST).read_to_end(&mut text).is_err() {
            text = body[..end].to_vec();
        }
        rest = &body[end + 9..];
        let text = String::from_utf8_lossy(&text);
        if text.contains("CrossIndustryInvoice") && text.contains("ExchangedDocument>") {
            return Some(text.into_owned());
        }
    }
    None
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// What stands inside the first element of a name, whatever its prefix, behind some place.
fn inside<'x>(xml: &'x str, path: &[&str]) -> Option<&'x str> {
    let mut rest = xml;
    for name in path {
        let wanted = format!(":{name}");
        let mut tags = rest.match_indices(&wanted);
        rest = tags.find_map(|(at, tag)| {
            let after = &rest[at + tag.len()..];
            let opens = rest[..at].rfind('<').is_some_and(|open| !rest[open..at].contains('/'));
            let whole = after.starts_with(['>', ' ']);
            (opens && whole).then(|| after.split_once('>').map(|(_, inner)| inner)).flatten()
        })?;
    }
    rest.split('<').next().map(str::trim).filter(|text| !text.is_empty())
}

fn truth(xml: &str) -> Option<Truth> {
    let day = inside(xml, &["ExchangedDocument", "IssueDateTime", "DateTimeString"])?;
    let day = format!("{}-{}-{}", day.get(..4)?, day.get(4..6)?, day.get(6..8)?);
    let name = inside(xml, &["SellerTradeParty", "Name"])?;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ").replace("&amp;", "&");
    let total = ["SpecifiedTradeSettlementHeaderMonetarySummation", "GrandTotalAmount"];
    let fields = BTreeMap::from([
        ("invoice_number".to_owned(), inside(xml, &["ExchangedDocument", "ID"])?.to_owned()),
        ("date".to_owned(), day),
        ("vendor_name".to_owned(), name),
        ("total_amount".to_owned(), inside(xml, &total)?.to_owned()),
    ]);
    Some(Truth { doc_type: Some("invoice".to_owned()), fields })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_is_found_in_the_streams() {
        let xml = "<rsm:CrossIndustryInvoice><rsm:ExchangedDocument><ram:ID>A-1</ram:ID>\
            <ram:IssueDateTime><udt:DateTimeString format=\"102\">20240305</udt:DateTimeString>\
            </ram:IssueDateTime></rsm:ExchangedDocument><ram:SellerTradeParty><ram:Name>Ann &amp; \
            Co</ram:Name></ram:SellerTradeParty>\
            <ram:SpecifiedTradeSettlementHeaderMonetarySummation>\
            <ram:GrandTotalAmount>12.50</ram:GrandTotalAmount></ram:SpecifiedTradeSettlementHeader\
            MonetarySummation></rsm:CrossIndustryInvoice>";
        let pdf =
            format!("%PDF 1 0 obj stream\nnothing\nendstream 2 0 obj stream\r\n{xml}\nendstream");
        let told = embedded(pdf.as_bytes()).as_deref().and_then(truth).expect("it is there");
        assert_eq!(told.fields["vendor_name"], "Ann & Co");
        assert_eq!(
            (told.fields["date"].as_str(), told.fields["total_amount"].as_str()),
            ("2024-03-05", "12.50")
        );
        assert!(embedded(b"%PDF stream\nendstream").is_none());
    }
}
