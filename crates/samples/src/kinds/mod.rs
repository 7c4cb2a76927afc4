//! The kinds of documents. Each has its layouts and its wordings.

mod clauses;
mod contract;
mod id_card;
mod invoice;
mod other;
mod passport;
mod payslip;
mod receipt;
mod table;

use crate::{Kind, Lang, Sample, draft::Draft};

pub(crate) fn generate(kind: Kind, lang: Lang, seed: u64) -> Sample {
    let lang = match (kind, lang) {
        (Kind::Invoice | Kind::Receipt | Kind::Other, lang) | (_, lang @ (Lang::Es | Lang::En)) => {
            lang
        }
        (_, Lang::Fr) => Lang::En,
        (_, Lang::Pt) => Lang::Es,
    };
    let (write, layouts): (fn(&mut Draft), u32) = match kind {
        Kind::Invoice => (invoice::write, invoice::LAYOUTS),
        Kind::Receipt => (receipt::write, receipt::LAYOUTS),
        Kind::IdCard => (id_card::write, id_card::LAYOUTS),
        Kind::Payslip => (payslip::write, payslip::LAYOUTS),
        Kind::Contract => (contract::write, contract::LAYOUTS),
        Kind::Other => (other::write, other::LAYOUTS),
    };
    let mut draft = Draft::new(kind, lang, seed, layouts);
    write(&mut draft);
    draft.finish(kind)
}
