//! What a workflow wants to know about a kind of document.

use std::collections::HashSet;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// More fields than any form has; a schema beyond it is a mistake.
const MAX_FIELDS: usize = 200;
/// More columns than fit on paper.
const MAX_COLUMNS: usize = 20;
/// Bytes a compiled pattern may take: enough for any field, too little to exhaust a worker.
const PATTERN_LIMIT: usize = 1 << 18;

/// The columns of the lines of an invoice.
const INVOICE_LINES: [(&str, CellKind); 5] = [
    ("description", CellKind::Text),
    ("quantity", CellKind::Number),
    ("unit_price", CellKind::Money),
    ("tax", CellKind::Percent),
    ("amount", CellKind::Money),
];

/// The fields of one kind of document, as `extraction_schemas` declares them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    pub fields: Vec<FieldSpec>,
}

/// One field: what it is called, what it holds, and how to recognise it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldSpec {
    pub name: String,
    #[serde(rename = "type", default)]
    pub kind: Kind,
    #[serde(default)]
    pub required: bool,
    /// Printed labels, besides the ones known for fields of this name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The whole value must match; without labels it also finds the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// The allowed values of an `enum`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validators: Vec<String>,
    /// The columns of a `table`; without any those of the lines of an invoice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Column>,
}

/// One column of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub name: String,
    #[serde(rename = "type", default)]
    pub kind: CellKind,
    /// Words printed at its head, besides the ones known for columns of this name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    #[default]
    Text,
    Number,
    Money,
    Percent,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    String,
    Decimal,
    Date,
    Integer,
    Iban,
    TaxId,
    Enum,
    /// Rows of cells: the lines of an invoice.
    Table,
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaProblem {
    #[error("the schema declares {0} fields; {MAX_FIELDS} are allowed")]
    TooManyFields(usize),
    #[error("a field has no name")]
    NoName,
    #[error("the field `{0}` is declared twice")]
    Twice(String),
    #[error("the pattern of `{field}` cannot be used: {reason}")]
    Pattern { field: String, reason: String },
    #[error("`{0}` is an enum without values")]
    NoValues(String),
    #[error("`{field}` asks for the unknown validator `{validator}`")]
    UnknownValidator { field: String, validator: String },
    #[error("`{0}` has columns and is no table")]
    StrayColumns(String),
    #[error("the table `{0}` takes columns, and neither labels, regex, values nor validators")]
    NotForTables(String),
    #[error("the table `{0}` declares more than {MAX_COLUMNS} columns")]
    TooManyColumns(String),
    #[error("a column of the table `{0}` has no name")]
    NamelessColumn(String),
    #[error("the column `{column}` of `{field}` is declared twice")]
    ColumnTwice { field: String, column: String },
}

/// A rule a value must pass, besides being of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validator {
    Dni,
    Nie,
    Cif,
    /// Any Spanish tax id.
    Nif,
    /// The form of a European VAT number.
    Vat,
    Iban,
    Positive,
    NotNegative,
    NotFuture,
    /// The value agrees with a machine-readable zone whose check digits hold.
    Mrz,
}

impl Validator {
    pub const ALL: [(&str, Self); 10] = [
        ("dni", Self::Dni),
        ("nie", Self::Nie),
        ("cif", Self::Cif),
        ("nif", Self::Nif),
        ("vat", Self::Vat),
        ("iban", Self::Iban),
        ("positive", Self::Positive),
        ("not_negative", Self::NotNegative),
        ("not_future", Self::NotFuture),
        ("mrz", Self::Mrz),
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, validator)| *validator)
    }

    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, validator)| *validator == self);
        named.map_or("", |(name, _)| name)
    }
}

impl Schema {
    /// Everything that makes the schema unusable, so that a workflow is refused when it is loaded.
    pub fn check(&self) -> Vec<SchemaProblem> {
        let mut problems = Vec::new();
        if self.fields.len() > MAX_FIELDS {
            problems.push(SchemaProblem::TooManyFields(self.fields.len()));
        }
        let mut names = HashSet::new();
        for field in &self.fields {
            if field.name.trim().is_empty() {
                problems.push(SchemaProblem::NoName);
            } else if !names.insert(field.name.as_str()) {
                problems.push(SchemaProblem::Twice(field.name.clone()));
            }
            if let Some(Err(error)) = field.pattern() {
                let reason = error.to_string();
                problems.push(SchemaProblem::Pattern { field: field.name.clone(), reason });
            }
            if field.kind == Kind::Enum && field.values.is_empty() {
                problems.push(SchemaProblem::NoValues(field.name.clone()));
            }
            let unknown = field.validators.iter().filter(|name| Validator::named(name).is_none());
            problems.extend(unknown.map(|validator| SchemaProblem::UnknownValidator {
                field: field.name.clone(),
                validator: validator.clone(),
            }));
            problems.extend(field.check_columns());
        }
        problems
    }
}

impl FieldSpec {
    /// A field known by its name alone.
    pub fn new(name: &str, kind: Kind) -> Self {
        Self { name: name.to_owned(), kind, ..Self::default() }
    }

    /// The pattern, anchored at both ends.
    pub(crate) fn pattern(&self) -> Option<Result<Regex, regex::Error>> {
        let pattern = self.regex.as_ref()?;
        let anchored = format!("^(?:{pattern})$");
        Some(RegexBuilder::new(&anchored).size_limit(PATTERN_LIMIT).build())
    }

    /// The columns of a table: those it declares, else those of the lines of an invoice.
    pub fn table_columns(&self) -> Vec<Column> {
        let column = |(name, kind): &(&str, CellKind)| Column {
            name: (*name).to_owned(),
            kind: *kind,
            labels: Vec::new(),
        };
        let usual = || INVOICE_LINES.iter().map(column).collect();
        if self.columns.is_empty() { usual() } else { self.columns.clone() }
    }

    fn check_columns(&self) -> Vec<SchemaProblem> {
        let name = || self.name.clone();
        if self.kind != Kind::Table {
            let stray = (!self.columns.is_empty()).then(|| SchemaProblem::StrayColumns(name()));
            return stray.into_iter().collect();
        }
        let mut problems = Vec::new();
        let plain = self.labels.is_empty() && self.values.is_empty() && self.validators.is_empty();
        if !plain || self.regex.is_some() {
            problems.push(SchemaProblem::NotForTables(name()));
        }
        if self.columns.len() > MAX_COLUMNS {
            problems.push(SchemaProblem::TooManyColumns(name()));
        }
        let mut names = HashSet::new();
        for column in &self.columns {
            if column.name.trim().is_empty() {
                problems.push(SchemaProblem::NamelessColumn(name()));
            } else if !names.insert(column.name.as_str()) {
                let column = column.name.clone();
                problems.push(SchemaProblem::ColumnTwice { field: name(), column });
            }
        }
        problems
    }

    pub(crate) fn asks_for(&self, validator: Validator) -> bool {
        self.validators.iter().any(|name| name == validator.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_reads_as_the_workflow_writes_it() {
        let text = r#"{"fields":[{"name":"total_amount","type":"decimal","required":true},
            {"name":"vendor_name","type":"string","labels":["Proveedor"]}]}"#;
        let schema: Schema = serde_json::from_str(text).unwrap();
        assert_eq!(schema.fields[0].kind, Kind::Decimal);
        assert!(schema.fields[0].required && !schema.fields[1].required);
        assert_eq!(schema.check(), vec![]);
    }

    #[test]
    fn every_mistake_is_told() {
        let broken = FieldSpec {
            regex: Some("(".into()),
            validators: vec!["luck".into()],
            ..FieldSpec::new("a", Kind::Enum)
        };
        let huge = FieldSpec { regex: Some("(a{999}){999}".into()), ..broken.clone() };
        let problems = Schema { fields: vec![broken, huge, FieldSpec::default()] }.check();
        let said: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|s| s.contains("pattern of `a`")), "{said:?}");
        assert!(said.iter().any(|s| s.contains("`luck`")));
        assert!(said.iter().any(|s| s.contains("declared twice")));
        assert!(said.iter().any(|s| s == "a field has no name"));
        assert_eq!(said.iter().filter(|s| s.contains("enum without values")).count(), 2);
    }

    #[test]
    fn a_table_has_columns_and_nothing_else() {
        let text = r#"{"fields":[{"name":"lines","type":"table"},
            {"name":"parts","type":"table","columns":[{"name":"sku","labels":["SKU"]},
            {"name":"amount","type":"money"}]}]}"#;
        let schema: Schema = serde_json::from_str(text).unwrap();
        assert_eq!(schema.check(), vec![]);
        let names = |n: usize| -> Vec<String> {
            schema.fields[n].table_columns().into_iter().map(|column| column.name).collect()
        };
        assert_eq!(names(0), ["description", "quantity", "unit_price", "tax", "amount"]);
        assert_eq!(names(1), ["sku", "amount"]);
        let column = |name: &str| Column { name: name.into(), ..Column::default() };
        let wrong = Schema {
            fields: vec![
                FieldSpec {
                    columns: vec![column("a"), column("a"), column(" ")],
                    validators: vec!["positive".into()],
                    ..FieldSpec::new("lines", Kind::Table)
                },
                FieldSpec { columns: vec![column("a")], ..FieldSpec::new("x", Kind::String) },
                FieldSpec { columns: vec![column("b"); 21], ..FieldSpec::new("y", Kind::Table) },
            ],
        };
        let said: Vec<_> = wrong.check().iter().map(ToString::to_string).collect();
        for part in ["neither labels", "`a` of `lines` is declared twice", "has no name"] {
            assert!(said.iter().any(|one| one.contains(part)), "{part}: {said:?}");
        }
        assert!(said.iter().any(|one| one == "`x` has columns and is no table"), "{said:?}");
        assert!(said.iter().any(|one| one.contains("more than 20 columns")), "{said:?}");
    }
}
