//! Filter, order and page, applied to records as they are listed.

use std::cmp::Ordering;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::query::{Direction, Filter, Operator, Query};

/// Records of one answer at most.
const LONGEST: usize = 1000;

/// Conditions inside conditions; JSON of a request cannot be deeper either.
const DEEPEST: usize = 32;

/// What a list is made from.
pub(super) trait Record {
    fn field(&self, name: &str) -> Value;

    /// The whole of it, asked for only what is on the page.
    fn show(&self) -> Value;
}

impl Record for Value {
    fn field(&self, name: &str) -> Value {
        self[name].clone()
    }

    fn show(&self) -> Value {
        self.clone()
    }
}

/// The answer to a query, or what is wrong with it. `fields` are those that records have.
pub(super) fn select<T: Record>(
    records: Vec<T>,
    fields: &str,
    query: &Query,
) -> Result<Value, String> {
    let condition = query.filter.as_ref().map(|filter| Condition::of(filter, fields, 0));
    let condition = condition.transpose()?;
    for sort in &query.sort {
        known(&sort.field, fields)?;
    }
    let total = records.len();
    let fits = |record: &T| condition.as_ref().is_none_or(|condition| condition.holds(record));
    let found = records.into_iter().filter(fits);
    let mut list: Vec<(Vec<Key>, T)> = found
        .map(|record| {
            let keys = query.sort.iter().map(|sort| Key::of(&record.field(&sort.field)));
            (keys.collect(), record)
        })
        .collect();
    list.sort_by(|(a, _), (b, _)| {
        let orders =
            query.sort.iter().zip(a.iter().zip(b)).map(|(sort, (a, b))| match sort.direction {
                Direction::Asc => a.cmp(b),
                Direction::Desc => b.cmp(a),
            });
        orders.fold(Ordering::Equal, Ordering::then)
    });
    let (offset, found) = (query.page.offset, list.len());
    let page = list.iter().skip(offset).take(query.page.length.min(LONGEST));
    let list: Vec<Value> = page.map(|(_, record)| record.show()).collect();
    Ok(json!({ "page": { "offset": offset, "total": total, "totalFilter": found }, "list": list }))
}

fn known(field: &str, fields: &str) -> Result<(), String> {
    let known = fields.split_whitespace().any(|one| one == field);
    if known { Ok(()) } else { Err(format!("Invalid field '{field}'")) }
}

/// A filter that has been understood.
struct Condition {
    operator: Operator,
    field: String,
    key: Key,
    part: String,
    operands: Vec<Condition>,
}

impl Condition {
    fn of(filter: &Filter, fields: &str, depth: usize) -> Result<Self, String> {
        if depth > DEEPEST {
            return Err("The filter is too deep".to_owned());
        }
        let together = [Operator::None, Operator::And, Operator::Or, Operator::Not];
        if !together.contains(&filter.operator) {
            known(filter.field.as_deref().ok_or("A comparison needs a field")?, fields)?;
        }
        let operands = filter.operands.iter().map(|operand| Self::of(operand, fields, depth + 1));
        let value = filter.value.as_ref().unwrap_or(&Value::Null);
        Ok(Self {
            operator: filter.operator,
            field: filter.field.clone().unwrap_or_default(),
            key: Key::of(value),
            part: plain(value).to_lowercase(),
            operands: operands.collect::<Result<_, _>>()?,
        })
    }

    fn holds(&self, record: &impl Record) -> bool {
        let key = || Key::of(&record.field(&self.field));
        // What is not there is neither before nor after anything.
        let compared = |fits: fn(Ordering) -> bool| {
            let key = key();
            key != Key::Absent && fits(key.cmp(&self.key))
        };
        match self.operator {
            Operator::None => true,
            Operator::And => self.operands.iter().all(|operand| operand.holds(record)),
            Operator::Or => self.operands.iter().any(|operand| operand.holds(record)),
            Operator::Not => !self.operands.iter().any(|operand| operand.holds(record)),
            Operator::Eq => key() == self.key,
            Operator::Ne => key() != self.key,
            Operator::Lt => compared(Ordering::is_lt),
            Operator::Le => compared(Ordering::is_le),
            Operator::Ge => compared(Ordering::is_ge),
            Operator::Gt => compared(Ordering::is_gt),
            Operator::Substring => {
                plain(&record.field(&self.field)).to_lowercase().contains(&self.part)
            }
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What a value is compared as: numbers and instants also where they are written as text. Kinds are
/// ordered among themselves, so that any records can be sorted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Absent,
    Number(i64),
    Instant(Timestamp),
    Text(String),
}

impl Key {
    fn of(value: &Value) -> Self {
        if value.is_null() {
            return Self::Absent;
        }
        let text = plain(value);
        if let Ok(number) = text.parse() {
            return Self::Number(number);
        }
        text.parse().map_or(Self::Text(text), Self::Instant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &str = "id status createdOn";

    fn ids(query: &Value) -> Vec<i64> {
        let record = |id: i64, status: &str, created: Value| json!({"id": id.to_string(), "status": status, "createdOn": created});
        let records = vec![
            record(9, "RUNNING", json!("2026-05-04T12:00:00Z")),
            record(10, "QUEUED", Value::Null),
            record(2, "COMPLETED", json!("2026-05-04T12:00:00.5Z")),
        ];
        let query: Query = serde_json::from_value(query.clone()).unwrap();
        let answer = select(records, FIELDS, &query).unwrap();
        assert_eq!(answer["page"]["total"], 3);
        let id = |record: &Value| record["id"].as_str().unwrap().parse().unwrap();
        answer["list"].as_array().unwrap().iter().map(id).collect()
    }

    #[test]
    fn lists_are_filtered_sorted_and_cut() {
        assert_eq!(ids(&json!({})), [9, 10, 2]);
        let sort = |field: &str, direction: &str| json!([{"field": field, "direction": direction}]);
        assert_eq!(ids(&json!({"sort": sort("id", "asc")})), [2, 9, 10]);
        assert_eq!(ids(&json!({"sort": sort("createdOn", "desc")})), [2, 9, 10]);
        let page = json!({"offset": 1, "length": 1});
        assert_eq!(ids(&json!({"sort": sort("id", "desc"), "page": page})), [9]);
        let is = |operator: &str, field: &str, value: Value| json!({"operator": operator, "field": field, "value": value});
        assert_eq!(ids(&json!({"filter": is("eq", "id", json!(10))})), [10]);
        assert_eq!(ids(&json!({"filter": is("ge", "id", json!("9"))})), [9, 10]);
        assert_eq!(ids(&json!({"filter": is("substring", "status", json!("run"))})), [9]);
        let late = is("gt", "createdOn", json!("2026-05-04T09:00:00-03:00"));
        assert_eq!(ids(&json!({"filter": late})), [2]);
        let either =
            json!({"operator": "or", "operands": [late, is("eq", "status", json!("QUEUED"))]});
        assert_eq!(ids(&json!({"filter": either})), [10, 2]);
        assert_eq!(ids(&json!({"filter": {"operator": "not", "operands": [either]}})), [9]);
    }

    #[test]
    fn fields_that_are_not_there_are_refused() {
        let query: Query =
            serde_json::from_value(json!({"sort": [{"field": "colour", "direction": "asc"}]}))
                .unwrap();
        assert_eq!(
            select::<Value>(vec![], FIELDS, &query),
            Err("Invalid field 'colour'".to_owned())
        );
    }

    #[test]
    fn records_of_any_kind_can_be_sorted() {
        let mut values =
            [json!("1a"), json!(null), json!("10"), json!(9), json!("2026-05-04T12:00:00Z")];
        values.sort_by_key(Key::of);
        let expected =
            [json!(null), json!(9), json!("10"), json!("2026-05-04T12:00:00Z"), json!("1a")];
        assert_eq!(values, expected);
    }
}
