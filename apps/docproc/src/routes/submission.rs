//! What a submission says, typed.

use std::collections::{BTreeMap, BTreeSet};

use host::Failure;
use serde_json::{Map, Value as Json};
use web::Problem;

use super::{Desk, form::SubmittedForm};
use crate::{
    decisions::answers::Answer,
    model::EvidenceBox,
    rules::{correct::Submitted, regroup::Wanted},
};

/// More boxes than any value spans, and than the cells of a long table have.
const MOST_BOXES: usize = 5_000;
const MOST_GROUPS: usize = 5_000;

/// An answer: groups, data, or a type, whichever is there.
pub(super) fn answer(desk: &Desk, form: &SubmittedForm) -> Result<Answer, Failure> {
    if let Some(groups) = json(desk, form, "groups")? {
        return groups_of(&groups)
            .map(Answer::Groups)
            .ok_or_else(|| wrong(desk, "groups", "[{doc_type, page_indices}]").into());
    }
    let data = json(desk, form, "extracted_data")?;
    let absent = json(desk, form, "absent")?;
    if data.is_some() || absent.is_some() {
        // The original's form sends both names, one of them empty.
        let empty = |data: &Json| data.as_object().is_some_and(Map::is_empty);
        let doc_type = form.text("doc_type");
        if let (Some(data), None, Some(doc_type)) = (&data, &absent, doc_type)
            && empty(data)
        {
            return Ok(Answer::Type(doc_type.to_owned()));
        }
        return fields(desk, data, absent, json(desk, form, "evidence")?);
    }
    if let Some(doc_type) = form.text("doc_type") {
        return Ok(Answer::Type(doc_type.chars().take(200).collect()));
    }
    let detail = desk.lang.t(
        "Falta la respuesta: doc_type o extracted_data.",
        "The answer is missing: doc_type or extracted_data.",
    );
    Err(Problem::unprocessable("FALTA_RESPUESTA").lang(desk.lang).detail(detail).into())
}

fn json(desk: &Desk, form: &SubmittedForm, name: &str) -> Result<Option<Json>, Failure> {
    if form.0.get(name).and_then(Json::as_str).is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    form.json(name).map_err(|()| wrong(desk, name, "JSON").into())
}

fn wrong(desk: &Desk, name: &str, what: &str) -> Problem {
    let detail = match desk.lang {
        web::Lang::Es => format!("{name} debe ser {what}."),
        web::Lang::En => format!("{name} must be {what}."),
    };
    Problem::unprocessable("RESPUESTA_INVALIDA")
        .lang(desk.lang)
        .detail(detail.clone())
        .error(name, detail)
}

fn fields(
    desk: &Desk,
    data: Option<Json>,
    absent: Option<Json>,
    evidence: Option<Json>,
) -> Result<Answer, Failure> {
    let object = desk.lang.t("un objeto JSON", "a JSON object");
    let Json::Object(values) = data.unwrap_or_else(|| Json::Object(Map::new())) else {
        return Err(wrong(desk, "extracted_data", object).into());
    };
    let (mut typed, mut rows) = (BTreeMap::new(), BTreeSet::new());
    for (name, value) in values {
        let text = match value {
            Json::Null => None,
            Json::String(text) => Some(text),
            Json::Number(number) => Some(number.to_string()),
            Json::Bool(yes) => Some(yes.to_string()),
            Json::Array(of) if of.iter().all(Json::is_object) => {
                rows.insert(name.clone());
                Some(Json::Array(of).to_string())
            }
            Json::Array(_) | Json::Object(_) => {
                let scalar = desk.lang.t("un valor simple", "a plain value");
                return Err(wrong(desk, &name, scalar).into());
            }
        };
        typed.insert(name, text);
    }
    let absent: Option<BTreeSet<String>> = match absent {
        None => Some(BTreeSet::new()),
        Some(list) => serde_json::from_value(list).ok(),
    };
    let absent = absent.ok_or_else(|| wrong(desk, "absent", "[\"…\"]"))?;
    let evidence: Option<BTreeMap<String, Vec<EvidenceBox>>> = match evidence {
        None => Some(BTreeMap::new()),
        Some(boxes) => serde_json::from_value(boxes).ok(),
    };
    let sane = |one: &EvidenceBox| [one.x, one.y, one.w, one.h].iter().all(|n| n.is_finite());
    let evidence = evidence
        .filter(|all| all.values().flatten().all(sane))
        .filter(|all| all.values().map(Vec::len).sum::<usize>() <= MOST_BOXES)
        .ok_or_else(|| wrong(desk, "evidence", "{field: [{page, x, y, w, h}]}"))?;
    Ok(Answer::Fields(Submitted { values: typed, absent, evidence, rows }))
}

fn groups_of(groups: &Json) -> Option<Vec<Wanted>> {
    let groups = groups.as_array().filter(|groups| groups.len() <= MOST_GROUPS)?;
    let group = |group: &Json| {
        let pages = group.get("page_indices")?.as_array()?;
        let page = |n: &Json| n.as_u64().and_then(|n| u32::try_from(n).ok());
        Some(Wanted {
            pages: pages.iter().map(page).collect::<Option<_>>()?,
            doc_type: group.get("doc_type")?.as_str()?.to_owned(),
        })
    };
    groups.iter().map(group).collect()
}

/// What was typed, for the one who comes back to it.
pub(super) fn draft(form: &SubmittedForm) -> Json {
    let kept = ["doc_type", "extracted_data", "absent", "evidence", "groups"];
    let mut draft = Map::new();
    for name in kept {
        let value = form.json(name).ok().flatten();
        let value = value.or_else(|| form.0.get(name).cloned());
        draft.extend(value.map(|value| (name.to_owned(), value)));
    }
    Json::Object(draft)
}
