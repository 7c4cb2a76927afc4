//! Whole documents through [`understand::extract::extract`].

use jiff::civil::{Date, date};
use page::{PageText, Rect, Source, Word};
use proptest::prelude::*;
use understand::extract::{Extraction, Field, FieldSpec, Kind, Schema, extract};

const TODAY: Date = date(2026, 2, 1);

/// A page typed with a typewriter: letters 8 wide and 10 high, lines 16 apart.
pub(crate) fn typed(text: &str) -> PageText {
    let mut words = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut column = 0;
        for piece in line.split(' ') {
            let width = piece.chars().count();
            if width > 0 {
                let (x, y) = (8.0 * column as f32, 16.0 * n as f32);
                let place = Rect { x, y, w: 8.0 * width as f32, h: 10.0 };
                words.push(Word { text: piece.to_owned(), place, confidence: 1.0 });
            }
            column += width + 1;
        }
    }
    let height = 16.0 * text.lines().count().max(1) as f32;
    PageText { width: 640.0, height, source: Source::Plain, turned: 0, words }
}

fn schema(fields: &[(&str, Kind)]) -> Schema {
    Schema { fields: fields.iter().map(|(name, kind)| FieldSpec::new(name, *kind)).collect() }
}

fn found(doc_type: &str, fields: &[(&str, Kind)], text: &str) -> Extraction {
    extract(doc_type, &schema(fields), &[&typed(text)], TODAY)
}

fn field<'f>(extraction: &'f Extraction, name: &str) -> &'f Field {
    extraction.fields.iter().find(|field| field.name == name).unwrap()
}

fn value<'f>(extraction: &'f Extraction, name: &str) -> Option<&'f str> {
    field(extraction, name).normalised.as_deref()
}

#[test]
fn a_decimal_point_read_as_a_dash_is_one() {
    let till = "SIN THYE & COMPANY\nITEM 1 103.77\nSUB-TOTAL 103.77\nROUNDING 0.00\nTOTAL 110-00\n\
                CASH 110-00\nCHANGE 0.00\nTEL 03-62";
    let receipt = found("receipt", &[("total", Kind::Decimal)], till);
    assert_eq!(value(&receipt, "total"), Some("110.00"));
}

const INVOICE: &str = "\
Suministros Ebro, S.L.                        FACTURA
NIF: A58818501                                Nº de factura: F-2024/0117
Calle Mayor 12                                Fecha: 12/03/2024
50001 Zaragoza                                Vencimiento: 11/04/2024

Cliente
Talleres Nervión, S.A.

Descripción                     Cantidad   Precio     Importe
Tornillos                              10     4,50       45,00
Tuercas                                10     5,50       55,00

                                  Base imponible        100,00
                                  IVA 21%                21,00
                                  TOTAL FACTURA        121,00 €

IBAN ES91 2100 0418 4502 0005 1332";

#[test]
fn a_spanish_invoice() {
    let fields = [
        ("invoice_number", Kind::String),
        ("date", Kind::Date),
        ("due_date", Kind::Date),
        ("vendor_name", Kind::String),
        ("tax_id", Kind::TaxId),
        ("net_amount", Kind::Decimal),
        ("tax_amount", Kind::Decimal),
        ("total_amount", Kind::Decimal),
        ("iban", Kind::Iban),
    ];
    let invoice = found("invoice", &fields, INVOICE);
    assert_eq!(value(&invoice, "invoice_number"), Some("F-2024/0117"));
    assert_eq!(value(&invoice, "date"), Some("2024-03-12"));
    assert_eq!(value(&invoice, "due_date"), Some("2024-04-11"));
    assert_eq!(value(&invoice, "vendor_name"), Some("Suministros Ebro, S.L."));
    assert_eq!(value(&invoice, "tax_id"), Some("A58818501"));
    assert_eq!(value(&invoice, "net_amount"), Some("100.00"));
    assert_eq!(value(&invoice, "tax_amount"), Some("21.00"));
    assert_eq!(value(&invoice, "total_amount"), Some("121.00"));
    assert_eq!(value(&invoice, "iban"), Some("ES9121000418450200051332"));
    assert!(invoice.checks.iter().any(|check| check.name == "net_plus_tax" && check.ok));
    assert!(field(&invoice, "total_amount").confidence >= 0.75);
    let place = field(&invoice, "total_amount").evidence[0].place;
    assert!((place.y - 16.0 * 14.0).abs() < 4.0, "{place:?}");
}

#[test]
fn data_is_typed() {
    let fields = [("total_amount", Kind::Decimal), ("date", Kind::Date), ("colour", Kind::String)];
    let data = found("invoice", &fields, INVOICE).data();
    assert_eq!(data["total_amount"], serde_json::json!(121.0));
    assert_eq!(data["date"], serde_json::json!("2024-03-12"));
    assert_eq!(data["colour"], serde_json::Value::Null);
}

#[test]
fn a_receipt_with_rounding_cash_and_change() {
    let text = "\
KEDAI MAJU SDN BHD (123456-X)
NO 5, JALAN KENARI 2
TAX INVOICE
DATE: 14-03-18   TIME: 18:26
1 x PEN                      10.02
1 x BOOK                     20.00
SUB-TOTAL                    30.02
ROUNDING                     -0.02
TOTAL                        30.00
CASH                         50.00
CHANGE                       20.00";
    let fields = [("merchant", Kind::String), ("date", Kind::Date), ("total", Kind::Decimal)];
    let receipt = found("receipt", &fields, text);
    assert_eq!(value(&receipt, "merchant"), Some("KEDAI MAJU SDN BHD"));
    assert_eq!(value(&receipt, "date"), Some("2018-03-14"));
    assert_eq!(value(&receipt, "total"), Some("30.00"));
    assert!(receipt.checks.iter().any(|check| check.name == "cash_less_change" && check.ok));
}

#[test]
fn a_card_whose_zone_confirms_it() {
    let text = "\
DOCUMENTO NACIONAL DE IDENTIDAD
APELLIDOS
ERIKSSON
NOMBRE
ANNA MARIA
FECHA DE NACIMIENTO
12 08 1974
I<UTOD231458907<<<<<<<<<<<<<<<
7408122F1204159UTO<<<<<<<<<<<6
ERIKSSON<<ANNA<MARIA<<<<<<<<<<";
    let fields =
        [("full_name", Kind::String), ("id_number", Kind::String), ("date_of_birth", Kind::Date)];
    let card = found("id_card", &fields, text);
    assert_eq!(value(&card, "full_name"), Some("ANNA MARIA ERIKSSON"));
    assert_eq!(value(&card, "id_number"), Some("D23145890"));
    assert_eq!(value(&card, "date_of_birth"), Some("1974-08-12"));
    assert!(card.confidence > 0.75, "{card:?}");
}

#[test]
fn a_payslip_adds_up() {
    let text = "\
Empresa: Talleres Nervión, S.A.
Trabajador: Lucía Gómez Ferrer
Periodo de liquidación: del 01/03/2024 al 31/03/2024
Salario base                               1.800,00
Total devengado                            2.000,00
Total a deducir                              400,00
Líquido total a percibir                   1.600,00";
    let fields = [
        ("company_name", Kind::String),
        ("employee_name", Kind::String),
        ("gross_amount", Kind::Decimal),
        ("net_amount", Kind::Decimal),
        ("period", Kind::String),
    ];
    let slip = found("payslip", &fields, text);
    assert_eq!(value(&slip, "company_name"), Some("Talleres Nervión, S.A."));
    assert_eq!(value(&slip, "employee_name"), Some("Lucía Gómez Ferrer"));
    assert_eq!(value(&slip, "gross_amount"), Some("2000.00"));
    assert_eq!(value(&slip, "net_amount"), Some("1600.00"));
    assert!(slip.checks.iter().any(|check| check.name == "gross_less_deductions" && check.ok));
}

#[test]
fn a_field_of_ones_own() {
    let policy = FieldSpec {
        labels: vec!["Póliza".into()],
        regex: Some("[0-9]{4}-[A-Z]{2}".into()),
        required: true,
        ..FieldSpec::new("policy", Kind::String)
    };
    let plan = FieldSpec {
        values: vec!["Oro".into(), "Plata".into()],
        ..FieldSpec::new("plan", Kind::Enum)
    };
    let fields = Schema { fields: vec![policy, plan] };
    let page = typed("Póliza: 1234-AB\nPlan: PLATA");
    let found = extract("insurance", &fields, &[&page], TODAY);
    assert_eq!(value(&found, "policy"), Some("1234-AB"));
    assert!(field(&found, "policy").rules.iter().all(|rule| rule.ok));
    assert_eq!(value(&found, "plan"), Some("Plata"));
    let nothing = extract("insurance", &fields, &[], TODAY);
    assert!(nothing.confidence.abs() < f32::EPSILON && field(&nothing, "policy").value.is_none());
}

fn everything() -> Schema {
    schema(&[
        ("invoice_number", Kind::String),
        ("vendor_name", Kind::String),
        ("customer_name", Kind::String),
        ("full_name", Kind::String),
        ("id_number", Kind::String),
        ("period", Kind::String),
        ("currency", Kind::String),
        ("address", Kind::String),
        ("date", Kind::Date),
        ("date_of_birth", Kind::Date),
        ("total", Kind::Decimal),
        ("net_amount", Kind::Decimal),
        ("gross_amount", Kind::Decimal),
        ("iban", Kind::Iban),
        ("tax_id", Kind::TaxId),
        ("pages", Kind::Integer),
    ])
}

const NOISE: &str = "(TOTAL|IVA|Fecha:|Nº|CASH|Apellidos|SDN BHD|S\\.L\\.|IBAN|Ó:[0-9]{1,2}|€|%|-\
    |[0-9]{1,3}[.,][0-9]{2}|[0-9]{2}/[0-9]{2}/[0-9]{2,4}|[A-Z0-9<]{30})";

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(\\PC{0,40}\n){0,12}", kind in 0usize..4) {
        let doc_type = ["invoice", "receipt", "id_card", "payslip"][kind];
        let extraction = extract(doc_type, &everything(), &[&typed(&text)], TODAY);
        for field in &extraction.fields {
            prop_assert!((0.0..=1.0).contains(&field.confidence));
        }
    }

    #[test]
    fn document_like_noise_does_not_either(
        words in prop::collection::vec(
            (NOISE,
             -50f32..700.0, -50f32..900.0, 0f32..60.0, 0f32..30.0), 0..80),
    ) {
        let word = |(text, x, y, w, h): &(String, f32, f32, f32, f32)| Word {
            text: text.clone(),
            place: Rect { x: *x, y: *y, w: *w, h: *h },
            confidence: 0.9,
        };
        let page = PageText {
            width: 600.0,
            height: 800.0,
            source: Source::Ocr,
            turned: 0,
            words: words.iter().map(word).collect(),
        };
        let extraction = extract("invoice", &everything(), &[&page, &page], TODAY);
        prop_assert_eq!(extraction.fields.len(), everything().fields.len());
    }
}
