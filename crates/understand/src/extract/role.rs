//! What a field of a schema is about, told by its name, its type and the document it is on.

use super::lexicon::Concept;
use super::money::Sense;
use super::schema::{FieldSpec, Kind};

/// How a field is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Amount(Sense),
    /// A date announced by one of the concepts.
    Day(Vec<Concept>),
    /// A code beside one of the labels.
    Code(Vec<Concept>),
    /// The organisation that issued the document.
    Issuer,
    /// Words beside one of the labels.
    Words(Vec<Concept>),
    /// The holder of an identity document, from its two name fields or its machine-readable zone.
    Holder,
    IdNumber,
    TaxId,
    Iban,
    Period,
    Currency,
    /// Known only by the labels, the values or the pattern the schema gives.
    Labelled,
}

impl Role {
    pub(super) fn of(doc_type: &str, spec: &FieldSpec) -> Self {
        let name = spec.name.to_lowercase();
        let words: Vec<&str> = name.split(['_', '-', ' ', '.']).collect();
        let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
        match spec.kind {
            Kind::Decimal => amount(doc_type, &has).map_or(Self::Labelled, Self::Amount),
            Kind::Date => Self::Day(vec![day(&has)]),
            Kind::Iban => Self::Iban,
            Kind::TaxId => Self::TaxId,
            Kind::String | Kind::Integer => text(doc_type, &has),
            Kind::Enum | Kind::Table => Self::Labelled,
        }
    }
}

fn amount(doc_type: &str, has: &dyn Fn(&[&str]) -> bool) -> Option<Sense> {
    let pay = matches!(doc_type, "payslip" | "nomina" | "payroll");
    let sense = if has(&["gross", "bruto", "devengado", "brut", "earnings"]) {
        Sense::Gross
    } else if has(&["deductions", "deducciones", "deduction", "retenciones"]) {
        Sense::Deductions
    } else if has(&["net", "neto", "liquido", "untaxed", "subtotal", "base", "ht", "percibir"]) {
        if pay { Sense::NetPay } else { Sense::Net }
    } else if has(&["tax", "vat", "iva", "tva", "gst", "impuesto", "cuota"]) {
        Sense::Tax
    } else if has(&["total", "importe", "amount", "montant", "ttc", "sum"]) {
        Sense::Total
    } else if has(&["change", "cambio"]) {
        Sense::Change
    } else if has(&["discount", "descuento"]) {
        Sense::Discount
    } else {
        return None;
    };
    Some(sense)
}

fn day(has: &dyn Fn(&[&str]) -> bool) -> Concept {
    if has(&["birth", "nacimiento", "born", "naissance", "dob"]) {
        Concept::BirthDate
    } else if has(&["due", "vencimiento", "echeance", "pago"]) {
        Concept::DueDate
    } else if has(&["expiry", "expiration", "caducidad", "validez", "valid", "expires"]) {
        Concept::ExpiryDate
    } else if has(&["start", "inicio", "from", "begin", "commencement"]) {
        Concept::StartDate
    } else if has(&["end", "fin", "until", "termination"]) {
        Concept::EndDate
    } else {
        Concept::IssueDate
    }
}

fn text(doc_type: &str, has: &dyn Fn(&[&str]) -> bool) -> Role {
    let named = |any: &[&str], role: Role| has(any).then_some(role);
    let number = ["number", "no", "num", "numero", "id", "code", "ref", "reference"];
    let tax = ["tax", "vat", "nif", "cif", "tva", "fiscal", "gst"];
    let id_card = matches!(doc_type, "id_card" | "dni" | "passport" | "identity");
    if has(&["iban"]) || has(&["account", "cuenta"]) && has(&number) {
        return Role::Iban;
    }
    if has(&tax) {
        return Role::TaxId;
    }
    if has(&["dni", "nie", "passport", "identity"]) || id_card && has(&number) {
        return Role::IdNumber;
    }
    if has(&["social"]) {
        return Role::Code(vec![Concept::SocialSecurity]);
    }
    if has(&["order", "po", "pedido", "commande"]) {
        return Role::Code(vec![Concept::OrderNumber]);
    }
    if has(&["invoice", "receipt", "factura", "ticket", "document", "facture"]) && has(&number) {
        return Role::Code(vec![Concept::Number]);
    }
    let words = |concepts: &[Concept]| Role::Words(concepts.to_vec());
    named(&["currency", "divisa", "moneda"], Role::Currency)
        .or_else(|| named(&["period", "periodo", "month", "mes"], Role::Period))
        .or_else(|| named(&["address", "direccion", "domicilio"], words(&[Concept::Address])))
        .or_else(|| named(&["nationality", "nacionalidad"], words(&[Concept::Nationality])))
        .or_else(|| named(&["sex", "sexo", "gender"], words(&[Concept::Sex])))
        .or_else(|| {
            let issuer = [
                "vendor",
                "supplier",
                "merchant",
                "company",
                "seller",
                "proveedor",
                "emisor",
                "empresa",
                "employer",
                "comercio",
                "issuer",
                "shop",
                "store",
            ];
            named(&issuer, Role::Issuer)
        })
        .or_else(|| {
            let buyer = ["customer", "client", "cliente", "buyer", "comprador"];
            named(&buyer, words(&[Concept::Customer]))
        })
        .or_else(|| {
            let worker = ["employee", "trabajador", "empleado", "worker"];
            named(&worker, words(&[Concept::Employee, Concept::FullName, Concept::GivenNames]))
        })
        .or_else(|| {
            named(&["surname", "surnames", "apellidos", "last"], words(&[Concept::Surnames]))
        })
        .or_else(|| named(&["given", "first", "forenames"], words(&[Concept::GivenNames])))
        .or_else(|| named(&["job", "position", "puesto"], words(&[Concept::Job])))
        .or_else(|| named(&["name", "nombre", "holder", "titular"], Role::Holder))
        .unwrap_or(Role::Labelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_roles() {
        let role = |doc_type, name, kind| Role::of(doc_type, &FieldSpec::new(name, kind));
        assert_eq!(role("invoice", "total_amount", Kind::Decimal), Role::Amount(Sense::Total));
        assert_eq!(role("payslip", "net_amount", Kind::Decimal), Role::Amount(Sense::NetPay));
        assert_eq!(role("invoice", "net_amount", Kind::Decimal), Role::Amount(Sense::Net));
        assert_eq!(role("invoice", "vendor_name", Kind::String), Role::Issuer);
        assert_eq!(
            role("invoice", "invoice_number", Kind::String),
            Role::Code(vec![Concept::Number])
        );
        assert_eq!(role("id_card", "id_number", Kind::String), Role::IdNumber);
        assert_eq!(role("id_card", "full_name", Kind::String), Role::Holder);
        assert_eq!(role("invoice", "due_date", Kind::Date), Role::Day(vec![Concept::DueDate]));
        assert_eq!(role("policy", "colour", Kind::String), Role::Labelled);
        assert_eq!(role("payslip", "period", Kind::String), Role::Period);
    }
}
