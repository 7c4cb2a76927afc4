//! The lower half of a receipt: sums, payment, taxes, thanks.

use super::{Roll, Sale};
use crate::{Lang, draft::Draft};

pub(super) fn totals(draft: &mut Draft, roll: &mut Roll, sale: &Sale) {
    let bold = roll.face.bold();
    if draft.dice.chance(50) {
        let label = draft.say(
            &["SUBTOTAL", "Subtotal", "Base imponible", "Suma"],
            &["SUBTOTAL", "Sub Total", "Sub-Total", "Total Excl. GST", "Total sales", "Net"],
        );
        let cents = if draft.dice.chance(50) { sale.total } else { sale.total - sale.tax };
        roll.ends(label, &draft.style.amount(cents), roll.face);
    }
    if draft.dice.chance(35) {
        roll.ends(&sale.rate, &draft.style.amount(sale.tax), roll.face);
    }
    if draft.lang != Lang::Es && draft.dice.chance(30) {
        let label = draft.dice.of(&[
            "Discount",
            "ROUNDING",
            "Rounding Adj",
            "Service Charge",
            "Total Savings",
        ]);
        roll.ends(label, &draft.style.amount(0), roll.face);
    }
    let label = draft.say(
        &[
            "TOTAL",
            "TOTAL A PAGAR",
            "TOTAL EUROS",
            "Total",
            "IMPORTE TOTAL",
            "TOTAL (IVA INCL.)",
            "TOTAL COMPRA",
            "A PAGAR",
            "TOTAL VENTA",
        ],
        &[
            "TOTAL",
            "Total",
            "GRAND TOTAL",
            "NETT TOTAL",
            "Total Amount",
            "TOTAL DUE",
            "Amount Due",
            "Total Incl. GST",
            "TOTAL SALES (INCL GST)",
            "BALANCE DUE",
            "Total Payable",
            "ROUNDED TOTAL",
        ],
    );
    let size = roll.size;
    if draft.dice.chance(45) {
        roll.size *= draft.dice.span(1.1, 1.5);
    }
    draft.know_amount("total", sale.total);
    let total = if draft.dice.chance(55) {
        draft.style.money(sale.total)
    } else {
        draft.style.amount(sale.total)
    };
    let label = format!("{label}{}", draft.dice.of(&["", ":", " :", ""]));
    roll.ends(&label, &total, bold);
    roll.size = size;
    payment(draft, roll, sale);
}

fn payment(draft: &mut Draft, roll: &mut Roll, sale: &Sale) {
    if draft.dice.chance(15) {
        return;
    }
    if draft.dice.chance(55) {
        let label = draft.say(
            &["EFECTIVO", "Entregado", "Entrega", "METALICO", "Efectivo"],
            &["CASH", "Cash", "CASH TENDERED", "Tendered", "Paid", "AMOUNT PAID", "Payment: CASH"],
        );
        let given = (sale.total / 1000 + 1) * 1000;
        roll.ends(label, &draft.style.amount(given), roll.face);
        let label = draft.say(
            &["CAMBIO", "Cambio", "Devolución", "A devolver"],
            &["CHANGE", "Change", "Change Due", "CHANGE:"],
        );
        roll.ends(label, &draft.style.amount(given - sale.total), roll.face);
        return;
    }
    let label = draft.say(
        &["TARJETA", "Tarjeta bancaria", "TARJETA CREDITO", "Pago con tarjeta", "VISA CONTACTLESS"],
        &["VISA", "CARD", "MASTERCARD", "Credit Card", "Debit Card", "VISA DEBIT", "Contactless"],
    );
    roll.ends(label, &draft.style.amount(sale.total), roll.face);
    let digits = draft.dice.digits(4);
    roll.line(&format!("**** **** **** {digits}"));
    if draft.dice.chance(50) {
        let label = draft
            .say(&["Nº autorización", "AUT.", "Aut:"], &["Auth code", "APPROVAL CODE", "AUTH"]);
        roll.line(&format!("{label} {}", draft.dice.digits(6)));
    }
}

pub(super) fn tax_summary(draft: &mut Draft, roll: &mut Roll, sale: &Sale) {
    let (net, tax) = (draft.style.amount(sale.total - sale.tax), draft.style.amount(sale.tax));
    let title = draft.say(
        &["DETALLE IVA", "Tipo   Base   Cuota", "IVA  BASE IMPONIBLE  CUOTA", "Desglose de IVA"],
        &[
            "GST SUMMARY",
            "VAT Summary",
            "Tax Code  Amount  Tax",
            "GST Summary  Amount  Tax",
            "TAX ANALYSIS",
        ],
    );
    roll.line(title);
    roll.ends(&format!("{}  {net}", sale.rate), &tax, roll.face);
}

pub(super) fn farewell(draft: &mut Draft, roll: &mut Roll) {
    roll.step();
    let es: [&str; 14] = [
        "GRACIAS POR SU VISITA",
        "Gracias por su compra",
        "IVA INCLUIDO",
        "Conserve este ticket",
        "No se admiten devoluciones sin ticket",
        "Plazo de devolución 30 días",
        "¡Vuelva pronto!",
        "Esperamos verle de nuevo",
        "Precios con IVA incluido",
        "SE ADMITEN DEVOLUCIONES CON TICKET",
        "Propina no incluida",
        "Síguenos en redes sociales",
        "Copia cliente",
        "Horario de 9 a 21 h",
    ];
    let en: [&str; 20] = [
        "THANK YOU",
        "Thank you, please come again",
        "GOODS SOLD ARE NOT RETURNABLE",
        "Thank you for shopping with us",
        "PLEASE KEEP THIS RECEIPT",
        "Price inclusive of GST",
        "Exchange within 7 days with receipt",
        "Have a nice day!",
        "Like us on Facebook",
        "NO REFUND",
        "Please retain for your records",
        "THANK YOU FOR YOUR PATRONAGE",
        "Come again soon",
        "Gratuity not included",
        "Customer copy",
        "Goods sold are not refundable",
        "Opening hours 9am - 9pm",
        "Tell us about your visit",
        "You saved today",
        "This is a computer generated receipt",
    ];
    let lines = draft.dice.below(4);
    let lines = if draft.lang == Lang::Es {
        draft.dice.some(&es, lines)
    } else {
        draft.dice.some(&en, lines)
    };
    for line in lines {
        roll.centre(line);
    }
    if draft.dice.chance(25) {
        let code = draft.dice.digits(20);
        roll.centre(&code);
    }
}
