//! Papers of trade that look like invoices and are none.

use super::reference;
use crate::{
    draft::{A4, Draft},
    goods, ids,
    kinds::table::{self, Grid, Table},
    words,
};

fn head(draft: &mut Draft, title: &str, number_label: &str) {
    draft.new_page(A4);
    let lang = draft.lang;
    let (left, half, top) = (draft.left(), draft.page().width * 0.56, draft.y);
    let firm = words::firm(lang, &mut draft.dice);
    draft.title(left, 1.4, &firm);
    for line in words::address(lang, &mut draft.dice) {
        draft.line(&line);
    }
    if lang == crate::Lang::Es {
        let cif = ids::cif(&mut draft.dice);
        draft.line(&format!("CIF: {cif}"));
    }
    let low = draft.y;
    if draft.dice.chance(60) {
        draft.y = top;
    }
    draft.title(half, 1.7, title);
    let code = reference(&mut draft.dice);
    draft.pair(half, number_label, &code);
    let (label, day) = (draft.say3(&["Fecha"], &["Date"], &["Date"]), draft.day_text());
    draft.pair(half, label, &day);
    draft.y = draft.y.max(low);
    draft.down(1.0);
    let client = words::firm(lang, &mut draft.dice);
    let label = draft.say3(
        &["Cliente", "Destinatario"],
        &["Customer", "Ship to", "Deliver to"],
        &["Client"],
    );
    draft.pair(left, label, &client);
    for line in words::address(lang, &mut draft.dice) {
        draft.line(&line);
    }
    draft.down(1.0);
}

fn items(draft: &mut Draft, priced: bool) -> i64 {
    let mut sum = 0;
    let mut rows = Vec::new();
    for _ in 0..draft.dice.between(2, 16) {
        let (quantity, price) = (draft.dice.between(1, 30), draft.dice.between(100, 40_000));
        sum += quantity * price;
        let mut row = vec![goods::billed(draft.lang, &mut draft.dice), quantity.to_string()];
        if priced {
            row.push(draft.style.amount(price));
            row.push(draft.style.amount(price * quantity));
        } else {
            row.push(draft.dice.of(&["ud", "kg", "m", "caja", "pcs"]).to_owned());
            row.push(draft.dice.digits(4));
        }
        rows.push(row);
    }
    let mut titles = vec![
        draft
            .say3(&["Descripción", "Artículo"], &["Description", "Item"], &["Désignation"])
            .to_owned(),
        draft.say3(&["Cantidad", "Cant."], &["Qty", "Quantity"], &["Quantité"]).to_owned(),
    ];
    let (third, fourth) = if priced {
        (
            draft.say3(&["Precio"], &["Price"], &["Prix"]),
            draft.say3(&["Importe"], &["Amount"], &["Montant"]),
        )
    } else {
        (
            draft.say3(&["Unidad", "Ud."], &["Unit"], &["Unité"]),
            draft.say3(&["Lote"], &["Batch", "Lot"], &["Lot"]),
        )
    };
    titles.extend([third.to_owned(), fourth.to_owned()]);
    let grid = Grid::of(draft.dice.below(4));
    let table = Table { titles, shares: vec![0.55, 0.13, 0.15, 0.16], rows, grid };
    table::print(draft, &table, &mut |draft| draft.new_page(A4));
    sum
}

pub(super) fn delivery_note(draft: &mut Draft) {
    let title = draft.say3(
        &["ALBARÁN", "ALBARÁN DE ENTREGA", "Nota de entrega", "CARTA DE PORTE"],
        &["DELIVERY NOTE", "PACKING LIST", "Delivery docket", "GOODS RECEIVED NOTE"],
        &["BON DE LIVRAISON"],
    );
    let label = draft.say3(&["Albarán nº", "Nº"], &["Delivery No", "DN No"], &["N°"]);
    head(draft, title, label);
    let priced = draft.dice.chance(20);
    items(draft, priced);
    draft.down(1.0);
    let line = draft.say3(
        &[
            "Recibí conforme: firma y sello",
            "Bultos: 3   Peso: 120 kg   Transportista",
            "Mercancía recibida en buen estado",
        ],
        &[
            "Received in good condition: signature",
            "Parcels: 3   Weight: 120 kg   Carrier",
            "Driver signature",
        ],
        &["Reçu en bon état, signature"],
    );
    draft.line(line);
}

pub(super) fn quote(draft: &mut Draft) {
    let title = draft.say3(
        &["PRESUPUESTO", "OFERTA", "Presupuesto", "FACTURA PROFORMA"],
        &["QUOTATION", "ESTIMATE", "Quote", "PROPOSAL"],
        &["DEVIS"],
    );
    let label = draft.say3(
        &["Presupuesto nº", "Oferta nº"],
        &["Quote No", "Quotation #", "Estimate No"],
        &["Devis n°"],
    );
    head(draft, title, label);
    let sum = items(draft, true);
    draft.down(1.0);
    let x = draft.right() - 190.0;
    let label =
        draft.say3(&["Total presupuesto", "Total"], &["Total", "Estimated total"], &["Total"]);
    let total = draft.style.money(sum);
    draft.pair(x, label, &total);
    draft.down(1.0);
    let line = draft.say3(
        &[
            "Validez de la oferta: 30 días. Aceptado: firma del cliente.",
            "Presupuesto sin compromiso, IVA no incluido.",
        ],
        &[
            "This quotation is valid for 30 days. Accepted by:",
            "Prices exclude tax. Subject to survey.",
        ],
        &["Devis valable 30 jours. Bon pour accord."],
    );
    draft.line(line);
}

pub(super) fn purchase_order(draft: &mut Draft) {
    let title = draft.say3(
        &["PEDIDO DE COMPRA", "ORDEN DE COMPRA", "PEDIDO", "Confirmación de pedido"],
        &["PURCHASE ORDER", "ORDER CONFIRMATION", "Purchase order", "WORK ORDER"],
        &["BON DE COMMANDE"],
    );
    let label = draft.say3(
        &["Pedido nº", "Orden nº"],
        &["PO No", "Order No", "P.O. Number"],
        &["Commande n°"],
    );
    head(draft, title, label);
    let sum = items(draft, true);
    draft.down(1.0);
    let x = draft.right() - 190.0;
    let label = draft.say3(&["Total pedido", "Total"], &["Order total", "Total"], &["Total"]);
    let total = draft.style.money(sum);
    draft.pair(x, label, &total);
    let line = draft.say3(
        &[
            "Plazo de entrega: 10 días. Indique el número de pedido en su albarán.",
            "Autorizado por compras.",
        ],
        &["Please deliver within 10 days and quote our order number.", "Authorised by purchasing."],
        &["Livraison sous 10 jours."],
    );
    draft.line(line);
}

pub(super) fn price_list(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let title = draft.say3(
        &["LISTA DE PRECIOS", "TARIFA 2025", "CATÁLOGO", "Carta del restaurante", "INVENTARIO"],
        &["PRICE LIST", "MENU", "CATALOGUE", "Rates 2025", "STOCK LIST", "INVENTORY"],
        &["TARIFS", "CARTE"],
    );
    draft.title(x, 1.7, title);
    let (right, size, face) = (draft.right(), draft.style.size, draft.style.face);
    for _ in 0..draft.dice.between(10, 32) {
        let name = if draft.dice.chance(50) {
            goods::billed(draft.lang, &mut draft.dice)
        } else {
            words::capital(&goods::shelf(draft.lang, &mut draft.dice).to_lowercase())
        };
        let price = draft.dice.between(100, 20_000);
        let (y, price) = (draft.y, draft.style.money(price));
        draft.page().put_right(right, y, size, face, &price);
        draft.line(&name);
    }
}

/// A shipping label: few words, large.
pub(super) fn packing_label(draft: &mut Draft) {
    draft.new_page((288.0, 432.0));
    let size = draft.style.size;
    draft.style.size = size * 1.3;
    let lang = draft.lang;
    for label in [
        draft.say3(&["REMITENTE"], &["FROM", "SENDER"], &["EXPÉDITEUR"]),
        draft.say3(&["DESTINATARIO", "ENTREGAR EN"], &["SHIP TO", "DELIVER TO"], &["DESTINATAIRE"]),
    ] {
        draft.line(label);
        let name = words::person(lang, &mut draft.dice).full();
        draft.line(&name);
        for line in words::address(lang, &mut draft.dice) {
            draft.line(&line);
        }
        draft.down(1.0);
    }
    let (label, number) = (
        draft.say3(&["Envío", "Seguimiento"], &["Tracking", "Shipment"], &["Envoi"]),
        draft.dice.digits(14),
    );
    let x = draft.left();
    draft.pair(x, label, &number);
    let line = draft.say3(
        &["Peso 2,4 kg  Bulto 1 de 1", "PORTES PAGADOS"],
        &["Weight 2.4 kg  Parcel 1 of 1", "PRIORITY MAIL"],
        &["Poids 2,4 kg"],
    );
    draft.line(line);
    draft.style.size = size;
}
