//! The words that announce a value, in Spanish, English, French, Catalan and Portuguese.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::text::{fold, letters, shape};

/// What a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Concept {
    Number,
    OrderNumber,
    IssueDate,
    DueDate,
    BirthDate,
    ExpiryDate,
    StartDate,
    EndDate,
    /// A date nobody asks for: of printing, of delivery.
    OtherDate,
    Vendor,
    Customer,
    Employee,
    FullName,
    GivenNames,
    Surnames,
    IdNumber,
    TaxId,
    Iban,
    Period,
    Address,
    Nationality,
    Sex,
    SocialSecurity,
    Job,
    /// A label of one field of the schema, by its index.
    Custom(usize),
    /// A label of something nobody asked for; it keeps its value from being taken for another.
    Noise,
}

/// One way to print a label.
pub(super) struct Phrase {
    pub(super) shaped: String,
    pub(super) letters: u64,
    pub(super) concept: Concept,
    /// 1 for a label that means nothing else.
    pub(super) strength: f32,
}

impl Concept {
    /// Whether it announces a day: only those contest a date.
    pub(super) fn is_day(self) -> bool {
        matches!(
            self,
            Self::IssueDate
                | Self::DueDate
                | Self::BirthDate
                | Self::ExpiryDate
                | Self::StartDate
                | Self::EndDate
                | Self::OtherDate
        )
    }
}

impl Phrase {
    pub(super) fn new(text: &str, concept: Concept, strength: f32) -> Self {
        let shaped = shape(&fold(text));
        Self { letters: letters(&shaped), shaped, concept, strength }
    }
}

/// The longest label in words; a window of this many is tried.
pub(super) const MAX_WORDS: usize = 6;

/// Concept, strength, labels separated by bars.
const PHRASES: &[(Concept, f32, &str)] = &[
    (
        Concept::Number,
        1.0,
        "numero de factura|número factura|nº factura|n. factura|num factura|no factura|\
         nº de factura|factura nº|factura n|factura num|factura numero|factura no|\
         invoice number|invoice no|invoice num|invoice #|invoice nº|tax invoice no|inv no|\
         inv #|bill no|bill #|bill number|receipt no|receipt #|receipt number|\
         numéro de facture|n° de facture|n° facture|facture n°|facture no|facture numéro|\
         numero facture|factura simplificada nº|factura simplificada|nº ticket|ticket nº|\
         no ticket|nº recibo|fra nº|fra|n.º factura|recibo nº|número de factura|document no|\
         doc no|document number|nº documento|num. factura|factura núm|fatura nº|fatura n|\
         simplified invoice no|cash inv no|tax invoice #|slip no|check #|chk no|trans no|\
         transaction no|nº de ticket|núm. factura|nº de documento|reference no",
    ),
    (
        Concept::Number,
        0.6,
        "factura|facture|invoice|number|numero|número|ref|referencia|reference|référence|\
         ticket|tax invoice|nota|serie|fatura",
    ),
    (
        Concept::OrderNumber,
        1.0,
        "order no|order number|order #|po number|po no|purchase order|n° bc|bon de commande|\
         n° de commande|commande n°|nº pedido|pedido nº|numero de pedido|número de pedido|\
         su pedido|pedido|your order|customer ref|nº albaran|albarán",
    ),
    (
        Concept::IssueDate,
        1.0,
        "fecha de factura|fecha factura|fecha de emision|fecha emisión|fecha de expedicion|\
         fecha expedición|invoice date|date of invoice|bill date|receipt date|issue date|\
         date of issue|date d'émission|date de facture|date de facturation|date facture|\
         date d'emission|transaction date|trans date|data factura|data de emissão|\
         document date|doc date|fecha de la factura|date issued|issued on|invoice dated|\
         tax point|emitida el|emitido el|facture du|fecha del contrato|contract date|\
         fecha de firma|date of agreement|firmado el|signed on|dated|effective date",
    ),
    (
        Concept::IssueDate,
        0.85,
        "fecha|date|data|tarikh|fecha operacion|date le|le|fecha y hora|date time|fecha hora|\
         day",
    ),
    (
        Concept::DueDate,
        1.0,
        "fecha de vencimiento|fecha vencimiento|vencimiento|vence|due date|payment due|\
         date due|date d'échéance|échéance|date echeance|pay by|venciment|vencimento|\
         fecha limite de pago|fecha de pago|payment date|payable before|due|fecha limite|\
         payment due date|fecha vto|vto|due on|a payer avant le|fecha valor",
    ),
    (
        Concept::BirthDate,
        1.0,
        "fecha de nacimiento|fecha nacimiento|nacimiento|date of birth|birth date|\
         date de naissance|né le|nee le|born|dob|data de naixement|data de nascimento|\
         fecha de nacimiento date of birth|date of birth fecha de nacimiento",
    ),
    (
        Concept::ExpiryDate,
        1.0,
        "fecha de validez|validez|valido hasta|válido hasta|fecha de caducidad|caducidad|\
         expiry date|date of expiry|expires|expiry|valid until|date d'expiration|\
         valable jusqu'au|valid thru|exp date|expiration date|fecha de expiracion|valid to",
    ),
    (
        Concept::StartDate,
        1.0,
        "fecha de inicio|start date|date de début|commencement date|inicio|desde|\
         fecha de entrada en vigor|fecha de antigüedad|antigüedad|date from|commences on|\
         commence on|starting on|con efectos desde|a partir del|comenzara el|with effect from|\
         entrara en vigor el|se iniciara el|fecha de efecto",
    ),
    (
        Concept::EndDate,
        1.0,
        "fecha de fin|fecha fin|end date|date de fin|termination date|hasta|\
         fecha de finalizacion|date to|ends on|expires on",
    ),
    (
        Concept::OtherDate,
        1.0,
        "fecha de impresion|print date|printed|delivery date|fecha de entrega|\
         date de livraison|order date|fecha de pedido|fecha pedido|date de commande|\
         last payment date|valid from|fecha de alta|joining date|hire date|date d'entrée|\
         fecha de entrada|period end|period start|fecha de devengo",
    ),
    (
        Concept::Vendor,
        1.0,
        "proveedor|emisor|datos del emisor|vendor|supplier|seller|sold by|fournisseur|vendeur|\
         vendedor|expedidor|empresa|company|razon social|employer|empleador|\
         nombre de la empresa|employeur|entreprise|société|employer name|company name|\
         name of employer|name of company|merchant|comercio|establecimiento|issued by|from",
    ),
    (
        Concept::Customer,
        1.0,
        "cliente|datos del cliente|facturar a|bill to|billed to|invoice to|customer|\
         customer name|sold to|ship to|client|information client|facturé à|\
         adresse de facturation|destinatario|receptor|comprador|buyer|deliver to|enviar a|\
         attn|a la atencion de|adressé à|destinataire|delivery address|datos cliente|\
         facturado a|cliente destinatario|client name",
    ),
    (
        Concept::Employee,
        1.0,
        "trabajador|trabajadora|empleado|empleada|employee|employee name|\
         nombre del trabajador|datos del trabajador|salarié|nombre del empleado|\
         apellidos y nombre|nombre y apellidos|worker|staff name|productor|trabajador a|\
         name of employee|name of worker|nom du salarié",
    ),
    (
        Concept::FullName,
        1.0,
        "nombre completo|full name|nom complet|nombre y apellidos|apellidos y nombre|titular|\
         holder|name in full|nom et prénom",
    ),
    (Concept::FullName, 0.6, "name|nom prénom"),
    (
        Concept::GivenNames,
        1.0,
        "nombre|given names|given name|prénoms|prénom|first name|nombre given names|\
         nombre name|name given names|nom name|nombres|forenames|nombre nom|given name s",
    ),
    (
        Concept::Surnames,
        1.0,
        "apellidos|surname|surnames|last name|nom surname|apellidos surname|\
         apellidos surnames|nom de famille|primer apellido|cognoms|apelidos|family name|\
         apellido",
    ),
    (
        Concept::IdNumber,
        1.0,
        "dni|nie|dni num|núm dni|dni nº|documento nacional de identidad|id number|\
         identity card no|identity number|personal number|numero de identidad|passport no|\
         pasaporte nº|nif|nie num|dni num.|id no|identity card number|número de documento|\
         idesp|dni nif|license no|licence no|passport number|identification no|personal no|\
         identity no|identification number|national id",
    ),
    (
        Concept::IdNumber,
        0.6,
        "document no|n° carte|card no|card number|document number|nº documento|documento n|\
         no documento|numero|número",
    ),
    (
        Concept::TaxId,
        1.0,
        "nif|cif|nif cif|cif nif|n.i.f.|c.i.f.|vat no|vat number|vat reg no|vat id|tax id|\
         tax number|n° tva|tva intracommunautaire|numéro de tva|siret|siren|n tva|vat|nif iva|\
         contribuinte|gst id|gst reg no|gst no|gst reg|tax reg no|sst no|gst id no|tin|\
         dni cif|vat registration number|vat reg|ein|abn|uen|gst registration no|nif emisor|\
         tva intra",
    ),
    (
        Concept::Iban,
        1.0,
        "iban|cuenta|numero de cuenta|n° de cuenta|account number|bank account|\
         compte bancaire|domiciliacion|cuenta bancaria|transferencia a|account|account no|\
         nº cuenta|ccc",
    ),
    (
        Concept::Period,
        1.0,
        "periodo|periodo de liquidacion|período de liquidación|pay period|period|période|mes|\
         mensualidad|periodo de pago|liquidacion|période de paie|nomina del mes|nómina de|\
         month|periode|pay month|periodo liq|payroll period|salary period|for the month of|\
         pay date period|nomina",
    ),
    (
        Concept::Address,
        1.0,
        "direccion|domicilio|address|adresse|domicili|morada|domicilio social|\
         lugar de domicilio|registered office",
    ),
    (
        Concept::Nationality,
        1.0,
        "nacionalidad|nationality|nationalité|nacionalidad nationality|nac",
    ),
    (Concept::Sex, 1.0, "sexo|sex|sexe|sexo sex|gender"),
    (
        Concept::SocialSecurity,
        1.0,
        "nº afiliacion|numero de afiliacion|nº seguridad social|social security no|\
         n° de sécurité sociale|nss|ni number|num afiliacion s s|ssn|national insurance no|\
         nº afil s.s.|n afiliacion s s|national insurance number",
    ),
    (
        Concept::Job,
        1.0,
        "categoria|categoria profesional|grupo profesional|puesto|job title|position|emploi|\
         puesto de trabajo|department|departamento",
    ),
    (
        Concept::Noise,
        1.0,
        "tel|telefono|phone|fax|time|hora|cashier|cajero|salesperson|table|mesa|pax|terminal|\
         till|co reg no|reg no|company no|roc no|qty|quantity|cantidad|cant|description|\
         descripcion|descripción|item|page|página|pagina|swift|bic|e-mail|email|web|www|\
         member|card|approval code|auth code|aid|hours|forma de pago|payment terms|\
         conditions de paiement|counter|operator|served by|le atendio|atendido por|\
         invoice total|total|subtotal|tax|iva|tva|precio|price|prix|importe|amount|montant|\
         unit price|base imponible|shopping hours|business hours|gst summary|resumen|equipo|\
         firma|signature|can|lugar de nacimiento|place of birth|lieu de naissance|hijo de|\
         hijo a de|equipe|num soport|num soporte|idesp|support number|oficina|cost centre|\
         centro de trabajo|codigo cliente|customer code|código|account code|do no|d.o. no|\
         terms|plazo|remise|staff|room|station|register|shift|batch|trace no|host|mid|tid|\
         stan|rrn|invoice details|bank|banco|entidad|tarifa|grupo de cotizacion|\
         codigo contrato|codigo de cotizacion|c.c.c.|nº de colegiado|expedition|promotion",
    ),
];

/// Every built-in label; labels of one shape may announce several things.
pub(super) static BUILT_IN: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let mut seen = HashSet::new();
    let mut phrases: Vec<Phrase> = Vec::new();
    for (concept, strength, texts) in PHRASES {
        for text in texts.split('|') {
            let phrase = Phrase::new(text, *concept, *strength);
            if seen.insert((phrase.shaped.clone(), *concept)) {
                phrases.push(phrase);
            }
        }
    }
    phrases
});
