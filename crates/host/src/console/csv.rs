//! Comma-separated lines that a spreadsheet can open without running anything.

/// One record, RFC 4180.
pub(super) fn line(fields: &[&str]) -> String {
    let mut line = fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",");
    line.push_str("\r\n");
    line
}

/// Spreadsheets take a leading `=`, `+`, `-`, `@`, tab or return for a formula; an apostrophe
/// before it makes it text again.
fn quoted(field: &str) -> String {
    let guard = if field.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) { "'" } else { "" };
    format!("\"{guard}{}\"", field.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled_and_formulas_are_text() {
        assert_eq!(line(&["a", "say \"x\", y"]), "\"a\",\"say \"\"x\"\", y\"\r\n");
        for formula in ["=1+1", "+1", "-1", "@x", "\t=1"] {
            assert!(line(&[formula]).starts_with("\"'"), "{formula}");
        }
    }
}
