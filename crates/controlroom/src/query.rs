//! The language of every list: a filter, an order, a page.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Records of one request, also what the Control Room gives when asked for more.
pub(crate) const PAGE: usize = 100;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Query {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) filter: Option<Filter>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sort: Vec<Sort>,
    #[serde(default)]
    pub(crate) page: Page,
}

/// A comparison of a field, or several conditions together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Filter {
    pub(crate) operator: Operator,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) operands: Vec<Filter>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Operator {
    #[serde(alias = "NONE")]
    None,
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
    Substring,
    And,
    Or,
    Not,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sort {
    pub(crate) field: String,
    pub(crate) direction: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Asc,
    Desc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Page {
    #[serde(default)]
    pub(crate) offset: usize,
    #[serde(default = "page")]
    pub(crate) length: usize,
}

fn page() -> usize {
    PAGE
}

impl Default for Page {
    fn default() -> Self {
        Self { offset: 0, length: PAGE }
    }
}

impl Filter {
    pub(crate) fn is(operator: Operator, field: &str, value: impl Into<Value>) -> Self {
        let (field, value) = (Some(field.to_owned()), Some(value.into()));
        Self { operator, field, value, operands: Vec::new() }
    }

    pub(crate) fn eq(field: &str, value: impl Into<Value>) -> Self {
        Self::is(Operator::Eq, field, value)
    }

    /// Any of these; of one, itself.
    pub(crate) fn any(operands: Vec<Self>) -> Option<Self> {
        Self::together(Operator::Or, operands)
    }

    pub(crate) fn all(operands: Vec<Self>) -> Option<Self> {
        Self::together(Operator::And, operands)
    }

    fn together(operator: Operator, mut operands: Vec<Self>) -> Option<Self> {
        if operands.len() < 2 {
            return operands.pop();
        }
        Some(Self { operator, field: None, value: None, operands })
    }
}

impl Query {
    pub(crate) fn by(fields: &[&str], direction: Direction, filter: Option<Filter>) -> Self {
        let sort = fields.iter().map(|field| Sort { field: (*field).to_owned(), direction });
        Self { filter, sort: sort.collect(), page: Page::default() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_are_written_as_the_control_room_reads_them() {
        let either =
            Filter::any(vec![Filter::eq("status", "RUNNING"), Filter::eq("status", "UPDATE")]);
        let filter = Filter::all(vec![Filter::eq("deviceId", "6"), either.unwrap()]);
        let by_id = |filter| Query::by(&["id"], Direction::Asc, filter);
        let query = Query { page: Page { offset: 200, length: 100 }, ..by_id(filter) };
        assert_eq!(
            json!(query),
            json!({
                "filter": {"operator": "and", "operands": [
                    {"operator": "eq", "field": "deviceId", "value": "6"},
                    {"operator": "or", "operands": [
                        {"operator": "eq", "field": "status", "value": "RUNNING"},
                        {"operator": "eq", "field": "status", "value": "UPDATE"},
                    ]},
                ]},
                "sort": [{"field": "id", "direction": "asc"}],
                "page": {"offset": 200, "length": 100},
            })
        );
        assert_eq!(Filter::any(vec![]), None);
        assert_eq!(json!(by_id(None))["filter"], Value::Null);
    }
}
