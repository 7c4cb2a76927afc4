//! Pages nobody laid out for us: what a reader would see at once.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use understand::extract::{Field, FieldSpec, Kind, Schema, extract};

use crate::extract::typed as page;

const TODAY: Date = date(2026, 6, 1);
/// The threshold a house starts with.
const SURE: f32 = 0.75;

fn find(doc_type: &str, name: &str, kind: Kind, text: &str) -> Field {
    let schema = Schema { fields: vec![FieldSpec::new(name, kind)] };
    extract(doc_type, &schema, &[&page(text)], TODAY).fields.remove(0)
}

fn read(doc_type: &str, name: &str, kind: Kind, text: &str) -> (String, bool) {
    let field = find(doc_type, name, kind, text);
    (field.normalised.unwrap_or_default(), field.confidence >= SURE)
}

fn sure(value: &str) -> (String, bool) {
    (value.to_owned(), true)
}

#[test]
fn the_title_before_a_code_is_its_label() {
    let text = "Facture FA04/2015/085324        Studio Nord\nDate           12/04/2015\n\
                Montant TTC    € 91 704,00";
    let told = read("invoice", "invoice_number", Kind::String, text);
    assert_eq!(told, sure("FA04/2015/085324"));
}

#[test]
fn a_dash_and_a_word_are_no_part_of_a_number() {
    let told = read("invoice", "invoice_number", Kind::String, "Invoice no: 2023-0417 - Page 1");
    assert_eq!(told, sure("2023-0417"));
}

#[test]
fn the_number_of_a_street_below_a_label_is_not_that_of_the_document() {
    let text = "Invoice number\n1337 San Joaquin St\nINV/03/2015/082787";
    let (told, _) = read("invoice", "invoice_number", Kind::String, text);
    assert_eq!(told, "INV/03/2015/082787");
}

#[test]
fn a_full_stop_ends_a_label_as_a_colon_does() {
    let text = "NÓMINA\nEmpresa. Stone Bright, S.L.\nTrabajador/a. Marta Ruiz Soler\n\
                Periodo. marzo de 2024\nLíquido a percibir 1.200,00";
    let told = |name| read("payslip", name, Kind::String, text);
    assert_eq!(told("company_name"), sure("Stone Bright, S.L."));
    assert_eq!(told("employee_name"), sure("Marta Ruiz Soler"));
}

#[test]
fn contracts_introduce_people_and_days_in_running_text() {
    let text = "EMPLOYMENT CONTRACT\n\
        This agreement is made on 15 February 2025 between Ocean Sdn Bhd, whose registered office\n\
        is at 54 Elm Street (the \"Employer\"), and Farah Abdullah (the \"Employee\"). The parties\n\
        have agreed to enter into this agreement, which shall commence on 17 October 2025 and be\n\
        governed by the following terms, which both have read and understood before they signed.";
    assert_eq!(read("contract", "employee", Kind::String, text).0, "Farah Abdullah");
    assert_eq!(read("contract", "start_date", Kind::Date, text), sure("2025-10-17"));
    assert_eq!(read("contract", "company", Kind::String, text).0, "Ocean Sdn Bhd");
}

#[test]
fn a_name_beside_its_label_is_not_contested_by_what_stands_below() {
    let text = "NÓMINA\nEmpresa Piedra Clara, S.L.       Trabajador SÁNCHEZ MOLINA, MIGUEL\n\
                CIF B12345674                    Categoría Oficial\n\
                Devengos                         Deducciones\n\
                Salario base 1.400,00            IRPF 10% 140,00\n\
                Incentivos 100,00                Desempleo 23,25\n\
                Líquido a percibir 1.336,75";
    let told = read("payslip", "employee_name", Kind::String, text);
    assert_eq!(told, sure("SÁNCHEZ MOLINA, MIGUEL"));
    assert_eq!(read("payslip", "company_name", Kind::String, text).0, "Piedra Clara, S.L.");
}

#[test]
fn a_place_before_a_bracket_is_no_person() {
    let text = "TENANCY AGREEMENT\n\
        This agreement is made on 15 February 2025 between Harris Seafood Inc., whose registered\n\
        office is at 93 Market Place, Perth WA (the \"Landlord\"), and Duncan Wright (the \"Tenant\").\n\
        The parties have agreed to enter into this tenancy agreement, which shall commence on\n\
        15 March 2025 and be governed by the following terms and conditions, read by them all.";
    assert_eq!(read("contract", "employee", Kind::String, text).0, "Duncan Wright");
    assert_eq!(read("contract", "company", Kind::String, text).0, "Harris Seafood Inc.");
}

#[test]
fn a_number_with_the_form_of_a_tax_id_is_one_only_where_nothing_calls_it_otherwise() {
    for text in [
        "Fra. nº: D2024-2434\nFecha factura: 27/03/24",
        "BILL N2025-9997\nInvoice Date: 2025-06-13",
    ] {
        let (told, _) = read("invoice", "invoice_number", Kind::String, text);
        assert!(["D2024-2434", "N2025-9997"].contains(&told.as_str()), "{text}: {told}");
    }
    assert_eq!(read("invoice", "invoice_number", Kind::String, "Factura\nNIF: B12345674").0, "");
}

#[test]
fn a_town_in_the_next_column_is_not_the_number_of_an_invoice() {
    let text = "Contract no     Pioneer Motors Inc.\n5048            Unit 4, 91 Victoria Street\n\
                Invoice         25194 Denver, CO\n2019/05490      GST Reg No: 851019325433";
    assert_eq!(read("invoice", "invoice_number", Kind::String, text).0, "2019/05490");
}

#[test]
fn what_is_paid_is_what_was_rounded() {
    let text = "CORNER SHOP SDN BHD\nPAPER      31.47\nTotal RM Incl. of GST   31.47\n\
                Rounding Adj   -0.02\nTotal RM   31.45\nCash    -50.00\nCHANGE   18.55";
    assert_eq!(read("receipt", "total", Kind::Decimal, text).0, "31.45");
    let unsigned = text.replace("-0.02", "0.02");
    assert_eq!(read("receipt", "total", Kind::Decimal, &unsigned).0, "31.45");
}

#[test]
fn a_total_that_cash_and_change_deny_is_not_sure() {
    let text = "SHOP\nPAPER   20.00\nSub total   20.00\nCash   100.00\nChange   78.80";
    assert!(!read("receipt", "total", Kind::Decimal, text).1);
}

#[test]
fn cash_is_rounded_where_no_rounded_total_is_printed() {
    let text = "SHOP\nPAPER   13.78\nSUBTOTAL   13.78\nTOTAL (GST INCL)   13.78\nCASH   20.00\n\
                ROUNDING ADJUSTMENT   0.02\nCHANGE DUE   6.20";
    assert_eq!(read("receipt", "total", Kind::Decimal, text), sure("13.78"));
}

#[test]
fn the_sums_of_a_german_sale_are_told_apart() {
    let text = "LADEN\nPAPIER   20,00\nHEFT   9,00\nSUMME   29,00\nGegeben   50,00\n\
                Rückgeld   21,00\nNetto   24,37\nMwSt 19%   4,63\nBrutto   29,00";
    assert_eq!(read("receipt", "total", Kind::Decimal, text), sure("29.00"));
}

#[test]
fn the_total_with_its_tax_is_the_total() {
    let text = "Tinta 1   40,00\nRolo 2   60,00\nSuma   100,00\nIVA 10%   10,00\n\
                TOTAL CON IVA   110,00";
    assert_eq!(read("invoice", "total_amount", Kind::Decimal, text), sure("110.00"));
    let text = text.replace("Suma", "Base tributável").replace("CON", "COM");
    assert_eq!(read("invoice", "total_amount", Kind::Decimal, &text), sure("110.00"));
    // Called nothing that anybody knows, arithmetic tells them apart.
    let text = "Plam 1   40,00\nZul 2   60,00\nTrunk   100,00\nBlik   21,00\nFlom   121,00";
    assert_eq!(read("invoice", "total_amount", Kind::Decimal, text).0, "121.00");
}

#[test]
fn cash_and_change_make_no_larger_total() {
    let text = "SHOP\nPAPER   47.00\nTOTAL   47.00\nCASH   50.00\nCHANGE   3.00";
    assert_eq!(read("receipt", "total", Kind::Decimal, text), sure("47.00"));
}

#[test]
fn a_bare_sign_heads_the_column_of_the_number() {
    let text = "FACTURA\n\nNº              FECHA           VENCIMIENTO\n\
                FA-2016-1061    2016-04-12      2016-06-11";
    assert_eq!(read("invoice", "invoice_number", Kind::String, text).0, "FA-2016-1061");
}

#[test]
fn the_day_behind_the_number_is_that_of_the_document() {
    for text in [
        "Rechnung Nr. 471102 vom 05.03.2018\nLieferung 01.03.2018\nGesamt 12,00 EUR",
        "Facture n° 471102 du 05/03/2018\nCommande 01/03/2018\nTotal TTC 12,00 EUR",
    ] {
        assert_eq!(read("invoice", "date", Kind::Date, text).0, "2018-03-05", "{text}");
    }
}

#[test]
fn who_sends_an_invoice_is_not_who_gets_it() {
    let window = "Gráficas Olmo S.L. - Calle Mayor 3 - 28001 Madrid\n\nTalleres Vega S.A.\n\
        Avenida del Puerto 12\n41001 Sevilla\n\nFactura nº: 2024/17\nFecha: 05/03/2024\n\n\
        Total   121,00 €\n\nGráficas Olmo S.L.  CIF B12345674  Tel. 91 123 45 67  info@graficasolmo.es";
    assert_eq!(read("invoice", "vendor_name", Kind::String, window).0, "Gráficas Olmo S.L.");
    let headed = "FACTURE                       Date 19/04/2016\n\nMaison Verte\n7500 Linne Road\n\
        Tracy CA 95304\n\nInformation client\nAzur Décor\n4557 De Silva Street\n\
        Fremont CA 94538\n\nMontant TTC   € 3 182,40";
    assert_eq!(read("invoice", "vendor_name", Kind::String, headed).0, "Maison Verte");
}

#[test]
fn a_code_of_tax_behind_a_price_is_no_digit() {
    let text = "SHOP\nBREAD   40.00S\nMILK   8.00Z\nTOTAL   48.00X\nCASH   48.00\nCHANGE   0.00";
    assert_eq!(read("receipt", "total", Kind::Decimal, text), sure("48.00"));
}

#[test]
fn a_name_that_was_hard_to_read_is_not_sure() {
    let text = "LAMPU BIRU STATIONERY SDN BHD\n(172763-K)\nNO.7 JALAN BUNGA\nTEL: 03-11223344\n\
                PAPER   47.00\nTOTAL   47.00\nCASH   50.00\nCHANGE   3.00";
    let told = |word: &str| {
        let mut page = page(text);
        page.source = page::Source::Ocr;
        for one in &mut page.words {
            one.confidence = if one.text == word { 0.95 } else { 0.9999 };
        }
        let schema = Schema { fields: vec![FieldSpec::new("merchant", Kind::String)] };
        let field = extract("receipt", &schema, &[&page], TODAY).fields.remove(0);
        (field.normalised.unwrap_or_default(), field.confidence >= SURE)
    };
    assert_eq!(told("nothing"), sure("LAMPU BIRU STATIONERY SDN BHD"));
    assert!(!told("LAMPU").1);
}

/// An invoice with one date, and words that say where it was written.
fn dated(date: &str, rest: &str) -> String {
    format!("Invoice no: A-123456\nInvoice date: {date}\n{rest}")
}

#[test]
fn the_document_tells_the_order_of_day_and_month() {
    let american = "Bill to: Ann Lee\nFremont, CA 94538\nTotal   $ 120.00";
    let spanish = "Calle Mayor 3\nIVA 21%   21,00 €\nTotal   121,00 €";
    let order = |text: &str| read("invoice", "date", Kind::Date, text);
    assert_eq!(order(&dated("04/03/2024", american)), sure("2024-04-03"));
    assert_eq!(order(&dated("04/03/2024", spanish)), sure("2024-03-04"));
    // A thirteen or more anywhere decides for all of them.
    let due = "Due date: 05/23/2024\nTotal   121,00 €";
    assert_eq!(order(&dated("04/03/2024", due)), sure("2024-04-03"));
    // Nothing tells: a person has to.
    assert!(!order(&dated("04/03/2024", "Total   120.00")).1);
    assert!(!order(&dated("04/03/2024", "Total   $ 120.00")).1);
}

#[test]
fn a_number_that_carries_the_month_tells_the_order() {
    let text = "Invoice no: INV/2024/04/0017\nInvoice date: 04/03/2024\n\
                Bill to: Ann Lee\nFremont, CA 94538\nTotal   120.00";
    assert_eq!(read("invoice", "date", Kind::Date, text).0, "2024-04-03");
    let text = text.replace("2024/04", "2024/03").replace("CA 94538", "");
    assert_eq!(read("invoice", "date", Kind::Date, &text).0, "2024-03-04");
}

#[test]
fn a_year_torn_in_two_is_not_another_year() {
    assert!(!read("receipt", "date", Kind::Date, "Date: 24/07/20 17\nTotal 12.00").1);
}

#[test]
fn nothing_of_a_novel_is_sure() {
    let text = "It was on the morning of the third that the old captain came down to the harbour,\n\
        and he said to the number of men who stood there that the total of their misery was not\n\
        yet reached. From that date nobody in the company spoke of invoice or of payment, and in\n\
        the month of May 1841 they sailed. Forty years, he said, is a long time to be due.";
    for (doc_type, name, kind) in [
        ("invoice", "invoice_number", Kind::String),
        ("invoice", "total_amount", Kind::Decimal),
        ("invoice", "vendor_name", Kind::String),
        ("invoice", "date", Kind::Date),
        ("contract", "employee", Kind::String),
    ] {
        let (told, is_sure) = read(doc_type, name, kind, text);
        assert!(!is_sure, "{name}: {told}");
    }
}

/// Every field that the workflow of the house asks for.
const ASKED: [(&str, &str, Kind); 15] = [
    ("invoice", "invoice_number", Kind::String),
    ("invoice", "total_amount", Kind::Decimal),
    ("invoice", "vendor_name", Kind::String),
    ("invoice", "date", Kind::Date),
    ("receipt", "merchant", Kind::String),
    ("receipt", "total", Kind::Decimal),
    ("receipt", "date", Kind::Date),
    ("id_card", "full_name", Kind::String),
    ("id_card", "id_number", Kind::String),
    ("id_card", "date_of_birth", Kind::Date),
    ("payslip", "company_name", Kind::String),
    ("payslip", "employee_name", Kind::String),
    ("payslip", "gross_amount", Kind::Decimal),
    ("payslip", "period", Kind::String),
    ("contract", "company", Kind::String),
];

#[test]
fn nothing_in_an_unknown_script_is_sure() {
    let text = "Договор поставки товаров народного потребления\n\
        Москва, улица Ленина, дом 5, квартира 12\nСумма прописью двенадцать тысяч рублей\n\
        株式会社 東京商事 御中\n合計金額 消費税 小計\nसेवा शुल्क कुल राशि दिनांक\n\
        Покупатель обязуется оплатить товар не позднее десяти дней";
    for (doc_type, name, kind) in ASKED {
        let (told, is_sure) = read(doc_type, name, kind, text);
        assert!(!is_sure, "{doc_type} {name}: {told}");
    }
}

#[test]
fn nothing_in_an_empty_form_is_sure() {
    let text = "SOLICITUD DE INSCRIPCIÓN\nNombre y apellidos: ______________________\n\
        DNI: ____________   Fecha de nacimiento: __/__/____\nEmpresa: __________________\n\
        Importe total: ________ €   Fecha: __/__/____\nNº de factura: ______________\n\
        Marque con una cruz lo que proceda y entregue esta hoja en la ventanilla.";
    for (doc_type, name, kind) in ASKED {
        let (told, is_sure) = read(doc_type, name, kind, text);
        assert!(!is_sure, "{doc_type} {name}: {told}");
    }
}

/// Letters that happen to end as a company's name does, and such that could be misread digits.
#[test]
fn noise_that_ends_in_a_legal_form_or_looks_like_digits_is_nothing() {
    for text in [
        "xgggzsbzb\nvz jz\nvz pp\n",
        "pp zv vb pv\nbv ",
        "PP ZV VB PV BV\nQR ST",
        "vj bv\njz\nbz bf ",
    ] {
        for (doc_type, name, kind) in ASKED {
            let (told, is_sure) = read(doc_type, name, kind, text);
            assert!(!is_sure, "{doc_type} {name}: {told}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_word_without_meaning_never_turns_a_date(
        word in "[bcdfghjk]{5,9}",
        day in 1..=12u8,
        month in 1..=12u8,
        end in prop::bool::ANY,
    ) {
        let rest = if end { "Fremont, CA 94538\nTotal   $ 120.00" } else { "Total   121,00 €" };
        let text = dated(&format!("{day:02}/{month:02}/2024"), rest);
        let before = find("invoice", "date", Kind::Date, &text).normalised;
        let after = find("invoice", "date", Kind::Date, &format!("{text}\n{word}")).normalised;
        prop_assert_eq!(before, after);
    }

    #[test]
    fn nothing_in_noise_is_sure(text in "([b-df-hj-np-tv-xz]{2,9}[ \n]){5,60}") {
        for (doc_type, name, kind) in ASKED {
            let (told, is_sure) = read(doc_type, name, kind, &text);
            prop_assert!(!is_sure, "{}: {}", name, told);
        }
    }
}
