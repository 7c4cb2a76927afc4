//! Comma-separated records (RFC 4180) that a spreadsheet can open without running anything, and
//! the way back.

/// One record and the line it begins on, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub line: usize,
    pub fields: Vec<String>,
}

/// Where a text stops being records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaw {
    pub line: usize,
    pub what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A quote that nothing closes.
    Unclosed,
    /// Something between a closing quote and the separator, or a quote inside a bare field.
    Stray,
    TooManyRecords {
        most: usize,
    },
}

/// The records of a text, blank lines left out. Excel writes semicolons where a comma is a decimal
/// sign, so the separator is the first of `,`, `;` and tab in the first line.
pub fn records(text: &str, most: usize) -> Result<Vec<Record>, Flaw> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { rest: text.chars().peekable(), line: 1, separator: separator(text) };
    let mut records = Vec::new();
    while reader.rest.peek().is_some() {
        let line = reader.line;
        let fields = reader.record()?;
        if fields.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        if records.len() == most {
            return Err(Flaw { line, what: What::TooManyRecords { most } });
        }
        records.push(Record { line, fields });
    }
    Ok(records)
}

fn separator(text: &str) -> char {
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' | ';' | '\t' if !quoted => return c,
            '\r' | '\n' if !quoted => break,
            _ => {}
        }
    }
    ','
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    separator: char,
}

impl Reader<'_> {
    fn record(&mut self) -> Result<Vec<String>, Flaw> {
        let mut fields = Vec::new();
        loop {
            let field =
                if self.rest.next_if_eq(&'"').is_some() { self.quoted()? } else { self.bare()? };
            fields.push(unguarded(field));
            match self.rest.next() {
                Some(c) if c == self.separator => {}
                Some('\r') => {
                    self.rest.next_if_eq(&'\n');
                    break;
                }
                Some('\n') | None => break,
                Some(_) => return Err(self.flaw(What::Stray)),
            }
        }
        self.line += 1;
        Ok(fields)
    }

    fn bare(&mut self) -> Result<String, Flaw> {
        let mut field = String::new();
        let separator = self.separator;
        while let Some(c) = self.rest.next_if(|c| *c != separator && *c != '\r' && *c != '\n') {
            if c == '"' {
                return Err(self.flaw(What::Stray));
            }
            field.push(c);
        }
        Ok(field)
    }

    /// After the opening quote, up to and with the closing one.
    fn quoted(&mut self) -> Result<String, Flaw> {
        let opened = self.line;
        let mut field = String::new();
        while let Some(c) = self.rest.next() {
            match c {
                '"' if self.rest.next_if_eq(&'"').is_some() => field.push('"'),
                '"' => return Ok(field),
                '\n' => {
                    self.line += 1;
                    field.push(c);
                }
                _ => field.push(c),
            }
        }
        Err(Flaw { line: opened, what: What::Unclosed })
    }

    const fn flaw(&self, what: What) -> Flaw {
        Flaw { line: self.line, what }
    }
}

/// One record.
pub fn line(fields: &[&str]) -> String {
    let mut line = fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",");
    line.push_str("\r\n");
    line
}

/// Spreadsheets take what begins like a formula for one; an apostrophe before it makes it text.
fn quoted(field: &str) -> String {
    let guard = if is_risky(field) && !is_number(field) { "'" } else { "" };
    format!("\"{guard}{}\"", field.replace('"', "\"\""))
}

fn unguarded(field: String) -> String {
    match field.strip_prefix('\'') {
        Some(bare) if is_risky(bare) => bare.to_owned(),
        Some(_) | None => field,
    }
}

/// Behind any apostrophes, which are doubled and undoubled like quotes.
fn is_risky(field: &str) -> bool {
    field.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
}

fn is_number(field: &str) -> bool {
    let digits = field.strip_prefix('-').unwrap_or(field);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<Vec<String>> {
        records(text, 100).unwrap().into_iter().map(|record| record.fields).collect()
    }

    fn flaw(text: &str) -> (usize, What) {
        let flaw = records(text, 2).unwrap_err();
        (flaw.line, flaw.what)
    }

    #[test]
    fn separators_quotes_and_line_ends_of_every_house() {
        let rows = [["a", "b,;"], ["", "say \"x\""]];
        assert_eq!(read("a,\"b,;\"\r\n,\"say \"\"x\"\"\"\r\n"), rows);
        assert_eq!(read("\u{feff}a;\"b,;\"\n\n ; \n;\"say \"\"x\"\"\""), rows);
        assert_eq!(read("a\t\"b,;\"\r\t\"say \"\"x\"\"\"\r"), rows);
        assert_eq!(read(""), Vec::<Vec<String>>::new());
    }

    #[test]
    fn lines_are_counted_through_quoted_breaks() {
        let found = records("a\n\"x\r\ny\nz\"\n\nb\n", 9).unwrap();
        let lines: Vec<_> = found.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 2, 6]);
    }

    #[test]
    fn what_is_torn_is_named_with_its_line() {
        assert_eq!(flaw("a\n\"b\nc"), (2, What::Unclosed));
        assert_eq!(flaw("a\nb\"c\n"), (2, What::Stray));
        assert_eq!(flaw("\"a\"b\n"), (1, What::Stray));
        assert_eq!(flaw("a\nb\nc\n"), (3, What::TooManyRecords { most: 2 }));
    }

    #[test]
    fn formulas_are_text_and_numbers_are_numbers() {
        for formula in ["=1+1", "+1", "-1+cmd", "@x", "\t=1", "-"] {
            assert!(line(&[formula]).starts_with("\"'"), "{formula}");
        }
        assert_eq!(line(&["-1", "'tis"]), "\"-1\",\"'tis\"\r\n");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            rows in prop::collection::vec(prop::collection::vec("[a-z'=@\"\\-,;\t\r\n ñ]{0,6}", 1..4), 1..5),
        ) {
            // A separator in sight, and no row that reads as a blank line.
            let rows: Vec<Vec<String>> = rows
                .into_iter()
                .map(|row| ["x".to_owned()].into_iter().chain(row).collect())
                .collect();
            let text: String = rows
                .iter()
                .map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()))
                .collect();
            prop_assert_eq!(read(&text), rows);
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            if let Ok(found) = records(&text, 10) {
                prop_assert!(found.windows(2).all(|pair| pair[0].line < pair[1].line));
            }
        }
    }
}
