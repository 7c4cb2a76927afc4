//! The words at the head of a table, and those that end it, in Spanish, English, French, Portuguese
//! and German.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::parse::amount;
use super::super::sheet::Row;
use super::super::text::{fold, likeness, shape};

/// What a column of a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// A code, a date, a number of the line: kept apart from the words that describe it.
    Code,
    /// A code or, where nothing else is, the description.
    Item,
    Description,
    Quantity,
    Unit,
    Price,
    Discount,
    Tax,
    Amount,
    /// A column of the schema that is known by its own words alone, by its index.
    Own(usize, bool),
}

impl Part {
    /// Whether its cells are numbers.
    pub(super) fn counts(self) -> bool {
        match self {
            Self::Quantity | Self::Price | Self::Discount | Self::Tax | Self::Amount => true,
            Self::Own(_, counts) => counts,
            Self::Code | Self::Item | Self::Description | Self::Unit => false,
        }
    }
}

const HEADS: &[(Part, &str)] = &[
    (
        Part::Code,
        "code | codigo | cod | ref | reference | referencia | réf | sku | art no | art nr | artikelnr | \
         artikelnummer | pos | position | no | nr | n | line | linea | ligne | part no | date | fecha | \
         datum | data | item no | item code | product code | num",
    ),
    (
        Part::Item,
        "item | articulo | artigo | art | artikel | article | producto | produit | product",
    ),
    (
        Part::Description,
        "description | descripcion | concepto | detalle | detalles | item description | details | \
         particulars | designation | libelle | descricao | designacao | bezeichnung | beschreibung | \
         leistung | servicio | service | services | prestation | prestations | product description | \
         descripcion del articulo | artikelbezeichnung | produto | nombre | denominacion | goods | \
         description of goods | text",
    ),
    (
        Part::Quantity,
        "quantity | qty | cantidad | cant | uds | unidades | units | quantite | qte | quantidade | qtd | \
         quant | menge | mge | anzahl | stk | stuck | hours | horas | heures | stunden | pcs | unid | hrs | qtde",
    ),
    (Part::Unit, "unit | unidad | um | unite | einheit | uom | unidade | me | ud"),
    (
        Part::Price,
        "price | unit price | rate | precio | precio unit | precio unitario | p unitario | p unit | \
         precio unidad | precio ud | p u | prix unitaire | prix unit | prix unitaire ht | pu ht | pu | \
         p u ht | prix | prix u | prix ht | preco | preco unit | preco unitario | einzelpreis | preis | e preis | \
         unit cost | cost | coste | price each | unit price net | net price | stuckpreis | einheitspreis | \
         nettopreis | ep | tarifa | prix unitaire hors taxes | price per unit",
    ),
    (
        Part::Discount,
        "dto | descuento | discount | remise | rem | rabatt | desconto | desc | disc | rabais | dcto | nachlass",
    ),
    (
        Part::Tax,
        "iva | vat | tax | taxes | tva | mwst | ust | ust satz | gst | impuesto | impuestos | imposto | \
         taxa | taux tva | taux | tipo iva | vat rate | tax rate | steuer | steuersatz | mwst satz | \
         taxa iva | tipo | umsatzsteuer",
    ),
    (
        Part::Amount,
        "amount | importe | total | subtotal | line total | montant | total ht | sous total | montant ht | \
         montante | valor | valor liquido | betrag | gesamt | gesamtpreis | summe | gesamtbetrag | \
         nettobetrag | importe neto | importe total | total linea | net amount | line amount | \
         extended price | g preis | total net | prix total | montant total | total price | total eur | \
         precio total | sub total | total hors taxes | preco total | montant net | netto | neto | total ttc | \
         montant ttc | entgelt | gesamtpreis netto | prix total ht | positionsbetrag | amount due",
    ),
];

/// Words of the sums below a table, besides those that head amounts and taxes.
const SUMS: &str = "base imponible neto netto net subtotal total totaux totales ht ttc hors taxes suma \
    sous sub gesamt zwischensumme nettobetrag bruttobetrag rechnungsbetrag pagar payer due pay cuota \
    taxable incidencia tributavel tributable iliquido excl incl iva vat tva mwst ust tax taxe mehrwertsteuer \
    desglose resumen importe amount montant summe summen gesamtbetrag gesamtsumme nettosumme bruttosumme \
    zahlbetrag endbetrag rechnungsendbetrag nettowarenwert warenwert brutto zahlen umsatzsteuer \
    steuerbetrag";

/// What carries a sum to the next page.
const CARRIED: [&str; 10] = [
    "sumaysigue",
    "sumaanterior",
    "carriedforward",
    "broughtforward",
    "areporter",
    "report",
    "ubertrag",
    "atransportar",
    "transporte",
    "sigue",
];

pub(super) static KNOWN: LazyLock<HashMap<String, Part>> = LazyLock::new(|| {
    let each =
        HEADS.iter().flat_map(|(part, texts)| texts.split('|').map(move |text| (text, part)));
    each.map(|(text, part)| (shaped(text), *part)).collect()
});

static SUM_WORDS: LazyLock<Vec<String>> =
    LazyLock::new(|| SUMS.split_whitespace().map(shaped).collect());

/// The head that a word of some length was meant to be.
pub(super) fn misread(words: &str) -> Option<Part> {
    if !(6..=24).contains(&words.len()) {
        return None;
    }
    let like = KNOWN.iter().filter(|(known, _)| known.len() > 5);
    let like = like.map(|(known, part)| (likeness(known, words), known, part));
    // Of two that are as like, always the same one.
    let best = like.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    best.filter(|(like, ..)| *like > 0.8).map(|(.., part)| *part)
}

pub(super) fn shaped(text: &str) -> String {
    shape(&fold(text))
}

pub(super) fn worded(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && amount::currency(text).is_none()
}

/// Whether a row without numbers heads the sums below a table.
pub(super) fn heads_sums(row: &Row) -> bool {
    let words = || row.tokens.iter().filter(|token| worded(&token.text));
    let sums = words().filter(|token| SUM_WORDS.contains(&token.shaped)).count();
    sums > 0 && sums * 2 >= words().count()
}

/// Whether a row carries the sum of a page over to the next.
pub(super) fn carries(row: &Row) -> bool {
    let words = row.tokens.iter().filter(|token| worded(&token.text));
    let words: String = words.map(|token| token.folded.as_str()).collect();
    CARRIED.contains(&words.as_str())
}
