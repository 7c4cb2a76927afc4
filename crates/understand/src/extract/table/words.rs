//! The words at the head of a table, and those that end it, in Spanish, English, French, Portuguese
//! and German.

use std::collections::HashMap;
use std::sync::LazyLock;

use page::Rect;

use super::super::parse::amount;
use super::super::schema::{CellKind, Column};
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

/// The head of one column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) part: Part,
    pub(super) place: Rect,
}

/// The longest head in words.
const MOST_WORDS: usize = 4;
/// And a row of heads.
const MOST_TOKENS: usize = 40;

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
         quant | menge | anzahl | stk | stuck | hours | horas | heures | stunden | pcs | unid | hrs | qtde",
    ),
    (Part::Unit, "unit | unidad | um | unite | einheit | uom | unidade | me | ud"),
    (
        Part::Price,
        "price | unit price | rate | precio | precio unit | precio unitario | p unitario | p unit | \
         precio unidad | precio ud | p u | prix unitaire | prix unit | prix unitaire ht | pu ht | pu | \
         p u ht | prix | prix u | prix ht | preco | preco unit | preco unitario | einzelpreis | preis | e preis | \
         unit cost | cost | coste | price each | unit price net | net price | stuckpreis | einheitspreis | \
         nettopreis | tarifa | prix unitaire hors taxes | price per unit",
    ),
    (
        Part::Discount,
        "dto | descuento | discount | remise | rabatt | desconto | desc | disc | rabais | dcto | nachlass",
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
         montant ttc | prix total ht | positionsbetrag | amount due",
    ),
];

/// Words of the sums below a table, besides those that head amounts and taxes.
const SUMS: &str = "base imponible neto netto net subtotal total totaux totales ht ttc hors taxes suma \
    sous sub gesamt zwischensumme nettobetrag bruttobetrag rechnungsbetrag pagar payer due pay cuota \
    taxable incidencia tributavel tributable iliquido excl incl iva vat tva mwst ust tax taxe mehrwertsteuer \
    desglose resumen importe amount montant";

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

static KNOWN: LazyLock<HashMap<String, Part>> = LazyLock::new(|| {
    let each =
        HEADS.iter().flat_map(|(part, texts)| texts.split('|').map(move |text| (text, part)));
    each.map(|(text, part)| (shaped(text), *part)).collect()
});

static SUM_WORDS: LazyLock<Vec<String>> =
    LazyLock::new(|| SUMS.split_whitespace().map(shaped).collect());

/// The head that a word of some length was meant to be.
fn misread(words: &str) -> Option<Part> {
    if !(6..=24).contains(&words.len()) {
        return None;
    }
    let like = KNOWN.iter().filter(|(known, _)| known.len() > 5);
    let like = like.map(|(known, part)| (likeness(known, words), known, part));
    // Of two that are as like, always the same one.
    let best = like.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    best.filter(|(like, ..)| *like > 0.8).map(|(.., part)| *part)
}

fn shaped(text: &str) -> String {
    shape(&fold(text))
}

/// The columns of a schema as parts, with the words that only they have.
pub(super) struct Wanted {
    pub(super) parts: Vec<Part>,
    own: Vec<(String, Part)>,
}

impl Wanted {
    pub(super) fn new(columns: &[Column]) -> Self {
        let (mut parts, mut own): (Vec<Part>, Vec<(String, Part)>) = (Vec::new(), Vec::new());
        for (index, column) in columns.iter().enumerate() {
            let known = KNOWN.get(&shaped(&column.name)).copied();
            let known = known.map(|part| if part == Part::Item { Part::Description } else { part });
            // Of two columns with one meaning the second has only its own words.
            let part = known
                .filter(|part| !parts.contains(part))
                .unwrap_or(Part::Own(index, column.kind != CellKind::Text));
            own.extend(column.labels.iter().map(|label| (shaped(label), part)));
            if column.labels.is_empty() && matches!(part, Part::Own(..)) {
                own.push((shaped(&column.name), part));
            }
            parts.push(part);
        }
        Self { parts, own }
    }

    fn part(&self, words: &str) -> Option<Part> {
        let own = self.own.iter().find(|(label, _)| label == words).map(|(_, part)| *part);
        own.or_else(|| KNOWN.get(words).copied()).or_else(|| misread(words))
    }

    /// The heads that a row prints, if it is the head of a table.
    pub(super) fn heads(&self, row: &Row) -> Option<Vec<Head>> {
        let cents = |text: &str| amount::parse(text).is_some_and(|amount| amount.decimals > 0);
        if row.tokens.len() > MOST_TOKENS || row.tokens.iter().any(|token| cents(&token.text)) {
            return None;
        }
        let mut heads: Vec<Head> = Vec::new();
        let (mut at, mut matched) = (0, 0);
        while at < row.tokens.len() {
            let close = |n: &usize| (at + 1..at + n).all(|token| row.gap_before(token) < 1.3);
            let counts = (1..=MOST_WORDS.min(row.tokens.len() - at)).rev().filter(close);
            let found = counts.into_iter().find_map(|n| {
                let words: String =
                    row.tokens[at..at + n].iter().map(|token| token.folded.as_str()).collect();
                self.part(&shape(&words)).map(|part| (n, part))
            });
            let Some((n, part)) = found else {
                at += 1;
                continue;
            };
            let first = row.tokens[at].place;
            let place = row.tokens[at..at + n].iter().fold(first, |all, t| all.union(&t.place));
            heads.push(Head { part, place });
            matched += n;
            at += n;
        }
        if !heads.iter().any(|head| head.part == Part::Description)
            && let Some(item) = heads.iter_mut().find(|head| head.part == Part::Item)
        {
            item.part = Part::Description;
        }
        let has = |part: Part| heads.iter().any(|head| head.part == part);
        let what = [Part::Description, Part::Quantity, Part::Price];
        let of = what.into_iter().filter(|part| has(*part)).count();
        let priced = has(Part::Amount) && of > 0 || has(Part::Price) && of > 1;
        let words = row.tokens.iter().filter(|token| worded(&token.text)).count();
        (priced && matched * 2 >= words).then_some(heads)
    }
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
