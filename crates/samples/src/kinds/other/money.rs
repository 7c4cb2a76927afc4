//! Papers about money that bill nothing: statements, reminders, transfers, tables of figures.

use super::{from_whom, reference};
use crate::{
    Lang,
    draft::{A4, Draft},
    ids,
    kinds::table::{self, Grid, Table},
    prose, words,
};

fn holder(draft: &mut Draft) {
    let x = draft.left();
    let name = words::person(draft.lang, &mut draft.dice).full();
    let label =
        draft.say3(&["Titular", "Cliente"], &["Account holder", "Customer"], &["Titulaire"]);
    draft.pair(x, label, &name);
    let country = if draft.lang == Lang::Es { "ES" } else { "GB" };
    let iban = ids::grouped(&ids::iban(country, &mut draft.dice));
    let label = draft.say3(
        &["IBAN", "Cuenta", "Nº de cuenta"],
        &["Account", "IBAN", "Account number"],
        &["Compte"],
    );
    draft.pair(x, label, &iban);
}

fn movements(draft: &mut Draft, names: &[&'static str]) {
    let mut balance = draft.dice.between(10_000, 900_000);
    let mut rows = Vec::new();
    for _ in 0..draft.dice.between(6, 30) {
        let amount = draft.dice.between(-60_000, 70_000);
        balance += amount;
        let name = draft.dice.of(names);
        let whom = words::brand(&mut draft.dice);
        rows.push(vec![
            format!("{:02}/{:02}", draft.dice.between(1, 28), draft.dice.between(1, 12)),
            format!("{name} {whom}"),
            draft.style.amount(amount),
            draft.style.amount(balance),
        ]);
    }
    let titles = [
        draft.say3(&["Fecha", "F. valor"], &["Date"], &["Date"]),
        draft.say3(
            &["Concepto", "Movimiento"],
            &["Description", "Transaction", "Details"],
            &["Libellé"],
        ),
        draft.say3(&["Importe"], &["Amount", "Paid out"], &["Montant"]),
        draft.say3(&["Saldo"], &["Balance"], &["Solde"]),
    ];
    let titles = titles.iter().map(|title| (*title).to_owned()).collect();
    let grid = Grid::of(draft.dice.below(4));
    let table = Table { titles, shares: vec![0.1, 0.55, 0.17, 0.17], rows, grid };
    table::print(draft, &table, &mut |draft| draft.new_page(A4));
}

pub(super) fn bank_statement(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let bank = words::brand(&mut draft.dice);
    let title = draft.say3(
        &["EXTRACTO DE CUENTA", "Movimientos de cuenta", "EXTRACTO MENSUAL", "Extracto de tarjeta"],
        &["BANK STATEMENT", "Statement of account", "Account statement", "CREDIT CARD STATEMENT"],
        &["RELEVÉ DE COMPTE"],
    );
    draft.title(x, 1.4, &format!("Banco {bank}"));
    draft.title(x, 1.2, title);
    holder(draft);
    let label = draft.say3(
        &["Saldo anterior", "Saldo inicial"],
        &["Opening balance", "Previous balance"],
        &["Solde précédent"],
    );
    let value = draft.style.money(draft.dice.between(10_000, 900_000));
    draft.pair(x, label, &value);
    draft.down(1.0);
    let names = match draft.lang {
        Lang::Es => &[
            "TRANSFERENCIA",
            "RECIBO",
            "COMPRA TARJ.",
            "BIZUM",
            "NOMINA",
            "REINTEGRO CAJERO",
            "COMISION",
            "INGRESO",
        ],
        Lang::En | Lang::Fr => &[
            "DIRECT DEBIT",
            "CARD PAYMENT",
            "TRANSFER",
            "CASH WITHDRAWAL",
            "SALARY",
            "FEE",
            "STANDING ORDER",
            "DEPOSIT",
        ],
    };
    movements(draft, names);
    let label = draft.say3(
        &["Saldo final", "Saldo disponible"],
        &["Closing balance", "New balance"],
        &["Nouveau solde"],
    );
    let value = draft.style.money(draft.dice.between(10_000, 900_000));
    draft.pair(x, label, &value);
}

/// What a customer owes, invoice by invoice: full of the word and no invoice.
pub(super) fn account_statement(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let firm = words::firm(draft.lang, &mut draft.dice);
    draft.title(x, 1.3, &firm);
    let title = draft.say3(
        &[
            "ESTADO DE CUENTA",
            "RELACIÓN DE FACTURAS PENDIENTES",
            "Extracto de cliente",
            "LIBRO MAYOR",
        ],
        &["STATEMENT OF ACCOUNT", "CUSTOMER STATEMENT", "Aged debtors", "LEDGER"],
        &["RELEVÉ DE FACTURES"],
    );
    draft.title(x, 1.4, title);
    let client = words::firm(draft.lang, &mut draft.dice);
    draft.line(&client);
    draft.down(1.0);
    let names = match draft.lang {
        Lang::Es => &["Factura", "Abono", "Pago recibido", "Factura"],
        Lang::En | Lang::Fr => &["Invoice", "Credit note", "Payment received", "Invoice"],
    };
    movements(draft, names);
    let label =
        draft.say3(&["Saldo pendiente"], &["Balance outstanding", "Overdue"], &["Solde dû"]);
    let value = draft.style.money(draft.dice.between(10_000, 900_000));
    draft.pair(x, label, &value);
}

pub(super) fn reminder(draft: &mut Draft) {
    draft.new_page(A4);
    let lang = draft.lang;
    let x = draft.left();
    let firm = words::firm(lang, &mut draft.dice);
    draft.line_at(x, draft.style.face.bold(), &firm);
    for line in words::address(lang, &mut draft.dice) {
        draft.line(&line);
    }
    draft.down(1.5);
    let day = draft.day_text();
    draft.line(&day);
    let hello = draft.say3(
        &["Estimado cliente:", "Muy señores nuestros:"],
        &["Dear customer,", "Dear Sirs,"],
        &["Cher client,"],
    );
    draft.line(hello);
    let (number, amount) =
        (reference(&mut draft.dice), draft.style.money(draft.dice.between(5_000, 400_000)));
    let body = match lang {
        Lang::Es => format!(
            "Le recordamos que a fecha de hoy no hemos recibido el pago de la factura {number}, por importe de \
             {amount}. Le rogamos que regularice esta situación a la mayor brevedad posible."
        ),
        Lang::En => format!(
            "Our records show that payment of invoice {number} for {amount} has not yet reached us. Please \
             arrange settlement at your earliest convenience or contact us if you have any questions."
        ),
        Lang::Fr => format!(
            "Sauf erreur de notre part, la facture {number} d'un montant de {amount} reste impayée à ce jour."
        ),
    };
    let width = draft.right() - x;
    draft.down(0.5);
    draft.paragraph(x, width, &body);
    let more = prose::paragraph(lang, 2, &mut draft.dice);
    draft.paragraph(x, width, &more);
    draft.down(1.0);
    let bye = draft.say3(
        &["Atentamente,", "Departamento de contabilidad"],
        &["Yours faithfully,", "Accounts department"],
        &["Cordialement,"],
    );
    draft.line(bye);
}

/// A report of numbers: budgets, results, measurements.
pub(super) fn figures(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let title = draft.say3(
        &[
            "BALANCE DE SITUACIÓN",
            "CUENTA DE RESULTADOS",
            "PRESUPUESTO ANUAL",
            "Estadística mensual",
            "Resumen de ventas",
        ],
        &[
            "BALANCE SHEET",
            "PROFIT AND LOSS",
            "ANNUAL BUDGET",
            "Monthly statistics",
            "Sales summary",
        ],
        &["BILAN", "COMPTE DE RÉSULTAT"],
    );
    draft.title(x, 1.4, title);
    let count = draft.dice.between(8, 30);
    let mut rows = Vec::new();
    for _ in 0..count {
        let name = prose::heading(draft.lang, &mut draft.dice);
        let mut row = vec![name];
        for _ in 0..3 {
            row.push(draft.style.amount(draft.dice.between(-900_000, 9_000_000)));
        }
        rows.push(row);
    }
    let year = draft.dice.between(2012, 2025);
    let titles = vec![String::new(), year.to_string(), (year - 1).to_string(), "%".to_owned()];
    let grid = Grid::of(draft.dice.below(4));
    let table = Table { titles, shares: vec![0.5, 0.16, 0.16, 0.16], rows, grid };
    table::print(draft, &table, &mut |draft| draft.new_page(A4));
}

const TAX_ES: [&str; 12] = [
    "Base imponible",
    "Cuota devengada",
    "Cuotas soportadas deducibles",
    "Régimen general",
    "Rendimientos del trabajo",
    "Retenciones e ingresos a cuenta",
    "Resultado de la liquidación",
    "A compensar",
    "Cuota íntegra",
    "Reducciones",
    "Total a ingresar",
    "Número de perceptores",
];
const TAX_EN: [&str; 12] = [
    "Taxable income",
    "Tax due",
    "Input tax reclaimed",
    "Total sales",
    "Employment income",
    "Tax withheld",
    "Net tax payable",
    "Carried forward",
    "Allowances",
    "Reliefs",
    "Amount to pay",
    "Other income",
];

/// Taxes declared to the authority: bases, rates and amounts, and nothing sold or earned.
pub(super) fn tax_return(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let title = draft.say3(
        &[
            "AUTOLIQUIDACIÓN",
            "DECLARACIÓN TRIMESTRAL",
            "Modelo 111",
            "IMPUESTO SOBRE EL VALOR AÑADIDO",
            "DECLARACIÓN DE LA RENTA",
            "CERTIFICADO DE RETENCIONES",
        ],
        &[
            "TAX RETURN",
            "VAT RETURN",
            "SELF ASSESSMENT",
            "Income tax declaration",
            "STATEMENT OF TAX PAID",
        ],
        &["DÉCLARATION DE REVENUS", "DÉCLARATION DE TVA"],
    );
    draft.title(x, 1.4, title);
    let who = from_whom(draft);
    let label = draft.say3(
        &["Declarante", "Apellidos y nombre o razón social", "Contribuyente"],
        &["Taxpayer", "Name of business", "Declarant"],
        &["Déclarant"],
    );
    draft.pair(x, label, &who);
    let (label, year) = (
        draft.say3(&["Ejercicio", "Período"], &["Tax year", "Period"], &["Année"]),
        draft.dice.between(2012, 2025).to_string(),
    );
    draft.pair(x, label, &year);
    draft.down(1.0);
    let count = draft.dice.between(5, 12) as usize;
    let labels = if draft.lang == Lang::Es {
        draft.dice.some(&TAX_ES, count)
    } else {
        draft.dice.some(&TAX_EN, count)
    };
    let (right, size, face) = (draft.right(), draft.style.size, draft.style.face);
    for label in labels {
        let code = draft.dice.digits(2);
        let (y, value) = (draft.y, draft.style.amount(draft.dice.between(0, 9_000_000)));
        draft.page().put_right(right, y, size, face, &value);
        draft.line(&format!("{code}  {label}"));
    }
}

pub(super) fn transfer(draft: &mut Draft) {
    draft.new_page(A4);
    let x = draft.left();
    let title = draft.say3(
        &[
            "JUSTIFICANTE DE TRANSFERENCIA",
            "ORDEN DE DOMICILIACIÓN SEPA",
            "Carta de pago",
            "PÓLIZA DE SEGURO",
        ],
        &[
            "TRANSFER CONFIRMATION",
            "DIRECT DEBIT MANDATE",
            "Remittance advice",
            "INSURANCE CERTIFICATE",
        ],
        &["AVIS DE VIREMENT", "MANDAT SEPA"],
    );
    draft.title(x, 1.4, title);
    holder(draft);
    let whom = words::firm(draft.lang, &mut draft.dice);
    let label =
        draft.say3(&["Beneficiario", "Ordenante"], &["Beneficiary", "Payee"], &["Bénéficiaire"]);
    draft.pair(x, label, &whom);
    let amount = draft.style.money(draft.dice.between(5_000, 900_000));
    let label = draft.say3(&["Importe"], &["Amount"], &["Montant"]);
    draft.pair(x, label, &amount);
    let (label, day) = (
        draft.say3(&["Fecha de la operación", "Fecha"], &["Value date", "Date"], &["Date"]),
        draft.day_text(),
    );
    draft.pair(x, label, &day);
    let code = reference(&mut draft.dice);
    let label = draft.say3(
        &["Referencia", "Concepto"],
        &["Reference", "Mandate reference"],
        &["Référence"],
    );
    draft.pair(x, label, &code);
    draft.down(1.0);
    let (width, text) = (draft.right() - x, prose::paragraph(draft.lang, 3, &mut draft.dice));
    draft.paragraph(x, width, &text);
}
