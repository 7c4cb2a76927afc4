//! Examples and properties of how golden answers are compared.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn questions_are_counted_over_cases_that_both_versions_played() {
    let share = manual_share(&[Some(1), None, Some(0)], &[Some(1), Some(9), Some(1)]);
    assert_eq!(share, ManualShare { before: 1, after: 2 });
    assert!(share.grows());
    assert!(!manual_share(&[Some(2)], &[Some(2)]).grows());
    assert!(!manual_share(&[], &[]).grows());
}
use crate::rules::workflow;

const TODAY: Date = jiff::civil::date(2026, 11, 16);

fn flow() -> Workflow {
    workflow::parse(workflow::DEFAULT).unwrap()
}

fn answer(documents: &Json) -> Answer {
    read(documents).unwrap()
}

fn invoice(data: &Json) -> Answer {
    answer(&json!([{ "doc_type": "invoice", "page_indices": [0], "extracted_data": data }]))
}

#[test]
fn values_are_compared_by_what_they_mean() {
    let wanted =
        invoice(&json!({ "total_amount": 121.0, "date": "2026-01-02", "vendor_name": null,
                                 "invoice_number": "00142" }));
    let alike = invoice(&json!({ "total_amount": "121,00", "date": "02/01/2026",
                                "invoice_number": "00142", "colour": "new here" }));
    assert_eq!(differences(&wanted, &alike, &flow(), TODAY), []);
    let other = invoice(&json!({ "total_amount": 112, "date": "2026-01-02",
                                "invoice_number": "142", "vendor_name": "Norte" }));
    let found = differences(&wanted, &other, &flow(), TODAY);
    let names: Vec<_> = found
        .iter()
        .map(|one| match one {
            Difference::Field { field, .. } => field.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        names,
        ["invoice_number", "total_amount", "vendor_name"],
        "zeros are no amount here"
    );
}

#[test]
fn documents_are_told_apart_by_their_pages() {
    let wanted = answer(&json!([
        { "doc_type": "invoice", "page_indices": [0, 1] },
        { "doc_type": "id_card", "page_indices": [2] },
    ]));
    let got = answer(&json!([
        { "doc_type": "invoice", "page_indices": [0] },
        { "doc_type": "invoice", "page_indices": [1] },
        { "doc_type": "payslip", "page_indices": [2] },
    ]));
    let found = differences(&wanted, &got, &flow(), TODAY);
    assert_eq!(found.len(), 4);
    assert_eq!(found[0], Difference::Lost { pages: vec![0, 1], expected: "invoice".into() });
    assert!(matches!(&found[1], Difference::Type { got, .. } if got == "payslip"));
    assert!(matches!(&found[3], Difference::Found { pages, .. } if *pages == [1]));
}

#[test]
fn an_answer_that_makes_no_sense_is_not_taken() {
    for bad in [
        json!(null),
        json!({}),
        json!([]),
        json!([{ "doc_type": "invoice", "page_indices": [] }]),
        json!([{ "doc_type": "a", "page_indices": [0] }, { "doc_type": "b", "page_indices": [0] }]),
        json!([{ "doc_type": 7, "page_indices": [0] }]),
    ] {
        assert!(read(&bad).is_err(), "{bad}");
    }
    let whole = json!({ "request_id": "x", "documents": [{ "document_id": "d", "doc_type": "nope",
        "page_indices": [0], "extraction_confidence": 0.4, "extracted_data": {} }] });
    let read = read(&whole).unwrap();
    assert_eq!(strangers(&read, &flow()), BTreeSet::from(["nope".to_owned()]));
}

/// The same amount in several hands, or another one.
fn amount() -> impl Strategy<Value = (u32, Json)> {
    (0..3_u32, 0..3_u8).prop_map(|(n, hand)| {
        let value = match hand {
            0 => json!(n),
            1 => json!(format!("{n}.00")),
            _ => json!(format!("{n},00")),
        };
        (n, value)
    })
}

/// Documents on consecutive pages, and the plain truth of each.
fn papers() -> impl Strategy<Value = (Answer, Vec<(u32, String, u32)>)> {
    let one = ("(invoice|payslip)", amount());
    prop::collection::vec(one, 1..4).prop_map(|list| {
        let mut plain = Vec::new();
        let mut documents = Vec::new();
        for (n, (doc_type, (amount, written))) in list.into_iter().enumerate() {
            let field = if doc_type == "invoice" { "total_amount" } else { "net_amount" };
            plain.push((n as u32, doc_type.clone(), amount));
            let data = Map::from_iter([(field.to_owned(), written)]);
            documents.push(Document { doc_type, pages: vec![n as u32], data });
        }
        (Answer { documents }, plain)
    })
}

proptest! {
    #[test]
    fn nothing_differs_exactly_when_all_is_equal(one in papers(), other in papers()) {
        let flow = flow();
        let ((one, truth), (other, other_truth)) = (one, other);
        prop_assert!(differences(&one, &one, &flow, TODAY).is_empty());
        let equal = differences(&one, &other, &flow, TODAY).is_empty();
        prop_assert_eq!(equal, truth == other_truth);
        let back = differences(&other, &one, &flow, TODAY).is_empty();
        prop_assert_eq!(equal, back, "it is the same from both sides");
    }

    #[test]
    fn the_order_of_documents_does_not_matter(papers in papers()) {
        let mut turned = papers.0.clone();
        turned.documents.reverse();
        prop_assert!(differences(&papers.0, &turned, &flow(), TODAY).is_empty());
    }

    #[test]
    fn any_value_is_the_same_as_itself(text in "\\PC{0,40}") {
        for kind in [None, Some(Kind::Decimal), Some(Kind::Date), Some(Kind::Iban)] {
            prop_assert!(same(kind, &json!(text), &json!(text), TODAY));
        }
    }
}
