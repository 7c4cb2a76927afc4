//! `turno docproc status`: how a request is doing, in the words of the server.

use serde_json::Value as Json;

use terminal::{Exit, Remote, output};

use super::args::Status;

pub(super) async fn run(args: &Status) -> Result<(), Exit> {
    let remote = Remote::new(&args.server);
    let mut id = String::new();
    // An id is a UUID; anything else must not become another path.
    id.extend(args.id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }));
    if args.why {
        let why = remote.get(&format!("/api/docproc/requests/{id}/why")).await?;
        if args.json {
            output::say_json(&why);
        } else {
            output::say(&reasons(&why));
        }
        return Ok(());
    }
    let answer = remote.get(&format!("/status/{id}")).await?;
    if args.json {
        output::say_json(&answer);
    } else {
        output::say(&text(&answer));
    }
    Ok(())
}

pub(super) fn has_ended(answer: &Json) -> bool {
    matches!(answer["status"].as_str(), Some("completed" | "failed" | "cancelled"))
}

/// The answer of `GET /status/{id}` for people.
pub(super) fn text(answer: &Json) -> String {
    let word = |key: &str| answer[key].as_str();
    let mut lines = vec![
        format!("request    {}", word("request_id").unwrap_or_default()),
        format!("status     {}", word("status").unwrap_or_default()),
        format!("workflow   {}", word("workflow_name").unwrap_or_default()),
        format!("received   {}", word("created_at").unwrap_or_default()),
        format!("deadline   {}", word("deadline_utc").unwrap_or_default()),
    ];
    for (key, title) in [("completed_at", "completed "), ("sla_breached_at", "late since")] {
        lines.extend(word(key).map(|at| format!("{title} {at}")));
    }
    if let Some(pages) = answer["page_count"].as_u64() {
        let documents = answer["document_count"].as_u64().unwrap_or_default();
        lines.push(format!("pages      {pages}, documents {documents}"));
    }
    lines.extend(word("error").map(|error| format!("error      {error}")));
    for document in answer["result"]["documents"].as_array().into_iter().flatten() {
        lines.push(String::new());
        lines.extend(of_document(document));
    }
    lines.join("\n")
}

fn of_document(document: &Json) -> Vec<String> {
    let doc_type = document["doc_type"].as_str().unwrap_or_default();
    let pages = document["page_indices"].as_array().map_or(0, Vec::len);
    let sure = document["extraction_confidence"].as_f64();
    let sure = sure.map(|sure| format!(", confidence {sure:.2}")).unwrap_or_default();
    let plural = if pages == 1 { "" } else { "s" };
    let mut lines = vec![format!("{doc_type} ({pages} page{plural}{sure})")];
    for (name, value) in document["extracted_data"].as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let value = if value == "null" { "—" } else { &value };
        lines.push(format!("  {name:<18} {value}"));
    }
    lines
}

fn reasons(why: &Json) -> String {
    let status = why["subject"]["status"].as_str().unwrap_or_default();
    let listed = why["reasons"].as_array().into_iter().flatten();
    let lines: Vec<String> = listed
        .map(|reason| {
            let word = |key: &str| reason[key].as_str().unwrap_or_default();
            let until = reason["until"].as_str().map(|at| format!(" (until {at})"));
            format!("  {:<20} {}{}", word("code"), word("detail"), until.unwrap_or_default())
        })
        .collect();
    if lines.is_empty() {
        return format!("{status}: it waits for nothing");
    }
    format!("{status}, because:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_reads_as_sentences() {
        let answer = json!({
            "request_id": "r1", "status": "completed", "workflow_name": "default",
            "created_at": "2026-05-04T15:00:00Z", "deadline_utc": "2026-05-04T15:01:00Z",
            "page_count": 1, "document_count": 1,
            "result": { "documents": [{ "doc_type": "receipt", "page_indices": [0],
                "extraction_confidence": 0.97, "extracted_data": { "total": 8.2, "date": null } }] },
        });
        let told = text(&answer);
        assert!(told.contains("receipt (1 page, confidence 0.97)"), "{told}");
        assert!(told.contains("total              8.2") && told.contains("date               —"));
        assert!(has_ended(&answer) && !has_ended(&json!({ "status": "sla_breached" })));
        let why = json!({ "subject": { "status": "processing" }, "reasons": [
            { "code": "PERSONA", "detail": "Waits for a person." }] });
        assert!(reasons(&why).starts_with("processing, because:\n  PERSONA"));
    }
}
