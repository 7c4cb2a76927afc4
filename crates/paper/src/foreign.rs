//! Text that is no page: markup, data and tables, which somebody would have to read as raw
//! characters.

/// Names of files whose text is meant for programs.
const NAMES: [&str; 17] = [
    "csv", "tsv", "htm", "html", "xhtml", "mht", "eml", "xml", "json", "rtf", "svg", "ics", "vcf",
    "yaml", "yml", "sql", "ps",
];
/// A table has at least so many lines, all of the same number of columns.
const LINES: usize = 3;

pub(crate) fn is_foreign_name(name: &str) -> bool {
    let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    end.is_some_and(|end| NAMES.contains(&end.as_str()))
}

/// Whether text, by how it begins, is meant for programs.
pub(crate) fn is_foreign(first_bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first_bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    is_markup(text) || is_data(text) || is_table(text)
}

fn is_markup(text: &str) -> bool {
    let tag = text.strip_prefix('<').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '!' | '?'))
            && rest.contains('>')
    });
    tag || ["{\\rtf", "%!PS", "BEGIN:V"].into_iter().any(|start| text.starts_with(start))
}

/// JSON: a list or an object that holds one, or a name.
fn is_data(text: &str) -> bool {
    let inside = |open: char| text.strip_prefix(open).map(str::trim_start);
    inside('{').is_some_and(|rest| rest.starts_with(['"', '}']))
        || inside('[').is_some_and(|rest| rest.starts_with(['{', '[', '"']))
}

/// In prose a comma is followed by a space, and lines differ.
fn is_table(text: &str) -> bool {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // The last one may have been cut.
    if lines.len() > LINES && !text.ends_with('\n') {
        lines.pop();
    }
    let columns = |line: &str, mark: char| {
        let mut marks = 0;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            marks += usize::from(letter == mark && letters.peek() != Some(&' '));
        }
        marks
    };
    lines.len() >= LINES
        && [';', '\t', ','].into_iter().any(|mark| {
            let first = columns(lines[0], mark);
            first >= 2 && lines.iter().all(|line| columns(line, mark) == first)
        })
}
