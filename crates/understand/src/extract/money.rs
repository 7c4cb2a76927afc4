//! The amounts of a document and what each of them is said to be.

use std::sync::LazyLock;

use rust_decimal::Decimal;

use super::parse::amount::{self, Amount, Currency};
use super::sheet::{Row, Sheet, Span, Token};
use super::text::{letters, likeness};

/// What the words beside an amount make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sense {
    Total,
    /// Before tax.
    Net,
    Tax,
    Cash,
    /// Paid by card or transfer: repeats the total.
    Card,
    Change,
    Rounding,
    Discount,
    Quantity,
    Gross,
    Deductions,
    NetPay,
    /// The total of a part: of a page, of the goods at one tax rate.
    Part,
    /// A line of the document, or anything without a telling word.
    Item,
}

/// An amount in its place.
#[derive(Clone, Debug)]
pub(super) struct Money {
    pub(super) amount: Amount,
    pub(super) span: Span,
    pub(super) sense: Sense,
    /// How plainly the words say so, 0 to 1.2.
    pub(super) strength: f32,
    /// Nothing but this amount stands to its right.
    pub(super) rightmost: bool,
}

/// Marks that words of a label leave.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Marks(u32);

macro_rules! marks {
    ($($name:ident = $bit:expr),* $(,)?) => { impl Marks { $(const $name: u32 = 1 << $bit;)* } };
}
marks!(
    TOTAL = 0,
    SUB = 1,
    NET = 2,
    TAX = 3,
    INCL = 4,
    EXCL = 5,
    CASH = 6,
    CHANGE = 7,
    ROUND = 8,
    DISCOUNT = 9,
    QTY = 10,
    PAY = 11,
    GROSS = 12,
    DEDUCT = 13,
    CARD = 14,
    AMOUNT = 15,
    BASE = 16,
    PART = 17,
    GRAND = 18,
    AFTER = 19,
    LIQUID = 20,
    SUMMARY = 21,
    INVOICE = 22,
    SALES = 23,
    NETO = 24,
);

impl Marks {
    fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }
}

const KEYWORDS: &[(u32, &str)] = &[
    (
        Marks::TOTAL,
        "total totales totals totaal jumlah totaux totale gesamt gesamtbetrag gesamtsumme",
    ),
    (Marks::TOTAL, "endbetrag rechnungsbetrag rechnungsendbetrag endsumme summe"),
    (Marks::TOTAL | Marks::GRAND, "brutto bruttobetrag bruttosumme gesamtbrutto"),
    (Marks::SUB | Marks::TOTAL, "nettobetrag nettosumme zwischensumme subtotal soustotal"),
    (Marks::SUB, "sub sous suma warenwert nettowarenwert"),
    (Marks::NET, "net nett"),
    (Marks::NET | Marks::NETO, "neto neta netto"),
    (
        Marks::TAX,
        "tax taxes gst vat iva tva sst igic impuesto impuestos cuota taxe taxable irpf igv isv mwst \
         ust umsatzsteuer mehrwertsteuer steuerbetrag steuer btw imposto",
    ),
    (Marks::INCL, "incl inclusive including inc incluido incluidos included ttc inciusive inci"),
    (Marks::INCL, "inclusived con com avec with comprises compris inkl mit"),
    (
        Marks::EXCL,
        "excl exclusive excluding exc before ht sin hors antes without ohne exkl sem \
         iliquido",
    ),
    (
        Marks::CASH,
        "cash tender tendered accepted diterima tunai paid efectivo entregado recibido received espèces especes \
         entrega pagado payment bayaran gegeben barzahlung bargeld erhalten",
    ),
    (Marks::CHANGE, "change cambio vuelto devolucion baki rendu devuelto canvi ruckgeld zuruck"),
    (Marks::ROUND, "rounding round rnd redondeo arrondi rounded bundaran adj adjustment pelarasan"),
    (Marks::AFTER, "after rounded despues"),
    (Marks::DISCOUNT, "discount disc saving savings saved descuento dto remise rebate diskaun"),
    (Marks::DISCOUNT, "promo ahorro voucher coupon rabatt skonto nachlass"),
    (
        Marks::QTY,
        "qty quantity items item cantidad articulos unidades count pcs kuantiti uds lineas \
         articles points puntos bil kg horas dias hours days menge anzahl stuck tage",
    ),
    (Marks::PAY, "pay payable pagar payer due abonar owed balance apagar charge zahlbetrag zahlen"),
    (Marks::GROSS, "gross bruto bruta devengado devengos devengada brut earnings devengamientos"),
    (
        Marks::DEDUCT,
        "deducciones deducir deduction deductions retenciones cotisations aportaciones \
         deduccion descuentos retenues",
    ),
    (Marks::LIQUID, "liquido percibir takehome liquid"),
    (
        Marks::CARD,
        "visa mastercard master card tarjeta amex debit credit mydebit carte maestro cb \
         paypal bizum credito debito girocard kartenzahlung kreditkarte",
    ),
    (Marks::AMOUNT, "amount importe montant amt valor import montante betrag"),
    (Marks::BASE, "base imponible taxable baseimponible tributavel incidencia"),
    (
        Marks::PART,
        "supplies page pagina anterior previous carried forward ytd acumulado year date line \
         unit unitario ubertrag seite",
    ),
    (Marks::GRAND, "grand general final ttc"),
    (Marks::SUMMARY, "summary resumen desglose analysis breakdown ventilation detail aufstellung"),
    (Marks::INVOICE, "factura invoice facture fatura bill ticket sale rechnung"),
    (Marks::SALES, "sales ventas"),
];

/// Every amount of the sheet with its sense. `taken` are spans that hold something else: dates.
pub(super) fn find(sheet: &Sheet, taken: &[Span]) -> Vec<Money> {
    let mut money = Vec::new();
    let mut in_summary = false;
    let marked: Vec<Vec<Marks>> = sheet.rows.iter().map(marks_of_row).collect();
    for (at, row) in sheet.rows.iter().enumerate() {
        let marks = &marked[at];
        let all = marks.iter().fold(Marks::default(), |all, one| Marks(all.0 | one.0));
        if all.has(Marks::SUMMARY) && all.has(Marks::TAX) {
            in_summary = true;
        }
        let amounts = amounts_of(row, at, taken);
        for (n, (span, amount)) in amounts.iter().enumerate() {
            let left = &marks[..span.from];
            let said = left.iter().fold(Marks::default(), |all, one| Marks(all.0 | one.0));
            let (mut sense, mut strength) = sense_of(said);
            if matches!(sense, Sense::Tax | Sense::Net) && described(row, left) {
                (sense, strength) = (Sense::Item, 0.0);
            }
            let words = row.tokens[..span.from].iter().filter(|token| worded(&token.text)).count();
            if sense == Sense::Item && (words == 0 || amounts.len() > 1) {
                let column: Vec<Span> = amounts.iter().map(|(span, _)| *span).collect();
                (sense, strength) = header_sense(sheet, &marked, *span, &column);
                // Over a row with words it heads a column of lines.
                strength *= if words == 0 { 1.0 } else { 0.4 };
            } else if words > 6 {
                strength *= 0.5;
            }
            // Nobody rounds by a whole unit: it is what was rounded.
            if sense == Sense::Rounding && amount.value.abs() >= Decimal::ONE {
                (sense, strength) = (Sense::Total, 0.9);
            }
            if in_summary && matches!(sense, Sense::Total | Sense::Net) {
                strength *= 0.3;
            }
            let rightmost = n + 1 == amounts.len();
            let amount = amount.clone();
            money.push(Money { amount, span: *span, sense, strength, rightmost });
        }
    }
    money
}

fn marks_of_row(row: &Row) -> Vec<Marks> {
    row.tokens.iter().map(|token| marks_of(&token.shaped)).collect()
}

/// Whether a description comes before the first telling word: a line of goods that names its tax.
fn described(row: &Row, left: &[Marks]) -> bool {
    let first = left.iter().position(|marks| marks.0 != 0).unwrap_or(0);
    row.tokens[..first].iter().filter(|token| worded(&token.text)).count() > 1
}

fn worded(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    letters >= 2
        && !text.contains(|letter: char| letter.is_ascii_digit())
        && amount::currency(text).is_none()
}

/// The marks of one word; misreadings of longer words count too.
fn marks_of(shaped: &str) -> Marks {
    if shaped.len() < 2 || shaped.len() > 24 {
        return Marks::default();
    }
    let set = letters(shaped);
    let (mut found, mut exact) = (0, 0);
    for (mark, word, known) in SHAPED.iter() {
        let near = (known ^ set).count_ones() <= 4 && word.len().abs_diff(shaped.len()) <= 2;
        if near && word == shaped {
            exact |= mark;
        } else if near && word.len() > 4 && likeness(word, shaped) > 0.75 {
            found |= mark;
        }
    }
    // A word that is known is no slip of another: German `brutto` is no Spanish `bruto`.
    let found = if exact == 0 { found } else { exact };
    // Glued words: `TOTALRM`, `CHANGERM`, `excludingGST`.
    if found == 0 && shaped.len() > 5 {
        let ends = shape_of("rm");
        if let Some(head) = shaped.strip_suffix(ends.as_str()) {
            return marks_of(head);
        }
        let gst = shape_of("gst");
        if let Some(head) = shaped.strip_suffix(gst.as_str()) {
            return Marks(marks_of(head).0 | Marks::TAX);
        }
    }
    Marks(found)
}

fn shape_of(text: &str) -> String {
    super::text::shape(&super::text::fold(text))
}

/// Each keyword with its mark and its letters.
static SHAPED: LazyLock<Vec<(u32, String, u64)>> = LazyLock::new(|| {
    let shaped = |(mark, words): &(u32, &'static str)| {
        let mark = *mark;
        words.split(' ').map(move |word| (mark, shape_of(word), letters(&shape_of(word))))
    };
    KEYWORDS.iter().flat_map(shaped).collect()
});

/// What a label with these marks announces. The order matters: the narrower meaning comes first.
fn sense_of(marks: Marks) -> (Sense, f32) {
    let has = |bits| marks.has(bits);
    let total = has(Marks::TOTAL);
    if has(Marks::CHANGE) {
        return (Sense::Change, 1.0);
    }
    let to_date =
        has(Marks::PART) && has(Marks::GROSS | Marks::NET | Marks::DEDUCT | Marks::LIQUID);
    if to_date {
        return (Sense::Part, 0.5);
    }
    if has(Marks::DEDUCT) {
        return (Sense::Deductions, if total { 1.0 } else { 0.6 });
    }
    if has(Marks::LIQUID) || has(Marks::NET) && has(Marks::PAY) {
        return (Sense::NetPay, 1.0);
    }
    if has(Marks::GROSS) {
        return (Sense::Gross, if total { 1.0 } else { 0.7 });
    }
    if has(Marks::QTY) && !has(Marks::PAY | Marks::INCL) {
        return (Sense::Quantity, 1.0);
    }
    if has(Marks::DISCOUNT) && !has(Marks::AFTER) {
        return (Sense::Discount, 1.0);
    }
    if has(Marks::ROUND) && !(total && has(Marks::AFTER)) {
        return (Sense::Rounding, 1.0);
    }
    if total || has(Marks::AMOUNT | Marks::PAY | Marks::GRAND) {
        return total_sense(marks);
    }
    if has(Marks::CASH) {
        return (Sense::Cash, 1.0);
    }
    if has(Marks::CARD) {
        return (Sense::Card, 0.8);
    }
    if has(Marks::BASE) || has(Marks::SUB) {
        return (Sense::Net, 0.9);
    }
    if has(Marks::TAX) && !has(Marks::INVOICE) {
        return (Sense::Tax, 0.9);
    }
    if has(Marks::NET) {
        return (Sense::Net, 0.5);
    }
    (Sense::Item, 0.0)
}

/// The shades of `total` and `amount`.
fn total_sense(marks: Marks) -> (Sense, f32) {
    let has = |bits| marks.has(bits);
    let total = has(Marks::TOTAL);
    if has(Marks::SUB) {
        return (Sense::Net, 0.9);
    }
    if has(Marks::PART) && !has(Marks::PAY | Marks::GRAND) {
        return (Sense::Part, if total { 0.8 } else { 0.3 });
    }
    if has(Marks::EXCL) && !has(Marks::INCL) {
        return (Sense::Net, 1.0);
    }
    if has(Marks::CASH) && !has(Marks::PAY) {
        return (Sense::Cash, 0.7);
    }
    if has(Marks::BASE) {
        return (Sense::Net, 0.9);
    }
    // In Spanish the net total is before tax, in English shops it is what is left to pay.
    if has(Marks::NETO) && !has(Marks::PAY) {
        return (Sense::Net, 0.85);
    }
    if has(Marks::AFTER) && total {
        return (Sense::Total, 1.2);
    }
    if has(Marks::INCL) || has(Marks::GRAND) {
        return (Sense::Total, if total { 1.1 } else { 1.0 });
    }
    if has(Marks::PAY) {
        return (Sense::Total, if total || has(Marks::AMOUNT) { 1.1 } else { 0.7 });
    }
    if has(Marks::TAX) && !has(Marks::INVOICE) {
        return (Sense::Tax, 0.9);
    }
    if has(Marks::CARD) {
        return (Sense::Card, 0.8);
    }
    let strength = match (total, has(Marks::NET), has(Marks::AMOUNT | Marks::INVOICE)) {
        (true, true, _) | (true, false, true) => 0.9,
        (true, false, false) => 0.85,
        (false, true, _) => return (Sense::Net, 0.6),
        (false, false, _) => 0.4,
    };
    (Sense::Total, strength)
}

/// What the heading above an amount says: the nearest cell over it that holds a telling word.
fn header_sense(sheet: &Sheet, marked: &[Vec<Marks>], span: Span, beside: &[Span]) -> (Sense, f32) {
    let middle = |span: Span| sheet.place(span).middle().0;
    // Headings set close together belong to the amount they stand nearest to.
    let ours = |token: &Token| {
        let x = token.place.middle().0;
        let near = (x - middle(span)).abs();
        beside.iter().all(|other| (x - middle(*other)).abs() >= near)
    };
    let place = sheet.place(span);
    let page = sheet.row(span).page;
    for up in (0..span.row).rev().take(30) {
        let row = &sheet.rows[up];
        if row.page != page {
            break;
        }
        for (from, to) in row.cells() {
            let cell = sheet.place(Span { row: up, from, to });
            let shared = cell.right().min(place.right()) - cell.x.max(place.x);
            if shared < 0.3 * cell.w.min(place.w) {
                continue;
            }
            let tokens = row.tokens[from..to].iter().zip(&marked[up][from..to]);
            let over = tokens.filter(|(token, _)| ours(token));
            let marks = over.fold(0, |all, (_, one)| all | one.0);
            if marks == 0 {
                continue;
            }
            let number = |token: &Token| {
                token.text.bytes().any(|byte| byte.is_ascii_digit()) && !token.text.contains('%')
            };
            if row.tokens[from..to].iter().filter(|token| ours(token)).any(number) {
                continue;
            }
            let (sense, strength) = sense_of(Marks(marks));
            if sense != Sense::Item {
                // The further away, the likelier it heads a column of lines.
                let near = if span.row - up <= 2 { 0.9 } else { 0.35 };
                return (sense, strength * near);
            }
        }
    }
    (Sense::Item, 0.0)
}

/// The amounts of one row: currency signs and groups of thousands are joined.
fn amounts_of(row: &Row, at: usize, taken: &[Span]) -> Vec<(Span, Amount)> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < row.tokens.len() {
        let longest = (1..=4).rev().find_map(|count| {
            let to = from + count;
            let span = Span { row: at, from, to };
            if to > row.tokens.len() || taken.iter().any(|other| other.overlaps(span)) {
                return None;
            }
            let close = (from + 1..to).all(|token| joins(row, token));
            let amount = if close { read(row, from, to) } else { None };
            amount.map(|amount| (span, amount))
        });
        match longest {
            Some((span, amount)) => {
                from = span.to;
                let percent = |text: &str| text.starts_with('%');
                let rate = row.tokens.get(from).is_some_and(|next| percent(&next.text));
                if !rate {
                    found.push((span, amount));
                }
            }
            None => from += 1,
        }
    }
    found
}

/// Whether a token may continue the amount before it.
fn joins(row: &Row, token: usize) -> bool {
    let (left, right) = (&row.tokens[token - 1].text, &row.tokens[token].text);
    let gap = row.gap_before(token);
    let sign = |text: &str| amount::currency(text).is_some() || matches!(text, "-" | ":");
    if sign(left) || sign(right) {
        return gap < 6.0;
    }
    let group = right.len() >= 3
        && right.bytes().take(3).all(|byte| byte.is_ascii_digit())
        && right.as_bytes().get(3).is_none_or(|next| !next.is_ascii_digit());
    let digits = left.trim_start_matches(['€', '$', '£', '-']);
    let head = (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    head && group && gap < 0.9
}

fn read(row: &Row, from: usize, to: usize) -> Option<Amount> {
    let texts: Vec<&str> = row.tokens[from..to].iter().map(|token| token.text.as_str()).collect();
    // A lone sign or a currency at the outer end only counts with its number.
    let bare = |text: &str| text == ":" || text == "-" && to - from > 2;
    if bare(texts[0]) || texts.len() > 1 && matches!(texts[texts.len() - 1], ":" | "-") {
        return None;
    }
    let joined = texts.join(" ");
    let coded = joined.strip_suffix(|last: char| last.is_ascii_alphabetic());
    let coded = coded.filter(|bare| cents(bare));
    let amount = amount::parse(coded.unwrap_or(&joined)).or_else(|| dashed(row, from, to))?;
    let digits = texts.iter().flat_map(|text| text.bytes()).filter(u8::is_ascii_digit).count();
    (digits <= 12).then_some(amount)
}

/// Whether a text ends in a decimal sign and two digits; one letter behind it is a code of tax.
fn cents(text: &str) -> bool {
    let end = &text.as_bytes()[text.len().saturating_sub(3)..];
    matches!(end, [b'.' | b',', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
}

/// A decimal point that was read as a dash, where a price stands: behind words, at the end of its
/// row.
fn dashed(row: &Row, from: usize, to: usize) -> Option<Amount> {
    let (whole, cents) = row.tokens[from].text.split_once('-')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let shaped = (1..=5).contains(&whole.len()) && cents.len() == 2 && !whole.starts_with('0');
    let placed = from > 0 && to == from + 1 && to == row.tokens.len();
    if !(shaped && placed && digits(whole) && digits(cents)) {
        return None;
    }
    let amount = amount::parse(&format!("{whole}.{cents}"))?;
    Some(Amount { certainty: amount.certainty * 0.7, ..amount })
}

/// The currency most amounts name, if any does.
pub(super) fn currency(money: &[Money]) -> Option<Currency> {
    let mut counts: Vec<(Currency, usize)> = Vec::new();
    for currency in money.iter().filter_map(|money| money.amount.currency) {
        match counts.iter_mut().find(|(known, _)| *known == currency) {
            Some((_, count)) => *count += 1,
            None => counts.push((currency, 1)),
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(currency, _)| currency)
}

impl Money {
    pub(super) fn value(&self) -> Decimal {
        self.amount.value
    }

    /// Looks like money: cents or a currency.
    pub(super) fn priced(&self) -> bool {
        self.amount.decimals == 2 || self.amount.currency.is_some()
    }
}
