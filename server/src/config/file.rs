//! A TOML file as a flat list of assignments that remember their line.

use std::path::Path;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::origin::{Origin, Problem};

/// `key = value` under `[section]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assignment {
    pub(crate) section: String,
    pub(crate) key: String,
    pub(crate) value: Value,
    pub(crate) line: usize,
}

/// The assignments of a file in the order of its lines.
pub(crate) fn assignments(path: &Path, text: &str) -> Result<Vec<Assignment>, Vec<Problem>> {
    let at = |line| Origin::File { path: path.to_owned(), line };
    let root = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        vec![Problem::new(at(line), "", error.message().to_owned())]
    })?;
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for (section, body) in root.get_ref() {
        let section_line = line_of(text, section.span().start);
        let DeValue::Table(body) = body.get_ref() else {
            let message = "a setting belongs under a section such as [server]";
            problems.push(Problem::new(at(section_line), section.get_ref(), message));
            continue;
        };
        for (key, value) in body {
            let line = line_of(text, key.span().start);
            match plain(value.get_ref()) {
                Ok(value) => found.push(Assignment {
                    section: section.get_ref().to_string(),
                    key: key.get_ref().to_string(),
                    value,
                    line,
                }),
                Err(message) => {
                    let name = format!("{}.{}", section.get_ref(), key.get_ref());
                    problems.push(Problem::new(at(line), &name, message));
                }
            }
        }
    }
    found.sort_by_key(|assignment| assignment.line);
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).map_or(1, |before| before.matches('\n').count() + 1)
}

fn plain(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(on) => Value::from(*on),
        DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
            .map(Value::from)
            .map_err(|_| format!("{} is too large a number", digits.as_str()))?,
        DeValue::Float(digits) => digits
            .as_str()
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map(Value::from)
            .ok_or_else(|| format!("{} is not a finite number", digits.as_str()))?,
        DeValue::Datetime(instant) => Value::from(instant.to_string()),
        DeValue::Array(items) => {
            items.iter().map(|item| plain(item.get_ref())).collect::<Result<Value, _>>()?
        }
        DeValue::Table(_) => return Err("expected a value, found a table".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn assignments_keep_the_order_and_the_lines_of_the_file() {
        let text = "# top\n[server]\nlisten = \"[::]:80\"\n\n[log]\nlevel = \"warn\"\n";
        let found = assignments(Path::new("t.toml"), text).expect("valid");
        let seen: Vec<_> = found.iter().map(|a| (a.line, a.key.as_str())).collect();
        assert_eq!(seen, [(3, "listen"), (6, "level")]);
    }

    #[test]
    fn every_plain_kind_of_value_is_read() {
        let text = "[a]\nb = true\nd = 0x10\nf = 1.5\nl = [\"x\", \"y\"]\nt = 04:30:00\n";
        let found = assignments(Path::new("t.toml"), text).expect("valid");
        let values: Vec<_> = found.into_iter().map(|a| a.value).collect();
        let time = json!("04:30:00");
        assert_eq!(values, [json!(true), json!(16), json!(1.5), json!(["x", "y"]), time]);
    }

    #[test]
    fn broken_files_name_the_line() {
        for (text, line) in [
            ("[server]\nlisten = \n", 2),
            ("listen = 1\n", 1),
            ("[a]\nb = 1\nc = { d = 1 }\n", 3),
            ("[a]\nb = 99999999999999999999\n", 2),
        ] {
            let problems = assignments(Path::new("t.toml"), text).expect_err(text);
            let expected = Origin::File { path: "t.toml".into(), line };
            assert_eq!(problems[0].origin, expected, "{text}: {}", problems[0]);
        }
    }
}
