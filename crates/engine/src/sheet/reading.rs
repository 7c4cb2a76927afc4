//! A file as rows that can be applied, or as everything that is wrong with it.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use super::cells;
use super::columns::{Column, named};
use super::csv::{self, Flaw, Record, What};

/// Rows of one file.
const MOST_ROWS: usize = 10_000;
/// Nobody mends more at once; the rest is found by the next try.
const MOST_BAD: usize = 200;

/// One row, as the fields of a JSON body. A column that the file does not have is not among them,
/// so that it can stay as it is; an empty cell is null, or an empty list.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub line: usize,
    pub fields: Map<String, Json>,
}

impl Row {
    /// Which one it is about; without an id it is a new one.
    pub fn id(&self) -> Option<i64> {
        self.fields.get("id").and_then(Json::as_i64)
    }
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    pub line: usize,
    /// None: the line as a whole.
    pub column: Option<String>,
    pub es: String,
    pub en: String,
}

pub fn bad(line: usize, column: Option<&str>, es: impl Into<String>, en: impl Into<String>) -> Bad {
    Bad { line, column: column.map(str::to_owned), es: es.into(), en: en.into() }
}

/// All the rows, or what is wrong with them; never some of both.
///
/// `together` says what each cell cannot know by itself.
pub fn read(
    columns: &'static [Column],
    bytes: &[u8],
    together: impl Fn(&Row) -> Vec<Bad>,
) -> Result<Vec<Row>, Vec<Bad>> {
    let text = str::from_utf8(bytes).map_err(|error| vec![not_utf8(bytes, error.valid_up_to())])?;
    // The heading is a record too.
    let records = csv::records(text, MOST_ROWS + 1).map_err(|flaw| vec![torn(flaw)])?;
    let Some((heading, records)) = records.split_first() else {
        return Err(vec![bad(1, None, "El archivo está vacío.", "The file is empty.")]);
    };
    let columns = headings(columns, heading)?;
    let mut wrong = Vec::new();
    let mut rows = Vec::new();
    for record in records {
        let before = wrong.len();
        let row = row(&columns, record, &mut wrong);
        wrong.extend(row.iter().flat_map(&together));
        rows.extend(row.filter(|_| wrong.len() == before));
        if wrong.len() >= MOST_BAD {
            break;
        }
    }
    repeated(&columns, &rows, &mut wrong);
    wrong.truncate(MOST_BAD);
    if wrong.is_empty() { Ok(rows) } else { Err(wrong) }
}

fn headings(known: &'static [Column], heading: &Record) -> Result<Vec<&'static Column>, Vec<Bad>> {
    let mut wrong = Vec::new();
    let mut columns: Vec<&'static Column> = Vec::new();
    for name in &heading.fields {
        let name = name.trim();
        match named(known, name) {
            Some(column) if !columns.contains(&column) => columns.push(column),
            Some(_) => {
                let (es, en) = ("La columna está dos veces.", "The column is there twice.");
                wrong.push(bad(heading.line, Some(name), es, en));
            }
            None => {
                let names: Vec<&str> = known.iter().map(|column| column.name).collect();
                let names = names.join(", ");
                let es = format!("No es una columna conocida: {names}.");
                let en = format!("Not a known column: {names}.");
                let short: String = name.chars().take(60).collect();
                wrong.push(bad(heading.line, Some(&short), es, en));
            }
        }
        if wrong.len() >= MOST_BAD {
            break;
        }
    }
    for column in known.iter().filter(|column| column.need.is_required()) {
        if !columns.contains(&column) {
            let (es, en) = ("Falta la columna.", "The column is missing.");
            wrong.push(bad(heading.line, Some(column.name), es, en));
        }
    }
    if wrong.is_empty() { Ok(columns) } else { Err(wrong) }
}

fn row(columns: &[&'static Column], record: &Record, wrong: &mut Vec<Bad>) -> Option<Row> {
    let (line, found, expected) = (record.line, record.fields.len(), columns.len());
    if found != expected {
        let es = format!("La fila tiene {found} columnas y el encabezado {expected}.");
        let en = format!("The row has {found} columns and the heading {expected}.");
        wrong.push(bad(line, None, es, en));
        return None;
    }
    let before = wrong.len();
    let mut fields = Map::new();
    for (column, cell) in columns.iter().zip(&record.fields) {
        match cells::typed(column.kind, cell) {
            Ok(value) if value.is_null() && column.need.is_required() => {
                wrong.push(bad(line, Some(column.name), "falta", "is missing"));
            }
            Ok(value) => {
                fields.insert(column.name.to_owned(), value);
            }
            Err((es, en)) => wrong.push(bad(line, Some(column.name), es, en)),
        }
    }
    (wrong.len() == before).then_some(Row { line, fields })
}

fn repeated(columns: &[&'static Column], rows: &[Row], wrong: &mut Vec<Bad>) {
    for column in columns.iter().filter(|column| column.need.is_unique()) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for row in rows {
            let Some(value) = row.fields.get(column.name).filter(|value| !value.is_null()) else {
                continue;
            };
            let first = *seen.entry(value.to_string().to_lowercase()).or_insert(row.line);
            if first != row.line {
                let es = format!("repite el valor de la línea {first}");
                let en = format!("repeats the value of line {first}");
                wrong.push(bad(row.line, Some(column.name), es, en));
            }
        }
    }
}

fn not_utf8(bytes: &[u8], valid: usize) -> Bad {
    let line = bytes[..valid].split(|byte| *byte == b'\n').count();
    bad(
        line,
        None,
        "El archivo no está en UTF-8; se guarda como «CSV UTF-8».",
        "The file is not UTF-8; save it as “CSV UTF-8”.",
    )
}

fn torn(flaw: Flaw) -> Bad {
    let (es, en) = match flaw.what {
        What::Unclosed => (
            "Unas comillas se abren y no se cierran.".to_owned(),
            "A quote is opened and never closed.".to_owned(),
        ),
        What::Stray => {
            ("Hay unas comillas fuera de lugar.".to_owned(), "A quote is out of place.".to_owned())
        }
        What::TooManyRecords { .. } => (
            format!("El archivo tiene más de {MOST_ROWS} filas."),
            format!("The file has more than {MOST_ROWS} rows."),
        ),
    };
    bad(flaw.line, None, es, en)
}
