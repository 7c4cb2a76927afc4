//! Tables through [`understand::extract::extract`]: found by words and alignment, believed as far as
//! they add up.

use jiff::civil::{Date, date};
use page::{PageText, Rect, Source, Word};
use proptest::prelude::*;
use samples::{Lang, generate, noisy_text};
use serde_json::{Value, json};
use understand::extract::{
    CellKind, Column, Extraction, Field, FieldSpec, Kind, Schema, check_value, extract,
};

use super::extract::typed;

const TODAY: Date = date(2026, 11, 1);
const SURE: f32 = 0.75;

fn schema(required: bool) -> Schema {
    Schema { fields: vec![FieldSpec { required, ..FieldSpec::new("lines", Kind::Table) }] }
}

fn found(pages: &[&PageText], required: bool) -> Extraction {
    extract("invoice", &schema(required), pages, TODAY)
}

fn lines(text: &str) -> Field {
    found(&[&typed(text)], false).fields.remove(0)
}

fn rows(field: &Field) -> Value {
    field.normalised.as_deref().map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
}

const INVOICE: &str = "\
Suministros Ebro, S.L.                                  FACTURA F-2024/0117
Código  Descripción                     Cant.    Precio   IVA      Importe
A-01    Tornillo inoxidable M8             10      1,25   21%        12,50
        caja de 100 piezas
A-02    Cable de red 3 m                    2      4,00   21%         8,00
A-03    Montaje                           1,5     40,00   21%        60,00

Base imponible                                                       80,50
IVA 21%                                                              16,91
Total                                                                97,41";

#[test]
fn lines_are_found_with_their_places() {
    let field = lines(INVOICE);
    assert_eq!(
        rows(&field),
        json!([
            { "description": "Tornillo inoxidable M8 caja de 100 piezas", "quantity": 10.0,
              "unit_price": 1.25, "tax": 21.0, "amount": 12.5 },
            { "description": "Cable de red 3 m", "quantity": 2.0, "unit_price": 4.0,
              "tax": 21.0, "amount": 8.0 },
            { "description": "Montaje", "quantity": 1.5, "unit_price": 40.0, "tax": 21.0,
              "amount": 60.0 },
        ])
    );
    assert!(field.confidence >= SURE, "{field:?}");
    assert!(field.rules.iter().all(|rule| rule.ok), "{:?}", field.rules);
    let amount = field.evidence.iter().find(|one| one.cell == Some([1, 4])).unwrap();
    assert!(amount.place.x > 500.0 && (amount.place.y - 64.0).abs() < 1.0, "{amount:?}");
    let wrapped = field.evidence.iter().filter(|one| one.cell == Some([0, 0])).count();
    assert_eq!(wrapped, 2, "each row of a wrapped description has its box");
}

#[test]
fn what_does_not_add_up_is_doubtful_and_asks_nobody_unless_required() {
    for (wrong, rule) in [("12,50\n", "lines"), ("80,50", "lines_sum")] {
        let broken = INVOICE.replace(wrong, &wrong.replacen("50", "90", 1));
        let field = lines(&broken);
        assert!(field.confidence < SURE, "{wrong:?}: {field:?}");
        let failing: Vec<_> = field.rules.iter().filter(|rule| !rule.ok).collect();
        assert!(failing.iter().any(|one| one.rule == rule), "{failing:?}");
        let page = typed(&broken);
        assert!(found(&[&page], false).confidence > 0.99, "an optional table asks nobody");
        assert!(found(&[&page], true).confidence < SURE, "a required one does");
    }
    let none = found(&[&typed("Estimados señores:\nles saludamos")], false);
    assert_eq!((none.fields[0].value.as_deref(), none.confidence), (None, 1.0));
}

#[test]
fn a_table_goes_on_on_the_next_page() {
    let first = "\
Description                  Qty   Unit price     Amount
Copper pipe 15 mm              4        10.00      40.00
Elbow                         10         0.50       5.00
Carried forward                                    45.00";
    let again = "\
Invoice INV-1                              Page 2 of 2
Description                  Qty   Unit price     Amount
Solder                         1         5.00       5.00
Subtotal                                           50.00
Total                                              60.00";
    let bare = again.replace("Description                  Qty   Unit price     Amount\n", "");
    for second in [again.to_owned(), bare] {
        let pages = [typed(first), typed(&second)];
        let field = found(&[&pages[0], &pages[1]], false).fields.remove(0);
        let rows = rows(&field);
        assert_eq!(rows.as_array().map(Vec::len), Some(3), "{rows}");
        assert_eq!(rows[2]["description"], "Solder");
        assert!(field.confidence >= SURE, "{field:?}");
        assert_eq!(field.evidence.iter().find(|one| one.cell == Some([2, 4])).unwrap().page, 1);
    }
}

#[test]
fn other_languages_discounts_and_three_decimals_are_read() {
    let french = "\
Désignation                 Quantité     Prix unitaire   Taxes    Montant HT
Bureau personnalisable    31,000 Unités         500,00   TVA 20%   15 500,00 €
Canapé trois places        2,000 Unités       1 000,00   TVA 20%    2 000,00 €

Total HT                                                           17 500,00 €
Total TTC                                                          21 000,00 €";
    let field = lines(french);
    assert_eq!(rows(&field)[0]["quantity"], 31.0, "{}", rows(&field));
    assert_eq!(rows(&field)[1]["description"], "Canapé trois places");
    assert_eq!(rows(&field)[1]["tax"], 20.0);
    assert!(field.confidence >= SURE, "{field:?}");
    let german = "\
Pos  Bezeichnung              Menge   Einzelpreis   Rabatt   Gesamtpreis
1    Beratung vor Ort             3        100,00      10%        270,00
2    Anfahrt                      1         30,00                  30,00
Nettobetrag                                                       300,00
MwSt 19%                                                           57,00
Rechnungsbetrag                                                   357,00";
    let field = lines(german);
    assert_eq!(rows(&field)[0]["amount"], 270.0);
    assert_eq!(rows(&field)[0]["description"], "Beratung vor Ort");
    assert!(field.confidence >= SURE, "{field:?}");
}

#[test]
fn without_a_head_only_arithmetic_tells() {
    let bare = "\
Casa Rural El Molino
Noche habitación doble       3      60,00     180,00
Desayuno                     6       5,00      30,00
Base imponible                                210,00
IVA 10%                                        21,00
Total                                         231,00";
    let field = lines(bare);
    assert_eq!(rows(&field).as_array().map(Vec::len), Some(2), "{field:?}");
    assert_eq!(rows(&field)[1]["unit_price"], 5.0);
    assert!(field.confidence >= SURE);
    let wrong = lines(&bare.replace(" 30,00\nBase", " 31,00\nBase"));
    assert_eq!(wrong.value, None, "nothing confirms it");
}

#[test]
fn a_workflow_names_its_own_columns() {
    let column = |name: &str, kind, labels: &[&str]| Column {
        name: name.into(),
        kind,
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
    };
    let columns = vec![
        column("concepto", CellKind::Text, &[]),
        column("lote", CellKind::Text, &["Lote"]),
        column("kilos", CellKind::Number, &["Peso neto"]),
        column("importe", CellKind::Money, &[]),
    ];
    let spec = FieldSpec { columns, ..FieldSpec::new("partidas", Kind::Table) };
    let text = "\
Concepto              Lote       Peso neto      Importe
Naranja de mesa       L-204         120,50       241,00
Limón                 L-7            80,00       120,00
Total                                            361,00";
    let schema = Schema { fields: vec![spec] };
    let found = extract("invoice", &schema, &[&typed(text)], TODAY);
    let rows = rows(&found.fields[0]);
    assert_eq!(
        rows[0],
        json!({ "concepto": "Naranja de mesa", "lote": "L-204", "kilos": 120.5, "importe": 241.0 })
    );
}

#[test]
fn typed_rows_are_checked_by_column() {
    let spec = FieldSpec::new("lines", Kind::Table);
    let check = |rows: Value| check_value(&spec, &rows.to_string(), TODAY);
    let kept =
        check(json!([{ "description": " Caja ", "quantity": "2", "amount": "1.250,50" }, {}]));
    assert_eq!(
        kept.unwrap().json(),
        json!([{ "description": "Caja", "quantity": 2.0, "unit_price": null, "tax": null,
                 "amount": 1250.5 }])
    );
    for (rows, said) in [
        (json!([{ "amount": "x" }]), "row 1, amount: “x” is not a number"),
        (json!([{ "colour": "red" }]), "no column “colour”"),
        (json!({ "amount": 1 }), "a list of rows"),
        (json!([]), "a value is required"),
        (json!(vec![json!({ "amount": 1 }); 501]), "at most 500 rows"),
    ] {
        let told = check(rows).unwrap_err().to_string();
        assert!(told.contains(said), "{told}");
    }
}

/// Lines of drawn invoices: how many of all are right, and of the tables that are sure how many are
/// not wholly right.
fn drawn(noisy: bool) -> (usize, usize, usize, usize, Vec<String>) {
    let (mut all, mut right, mut sure, mut wrong) = (0, 0, 0, Vec::new());
    for lang in Lang::ALL {
        for seed in 5_000_000..5_000_060 {
            let sample = generate(samples::Kind::Invoice, lang, seed);
            let mut pages = sample.texts();
            if noisy {
                pages = pages.iter().map(|page| noisy_text(page, seed)).collect();
            }
            let field = found(&pages.iter().collect::<Vec<_>>(), false).fields.remove(0);
            let rows = rows(&field);
            let got = rows.as_array().map(Vec::as_slice).unwrap_or_default();
            let same = |(line, row): (&std::collections::BTreeMap<&str, String>, &Value)| {
                line.iter().filter(|(name, _)| **name != "description").all(|(name, value)| {
                    let value: f64 = value.parse().unwrap();
                    row[*name].as_f64().is_some_and(|got| (got - value).abs() < 0.001)
                })
            };
            let good = sample.lines.iter().zip(got).filter(|pair| same((pair.0, pair.1))).count();
            all += sample.lines.len();
            right += good;
            let whole = good == sample.lines.len() && got.len() == good;
            if field.confidence >= SURE {
                sure += 1;
                if !whole {
                    wrong.push(format!("{lang:?} {seed} family {}", sample.layout));
                }
            }
        }
    }
    (all, right, sure, 4 * 60, wrong)
}

#[test]
fn lines_of_drawn_invoices_are_right_and_never_sure_and_wrong() {
    let (all, right, sure, documents, wrong) = drawn(false);
    println!("{right} of {all} lines, {sure} of {documents} tables sure; wrong: {wrong:?}");
    assert!(right * 100 >= all * 97, "{right} of {all}");
    assert!(sure * 100 >= documents * 90, "{sure} of {documents}");
    assert_eq!(wrong, Vec::<String>::new());
    let (all, right, sure, documents, wrong) = drawn(true);
    println!("worn: {right} of {all} lines, {sure} of {documents} tables sure; wrong: {wrong:?}");
    assert!(right * 100 >= all * 60, "worn: {right} of {all}");
    assert!(wrong.len() * 50 <= sure, "worn: {wrong:?} of {sure} of {documents}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_words_anywhere_make_at_most_a_bounded_table(
        words in prop::collection::vec(
            (prop_oneof![
                Just("Descripción".to_owned()), Just("Cantidad".to_owned()), Just("Importe".to_owned()),
                Just("Total".to_owned()), Just("21%".to_owned()), "[0-9]{1,12}[.,][0-9]{2}",
                "[0-9.,%€-]{1,8}", "\\PC{0,12}",
            ], -50f32..700.0, -50f32..900.0, 0f32..200.0, 0f32..30.0),
            0..120,
        ),
        second in prop::bool::ANY,
    ) {
        let page = |skip: usize| PageText {
            width: 595.0,
            height: 842.0,
            source: Source::Ocr,
            turned: 0,
            words: words.iter().skip(skip).map(|(text, x, y, w, h)| Word {
                text: text.clone(),
                place: Rect { x: *x, y: *y, w: *w, h: *h },
                confidence: 0.9,
            }).collect(),
        };
        let pages = [page(0), page(words.len() / 2)];
        let given: Vec<&PageText> = pages.iter().take(1 + usize::from(second)).collect();
        let field = found(&given, true).fields.remove(0);
        if let Some(text) = &field.normalised {
            let rows: Vec<serde_json::Map<String, Value>> = serde_json::from_str(text).unwrap();
            prop_assert!(!rows.is_empty() && rows.len() <= 500 && rows.iter().all(|row| row.len() == 5));
            for one in &field.evidence {
                let [row, column] = one.cell.unwrap();
                prop_assert!(usize::from(row) < rows.len() && column < 5 && one.page < given.len());
            }
        }
    }
}
