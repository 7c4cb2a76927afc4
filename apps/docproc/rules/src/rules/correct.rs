//! *Corrección* (§3.8): what a person said about a document, against its schema.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use understand::extract::{Complaint, FieldSpec, Kind, Schema, check_value};

use crate::model::{EvidenceBox, FieldValue, Reading, RuleOutcome};
use engine::Sentence;

/// What a person sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Submitted {
    /// By field; absent ones stay as the machine read them, empty ones are taken away.
    pub values: BTreeMap<String, Option<String>>,
    /// Fields that are not on the paper, required or not.
    pub absent: BTreeSet<String>,
    /// Where a value was picked from.
    pub evidence: BTreeMap<String, Vec<EvidenceBox>>,
    /// Fields that were given rows, as only tables take them.
    #[serde(default)]
    pub rows: BTreeSet<String>,
}

/// A document as corrected.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    pub fields: Vec<FieldValue>,
    pub data: Map<String, Json>,
    /// What the machine said and what the person said, for every field the person spoke of.
    pub lessons: Vec<Lesson>,
}

impl Corrected {
    /// What is known of the document now. What a person said is certain.
    pub fn reading(self) -> Reading {
        let (fields, extracted_data) = (self.fields, self.data);
        Reading { fields, extracted_data, confidence: 1.0, missing_required: false, layout: None }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    pub field: String,
    pub machine: Option<String>,
    pub confidence: f64,
    pub person: Option<String>,
}

impl Lesson {
    pub fn changed(&self) -> bool {
        self.machine != self.person
    }
}

/// A value that cannot be taken, by field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub field: String,
    pub sentence: Sentence,
}

/// Merges what a person said over what the machine read. Every wrong value is told at once.
pub fn correct(
    machine: &[FieldValue],
    data: &Map<String, Json>,
    schema: Option<&Schema>,
    submitted: &Submitted,
    by: &str,
    today: Date,
) -> Result<Corrected, Vec<Wrong>> {
    let mut wrong = unknown(machine, schema, submitted);
    let mut corrected = Corrected { fields: Vec::new(), data: data.clone(), lessons: Vec::new() };
    for (field, spec) in all_fields(machine, schema) {
        let spec = spec.as_ref();
        match judge(&field, spec, submitted, by, today) {
            Err(complaint) => {
                wrong.push(Wrong { field: field.name, sentence: sentence(&complaint) });
            }
            Ok(None) => corrected.fields.push(field),
            Ok(Some((now, typed))) => {
                corrected.lessons.push(Lesson {
                    machine: field.normalised.clone().or_else(|| field.value.clone()),
                    confidence: field.confidence,
                    person: now.normalised.clone(),
                    field: field.name,
                });
                corrected.data.insert(now.name.clone(), typed);
                corrected.fields.push(now);
            }
        }
    }
    if wrong.is_empty() { Ok(corrected) } else { Err(wrong) }
}

/// Fields the schema names, and those the machine read beside it.
fn all_fields(
    machine: &[FieldValue],
    schema: Option<&Schema>,
) -> Vec<(FieldValue, Option<FieldSpec>)> {
    let specs = schema.map(|schema| schema.fields.as_slice()).unwrap_or_default();
    let read = |name: &str| machine.iter().find(|field| field.name == name);
    let named = specs.iter().map(|spec| {
        let field = read(&spec.name).cloned().unwrap_or_else(|| FieldValue {
            name: spec.name.clone(),
            value: None,
            normalised: None,
            confidence: 0.0,
            required: spec.required,
            boxes: Vec::new(),
            rules: Vec::new(),
            alternatives: Vec::new(),
        });
        (field, Some(spec.clone()))
    });
    let beside = machine.iter().filter(|field| specs.iter().all(|spec| spec.name != field.name));
    named.chain(beside.map(|field| (field.clone(), None))).collect()
}

/// Fields nobody asked for.
fn unknown(machine: &[FieldValue], schema: Option<&Schema>, submitted: &Submitted) -> Vec<Wrong> {
    let known: BTreeSet<String> =
        all_fields(machine, schema).into_iter().map(|(field, _)| field.name).collect();
    let form = submitted.values.keys().chain(&submitted.absent).chain(submitted.evidence.keys());
    let strange: BTreeSet<&String> = form.filter(|name| !known.contains(*name)).collect();
    strange
        .into_iter()
        .map(|name| Wrong {
            field: name.clone(),
            sentence: Sentence::new(
                "Este tipo de documento no tiene ese campo.",
                "This type of document has no such field.",
            ),
        })
        .collect()
}

/// The field as the person leaves it; `None`: not form of.
fn judge(
    field: &FieldValue,
    spec: Option<&FieldSpec>,
    submitted: &Submitted,
    by: &str,
    today: Date,
) -> Result<Option<(FieldValue, Json)>, Complaint> {
    let absent = submitted.absent.contains(&field.name);
    let table = spec.is_some_and(|spec| spec.kind == Kind::Table);
    if submitted.rows.contains(&field.name) && !table {
        return Err(Complaint::NotPlain);
    }
    let form = submitted.values.get(&field.name);
    let text = form.and_then(|text| text.as_deref()).map(str::trim).filter(|t| !t.is_empty());
    let rule =
        |rule: &str| vec![RuleOutcome { rule: rule.to_owned(), ok: true, detail: by.to_owned() }];
    let required = spec.map_or(field.required, |spec| spec.required);
    let Some(text) = text.filter(|_| !absent) else {
        if form.is_none() && !absent {
            let missing = required && field.value.as_deref().is_none_or(str::is_empty);
            return if missing { Err(Complaint::Missing) } else { Ok(None) };
        }
        if required && !absent {
            return Err(Complaint::Missing);
        }
        let none = FieldValue {
            value: None,
            normalised: None,
            confidence: 1.0,
            boxes: Vec::new(),
            rules: rule("not_on_paper"),
            alternatives: Vec::new(),
            ..field.clone()
        };
        return Ok(Some((none, Json::Null)));
    };
    let (normalised, typed) = match spec {
        Some(spec) => {
            let value = check_value(spec, text, today)?;
            (value.to_string(), value.json())
        }
        None => (text.chars().take(2_000).collect(), json!(text)),
    };
    let same = field.normalised.as_ref().or(field.value.as_ref()) == Some(&normalised);
    let kept = if same { field.boxes.clone() } else { Vec::new() };
    let boxes = submitted.evidence.get(&field.name).cloned().unwrap_or(kept);
    let value = if same { field.value.clone() } else { Some(text.to_owned()) };
    let now = FieldValue {
        value,
        normalised: Some(normalised),
        confidence: 1.0,
        boxes,
        rules: rule("person"),
        alternatives: Vec::new(),
        ..field.clone()
    };
    Ok(Some((now, typed)))
}

/// The complaint in both languages.
pub fn sentence(complaint: &Complaint) -> Sentence {
    let es = match complaint {
        Complaint::Missing => "Falta un valor.".to_owned(),
        Complaint::TooLong(most) => format!("El valor pasa de {most} caracteres."),
        Complaint::NotAnAmount(text) => format!("«{text}» no es un importe."),
        Complaint::NotADate(text) => format!("«{text}» no es una fecha."),
        Complaint::NotAnInteger(text) => format!("«{text}» no es un número entero."),
        Complaint::NotAnIban(text) => {
            format!("«{text}» no es un IBAN: su longitud o sus dígitos de control están mal.")
        }
        Complaint::NotATaxId(text) => {
            format!("«{text}» no es una identificación fiscal: su forma o su control están mal.")
        }
        Complaint::NotAllowed(text) => format!("«{text}» no es uno de los valores admitidos."),
        Complaint::Pattern(text) => format!("«{text}» no tiene la forma que pide el flujo."),
        Complaint::NotPlain => "El campo lleva un valor simple, no filas.".to_owned(),
        Complaint::NotRows => {
            "Una tabla es una lista de filas, cada una un objeto con el valor de sus columnas."
                .to_owned()
        }
        Complaint::TooManyRows(most) => format!("Una tabla tiene como máximo {most} filas."),
        Complaint::NoColumn(name) => format!("La tabla no tiene la columna «{name}»."),
        Complaint::NotACell { row, column, text } => {
            format!("Fila {row}, {column}: «{text}» no es un número.")
        }
        Complaint::BadPattern => "El patrón del campo no se puede usar.".to_owned(),
        Complaint::Rule { rule, .. } => format!("El valor incumple la regla «{rule}»."),
    };
    let mut en = complaint.to_string();
    en.push('.');
    Sentence::new(es, en)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn schema() -> Schema {
        let spec =
            |name: &str, kind, required| FieldSpec { required, ..FieldSpec::new(name, kind) };
        Schema {
            fields: vec![
                spec("invoice_number", Kind::String, true),
                spec("total_amount", Kind::Decimal, true),
                spec("date", Kind::Date, false),
                spec("lines", Kind::Table, false),
            ],
        }
    }

    fn read(name: &str, value: Option<&str>) -> FieldValue {
        FieldValue {
            name: name.to_owned(),
            value: value.map(str::to_owned),
            normalised: value.map(str::to_owned),
            confidence: 0.5,
            required: name != "date",
            boxes: vec![EvidenceBox { page: 0, x: 1.0, y: 1.0, w: 1.0, h: 1.0, cell: None }],
            rules: Vec::new(),
            alternatives: Vec::new(),
        }
    }

    fn submitted(values: &[(&str, &str)]) -> Submitted {
        let values = values.iter().map(|(name, text)| {
            ((*name).to_owned(), Some((*text).to_owned()).filter(|text| !text.is_empty()))
        });
        Submitted { values: values.collect(), ..Submitted::default() }
    }

    fn corrected(submitted: &Submitted) -> Result<Corrected, Vec<String>> {
        let machine = [read("invoice_number", Some("F-1")), read("total_amount", None)];
        let today = date(2026, 11, 16);
        correct(&machine, &Map::new(), Some(&schema()), submitted, "ana", today)
            .map_err(|wrong| wrong.into_iter().map(|one| one.field).collect())
    }

    #[test]
    fn values_are_merged_typed_and_kept_as_lessons() {
        let done = corrected(&submitted(&[("total_amount", "1.250,50")])).unwrap();
        assert_eq!(done.data, json!({ "total_amount": 1250.5 }).as_object().unwrap().clone());
        assert!(done.fields[1].confidence > 0.9);
        assert!(done.fields[0].confidence < 0.6, "not form of");
        assert_eq!(done.lessons.len(), 1);
        assert!(done.lessons[0].changed());
        let same =
            corrected(&submitted(&[("invoice_number", "F-1"), ("total_amount", "1")])).unwrap();
        assert!(!same.lessons[0].changed(), "confirmed");
        assert_eq!(same.fields[0].boxes.len(), 1, "what was confirmed keeps its evidence");
    }

    #[test]
    fn wrong_values_are_told_all_at_once() {
        let wrong =
            corrected(&submitted(&[("total_amount", "x"), ("date", "never"), ("nope", "1")]));
        assert_eq!(wrong.unwrap_err(), ["nope", "total_amount", "date"]);
        assert_eq!(
            corrected(&submitted(&[])).unwrap_err(),
            ["total_amount"],
            "required and missing"
        );
        assert_eq!(corrected(&submitted(&[("total_amount", "")])).unwrap_err(), ["total_amount"]);
    }

    #[test]
    fn rows_are_taken_by_tables_alone() {
        let rows = r#"[{"description":"Caja","quantity":"2","amount":"1.250,50"}]"#;
        let given = [("total_amount", "1"), ("lines", rows)];
        let done = corrected(&submitted(&given)).unwrap();
        assert_eq!(done.data["lines"][0]["amount"], 1250.5);
        assert_eq!(done.data["lines"][0]["tax"], Json::Null);
        let wrong = submitted(&[("total_amount", "1"), ("lines", r#"[{"amount":"x"}]"#)]);
        assert_eq!(corrected(&wrong).unwrap_err(), ["lines"]);
        let mut elsewhere = submitted(&[("total_amount", "1"), ("invoice_number", rows)]);
        elsewhere.rows.insert("invoice_number".to_owned());
        assert_eq!(corrected(&elsewhere).unwrap_err(), ["invoice_number"]);
    }

    #[test]
    fn what_is_not_on_the_paper_may_be_missing() {
        let mut submitted = submitted(&[]);
        submitted.absent.insert("total_amount".to_owned());
        let done = corrected(&submitted).unwrap();
        assert_eq!(done.data["total_amount"], Json::Null);
        assert_eq!(done.fields[1].rules[0].rule, "not_on_paper");
    }
}
