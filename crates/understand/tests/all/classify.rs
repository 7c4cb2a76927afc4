//! The classifier as an application uses it.

use page::{PageText, Rect, Source, Word};
use proptest::prelude::*;
use understand::classify::{
    Classifier, ModelError, Report, TrainError, Trainer, first_page_evidence,
};

const TYPES: [&str; 6] = ["invoice", "receipt", "id_card", "payslip", "contract", "other"];

/// A typed page: one line per line, five points per letter.
fn page(text: &str) -> PageText {
    let mut words = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let mut column = 0;
        for word in line.split(' ') {
            let letters = word.chars().count();
            if letters > 0 {
                let place = Rect {
                    x: 40.0 + column as f32 * 5.0,
                    y: 40.0 + row as f32 * 12.0,
                    w: letters as f32 * 5.0,
                    h: 9.0,
                };
                words.push(Word { text: word.to_owned(), place, confidence: 1.0 });
            }
            column += letters + 1;
        }
    }
    PageText { width: 595.0, height: 842.0, source: Source::Plain, turned: 0, words }
}

fn best(text: &str) -> (String, f32) {
    Classifier::shipped().scores(&page(text), &TYPES).remove(0)
}

const UTILITY_BILL: &str = "Energía del Valle\nRESUMEN DE LA FACTURA Y DATOS DE PAGO\n\
    Nº de factura: P1M401N0012345\nFecha emisión factura: 05/10/2023\n\
    Periodo de facturación: del 04/09/2023 a 03/10/2023\nPotencia 12,10 € Energía 33,40 €\n\
    Impuestos 9,87 €\nTOTAL 56,37 €\nFecha de cargo: 13 de octubre de 2023";

const GROCER: &str = "COMESTIBLES ROSA SL\nC/ ANCHA 23 46004 VALENCIA\n12/05/2023 19:45 OP: 123456\n\
    FACTURA SIMPLIFICADA: 2222-013-123456\n1 ACEITE GIRASOL 2,10\n2 LECHE SEMI 0,85 1,70\n\
    TOTAL (€) 3,80\nTARJETA BANCARIA 3,80\nSE ADMITEN DEVOLUCIONES CON TICKET";

const NEWS: &str = "The government announced on Tuesday a package of measures aimed at reducing\n\
    energy prices for households, after weeks of protests in the capital. Ministers said the plan\n\
    would be financed through a tax on electricity companies. Opposition leaders criticised it.";

#[test]
fn pages_in_words_of_their_own_are_told() {
    for (text, label) in [(UTILITY_BILL, "invoice"), (GROCER, "receipt"), (NEWS, "other")] {
        let (told, probability) = best(text);
        assert!(told == label && probability > 0.8, "{label}: {told} {probability}");
    }
}

const PORTUGUESE: &str = "Oficina do Bairro, Lda\nRua da Escola 12 2500-110 Caldas da Rainha\n\
    Contribuinte 501234567\nFatura FT 2023/118\nData de emissão 12-05-2023 Vencimento 11-06-2023\n\
    Cliente Padaria Central\nDescrição Quantidade Preço unitário Valor\nMudança de óleo 1 45,00 45,00\n\
    Total ilíquido 45,00 IVA 23% 10,35\nTotal a pagar 55,35 EUR\nIBAN PT50 0002 0123 1234 5678 9015 4";

const GERMAN: &str = "Schreinerei Holzmann GmbH\nHandelsrechnung Nr. 2023-118 vom 12.05.2023\n\
    Kundennummer 4711\nMenge Bezeichnung Einzelpreis Betrag\n2 Regalbrett Eiche 40,00 80,00\n\
    Nettobetrag 80,00\nMwSt 19% 15,20\nGesamtbetrag 95,20 EUR\nZahlbar bis 11.06.2023\n\
    Bankverbindung IBAN DE02 1203 0000 0000 2020 51 BIC BYLADEM1001\nUSt-IdNr. DE123456789";

#[test]
fn meanings_carry_over_to_languages_it_was_hardly_or_never_taught() {
    for text in [PORTUGUESE, GERMAN] {
        let (told, probability) = best(text);
        assert!(told == "invoice" && probability > 0.8, "{told} {probability}: {text}");
    }
}

#[test]
fn a_page_from_an_unknown_world_is_unsure() {
    let cyrillic = "мы все учились понемногу чему нибудь и как нибудь так воспитаньем слава богу \
                    у нас немудрено блеснуть\n"
        .repeat(6);
    let noise = "xq wvtk zzr bnmk prtq lkj hgf ddsq mnbv cxz plok ujhy tgrf edws qazx\n".repeat(8);
    for text in [cyrillic.as_str(), noise.as_str(), "", "\u{4f60}\u{597d}"] {
        let (told, probability) = best(text);
        let confident = told != "other" && probability >= 0.8;
        assert!(!confident, "{told} {probability}: {text}");
    }
}

#[test]
fn a_page_that_says_little_is_unsure() {
    for text in ["", "Anexo II", "FACTURA", "12,50 €"] {
        assert!(best(text).1 < 0.5, "{text}");
    }
}

#[test]
fn a_type_that_the_workflow_lacks_makes_the_page_unsure_or_other() {
    let receipt = page(GROCER);
    let model = Classifier::shipped();
    let scores = model.scores(&receipt, &["id_card", "payslip"]);
    assert!(scores.iter().all(|(_, p)| *p < 0.5), "{scores:?}");
    let scores = model.scores(&receipt, &["payslip", "other"]);
    assert!(scores[0].0 == "other" && scores[0].1 > 0.9, "{scores:?}");
    let scores = model.scores(&receipt, &["receipt", "payslip", "delivery_note"]);
    let sum: f32 = scores.iter().map(|(_, p)| p).sum();
    assert!(scores[0].0 == "receipt" && (sum - 1.0).abs() < 1e-3, "{scores:?}");
    assert!(model.scores(&receipt, &[]).is_empty());
}

#[test]
fn types_of_ones_own_are_learnt_from_a_handful_of_pages() {
    let mut trainer = Trainer::new();
    for n in 0..12 {
        let menu =
            format!("Carta del día {n} sopa de verduras lenguado tarta helado café vino agua");
        let rota =
            format!("Turnos semana {n} lunes martes mañana tarde noche libre guardia equipo jefe");
        trainer.add(&page(&menu), "menu");
        trainer.add(&page(&rota), "rota");
    }
    let (bytes, report) = trainer.train().unwrap();
    assert!((report.accuracy - 1.0).abs() < f32::EPSILON, "{report}");
    assert_eq!(trainer.train().unwrap().0, bytes, "training involves no chance");
    let model = Classifier::load(&bytes).unwrap();
    let dish = page("sopa de pescado y tarta de queso con café, la carta de hoy y vino de la casa");
    assert_eq!(model.scores(&dish, &["rota", "menu"])[0].0, "menu");
    assert!(report.svg().starts_with("<svg") && report.to_string().contains("% right"));
    let again = Report::measure(&model, [(&dish, "menu"), (&dish, "unknown")]);
    assert_eq!(again.pages, 1);
}

#[test]
fn what_cannot_be_learnt_is_refused_in_a_sentence() {
    let mut trainer = Trainer::new();
    assert_eq!(trainer.train().unwrap_err(), TrainError::TooFewTypes { found: 0 });
    trainer.add(&page(NEWS), "news");
    assert_eq!(trainer.train().unwrap_err(), TrainError::TooFewTypes { found: 1 });
    trainer.add(&page(NEWS), &"x".repeat(65));
    assert!(matches!(trainer.train(), Err(TrainError::LongLabel { .. })));
}

#[test]
fn a_damaged_model_is_refused() {
    let good = Classifier::shipped().save();
    assert_eq!(Classifier::load(&good).as_ref(), Ok(Classifier::shipped()));
    assert_eq!(Classifier::load(b"PK"), Err(ModelError::NotAModel));
    assert_eq!(Classifier::load(&good[..good.len() / 2]), Err(ModelError::Damaged));
}

#[test]
fn pages_of_a_document_know_their_place() {
    let second =
        first_page_evidence(&page("Talleres Sur\nFactura nº 2024/0117\n\n\nPágina 2 de 3"));
    assert_eq!(second.page_number, Some((2, Some(3))));
    assert_eq!(second.identity.as_deref(), Some("20240117"));
    assert!(!second.starts);
    let first = first_page_evidence(&page("INVOICE\nInvoice No: INV-00341\nDate 03/04/2024"));
    assert_eq!((first.identity.as_deref(), first.starts), (Some("INV00341"), true));
    let below = first_page_evidence(&page("FACTURA\nNº de factura\nA-778"));
    assert_eq!(below.identity.as_deref(), Some("A778"));
    assert_eq!(first_page_evidence(&page("Page 1/2")).page_number, Some((1, Some(2))));
    let slip = first_page_evidence(&page("NÓMINA\nTrabajador Ana Gil NIF 12345678Z"));
    assert_eq!((slip.identity.as_deref(), slip.starts), (Some("12345678Z"), true));
    let card = first_page_evidence(&page(
        "IDESPCAA000000499999999R<<<<<<\n8001014F3106028ESP<<<<<<<<<<<1\nESPANOLA<<CARMEN<<<<<<<<<<<<<<",
    ));
    assert_eq!(card.identity.as_deref(), Some("CAA000000"));
    let receipt = first_page_evidence(&page("Ticket 4471\nTOTAL 12,50 €"));
    assert_eq!(receipt.total.as_deref(), Some("1250"));
    let plain = first_page_evidence(&page("and so the story went on as before"));
    assert_eq!(plain, understand::classify::Evidence::default());
}

#[test]
fn short_numbers_name_documents_where_something_says_that_they_are_numbers() {
    let read = |text: &str| {
        let found = first_page_evidence(&page(text));
        (found.identity, found.maybe)
    };
    let sure = |number: &str| (Some(number.to_owned()), None);
    for (text, number) in [
        ("FACTURA nº 7\nFecha 3/4/2024", "7"),
        ("Factura N.º 8", "8"),
        ("Factura nº7", "7"),
        ("Invoice #8", "8"),
        ("Invoice # 8", "8"),
        ("Número de factura: 9", "9"),
        ("Invoice number 3", "3"),
        ("FACTURA\nNº 7\nTalleres Sur", "7"),
        ("FACTURA\nTalleres Sur\nNº: A-1   Fecha: 3/4/2024", "A1"),
        ("FACTURA Nº\n7", "7"),
        ("Nº factura   Fecha\n7   3/4/2024", "7"),
        ("Factura A-1", "A1"),
        ("Factura: F-0", "F0"),
        ("INVOICE F-9 3 April 2024", "F9"),
        ("Factura F-10", "F10"),
    ] {
        assert_eq!(read(text), sure(number), "{text}");
    }
    for (text, maybe) in [
        ("Factura 7", Some("7")),
        ("Ticket 12", Some("12")),
        ("Factura 2 de 3", None),
        ("Factura de 7,50 €", None),
        ("FACTURA\nNº cliente 7", None),
        ("FACTURA\nCalle Mayor 7", None),
        ("Invoice date\n3 April 2024", None),
    ] {
        assert_eq!(read(text), (None, maybe.map(str::to_owned)), "{text}");
    }
}

fn any_page() -> impl Strategy<Value = PageText> {
    let word = ("\\PC{0,12}", -1e4f32..1e4, -1e4f32..1e4, 0f32..500.0, 0f32..500.0);
    prop::collection::vec(word, 0..60).prop_map(|words| PageText {
        width: 600.0,
        height: 800.0,
        source: Source::Ocr,
        turned: 0,
        words: words
            .into_iter()
            .map(|(text, x, y, w, h)| Word { text, place: Rect { x, y, w, h }, confidence: 0.5 })
            .collect(),
    })
}

proptest! {
    #[test]
    fn any_page_gets_probabilities(page in any_page()) {
        let scores = Classifier::shipped().scores(&page, &TYPES);
        let sum: f32 = scores.iter().map(|(_, p)| p).sum();
        prop_assert!((sum - 1.0).abs() < 1e-3);
        prop_assert!(scores.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        let _ = first_page_evidence(&page);
    }

    #[test]
    fn any_bytes_are_a_model_or_a_reason(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut named = b"turnocl2".to_vec();
        named.extend(&bytes);
        prop_assert!(Classifier::load(&bytes).is_err());
        prop_assert!(Classifier::load(&named).is_err());
    }
}
