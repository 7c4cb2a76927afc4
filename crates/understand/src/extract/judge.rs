//! The rules a value must pass, whoever found or typed it.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::RuleResult;
use super::parse::tax_id::{self, Form};
use super::parse::{amount, date, iban};
use super::schema::{FieldSpec, Kind, Validator};
use super::table;
use super::text::fold;
use super::value::{Complaint, Normalised};

/// Longer than any field; keeps patterns and screens safe.
const MAX_VALUE: usize = 2_000;

/// Judges what a person typed by the rules an extracted value must pass.
pub fn check_value(spec: &FieldSpec, text: &str, today: Date) -> Result<Normalised, Complaint> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Complaint::Missing);
    }
    if spec.kind != Kind::Table && text.chars().count() > MAX_VALUE {
        return Err(Complaint::TooLong(MAX_VALUE));
    }
    let value = normalise(spec, text, today)?;
    if let Some(failed) = broken_rule(spec, text, &value, today) {
        return Err(failed);
    }
    Ok(value)
}

/// The value in the form of its kind.
pub(super) fn normalise(
    spec: &FieldSpec,
    text: &str,
    today: Date,
) -> Result<Normalised, Complaint> {
    let told = || text.to_owned();
    match spec.kind {
        Kind::String => Ok(Normalised::Text(told())),
        Kind::Decimal => amount::parse(text)
            .map(|amount| Normalised::Decimal(amount.value))
            .ok_or_else(|| Complaint::NotAnAmount(told())),
        Kind::Date => date::parse(text, today)
            .map(|day| Normalised::Date(day.date))
            .ok_or_else(|| Complaint::NotADate(told())),
        Kind::Integer => {
            let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '.' | ',')).collect();
            let number = digits.parse().map_err(|_| Complaint::NotAnInteger(told()))?;
            Ok(Normalised::Integer(number))
        }
        Kind::Iban => {
            iban::parse(text).map(Normalised::Text).ok_or_else(|| Complaint::NotAnIban(told()))
        }
        Kind::TaxId => tax_id::parse(text)
            .map(|id| id.text)
            .or_else(|| tax_id::of_unknown_form(text))
            .map(Normalised::Text)
            .ok_or_else(|| Complaint::NotATaxId(told())),
        Kind::Enum => {
            let same = |value: &&String| fold(value) == fold(text);
            let known = spec.values.iter().find(same).cloned();
            known.map(Normalised::Text).ok_or_else(|| Complaint::NotAllowed(told()))
        }
        Kind::Table => table::check(spec, text).map(Normalised::Rows),
    }
}

/// The first rule of the field that the value breaks.
fn broken_rule(spec: &FieldSpec, text: &str, value: &Normalised, today: Date) -> Option<Complaint> {
    match spec.pattern() {
        Some(Err(_)) => return Some(Complaint::BadPattern),
        Some(Ok(pattern)) if !matches_either(&pattern, text, value) => {
            return Some(Complaint::Pattern(text.to_owned()));
        }
        Some(Ok(_)) | None => {}
    }
    let asked = spec.validators.iter().filter_map(|name| Validator::named(name));
    asked.into_iter().find_map(|validator| {
        let verdict = obeys(validator, value, today);
        verdict.err().map(|detail| Complaint::Rule { rule: validator.name(), detail })
    })
}

fn matches_either(pattern: &regex::Regex, text: &str, value: &Normalised) -> bool {
    pattern.is_match(text) || pattern.is_match(&value.to_string())
}

/// Every rule of the field with its verdict, for the review screen.
pub(super) fn rules(
    spec: &FieldSpec,
    text: &str,
    value: &Normalised,
    mrz_agrees: Option<bool>,
    today: Date,
) -> Vec<RuleResult> {
    let mut results = Vec::new();
    let mut say = |rule: &str, ok: bool, detail: String| {
        results.push(RuleResult { rule: rule.to_owned(), ok, detail });
    };
    if let Some(Ok(pattern)) = spec.pattern() {
        let ok = matches_either(&pattern, text, value);
        say(
            "regex",
            ok,
            if ok { String::new() } else { Complaint::Pattern(text.into()).to_string() },
        );
    }
    for validator in spec.validators.iter().filter_map(|name| Validator::named(name)) {
        let verdict = match (validator, mrz_agrees) {
            (Validator::Mrz, Some(true)) => Ok(()),
            (Validator::Mrz, Some(false)) => Err("the machine-readable zone says otherwise".into()),
            (Validator::Mrz, None) => Err("no machine-readable zone was read".into()),
            (other, _) => obeys(other, value, today),
        };
        say(validator.name(), verdict.is_ok(), verdict.err().unwrap_or_default());
    }
    results
}

/// Whether a value passes a validator; a sentence when not.
fn obeys(validator: Validator, value: &Normalised, today: Date) -> Result<(), String> {
    let text = value.to_string();
    let spanish = |forms: &[Form], name: &str| {
        let form = tax_id::parse(&text).map(|id| id.form);
        let fits = form.is_some_and(|form| forms.contains(&form));
        if fits { Ok(()) } else { Err(format!("its check character is not that of a {name}")) }
    };
    match validator {
        Validator::Dni => spanish(&[Form::Dni], "DNI"),
        Validator::Nie => spanish(&[Form::Nie], "NIE"),
        Validator::Cif => spanish(&[Form::Cif], "CIF"),
        Validator::Nif => spanish(&[Form::Dni, Form::Nie, Form::Cif], "NIF"),
        Validator::Vat => {
            let known = tax_id::parse(&text).is_some();
            known.then_some(()).ok_or_else(|| "it is not a VAT number".to_owned())
        }
        Validator::Iban => {
            let valid = iban::parse(&text).is_some();
            valid.then_some(()).ok_or_else(|| "its IBAN check digits are wrong".to_owned())
        }
        Validator::Positive | Validator::NotNegative => {
            let number = match value {
                Normalised::Decimal(amount) => *amount,
                Normalised::Integer(number) => Decimal::from(*number),
                Normalised::Text(_) | Normalised::Date(_) | Normalised::Rows(_) => {
                    return Err("it is not a number".into());
                }
            };
            let ok =
                number > Decimal::ZERO || validator == Validator::NotNegative && number.is_zero();
            ok.then_some(()).ok_or_else(|| format!("{number} is too small"))
        }
        Validator::NotFuture => match value {
            Normalised::Date(day) if *day <= today => Ok(()),
            Normalised::Date(day) => Err(format!("{day} is in the future")),
            Normalised::Text(_)
            | Normalised::Decimal(_)
            | Normalised::Integer(_)
            | Normalised::Rows(_) => Err("it is not a date".into()),
        },
        // What a person types is compared with the zone by that person.
        Validator::Mrz => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const TODAY: Date = date(2026, 2, 1);

    fn check(spec: &FieldSpec, text: &str) -> Result<String, String> {
        check_value(spec, text, TODAY).map(|v| v.to_string()).map_err(|c| c.to_string())
    }

    #[test]
    fn typed_values_are_normalised() {
        let spec = |kind| FieldSpec::new("x", kind);
        assert_eq!(check(&spec(Kind::Decimal), "1.234,50 €").as_deref(), Ok("1234.50"));
        assert_eq!(check(&spec(Kind::Date), "12 de marzo de 2024").as_deref(), Ok("2024-03-12"));
        assert_eq!(check(&spec(Kind::Date), "12/03/24").as_deref(), Ok("2024-03-12"));
        assert_eq!(check(&spec(Kind::Integer), "1.200").as_deref(), Ok("1200"));
        assert_eq!(check(&spec(Kind::TaxId), "12.345.678-z").as_deref(), Ok("12345678Z"));
        assert!(check(&spec(Kind::Date), "31/02/2024").unwrap_err().contains("is not a date"));
        assert!(check(&spec(Kind::Iban), "ES00").unwrap_err().contains("IBAN"));
        assert_eq!(check(&spec(Kind::String), "  ").unwrap_err(), "a value is required");
        let choice = FieldSpec { values: vec!["Crédito".into()], ..spec(Kind::Enum) };
        assert_eq!(check(&choice, "CREDITO").as_deref(), Ok("Crédito"));
    }

    #[test]
    fn rules_are_named_when_broken() {
        let spec = FieldSpec {
            validators: vec!["positive".into()],
            ..FieldSpec::new("total", Kind::Decimal)
        };
        assert!(check(&spec, "-3,00").unwrap_err().contains("`positive`"));
        let spec = FieldSpec {
            validators: vec!["not_future".into()],
            ..FieldSpec::new("date", Kind::Date)
        };
        assert!(check(&spec, "02/02/2026").unwrap_err().contains("future"));
        assert!(check(&spec, "01/02/2026").is_ok());
        let spec =
            FieldSpec { regex: Some("F-[0-9]+".into()), ..FieldSpec::new("n", Kind::String) };
        assert!(check(&spec, "F-12").is_ok() && check(&spec, "XF-12").is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,40}") {
            let all = [Kind::String, Kind::Decimal, Kind::Date, Kind::Integer, Kind::Iban,
                Kind::TaxId, Kind::Enum, Kind::Table];
            for kind in all {
                let names = Validator::ALL.iter().map(|(name, _)| (*name).to_owned());
                let validators = names.collect();
                let spec = FieldSpec { validators, ..FieldSpec::new("x", kind) };
                let _ = check_value(&spec, &text, TODAY);
            }
        }
    }
}
